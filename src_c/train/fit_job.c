/* The handle of a plan in progress: what it owns, how it begins, what it tells. */
#include <math.h>
#include <string.h>

#include "train/fit_job.h"

static bool slot_new(nd_fit_batch *b, size_t capacity, const nd_fit *fit)
{
    b->index = nd_fit_memory(capacity * sizeof *b->index);
    b->group = nd_fit_memory(capacity * sizeof *b->group);
    b->active = nd_fit_memory(capacity * ((size_t)fit->stride + 1) * sizeof *b->active);
    b->count = nd_fit_memory(capacity * sizeof *b->count);
    b->target = nd_fit_memory(capacity * ND_MAX_OUTCOMES * sizeof *b->target);
    b->weight = nd_fit_memory(capacity * sizeof *b->weight);
    b->touched = nd_fit_memory((size_t)ND_FIT_STRETCHES * (size_t)fit->shape.units);
    return b->index && b->group && b->active && b->count && b->target && b->weight && b->touched;
}

static void slot_free(nd_fit_batch *b)
{
    nd_lines_free(b->index);
    nd_lines_free(b->group);
    nd_lines_free(b->active);
    nd_lines_free(b->count);
    nd_lines_free(b->target);
    nd_lines_free(b->weight);
    nd_lines_free(b->touched);
}

static bool bench_new(nd_fit_bench *b, const nd_shape *s)
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
    for (int i = 0; i < ND_FIT_SLOTS; i++)
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
    job->head_gradient = nd_fit_memory(ND_FIT_STRETCHES * s->head_size * sizeof(float));
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
    for (; job->done < plan->first; job->done++) job->place = nd_fit_choose(job, job->place, NULL);
    job->counted_from = job->done;
    *out = job;
    return ND_OK;
}

void nd_fit_job_free(nd_fit_job *job)
{
    if (!job) return;
    nd_crew_free(job->crew);
    for (int i = 0; i < ND_FIT_SLOTS; i++) slot_free(&job->slot[i]);
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
        nd_fit_choose(job, job->place, &job->slot[0]);
        nd_crew_run(job->crew, nd_fit_work, job);
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
