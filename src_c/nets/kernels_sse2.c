/* Sixteen registers: twelve sums, two of weights, one activation, one product. */
#if defined(__x86_64__)
#include <emmintrin.h>

#include "nets/internal.h"

#define SET sse2
#define WIDTH 16
#define TILE 6
#define RELU(v) ((i16v)_mm_max_epi16((__m128i)(v), _mm_setzero_si128()))
#define LARGER(x, y) ((f32v)_mm_max_ps((__m128)(x), (__m128)(y)))
#define SIDE_BY_SIDE(p, apart) (*(const i32v *)(const void *)(p))
#define SPLAT(p) ((i32v)_mm_set1_epi32(*(const i32 *)(const void *)(p)))
#define DOT(acc, a, w) ((acc) += (i32v)_mm_madd_epi16((__m128i)(a), (__m128i)(w)))
#define LANES_SET(v)                                                                               \
    (15u ^ (unsigned)_mm_movemask_ps(                                                              \
               _mm_castsi128_ps(_mm_cmpeq_epi32((__m128i)(v), _mm_setzero_si128()))))
#define BYTES_DIFFER(x, y) bytes_differ(x, y)

static inline uint64_t bytes_differ(const uint8_t *x, const uint8_t *y)
{
    uint64_t same = 0;
    for (int i = 0; i < 4; i++)
        same |= (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(((const __m128i *)(const void *)x)[i],
                                                           ((const __m128i *)(const void *)y)[i]))
                << 16 * i;
    return ~same;
}

#include "nets/kernels_generic.h"
#else
typedef int nd_no_sse2;
#endif
