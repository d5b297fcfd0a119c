#include "search/sieve.h"

#include <math.h>
#include <stdlib.h>

#include "base/philox.h"
#include "search/internal.h"

enum { UNITS = ND_COUNT_UNITS, MAX_NONZERO = 2 * 2 * (ND_CHECKERS + 1), SAMPLES = 12000 };

/* ---- use ------------------------------------------------------------------------------------- */

static float change(const float worth[ND_SLOTS][ND_CHECKERS + 1], const float now[ND_SLOTS],
                    const uint32_t *before, const uint32_t *after)
{
    float sum = 0;
    uint32_t slots = 0;
    for (int k = 0; k < ND_PLANES; k++) slots |= before[k] ^ after[k];
    for (; slots; slots &= slots - 1) {
        const int slot = nd_lowest(slots);
        sum += worth[slot][nd_count(after, slot)] - now[slot];
    }
    return sum;
}

void nd_sieve_set(const nd_sieve *sieve, const nd_board *board, nd_sieve_at *out)
{
    out->sieve = sieve;
    out->board = board;
    for (int side = 0; side < 2; side++)
        for (int slot = 0; slot < ND_SLOTS; slot++) {
            const int count = nd_count(side ? board->opp : board->own, slot);
            out->worth[side][slot] = sieve->worth[side][slot][count];
        }
}

size_t nd_sieve_sift(const nd_sieve_at *at, const nd_results *results, size_t keep, uint32_t *out)
{
    const nd_sieve *const sieve = at->sieve;
    const nd_board *const board = at->board;
    float worth[ND_MAX_KEEP];
    size_t n = 0;
    for (int i = 0; i < results->count; i++) {
        const nd_board *const b = &results->board[i];
        const float w = change(sieve->worth[0], at->worth[0], board->own, b->own) +
                        change(sieve->worth[1], at->worth[1], board->opp, b->opp);
        if (n == keep && w <= worth[n - 1]) continue;
        size_t k = n < keep ? n++ : n - 1;
        for (; k > 0 && worth[k - 1] < w; k--) worth[k] = worth[k - 1], out[k] = out[k - 1];
        worth[k] = w;
        out[k] = (uint32_t)i;
    }
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
        for (int side = 0; side < 2; side++)
            for (int slot = 0; slot < ND_SLOTS; slot++)
                for (int count = 1; count <= ND_CHECKERS; count++) {
                    nd_term term[ND_MAX_TERMS];
                    double sum = 0;
                    const int n = nd_spell_count(side * ND_SIDE + slot, count, term);
                    for (int t = 0; t < n; t++)
                        sum += (double)term[t].coefficient * s->right[term[t].unit];
                    out->worth[side][slot][count] = (float)sum;
                }
    }
    nd_search_free(search);
    free(s);
    return status;
}
