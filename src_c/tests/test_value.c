/* Cube model and exact bear-offs: what must hold for any chances and stakes. Numbers are checked
 * from Python, against a twin that recurses over whole games. */
#include "value/exact.h"

#include <math.h>

#include "check.h"

static double uniform(uint32_t *counter)
{
    /* Any spread of numbers will do here. */
    *counter = *counter * 1664525u + 1013904223u;
    return (*counter >> 8) / 16777216.0;
}

/* A table that is fair and rises: enough to stand for any other. */
static void fill(nd_met *met)
{
    for (int a = 0; a < ND_MET_SIZE; a++) {
        for (int b = 0; b < ND_MET_SIZE; b++)
            met->before[a][b] = 0.5 + 0.5 * (b - a) / (a + b + 3.0);
        met->after[0][a] = met->after[1][a] = 0.5 * pow(0.7, a);
    }
}

static nd_stakes random_stakes(uint32_t *counter, const nd_met *met)
{
    nd_stakes s = {
        .outcomes = 6, .points = {1, 2, 3, -1, -2, -3}, .max_cube = INFINITY, .cap = INFINITY};
    const int kind = (int)(uniform(counter) * 4);
    if (kind == 0) s.jacoby = true;
    if (kind == 1) s.cap = 1 + (int)(uniform(counter) * 12), s.beavers = s.raccoons = true;
    if (kind == 2) s.max_cube = ldexp(1, (int)(uniform(counter) * 6)), s.beavers = true;
    if (kind == 3) {
        s.met = met;
        s.own_needs = 1 + (int)(uniform(counter) * 15);
        s.opp_needs = 1 + (int)(uniform(counter) * 15);
        if (s.own_needs == 1 || s.opp_needs == 1) s.crawford = ND_CRAWFORD_OVER;
    }
    return s;
}

static void check_models(void)
{
    nd_met met, other;
    fill(&met);
    CHECK_INT(nd_met_check(&met), ND_OK);
    uint32_t counter = 1;
    for (int i = 0; i < 2000; i++) {
        const nd_stakes s = random_stakes(&counter, &met);
        CHECK_INT(nd_stakes_check(&s), ND_OK);
        double p[6], sum = 0;
        for (int c = 0; c < 6; c++) sum += p[c] = uniform(&counter);
        for (int c = 0; c < 6; c++) p[c] /= sum;
        const double q[6] = {p[3], p[4], p[5], p[0], p[1], p[2]};
        const nd_mix mix = nd_mix_of(6, p), flipped = nd_mix_of(6, q);
        const nd_stakes t = nd_stakes_swap(&s, &other);
        nd_cube_model here, there;
        nd_cube_model_make(&s, &mix, 1, &here);
        nd_cube_model_make(&t, &flipped, 1, &there);
        const double x = uniform(&counter), whole = s.met ? 1 : 0;
        for (nd_owner o = ND_CENTRE; o < ND_OWNERS; o++) {
            const nd_owner back = o == ND_OWN ? ND_OPP : o == ND_OPP ? ND_OWN : o;
            const nd_cube_values v = nd_cube_values_of(&here, o, x);
            const nd_cube_values w = nd_cube_values_of(&there, back, x);
            CHECK(fabs(v.hold[o] + w.hold[back] - whole) < 1e-9);
            CHECK(v.hold[ND_OWN] >= v.hold[ND_OPP] - 1e-12);
            CHECK(!isfinite(v.take) || nd_cube_decided(&v, ND_OWN) >= v.hold[ND_OWN]);
        }
        const nd_windows window = nd_cube_windows(&here, x);
        CHECK(!(window.redouble > window.cash + 1e-9));
        CHECK(!(window.take < 0) && !(window.take > 1));
    }
}

static void check_exact(void)
{
    nd_exact *exact = NULL;
    CHECK_INT(nd_exact_new(&exact), ND_OK);
    nd_met met;
    fill(&met);
    uint32_t counter = 7;
    for (int i = 0; exact && i < 40; i++) {
        nd_stakes s = random_stakes(&counter, &met);
        s.jacoby = false;
        nd_cube_values v;
        const uint32_t own = 1 + (uint32_t)(uniform(&counter) * 80);
        const uint32_t opp = 1 + (uint32_t)(uniform(&counter) * 80);
        const nd_status status = nd_exact_solve(exact, &s, 1, own, opp, &v);
        if (nd_stakes_turns(&s, 1) < 0) {
            CHECK_INT(status, ND_BAD_ARGUMENT);
            continue;
        }
        CHECK_INT(status, ND_OK);
        CHECK(v.hold[ND_OWN] >= v.hold[ND_CENTRE] - 1e-12);
        CHECK(v.hold[ND_CENTRE] >= v.hold[ND_OPP] - 1e-12);
        CHECK(v.hold[ND_OWN] >= v.cubeless - 1e-12 && v.cubeless >= v.hold[ND_OPP] - 1e-12);
        CHECK_INT(nd_exact_solve(exact, &s, 1, 0, opp, &v), ND_BAD_ARGUMENT);
    }
    nd_exact_free(exact);
    nd_exact_free(NULL);
}

static void check_refusals(void)
{
    nd_met met;
    fill(&met);
    const nd_stakes good = {
        .outcomes = 6, .points = {1, 2, 3, -1, -2, -3}, .max_cube = INFINITY, .cap = INFINITY};
    nd_stakes s = good;
    CHECK_INT(nd_stakes_check(&s), ND_OK);
    s.points[1] = 0;
    CHECK_INT(nd_stakes_check(&s), ND_BAD_ARGUMENT);
    s = good, s.cap = NAN;
    CHECK_INT(nd_stakes_check(&s), ND_BAD_ARGUMENT);
    s = good, s.crawford = ND_CRAWFORD_NOW;
    CHECK_INT(nd_stakes_check(&s), ND_BAD_ARGUMENT);
    s = good, s.met = &met, s.own_needs = 3, s.opp_needs = 65;
    CHECK_INT(nd_stakes_check(&s), ND_BAD_ARGUMENT);
    s.opp_needs = 5, s.jacoby = true;
    CHECK_INT(nd_stakes_check(&s), ND_BAD_ARGUMENT);
    met.before[3][4] = NAN;
    CHECK_INT(nd_met_check(&met), ND_BAD_ARGUMENT);
    fill(&met);
    met.after[1][5] = 0.9;
    CHECK_INT(nd_met_check(&met), ND_BAD_ARGUMENT);
}

int main(void)
{
    check_models();
    check_exact();
    check_refusals();
    return check_end("value");
}
