/* nardy.h: the engine's border, and its manual.
 *
 * This is the only header that the Python border includes. Read it top to bottom: values first,
 * then the rules of a game, then what evaluates, searches and rolls out. Each included header is
 * the manual of its room.
 *
 *   nd_status      what went wrong                                    base/status.h
 *   nd_container   checked files: nets and tables                     base/container.h
 *   nd_board       a position, 32 bytes, side to move = own           rules/board.h
 *   nd_rules       one game: plays of a roll, outcomes, phases        rules/rules.h
 *   nd_features    how a net sees a board                             features/features.h
 *   nd_net         a quantised net and its kernels                    nets/net.h
 *   nd_bearoff_*   exact bear-off tables                              tables/bearoff.h
 *   nd_long_race   race table of long nardy                           tables/long_race.h
 *   nd_met         match equity table                                 value/met.h
 *   nd_stakes      what a finished game is worth: money or match      value/stakes.h
 *   nd_cube_*      Janowski model, windows, cube efficiency           value/cube.h
 *   nd_exact_*     exact bear-offs at any score and cube              value/exact.h
 *   nd_evaluator   static evaluation, choice of a play, look-ahead    search/evaluator.h
 *   nd_sieve       a first, linear look at results                    search/sieve.h
 *   nd_cube_setting  search with the cube in play                     search/cubeful.h
 *   nd_plan        which candidates a search looks at closely         search/filter.h
 *   nd_choice      n-ply evaluation and choice, one or many           search/nply.h
 *   nd_rollout     trials, variance reduction, raw sums by chunk      rollout/rollout.h
 *   nd_rollout_explained  what the first two rolls are no error of    rollout/strata.h
 *   nd_duel        player against player, pairs of games, luck        rollout/duel.h
 */
#ifndef NARDY_H
#define NARDY_H

#include "base/container.h"
#include "base/status.h"
#include "base/threads.h"
#include "features/features.h"
#include "nets/net.h"
#include "rollout/duel.h"
#include "rollout/rollout.h"
#include "rollout/strata.h"
#include "rules/board.h"
#include "rules/rules.h"
#include "search/cubeful.h"
#include "search/evaluator.h"
#include "search/filter.h"
#include "search/nply.h"
#include "search/sieve.h"
#include "tables/bearoff.h"
#include "tables/long_race.h"
#include "value/cube.h"
#include "value/exact.h"
#include "value/met.h"
#include "value/stakes.h"

#endif
