/* Every way to play one die in the home board, for the builders of the bear-off tables.
 *
 * With all checkers home and no contact any die can be played while a checker is left, and playing
 * either die first never loses the other; so the results of a roll are all results of its dice
 * played one after another in both orders.
 */
#ifndef ND_TABLES_BEAROFF_STEPS_H
#define ND_TABLES_BEAROFF_STEPS_H

#include "tables/bearoff.h"

typedef struct nd_bearoff_steps {
    uint16_t to[ND_BEAROFF_POINTS]; /* indices, each lower than the position's own */
    uint8_t count;                  /* 0 only for index 0 */
} nd_bearoff_steps;

/* steps[index][die - 1] for the first `positions` indices. Free with free(). */
nd_status nd_bearoff_steps_new(uint32_t positions, nd_bearoff_steps (**out)[6]);

/* The 21 rolls: each die less one, and how many of the 36 throws show them. */
typedef struct nd_bearoff_roll {
    int a, b, weight;
} nd_bearoff_roll;

extern const nd_bearoff_roll nd_bearoff_roll_list[21];

#endif
