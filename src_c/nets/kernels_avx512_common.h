/* What the two AVX-512 sets share. */
#define WIDTH 64
#define TILE 12
#define RELU(v) ((i16v)_mm512_max_epi16((__m512i)(v), _mm512_setzero_si512()))
#define SPLAT(p) ((i32v)_mm512_set1_epi32(*(const i32 *)(const void *)(p)))
#define LANES_SET(v) ((unsigned)_mm512_test_epi32_mask((__m512i)(v), (__m512i)(v)))
#define BYTES_DIFFER(x, y)                                                                         \
    ((uint64_t)_mm512_cmpneq_epi8_mask(_mm512_load_si512(x), _mm512_load_si512(y)))
