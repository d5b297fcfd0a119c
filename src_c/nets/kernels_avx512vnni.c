/* AVX-512 with VNNI: product and sum in one instruction. Written as assembly because gcc 12 moves
 * every sum through memory around the intrinsic when the tile is this large. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "base/target.h"
#include "nets/internal.h"

ND_TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,bmi,popcnt")

#define SET avx512vnni
#define DOT(acc, a, w) __asm__("vpdpwssd %2, %1, %0" : "+v"(acc) : "v"(a), "v"(w))

#include "nets/kernels_avx512_common.h"
#include "nets/kernels_generic.h"

ND_TARGET_END
#else
typedef int nd_no_avx512vnni;
#endif
