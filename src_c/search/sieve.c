#include "search/sieve.h"

#include <math.h>
#include <stdlib.h>

#include "base/philox.h"
#include "search/internal.h"

enum { UNITS = ND_COUNT_UNITS, MAX_NONZERO = 2 * 2 * (ND_CHECKERS + 1), SAMPLES = 12000 };

/* ---- use -------------------------------------------------------------------------------------
 * What a result is worth is followed along its play, step by step: consecutive results of a roll
 * mostly share all steps but the last. The other side is looked at where it was hit. */

typedef struct walk {
    const nd_sieve *sieve;
    int steps;
    uint8_t from[4], to[4], count[ND_LINE]; /* the mover's in front */
    int32_t worth[5]; /* of the mover's checkers after so many steps, less those of the board */
    nd_play play;
    uint32_t opp[ND_PLANES]; /* of the last result; what it is worth, less those of the board */
    int32_t opp_worth;
} walk;

static int32_t change(const int32_t worth[ND_SLOTS][ND_CHECKERS + 1], const uint32_t *before,
                      const uint32_t *after)
{
    int32_t sum = 0;
    uint32_t slots = 0;
    for (int k = 0; k < ND_PLANES; k++) slots |= (before[k] ^ after[k]) & ~ND_OWED;
    for (; slots; slots &= slots - 1) {
        const int slot = nd_lowest(slots);
        sum += worth[slot][nd_count(after, slot)] - worth[slot][nd_count(before, slot)];
    }
    return sum;
}

static int32_t follow(walk *w, const nd_board *board, const nd_board *result, nd_play play,
                      int dice)
{
    const nd_play unlike = play ^ w->play;
    const int same = unlike ? nd_lowest(unlike) / 8 : 4, shared = same < w->steps ? same : w->steps;
    w->play = play;
    for (; w->steps > shared; w->steps--) {
        w->count[w->from[w->steps - 1]]++;
        w->count[w->to[w->steps - 1]]--;
    }
    for (; w->steps < dice; w->steps++) {
        const int k = w->steps, step = (int)(play >> 8 * k & 255), from = ND_STEP_FROM(step);
        const int die = ND_STEP_DIE(step), to = from > die ? from - die : ND_OFF;
        w->worth[k + 1] = w->worth[k] + w->sieve->leave[from][w->count[from]--];
        w->worth[k + 1] += w->sieve->reach[to][w->count[to]++];
        w->from[k] = (uint8_t)from;
        w->to[k] = (uint8_t)to;
    }
    if (memcmp(w->opp, result->opp, sizeof w->opp) != 0) {
        memcpy(w->opp, result->opp, sizeof w->opp);
        w->opp_worth = change(w->sieve->opp, board->opp, w->opp);
    }
    return w->worth[dice] + w->opp_worth;
}

/* Worth and number of a result in one: of equals the first is the largest. */
static inline int64_t key_of(int32_t worth, int i)
{
    return (int64_t)((uint64_t)(uint32_t)worth << 32 | (uint32_t)~i);
}

/* Put x where it belongs among the largest so far; the least of them falls out. Without branches:
 * whether a result is among the best cannot be foreseen. */
static inline void insert(int64_t *top, size_t keep, int64_t x)
{
    for (size_t k = 0; k < keep; k++) {
        const int64_t t = top[k];
        top[k] = t > x ? t : x;
        x = t > x ? x : t;
    }
}

static inline void select_best(const nd_sieve *sieve, const nd_board *board,
                               const nd_results *results, size_t keep, int64_t *best)
{
    walk w = {.sieve = sieve};
    nd_line_counts(board, w.count);
    memcpy(w.opp, board->opp, sizeof w.opp);
    int64_t top[ND_MAX_KEEP];
    for (size_t k = 0; k < keep; k++) top[k] = INT64_MIN;
    for (int i = 0; i < results->count; i++)
        insert(top, keep,
               key_of(follow(&w, board, &results->board[i], results->play[i], results->dice), i));
    memcpy(best, top, keep * sizeof *best);
}

size_t nd_sieve_sift(const nd_sieve *sieve, const nd_board *board, const nd_results *results,
                     size_t keep, uint32_t *out)
{
    int64_t best[ND_MAX_KEEP];
    if (keep == 8)
        select_best(sieve, board, results, 8, best); /* in registers */
    else
        select_best(sieve, board, results, keep, best);
    const size_t n = (size_t)results->count < keep ? (size_t)results->count : keep;
    for (size_t i = 0; i < n; i++) out[i] = ~(uint32_t)best[i];
    return n;
}

/* ---- fit ------------------------------------------------------------------------------------- */

/* Least squares of the worth of results, within each roll: only differences count. */
typedef struct sums {
    double square[UNITS][UNITS]; /* lower triangle; the rest is not used */
    double right[UNITS];
    double x[UNITS], y; /* of the roll at hand */
    int n, samples;
} sums;

static int spell(const nd_board *b, int unit[MAX_NONZERO], double coefficient[MAX_NONZERO])
{
    int n = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 1; i <= ND_SLOTS; i++) { /* units rise: those of checkers off are the last */
            const int slot = i % ND_SLOTS;
            nd_term term[ND_MAX_TERMS];
            const int count = nd_count(side ? b->opp : b->own, slot);
            const int terms = nd_spell_count(side * ND_SIDE + slot, count, term);
            for (int t = 0; t < terms; t++) {
                unit[n] = term[t].unit;
                coefficient[n++] = (double)term[t].coefficient;
            }
        }
    return n;
}

static void add(sums *s, const nd_board *b, double y)
{
    int unit[MAX_NONZERO];
    double c[MAX_NONZERO];
    const int n = spell(b, unit, c);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) s->square[unit[i]][unit[j]] += c[i] * c[j];
        s->right[unit[i]] += c[i] * y;
        s->x[unit[i]] += c[i];
    }
    s->y += y;
    s->n++;
    s->samples++;
}

/* The results of a roll are all in: take away their common part. */
static void centre(sums *s)
{
    int used[UNITS], n = 0;
    for (int i = 0; i < UNITS; i++)
        if (s->x[i] != 0) used[n++] = i;
    for (int i = 0; i < n; i++) {
        const double mean = s->x[used[i]] / s->n;
        for (int j = 0; j <= i; j++) s->square[used[i]][used[j]] -= mean * s->x[used[j]];
        s->right[used[i]] -= mean * s->y;
    }
    memset(s->x, 0, sizeof s->x);
    s->y = 0;
    s->n = 0;
}

/* Cholesky's way, in place; a little is added to the diagonal. */
static void solve(sums *s)
{
    double (*const a)[UNITS] = s->square;
    for (int i = 0; i < UNITS; i++) {
        a[i][i] += 0.5;
        for (int j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++) sum -= a[i][k] * a[j][k];
            a[i][j] = i == j ? sqrt(fmax(sum, 1e-6)) : sum / a[j][j];
        }
        for (int k = 0; k < i; k++) s->right[i] -= a[i][k] * s->right[k];
        s->right[i] /= a[i][i];
    }
    for (int i = UNITS; i-- > 0;) {
        for (int k = i + 1; k < UNITS; k++) s->right[i] -= a[k][i] * s->right[k];
        s->right[i] /= a[i][i];
    }
}

static nd_status gather(const nd_evaluator *ev, nd_phase phase, nd_search *search, sums *s)
{
    enum { GAMES = 2000, PLIES = 400, STRANGE = 10 };
    for (uint32_t game = 0; game < GAMES && s->samples < SAMPLES; game++) {
        nd_board board;
        if (ev->rules->start("", &board) != ND_OK) return ND_BAD_ARGUMENT;
        for (uint32_t ply = 0; ply < PLIES && s->samples < SAMPLES; ply++) {
            const nd_phase now = ev->rules->phase(&board);
            if (now < phase || now < ND_PHASE_RACE) break;
            uint32_t w[4];
            nd_philox((uint32_t[4]){ply, game, 0, 0}, (uint32_t[2]){0, 0}, w);
            const uint8_t dice[1][2] = {
                {(uint8_t)(1 + nd_below(w[0], 6)), (uint8_t)(1 + nd_below(w[1], 6))}};
            const nd_status status =
                nd_judge_replies(ev, search, &board, dice, 1, (nd_filter){0, 0}, ev->points);
            if (status != ND_OK) return status;
            const nd_results *const r = &search->results;
            if (now == phase && r->count > 1) {
                const int step = 1 + r->count / 40;
                for (int i = 0; i < r->count; i += step)
                    add(s, &r->board[i], (double)search->equity[i]);
                centre(s);
            }
            size_t next = nd_best_reply(search, 0);
            if (nd_below(w[2], STRANGE) == 0) next = nd_below(w[3], (uint32_t)r->count);
            board = search->board[next];
        }
    }
    return ND_OK;
}

/* What so many checkers in a slot are worth, from what its units are. */
static int32_t worth(const sums *s, int byte, int count)
{
    enum { MOST = 1 << 26 };
    nd_term term[ND_MAX_TERMS];
    double sum = 0;
    const int n = nd_spell_count(byte, count, term);
    for (int t = 0; t < n; t++) sum += (double)term[t].coefficient * s->right[term[t].unit];
    return (int32_t)lrint(fmax(fmin(sum * ND_SIEVE_POINT, MOST), -MOST));
}

nd_status nd_sieve_fit(const nd_evaluator *ev, nd_phase phase, nd_sieve *out)
{
    nd_evaluator cheap = *ev;
    for (int k = 0; k < ND_PHASES; k++)
        if (cheap.small[k]) cheap.net[k] = cheap.small[k];
    memset(out, 0, sizeof *out);
    sums *const s = calloc(1, sizeof *s);
    nd_search *search = NULL;
    nd_status status = s ? nd_search_new(&search) : ND_NO_MEMORY;
    if (status == ND_OK) status = gather(&cheap, phase, search, s);
    if (status == ND_OK) {
        solve(s);
        for (int slot = 0; slot < ND_SLOTS; slot++) {
            for (int count = 1; count <= ND_CHECKERS; count++) {
                out->leave[slot][count] = worth(s, slot, count - 1) - worth(s, slot, count);
                out->reach[slot][count - 1] = -out->leave[slot][count];
                out->opp[slot][count] = worth(s, ND_SIDE + slot, count);
            }
        }
    }
    nd_search_free(search);
    free(s);
    return status;
}
