/* A first look at many results of a roll, for a tenth of what the smallest net costs: a linear worth
 * of checkers by place and number, fitted to what a net says of the results of its own rolls.
 *
 * Only for what may miss the best reply now and then, such as estimates of luck. A sieve is a
 * function of the evaluator that it was fitted to, bit for bit.
 */
#ifndef ND_SEARCH_SIEVE_H
#define ND_SEARCH_SIEVE_H

#include "search/evaluator.h"

enum { ND_SIEVE_POINT = 1 << 18 }; /* how much a point of equity is in the tables */

struct nd_sieve {
    const nd_rules *rules;
    /* To the mover: when one of his so many checkers leaves a slot, and when another one reaches it;
     * and so many checkers of the other side. */
    int32_t leave[ND_SLOTS][ND_CHECKERS + 1], reach[ND_SLOTS][ND_CHECKERS + 1];
    int32_t opp[ND_SLOTS][ND_CHECKERS + 1];
};

/* Fitted on games of the evaluator's rules that its cheapest nets play: positions of the phase. */
nd_status nd_sieve_fit(const nd_evaluator *ev, nd_phase phase, nd_sieve *out);

/* Of the results of a roll of the board, the `keep` best by the sieve (1..ND_MAX_KEEP); their indices
 * go to `out`, best first and ties by index. Returns how many. */
size_t nd_sieve_sift(const nd_sieve *sieve, const nd_board *board, const nd_results *results,
                     size_t keep, uint32_t *out);

#endif
