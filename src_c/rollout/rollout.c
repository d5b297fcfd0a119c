#include "rollout/rollout.h"

#include <stdlib.h>

#include "rollout/dice.h"

enum { MAX_PLIES = 2000 };

/* Is the static value of this position exact, so that playing on only adds noise? */
static bool settled(const nd_evaluator *ev, const nd_board *b)
{
    const nd_phase phase = ev->rules->phase(b);
    return phase == ND_PHASE_OVER || (phase == ND_PHASE_BEAROFF && ev->bearoff);
}

/* One trial: the outcome probabilities it ends with, less the luck on the way, for the side on roll
 * at its start. */
static nd_status trial(const nd_rollout_plan *plan, nd_search *search, const nd_board *start,
                       uint64_t number, float result[ND_MAX_OUTCOMES], nd_sums *sums)
{
    const nd_evaluator *const play = plan->play;
    const int classes = play->rules->outcomes;
    const int limit = plan->truncate ? plan->truncate : MAX_PLIES;
    float luck[2][ND_MAX_OUTCOMES] = {{0}}; /* by side: of the one on roll at even / odd plies */
    nd_board board = *start;
    nd_status status;
    int ply = 0;
    for (; ply < limit && !settled(play, &board); ply++) {
        int d1, d2;
        nd_rollout_dice(plan->seed, number, ply, plan->opening, &d1, &d2);
        nd_board next;
        bool chosen = false;
        if (plan->luck) {
            nd_board best[ND_ROLLS];
            float mean[ND_MAX_OUTCOMES], value[ND_ROLLS][ND_MAX_OUTCOMES];
            const int roll = nd_roll_index(d1, d2);
            status = nd_lookahead(plan->luck, search, &board, ply == 0 && plan->opening, mean, best,
                                  value);
            if (status != ND_OK) return status;
            for (int c = 0; c < classes; c++) luck[ply & 1][c] += value[roll][c] - mean[c];
            if (plan->luck == play) next = best[roll], chosen = true;
        }
        if (!chosen) {
            status = nd_best_play(play, search, &board, d1, d2, &next);
            if (status != ND_OK) return status;
        }
        board = next;
    }
    if (ply == MAX_PLIES && !plan->truncate) sums->truncated++;
    sums->plies += ply;
    float end[ND_MAX_OUTCOMES], odd[ND_MAX_OUTCOMES];
    status = nd_static(play, search, NULL, &board, 1, false, end);
    if (status != ND_OK) return status;
    if (ply & 1) {
        nd_flip(classes, end, result);
    } else
        memcpy(result, end, (size_t)classes * sizeof *result);
    nd_flip(classes, luck[1], odd);
    for (int c = 0; c < classes; c++) result[c] -= luck[0][c] + odd[c];
    return ND_OK;
}

typedef struct work {
    const nd_rollout_plan *plan;
    const nd_board *positions;
    int n;
    int64_t first;
    nd_sums *sums;
    double *products;
    bool *done;
    nd_search **search;
    const nd_stop *stop;
} work;

static nd_status run_chunk(void *context, int chunk, int worker)
{
    const work *const w = context;
    const nd_evaluator *const ev = w->plan->play;
    const int n = w->n;
    nd_sums *const sums = w->sums + (size_t)chunk * (size_t)n;
    double *const products =
        w->products ? w->products + (size_t)chunk * (size_t)n * (size_t)n : NULL;
    memset(sums, 0, (size_t)n * sizeof *sums);
    if (products) memset(products, 0, (size_t)n * (size_t)n * sizeof *products);
    for (int k = 0; k < ND_CHUNK; k++) {
        /* Looked at between trials: whoever asks to stop does not wait for the chunk. */
        if (nd_stop_raised(w->stop)) return ND_CANCELLED;
        const uint64_t number = (uint64_t)(w->first + chunk) * ND_CHUNK + (uint64_t)k;
        double equity[ND_MAX_SUBJECTS];
        for (int i = 0; i < n; i++) {
            float p[ND_MAX_OUTCOMES];
            nd_sums *const s = &sums[i];
            const nd_status status =
                trial(w->plan, w->search[worker], &w->positions[i], number, p, s);
            if (status != ND_OK) return status;
            double e = 0;
            for (int c = 0; c < ev->rules->outcomes; c++) {
                s->outcome[c] += p[c];
                s->outcome_sq[c] += (double)p[c] * p[c];
                e += (double)ev->points[c] * p[c];
            }
            s->equity += e;
            s->equity_sq += e * e;
            s->trials++;
            equity[i] = e;
        }
        for (int i = 0; products && i < n; i++)
            for (int j = 0; j < n; j++) products[i * n + j] += equity[i] * equity[j];
    }
    w->done[chunk] = true;
    return ND_OK;
}

nd_status nd_rollout(const nd_rollout_plan *plan, const nd_board *positions, int n, int64_t first,
                     int count, int threads, const nd_stop *stop, nd_sums *sums, double *products,
                     bool *done)
{
    if (n < 1 || n > ND_MAX_SUBJECTS || first < 0 || count < 1 || threads < 1 || plan->truncate < 0)
        return ND_BAD_ARGUMENT;
    memset(done, 0, (size_t)count * sizeof *done);
    const int workers = nd_workers(threads, count);
    nd_search **const search = calloc((size_t)workers, sizeof *search);
    nd_status status = search ? ND_OK : ND_NO_MEMORY;
    for (int i = 0; i < workers && status == ND_OK; i++) status = nd_search_new(&search[i]);
    if (status == ND_OK) {
        work w = {plan, positions, n, first, sums, products, done, search, stop};
        status = nd_parallel(threads, count, run_chunk, &w, stop);
    }
    for (int i = 0; search && i < workers; i++) nd_search_free(search[i]);
    free(search);
    return status;
}
