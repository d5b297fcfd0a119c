/* AArch64, thirty-two registers of four 32-bit lanes. */
#if defined(__aarch64__)
#include <arm_neon.h>

#include "nets/internal.h"

#define SET neon
#define WIDTH 16
#define TILE 6
#define RELU(v) ((i16v)vmaxq_s16((int16x8_t)(v), vdupq_n_s16(0)))
#define LARGER(x, y) ((f32v)vmaxq_f32((float32x4_t)(x), (float32x4_t)(y)))
#define SIDE_BY_SIDE(p, apart) (*(const i32v *)(const void *)(p))
#define SPLAT(p) ((i32v)vdupq_n_s32(*(const i32 *)(const void *)(p)))
#define DOT(acc, a, w)                                                                             \
    ((acc) +=                                                                                      \
     (i32v)vpaddq_s32(vmull_s16(vget_low_s16((int16x8_t)(a)), vget_low_s16((int16x8_t)(w))),       \
                      vmull_high_s16((int16x8_t)(a), (int16x8_t)(w))))
#define LANES_SET(v) lanes_set((int32x4_t)(v))
#define BYTES_DIFFER(x, y) bytes_differ(x, y)

static inline unsigned lanes_set(int32x4_t v)
{
    const int32x4_t bit = {1, 2, 4, 8};
    return (unsigned)vaddvq_s32(vandq_s32(vreinterpretq_s32_u32(vtstq_s32(v, v)), bit));
}

/* A byte that differs leaves its bit of eight; three rounds of pairwise sums gather them. */
static inline uint64_t bytes_differ(const uint8_t *x, const uint8_t *y)
{
    static const uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bit = vld1q_u8(bits);
    uint8x16_t m[4];
    for (int i = 0; i < 4; i++)
        m[i] = vbicq_u8(bit, vceqq_u8(vld1q_u8(x + 16 * i), vld1q_u8(y + 16 * i)));
    uint8x16_t sum = vpaddq_u8(vpaddq_u8(m[0], m[1]), vpaddq_u8(m[2], m[3]));
    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
}

#include "nets/kernels_generic.h"
#else
typedef int nd_no_neon;
#endif
