#include "train/selfplay.h"

#include <math.h>
#include <stdlib.h>

#include "base/philox.h"

/* Random words of a game: a pure function of (seed, game, ply, purpose). */
enum { FOR_DICE = 0, FOR_PLAY = 1, FOR_START = 2, FOR_SECOND = 3 };

typedef struct game {
    const nd_evaluator *ev;
    const nd_selfplay_plan *plan;
    nd_search *search;
    int64_t number;
    int kind;          /* of start: 0 opening, 1 scrambled, 2 staged */
    nd_sample *sample; /* with the labels, until the game is over */
    float *shift;      /* [count][ND_MAX_OUTCOMES]: their corrections so far */
    size_t count, capacity;
    nd_selfplay_stats *stats;
} game;

/* What the backward pass needs of a decision. */
typedef struct decision {
    size_t first; /* its samples: first the siblings, then the replies one ply on */
    int siblings, replies;
    bool exploring;               /* the move was not the best one found */
    bool exact;                   /* the label of the played move needs no correction */
    float label[ND_MAX_OUTCOMES]; /* L of the played move, side on roll = the opponent */
    float reply[ND_MAX_OUTCOMES]; /* v for the roll that came next */
} decision;

static void draw(const game *g, int ply, int purpose, uint32_t out[4])
{
    const uint32_t counter[4] = {(uint32_t)g->number, (uint32_t)(g->number >> 32), (uint32_t)ply,
                                 (uint32_t)purpose};
    const uint32_t key[2] = {(uint32_t)g->plan->seed, (uint32_t)(g->plan->seed >> 32)};
    nd_philox(counter, key, out);
}

static inline int below(uint32_t word, int n) { return (int)nd_below(word, (uint32_t)n); }
static inline float unit(uint32_t word) { return (float)(word >> 8) * 0x1p-24f; }

static void dice(const game *g, int ply, bool no_doubles, int *d1, int *d2)
{
    uint32_t w[4];
    draw(g, ply, FOR_DICE, w);
    *d1 = 1 + below(w[0], 6);
    if (no_doubles) {
        *d2 = 1 + below(w[1], 5);
        *d2 += *d2 >= *d1;
    } else
        *d2 = 1 + below(w[1], 6);
}

/* ---- starts ----------------------------------------------------------------------------------- */

void nd_stage_start(const nd_rules *rules, const uint32_t words[8], nd_board *out)
{
    uint32_t state = words[0];
    for (int attempt = 0; attempt < 100; attempt++) {
        const nd_phase wanted = rules->stage(words[1], &state, out);
        if (rules->check(out) == ND_OK && rules->phase(out) == wanted) return;
    }
    (void)rules->start("", out);
}

static void begin(game *g, nd_board *board)
{
    const nd_rules *const rules = g->ev->rules;
    uint32_t w[8];
    draw(g, 0, FOR_START, w);
    draw(g, 1, FOR_START, w + 4);
    const float which = unit(w[7]);
    g->kind = which < g->plan->staged ? 2 : which < g->plan->staged + g->plan->scrambled ? 1 : 0;
    if (g->kind == 2) {
        nd_stage_start(rules, w, board);
        return;
    }
    (void)rules->start("", board);
    if (g->kind == 0) return;
    const nd_board first = *board;
    const int plies = 4 + below(w[4], 28);
    nd_results *const r = malloc(sizeof *r);
    for (int ply = 0; r && ply < plies; ply++) {
        int d1, d2;
        uint32_t pick[4];
        dice(g, 0x10000 + ply, ply == 0 && !rules->opening_doubles, &d1, &d2);
        draw(g, 0x10000 + ply, FOR_PLAY, pick);
        rules->generate(board, d1, d2, &g->ev->options, r);
        *board = nd_swap(&r->board[below(pick[0], r->count)]);
        if (rules->phase(board) != ND_PHASE_CONTACT) *board = first;
    }
    free(r);
}

/* ---- one decision -------------------------------------------------------------------------------- */

/* Is the static value of this position final? */
static bool is_exact(const nd_evaluator *ev, const nd_board *b)
{
    const nd_phase phase = ev->rules->phase(b);
    return phase == ND_PHASE_OVER || (phase == ND_PHASE_BEAROFF && ev->bearoff);
}

static nd_sample *add_sample(game *g)
{
    if (g->count == g->capacity) {
        const size_t capacity = g->capacity ? 2 * g->capacity : 512;
        nd_sample *const p = realloc(g->sample, capacity * sizeof *p);
        if (!p) return NULL;
        g->sample = p;
        float *const q = realloc(g->shift, capacity * ND_MAX_OUTCOMES * sizeof *q);
        if (!q) return NULL;
        g->shift = q;
        g->capacity = capacity;
    }
    return &g->sample[g->count++];
}

static decision record(game *g, int siblings, bool exploring, bool exact, const float *label)
{
    decision d = {.first = g->count, .siblings = siblings, .exploring = exploring, .exact = exact};
    memcpy(d.label, label, sizeof d.label);
    return d;
}

static nd_status put_sample(game *g, const nd_board *board, bool exact, const float *label,
                            const float *shift)
{
    nd_sample *const s = add_sample(g);
    if (!s) return ND_NO_MEMORY;
    *s = (nd_sample){.board = *board, .weight = 1};
    memcpy(s->target, label, (size_t)g->ev->rules->outcomes * sizeof *label);
    memcpy(&g->shift[(g->count - 1) * ND_MAX_OUTCOMES], shift, ND_MAX_OUTCOMES * sizeof *shift);
    s->group = exact; /* until the game is over: exact labels take no correction */
    return ND_OK;
}

/* A static choice, or a random one among the candidates within the window; its label is its static
 * value until the game is over. */
static nd_status decide_static(game *g, int ply, nd_board *board, int d1, int d2, decision *out)
{
    const nd_evaluator *const ev = g->ev;
    const nd_results *results;
    const nd_candidate *candidate;
    int count, close = 0;
    const nd_status status = nd_choose(ev, g->search, board, d1, d2, &results, &candidate, &count);
    if (status != ND_OK) return status;
    while (close < count && candidate[close].equity >= candidate[0].equity - g->plan->window)
        close++;
    uint32_t w[4];
    draw(g, ply, FOR_PLAY, w);
    const int played = unit(w[0]) < g->plan->explore ? below(w[1], close) : 0;
    float label[ND_MAX_OUTCOMES] = {0}, none[ND_MAX_OUTCOMES] = {0};
    nd_flip(ev->rules->outcomes, candidate[played].probability, label);
    *board = nd_swap(&results->board[candidate[played].index]);
    *out = record(g, 1, false, is_exact(ev, board), label);
    g->stats->labels++;
    return put_sample(g, board, out->exact, label, none);
}

/* Label the siblings of one decision, choose a move and leave the next position in *board. */
static nd_status decide(game *g, int ply, nd_board *board, int d1, int d2, int next_roll,
                        decision *out)
{
    const nd_evaluator *const ev = g->ev;
    const nd_selfplay_plan *const plan = g->plan;
    const int classes = ev->rules->outcomes;
    const nd_results *results;
    const nd_candidate *candidate;
    int count;
    nd_status status = nd_choose(ev, g->search, board, d1, d2, &results, &candidate, &count);
    if (status != ND_OK) return status;

    uint32_t w[4];
    draw(g, ply, FOR_PLAY, w);
    nd_board sibling[ND_MAX_SIBLINGS + 1];
    int n = 0;
    uint32_t other[4];
    draw(g, ply, FOR_SECOND, other);
    /* Neighbours in a game teach much the same: what is not labelled only carries the return. */
    const bool labelled = unit(other[1]) < plan->labelled;
    while (n < count && n < (labelled ? plan->siblings : 1) && candidate[n].full &&
           candidate[n].equity >= candidate[0].equity - plan->window) {
        sibling[n] = nd_swap(&results->board[candidate[n].index]);
        n++;
    }
    if (labelled && n < count && unit(w[0]) < plan->stray) {
        const int k = n + below(w[1], count - n);
        sibling[n++] = nd_swap(&results->board[candidate[k].index]);
    }

    float label[ND_MAX_SIBLINGS + 1][ND_MAX_OUTCOMES], equity[ND_MAX_SIBLINGS + 1];
    float next[ND_MAX_SIBLINGS + 1][ND_MAX_OUTCOMES];   /* v for next_roll */
    float second[ND_MAX_SIBLINGS + 1][ND_MAX_OUTCOMES]; /* v for second_roll */
    float ahead[ND_MAX_SIBLINGS + 1][ND_MAX_OUTCOMES];  /* L of the reply to it */
    nd_board reply[ND_MAX_SIBLINGS + 1];
    bool exact[ND_MAX_SIBLINGS + 1], deeper[ND_MAX_SIBLINGS + 1] = {false};
    /* A roll by its chance: 36 equal cases. */
    const int c = below(other[0], 36), second_roll = nd_roll_index(1 + c / 6, 1 + c % 6);
    int best = 0;
    for (int i = 0; i < n; i++) {
        exact[i] = is_exact(ev, &sibling[i]);
        if (exact[i]) {
            status = nd_static(ev, g->search, NULL, &sibling[i], 1, false, label[i]);
        } else {
            nd_board replies[ND_ROLLS];
            float value[ND_ROLLS][ND_MAX_OUTCOMES];
            status = nd_lookahead(ev, g->search, &sibling[i], false, label[i], replies, value);
            memcpy(next[i], value[next_roll], sizeof next[i]);
            memcpy(second[i], value[second_roll], sizeof second[i]);
            reply[i] = replies[second_roll];
        }
        if (status != ND_OK) return status;
        equity[i] = -nd_equity(ev, label[i]);
        if (equity[i] > equity[best]) best = i;
    }

    /* One more ply with the common roll, for the siblings that are still close. */
    float shift[ND_MAX_SIBLINGS + 1][ND_MAX_OUTCOMES] = {{0}};
    float mean[ND_MAX_OUTCOMES] = {0};
    int shifted = 0;
    for (int i = 0; plan->second > 0 && n > 1 && i < n; i++) {
        if (equity[i] < equity[best] - plan->second || exact[i]) continue;
        float seen[ND_MAX_OUTCOMES];
        if (is_exact(ev, &reply[i]))
            status = nd_static(ev, g->search, NULL, &reply[i], 1, false, ahead[i]);
        else
            status = nd_lookahead(ev, g->search, &reply[i], false, ahead[i], NULL, NULL);
        if (status != ND_OK) return status;
        nd_flip(classes, ahead[i], seen);
        deeper[i] = true;
        for (int k = 0; k < classes; k++) {
            shift[i][k] = seen[k] - second[i][k];
            mean[k] += shift[i][k];
        }
        shifted++;
    }
    /* With a return to come the level is the return's affair: keep the differences only. */
    const bool level = (g->kind == 2 ? plan->lambda_staged : plan->lambda) > 0;
    for (int i = 0; level && shifted && i < n; i++) {
        if (!deeper[i]) continue;
        for (int k = 0; k < classes; k++) shift[i][k] -= mean[k] / (float)shifted;
    }

    int played = best;
    if (unit(w[2]) < plan->explore) played = below(w[3], n);
    *out = record(g, labelled ? n : 0, played != best, exact[played], label[played]);
    memcpy(out->reply, next[played], sizeof out->reply);
    for (int i = 0; i < out->siblings; i++) {
        status = put_sample(g, &sibling[i], exact[i], label[i], shift[i]);
        if (status != ND_OK) return status;
    }
    /* The replies are worth as much as the siblings: these differ in the checkers of the side that
     * has moved, those in the checkers of the side on roll, which nothing else compares. */
    static const float none[ND_MAX_OUTCOMES];
    for (int i = 0; shifted > 1 && i < n; i++) {
        if (!deeper[i]) continue;
        status = put_sample(g, &reply[i], is_exact(ev, &reply[i]), ahead[i], none);
        if (status != ND_OK) return status;
        out->replies++;
    }
    *board = sibling[played];
    g->stats->labels += out->siblings + out->replies;
    return ND_OK;
}

/* ---- targets ------------------------------------------------------------------------------------
 * A label plus a correction need not be a distribution: the noise of a return of several points can
 * put the chance of a rare class far below nothing, and a softmax that follows drives its logit to
 * infinity. So of the sum only the chance to win and the equity are kept: the target is the label,
 * tilted by exp(b points) within the wins and within the losses until it has both. */

/* The label's shares within one side's classes, at the tilt b; answers their mean points. */
static double tilted(const float *points, const double *share, int n, double b, double *out)
{
    double sum = 0, worth = 0;
    for (int c = 0; c < n; c++) {
        out[c] = share[c] * exp(b * points[c]);
        sum += out[c];
        worth += out[c] * points[c];
    }
    for (int c = 0; c < n; c++) out[c] /= sum;
    return worth / sum;
}

void nd_tilt(const float *points, int outcomes, const float *label, const float *change,
             float *target)
{
    const int half = outcomes / 2;
    double win = 0, equity = 0, share[ND_MAX_OUTCOMES], tilt[ND_MAX_OUTCOMES];
    for (int c = 0; c < outcomes; c++) {
        win += c < half ? (double)label[c] + change[c] : 0;
        equity += points[c] * ((double)label[c] + change[c]);
        share[c] =
            label[c] > 1e-5f ? label[c] : 1e-5; /* what is said to be impossible may not be */
    }
    win = win < 0.002 ? 0.002 : win > 0.998 ? 0.998 : win;
    double low = -4, high = 4;
    for (int i = 0; i < 24; i++) {
        const double b = (low + high) / 2;
        const double won = tilted(points, share, half, b, tilt);
        const double lost = tilted(points + half, share + half, half, b, tilt + half);
        if (win * won + (1 - win) * lost < equity)
            low = b;
        else
            high = b;
    }
    for (int c = 0; c < outcomes; c++) target[c] = (float)(tilt[c] * (c < half ? win : 1 - win));
}

/* ---- one game ------------------------------------------------------------------------------------- */

/* Carry the returns back through the game and shift each decision's labels by its correction. */
static void backward(game *g, const decision *d, int plies)
{
    const nd_evaluator *const ev = g->ev;
    const int classes = ev->rules->outcomes;
    const float lambda = g->kind == 2 ? g->plan->lambda_staged : g->plan->lambda;
    float g_next[ND_MAX_OUTCOMES];
    for (int t = plies - 1; t >= 0; t--) {
        float ret[ND_MAX_OUTCOMES], change[ND_MAX_OUTCOMES] = {0};
        const bool corrected = t + 1 < plies && !d[t].exact && !d[t + 1].exploring;
        memcpy(ret, d[t].label, sizeof ret);
        if (corrected) {
            float ahead[ND_MAX_OUTCOMES], next[ND_MAX_OUTCOMES];
            nd_flip(classes, g_next, ahead);
            nd_flip(classes, d[t + 1].label, next);
            for (int k = 0; k < classes; k++) {
                change[k] = g->plan->lookahead
                                ? lambda * (ahead[k] - d[t].reply[k])
                                : next[k] + lambda * (ahead[k] - next[k]) - d[t].label[k];
                ret[k] += change[k];
            }
            const double e = nd_equity(ev, change);
            g->stats->correction[g->kind] += e;
            g->stats->correction_sq[g->kind] += e * e;
            g->stats->corrections[g->kind]++;
        }
        float turned[ND_MAX_OUTCOMES]; /* the same as the other side sees it */
        nd_flip(classes, change, turned);
        for (int i = 0; i < d[t].siblings + d[t].replies; i++) {
            nd_sample *const s = &g->sample[d[t].first + (size_t)i];
            float *const shift = &g->shift[(d[t].first + (size_t)i) * ND_MAX_OUTCOMES];
            const bool is_reply = i >= d[t].siblings;
            bool moved = false;
            for (int k = 0; k < classes; k++) {
                if (corrected && !s->group) shift[k] += is_reply ? turned[k] : change[k];
                moved |= shift[k] != 0;
            }
            if (moved) nd_tilt(g->ev->points, classes, s->target, shift, s->target);
            s->group = 2 * t + is_reply;
        }
        memcpy(g_next, ret, sizeof g_next);
    }
}

static nd_status play(game *g)
{
    nd_board board;
    begin(g, &board);
    const int max_plies = g->plan->max_plies;
    decision *const d = malloc((size_t)max_plies * sizeof *d);
    if (!d) return ND_NO_MEMORY;
    int plies = 0, d1, d2;
    dice(g, 0, g->kind == 0 && !g->ev->rules->opening_doubles, &d1, &d2);
    nd_status status = ND_OK;
    while (plies < max_plies && !is_exact(g->ev, &board)) {
        int e1, e2;
        dice(g, plies + 1, false, &e1, &e2);
        status = g->plan->lookahead
                     ? decide(g, plies, &board, d1, d2, nd_roll_index(e1, e2), &d[plies])
                     : decide_static(g, plies, &board, d1, d2, &d[plies]);
        if (status != ND_OK) break;
        d1 = e1, d2 = e2;
        plies++;
    }
    if (status == ND_OK) backward(g, d, plies);
    g->stats->plies += plies;
    g->stats->games++;
    free(d);
    return status;
}

/* ---- many games ------------------------------------------------------------------------------------ */

typedef struct batch {
    const nd_evaluator *ev;
    const nd_selfplay_plan *plan;
    int64_t first;
    game *games;              /* one a chunk */
    nd_selfplay_stats *stats; /* one a game, so that sums have a fixed order */
    nd_search **search;       /* one a worker */
} batch;

static nd_status run_chunk(void *context, int chunk, int worker)
{
    batch *const b = context;
    game *const g = &b->games[chunk];
    *g = (game){.ev = b->ev,
                .plan = b->plan,
                .search = b->search[worker],
                .number = b->first + chunk,
                .stats = &b->stats[chunk]};
    return play(g);
}

nd_status nd_selfplay(const nd_evaluator *ev, const nd_selfplay_plan *plan, int64_t first,
                      int games, int threads, const nd_stop *stop, nd_sample **samples,
                      size_t *count, nd_selfplay_stats *stats)
{
    if (games < 1 || threads < 1 || plan->siblings < 1 || plan->siblings > ND_MAX_SIBLINGS ||
        plan->max_plies < 1 || !(plan->labelled > 0))
        return ND_BAD_ARGUMENT;
    batch b = {ev, plan, first, NULL, NULL, NULL};
    nd_status status = ND_NO_MEMORY;
    b.games = calloc((size_t)games, sizeof *b.games);
    b.stats = calloc((size_t)games, sizeof *b.stats);
    b.search = calloc((size_t)threads, sizeof *b.search);
    if (b.games && b.stats && b.search) {
        status = ND_OK;
        for (int i = 0; i < threads && status == ND_OK; i++) status = nd_search_new(&b.search[i]);
        if (status == ND_OK) status = nd_parallel(threads, games, run_chunk, &b, stop);
    }
    *samples = NULL;
    *count = 0;
    *stats = (nd_selfplay_stats){0};
    size_t total = 0;
    for (int i = 0; b.games && i < games; i++) total += b.games[i].count;
    if (status == ND_OK && !(*samples = malloc((total + 1) * sizeof **samples)))
        status = ND_NO_MEMORY;
    int32_t group = 0;
    for (int i = 0; b.games && b.stats && i < games; i++) {
        const game *const g = &b.games[i];
        for (size_t k = 0; status == ND_OK && k < g->count; k++) {
            nd_sample *const s = &(*samples)[(*count)++];
            *s = g->sample[k];
            /* Groups of a game become groups of the whole batch. */
            if (k == 0 || g->sample[k].group != g->sample[k - 1].group) group++;
            s->group = group;
        }
        stats->games += b.stats[i].games;
        stats->plies += b.stats[i].plies;
        stats->labels += b.stats[i].labels;
        for (int kind = 0; kind < 3; kind++) {
            stats->correction[kind] += b.stats[i].correction[kind];
            stats->correction_sq[kind] += b.stats[i].correction_sq[kind];
            stats->corrections[kind] += b.stats[i].corrections[kind];
        }
        free(g->sample);
        free(g->shift);
    }
    for (int i = 0; b.search && i < threads; i++) nd_search_free(b.search[i]);
    free(b.search);
    free(b.stats);
    free(b.games);
    return status;
}
