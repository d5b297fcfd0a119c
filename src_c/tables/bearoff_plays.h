/* All results of each roll from each position of up to six checkers: what two-sided solvers walk. */
#ifndef ND_TABLES_BEAROFF_PLAYS_H
#define ND_TABLES_BEAROFF_PLAYS_H

#include "tables/bearoff_steps.h"

/* Distinct results of roll r (of nd_bearoff_roll_list) from position x > 0:
 * to[at[21 x + r]] .. to[at[21 x + r + 1] - 1], all lower than x. */
typedef struct nd_bearoff_plays {
    uint32_t at[21 * ND_BEAROFF_TWO_POSITIONS + 1];
    uint32_t used, room;
    uint16_t *to;
} nd_bearoff_plays;

/* On failure *out is whatever was made: free it all the same. */
nd_status nd_bearoff_plays_new(nd_bearoff_plays **out);
void nd_bearoff_plays_free(nd_bearoff_plays *plays);

#endif
