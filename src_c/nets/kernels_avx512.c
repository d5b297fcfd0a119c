/* AVX-512 without VNNI. Thirty-two registers: 24 sums, two of weights, activations, products. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "base/target.h"
#include "nets/internal.h"

ND_TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512dq,bmi,popcnt")

#define SET avx512
#define DOT(acc, a, w) ((acc) += (i32v)_mm512_madd_epi16((__m512i)(a), (__m512i)(w)))

#include "nets/kernels_avx512_common.h"
#include "nets/kernels_generic.h"

ND_TARGET_END
#else
typedef int nd_no_avx512;
#endif
