/* Rollouts: play positions to the end many times and average.
 *
 * Work is cut into chunks of ND_CHUNK trials. A chunk is a pure function of (plan, subjects, chunk
 * number): it gives raw sums, and totals add chunks in order, so the result has the same bits on
 * any number of threads, in any order of execution, after any interruption.
 *
 * Variance reduction subtracts the luck of each roll: what an evaluator thinks of the best reply to
 * the roll thrown, less the mean of that over all rolls. Its expectation is zero whatever is played
 * and whatever the evaluator is worth, so a fast one serves; a better one only cuts more variance.
 *
 * With stakes the cube is in play: before each roll whoever may double does so where the cube model
 * says it gains, and a double is taken, passed or beavered in the other side's interest. A pass ends
 * the trial. Plays are chosen by cubeful worth.
 *
 * All values are for the side on roll in the subject's board.
 */
#ifndef ND_ROLLOUT_ROLLOUT_H
#define ND_ROLLOUT_ROLLOUT_H

#include "base/threads.h"
#include "rollout/dice.h"
#include "search/nply.h"
#include "value/exact.h"

enum { ND_CHUNK = 36, ND_MAX_SUBJECTS = 64 };

/* Plies of look-ahead of the decisions in a trial. */
typedef struct nd_rollout_level {
    int play, cube;
} nd_rollout_level;

typedef struct nd_rollout_plan {
    const nd_evaluator *play;    /* makes all decisions; its points define cubeless equity */
    const nd_evaluator *luck;    /* estimates luck; NULL = plain rollout; may equal `play` */
    const nd_plan *search;       /* limits of the look-ahead */
    nd_rollout_level level;      /* of the first `late` plies of a trial */
    nd_rollout_level late_level; /* of the plies from `late` on */
    int late;
    const nd_stakes *stakes; /* what the side on roll in the subjects plays for; NULL = no cube */
    nd_efficiency efficiency;
    const nd_bearoff_two *two; /* exact cubeful values of money bear-offs; NULL = not at hand */
    uint64_t seed;
    int truncate; /* plies before the value of `play` at the level of plays is taken; 0 = play to
                     the end */
    bool opening; /* the first roll is no double */
} nd_rollout_plan;

/* One thing to roll out. Without stakes only the board counts. */
typedef struct nd_subject {
    nd_board board;
    double cube;
    nd_owner owner; /* as the side on roll sees it */
    bool decided;   /* the side on roll has already decided about the cube, and rolls */
} nd_subject;

/* Raw sums of one subject over trials. All double, so that a chunk is one flat array; whole numbers
 * are exact. A value is what the trials are compared by: cubeless equity without stakes, else a
 * value of value/stakes.h (points with the cube counted in, or the chance to win the match). */
typedef struct nd_sums {
    double trials;
    double outcome[ND_MAX_OUTCOMES]; /* classes; a trial ended by a pass counts by what the
                                        evaluator said there */
    double outcome_sq[ND_MAX_OUTCOMES];
    double equity, equity_sq; /* cubeless */
    double value, value_sq;
    double plies;
    double cut;                                 /* trials ended by a safety limit of 2,000 plies */
    double turns;                               /* of the cube in the trials */
    double passes;                              /* trials ended by a pass */
    double first[ND_STRATA], second[ND_STRATA]; /* of values, by the first and by the second roll */
} nd_sums;

/* What is wrong with a plan or the subjects; ND_OK if nothing. */
nd_status nd_rollout_check(const nd_rollout_plan *plan, const nd_subject *subjects, int n);

/* Doubles in the raw sums of a chunk of n subjects: nd_sums of each, then the n x n sums over the
 * trials of value_i value_j, for paired differences. */
size_t nd_rollout_length(int n);

/* Chunks first..first+count-1 of `n` subjects, all with the same dice: raw[count][length]. `active`
 * (n flags, NULL = all): the others are left out, with zeros for sums. Trials are shared out among
 * threads singly. `done` (count flags) tells which chunks were finished when ND_CANCELLED is
 * returned. */
nd_status nd_rollout(const nd_rollout_plan *plan, const nd_subject *subjects, int n,
                     const bool *active, int64_t first, int count, int threads, const nd_stop *stop,
                     double *raw, bool *done);

#endif
