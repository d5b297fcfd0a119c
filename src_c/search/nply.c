#include "search/nply.h"

#include <limits.h>
#include <stdlib.h>

#include "base/hash.h"
#include "search/internal.h"

/* What stays the same in one search. Sides: 0 = on roll where it began, 1 = the other. */
typedef struct tree {
    const nd_evaluator *ev;
    const nd_plan *plan;
    nd_search *s;
    float points[2][ND_MAX_OUTCOMES];  /* worth of the classes to each side when on roll */
    uint64_t tag[2][ND_MAX_PLIES + 1]; /* of cached values: side on roll, plies */
} tree;

static uint64_t hash_net(const nd_net *net, uint64_t seed)
{
    const uint64_t hash = net ? nd_net_get_info(net)->hash : 0;
    return nd_hash(&hash, sizeof hash, seed);
}

/* All that a value in the tree depends on, but for the board: rules, nets, tables, options, worth
 * of the classes, plies and the filters below. The kernel set is left out on purpose. */
static void make_tags(tree *t)
{
    const nd_evaluator *const ev = t->ev;
    const uint32_t rules[3] = {ev->rules->id, ev->rules->version, ev->bearoff != NULL};
    uint64_t h = nd_hash(rules, sizeof rules, 0);
    h = nd_hash(&ev->options, sizeof ev->options, h);
    for (int phase = 0; phase < ND_PHASES; phase++)
        h = hash_net(ev->small[phase], hash_net(ev->net[phase], h));
    for (int side = 0; side < 2; side++) {
        uint64_t tag = nd_hash(t->points[side], sizeof t->points[side], h);
        for (int n = 1; n <= ND_MAX_PLIES; n++) {
            tag = nd_hash(&t->plan->tree_select[n - 1], sizeof(nd_filter), tag);
            if (n > 1) tag = nd_hash(&t->plan->tree_promote[n - 1], sizeof(nd_filter), tag);
            t->tag[side][n] = tag ? tag : 1;
        }
    }
}

/* Checks the arguments and makes the cache. */
static nd_status begin(tree *t, const nd_evaluator *ev, const nd_plan *plan, nd_search *s,
                       int plies)
{
    if (plies < 0 || plies > ND_MAX_PLIES) return ND_BAD_ARGUMENT;
    const nd_status status = nd_plan_check(plan);
    if (status != ND_OK) return status;
    *t = (tree){.ev = ev, .plan = plan, .s = s};
    memcpy(t->points[0], ev->points, sizeof t->points[0]);
    nd_flip(ev->rules->outcomes, ev->points, t->points[1]);
    for (int c = 0; c < ev->rules->outcomes; c++) t->points[1][c] = -t->points[1][c];
    if (plies < 2) return ND_OK;
    make_tags(t);
    const size_t entries = (size_t)plan->cache;
    if (s->cache && (entries == 0 || nd_cache_entries(s->cache) < entries)) {
        nd_cache_free(s->cache);
        s->cache = NULL;
    }
    if (entries && !s->cache && !(s->cache = nd_cache_new(entries))) return ND_NO_MEMORY;
    return ND_OK;
}

/* ---- evaluation ----------------------------------------------------------------------------- */

static int by_equity(const void *a, const void *b)
{
    const nd_candidate *x = a, *y = b;
    if (x->equity != y->equity) return x->equity > y->equity ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Copies the replies to a roll that are worth searching to `out` and returns how many. */
static size_t promising(const nd_search *s, int roll, nd_filter f, nd_board *out)
{
    if (f.keep == 1) {
        out[0] = s->board[nd_best_reply(s, roll)];
        return 1;
    }
    const size_t n = nd_replies_count(&s->replies, roll);
    nd_candidate *const order = s->candidate;
    for (size_t k = 0; k < n; k++) {
        const size_t i = nd_reply_at(&s->replies, roll, k);
        order[k].index = (int)i;
        order[k].equity = s->equity[i];
    }
    qsort(order, n, sizeof *order, by_equity);
    size_t pass = 0;
    for (; pass < n && nd_filter_passes(f, pass, order[pass].equity, order[0].equity); pass++)
        out[pass] = s->board[order[pass].index];
    return pass;
}

static nd_status reserve_frame(nd_frame *f, size_t n)
{
    if (n <= f->capacity) return ND_OK;
    if (!nd_grow(&f->board, n, sizeof *f->board)) return ND_NO_MEMORY;
    f->capacity = n;
    return ND_OK;
}

/* `side` is on roll. */
static nd_status value_of(const tree *t, const nd_board *board, int plies, int side, float *out)
{
    nd_search *const s = t->s;
    const nd_rules *const rules = t->ev->rules;
    const size_t classes = (size_t)rules->outcomes;
    const nd_phase phase = rules->phase(board);
    if (plies == 0 || phase == ND_PHASE_OVER || (phase == ND_PHASE_BEAROFF && t->ev->bearoff))
        return nd_static(t->ev, s, NULL, board, 1, false, out);
    if (nd_stop_raised(s->stop)) return ND_CANCELLED;
    const float *const known = s->cache && t->tag[side][plies]
                                   ? nd_cache_find(s->cache, board, t->tag[side][plies])
                                   : NULL;
    if (known) {
        memcpy(out, known, classes * sizeof *out);
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
            status = reserve_frame(frame, n + nd_replies_count(&s->replies, roll));
            if (status != ND_OK) return status;
            n += promising(s, roll, f, frame->board + n);
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
        float stored[ND_MAX_OUTCOMES] = {0};
        memcpy(stored, out, classes * sizeof *out);
        nd_cache_store(s->cache, board, t->tag[side][plies], stored);
    }
    return ND_OK;
}

nd_status nd_evaluate_nply(const nd_evaluator *ev, const nd_plan *plan, nd_search *s,
                           const nd_board *board, int plies, float out[ND_MAX_OUTCOMES])
{
    tree t;
    const nd_status status = begin(&t, ev, plan, s, plies);
    return status == ND_OK ? value_of(&t, board, plies, 0, out) : status;
}

/* ---- choice --------------------------------------------------------------------------------- */

static int deepest_first(const void *a, const void *b)
{
    const nd_choice *x = a, *y = b;
    if (x->level != y->level) return x->level > y->level ? -1 : 1;
    if (x->equity != y->equity) return x->equity > y->equity ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Evaluate the candidate at a deeper level. */
static nd_status deepen(const tree *t, nd_choice *c, int level)
{
    const nd_board after = nd_swap(&c->board);
    float p[ND_MAX_OUTCOMES];
    const nd_status status = value_of(t, &after, level, 1, p);
    if (status != ND_OK) return status;
    const int outcomes = t->ev->rules->outcomes;
    nd_flip(outcomes, p, c->probability);
    c->equity = nd_worth_flipped(t->points[0], outcomes, p);
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
static nd_status catch_up(const tree *t, nd_choice *c, size_t n, int level, size_t *lead)
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
static nd_status promote(const tree *t, nd_choice *c, size_t n, nd_filter f, size_t least,
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
                         const nd_choice **choices, int *count)
{
    tree t;
    if (least < 0) return ND_BAD_ARGUMENT;
    nd_status status = begin(&t, ev, plan, s, plies);
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
        c[i] = (nd_choice){.board = s->results.board[i],
                           .play = s->results.play[i],
                           .level = s->replies.selected ? ND_LEVEL_SMALL : 0,
                           .equity = s->equity[i],
                           .index = (int)i};
        nd_flip(ev->rules->outcomes, s->value + i * classes, c[i].probability);
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

/* ---- many positions ------------------------------------------------------------------------- */

typedef struct many {
    const nd_evaluator *ev;
    const nd_plan *plan;
    const nd_board *boards;
    const uint8_t (*dice)[2];
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
        const nd_status status =
            nd_choose_nply(m->ev, m->plan, m->search[worker], &m->boards[i], m->dice[i][0],
                           m->dice[i][1], m->plies, m->least, &c, &m->counts[i]);
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
                         const uint8_t (*dice)[2], size_t n, int plies, int top, int least,
                         int threads, const nd_stop *stop, nd_choice *out, int *counts)
{
    if (top < 0) return ND_BAD_ARGUMENT;
    const size_t step = plies == 0 ? 16 : plies == 1 ? 4 : 1;
    many m = {.ev = ev,
              .plan = plan,
              .boards = boards,
              .dice = dice,
              .n = n,
              .step = step,
              .plies = plies,
              .top = top,
              .least = least,
              .choices = out,
              .counts = counts};
    return run(&m, choose_chunk, threads, stop);
}
