/* What a finished game is worth to the side `own`: money or a step in a match.
 *
 * A `value` is in points with the cube counted in (money) or own's chance to win the match. An
 * `equity` is the same on the scale where winning or losing the present cube is +1 and -1: points
 * a unit of cube for money, equivalent-to-money for a match.
 */
#ifndef ND_VALUE_STAKES_H
#define ND_VALUE_STAKES_H

#include "rules/rules.h"
#include "value/met.h"

/* Where the game stands with the Crawford rule; money games are ND_CRAWFORD_BEFORE. */
typedef enum nd_crawford {
    ND_CRAWFORD_BEFORE,
    ND_CRAWFORD_NOW, /* no doubling in this game */
    ND_CRAWFORD_OVER
} nd_crawford;

typedef struct nd_stakes {
    int outcomes; /* exclusive classes, wins first, as in nd_rules */
    int points[ND_MAX_OUTCOMES];
    double max_cube; /* the cube never goes above; INFINITY = no limit */
    /* money */
    double cap;    /* a game's points are cut here; INFINITY = not at all */
    bool jacoby;   /* with the cube in the centre every game counts single */
    bool beavers;  /* who is doubled may redouble at once and keep the cube */
    bool raccoons; /* and the first doubler may turn it once more */
    /* match; met NULL = money */
    const nd_met *met;
    int own_needs, opp_needs;
    nd_crawford crawford;
} nd_stakes;

/* ND_BAD_ARGUMENT for what no game can be played for. */
nd_status nd_stakes_check(const nd_stakes *s);

/* The same game as the other side sees it. `met` becomes *room, filled here (may be NULL for
 * money). */
nd_stakes nd_stakes_swap(const nd_stakes *s, nd_met *room);

/* Value of winning (> 0) or losing (< 0) so many points, the cube counted in. */
double nd_stakes_value(const nd_stakes *s, double points);

/* Value of a game that ends in class c with this cube; `turned`: somebody has doubled. */
double nd_stakes_class(const nd_stakes *s, int c, double cube, bool turned);

double nd_stakes_equity(const nd_stakes *s, double cube, double value);
double nd_stakes_unequity(const nd_stakes *s, double cube, double equity); /* its inverse */

/* What a class of win is worth beyond a single one, by the swing of a single game: for money
 * (2 - 1) / (1 + 1) = 0.5 a gammon. `c` counts from 0 within wins or losses of own. */
double nd_gammon_value(const nd_stakes *s, double cube, bool own_wins, int c);

/* How many more turns of the cube can still change something, given that the cube may be turned;
 * -1 = no end (money without a limit). */
int nd_stakes_turns(const nd_stakes *s, double cube);

#endif
