/* Search with the cube in play: what a position is worth to a side that may double before it rolls.
 *
 * At 0 plies that is the cube model's answer to the chances that nets and tables give (value/cube.h).
 * At n it is, for the cube where it stands, the mean over the rolls of what the best play leads to at
 * n - 1 plies, the other side doubling, passing and taking as it does best there; for each turn of
 * the cube that may come before, the same with the cube turned. Every place of the cube has its own
 * best plays. Finished games are worth what they pay, and small bear-offs for money are exact.
 *
 * The tree judges replies by `points` that are the slopes of the cube model at an even position with
 * the cube as at the root, and compares those that the plan's `tree_cubeful` lets
 * pass by their cubeful values.
 */
#ifndef ND_SEARCH_CUBEFUL_H
#define ND_SEARCH_CUBEFUL_H

#include "search/evaluator.h"
#include "value/cube.h"
#include "value/exact.h"

/* The game's stakes and cube as the side on roll at the root sees them. */
typedef struct nd_cube_setting {
    const nd_stakes *stakes;
    double cube;
    nd_owner owner;
    nd_efficiency efficiency;
    const nd_bearoff_two *two; /* exact cubeful values of bear-offs for money; NULL = not at hand */
} nd_cube_setting;

/* ND_BAD_ARGUMENT for stakes that nd_stakes_check refuses or that are another game's, a cube below 1
 * and efficiencies outside 0..1. */
nd_status nd_cube_setting_check(const nd_cube_setting *set, const nd_rules *rules);

/* One position at 0..ND_MAX_PLIES plies: `chances` are those of the plays that are best when nobody
 * doubles now; of values->hold only the owner's is not NaN. */
nd_status nd_evaluate_cubeful(const nd_evaluator *ev, const nd_plan *plan, nd_search *search,
                              const nd_board *board, int plies, const nd_cube_setting *set,
                              float chances[ND_MAX_OUTCOMES], nd_cube_values *values);

#endif
