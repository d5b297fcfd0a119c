/* What the first two rolls explain of the values of trials: they are stratified, so that part is no
 * error of the mean.
 *
 * Least squares for value = mean + effect of the first roll + effect of the second one. Over 36
 * blocks of trials all pairs of rolls occur, and each effect is seen in the mean of its roll. In
 * fewer blocks a roll meets some of the others only, and its mean holds a part of theirs: then the
 * pairs that were thrown decide.
 */
#ifndef ND_ROLLOUT_STRATA_H
#define ND_ROLLOUT_STRATA_H

#include "rollout/dice.h"

/* The part of the sum of squares of the values of trials 0 .. 36 blocks - 1 that the best mean and
 * effects explain, from the sums of values by first and by second roll; *parameters = how many
 * numbers were fitted, 71 where the blocks tie all rolls together. First rolls may be doubles. */
double nd_rollout_explained(uint64_t seed, int64_t blocks, const double first[ND_STRATA],
                            const double second[ND_STRATA], int *parameters);

#endif
