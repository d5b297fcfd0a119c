/* Bear-off tables: no contact, every checker on the own points 1..6 or off.
 *
 * One-sided: for each of the 54,264 arrangements of up to 15 checkers, the distribution of the
 * number of own rolls to bear off all of them when each roll is played to minimise the mean of that
 * number; and, with all 15 still on the board, the same for the first checker alone.
 * Two-sided: for each pair of arrangements of up to 6 checkers, exact money equities under best
 * play by both sides, without a cube and with one in each hand.
 *
 * Tables are immutable once built or opened and may be probed from any number of threads.
 */
#ifndef ND_TABLES_BEAROFF_H
#define ND_TABLES_BEAROFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "rules/board.h"

enum {
    ND_BEAROFF_POINTS = 6,
    ND_BEAROFF_POSITIONS = 54264, /* C(21, 6): up to 15 checkers */
    ND_BEAROFF_FULL = 38760,      /* C(20, 6): the first position with all 15 */
    ND_BEAROFF_TWO_CHECKERS = 6,
    ND_BEAROFF_TWO_POSITIONS = 924, /* C(12, 6): up to 6 checkers */
    ND_BEAROFF_MAX_ROLLS = 30       /* 90 pips, at least three a roll */
};

/* Index of a side's home arrangement. With s(k) = checkers on the k highest of points 6..1, the
 * set {s(k) + k - 1} is a 6-element combination and its colexicographic rank is the index. Hence
 * 0 = all off, moving a checker always lowers the index, and positions of at most n checkers are
 * exactly the first C(n + 6, 6) indices. Slots outside 1..6 are not looked at. */
extern const uint16_t nd_bearoff_choose[ND_BEAROFF_POINTS][16]; /* [k - 1][s] = C(s + k - 1, k) */

static inline uint32_t nd_bearoff_index(const uint32_t planes[ND_PLANES])
{
    /* Six bits of a plane to six bytes, highest point first: six copies nine bits apart put bit i
     * of copy i at 45 - 8i. Then one multiplication makes all running sums (at most 15 each). */
    const uint64_t copies = 0x0000201008040201u, bytes = 0x0000010101010101u;
    uint64_t counts = 0;
    for (int k = 0; k < ND_PLANES; k++)
        counts += ((planes[k] >> 1 & 0x3F) * copies >> 5 & bytes) << k;
    const uint64_t sums = counts * bytes;
    uint32_t index = 0;
    for (int k = 0; k < ND_BEAROFF_POINTS; k++) index += nd_bearoff_choose[k][sums >> 8 * k & 15];
    return index;
}

/* The same from counts of points 1..6 (counts[0] = point 1), at most 15 together, and back. */
uint32_t nd_bearoff_index_of_counts(const uint8_t counts[ND_BEAROFF_POINTS]);
void nd_bearoff_counts_of_index(uint32_t index, uint8_t counts[ND_BEAROFF_POINTS]);

/* ---- one-sided ---- */

typedef struct nd_bearoff_one nd_bearoff_one;

/* p[i] = probability that exactly `first + i` rolls are needed, 0 <= i < count; sums to 1. */
typedef struct nd_bearoff_rolls {
    const double *p;
    int first, count;
} nd_bearoff_rolls;

nd_status nd_bearoff_one_build(nd_bearoff_one **out);                  /* a fraction of a second */
nd_status nd_bearoff_one_open(const char *path, nd_bearoff_one **out); /* checksum verified */
nd_status nd_bearoff_one_save(const nd_bearoff_one *table, const char *path);
void nd_bearoff_one_free(nd_bearoff_one *table);

/* Rolls to bear off all checkers, and rolls until one is off (0 unless all 15 are on the board;
 * each roll then played to minimise the mean of that). index < ND_BEAROFF_POSITIONS. */
nd_bearoff_rolls nd_bearoff_one_all(const nd_bearoff_one *table, uint32_t index);
nd_bearoff_rolls nd_bearoff_one_first(const nd_bearoff_one *table, uint32_t index);

/* Mean and standard deviation of a number of rolls. */
void nd_bearoff_moments(nd_bearoff_rolls rolls, double *mean, double *deviation);

/* Probabilities of win, win gammon, win backgammon, lose, lose gammon, lose backgammon for the side
 * `own` on roll, each side playing for itself alone: 0.001 from best play on average and 0.015 at
 * most where the two-sided table can tell. Gammons are those of 15 checkers, backgammons are 0. A
 * side with no checkers left has won already. */
void nd_bearoff_one_outcomes(const nd_bearoff_one *table, uint32_t own, uint32_t opp,
                             double out[6]);

/* The same where a side is owed one more roll when the other is done: opp if `to_opp`, else own. What
 * is missing to 1 are draws: that roll bore off its last checker, too. */
void nd_bearoff_one_equalised(const nd_bearoff_one *table, uint32_t own, uint32_t opp, bool to_opp,
                              double out[6]);

/* ---- two-sided ---- */

typedef struct nd_bearoff_two nd_bearoff_two;

/* Money equities of the side on roll that ROLLS NOW, for a cube of 1; gammons are impossible. */
typedef struct nd_bearoff_equities {
    double cubeless;
    double own; /* the side on roll owns the cube */
    double centred;
    double opponent; /* the other side owns it; double/take is worth twice this */
} nd_bearoff_equities;

nd_status nd_bearoff_two_build(nd_bearoff_two **out);                  /* about half a second */
nd_status nd_bearoff_two_open(const char *path, nd_bearoff_two **out); /* checksum verified */
nd_status nd_bearoff_two_save(const nd_bearoff_two *table, const char *path);
void nd_bearoff_two_free(nd_bearoff_two *table);

/* own, opp < ND_BEAROFF_TWO_POSITIONS. A side with no checkers left has won already. */
nd_bearoff_equities nd_bearoff_two_probe(const nd_bearoff_two *table, uint32_t own, uint32_t opp);

#endif
