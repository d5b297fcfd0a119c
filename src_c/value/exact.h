/* Exact cubeful values of bear-offs of up to six checkers a side, for any stakes: best play and
 * best cube action by both sides at every later turn. Gammons are impossible there.
 *
 * A match, a stake cap or a limit on the cube ends the doubling, so the positions below the asked
 * one are solved for one cube after another, the last one first. Money without a limit comes from
 * the two-sided table.
 */
#ifndef ND_VALUE_EXACT_H
#define ND_VALUE_EXACT_H

#include "tables/bearoff.h"
#include "value/cube.h"

/* Plays of every roll; immutable and shared once made. */
typedef struct nd_exact nd_exact;
nd_status nd_exact_new(nd_exact **out);
void nd_exact_free(nd_exact *exact);

/* Own rolls next. own, opp in 1 .. ND_BEAROFF_TWO_POSITIONS - 1. Takes from microseconds up to
 * seconds for the largest positions of a long match. ND_BAD_ARGUMENT for stakes under which the
 * cube could be turned for ever: ask nd_exact_money. */
nd_status nd_exact_solve(const nd_exact *exact, const nd_stakes *s, double cube, uint32_t own,
                         uint32_t opp, nd_cube_values *out);

nd_cube_values nd_exact_money(const nd_bearoff_two *table, const nd_stakes *s, double cube,
                              uint32_t own, uint32_t opp);

#endif
