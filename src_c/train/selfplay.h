/* Labelled positions from self-play.
 *
 * A decision of a game labels all its good candidates (siblings) with a look-ahead of one ply,
 * optionally corrected by one more sampled ply with a roll common to the siblings, and the whole
 * game corrects the labels backwards by a variance-reduced lambda-return:
 *
 *     G = L + lambda (A - v)
 *
 * L is the mean over the 21 rolls after the best static reply to each, v the static value of that
 * reply for the roll that was really thrown, A the return of the position that was really reached.
 * The chance of the dice cancels in L and v, so the correction is small, has mean zero where the
 * net's values agree with its own look-ahead, and carries the truth back from the end of the game.
 * Siblings share the correction of the move that was played: their differences stay those of L.
 * So do the best replies to the common roll, another group of samples with L of their own: siblings
 * differ in the checkers of the side that has moved, their replies in those of the side on roll.
 * The return is cut where an exploring move follows.
 *
 * Without look-ahead the return is TD(lambda)'s: G = v' + lambda (G' - v'), the values of the next
 * position reached.
 *
 * A game is a pure function of (plan, evaluator, game number), whatever the number of threads.
 */
#ifndef ND_TRAIN_SELFPLAY_H
#define ND_TRAIN_SELFPLAY_H

#include "base/threads.h"
#include "search/evaluator.h"
#include "train/fit.h"

typedef struct nd_selfplay_plan {
    uint64_t seed;
    float lambda;        /* of games from the opening and from scrambled starts */
    float lambda_staged; /* of games from staged starts */
    bool lookahead;      /* false: plays are static choices, only the move played is labelled, and
                            its label is the plain lambda-return of the game (no luck is removed,
                            but labels cost almost nothing): for the first generations */
    float explore;       /* chance that a random candidate is played instead of the best */
    float window;        /* candidates within this static equity of the best are siblings, and
                            the ones to explore */
    int siblings;        /* at most so many of them, 1..ND_MAX_SIBLINGS */
    float stray;         /* chance of one more, random sibling from the rest */
    float second;        /* siblings whose label is within this of the best get a sampled second
                            ply; 0 = none do */
    float labelled;      /* share of the decisions that are labelled; the others are static choices
                            that only carry the return */
    float scrambled;     /* share of games that start after 4..31 random plies */
    float staged;        /* share of games that start from an invented board */
    int max_plies;       /* games longer than this are cut */
} nd_selfplay_plan;

enum { ND_MAX_SIBLINGS = 8 };

typedef struct nd_selfplay_stats {
    int64_t games, plies, labels;
    double correction[3];    /* sum of equity corrections by start: opening, scrambled, staged */
    double correction_sq[3]; /* sum of their squares */
    int64_t corrections[3];
} nd_selfplay_stats;

/* Play games first..first+games-1 and return their samples in game order; the caller frees
 * `*samples` with free(). ND_CANCELLED when the stop flag was raised. */
nd_status nd_selfplay(const nd_evaluator *ev, const nd_selfplay_plan *plan, int64_t first,
                      int games, int threads, const nd_stop *stop, nd_sample **samples,
                      size_t *count, nd_selfplay_stats *stats);

/* The distribution with the win chance and the equity of label + change that is nearest to `label`
 * in shape; `target` may be `label`. Limits: a win chance of 0.002..0.998, a tilt of exp(4) a
 * point. */
void nd_tilt(const float *points, int outcomes, const float *label, const float *change,
             float *target);

/* An invented start, see nd_rules.stage. `words` are eight random numbers. */
void nd_stage_start(const nd_rules *rules, const uint32_t words[8], nd_board *out);

#endif
