#include "search/sieve.h"

#include <math.h>
#include <stdlib.h>

#include "base/philox.h"
#include "base/target.h"
#include "search/internal.h"

enum { UNITS = ND_COUNT_UNITS, MAX_NONZERO = 2 * 2 * (ND_CHECKERS + 1), SAMPLES = 12000 };

/* ---- use -------------------------------------------------------------------------------------
 * What a result is worth is followed along its play. No branch depends on the play: which checker
 * moves cannot be foreseen. */

typedef struct view {
    const nd_sieve *sieve;
    uint16_t entry[ND_SLOTS]; /* of the mover's number of checkers there in the sieve's tables */
    int64_t hit[ND_SLOTS];    /* to take that blot off its point; and that it is one, see below */
    int32_t enter[4 + 1];     /* to put so many on the bar */
} view;

enum { HITS_AT = 32 }; /* hits are counted from this bit on, above the sum of what they are worth */

static void look(const nd_sieve *sieve, const nd_board *board, view *v)
{
    uint8_t line[ND_LINE];
    nd_line_counts(board, line);
    v->sieve = sieve;
    for (int slot = 0; slot < ND_SLOTS; slot++)
        v->entry[slot] = (uint16_t)(slot * (ND_CHECKERS + 1) + line[slot]);
    for (uint32_t b = nd_exactly_one(board->opp) & ND_POINTS; b; b &= b - 1) {
        const int slot = nd_lowest(b);
        const uint32_t point = sieve->rules->across(ND_BIT(slot));
        v->hit[nd_lowest(point)] =
            ((int64_t)1 << HITS_AT) + sieve->opp[slot][0] - sieve->opp[slot][1];
    }
    const int bar = line[ND_SIDE + ND_BAR];
    for (int k = 1; k <= 4 && bar + k <= ND_CHECKERS; k++)
        v->enter[k] = sieve->opp[ND_BAR][bar + k] - sieve->opp[ND_BAR][bar];
}

/* Vectors of sixteen bytes: every 64-bit machine has them. Four plays of up to four steps are one. */
enum { PLAYS = 4 };
typedef uint32_t plays __attribute__((vector_size(16)));
typedef uint8_t steps16 __attribute__((vector_size(16)));
typedef int8_t change16 __attribute__((vector_size(16)));

/* What the results of four plays are worth, less what the board itself is. */
INLINE void worth_of(const view *v, const nd_play *play, int steps, int32_t worth[PLAYS])
{
    plays p;
    memcpy(&p, play, sizeof p);
    const steps16 from = (steps16)(p & 0x1F1F1F1Fu);
    const steps16 die = (steps16)((p >> 5 & 0x07070707u) + 0x01010101u);
    const steps16 to = (from - die) & (steps16)(from > die); /* 0 = off */
    /* How the steps before it change the number of checkers that a step leaves, or meets. */
    change16 left = {0}, met = {0};
    steps16 again = {0}; /* all ones for a step to where another has been */
    UNROLL
    for (int back = 1; back < steps; back++) {
        const uint32_t nobody = ((uint32_t)1 << 8 * back) - 1;
        const steps16 from_before = (steps16)((plays)from << 8 * back | nobody);
        const steps16 to_before = (steps16)((plays)to << 8 * back | nobody);
        left += (change16)(from_before == from) - (change16)(to_before == from);
        met += (change16)(from_before == to) - (change16)(to_before == to);
        again |= (steps16)(to_before == to);
    }
    const steps16 first = to & ~again; /* 0 for the others: nobody is hit there */
    const int32_t *const leave = v->sieve->leave[0], *const reach = v->sieve->reach[0];
    struct {
        steps16 from, to, first;
        change16 left, met;
    } lanes = {from, to, first, left, met};
    /* Bytes are read from memory, and written there once: compilers else do so for each of them. */
    __asm__("" : "+m"(lanes));
    const uint8_t *const at = (const uint8_t *)&lanes.from, *const then = (const uint8_t *)&lanes.to;
    const uint8_t *const hits = (const uint8_t *)&lanes.first;
    const int8_t *const leaves = (const int8_t *)&lanes.left, *const meets = (const int8_t *)&lanes.met;
    UNROLL
    for (int i = 0; i < PLAYS; i++) {
        int32_t sum = 0;
        int64_t hit = 0;
        UNROLL
        for (int k = 4 * i; k < 4 * i + steps; k++) {
            sum += leave[v->entry[at[k]] + leaves[k]] + reach[v->entry[then[k]] + meets[k]];
            hit += v->hit[hits[k]];
        }
        const int32_t taken = (int32_t)hit;
        worth[i] = sum + taken + v->enter[(uint64_t)(hit - taken) >> HITS_AT];
    }
}

/* Worth and number of a result in one: of equals the first is the largest. */
static inline int64_t key_of(int32_t worth, int i)
{
    return (int64_t)((uint64_t)(uint32_t)worth << 32 | (uint32_t)~i);
}

/* Put x where it belongs among the largest so far; the least of them falls out. Of many most are no
 * longer among the best. */
static inline void insert(int64_t *top, size_t keep, int64_t x)
{
    if (x < top[keep - 1]) return;
    for (size_t k = 0; k < keep; k++) {
        const int64_t t = top[k];
        top[k] = t > x ? t : x;
        x = t > x ? x : t;
    }
}

/* The indices of few unlike keys, the largest first: each counts those above it, eight at a time. */
enum { FEW = 64, LANES = 4 };
typedef int32_t lanes __attribute__((vector_size(16)));

static void sort_few(const int32_t *key, int n, uint32_t index[FEW])
{
    for (int i = 0; i < n; i += 2 * LANES) {
        lanes x[2], above[2] = {{0}};
        memcpy(x, key + i, sizeof x);
        for (int k = 0; k < n; k++) {
            const lanes y = {key[k], key[k], key[k], key[k]};
            above[0] -= y > x[0];
            above[1] -= y > x[1];
        }
        for (int k = 0; k < 2 * LANES && i + k < n; k++)
            index[above[k / LANES][k % LANES]] = (uint32_t)(i + k);
    }
}

INLINE void sift(const view *v, const nd_results *results, int steps, size_t keep, uint32_t *out)
{
    const int n = results->count;
    int32_t key[FEW + 2 * LANES];
    int64_t top[ND_MAX_KEEP];
    for (size_t k = 0; k < keep; k++) top[k] = INT64_MIN;
    for (int i = 0; i < n; i += PLAYS) {
        int32_t worth[PLAYS];
        nd_play play[PLAYS] = {0};
        const int m = n - i < PLAYS ? n - i : PLAYS;
        if (m == PLAYS)
            worth_of(v, results->play + i, steps, worth);
        else
            worth_of(v, memcpy(play, results->play + i, (size_t)m * sizeof *play), steps, worth);
        for (int k = 0; k < m; k++) {
            if (n <= FEW)
                key[i + k] = worth[k] * FEW + (FEW - 1 - i - k);
            else
                insert(top, keep, key_of(worth[k], i + k));
        }
    }
    if (n <= FEW) {
        uint32_t index[FEW];
        memset(key + n, 0, 2 * LANES * sizeof *key);
        sort_few(key, n, index);
        memcpy(out, index, keep * sizeof *out);
    } else {
        for (size_t k = 0; k < keep; k++) out[k] = ~(uint32_t)top[k];
    }
}

size_t nd_sieve_sift(const nd_sieve *sieve, const nd_board *board, const nd_results *results,
                     size_t keep, uint32_t *out)
{
    view v = {0};
    look(sieve, board, &v);
    if (keep > (size_t)results->count) keep = (size_t)results->count;
    switch (results->dice) {
    case 0: sift(&v, results, 0, keep, out); break;
    case 1: sift(&v, results, 1, keep, out); break;
    case 2: sift(&v, results, 2, keep, out); break;
    case 3: sift(&v, results, 3, keep, out); break;
    default: sift(&v, results, 4, keep, out);
    }
    return keep;
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

/* What so many checkers in a slot are worth, from what its units are. Within two points, so that four
 * steps that hit stay below 2^25 and leave room for an index in a word. */
static int32_t worth(const sums *s, int byte, int count)
{
    enum { MOST = 2 * ND_SIEVE_POINT };
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
    out->rules = ev->rules;
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
