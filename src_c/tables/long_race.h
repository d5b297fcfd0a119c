/* Race table of long nardy: both sides on their own last twelve points, where their paths have no
 * point in common, so each side runs for itself.
 *
 * A side with a checker on 7 or higher still has all fifteen on the board. For each arrangement of
 * fifteen on the points 1..P, and each of fewer in the home, the table holds the distribution of the
 * number of own rolls until
 *   all are off, each roll played to minimise the mean of that number;
 *   all are home, and the first is off, each roll played to lose least by points of 1, 2 and 4 for
 *   oin, mars and home mars if the other side may be done after any roll alike.
 * From these follow the chances of every class of outcome: a loser with none off is in mars while
 * one of his is outside his home, in home mars when all are in. (Koks is past: nobody is on 19..24.)
 * Plays are those of the default rules. Probabilities are kept to 1/65535.
 *
 * Immutable; may be probed from any number of threads. All twelve points are 7.8 million states:
 * half a gigabyte, minutes and two gigabytes of memory to build. Each point less is about half.
 */
#ifndef ND_TABLES_LONG_RACE_H
#define ND_TABLES_LONG_RACE_H

#include <stdbool.h>

#include "base/threads.h"
#include "rules/board.h"

enum { ND_LONG_RACE_MIN_POINTS = 7, ND_LONG_RACE_POINTS = 12 };

typedef struct nd_long_race nd_long_race;

/* `points` is P, 7..12, else ND_BAD_ARGUMENT. ND_CANCELLED when `stop` was raised. */
nd_status nd_long_race_build(int points, const nd_stop *stop, nd_long_race **out);
nd_status nd_long_race_open(const char *path, nd_long_race **out); /* checksum verified */
nd_status nd_long_race_save(const nd_long_race *table, const char *path);
void nd_long_race_free(nd_long_race *table);

int nd_long_race_points(const nd_long_race *table);

/* p[i] / 65535 = probability of exactly `first + i` rolls, 0 <= i < count. */
typedef struct nd_long_race_rolls {
    const uint16_t *p;
    int first, count;
} nd_long_race_rolls;

typedef struct nd_long_race_side {
    nd_long_race_rolls all_off, all_home, first_off;
} nd_long_race_side;

/* One side of a board; false if the table does not know it: a checker above P, or some off while
 * others are outside the home. */
bool nd_long_race_find(const nd_long_race *table, const uint32_t planes[ND_PLANES],
                       nd_long_race_side *out);

/* Probabilities of the eight outcome classes of long nardy for the side on roll, which is `own`, each
 * side playing for itself alone. Both sides must have checkers left. False as above. Where a side is
 * owed a last roll (ND_OWED), what is missing to 1 are draws. */
bool nd_long_race_outcomes(const nd_long_race *table, const nd_board *board, float out[8]);

#endif
