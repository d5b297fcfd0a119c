/* What the files of this room share: the net as kernels read it, scratch, one kernel set. */
#ifndef ND_NETS_INTERNAL_H
#define ND_NETS_INTERNAL_H

#include "nets/net.h"

enum {
    ND_LANES = 8,    /* outcomes are padded to eight lanes */
    ND_BLOCK = 12,   /* positions that go through the second layer together */
    ND_WAITING = 48, /* and whose sums wait for the last layer: a multiple of all vectors' lanes */
    /* Activations of a block lie a constant distance apart, so that a kernel needs one pointer for
     * all of them, and an odd number of cache lines, so that they do not share cache sets. */
    ND_ACT_STRIDE = ND_MAX_H1 + 32,
    ND_BASES = 4 /* first layers of base positions kept, one for each of a few nets */
};

struct nd_net {
    nd_net_info info;
    void *payload; /* the net as it is written */
    size_t payload_bytes;
    void *block; /* the one allocation that the pointers below lead into, each 64-byte aligned */

    /* Row of (byte, value), value > 0: rows + row_at[byte] + value * stride. Long rows lie an odd
     * number of cache lines apart, so that equal parts of many rows do not share cache sets. */
    const int16_t *rows;
    ptrdiff_t stride;
    ptrdiff_t row_at[ND_LINE];
    const int16_t *b1;  /* [h1] */
    const int16_t *w2;  /* [h1 / 2][h2][2]: the weights of two units from one output side by side */
    const int32_t *b2;  /* [h2] */
    const float *scale; /* [h2], powers of two: integer sum -> activation */
    const float *w3;    /* [h2][ND_LANES], zero in the padding */
    float b3[ND_LANES];
    float present[ND_LANES]; /* 1 for an outcome, 0 for padding */
};

typedef struct nd_base {
    uint64_t hash; /* of the net this belongs to, 0 = empty */
    nd_board board;
    _Alignas(64) uint8_t line[ND_LINE];
    _Alignas(64) int16_t sum[ND_MAX_H1]; /* first layer before the ReLU */
} nd_base;

struct nd_scratch {
    _Alignas(64) uint8_t line[ND_BLOCK][ND_LINE];
    _Alignas(64) int16_t act[ND_BLOCK][ND_ACT_STRIDE]; /* first layer after the ReLU */
    _Alignas(64) int32_t sum[ND_WAITING][ND_MAX_H2];
    float hidden[ND_MAX_H2]; /* of the baseline, which takes one position at a time */
    _Alignas(64) uint32_t pair[ND_MAX_H1 / 2 + 16];
    nd_base base[ND_BASES];
};

struct nd_kernels {
    const char *name;
    /* nd_net_evaluate_near; `base` NULL = nd_net_evaluate. */
    void (*evaluate)(const nd_net *net, nd_scratch *scratch, const nd_board *base,
                     const nd_board *boards, size_t n, float *out);
};

/* Kernel sets of this build (some may be beyond the machine at hand; kernels.c asks). */
extern const nd_kernels nd_kernels_baseline, nd_kernels_sse2, nd_kernels_avx2, nd_kernels_avx512,
    nd_kernels_avx512vnni, nd_kernels_neon;

/* exp(x) for x in [-86, 0] = 2^n exp(r), |r| <= ln 2 / 2: n = x / ln 2 rounded, r = x - n ln 2 in
 * two steps, a polynomial of degree six for exp(r). Shared by all kernel sets, which follow
 * it operation by operation; relative error below 2e-7. */
#define ND_EXP_MIN (-86.0f)
#define ND_EXP_PER_LN2 1.44269504f
#define ND_EXP_LN2_HIGH 0.693359375f /* nine bits: n * high is exact */
#define ND_EXP_LN2_LOW (-2.12194440e-4f)
#define ND_EXP_C2 0.5f
#define ND_EXP_C3 1.66666667e-1f
#define ND_EXP_C4 4.16666667e-2f
#define ND_EXP_C5 8.33333333e-3f
#define ND_EXP_C6 1.38888889e-3f

#endif
