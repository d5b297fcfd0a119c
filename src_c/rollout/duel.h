/* Games of one player against another, in pairs with the same dice and the seats exchanged.
 *
 * A pair is a pure function of (plan, pair number), so the games have the same bits on any number
 * of threads and may be played in any pieces. Games go to their end, whatever tables know.
 *
 * The luck of a roll is what an evaluator thinks of the best reply to it, less the mean of that over
 * all rolls. Its expectation is zero whatever is played and whatever the evaluator is worth: results
 * less luck are unbiased, with a fraction of the variance where the evaluator is good.
 */
#ifndef ND_ROLLOUT_DUEL_H
#define ND_ROLLOUT_DUEL_H

#include "base/threads.h"
#include "search/nply.h"

/* Who chooses plays. `move` leaves in `out` the board after the play, the OTHER side on roll; `word`
 * is 32 random bits of this turn. Called from several threads at once, each with its own search. */
typedef struct nd_mover nd_mover;
struct nd_mover {
    nd_status (*move)(const nd_mover *self, nd_search *search, const nd_board *board, int d1,
                      int d2, uint32_t word, nd_board *out);
    const void *context;
    int plies; /* of look-ahead, for engines */
};

/* The evaluator's best play at so many plies, by nd_plan_default; any of the results by the
 * evaluator's rules and options, all as likely. */
nd_mover nd_engine_mover(const nd_evaluator *ev, int plies);
nd_mover nd_random_mover(const nd_evaluator *ev);

typedef struct nd_duel_plan {
    const nd_rules *rules;
    nd_mover side[2];
    const nd_evaluator *luck; /* NULL = luck is not estimated; its points are what luck is worth */
    uint64_t seed;
    bool opening;           /* the first roll is no double */
    const nd_board *starts; /* pair k begins with starts[k mod count] */
    int64_t count;
} nd_duel_plan;

typedef struct nd_duel_game {
    int32_t outcome; /* class for side 0; -1 = drawn, or cut after 2,000 plies */
    int32_t plies;
    double luck; /* in points: that of side 0 less that of side 1 */
} nd_duel_game;

/* Pairs first..first+pairs-1: games[pairs][2], side 0 begins the first game of a pair and side 1 the
 * second. When ND_CANCELLED is returned, games that were not played have 0 plies. */
nd_status nd_duel(const nd_duel_plan *plan, int64_t first, int pairs, int threads,
                  const nd_stop *stop, nd_duel_game *games);

#endif
