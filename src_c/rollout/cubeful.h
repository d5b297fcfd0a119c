/* The cube in a trial: what positions are worth with it, and what is done with it.
 *
 * Sides are 0 = on roll where the trial began, and 1. Values are on the scale of value/stakes.h, of
 * the side named.
 */
#ifndef ND_ROLLOUT_CUBEFUL_H
#define ND_ROLLOUT_CUBEFUL_H

#include "rollout/rollout.h"

/* What all trials of a rollout share. */
typedef struct nd_table {
    const nd_rollout_plan *plan;
    nd_stakes stakes[2]; /* as each side sees them */
    nd_met met;          /* that of side 1 */
} nd_table;

void nd_table_set(nd_table *t, const nd_rollout_plan *plan);

/* A cube, and what follows from it. */
typedef struct nd_cube {
    double value;
    int owner;                        /* a side, -1 = centre */
    double worth[2][ND_MAX_OUTCOMES]; /* of each class to each side, if the cube stays */
    float points[2][ND_MAX_OUTCOMES]; /* the same as equities, gammons always counted */
    bool alive;                       /* somebody may still turn it and it would matter */
} nd_cube;

void nd_cube_set(const nd_table *t, double value, int owner, nd_cube *cube);

/* The side's value in the other's. */
static inline double nd_other_value(const nd_table *t, double value)
{
    return t->plan->stakes->met ? 1 - value : -value;
}

/* What comes of the cube action before `side` rolls. */
typedef struct nd_cube_action {
    int turns; /* 0 = no double; 1 = taken; 2 = beavered and accepted; 3 = raccoon and accepted */
    bool pass; /* the last turn was not accepted: the game ends ... */
    double worth; /* ... with this value to `side` */
} nd_cube_action;

/* May `side`, about to roll, double? */
bool nd_may_double(const nd_table *t, const nd_cube *cube, int side);

/* `p`: chances of the side, on roll. */
nd_cube_action nd_cube_act(const nd_table *t, const nd_cube *cube, int side, const nd_board *board,
                           const float *p);

/* Value of a position to the side on roll, which may still double if `free`. */
double nd_cubeful_value(const nd_table *t, const nd_cube *cube, int side, const nd_board *board,
                        const float *p, bool free);

/* Are the values of this position exact, so that playing on only adds noise? */
bool nd_cubeful_settled(const nd_table *t, const nd_cube *cube, const nd_board *board);

/* Values of many positions that lie close together, `side` on roll in all of them: exact in what
 * games are worth with this cube, and by one model of the cube, made for the chances `mix`, in what
 * turning it adds. at[i], or i where `at` is NULL, numbers board and chances p[][outcomes]. */
void nd_cubeful_values(const nd_table *t, const nd_cube *cube, int side, const float *mix,
                       const nd_board *board, const float *p, const uint32_t *at, size_t n,
                       double *out);

#endif
