/* Boards for checks: uniform over nothing in particular, but with every extreme in it. */
#ifndef ND_TESTS_RANDOM_BOARDS_H
#define ND_TESTS_RANDOM_BOARDS_H

#include "rules/board.h"

static uint64_t random_state = 0x853C49E6748FEA9Bu;

static inline uint32_t random_bits(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = random_state;
    x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93u;
    return (uint32_t)(x >> 32);
}

static inline int random_below(int n) { return (int)(random_bits() % (uint32_t)n); }

static inline double random_normal(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += random_bits() / 4294967296.0;
    return sum - 6;
}

static inline int random_mirror(int slot) { return 25 - slot; }
static inline int random_shift(int slot) { return slot > 12 ? slot - 12 : slot + 12; }

/* Fifteen checkers a side; a point belongs to one side; both bars and everything off may happen.
 * `other` says what a point of one side is to the other. */
static inline nd_board random_board_of(int (*other)(int slot))
{
    int8_t n[2][ND_SLOTS] = {{0}};
    for (int side = 0; side < 2; side++) {
        const int style = random_below(8);
        const int stack = random_below(ND_SLOTS), spread = 1 + random_below(ND_SLOTS);
        const int from = random_below(ND_SLOTS);
        for (int left = ND_CHECKERS; left > 0;) {
            int slot = style == 0  ? stack
                       : style < 4 ? random_below(ND_SLOTS)
                                   : (from + random_below(spread)) % ND_SLOTS;
            const bool point = slot >= 1 && slot <= 24;
            if (point && side == 1 && n[0][other(slot)]) {
                if (random_below(20)) continue;
                slot = random_below(2) ? ND_BAR : ND_OFF;
            }
            int here = style == 0 ? left : 1 + random_below(style == 5 ? 8 : 3);
            here = here < left ? here : left;
            n[side][slot] = (int8_t)(n[side][slot] + here);
            left -= here;
        }
    }
    nd_board b;
    nd_board_from_counts(n[0], n[1], &b);
    return b;
}

static inline nd_board random_board(void) { return random_board_of(random_mirror); }

/* The inverse of nd_board_from_counts. */
static inline void counts_of(const nd_board *b, int8_t own[ND_SLOTS], int8_t opp[ND_SLOTS])
{
    for (int s = 0; s < ND_SLOTS; s++) {
        own[s] = (int8_t)nd_count(b->own, s);
        opp[s] = (int8_t)nd_count(b->opp, s);
    }
}

/* A few random moves away from `b`. */
static inline nd_board near_board(const nd_board *b)
{
    int8_t n[2][ND_SLOTS];
    counts_of(b, n[0], n[1]);
    for (int moves = random_below(5); moves > 0; moves--) {
        const int side = random_below(4) == 0, from = random_below(ND_SLOTS);
        const int to = from - 1 - random_below(6);
        if (!n[side][from] || to < 0 || (to >= 1 && to <= 24 && n[1 - side][25 - to])) continue;
        n[side][from]--;
        n[side][to]++;
    }
    nd_board r;
    nd_board_from_counts(n[0], n[1], &r);
    return r;
}

#endif
