/* Two players: A, who rolls at the root, and B; every number is A's value. A line is a cube of one
 * value with one owner. With R the value of the side on roll rolling now and V the same with the
 * right to double first, on any line
 *     R_A(x, y) = mean over rolls of max over plays of V_B(x', y),
 *     R_B(x, y) = mean over rolls of min over plays of V_A(x, y'),
 * and V differs from R only for who may double, by R of lines with a higher cube. So lines are
 * solved from the last cube down, and within a line all pairs in rising x, then y.
 */
#include "value/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tables/bearoff_plays.h"

enum { AHEAD = 3 }; /* a double looks at cubes of twice, four and eight times its own */

struct nd_exact {
    nd_bearoff_plays *plays;
};

nd_status nd_exact_new(nd_exact **out)
{
    nd_exact *exact = *out = calloc(1, sizeof *exact);
    if (!exact) return ND_NO_MEMORY;
    const nd_status status = nd_bearoff_plays_new(&exact->plays);
    if (status != ND_OK) {
        nd_exact_free(exact);
        *out = NULL;
    }
    return status;
}

void nd_exact_free(nd_exact *exact)
{
    if (!exact) return;
    nd_bearoff_plays_free(exact->plays);
    free(exact);
}

/* One rectangle of values [x][y], x = A's position. */
typedef struct job {
    const nd_bearoff_plays *plays;
    const nd_stakes *stakes;
    uint32_t x, y; /* the root */
    size_t width;  /* y + 1 */
    double *v_a, *v_b, *best;
    /* By cubes ahead of the line in hand, 2, 4, 8: R of the line that the other side owns, with
     * the one who doubled on roll; NULL where the rules end. */
    double *a_doubled[AHEAD], *b_doubled[AHEAD];
    double *r_a, *r_b; /* the line in hand */
} job;

/* Value for A of A (or of B, if `sign` is -1) doubling a cube with the best answers. */
static double doubled(const job *j, double *const lines[AHEAD], double cube, int sign, size_t at)
{
    const nd_stakes *s = j->stakes;
    const double unit = sign * s->points[0] * cube;
    nd_cube_values v = {.take = NAN, .beaver = NAN, .raccoon = NAN};
    if (lines[0]) v.take = sign * lines[0][at], v.pass = sign * nd_stakes_value(s, unit);
    if (lines[1] && s->beavers)
        v.beaver = sign * lines[1][at], v.beaver_pass = sign * nd_stakes_value(s, -2 * unit);
    if (lines[2] && s->beavers && s->raccoons)
        v.raccoon = sign * lines[2][at], v.raccoon_pass = sign * nd_stakes_value(s, 4 * unit);
    return sign * nd_cube_doubled(&v);
}

/* Fills r_a and r_b for a cube that ends games at win and lose. */
static void solve(const job *j, double cube, double win, double lose, bool a_may, bool b_may)
{
    const size_t width = j->width;
    for (size_t y = 0; y < width; y++) j->v_b[y] = win;
    for (uint32_t x = 1; x <= j->x; x++) {
        double *const ra = j->r_a + x * width, *const va = j->v_a + x * width;
        double *const rb = j->r_b + x * width, *const vb = j->v_b + x * width;
        for (size_t y = 0; y < width; y++) ra[y] = 0;
        for (uint32_t r = 0; r < 21; r++) {
            const uint32_t *at = &j->plays->at[21 * x + r];
            const double weight = nd_bearoff_roll_list[r].weight;
            memcpy(j->best, j->v_b + j->plays->to[at[0]] * width, width * sizeof *j->best);
            for (uint32_t i = at[0] + 1; i < at[1]; i++) {
                const double *other = j->v_b + j->plays->to[i] * width;
                for (size_t y = 0; y < width; y++)
                    j->best[y] = other[y] > j->best[y] ? other[y] : j->best[y];
            }
            for (size_t y = 0; y < width; y++) ra[y] += weight * j->best[y];
        }
        va[0] = vb[0] = ra[0] = rb[0] = lose;
        for (size_t y = 1; y < width; y++) {
            ra[y] /= 36;
            va[y] = ra[y];
            if (a_may) va[y] = fmax(va[y], doubled(j, j->a_doubled, cube, 1, x * width + y));
        }
        for (uint32_t y = 1; y < width; y++) {
            double sum = 0;
            for (uint32_t r = 0; r < 21; r++) {
                const uint32_t *at = &j->plays->at[21 * y + r];
                double best = va[j->plays->to[at[0]]];
                for (uint32_t i = at[0] + 1; i < at[1]; i++)
                    best = va[j->plays->to[i]] < best ? va[j->plays->to[i]] : best;
                sum += nd_bearoff_roll_list[r].weight * best;
            }
            rb[y] = vb[y] = sum / 36;
            if (b_may) vb[y] = fmin(vb[y], doubled(j, j->b_doubled, cube, -1, x * width + y));
        }
    }
}

/* Makes the lines just solved the first ones ahead; *a and *b are free to be filled again. */
static void advance(job *j, double **a, double **b)
{
    double *const last_a = j->a_doubled[AHEAD - 1], *const last_b = j->b_doubled[AHEAD - 1];
    for (int k = AHEAD - 1; k > 0; k--) {
        j->a_doubled[k] = j->a_doubled[k - 1];
        j->b_doubled[k] = j->b_doubled[k - 1];
    }
    j->a_doubled[0] = *a, j->b_doubled[0] = *b;
    *a = last_a, *b = last_b;
}

nd_status nd_exact_solve(const nd_exact *exact, const nd_stakes *s, double cube, uint32_t own,
                         uint32_t opp, nd_cube_values *out)
{
    if (!own || !opp || own >= ND_BEAROFF_TWO_POSITIONS || opp >= ND_BEAROFF_TWO_POSITIONS)
        return ND_BAD_ARGUMENT;
    nd_status status = nd_stakes_check(s);
    if (status != ND_OK) return status;
    const bool doubling = s->crawford != ND_CRAWFORD_NOW;
    const int turns = doubling ? nd_stakes_turns(s, cube) : 0;
    if (turns < 0) return ND_BAD_ARGUMENT;

    enum { WORK = 4, BUFFERS = WORK + 2 * (AHEAD + 1) };
    const size_t width = (size_t)opp + 1, cells = (own + (size_t)1) * width, root = cells - 1;
    double *memory = malloc((BUFFERS * cells + width) * sizeof *memory);
    if (!memory) return ND_NO_MEMORY;
    double *buffer[BUFFERS];
    for (size_t k = 0; k < BUFFERS; k++) buffer[k] = memory + k * cells;
    job j = {.plays = exact->plays, .stakes = s, .x = own, .y = opp, .width = width};
    j.v_a = buffer[0], j.v_b = buffer[1], j.best = memory + BUFFERS * cells;

    /* Without a cube the best play is the one that wins most often, whatever a win is worth. */
    j.r_a = buffer[2], j.r_b = buffer[3];
    solve(&j, cube, 1, 0, false, false);
    const double p = j.r_a[root];
    const double win = nd_stakes_value(s, cube * s->points[0]);
    const double lose = nd_stakes_value(s, -cube * s->points[0]);
    const bool may = doubling && 2 * cube <= s->max_cube;
    const double win2 = nd_stakes_value(s, 2 * cube * s->points[0]);
    const double lose2 = nd_stakes_value(s, -2 * cube * s->points[0]);
    *out = (nd_cube_values){.cubeless = lose + p * (win - lose),
                            .cubeless_doubled = may ? lose2 + p * (win2 - lose2) : NAN,
                            .take = NAN,
                            .pass = may ? win : NAN,
                            .beaver = NAN,
                            .beaver_pass = NAN,
                            .raccoon = NAN,
                            .raccoon_pass = NAN};

    double *held_a = buffer[WORK], *held_b = buffer[WORK + 1];
    double *spare[2 * AHEAD];
    for (int k = 0; k < 2 * AHEAD; k++) spare[k] = buffer[WORK + 2 + k];
    int spares = 2 * AHEAD;
    for (int k = turns; k >= 0; k--) {
        const double value = ldexp(cube, k);
        const double won = nd_stakes_value(s, value * s->points[0]);
        const double lost = nd_stakes_value(s, -value * s->points[0]);
        /* A's cube: kept for when B doubles into it, with B on roll. B's likewise. */
        j.r_a = buffer[2], j.r_b = held_b;
        solve(&j, value, won, lost, k < turns, false);
        if (k == 0) out->hold[ND_OWN] = j.r_a[root];
        j.r_a = held_a, j.r_b = buffer[3];
        solve(&j, value, won, lost, false, k < turns);
        if (k == 0) {
            out->hold[ND_OPP] = j.r_a[root];
            break;
        }
        advance(&j, &held_a, &held_b);
        if (!held_a) {
            held_a = spare[--spares];
            held_b = spare[--spares];
        }
    }
    if (turns > 0) {
        j.r_a = buffer[2], j.r_b = buffer[3];
        solve(&j, cube, win, lose, true, true);
        out->hold[ND_CENTRE] = j.r_a[root];
    } else {
        out->hold[ND_CENTRE] = out->hold[ND_OWN];
    }

    /* Past the last cube that matters all higher ones are worth the same. */
    double *named[AHEAD] = {&out->take, &out->beaver, &out->raccoon};
    for (int k = 0; k < AHEAD; k++) {
        const double value = ldexp(cube, k + 1);
        if (!doubling || value > s->max_cube) break;
        if ((k >= 1 && !s->beavers) || (k >= 2 && !s->raccoons)) break;
        int line = (k + 1 < turns ? k + 1 : turns) - 1;
        *named[k] = line < 0 ? out->hold[ND_OPP] : j.a_doubled[line][root];
        if (k == 1) out->beaver_pass = nd_stakes_value(s, -2 * cube * s->points[0]);
        if (k == 2) out->raccoon_pass = nd_stakes_value(s, 4 * cube * s->points[0]);
    }
    free(memory);
    return ND_OK;
}

nd_cube_values nd_exact_money(const nd_bearoff_two *table, const nd_stakes *s, double cube,
                              uint32_t own, uint32_t opp)
{
    const nd_bearoff_equities e = nd_bearoff_two_probe(table, own, opp);
    const double unit = cube * s->points[0];
    nd_cube_values v = {.cubeless = unit * e.cubeless,
                        .cubeless_doubled = 2 * unit * e.cubeless,
                        .hold = {unit * e.centred, unit * e.own, unit * e.opponent},
                        .take = 2 * unit * e.opponent,
                        .pass = unit,
                        .beaver = NAN,
                        .beaver_pass = NAN,
                        .raccoon = NAN,
                        .raccoon_pass = NAN};
    if (s->beavers) v.beaver = 4 * unit * e.opponent, v.beaver_pass = -2 * unit;
    if (s->beavers && s->raccoons) v.raccoon = 8 * unit * e.opponent, v.raccoon_pass = 4 * unit;
    return v;
}
