/* AVX-512 kernels: 12 x 32 tiles, 24 accumulators. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "base/target.h"
#include "train/fit_kernels.h"

ND_TARGET_BEGIN("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")

#define LANES 16
#define TILE_ROWS 12
#define TILE_COLS_ROWS 8
#define KERNELS nd_fit_avx512
#define KERNELS_NAME "avx512"
typedef __m512 V;
#define v_zero() _mm512_setzero_ps()
#define v_fill(x) _mm512_set1_ps(x)
#define v_load(p) _mm512_loadu_ps(p)
#define v_store(p, x) _mm512_storeu_ps(p, x)
#define v_add(a, b) _mm512_add_ps(a, b)
#define v_sub(a, b) _mm512_sub_ps(a, b)
#define v_mul(a, b) _mm512_mul_ps(a, b)
#define v_div(a, b) _mm512_div_ps(a, b)
#define v_sqrt(a) _mm512_sqrt_ps(a)
#define v_max(a, b) _mm512_max_ps(a, b)
#define v_fma(a, b, c) _mm512_fmadd_ps(a, b, c)
#define v_where_positive(x, a)                                                                     \
    _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GT_OQ), a)

#include "train/fit_kernels_body.h"

ND_TARGET_END
#else
typedef int nothing_here;
#endif
