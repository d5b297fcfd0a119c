/* Rollouts: play a position to the end many times and average.
 *
 * Work is cut into chunks of ND_CHUNK trials. A chunk is a pure function of (plan, positions, chunk
 * number): it returns raw sums, and totals add chunks in order, so the result has the same bits on
 * any number of threads, in any order of execution, after any interruption.
 *
 * Variance reduction subtracts the luck of each roll: what an evaluator thinks of the best reply to
 * the roll thrown, less the mean of that over all rolls. Its expectation is zero whatever is played
 * and whatever the evaluator is worth, so a small fast net serves; a better one only cuts more
 * variance. All values are for the side on roll in the position rolled out.
 */
#ifndef ND_ROLLOUT_ROLLOUT_H
#define ND_ROLLOUT_ROLLOUT_H

#include "base/threads.h"
#include "search/evaluator.h"

enum { ND_CHUNK = 36, ND_MAX_SUBJECTS = 64 };

typedef struct nd_rollout_plan {
    const nd_evaluator *play; /* chooses plays at 0-ply; its points define equity */
    const nd_evaluator *luck; /* estimates luck; NULL = plain rollout; may equal `play` */
    uint64_t seed;
    int truncate; /* plies before the static value of `play` is taken; 0 = play to the end */
    bool opening; /* the first roll is no double */
} nd_rollout_plan;

/* Raw sums of one position over the trials of a chunk, or of several. */
typedef struct nd_sums {
    int64_t trials;
    double outcome[ND_MAX_OUTCOMES];
    double outcome_sq[ND_MAX_OUTCOMES];
    double equity, equity_sq;
    int64_t plies, truncated; /* truncated: trials cut by a safety limit of 2,000 plies, valued
                                 statically; not those the plan truncates */
} nd_sums;

/* Chunks first..first+count-1 of each of `n` positions, all with the same dice: sums[chunk][n], and
 * products[chunk][n][n] = sums of e_i e_j over trials (for paired differences), or NULL. `done`
 * (count flags) tells which chunks were finished when ND_CANCELLED is returned. */
nd_status nd_rollout(const nd_rollout_plan *plan, const nd_board *positions, int n, int64_t first,
                     int count, int threads, const nd_stop *stop, nd_sums *sums, double *products,
                     bool *done);

#endif
