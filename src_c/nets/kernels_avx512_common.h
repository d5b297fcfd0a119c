/* What the two AVX-512 sets share. */
#define WIDTH 64
#define TILE 12
#define RELU(v) ((i16v)_mm512_max_epi16((__m512i)(v), _mm512_setzero_si512()))
#define LARGER(x, y) ((f32v)_mm512_max_ps((__m512)(x), (__m512)(y)))
#define SIDE_BY_SIDE(p, apart) ((i32v)side_by_side(p, apart))
#define SPLAT(p) ((i32v)_mm512_set1_epi32(*(const i32 *)(const void *)(p)))
#define LIST_LANES(list, n, first, v) ((n) = list_lanes(list, n, first, (__m512i)(v)))
/* Else it is addressed by two registers, which splits each addition from its load, so that fewer are
 * under way at a time: 310 ns for the rows of a position instead of 290. */
#define ONE_REGISTER(p) __asm__("" : "+r"(p))
#define BYTES_DIFFER(x, y)                                                                         \
    ((uint64_t)_mm512_cmpneq_epi8_mask(_mm512_load_si512(x), _mm512_load_si512(y)))

/* Packed in a register and stored whole: storing the packed lanes alone is slow on some cores. */
static inline int list_lanes(uint32_t *list, int n, int first, __m512i v)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __mmask16 set = _mm512_test_epi32_mask(v, v);
    const __m512i number = _mm512_add_epi32(lane, _mm512_set1_epi32(first));
    _mm512_storeu_si512(list + n, _mm512_maskz_compress_epi32(set, number));
    return n + __builtin_popcount(set);
}

static inline __m512i side_by_side(const int32_t *p, ptrdiff_t apart)
{
    __m512i v = _mm512_castsi128_si512(_mm_load_si128((const __m128i *)(const void *)p));
    v = _mm512_inserti32x4(v, _mm_load_si128((const __m128i *)(const void *)(p + apart)), 1);
    v = _mm512_inserti32x4(v, _mm_load_si128((const __m128i *)(const void *)(p + 2 * apart)), 2);
    return _mm512_inserti32x4(v, _mm_load_si128((const __m128i *)(const void *)(p + 3 * apart)), 3);
}
