/* Values as functions of one side's chance p to win: increasing, piecewise linear, and what two
 * players who may stop the game at a point make of them. */
#ifndef ND_VALUE_CURVES_H
#define ND_VALUE_CURVES_H

#include <stdbool.h>

/* From p[0] = 0 to p[n - 1] = 1. n = 0: no value. */
enum { ND_CURVE_NODES = 4 };

typedef struct nd_curve {
    int n;
    double p[ND_CURVE_NODES], v[ND_CURVE_NODES];
} nd_curve;

double nd_curve_value(const nd_curve *c, double p); /* NaN where n = 0 */

/* Lowest p with value v; 0 and 1 where the curve lies above or below. */
double nd_curve_inverse(const nd_curve *c, double v);

/* Where a player may stop the game, and what it is worth there to own. */
typedef struct nd_node {
    double p, v;
    bool used;
} nd_node;

/* Both may stop at their points, or one, or none: a player stops only where that is worth more to
 * him than playing on. `lose` and `win`: the ends. */
nd_curve nd_curve_stopping(double lose, nd_node opp, nd_node own, double win);

/* One side may turn the cube now or never: up to its point it does and is taken, from there on it
 * is passed, or plays on without a cube where that is worth more. */
nd_curve nd_curve_now_or_never(double lose, nd_node opp, nd_node own, double win);

static inline nd_curve nd_curve_straight(double lose, double win)
{
    return (nd_curve){.n = 2, .p = {0, 1}, .v = {lose, win}};
}

#endif
