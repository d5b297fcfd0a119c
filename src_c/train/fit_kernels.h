/* Inner loops of fitting, one set an instruction set, all with the same bits.
 *
 * The first layer is kept in COLUMN BLOCKS of ND_FIT_BLOCK hidden units, [block][unit][column]: the
 * part of a block's weights that a minibatch needs fits the first-level cache, gradients of a block
 * belong to one thread and are summed over the samples in order.
 */
#ifndef ND_TRAIN_FIT_KERNELS_H
#define ND_TRAIN_FIT_KERNELS_H

#include "train/fit.h"

enum {
    ND_FIT_BLOCK = 64,
    ND_FIT_ROWS = 12, /* sample arrays are padded to a multiple of this */
    ND_FIT_MAX_H2 = 256
};

typedef struct nd_active {
    uint32_t offset; /* of the unit's row in a block: unit * ND_FIT_BLOCK */
    float coefficient;
} nd_active;

/* Active units of `n` samples: count[i] of them at active + i * stride. */
typedef struct nd_inputs {
    const nd_active *active;
    const int *count;
    int stride, n;
} nd_inputs;

/* Second layer onwards for samples first..last-1 of a minibatch (whole groups). */
typedef struct nd_head {
    int blocks, h2, outcomes;
    int first, last;
    size_t part_size;          /* floats from one block's part to the next */
    const float *parts;        /* [blocks][n][h2] */
    const float *b2, *w3, *b3; /* w3 [h2][ND_MAX_OUTCOMES], padded with zeros */
    float *z2;                 /* [n][h2] */
    float *p;                  /* [n][ND_MAX_OUTCOMES] */

    /* From here on for the backward pass only. */
    const float *target;     /* [n][ND_MAX_OUTCOMES] */
    const float *weight;     /* [n] */
    const int32_t *group;    /* [n] */
    const float *points;     /* [ND_MAX_OUTCOMES] */
    float difference, scale; /* scale = 1 / n */
    float *dz2;              /* [n][h2] */
    float *gradient;         /* b2 | w3 | b3 as in the parameters, added to */
    double *sums;            /* [6]: weight, ce, samples, e error^2, grouped samples, deviation^2 */
} nd_head;

typedef struct nd_fit_kernels {
    const char *name;

    /* a1[n][BLOCK] = ReLU(b1 + sum of rows); z2[n][h2] = a1 . w2 of this block. */
    void (*forward)(const float *w1, const float *b1, const float *w2, int h2, nd_inputs in,
                    float *a1, float *z2);

    /* Gradients of a block from dz2; a1 is used up. `scratch` holds h2 * BLOCK floats. */
    void (*backward)(const float *w2, int h2, nd_inputs in, int units, float *a1, const float *dz2,
                     float *scratch, float *g1, float *gb1, float *g2);

    void (*head_forward)(const nd_head *h);
    void (*head_backward)(const nd_head *h);

    /* One Adam step on n (multiple of 16) parameters: `step` = lr / (1 - beta1^t), `root` =
     * 1 / sqrt(1 - beta2^t). */
    void (*adam)(float *p, float *m, float *v, const float *g, size_t n, float step, float root);
    /* The same row by row of a block; rows with step < 0 stay. */
    void (*adam_rows)(float *p, float *m, float *v, const float *g, int units, const float *step,
                      const float *root);
    /* average += (1 - decay) * (p - average) */
    void (*average)(float *average, const float *p, size_t n, float decay);
} nd_fit_kernels;

extern const nd_fit_kernels nd_fit_plain;
#if defined(__x86_64__)
extern const nd_fit_kernels nd_fit_avx2, nd_fit_avx512;
#endif

#endif
