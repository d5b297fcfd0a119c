/* The steps of a plan. A step is two stages with a meeting after each:
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

#include "train/fit_job.h"

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

nd_fit_place nd_fit_choose(const nd_fit_job *job, nd_fit_place at, nd_fit_batch *b)
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
    for (int k = 1; k <= ND_FIT_STRETCHES; k++) {
        int cut = (int)((int64_t)n * k / ND_FIT_STRETCHES);
        cut = cut < b->cut[k - 1] ? b->cut[k - 1] : cut;
        while (cut > 0 && cut < n && b->group[cut] == b->group[cut - 1]) cut++;
        b->cut[k] = cut;
    }
    return at;
}

/* ---- tasks ---- */

static nd_fit_batch *slot_of(nd_fit_job *job, int64_t step)
{
    return &job->slot[step % ND_FIT_SLOTS];
}

static void prepare(nd_fit_job *job, nd_fit_batch *b, int k)
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

static void head(nd_fit_job *job, nd_fit_batch *b, int k)
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
static void plan_rows(nd_fit_job *job, const nd_fit_batch *b)
{
    nd_fit *fit = job->fit;
    if (job->gradient) return;
    const int units = fit->shape.units;
    const double lr = learning_rate(&job->plan, job->done);
    for (int u = 0; u <= units; u++) {
        int touched = u == units;
        for (int k = 0; u < units && k < ND_FIT_STRETCHES; k++)
            touched |= b->touched[k * units + u];
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

static void block_back(nd_fit_job *job, const nd_fit_batch *b, size_t k, const nd_fit_bench *room)
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

static void block_forward(nd_fit_job *job, const nd_fit_batch *b, size_t k)
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
    for (size_t k = 1; k < ND_FIT_STRETCHES; k++)
        for (size_t i = 0; i < s->head_size; i++) sum[i] += sum[k * s->head_size + i];
    for (int k = 0; k < ND_FIT_STRETCHES; k++)
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
void nd_fit_work(void *context, int thread)
{
    nd_fit_job *job = context;
    nd_crew *crew = job->crew;
    const int blocks = job->fit->shape.blocks;
    while (job->step < job->last && !job->stopped) {
        const int64_t step = job->step;
        nd_fit_batch *now = step >= 0 ? slot_of(job, step) : NULL;
        nd_fit_batch *next = step + 1 < job->last ? slot_of(job, step + 1) : NULL;
        for (int t; (t = nd_crew_next(crew)) < 2 * ND_FIT_STRETCHES + 1;) {
            if (t == 0 && now) plan_rows(job, now);
            if (t > 0 && t <= ND_FIT_STRETCHES && now) head(job, now, t - 1);
            if (t > ND_FIT_STRETCHES && next) prepare(job, next, t - ND_FIT_STRETCHES - 1);
        }
        nd_crew_meet(crew, NULL, NULL);
        for (int t; (t = nd_crew_next(crew)) < blocks + 2;) {
            if (t == 0 && now) head_step(job);
            if (t == 1 && step + 2 < job->last)
                nd_fit_choose(job, next->after, slot_of(job, step + 2));
            if (t > 1 && now) block_back(job, now, (size_t)t - 2, &job->benches[thread]);
            if (t > 1 && next) block_forward(job, next, (size_t)t - 2);
        }
        nd_crew_meet(crew, end_step, job);
    }
}
