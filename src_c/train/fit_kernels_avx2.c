/* AVX2 and FMA kernels: 6 x 16 tiles, 12 accumulators. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "base/target.h"
#include "train/fit_kernels.h"

ND_TARGET_BEGIN("avx2,fma")

#define LANES 8
#define TILE_ROWS 6
#define TILE_COLS_ROWS 4
#define KERNELS nd_fit_avx2
#define KERNELS_NAME "avx2"
typedef __m256 V;
#define v_zero() _mm256_setzero_ps()
#define v_fill(x) _mm256_set1_ps(x)
#define v_load(p) _mm256_loadu_ps(p)
#define v_store(p, x) _mm256_storeu_ps(p, x)
#define v_add(a, b) _mm256_add_ps(a, b)
#define v_sub(a, b) _mm256_sub_ps(a, b)
#define v_mul(a, b) _mm256_mul_ps(a, b)
#define v_div(a, b) _mm256_div_ps(a, b)
#define v_sqrt(a) _mm256_sqrt_ps(a)
#define v_max(a, b) _mm256_max_ps(a, b)
#define v_fma(a, b, c) _mm256_fmadd_ps(a, b, c)
#define v_where_positive(x, a) _mm256_and_ps(_mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_GT_OQ), a)

#include "train/fit_kernels_body.h"

ND_TARGET_END
#else
typedef int nothing_here;
#endif
