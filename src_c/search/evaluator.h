/* Static evaluation (0-ply) of any position, and the choice of a play with it.
 *
 * An evaluator is an immutable model: the rules, one net for each phase that needs one, exact
 * tables, and the limits of preselection. It may be shared by all threads; what changes lives in
 * an nd_search, one per thread.
 *
 * Where a side is owed a last roll (ND_OWED), probabilities may add up to less than 1: the rest are
 * draws. Tables count it, and a game that it may still change is worth the mean over that roll;
 * nets do not know of it, nor what comes of it earlier in the game.
 *
 * Probabilities are always those of the SIDE ON ROLL (`own`), `rules->outcomes` exclusive classes a
 * position. Equity is their dot product with `points`: cubeless, in points, unless the caller puts
 * other values there (match play).
 */
#ifndef ND_SEARCH_EVALUATOR_H
#define ND_SEARCH_EVALUATOR_H

#include "base/threads.h"
#include "nets/net.h"
#include "rules/rules.h"
#include "search/filter.h"
#include "tables/bearoff.h"
#include "tables/long_race.h"

typedef struct nd_sieve nd_sieve;

typedef struct nd_evaluator {
    const nd_rules *rules;
    nd_options options;
    const nd_kernels *kernels;
    const nd_net *net[ND_PHASES];   /* playing nets; NULL where tables or rules answer */
    const nd_net *small[ND_PHASES]; /* cheap nets for preselection; NULL = none */
    const nd_bearoff_one *bearoff;  /* NULL = the race net answers */
    const nd_long_race *race;       /* answers the races it knows; NULL = none */
    float points[ND_MAX_OUTCOMES];  /* value of each class for the side asked about */
    int keep;     /* preselection: at most so many candidates of a roll reach the playing net
                     (0 = no preselection, at most ND_MAX_KEEP) */
    float within; /* and only those within this equity of the small net's best */
    const nd_sieve *sieve[ND_PHASES]; /* search/sieve.h; NULL = none */
    int sift[ND_PHASES]; /* where all rolls are looked at, only so many results of each that the
                            sieve likes best are judged at all; at most ND_MAX_KEEP */
} nd_evaluator;

typedef struct nd_search nd_search;
nd_status nd_search_new(nd_search **out);
void nd_search_free(nd_search *search);

/* From now on searches of a ply and more with this scratch end with ND_CANCELLED soon after the flag
 * is raised; NULL = cannot be stopped. */
void nd_search_stop_by(nd_search *search, const nd_stop *stop);

/* Class probabilities of `n` positions: out[n][outcomes]. `near` is a board close to all of them
 * (same side on roll), which makes nets faster, or NULL. `cheap` takes the small nets where there
 * are some. Returns ND_NO_MEMORY or ND_OK. */
nd_status nd_static(const nd_evaluator *ev, nd_search *search, const nd_board *near,
                    const nd_board *boards, size_t n, bool cheap, float *out);

/* Dot product with ev->points, in class order. */
float nd_equity(const nd_evaluator *ev, const float *probabilities);

/* Probabilities as the other side sees them. */
void nd_flip(int outcomes, const float *in, float *out);

/* A result of a roll after evaluation. */
typedef struct nd_candidate {
    int index;                          /* into the results of the roll */
    bool full;                          /* judged by the playing net, not only preselected */
    float equity;                       /* for the mover */
    float probability[ND_MAX_OUTCOMES]; /* mover's view */
} nd_candidate;

/* All results of a roll, evaluated at 0-ply and sorted best first: fully judged candidates, then
 * the others in the small net's order; ties by index. `*results` and `*candidates` belong to the
 * search and live until its next use. */
nd_status nd_choose(const nd_evaluator *ev, nd_search *search, const nd_board *board, int d1,
                    int d2, const nd_results **results, const nd_candidate **candidates,
                    int *count);

/* What the playing net judged of the results of a roll, for those who choose in their own way. They
 * are numbered at[0..count-1], or 0..count-1 where `at` is NULL: board[i] with the OTHER side on
 * roll, value[i][outcomes] as that side sees it. `best` is the number of nd_best_play's choice. A
 * single result that preselection leaves is not judged. All belongs to the search and lives until
 * its next use. */
typedef struct nd_finalists {
    const nd_board *board;
    const float *value;
    const uint32_t *at;
    size_t count, best;
    bool judged;
} nd_finalists;

nd_status nd_judge_roll(const nd_evaluator *ev, nd_search *search, const nd_board *board, int d1,
                        int d2, nd_finalists *out);

/* The board after the best play of a roll at 0-ply, the OTHER side on roll: nd_choose for those who
 * want no more than that. */
nd_status nd_best_play(const nd_evaluator *ev, nd_search *search, const nd_board *board, int d1,
                       int d2, nd_board *out);

/* One ply of look-ahead: the side on roll plays each of the 21 rolls by its best 0-ply play. `out`
 * receives the mean, over the 15 unlike rolls alone if `opening`. If `best` is given, best[i] is the
 * board after the best play of roll i (the OTHER side on roll); if `value` is given, value[i] are
 * its probabilities seen by the side on roll of `board`. Rolls in the order 11 12 … 16 22 … 66. */
enum { ND_ROLLS = 21 };
nd_status nd_lookahead(const nd_evaluator *ev, nd_search *search, const nd_board *board,
                       bool opening, float out[ND_MAX_OUTCOMES], nd_board best[ND_ROLLS],
                       float value[ND_ROLLS][ND_MAX_OUTCOMES]);

/* The rolls in that order, and their weights out of 36. */
extern const uint8_t nd_roll_dice[ND_ROLLS][2];

static inline int nd_roll_weight(int roll)
{
    return nd_roll_dice[roll][0] == nd_roll_dice[roll][1] ? 1 : 2;
}

static inline int nd_roll_index(int d1, int d2)
{
    const int a = d1 < d2 ? d1 : d2, b = d1 < d2 ? d2 : d1;
    return (a - 1) * (14 - a) / 2 + b - a;
}

#endif
