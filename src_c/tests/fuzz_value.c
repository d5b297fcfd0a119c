/* Match equity tables, stakes and limits of searches from outside: what is accepted has values that
 * are numbers, in bounds, and every walk over the cube ends. */
#include <float.h>
#include <math.h>

#include "fuzz.h"
#include "search/filter.h"
#include "value/cube.h"

static double take_number(input *in)
{
    static const double telling[] = {0,   -1,       1,         2,     0.5,   64,
                                     1e9, INFINITY, -INFINITY, 1e308, -1e-9, DBL_MIN};
    const uint8_t how = take8(in);
    double x;
    if (how < sizeof telling / sizeof *telling) return telling[how];
    if (how < 128) return how / 127.0;
    take(in, &x, sizeof x);
    return x;
}

static void model(const nd_stakes *stakes, input *in)
{
    double p[ND_MAX_OUTCOMES], sum = 0;
    for (int c = 0; c < stakes->outcomes; c++) sum += p[c] = take8(in);
    for (int c = 0; c < stakes->outcomes; c++) p[c] = sum > 0 ? p[c] / sum : c == 0;
    const nd_mix mix = nd_mix_of(stakes->outcomes, p);
    const double cube = (double)(1u << take8(in) % 16), x = take8(in) / 255.0;
    nd_cube_model m;
    nd_cube_model_make(stakes, &mix, cube, &m);
    const bool bounded = stakes->met;
    for (int owner = 0; owner < ND_OWNERS; owner++) {
        const nd_cube_values v = nd_cube_values_of(&m, (nd_owner)owner, x);
        const double hold = v.hold[owner];
        EXPECT(isfinite(v.cubeless) && (isnan(hold) || isfinite(hold)));
        if (bounded) EXPECT(v.cubeless >= -1e-9 && v.cubeless <= 1 + 1e-9);
        if (bounded && !isnan(hold)) EXPECT(hold >= -1e-9 && hold <= 1 + 1e-9);
    }
    (void)nd_cube_windows(&m, x);
    EXPECT(nd_stakes_turns(stakes, cube) >= -1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static nd_met met, straight;
    input in = {data, size};
    nd_plan plan = nd_plan_default;
    for (int i = 0; i < ND_PHASES; i++)
        plan.select[i] = (nd_filter){(int)take32(&in) >> 24, (float)take_number(&in)};
    (void)nd_plan_check(&plan);

    if (straight.before[0][0] == 0) {
        for (int a = 0; a < ND_MET_SIZE; a++) {
            for (int b = 0; b < ND_MET_SIZE; b++) straight.before[a][b] = (b + 1.0) / (a + b + 2.0);
            straight.after[0][a] = straight.after[1][a] = 1.0 / (a + 2.0);
        }
        met = straight;
    }
    const uint8_t many = take8(&in);
    const int changes = many >> 3 == 1 ? many & 7 : 0; /* seldom: a whole table is much work */
    for (int i = 0; i < changes; i++) {
        const int a = take8(&in) % ND_MET_SIZE, b = take8(&in) % ND_MET_SIZE;
        *(b & 1 ? &met.before[a][b] : &met.after[b >> 1 & 1][a]) = take_number(&in);
    }
    const bool good = !changes || nd_met_check(&met) == ND_OK;
    const uint8_t how = take8(&in);
    nd_stakes s = {.outcomes = how & 1 ? 8 : 6,
                   .max_cube = INFINITY,
                   .cap = INFINITY,
                   .jacoby = how >> 1 & 1,
                   .beavers = how >> 2 & 1,
                   .raccoons = how >> 3 & 1,
                   .met = how & 16 ? &met : NULL,
                   .own_needs = (int8_t)take8(&in),
                   .opp_needs = (int8_t)take8(&in),
                   .crawford = (nd_crawford)(take8(&in) % 3)};
    for (int c = 0; c < s.outcomes / 2; c++)
        s.points[c] = c + 1, s.points[c + s.outcomes / 2] = -c - 1;
    if (how & 32) s.max_cube = take_number(&in);
    if (how & 64) s.cap = take_number(&in);
    if (how & 128) s.points[take8(&in) % 8] = (int16_t)take32(&in);
    if (good && nd_stakes_check(&s) == ND_OK) model(&s, &in);
    if (changes) met = straight;
    return 0;
}
