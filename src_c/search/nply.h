/* Look-ahead of several plies: evaluation of a position and choice of a play.
 *
 * Plies are counted as gnubg does. At 0 plies a position is worth what nets and tables say; at n it
 * is worth the mean, over the 21 rolls of the side on roll, of what its best play leads to at n - 1
 * plies. Which plays are looked at is the plan's affair (search/filter.h). A finished game, and a
 * bear-off that the tables know, have their exact value at every level.
 *
 * Values are a function of (evaluator, plan, position, plies): the batch, the number of threads,
 * the kernel set and what a cache holds do not change a bit.
 */
#ifndef ND_SEARCH_NPLY_H
#define ND_SEARCH_NPLY_H

#include "base/threads.h"
#include "search/cubeful.h"
#include "search/evaluator.h"

/* Class probabilities of one position at 0..ND_MAX_PLIES plies: out[outcomes]. ND_BAD_ARGUMENT for
 * other plies or a plan that nd_plan_check refuses. */
nd_status nd_evaluate_nply(const nd_evaluator *ev, const nd_plan *plan, nd_search *search,
                           const nd_board *board, int plies, float out[ND_MAX_OUTCOMES]);

/* One result of a roll with the level it was judged at. */
typedef struct nd_choice {
    nd_board board; /* the mover's checkers still `own` */
    nd_play play;
    int level;                          /* plies; ND_LEVEL_SMALL = by the small net alone */
    float equity;                       /* for the mover */
    float cubeless;                     /* the same if the cube is not turned any more */
    float probability[ND_MAX_OUTCOMES]; /* mover's view */
    int index;                          /* into the results of the roll */
} nd_choice;

enum { ND_LEVEL_SMALL = -1 };

/* All results of a roll, worth what their chances are by the evaluator's `points`; with the cube in
 * play (`set`, see search/cubeful.h) their cubeful equity. They come in groups of one level each, the deepest group first, and best
 * first within a group; equals, such as all plays after which the other side doubles us out, by
 * `cubeless`, then by index. Equities of unlike levels are not compared, except that
 * none is higher than the first one's: a candidate that a filter left behind is searched after all
 * when those searched come out below it. So the first candidate is at `plies`, and also leads when
 * everything is sorted by equity alone. At least `least` of them (all, if there are fewer) are at
 * `plies`, whatever the filters say. `*choices` belongs to the search and lives until its next
 * use. */
nd_status nd_choose_nply(const nd_evaluator *ev, const nd_plan *plan, nd_search *search,
                         const nd_board *board, int d1, int d2, int plies, int least,
                         const nd_cube_setting *set, const nd_choice **choices, int *count);

/* What nd_choose_nply says of a result at so many plies: `board` has the other side on roll; the
 * answer and `set` are the mover's. */
nd_status nd_judge_nply(const nd_evaluator *ev, const nd_plan *plan, nd_search *search,
                        const nd_board *board, int plies, const nd_cube_setting *set,
                        float probability[ND_MAX_OUTCOMES], float *equity);

/* Both for many positions on `threads` threads (0 = one per processor). out[n][outcomes]. */
nd_status nd_evaluate_many(const nd_evaluator *ev, const nd_plan *plan, const nd_board *boards,
                           size_t n, int plies, int threads, const nd_stop *stop, float *out);

/* The first `top` choices of each decision: out[n][top]; counts[i] is how many there are. `sets`: n of
 * them, or NULL = without a cube. */
nd_status nd_choose_many(const nd_evaluator *ev, const nd_plan *plan, const nd_board *boards,
                         const uint8_t (*dice)[2], const nd_cube_setting *sets, size_t n, int plies,
                         int top, int least, int threads, const nd_stop *stop, nd_choice *out,
                         int *counts);

#endif
