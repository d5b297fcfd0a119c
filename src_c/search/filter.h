/* Which candidates go on to the next, dearer judgement, and the set of such limits a search uses.
 *
 * A PLAN belongs to a question, not to a model: it says where a search looks closely. `promote`
 * and `select` are for the decision asked about, by the phase of its position; the `tree_` ones for
 * plays inside the tree, where a miss costs little and happens thousands of times.
 */
#ifndef ND_SEARCH_FILTER_H
#define ND_SEARCH_FILTER_H

#include <stddef.h>

#include "rules/rules.h"

enum { ND_MAX_PLIES = 4, ND_MAX_KEEP = 64 };

/* At most `keep` of the candidates, and only those within this equity of the best. keep 0 = all of
 * them, however far behind. */
typedef struct nd_filter {
    int keep;
    float within;
} nd_filter;

typedef struct nd_plan {
    /* Results of the roll that the playing net sees, in the small net's order; keep <= ND_MAX_KEEP.
     * Counts only where there is a small net. */
    nd_filter select[ND_PHASES];
    /* promote[k]: those evaluated at k plies that are evaluated at k + 1. */
    nd_filter promote[ND_MAX_PLIES][ND_PHASES];
    /* tree_select[n - 1]: the same as `select` for the replies in a position evaluated at n plies. */
    nd_filter tree_select[ND_MAX_PLIES];
    /* tree_promote[n - 1]: of the replies in a position evaluated at n plies, in the playing net's
     * order, those of which the best at n - 1 plies is taken to be played. For n = 1 the playing
     * net's best is. */
    nd_filter tree_promote[ND_MAX_PLIES];
    /* Of the replies in a position with the cube in play, in the playing net's order, those compared
     * by their cubeful values before the last ply. */
    nd_filter tree_cubeful;
    int cache; /* entries of the search's cache, rounded up to a power of two; 0 = none. Values do
                  not depend on it. */
} nd_plan;

/* The limits in use unless the caller has his own. */
extern const nd_plan nd_plan_default;

/* ND_BAD_ARGUMENT for negative or too large numbers, or not a number. */
nd_status nd_plan_check(const nd_plan *plan);

/* Does candidate number `rank` (0 = best) of this equity go on, when the best one's is `best`? */
static inline bool nd_filter_passes(nd_filter f, size_t rank, float equity, float best)
{
    return rank == 0 || f.keep == 0 || (rank < (size_t)f.keep && equity >= best - f.within);
}

#endif
