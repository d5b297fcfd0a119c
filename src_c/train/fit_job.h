/* A plan in progress: what its handle (fit_job.c) and its steps (fit_steps.c) share. */
#ifndef ND_TRAIN_FIT_JOB_H
#define ND_TRAIN_FIT_JOB_H

#include "train/crew.h"
#include "train/fit_inside.h"

enum { ND_FIT_STRETCHES = 8, ND_FIT_SLOTS = 3 };

/* Where the walk through the shuffled groups stands. */
typedef struct nd_fit_place {
    uint64_t epoch, position;
} nd_fit_place;

typedef struct nd_fit_batch {
    int n;
    int cut[ND_FIT_STRETCHES + 1];
    uint32_t *index; /* [capacity] into the samples */
    int32_t *group;  /* [capacity] */
    nd_fit_place after;
    nd_active *active; /* [capacity][stride] */
    int *count;        /* [capacity] */
    float *target;     /* [capacity][ND_MAX_OUTCOMES] */
    float *weight;     /* [capacity] */
    uint8_t *touched;  /* [ND_FIT_STRETCHES][units] */
} nd_fit_batch;

/* Gradients of one block, and the backward pass's transposed weights: one a thread. */
typedef struct nd_fit_bench {
    float *g1, *gb1, *g2, *scratch;
} nd_fit_bench;

struct nd_fit_job {
    nd_fit *fit;
    nd_fit_plan plan;
    const nd_sample *samples;
    uint32_t *start; /* [groups + 1] first sample of each group */
    uint64_t groups;
    int half_bits; /* of the shuffle's domain */
    nd_fit_place place;
    int64_t done; /* steps of the plan */
    int64_t counted_from;

    nd_crew *crew;
    nd_fit_bench *benches; /* [threads] */
    nd_fit_batch slot[ND_FIT_SLOTS];
    float *a1; /* [blocks][capacity][BLOCK] */
    float *parts, *z2, *dz2, *p;
    size_t capacity;
    float *head_gradient; /* [ND_FIT_STRETCHES][head_size] */
    double sums[ND_FIT_STRETCHES][6], total[6];
    float *row_step, *row_root; /* [units + 1] for Adam; the last is of all but the rows */

    int64_t step, last; /* of this call */
    const nd_stop *stop;
    bool stopped;
    float *gradient; /* write gradients here instead of taking the step */
};

/* The batch after `at`: whole groups until the next one does not fit. Returns the place behind it;
 * `b` may be NULL to walk only. */
nd_fit_place nd_fit_choose(const nd_fit_job *job, nd_fit_place at, nd_fit_batch *b);

/* The steps of a call, on every thread of the job's crew: `context` is the nd_fit_job, whose `step`
 * is -1 and whose first slot is chosen. */
void nd_fit_work(void *context, int thread);

#endif
