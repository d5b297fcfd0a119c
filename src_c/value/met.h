/* Match equity table: the chance of winning a match from any score between two games.
 *
 * A value of fixed size, so it is copied and shared freely. Scores are told as points still needed,
 * 1..ND_MET_SIZE. A table may be skewed (one player the better), so it belongs to the side `own`;
 * nd_met_swap makes it the other side's.
 */
#ifndef ND_VALUE_MET_H
#define ND_VALUE_MET_H

#include <stdbool.h>

#include "base/status.h"

enum { ND_MET_SIZE = 64 };

typedef struct nd_met {
    /* [a - 1][b - 1]: own needs a, opp needs b and the Crawford game is not behind them: where one
     * side needs 1 it is the next game. */
    double before[ND_MET_SIZE][ND_MET_SIZE];
    /* [s][n - 1]: the Crawford game is over, side s (0 = own) trails and needs n, the other side
     * needs 1: the chance of the trailer. */
    double after[2][ND_MET_SIZE];
} nd_met;

/* ND_BAD_ARGUMENT unless all chances lie in 0..1 and needing fewer points is never worse. */
nd_status nd_met_check(const nd_met *met);

nd_met nd_met_swap(const nd_met *met);

/* Own's chance with these points needed; none left (<= 0) has won. `crawford_over`: the Crawford
 * game has been played. Points needed are at most ND_MET_SIZE. */
double nd_met_chance(const nd_met *met, int own, int opp, bool crawford_over);

#endif
