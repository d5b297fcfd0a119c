#include "search/nply.h"

#include <limits.h>
#include <stdlib.h>

#include "search/internal.h"

/* ---- evaluation ----------------------------------------------------------------------------- */

/* `side` is on roll. */
static nd_status value_of(const nd_tree *t, const nd_board *board, int plies, int side, float *out)
{
    nd_search *const s = t->s;
    const nd_rules *const rules = t->ev->rules;
    const size_t classes = (size_t)rules->outcomes;
    const nd_phase phase = rules->phase(board);
    if (plies == 0 || phase == ND_PHASE_OVER || (phase == ND_PHASE_BEAROFF && t->ev->bearoff))
        return nd_static(t->ev, s, NULL, board, 1, false, out);
    if (nd_stop_raised(s->stop)) return ND_CANCELLED;
    const nd_worth *const known = s->cache && t->tag[side][plies]
                                      ? nd_cache_find(s->cache, board, t->tag[side][plies])
                                      : NULL;
    if (known) {
        memcpy(out, known->probability, classes * sizeof *out);
        return ND_OK;
    }

    const float *const points = t->points[side];
    nd_status status = nd_judge_replies(t->ev, s, board, nd_roll_dice, ND_ROLLS,
                                        t->plan->tree_select[plies - 1], points);
    if (status != ND_OK) return status;
    float best[ND_ROLLS][ND_MAX_OUTCOMES]; /* seen by the other side */
    if (plies == 1) {
        for (int roll = 0; roll < ND_ROLLS; roll++)
            memcpy(best[roll], s->value + nd_best_reply(s, roll) * classes, classes * sizeof *out);
    } else {
        /* What is below uses the arrays again, so this level's positions move out first. */
        const nd_filter f = t->plan->tree_promote[plies - 1];
        nd_frame *const frame = &s->frame[plies];
        size_t end[ND_ROLLS], n = 0;
        for (int roll = 0; roll < ND_ROLLS; roll++) {
            status = nd_frame_reserve(frame, n + nd_replies_count(&s->replies, roll));
            if (status != ND_OK) return status;
            const size_t count = nd_promising(s, roll, f);
            for (size_t k = 0; k < count; k++) frame->board[n++] = s->board[s->candidate[k].index];
            end[roll] = n;
        }
        size_t i = 0;
        for (int roll = 0; roll < ND_ROLLS; roll++) {
            float top = 0;
            for (const size_t first = i; i < end[roll]; i++) {
                float p[ND_MAX_OUTCOMES];
                status = value_of(t, &frame->board[i], plies - 1, 1 - side, p);
                if (status != ND_OK) return status;
                const float equity = nd_worth_flipped(points, rules->outcomes, p);
                if (i > first && equity <= top) continue;
                top = equity;
                memcpy(best[roll], p, classes * sizeof *p);
            }
        }
    }
    double sum[ND_MAX_OUTCOMES] = {0};
    for (int roll = 0; roll < ND_ROLLS; roll++) {
        float seen[ND_MAX_OUTCOMES];
        nd_flip(rules->outcomes, best[roll], seen);
        for (size_t c = 0; c < classes; c++) sum[c] += nd_roll_weight(roll) * (double)seen[c];
    }
    for (size_t c = 0; c < classes; c++) out[c] = (float)(sum[c] / 36.0);
    if (s->cache && t->tag[side][plies]) {
        nd_worth worth = {0};
        memcpy(worth.probability, out, classes * sizeof *out);
        nd_cache_store(s->cache, board, t->tag[side][plies], &worth);
    }
    return ND_OK;
}

nd_status nd_evaluate_nply(const nd_evaluator *ev, const nd_plan *plan, nd_search *s,
                           const nd_board *board, int plies, float out[ND_MAX_OUTCOMES])
{
    nd_tree t;
    const nd_status status = nd_tree_begin(&t, ev, plan, s, plies, NULL);
    return status == ND_OK ? value_of(&t, board, plies, 0, out) : status;
}

/* ---- choice --------------------------------------------------------------------------------- */

static int deepest_first(const void *a, const void *b)
{
    const nd_choice *x = a, *y = b;
    if (x->level != y->level) return x->level > y->level ? -1 : 1;
    if (x->equity != y->equity) return x->equity > y->equity ? -1 : 1;
    if (x->cubeless != y->cubeless) return x->cubeless > y->cubeless ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Evaluate the candidate at a deeper level. */
static nd_status deepen(const nd_tree *t, nd_choice *c, int level)
{
    const nd_board after = nd_swap(&c->board);
    const int outcomes = t->ev->rules->outcomes;
    nd_worth found;
    const nd_status status = t->set ? nd_cubeful_ahead(t, &after, level, &found)
                                    : value_of(t, &after, level, 1, found.probability);
    if (status != ND_OK) return status;
    nd_flip(outcomes, found.probability, c->probability);
    c->cubeless = nd_worth_flipped(t->settled, outcomes, found.probability);
    c->equity = t->set ? (float)found.value : c->cubeless;
    c->level = level;
    return ND_OK;
}

/* Of c[from..n) the one with the highest equity, the first of equals. */
static size_t highest(const nd_choice *c, size_t from, size_t n)
{
    size_t top = from;
    for (size_t i = from + 1; i < n; i++)
        if (c[i].equity > c[top].equity) top = i;
    return top;
}

/* The first `*lead` candidates are at `level`. Take there whoever was left behind but is ahead of
 * them all, and sort. */
static nd_status catch_up(const nd_tree *t, nd_choice *c, size_t n, int level, size_t *lead)
{
    float best = c[highest(c, 0, *lead)].equity;
    while (*lead < n) {
        const size_t i = highest(c, *lead, n);
        if (c[i].equity <= best) break;
        const nd_status status = deepen(t, &c[i], level);
        if (status != ND_OK) return status;
        if (c[i].equity > best) best = c[i].equity;
        const nd_choice left = c[*lead];
        c[(*lead)++] = c[i];
        c[i] = left;
    }
    qsort(c, n, sizeof *c, deepest_first);
    return ND_OK;
}

/* Take those of the first `*lead` candidates that pass the filter, and `least` at any rate, one
 * level deeper. */
static nd_status promote(const nd_tree *t, nd_choice *c, size_t n, nd_filter f, size_t least,
                         int level, size_t *lead)
{
    const float best = c[0].equity;
    size_t deep = 0;
    for (; deep < *lead; deep++) {
        if (deep >= least && !nd_filter_passes(f, deep, c[deep].equity, best)) break;
        const nd_status status = deepen(t, &c[deep], level);
        if (status != ND_OK) return status;
    }
    *lead = deep;
    return catch_up(t, c, n, level, lead);
}

nd_status nd_choose_nply(const nd_evaluator *ev, const nd_plan *plan, nd_search *s,
                         const nd_board *board, int d1, int d2, int plies, int least,
                         const nd_cube_setting *set, const nd_choice **choices, int *count)
{
    nd_tree t;
    if (least < 0) return ND_BAD_ARGUMENT;
    nd_status status = nd_tree_begin(&t, ev, plan, s, plies, set);
    if (status != ND_OK) return status;
    const nd_phase phase = ev->rules->phase(board);
    const uint8_t dice[1][2] = {{(uint8_t)d1, (uint8_t)d2}};
    status = nd_judge_replies(ev, s, board, dice, 1, plan->select[phase], t.points[0]);
    if (status != ND_OK) return status;

    const size_t n = (size_t)s->results.count, classes = (size_t)ev->rules->outcomes;
    if (n > s->choice_capacity) {
        if (!nd_grow(&s->choice, n + 64, sizeof *s->choice)) return ND_NO_MEMORY;
        s->choice_capacity = n + 64;
    }
    nd_choice *const c = s->choice;
    for (size_t i = 0; i < n; i++) {
        c[i] = (nd_choice){
            .board = s->results.board[i],
            .play = s->results.play[i],
            .level = s->replies.selected ? ND_LEVEL_SMALL : 0,
            .equity = s->equity[i],
            .cubeless = nd_worth_flipped(t.settled, ev->rules->outcomes, s->value + i * classes),
            .index = (int)i};
        nd_flip(ev->rules->outcomes, s->value + i * classes, c[i].probability);
        if (set) c[i].equity = (float)nd_cubeful_static(&t, &s->board[i], s->value + i * classes);
    }
    size_t lead = nd_replies_count(&s->replies, 0);
    for (size_t k = 0; k < lead; k++) c[nd_reply_at(&s->replies, 0, k)].level = 0;
    qsort(c, n, sizeof *c, deepest_first);
    for (; lead < n && lead < (size_t)least; lead++)
        if ((status = deepen(&t, &c[lead], 0)) != ND_OK) return status;
    status = catch_up(&t, c, n, 0, &lead);
    for (int k = 0; k < plies && status == ND_OK; k++)
        status = promote(&t, c, n, plan->promote[k][phase], (size_t)least, k + 1, &lead);
    *choices = c;
    *count = (int)n;
    return status;
}

nd_status nd_judge_nply(const nd_evaluator *ev, const nd_plan *plan, nd_search *s,
                        const nd_board *board, int plies, const nd_cube_setting *set,
                        float probability[ND_MAX_OUTCOMES], float *equity)
{
    nd_tree t;
    nd_choice c = {.board = nd_swap(board)};
    nd_status status = nd_tree_begin(&t, ev, plan, s, plies, set);
    if (status == ND_OK) status = deepen(&t, &c, plies);
    memcpy(probability, c.probability, sizeof c.probability);
    *equity = c.equity;
    return status;
}

/* ---- many positions ------------------------------------------------------------------------- */

typedef struct many {
    const nd_evaluator *ev;
    const nd_plan *plan;
    const nd_board *boards;
    const uint8_t (*dice)[2];
    const nd_cube_setting *sets;
    size_t n, step; /* positions in all, and in a chunk */
    int plies, top, least;
    nd_search **search;
    float *out;
    nd_choice *choices;
    int *counts;
} many;

static nd_status evaluate_chunk(void *context, int chunk, int worker)
{
    const many *const m = context;
    const size_t classes = (size_t)m->ev->rules->outcomes, first = (size_t)chunk * m->step;
    const size_t last = first + m->step < m->n ? first + m->step : m->n;
    if (m->plies == 0)
        return nd_static(m->ev, m->search[worker], NULL, m->boards + first, last - first, false,
                         m->out + first * classes);
    for (size_t i = first; i < last; i++) {
        float p[ND_MAX_OUTCOMES];
        const nd_status status =
            nd_evaluate_nply(m->ev, m->plan, m->search[worker], &m->boards[i], m->plies, p);
        if (status != ND_OK) return status;
        memcpy(m->out + i * classes, p, classes * sizeof *p);
    }
    return ND_OK;
}

static nd_status choose_chunk(void *context, int chunk, int worker)
{
    const many *const m = context;
    const size_t first = (size_t)chunk * m->step, top = (size_t)m->top;
    const size_t last = first + m->step < m->n ? first + m->step : m->n;
    for (size_t i = first; i < last; i++) {
        const nd_choice *c;
        const nd_status status = nd_choose_nply(m->ev, m->plan, m->search[worker], &m->boards[i],
                                                m->dice[i][0], m->dice[i][1], m->plies, m->least,
                                                m->sets ? &m->sets[i] : NULL, &c, &m->counts[i]);
        if (status != ND_OK) return status;
        const size_t count = (size_t)m->counts[i];
        memcpy(m->choices + i * top, c, (count < top ? count : top) * sizeof *c);
    }
    return ND_OK;
}

static nd_status run(many *m, nd_chunk *fn, int threads, const nd_stop *stop)
{
    const size_t chunks = (m->n + m->step - 1) / m->step;
    if (chunks > INT_MAX / 2) return ND_BAD_ARGUMENT;
    const int workers = nd_workers(threads, (int)chunks);
    m->search = calloc((size_t)workers, sizeof(nd_search *));
    nd_status status = m->search ? ND_OK : ND_NO_MEMORY;
    for (int i = 0; i < workers && status == ND_OK; i++)
        if ((status = nd_search_new(&m->search[i])) == ND_OK) nd_search_stop_by(m->search[i], stop);
    if (status == ND_OK) status = nd_parallel(threads, (int)chunks, fn, m, stop);
    for (int i = 0; m->search && i < workers; i++) nd_search_free(m->search[i]);
    free(m->search);
    return status;
}

nd_status nd_evaluate_many(const nd_evaluator *ev, const nd_plan *plan, const nd_board *boards,
                           size_t n, int plies, int threads, const nd_stop *stop, float *out)
{
    const size_t step = plies == 0 ? 256 : plies == 1 ? 8 : 1;
    many m = {
        .ev = ev, .plan = plan, .boards = boards, .n = n, .step = step, .plies = plies, .out = out};
    return run(&m, evaluate_chunk, threads, stop);
}

nd_status nd_choose_many(const nd_evaluator *ev, const nd_plan *plan, const nd_board *boards,
                         const uint8_t (*dice)[2], const nd_cube_setting *sets, size_t n, int plies,
                         int top, int least, int threads, const nd_stop *stop, nd_choice *out,
                         int *counts)
{
    if (top < 0) return ND_BAD_ARGUMENT;
    const size_t step = plies == 0 ? 16 : plies == 1 ? 4 : 1;
    many m = {.ev = ev,
              .plan = plan,
              .boards = boards,
              .dice = dice,
              .sets = sets,
              .n = n,
              .step = step,
              .plies = plies,
              .top = top,
              .least = least,
              .choices = out,
              .counts = counts};
    return run(&m, choose_chunk, threads, stop);
}
