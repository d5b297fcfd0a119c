#include "value/stakes.h"

#include <math.h>
#include <stddef.h>

static bool at_least_one(double limit) { return limit >= 1; /* false for a NaN */ }

nd_status nd_stakes_check(const nd_stakes *s)
{
    const int half = s->outcomes / 2;
    if (s->outcomes % 2 || half < 1 || s->outcomes > ND_MAX_OUTCOMES) return ND_BAD_ARGUMENT;
    for (int c = 0; c < half; c++) {
        const int least = c ? s->points[0] : 1; /* nothing is worth less than a single game */
        if (s->points[c] < least || s->points[c] > 32767) return ND_BAD_ARGUMENT;
        if (s->points[half + c] != -s->points[c]) return ND_BAD_ARGUMENT;
    }
    if (!at_least_one(s->max_cube) || !at_least_one(s->cap)) return ND_BAD_ARGUMENT;
    if (!s->met) return s->crawford == ND_CRAWFORD_BEFORE ? ND_OK : ND_BAD_ARGUMENT;
    if (s->jacoby || s->beavers || s->raccoons || s->cap < INFINITY) return ND_BAD_ARGUMENT;
    if (s->own_needs < 1 || s->own_needs > ND_MET_SIZE) return ND_BAD_ARGUMENT;
    if (s->opp_needs < 1 || s->opp_needs > ND_MET_SIZE) return ND_BAD_ARGUMENT;
    if (s->crawford != ND_CRAWFORD_BEFORE && s->own_needs > 1 && s->opp_needs > 1)
        return ND_BAD_ARGUMENT;
    return ND_OK;
}

nd_stakes nd_stakes_swap(const nd_stakes *s, nd_met *room)
{
    nd_stakes out = *s;
    if (!s->met) return out;
    *room = nd_met_swap(s->met);
    out.met = room;
    out.own_needs = s->opp_needs;
    out.opp_needs = s->own_needs;
    return out;
}

double nd_stakes_value(const nd_stakes *s, double points)
{
    if (!s->met) return fmax(-s->cap, fmin(s->cap, points));
    /* More than the match still asks for is as good as what it asks for. */
    const double own = s->own_needs - fmax(points, 0), opp = s->opp_needs + fmin(points, 0);
    return nd_met_chance(s->met, (int)fmax(own, 0), (int)fmax(opp, 0),
                         s->crawford != ND_CRAWFORD_BEFORE);
}

double nd_stakes_class(const nd_stakes *s, int c, double cube, bool turned)
{
    int points = s->points[c];
    if (s->jacoby && !turned) points = points > 0 ? s->points[0] : s->points[s->outcomes / 2];
    return nd_stakes_value(s, points * cube);
}

double nd_stakes_equity(const nd_stakes *s, double cube, double value)
{
    if (!s->met) return value / cube;
    const double win = nd_stakes_value(s, cube), lose = nd_stakes_value(s, -cube);
    return win > lose ? (2 * value - win - lose) / (win - lose) : 0;
}

double nd_stakes_unequity(const nd_stakes *s, double cube, double equity)
{
    if (!s->met) return equity * cube;
    const double win = nd_stakes_value(s, cube), lose = nd_stakes_value(s, -cube);
    return (win + lose + equity * (win - lose)) / 2;
}

double nd_gammon_value(const nd_stakes *s, double cube, bool own_wins, int c)
{
    const int half = s->outcomes / 2, first = own_wins ? 0 : half, other = half - first;
    const double single = nd_stakes_class(s, first, cube, true);
    const double swing = single - nd_stakes_class(s, other, cube, true);
    /* Adding nothing turns -0 into 0. */
    return swing != 0 ? (nd_stakes_class(s, first + c, cube, true) - single) / swing + 0.0 : 0;
}

int nd_stakes_turns(const nd_stakes *s, double cube)
{
    double enough = s->cap;
    if (s->met) enough = s->own_needs > s->opp_needs ? s->own_needs : s->opp_needs;
    if (s->max_cube >= INFINITY && enough >= INFINITY) return -1;
    int turns = 0;
    while (cube < enough && 2 * cube <= s->max_cube) {
        cube *= 2;
        turns++;
    }
    return turns;
}
