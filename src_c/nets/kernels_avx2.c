/* Sixteen registers: twelve sums, two of weights, one activation, one product. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "base/target.h"
#include "nets/internal.h"

ND_TARGET_BEGIN("avx2,bmi,popcnt")

#define SET avx2
#define WIDTH 32
#define TILE 6
#define RELU(v) ((i16v)_mm256_max_epi16((__m256i)(v), _mm256_setzero_si256()))
#define LARGER(x, y) ((f32v)_mm256_max_ps((__m256)(x), (__m256)(y)))
#define SIDE_BY_SIDE(p, apart)                                                                     \
    ((i32v)_mm256_inserti128_si256(                                                                \
        _mm256_castsi128_si256(_mm_load_si128((const __m128i *)(const void *)(p))),                \
        _mm_load_si128((const __m128i *)(const void *)((p) + (apart))), 1))
#define SPLAT(p) ((i32v)_mm256_set1_epi32(*(const i32 *)(const void *)(p)))
#define DOT(acc, a, w) ((acc) += (i32v)_mm256_madd_epi16((__m256i)(a), (__m256i)(w)))
#define LANES_SET(v)                                                                               \
    (255u ^ (unsigned)_mm256_movemask_ps(                                                          \
                _mm256_castsi256_ps(_mm256_cmpeq_epi32((__m256i)(v), _mm256_setzero_si256()))))
#define BYTES_DIFFER(x, y) bytes_differ(x, y)

static inline uint64_t bytes_differ(const uint8_t *x, const uint8_t *y)
{
    const __m256i *a = (const __m256i *)(const void *)x, *b = (const __m256i *)(const void *)y;
    const unsigned low = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a[0], b[0]));
    const unsigned high = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a[1], b[1]));
    return ~((uint64_t)high << 32 | low);
}

#include "nets/kernels_generic.h"

ND_TARGET_END
#else
typedef int nd_no_avx2;
#endif
