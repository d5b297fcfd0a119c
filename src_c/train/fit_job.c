/* A plan in progress. A step is two stages with a meeting after each:
 *
 *   stage one, by stretches of samples: head of batch s (second layer on) up to dz2; at the same
 *   time the inputs of batch s + 1 are spelled;
 *   stage two, by column blocks of the first layer: backward, Adam, and at once, while the block is
 *   in the cache, forward of batch s + 1; the head's Adam; choice of batch s + 2.
 *
 * So no gradient is ever summed across threads but the head's small one, which is added in the
 * order of the stretches.
 */
#include <math.h>
#include <string.h>

#include "train/crew.h"
#include "train/fit_inside.h"

enum { STRETCHES = 8, SLOTS = 3 };

/* Where the walk through the shuffled groups stands. */
typedef struct place {
    uint64_t epoch, position;
} place;

typedef struct batch {
    int n;
    int cut[STRETCHES + 1];
    uint32_t *index; /* [capacity] into the samples */
    int32_t *group;  /* [capacity] */
    place after;
    nd_active *active; /* [capacity][stride] */
    int *count;        /* [capacity] */
    float *target;     /* [capacity][ND_MAX_OUTCOMES] */
    float *weight;     /* [capacity] */
    uint8_t *touched;  /* [STRETCHES][units] */
} batch;

/* Gradients of one block, and the backward pass's transposed weights: one a thread. */
typedef struct bench {
    float *g1, *gb1, *g2, *scratch;
} bench;

struct nd_fit_job {
    nd_fit *fit;
    nd_fit_plan plan;
    const nd_sample *samples;
    uint32_t *start; /* [groups + 1] first sample of each group */
    uint64_t groups;
    int half_bits; /* of the shuffle's domain */
    place place;
    int64_t done; /* steps of the plan */
    int64_t counted_from;

    nd_crew *crew;
    bench *benches; /* [threads] */
    batch slot[SLOTS];
    float *a1; /* [blocks][capacity][BLOCK] */
    float *parts, *z2, *dz2, *p;
    size_t capacity;
    float *head_gradient; /* [STRETCHES][head_size] */
    double sums[STRETCHES][6], total[6];
    float *row_step, *row_root; /* [units + 1] for Adam; the last is of all but the rows */

    int64_t step, last; /* of this call */
    const nd_stop *stop;
    bool stopped;
    float *gradient; /* write gradients here instead of taking the step */
};

/* ---- order of the groups ---- */

/* A permutation of 0..groups-1: a four-round Feistel network on the next even number of bits,
 * walked until it falls inside. */
static uint64_t shuffled(const nd_fit_job *job, uint64_t epoch, uint64_t x)
{
    const uint64_t key = nd_fit_mix(job->plan.seed ^ nd_fit_mix(epoch + 0x9E3779B97F4A7C15u));
    const uint64_t low = ((uint64_t)1 << job->half_bits) - 1;
    do {
        uint64_t a = x >> job->half_bits, b = x & low;
        for (uint64_t round = 1; round <= 4; round++) {
            const uint64_t t = a ^ (nd_fit_mix(key + round * 0xD6E8FEB86659FD93u + b) & low);
            a = b, b = t;
        }
        x = a << job->half_bits | b;
    } while (x >= job->groups);
    return x;
}

/* Whole groups until the next one does not fit; `b` may be NULL to walk only. */
static place choose(const nd_fit_job *job, place at, batch *b)
{
    int n = 0;
    for (int32_t taken = 0;; taken++) {
        if (at.position == job->groups) at.epoch++, at.position = 0;
        const uint64_t g = shuffled(job, at.epoch, at.position);
        const uint32_t first = job->start[g], end = job->start[g + 1];
        if (taken && n + (int64_t)(end - first) > job->plan.batch) break;
        for (uint32_t i = first; b && i < end; i++) {
            b->index[n + (int)(i - first)] = i;
            b->group[n + (int)(i - first)] = taken;
        }
        n += (int)(end - first);
        at.position++;
        if (n >= job->plan.batch) break;
    }
    if (!b) return at;
    b->n = n;
    b->after = at;
    b->cut[0] = 0;
    for (int k = 1; k <= STRETCHES; k++) {
        int cut = (int)((int64_t)n * k / STRETCHES);
        cut = cut < b->cut[k - 1] ? b->cut[k - 1] : cut;
        while (cut > 0 && cut < n && b->group[cut] == b->group[cut - 1]) cut++;
        b->cut[k] = cut;
    }
    return at;
}

/* ---- tasks ---- */

static batch *slot_of(nd_fit_job *job, int64_t step) { return &job->slot[step % SLOTS]; }

static void prepare(nd_fit_job *job, batch *b, int k)
{
    const nd_fit *fit = job->fit;
    const int units = fit->shape.units;
    uint8_t *touched = b->touched + k * units;
    memset(touched, 0, (size_t)units);
    for (int i = b->cut[k]; i < b->cut[k + 1]; i++) {
        if (i + 12 < b->n) {
            const nd_sample *soon = &job->samples[b->index[i + 12]];
            __builtin_prefetch(soon);
            __builtin_prefetch((const char *)soon + sizeof *soon - 1);
        }
        const nd_sample *s = &job->samples[b->index[i]];
        nd_active *a = b->active + (size_t)i * (size_t)fit->stride;
        b->count[i] = nd_fit_spell(fit, &s->board, a);
        for (int j = 0; j < b->count[i]; j++) touched[a[j].offset / ND_FIT_BLOCK] = 1;
        memcpy(b->target + (size_t)i * ND_MAX_OUTCOMES, s->target, sizeof s->target);
        for (int o = fit->shape.outcomes; o < ND_MAX_OUTCOMES; o++)
            b->target[(size_t)i * ND_MAX_OUTCOMES + (size_t)o] = 0.0f;
        b->weight[i] = s->weight;
    }
}

static void head(nd_fit_job *job, batch *b, int k)
{
    const nd_shape *s = &job->fit->shape;
    const float *p = job->fit->p + s->head;
    float *gradient = job->head_gradient + (size_t)k * s->head_size;
    memset(gradient, 0, s->head_size * sizeof *gradient);
    memset(job->sums[k], 0, sizeof job->sums[k]);
    const nd_head h = {.blocks = s->blocks,
                       .h2 = s->h2,
                       .outcomes = s->outcomes,
                       .first = b->cut[k],
                       .last = b->cut[k + 1],
                       .part_size = job->capacity * (size_t)s->h2,
                       .parts = job->parts,
                       .b2 = p,
                       .w3 = p + s->h2,
                       .b3 = p + s->h2 * (1 + ND_MAX_OUTCOMES),
                       .z2 = job->z2,
                       .p = job->p,
                       .target = b->target,
                       .weight = b->weight,
                       .group = b->group,
                       .points = job->plan.points,
                       .difference = job->plan.difference,
                       .scale = 1.0f / (float)b->n,
                       .dz2 = job->dz2,
                       .gradient = gradient,
                       .sums = job->sums[k]};
    job->fit->kernels->head_backward(&h);
}

static float learning_rate(const nd_fit_plan *plan, int64_t step)
{
    const double t = plan->steps > 1 ? (double)step / (double)(plan->steps - 1) : 0.0;
    const double a = plan->lr_start, b = plan->lr_end;
    if (plan->schedule == ND_FIT_EXPONENTIAL) return (float)(a * pow(b / a, t));
    return (float)(b + (a - b) * 0.5 * (1.0 + cos(3.14159265358979323846 * t)));
}

/* Step lengths of the rows this batch touches, and of everything else. */
static void plan_rows(nd_fit_job *job, const batch *b)
{
    nd_fit *fit = job->fit;
    if (job->gradient) return;
    const int units = fit->shape.units;
    const double lr = learning_rate(&job->plan, job->done);
    for (int u = 0; u <= units; u++) {
        int touched = u == units;
        for (int k = 0; u < units && k < STRETCHES; k++) touched |= b->touched[k * units + u];
        job->row_step[u] = -1.0f;
        if (!touched) continue;
        fit->beta1[u] *= ND_BETA1;
        fit->beta2[u] *= ND_BETA2;
        job->row_step[u] = (float)(lr / (1.0 - fit->beta1[u]));
        job->row_root[u] = (float)(1.0 / sqrt(1.0 - fit->beta2[u]));
    }
}

static bool averages_now(const nd_fit_job *job)
{
    return (job->fit->steps + 1) % ND_AVERAGE_EVERY == 0;
}

/* Adam and, when due, the average on `n` parameters from `at`. */
static void move(nd_fit_job *job, size_t at, size_t n, const float *g)
{
    nd_fit *fit = job->fit;
    if (job->gradient) {
        memcpy(job->gradient + at, g, n * sizeof *g);
        return;
    }
    const int rest = fit->shape.units;
    fit->kernels->adam(fit->p + at, fit->m + at, fit->v + at, g, n, job->row_step[rest],
                       job->row_root[rest]);
    if (averages_now(job))
        fit->kernels->average(fit->mean + at, fit->p + at, n,
                              (float)(fit->pending * job->plan.ema));
}

static void block_back(nd_fit_job *job, const batch *b, size_t k, const bench *room)
{
    nd_fit *fit = job->fit;
    const nd_shape *s = &fit->shape;
    const size_t rows = (size_t)s->units * ND_FIT_BLOCK, at = k * rows;
    const size_t w2 = s->w2 + k * ND_FIT_BLOCK * (size_t)s->h2;
    const nd_inputs in = {b->active, b->count, fit->stride, b->n};
    fit->kernels->backward(fit->p + w2, s->h2, in, s->units,
                           job->a1 + k * job->capacity * ND_FIT_BLOCK, job->dz2, room->scratch,
                           room->g1, room->gb1, room->g2);
    move(job, s->b1 + k * ND_FIT_BLOCK, ND_FIT_BLOCK, room->gb1);
    move(job, w2, ND_FIT_BLOCK * (size_t)s->h2, room->g2);
    if (job->gradient) {
        memcpy(job->gradient + at, room->g1, rows * sizeof(float));
        return;
    }
    fit->kernels->adam_rows(fit->p + at, fit->m + at, fit->v + at, room->g1, s->units,
                            job->row_step, job->row_root);
    if (averages_now(job))
        fit->kernels->average(fit->mean + at, fit->p + at, rows,
                              (float)(fit->pending * job->plan.ema));
}

static void block_forward(nd_fit_job *job, const batch *b, size_t k)
{
    const nd_fit *fit = job->fit;
    const nd_shape *s = &fit->shape;
    const nd_inputs in = {b->active, b->count, fit->stride, b->n};
    fit->kernels->forward(
        fit->p + k * (size_t)s->units * ND_FIT_BLOCK, fit->p + s->b1 + k * ND_FIT_BLOCK,
        fit->p + s->w2 + k * ND_FIT_BLOCK * (size_t)s->h2, s->h2, in,
        job->a1 + k * job->capacity * ND_FIT_BLOCK, job->parts + k * job->capacity * (size_t)s->h2);
}

static void head_step(nd_fit_job *job)
{
    const nd_shape *s = &job->fit->shape;
    float *sum = job->head_gradient;
    for (size_t k = 1; k < STRETCHES; k++)
        for (size_t i = 0; i < s->head_size; i++) sum[i] += sum[k * s->head_size + i];
    for (int k = 0; k < STRETCHES; k++)
        for (int i = 0; i < 6; i++) job->total[i] += job->sums[k][i];
    move(job, s->head, s->head_size, sum);
}

/* ---- the steps ---- */

static void end_step(void *context)
{
    nd_fit_job *job = context;
    if (job->step >= 0 && !job->gradient) {
        nd_fit *fit = job->fit;
        fit->pending = averages_now(job) ? 1.0 : fit->pending * job->plan.ema;
        fit->steps++;
        job->done++;
        job->place = slot_of(job, job->step)->after;
    }
    job->step++;
    if (nd_stop_raised(job->stop)) job->stopped = true;
}

/* On every thread. Step -1 only fetches and evaluates batch 0; the last step fetches nothing. */
static void work(void *context, int thread)
{
    nd_fit_job *job = context;
    nd_crew *crew = job->crew;
    const int blocks = job->fit->shape.blocks;
    while (job->step < job->last && !job->stopped) {
        const int64_t step = job->step;
        batch *now = step >= 0 ? slot_of(job, step) : NULL;
        batch *next = step + 1 < job->last ? slot_of(job, step + 1) : NULL;
        for (int t; (t = nd_crew_next(crew)) < 2 * STRETCHES + 1;) {
            if (t == 0 && now) plan_rows(job, now);
            if (t > 0 && t <= STRETCHES && now) head(job, now, t - 1);
            if (t > STRETCHES && next) prepare(job, next, t - STRETCHES - 1);
        }
        nd_crew_meet(crew, NULL, NULL);
        for (int t; (t = nd_crew_next(crew)) < blocks + 2;) {
            if (t == 0 && now) head_step(job);
            if (t == 1 && step + 2 < job->last) choose(job, next->after, slot_of(job, step + 2));
            if (t > 1 && now) block_back(job, now, (size_t)t - 2, &job->benches[thread]);
            if (t > 1 && next) block_forward(job, next, (size_t)t - 2);
        }
        nd_crew_meet(crew, end_step, job);
    }
}

/* ---- the handle ---- */

static bool slot_new(batch *b, size_t capacity, const nd_fit *fit)
{
    b->index = nd_fit_memory(capacity * sizeof *b->index);
    b->group = nd_fit_memory(capacity * sizeof *b->group);
    b->active = nd_fit_memory(capacity * ((size_t)fit->stride + 1) * sizeof *b->active);
    b->count = nd_fit_memory(capacity * sizeof *b->count);
    b->target = nd_fit_memory(capacity * ND_MAX_OUTCOMES * sizeof *b->target);
    b->weight = nd_fit_memory(capacity * sizeof *b->weight);
    b->touched = nd_fit_memory((size_t)STRETCHES * (size_t)fit->shape.units);
    return b->index && b->group && b->active && b->count && b->target && b->weight && b->touched;
}

static void slot_free(batch *b)
{
    nd_lines_free(b->index);
    nd_lines_free(b->group);
    nd_lines_free(b->active);
    nd_lines_free(b->count);
    nd_lines_free(b->target);
    nd_lines_free(b->weight);
    nd_lines_free(b->touched);
}

static bool bench_new(bench *b, const nd_shape *s)
{
    const size_t block = ND_FIT_BLOCK * sizeof(float);
    b->g1 = nd_fit_memory((size_t)s->units * block);
    b->gb1 = nd_fit_memory(block);
    b->g2 = nd_fit_memory((size_t)s->h2 * block);
    b->scratch = nd_fit_memory((size_t)s->h2 * block);
    return b->g1 && b->gb1 && b->g2 && b->scratch;
}

static bool arrays_new(nd_fit_job *job)
{
    const nd_shape *s = &job->fit->shape;
    const size_t n = job->capacity, rows = (size_t)s->units + 1;
    for (int i = 0; i < SLOTS; i++)
        if (!slot_new(&job->slot[i], n, job->fit)) return false;
    job->benches = calloc((size_t)job->plan.threads, sizeof *job->benches);
    if (!job->benches) return false;
    for (int i = 0; i < job->plan.threads; i++)
        if (!bench_new(&job->benches[i], s)) return false;
    job->a1 = nd_fit_memory(n * (size_t)s->h1 * sizeof(float));
    job->parts = nd_fit_memory(n * (size_t)(s->blocks * s->h2) * sizeof(float));
    job->z2 = nd_fit_memory(n * (size_t)s->h2 * sizeof(float));
    job->dz2 = nd_fit_memory(n * (size_t)s->h2 * sizeof(float));
    job->p = nd_fit_memory(n * ND_MAX_OUTCOMES * sizeof(float));
    job->head_gradient = nd_fit_memory(STRETCHES * s->head_size * sizeof(float));
    job->row_step = nd_fit_memory(rows * sizeof(float));
    job->row_root = nd_fit_memory(rows * sizeof(float));
    return job->a1 && job->parts && job->z2 && job->dz2 && job->p && job->head_gradient &&
           job->row_step && job->row_root;
}

/* A bad label would spoil every parameter at once, so each sample is looked at before the start. */
static nd_status check_samples(const nd_sample *samples, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const nd_sample *s = &samples[i];
        float sum = 0.0f;
        for (int o = 0; o < ND_MAX_OUTCOMES; o++) sum += fabsf(s->target[o]);
        if (!(sum < 1e3f && s->weight >= 0.0f && s->weight < 1e6f)) return ND_BAD_ARGUMENT;
        if (!nd_fit_board_possible(&s->board)) return ND_BAD_BOARD;
    }
    return ND_OK;
}

/* Group starts; returns the size of the largest group, 0 without memory. */
static size_t find_groups(nd_fit_job *job, size_t n)
{
    const nd_sample *s = job->samples;
    uint64_t groups = 1;
    for (size_t i = 1; i < n; i++) groups += s[i].group != s[i - 1].group;
    job->groups = groups;
    job->start = malloc((groups + 1) * sizeof *job->start);
    if (!job->start) return 0;
    size_t largest = 0, first = 0, g = 0;
    for (size_t i = 1; i <= n; i++) {
        if (i < n && s[i].group == s[i - 1].group) continue;
        job->start[g++] = (uint32_t)first;
        largest = i - first > largest ? i - first : largest;
        first = i;
    }
    job->start[g] = (uint32_t)n;
    while (groups > (uint64_t)1 << 2 * job->half_bits) job->half_bits++;
    return largest;
}

static bool plan_makes_sense(const nd_fit_plan *p)
{
    return p->steps >= 0 && p->first >= 0 && p->first <= p->steps && p->batch >= 1 &&
           p->batch <= 1 << 20 && p->threads >= 0 && p->threads <= ND_MAX_THREADS &&
           p->lr_start >= 0.0f && p->lr_end >= 0.0f && p->ema >= 0.0f && p->ema <= 1.0f &&
           p->difference >= 0.0f &&
           (p->schedule == ND_FIT_COSINE ||
            (p->schedule == ND_FIT_EXPONENTIAL && p->lr_start > 0.0f && p->lr_end > 0.0f));
}

nd_status nd_fit_job_new(nd_fit *fit, const nd_sample *samples, size_t n, const nd_fit_plan *plan,
                         nd_fit_job **out)
{
    *out = NULL;
    if (n < 1 || n > UINT32_MAX - 1 || !plan_makes_sense(plan)) return ND_BAD_ARGUMENT;
    const nd_status good = check_samples(samples, n);
    if (good != ND_OK) return good;
    nd_fit_job *job = calloc(1, sizeof *job);
    if (!job) return ND_NO_MEMORY;
    job->fit = fit;
    job->plan = *plan;
    job->plan.threads = nd_workers(plan->threads, ND_MAX_THREADS);
    job->samples = samples;
    job->half_bits = 1;
    for (int o = fit->shape.outcomes; o < ND_MAX_OUTCOMES; o++) job->plan.points[o] = 0.0f;
    const size_t largest = find_groups(job, n);
    if (largest > 1 << 20) {
        nd_fit_job_free(job);
        return ND_BAD_ARGUMENT;
    }
    size_t most = largest > (size_t)plan->batch ? largest : (size_t)plan->batch;
    job->capacity = nd_fit_padded(most);
    if (!largest || !arrays_new(job) || nd_crew_new(job->plan.threads, &job->crew) != ND_OK) {
        nd_fit_job_free(job);
        return ND_NO_MEMORY;
    }
    for (; job->done < plan->first; job->done++) job->place = choose(job, job->place, NULL);
    job->counted_from = job->done;
    *out = job;
    return ND_OK;
}

void nd_fit_job_free(nd_fit_job *job)
{
    if (!job) return;
    nd_crew_free(job->crew);
    for (int i = 0; i < SLOTS; i++) slot_free(&job->slot[i]);
    for (int i = 0; job->benches && i < job->plan.threads; i++) {
        nd_lines_free(job->benches[i].g1);
        nd_lines_free(job->benches[i].gb1);
        nd_lines_free(job->benches[i].g2);
        nd_lines_free(job->benches[i].scratch);
    }
    free(job->benches);
    free(job->start);
    nd_lines_free(job->a1);
    nd_lines_free(job->parts);
    nd_lines_free(job->z2);
    nd_lines_free(job->dz2);
    nd_lines_free(job->p);
    nd_lines_free(job->head_gradient);
    nd_lines_free(job->row_step);
    nd_lines_free(job->row_root);
    free(job);
}

int64_t nd_fit_job_left(const nd_fit_job *job) { return job->plan.steps - job->done; }

nd_status nd_fit_job_run(nd_fit_job *job, int64_t steps, const nd_stop *stop)
{
    if (steps < 0) return ND_BAD_ARGUMENT;
    const int64_t left = nd_fit_job_left(job);
    job->last = steps < left ? steps : left;
    job->step = -1;
    job->stop = stop;
    job->stopped = nd_stop_raised(stop);
    if (job->last > 0 && !job->stopped) {
        choose(job, job->place, &job->slot[0]);
        nd_crew_run(job->crew, work, job);
    }
    return job->stopped ? ND_CANCELLED : ND_OK;
}

void nd_fit_job_stats(const nd_fit_job *job, nd_fit_stats *out)
{
    const double *t = job->total;
    *out = (nd_fit_stats){.steps = job->done - job->counted_from,
                          .samples = (int64_t)t[2],
                          .cross_entropy = t[0] > 0.0 ? t[1] / t[0] : 0.0,
                          .equity_error = t[2] > 0.0 ? sqrt(t[3] / t[2]) : 0.0,
                          .difference_error = t[4] > 0.0 ? sqrt(t[5] / t[4]) : 0.0};
}

void nd_fit_job_stats_restart(nd_fit_job *job)
{
    memset(job->total, 0, sizeof job->total);
    job->counted_from = job->done;
}

nd_status nd_fit_run(nd_fit *fit, const nd_sample *samples, size_t n, const nd_fit_plan *plan,
                     const nd_stop *stop, nd_fit_stats *stats)
{
    nd_fit_job *job;
    nd_status status = nd_fit_job_new(fit, samples, n, plan, &job);
    if (status != ND_OK) return status;
    status = nd_fit_job_run(job, nd_fit_job_left(job), stop);
    if (stats) nd_fit_job_stats(job, stats);
    nd_fit_job_free(job);
    return status;
}

nd_status nd_fit_gradient(nd_fit *fit, const nd_sample *samples, size_t n, float difference,
                          const float points[ND_MAX_OUTCOMES], nd_params *out)
{
    nd_fit_plan plan = {.steps = 1, .batch = (int)n, .difference = difference, .threads = 1};
    if (n > 1 << 20) return ND_BAD_ARGUMENT;
    memcpy(plan.points, points, sizeof plan.points);
    nd_fit_job *job;
    const nd_status status = nd_fit_job_new(fit, samples, n, &plan, &job);
    if (status != ND_OK) return status;
    job->gradient = nd_fit_memory(fit->shape.size * sizeof(float));
    if (!job->gradient) {
        nd_fit_job_free(job);
        return ND_NO_MEMORY;
    }
    nd_fit_job_run(job, 1, NULL);
    nd_fit_unpack(&fit->shape, job->gradient, out);
    nd_lines_free(job->gradient);
    nd_fit_job_free(job);
    return ND_OK;
}
