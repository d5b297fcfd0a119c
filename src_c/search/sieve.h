/* A first look at many results of a roll, for a tenth of what the smallest net costs: a linear worth
 * of checkers by place and number, fitted to what a net says of the results of its own rolls.
 *
 * Only for what may miss the best reply now and then, such as estimates of luck. A sieve is a
 * function of the evaluator that it was fitted to, bit for bit.
 */
#ifndef ND_SEARCH_SIEVE_H
#define ND_SEARCH_SIEVE_H

#include "search/evaluator.h"

struct nd_sieve {
    float worth[2][ND_SLOTS][ND_CHECKERS + 1]; /* to the mover, of so many of a side's checkers */
};

/* A sieve that looks at what one board leads to. */
typedef struct nd_sieve_at {
    const nd_sieve *sieve;
    const nd_board *board;
    float worth[2][ND_SLOTS]; /* of the checkers that stand there now */
} nd_sieve_at;

/* Fitted on games of the evaluator's rules that its cheapest nets play: positions of the phase. */
nd_status nd_sieve_fit(const nd_evaluator *ev, nd_phase phase, nd_sieve *out);

/* `board` has to stay where it is for as long as `out` is used. */
void nd_sieve_set(const nd_sieve *sieve, const nd_board *board, nd_sieve_at *out);

/* Of the results of a roll of the board, the `keep` best by the sieve; their indices go to `out`,
 * best first and ties by index. Returns how many. */
size_t nd_sieve_sift(const nd_sieve_at *at, const nd_results *results, size_t keep, uint32_t *out);

#endif
