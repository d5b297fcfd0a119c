#include "rollout/rollout.h"

#include <limits.h>
#include <stdlib.h>

#include "rollout/dice.h"
#include "rollout/trial.h"

static bool bad_level(nd_rollout_level level)
{
    return level.play < 0 || level.play > ND_MAX_PLIES || level.cube < 0 ||
           level.cube > ND_MAX_PLIES;
}

nd_status nd_rollout_check(const nd_rollout_plan *plan, const nd_subject *subjects, int n)
{
    if (n < 1 || n > ND_MAX_SUBJECTS || plan->truncate < 0 || plan->late < 0)
        return ND_BAD_ARGUMENT;
    if (bad_level(plan->level) || bad_level(plan->late_level)) return ND_BAD_ARGUMENT;
    const nd_status status = nd_plan_check(plan->search);
    if (status != ND_OK || !plan->stakes) return status;
    for (int i = 0; i < n; i++)
        if (!(subjects[i].cube >= 1) || subjects[i].owner >= ND_OWNERS) return ND_BAD_ARGUMENT;
    if (plan->stakes->outcomes != plan->play->rules->outcomes) return ND_BAD_ARGUMENT;
    return nd_stakes_check(plan->stakes);
}

size_t nd_rollout_length(int n)
{
    return (size_t)n * sizeof(nd_sums) / sizeof(double) + (size_t)n * (size_t)n;
}

typedef struct work {
    nd_table table;
    const nd_subject *subjects;
    int n;
    const bool *active;
    int64_t first;
    nd_trial *trials;       /* [count][ND_CHUNK][n] */
    bool *played;           /* [count][ND_CHUNK] */
    nd_search **search;     /* of each worker */
    nd_outlooks **outlooks; /* of each worker */
    const nd_stop *stop;
} work;

static bool is_active(const work *w, int i) { return !w->active || w->active[i]; }

static nd_status run_trial(void *context, int index, int worker)
{
    const work *const w = context;
    const uint64_t number = (uint64_t)w->first * ND_CHUNK + (uint64_t)index;
    for (int i = 0; i < w->n; i++) {
        if (!is_active(w, i)) continue;
        const nd_status status =
            nd_trial_play(&w->table, w->search[worker], w->outlooks[worker], &w->subjects[i],
                          number, w->stop, &w->trials[(size_t)index * (size_t)w->n + (size_t)i]);
        if (status != ND_OK) return status;
    }
    w->played[index] = true;
    return ND_OK;
}

static void add(const nd_evaluator *ev, bool cubeful, const nd_trial *t, const int roll[2],
                nd_sums *s, double *value)
{
    double equity = 0;
    for (int c = 0; c < ev->rules->outcomes; c++) {
        const double p = t->outcome[c];
        s->outcome[c] += p;
        s->outcome_sq[c] += p * p;
        equity += (double)ev->points[c] * p;
    }
    *value = cubeful ? t->value : equity;
    s->trials += 1;
    s->equity += equity;
    s->equity_sq += equity * equity;
    s->value += *value;
    s->value_sq += *value * *value;
    s->plies += t->plies;
    s->cut += t->cut;
    s->turns += t->turns;
    s->passes += t->passed;
    s->first[roll[0]] += *value;
    s->second[roll[1]] += *value;
}

/* Always in the order of trials: the same bits whoever played them. */
static void sum_chunk(const work *w, int chunk, double *raw)
{
    const nd_rollout_plan *const plan = w->table.plan;
    const int n = w->n;
    double *const products = raw + nd_rollout_length(n) - (size_t)n * (size_t)n;
    memset(raw, 0, nd_rollout_length(n) * sizeof *raw);
    nd_sums *const sums = (nd_sums *)(void *)raw;
    for (int k = 0; k < ND_CHUNK; k++) {
        const nd_trial *const t = w->trials + ((size_t)chunk * ND_CHUNK + (size_t)k) * (size_t)n;
        const uint64_t number = (uint64_t)(w->first + chunk) * ND_CHUNK + (uint64_t)k;
        double value[ND_MAX_SUBJECTS] = {0};
        int roll[2];
        for (int ply = 0; ply < 2; ply++) {
            int d1, d2;
            nd_rollout_dice(plan->seed, number, ply, plan->opening, &d1, &d2);
            roll[ply] = 6 * (d1 - 1) + d2 - 1;
        }
        for (int i = 0; i < n; i++)
            if (is_active(w, i)) add(plan->play, plan->stakes, &t[i], roll, &sums[i], &value[i]);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) products[i * n + j] += value[i] * value[j];
    }
}

nd_status nd_rollout(const nd_rollout_plan *plan, const nd_subject *subjects, int n,
                     const bool *active, int64_t first, int count, int threads, const nd_stop *stop,
                     double *raw, bool *done)
{
    nd_status status = nd_rollout_check(plan, subjects, n);
    if (status != ND_OK) return status;
    if (first < 0 || count < 1 || count > INT_MAX / (2 * ND_CHUNK)) return ND_BAD_ARGUMENT;
    const size_t trials = (size_t)count * ND_CHUNK;
    const int workers = nd_workers(threads, (int)trials);
    memset(done, 0, (size_t)count * sizeof *done);
    work *const w = calloc(1, sizeof *w);
    if (!w) return ND_NO_MEMORY;
    nd_table_set(&w->table, plan);
    w->subjects = subjects, w->n = n, w->active = active, w->first = first, w->stop = stop;
    w->trials = calloc(trials * (size_t)n, sizeof *w->trials);
    w->played = calloc(trials, sizeof *w->played);
    w->search = calloc((size_t)workers, sizeof(nd_search *));
    w->outlooks = calloc((size_t)workers, sizeof(nd_outlooks *));
    if (!w->trials || !w->played || !w->search || !w->outlooks) status = ND_NO_MEMORY;
    for (int i = 0; i < workers && status == ND_OK; i++) {
        status = nd_search_new(&w->search[i]);
        if (status != ND_OK) break;
        nd_search_stop_by(w->search[i], stop);
        w->outlooks[i] = nd_outlooks_new();
        if (!w->outlooks[i]) status = ND_NO_MEMORY;
    }
    if (status == ND_OK) status = nd_parallel(threads, (int)trials, run_trial, w, stop);
    if (status == ND_OK || status == ND_CANCELLED)
        for (int chunk = 0; chunk < count; chunk++) {
            done[chunk] = true;
            for (int k = 0; k < ND_CHUNK; k++) done[chunk] &= w->played[chunk * ND_CHUNK + k];
            if (done[chunk]) sum_chunk(w, chunk, raw + (size_t)chunk * nd_rollout_length(n));
        }
    for (int i = 0; w->search && i < workers; i++) nd_search_free(w->search[i]);
    for (int i = 0; w->outlooks && i < workers; i++) nd_outlooks_free(w->outlooks[i]);
    free(w->search);
    free(w->outlooks);
    free(w->played);
    free(w->trials);
    free(w);
    return status;
}
