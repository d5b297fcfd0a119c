/* What the files of the fitting share. */
#ifndef ND_TRAIN_FIT_INSIDE_H
#define ND_TRAIN_FIT_INSIDE_H

#include <stdlib.h>

#include "base/memory.h"
#include "train/fit_kernels.h"

#define ND_BETA1 0.9
#define ND_BETA2 0.999
enum { ND_AVERAGE_EVERY = 8 };

/* One flat array of parameters: w1 in column blocks, b1, w2 [h1][h2], then the head: b2,
 * w3 [h2][ND_MAX_OUTCOMES] padded with zeros, b3 padded to 16. */
typedef struct nd_shape {
    const nd_features *features;
    int units, h1, h2, outcomes, blocks;
    size_t b1, w2, head; /* where these begin; w1 begins at 0 */
    size_t head_size, size;
} nd_shape;

/* Where the weight of unit u to hidden unit k lies. */
static inline size_t nd_fit_first_layer(const nd_shape *s, int u, int k)
{
    return ((size_t)(k / ND_FIT_BLOCK) * (size_t)s->units + (size_t)u) * ND_FIT_BLOCK +
           (size_t)(k % ND_FIT_BLOCK);
}

typedef struct nd_spelled {
    int count;
    nd_active active[ND_MAX_TERMS];
} nd_spelled;

struct nd_fit {
    nd_shape shape;
    const nd_fit_kernels *kernels;
    int stride;              /* most active units of a position */
    nd_spelled *spelled;     /* [ND_LINE][ND_MAX_VALUES] */
    float *p, *m, *v, *mean; /* parameters, Adam moments, average: [shape.size] each */
    double *beta1, *beta2;   /* [units + 1]: beta^t by row of the first layer; last: the rest */
    int64_t steps;
    double pending;     /* product of the decays not yet applied to the average */
    nd_params shown[2]; /* row major copies: present, averaged */
};

/* A handle of the given shape whose parameters are all zero. */
nd_status nd_fit_blank(const nd_features *features, int h1, int h2, int outcomes, nd_fit **out);

/* 64-byte aligned, zeroed; NULL when there is no memory. Free with nd_lines_free. */
void *nd_fit_memory(size_t bytes);

/* Active units of a board, at most fit->stride; returns how many. */
int nd_fit_spell(const nd_fit *fit, const nd_board *b, nd_active *out);

/* From the flat form to row-major arrays. */
void nd_fit_unpack(const nd_shape *s, const float *flat, nd_params *out);

/* At most fifteen checkers a side, none off the slots: what every feature set can take. */
static inline bool nd_fit_board_possible(const nd_board *b)
{
    const uint32_t slots = ND_BIT(ND_SLOTS) - 1;
    return !((nd_any(b->own) | nd_any(b->opp)) & ~slots) &&
           nd_checkers(b->own, slots) <= ND_CHECKERS && nd_checkers(b->opp, slots) <= ND_CHECKERS;
}

static inline size_t nd_fit_padded(size_t samples)
{
    return (samples + ND_FIT_ROWS - 1) / ND_FIT_ROWS * ND_FIT_ROWS;
}

/* Counter-based random numbers. */
static inline uint64_t nd_fit_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* Uniform in [-1, 1) with 24 bits. */
static inline float nd_fit_uniform(uint64_t seed, uint64_t counter)
{
    const uint64_t r = nd_fit_mix(nd_fit_mix(seed + 0x9E3779B97F4A7C15u) + counter);
    return (float)(int32_t)(r >> 40) * 0x1p-23f - 1.0f;
}

#endif
