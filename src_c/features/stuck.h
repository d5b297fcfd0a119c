/* Blocked checkers, for feature sets. */
#ifndef ND_FEATURES_STUCK_H
#define ND_FEATURES_STUCK_H

#include "rules/board.h"

/* Bit 12 - d of the index says that the point d pips ahead of a checker is blocked: of the 36
 * rolls, how many do not bring it past the block (make_escapes.py). */
extern const uint8_t nd_stuck[4096];

/* The same for the rearmost of the slots `any`, with blocked points in the same numbers. Without
 * checkers the points ahead of slot 0 are looked at, and none of those is blocked. */
static inline int nd_not_past(uint32_t any, uint32_t block)
{
    return nd_stuck[(uint64_t)block << 12 >> nd_highest(any | 1) & 4095];
}

#endif
