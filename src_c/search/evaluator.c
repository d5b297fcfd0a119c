#include "search/evaluator.h"

#include <stdlib.h>

#include "search/internal.h"
#include "search/sieve.h"

const uint8_t nd_roll_dice[ND_ROLLS][2] = {
    {1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6}, {2, 2}, {2, 3}, {2, 4}, {2, 5}, {2, 6},
    {3, 3}, {3, 4}, {3, 5}, {3, 6}, {4, 4}, {4, 5}, {4, 6}, {5, 5}, {5, 6}, {6, 6},
};

nd_status nd_search_new(nd_search **out)
{
    nd_search *s = calloc(1, sizeof *s);
    if (!s || nd_scratch_new(&s->nets) != ND_OK) {
        free(s);
        return ND_NO_MEMORY;
    }
    *out = s;
    return ND_OK;
}

void nd_search_stop_by(nd_search *s, const nd_stop *stop) { s->stop = stop; }

void nd_search_free(nd_search *s)
{
    if (!s) return;
    nd_scratch_free(s->nets);
    free(s->last);
    free(s->board);
    free(s->value);
    free(s->equity);
    free(s->candidate);
    free(s->once);
    free(s->twin);
    free(s->place);
    free(s->table);
    free(s->order);
    free(s->group);
    free(s->group_out);
    free(s->choice);
    for (int i = 0; i <= ND_MAX_PLIES; i++) free(s->frame[i].board);
    nd_cache_free(s->cache);
    free(s);
}

bool nd_grow(void *array, size_t n, size_t size)
{
    void *p;
    memcpy(&p, array, sizeof p);
    p = realloc(p, n * size);
    if (!p) return false;
    memcpy(array, &p, sizeof p);
    return true;
}

static nd_status reserve(nd_search *s, size_t n)
{
    if (n <= s->capacity) return ND_OK;
    n += n / 2 + 256;
    if (!nd_grow(&s->board, n, sizeof *s->board) ||
        !nd_grow(&s->value, n, sizeof *s->value * ND_MAX_OUTCOMES) ||
        !nd_grow(&s->equity, n, sizeof *s->equity) ||
        !nd_grow(&s->candidate, n, sizeof *s->candidate) ||
        !nd_grow(&s->once, n, sizeof *s->once) || !nd_grow(&s->twin, n, sizeof *s->twin) ||
        !nd_grow(&s->place, n, sizeof *s->place))
        return ND_NO_MEMORY;
    s->capacity = n;
    return ND_OK;
}

static nd_status reserve_group(nd_search *s, size_t n)
{
    if (n <= s->group_capacity) return ND_OK;
    n += n / 2 + 256;
    if (!nd_grow(&s->order, n, sizeof *s->order) || !nd_grow(&s->group, n, sizeof *s->group) ||
        !nd_grow(&s->group_out, n, sizeof *s->group_out * ND_MAX_OUTCOMES))
        return ND_NO_MEMORY;
    s->group_capacity = n;
    return ND_OK;
}

float nd_equity(const nd_evaluator *ev, const float *p)
{
    float sum = 0;
    for (int c = 0; c < ev->rules->outcomes; c++) sum += ev->points[c] * p[c];
    return sum;
}

float nd_worth_flipped(const float *points, int outcomes, const float *other_sides)
{
    const int half = outcomes / 2;
    float sum = 0;
    for (int c = 0; c < half; c++) sum += points[c] * other_sides[c + half];
    for (int c = half; c < outcomes; c++) sum += points[c] * other_sides[c - half];
    return sum;
}

void nd_flip(int outcomes, const float *in, float *out)
{
    const int half = outcomes / 2;
    for (int c = 0; c < half; c++) {
        const float win = in[c];
        out[c] = in[c + half];
        out[c + half] = win;
    }
}

/* Both sides are in their homes, so a win is a single one or the shutout. */
static void bearoff(const nd_evaluator *ev, const nd_board *b, float *p)
{
    const uint32_t own = nd_bearoff_index(b->own), opp = nd_bearoff_index(b->opp);
    double six[6];
    if (nd_is_owed(b->own) || nd_is_owed(b->opp))
        nd_bearoff_one_equalised(ev->bearoff, own, opp, nd_is_owed(b->opp), six);
    else
        nd_bearoff_one_outcomes(ev->bearoff, own, opp, six);
    const int half = ev->rules->outcomes / 2, shutout = ev->rules->shutout;
    memset(p, 0, (size_t)ev->rules->outcomes * sizeof *p);
    p[0] = (float)six[0];
    p[shutout] = (float)six[1];
    p[half] = (float)six[3];
    p[half + shutout] = (float)six[4];
}

/* Is the loss of class a less than that of class b? To whom ev->points are worth so much does not
 * matter: both sides agree about which is worse. */
static bool loses_less(const nd_evaluator *ev, int a, int b)
{
    const int half = ev->rules->outcomes / 2;
    const float x = ev->points[a] - ev->points[half + a], y = ev->points[b] - ev->points[half + b];
    return x < y || (x == y && a < b);
}

/* The other side is done and `own` has one more roll: the mean over all, each played to lose least. */
static nd_status last_roll(const nd_evaluator *ev, nd_search *s, const nd_board *b, float *p)
{
    if (!s->last && !(s->last = malloc(sizeof *s->last))) return ND_NO_MEMORY;
    const int half = ev->rules->outcomes / 2;
    int count[ND_MAX_OUTCOMES] = {0};
    for (int roll = 0; roll < ND_ROLLS; roll++) {
        ev->rules->generate(b, nd_roll_dice[roll][0], nd_roll_dice[roll][1], &ev->options, s->last);
        int least = -1; /* class of loss */
        bool drawn = false;
        for (int i = 0; i < s->last->count && !drawn; i++) {
            const nd_board after = nd_swap(&s->last->board[i]);
            drawn = nd_is_drawn(&after);
            if (drawn) continue;
            const int c = ev->rules->outcome(&after); /* a win of the other side */
            if (least < 0 || loses_less(ev, c, least)) least = c;
        }
        if (!drawn) count[half + least] += nd_roll_weight(roll);
    }
    for (int c = 0; c < ev->rules->outcomes; c++) p[c] = (float)count[c] / 36.0f;
    return ND_OK;
}

/* A finished game, but for a last roll. */
static nd_status finished(const nd_evaluator *ev, nd_search *s, const nd_board *b, float *p)
{
    memset(p, 0, (size_t)ev->rules->outcomes * sizeof *p);
    if (nd_is_drawn(b)) return ND_OK;
    if (nd_last_roll_due(b)) return last_roll(ev, s, b, p);
    p[ev->rules->outcome(b)] = 1;
    return ND_OK;
}

static void evaluate(const nd_evaluator *ev, nd_search *s, const nd_net *net, const nd_board *near,
                     const nd_board *boards, size_t n, float *out)
{
    if (near)
        nd_net_evaluate_near(net, ev->kernels, s->nets, near, boards, n, out);
    else
        nd_net_evaluate(net, ev->kernels, s->nets, boards, n, out);
}

nd_status nd_static(const nd_evaluator *ev, nd_search *s, const nd_board *near,
                    const nd_board *boards, size_t n, bool cheap, float *out)
{
    const nd_rules *const rules = ev->rules;
    const size_t classes = (size_t)rules->outcomes;
    if (reserve_group(s, n) != ND_OK) return ND_NO_MEMORY;
    /* Positions that need a net: contact from the front of `order`, races from its back. */
    size_t contacts = 0, races = 0;
    for (size_t i = 0; i < n; i++) {
        float *const p = out + i * classes;
        const nd_phase phase = rules->phase(&boards[i]);
        if (phase == ND_PHASE_OVER) {
            if (finished(ev, s, &boards[i], p) != ND_OK) return ND_NO_MEMORY;
        } else if (phase == ND_PHASE_BEAROFF && ev->bearoff) {
            bearoff(ev, &boards[i], p);
        } else if (phase == ND_PHASE_RACE && ev->race &&
                   nd_long_race_outcomes(ev->race, &boards[i], p)) {
            continue;
        } else if (phase == ND_PHASE_CONTACT) {
            s->order[contacts++] = (uint32_t)i;
        } else {
            s->order[n - ++races] = (uint32_t)i;
        }
    }
    for (int phase = ND_PHASE_RACE; phase <= ND_PHASE_CONTACT; phase++) {
        const bool race = phase == ND_PHASE_RACE;
        const size_t count = race ? races : contacts;
        const uint32_t *const order = race ? s->order + n - races : s->order;
        const nd_net *net = cheap ? ev->small[phase] : NULL;
        if (!net) net = ev->net[phase];
        if (count == 0) continue;
        if (contacts == n) { /* the usual case needs no gathering */
            evaluate(ev, s, net, near, boards, n, out);
            continue;
        }
        for (size_t k = 0; k < count; k++) s->group[k] = boards[order[k]];
        evaluate(ev, s, net, near, s->group, count, s->group_out);
        for (size_t k = 0; k < count; k++)
            memcpy(out + order[k] * classes, s->group_out + k * classes, classes * sizeof *out);
    }
    return ND_OK;
}

/* ---- replies ---------------------------------------------------------------------------------
 * With preselection all results get the cheap judgement first, and the chosen ones are judged again
 * by the playing nets, in place. Unlike rolls lead to equal results (a tenth of them, when one
 * checker plays both dice): those are judged once. */

static void worth(nd_search *s, int classes, size_t first, size_t n, const float *points)
{
    const float *const value = s->value + first * (size_t)classes;
    for (size_t i = 0; i < n; i++)
        s->equity[first + i] = nd_worth_flipped(points, classes, value + i * (size_t)classes);
}

/* Evaluate s->board[first..first+n) into value and equity. */
static nd_status judge(const nd_evaluator *ev, nd_search *s, const nd_board *near, size_t first,
                       size_t n, bool cheap, const float *points)
{
    const size_t classes = (size_t)ev->rules->outcomes;
    const nd_status status =
        nd_static(ev, s, near, s->board + first, n, cheap, s->value + first * classes);
    if (status == ND_OK) worth(s, (int)classes, first, n, points);
    return status;
}

/* An empty table of equal replies, large enough for n of them and no larger: clearing it costs, too. */
static nd_status clear_table(nd_search *s, size_t n)
{
    size_t size = 256;
    while (size < 2 * n) size *= 2;
    if (s->table_room < size) {
        if (!nd_grow(&s->table, size, sizeof *s->table)) return ND_NO_MEMORY;
        s->table_room = size;
    }
    s->table_size = size;
    memset(s->table, 0, size * sizeof *s->table);
    return ND_OK;
}

/* Which of the n replies s->board[0..n) are equal: fills `twin` and `once`, returns how many unlike
 * ones there are. */
static size_t find_equal(nd_search *s, size_t n)
{
    const size_t mask = s->table_size - 1;
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        const nd_board *const b = &s->board[i];
        size_t at = (size_t)nd_board_hash(b) & mask;
        while (s->table[at] && !nd_equal(&s->once[s->table[at] - 1], b)) at = (at + 1) & mask;
        if (!s->table[at]) {
            s->once[m++] = *b;
            s->table[at] = (uint32_t)m;
        }
        s->twin[i] = s->table[at] - 1;
    }
    return m;
}

/* Evaluate all n replies to several rolls in s->board. */
static nd_status judge_once(const nd_evaluator *ev, nd_search *s, const nd_board *near, size_t n,
                            bool cheap, const float *points)
{
    const size_t classes = (size_t)ev->rules->outcomes;
    nd_status status = clear_table(s, n);
    if (status != ND_OK) return status;
    const size_t m = find_equal(s, n);
    if ((status = nd_static(ev, s, near, s->once, m, cheap, s->value)) != ND_OK) return status;
    /* From the last to the first, since a reply comes no earlier than the one it equals. */
    for (size_t i = n; m < n && i-- > 0;)
        memmove(s->value + i * classes, s->value + s->twin[i] * classes,
                classes * sizeof *s->value);
    worth(s, (int)classes, 0, n, points);
    return ND_OK;
}

/* The best of entries first..last-1: at most `keep`, within the limit of the top, best first and
 * ties by index. Returns how many went to `chosen`. */
static size_t preselect(nd_filter f, const float *equity, size_t first, size_t last,
                        uint32_t *chosen)
{
    const size_t keep = (size_t)(f.keep < ND_MAX_KEEP ? f.keep : ND_MAX_KEEP);
    size_t n = 0;
    for (size_t i = first; i < last; i++) {
        if (n == keep && equity[i] <= equity[chosen[n - 1]]) continue;
        size_t at = n < keep ? n++ : n - 1;
        for (; at > 0 && equity[chosen[at - 1]] < equity[i]; at--) chosen[at] = chosen[at - 1];
        chosen[at] = (uint32_t)i;
    }
    while (n > 1 && equity[chosen[n - 1]] < equity[chosen[0]] - f.within) n--;
    return n;
}

/* Judge the chosen among the first n entries by the playing nets; there is room for `count` more
 * entries behind them. `equal`: judge_once has looked which are. */
static nd_status judge_chosen(const nd_evaluator *ev, nd_search *s, const nd_board *near, size_t n,
                              const uint32_t *chosen, size_t count, bool equal, const float *points)
{
    const size_t classes = (size_t)ev->rules->outcomes;
    size_t m = 0;
    for (size_t k = 0; equal && k < count; k++) s->place[s->twin[chosen[k]]] = 0;
    for (size_t k = 0; k < count; k++) {
        if (equal && s->place[s->twin[chosen[k]]]) continue;
        s->board[n + m++] = s->board[chosen[k]];
        if (equal) s->place[s->twin[chosen[k]]] = (uint32_t)m;
    }
    const nd_status status = judge(ev, s, near, n, m, false, points);
    if (status != ND_OK) return status;
    for (size_t k = 0; k < count; k++) {
        const size_t from = n + (equal ? s->place[s->twin[chosen[k]]] - 1 : k);
        memcpy(s->value + chosen[k] * classes, s->value + from * classes,
               classes * sizeof *s->value);
        s->equity[chosen[k]] = s->equity[from];
    }
    return ND_OK;
}

/* Generate the replies to some rolls, judge them cheaply and select those worth more. */
static nd_status select_replies(const nd_evaluator *ev, nd_search *s, const nd_board *board,
                                const uint8_t (*dice)[2], int rolls, nd_filter select,
                                const float *points)
{
    nd_replies *const r = &s->replies;
    const nd_board near = nd_swap(board);
    const nd_phase phase = ev->rules->phase(board);
    const nd_sieve *const sieve = rolls > 1 ? ev->sieve[phase] : NULL;
    const size_t sift = (size_t)ev->sift[phase];
    size_t n = 0;
    nd_status status;
    for (int roll = 0; roll < rolls; roll++) {
        nd_results *const results = &s->results;
        ev->rules->generate(board, dice[roll][0], dice[roll][1], &ev->options, results);
        const size_t count = (size_t)results->count;
        if ((status = reserve(s, n + count + (size_t)rolls * ND_MAX_KEEP)) != ND_OK) return status;
        r->begin[roll] = n;
        if (sieve && count > sift) {
            uint32_t best[ND_MAX_KEEP];
            const size_t kept = nd_sieve_sift(sieve, board, results, sift, best);
            for (size_t i = 0; i < kept; i++) s->board[n++] = nd_swap(&results->board[best[i]]);
        } else {
            for (size_t i = 0; i < count; i++) s->board[n++] = nd_swap(&results->board[i]);
        }
    }
    r->begin[rolls] = n;
    r->selected = select.keep > 0 && n > (size_t)rolls && ev->small[phase];
    status = rolls > 1 ? judge_once(ev, s, &near, n, r->selected, points)
                       : judge(ev, s, &near, 0, n, r->selected, points);
    if (status != ND_OK || !r->selected) return status;
    r->kept[0] = 0;
    for (int roll = 0; roll < rolls; roll++)
        r->kept[roll + 1] =
            r->kept[roll] + preselect(select, s->equity, r->begin[roll], r->begin[roll + 1],
                                      r->chosen + r->kept[roll]);
    return ND_OK;
}

/* Judge what select_replies selected. Few boards are nearer to one another than to their base. */
static nd_status judge_selected(const nd_evaluator *ev, nd_search *s, const nd_board *board,
                                int rolls, const float *points)
{
    nd_replies *const r = &s->replies;
    const nd_board near = nd_swap(board);
    return judge_chosen(ev, s, rolls > 1 ? &near : NULL, r->begin[rolls], r->chosen, r->kept[rolls],
                        rolls > 1, points);
}

nd_status nd_judge_replies(const nd_evaluator *ev, nd_search *s, const nd_board *board,
                           const uint8_t (*dice)[2], int rolls, nd_filter select,
                           const float *points)
{
    const nd_status status = select_replies(ev, s, board, dice, rolls, select, points);
    if (status != ND_OK || !s->replies.selected) return status;
    return judge_selected(ev, s, board, rolls, points);
}

static nd_status judge_all(const nd_evaluator *ev, nd_search *s, const nd_board *board, int d1,
                           int d2)
{
    const uint8_t dice[1][2] = {{(uint8_t)d1, (uint8_t)d2}};
    return nd_judge_replies(ev, s, board, dice, 1, (nd_filter){ev->keep, ev->within}, ev->points);
}

static int better_first(const void *a, const void *b)
{
    const nd_candidate *x = a, *y = b;
    if (x->full != y->full) return x->full ? -1 : 1;
    if (x->equity != y->equity) return x->equity > y->equity ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

nd_status nd_choose(const nd_evaluator *ev, nd_search *s, const nd_board *board, int d1, int d2,
                    const nd_results **results, const nd_candidate **candidates, int *count)
{
    const nd_status status = judge_all(ev, s, board, d1, d2);
    if (status != ND_OK) return status;
    const size_t n = (size_t)s->results.count, classes = (size_t)ev->rules->outcomes;
    for (size_t i = 0; i < n; i++) {
        nd_candidate *const c = &s->candidate[i];
        *c = (nd_candidate){.index = (int)i, .full = !s->replies.selected, .equity = s->equity[i]};
        nd_flip(ev->rules->outcomes, s->value + i * classes, c->probability);
    }
    for (size_t k = 0; k < nd_replies_count(&s->replies, 0); k++)
        s->candidate[nd_reply_at(&s->replies, 0, k)].full = true;
    qsort(s->candidate, n, sizeof *s->candidate, better_first);
    *results = &s->results;
    *candidates = s->candidate;
    *count = (int)n;
    return ND_OK;
}

nd_status nd_judge_roll(const nd_evaluator *ev, nd_search *s, const nd_board *board, int d1, int d2,
                        nd_finalists *out)
{
    const uint8_t dice[1][2] = {{(uint8_t)d1, (uint8_t)d2}};
    const nd_replies *const r = &s->replies;
    nd_status status =
        select_replies(ev, s, board, dice, 1, (nd_filter){ev->keep, ev->within}, ev->points);
    /* A single candidate left is the choice, whatever the playing net would say of it. */
    const bool lone = r->selected && r->kept[1] == 1;
    if (status == ND_OK && r->selected && !lone)
        status = judge_selected(ev, s, board, 1, ev->points);
    if (status != ND_OK) return status;
    *out = (nd_finalists){.board = s->board,
                          .value = s->value,
                          .at = r->selected ? r->chosen : NULL,
                          .count = nd_replies_count(r, 0),
                          .best = nd_best_reply(s, 0),
                          .judged = !lone};
    return ND_OK;
}

nd_status nd_best_play(const nd_evaluator *ev, nd_search *s, const nd_board *board, int d1, int d2,
                       nd_board *out)
{
    nd_finalists f;
    const nd_status status = nd_judge_roll(ev, s, board, d1, d2, &f);
    if (status == ND_OK) *out = f.board[f.best];
    return status;
}

nd_status nd_lookahead(const nd_evaluator *ev, nd_search *s, const nd_board *board, bool opening,
                       float out[ND_MAX_OUTCOMES], nd_board best[ND_ROLLS],
                       float value[ND_ROLLS][ND_MAX_OUTCOMES])
{
    const size_t classes = (size_t)ev->rules->outcomes;
    const nd_status status = nd_judge_replies(ev, s, board, nd_roll_dice, ND_ROLLS,
                                              (nd_filter){ev->keep, ev->within}, ev->points);
    if (status != ND_OK) return status;
    double sum[ND_MAX_OUTCOMES] = {0};
    for (int roll = 0; roll < ND_ROLLS; roll++) {
        const size_t top = nd_best_reply(s, roll);
        float seen[ND_MAX_OUTCOMES];
        nd_flip(ev->rules->outcomes, s->value + top * classes, seen);
        const bool counts = !opening || nd_roll_weight(roll) == 2;
        for (size_t c = 0; counts && c < classes; c++)
            sum[c] += nd_roll_weight(roll) * (double)seen[c];
        if (best) best[roll] = s->board[top];
        if (value) memcpy(value[roll], seen, classes * sizeof *seen);
    }
    for (size_t c = 0; c < classes; c++) out[c] = (float)(sum[c] / (opening ? 30.0 : 36.0));
    return ND_OK;
}
