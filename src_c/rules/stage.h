/* Inventing boards: what the policies of the games share for nd_rules.stage. */
#ifndef ND_RULES_STAGE_H
#define ND_RULES_STAGE_H

#include "base/philox.h"
#include "rules/board.h"

/* A small generator whose state the caller keeps: the next 32 bits, the next number 0..n-1. */
static inline uint32_t nd_stage_next(uint32_t *state)
{
    return *state = *state * 1664525u + 1013904223u;
}

static inline int nd_stage_below(uint32_t *state, int n)
{
    return (int)nd_below(nd_stage_next(state), (uint32_t)n);
}

/* Throw `n` checkers of one side on the given slots, three times of four in pairs, so that points
 * are made as in real games. */
static inline void nd_stage_scatter(uint32_t side[ND_PLANES], int n, uint32_t slots,
                                    uint32_t *state)
{
    while (n > 0 && slots) {
        int k = nd_stage_below(state, nd_popcount(slots));
        uint32_t m = slots;
        while (k--) m &= m - 1;
        const uint32_t bit = m & (0u - m);
        int put = nd_stage_next(state) >> 30 ? 2 : 1;
        if (put > n) put = n;
        while (put--) nd_add(side, bit), n--;
    }
}

#endif
