/* The board: bit-sliced bitboards, 32 bytes a position.
 *
 * A side's checkers are four planes of 32 bits: bit s of plane k is bit k of the number of checkers
 * on slot s. Slots: 0 = borne off, 1..24 = points, 25 = bar. EACH SIDE COUNTS IN ITS OWN NUMBERS,
 * from 24 down to 1, in both games; which of your points is which of mine is the rules' affair
 * (backgammon mirrors, long nardy shifts by twelve). `own` is the side to move, `opp` the other.
 * Bits 26..31 are zero, but for ND_OWED. Values are copied freely; there is no hidden state.
 */
#ifndef ND_RULES_BOARD_H
#define ND_RULES_BOARD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { ND_OFF = 0, ND_BAR = 25, ND_SLOTS = 26, ND_PLANES = 4, ND_CHECKERS = 15 };

#define ND_BIT(slot) ((uint32_t)1 << (slot))
#define ND_POINTS 0x01FFFFFEu /* slots 1..24 */
#define ND_HOME 0x0000007Eu   /* slots 1..6 */

/* In the lowest plane of a side that is owed a last roll: when the other side has borne off its last
 * checker, this one throws once more, and if that empties its side of the board, too, nobody has won
 * (long nardy's last-roll equaliser; the side is the second player's). No step of a checker carries
 * into this bit and no point lies there; it stays with its side from turn to turn. */
#define ND_OWED 0x80000000u

typedef struct nd_board {
    uint32_t own[ND_PLANES];
    uint32_t opp[ND_PLANES];
} nd_board;

static inline uint32_t nd_any(const uint32_t p[ND_PLANES]) { return p[0] | p[1] | p[2] | p[3]; }

static inline uint32_t nd_two_or_more(const uint32_t p[ND_PLANES]) { return p[1] | p[2] | p[3]; }

static inline uint32_t nd_exactly_one(const uint32_t p[ND_PLANES])
{
    return p[0] & ~(p[1] | p[2] | p[3]);
}

static inline int nd_count(const uint32_t p[ND_PLANES], int slot)
{
    return (int)((p[0] >> slot & 1) | (p[1] >> slot & 1) << 1 | (p[2] >> slot & 1) << 2 |
                 (p[3] >> slot & 1) << 3);
}

/* Ripple-carry increment and decrement of the counts at the slots of `m` (usually one bit). */
static inline void nd_add(uint32_t p[ND_PLANES], uint32_t m)
{
    const uint32_t c1 = p[0] & m, c2 = p[1] & c1, c3 = p[2] & c2;
    p[0] ^= m, p[1] ^= c1, p[2] ^= c2, p[3] ^= c3;
}

static inline void nd_remove(uint32_t p[ND_PLANES], uint32_t m)
{
    const uint32_t b1 = ~p[0] & m, b2 = ~p[1] & b1, b3 = ~p[2] & b2;
    p[0] ^= m, p[1] ^= b1, p[2] ^= b2, p[3] ^= b3;
}

/* The same position seen by the other side. */
static inline nd_board nd_swap(const nd_board *b)
{
    nd_board r;
    memcpy(r.own, b->opp, sizeof r.own);
    memcpy(r.opp, b->own, sizeof r.opp);
    return r;
}

static inline bool nd_equal(const nd_board *a, const nd_board *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static inline int nd_popcount(uint32_t x)
{
#if defined(__GNUC__)
    return __builtin_popcount(x);
#else
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return (int)(((x + (x >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24);
#endif
}

/* Index of the lowest / highest set bit; `x` must not be zero. */
static inline int nd_lowest(uint32_t x) { return __builtin_ctz(x); }
static inline int nd_highest(uint32_t x) { return 31 - __builtin_clz(x); }

/* Slot n -> 25 - n for the 26 slots: how one side's points look to the other in backgammon. */
static inline uint32_t nd_mirror(uint32_t x)
{
    x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    x = (x & 0x0F0F0F0Fu) << 4 | (x >> 4 & 0x0F0F0F0Fu);
    return __builtin_bswap32(x) >> 6;
}

/* Checkers on slots of `mask` (planes weighted 1, 2, 4, 8). */
static inline int nd_checkers(const uint32_t p[ND_PLANES], uint32_t mask)
{
    return nd_popcount(p[0] & mask) + 2 * nd_popcount(p[1] & mask) + 4 * nd_popcount(p[2] & mask) +
           8 * nd_popcount(p[3] & mask);
}

/* Pip count: sum of slot number times checkers. */
static inline int nd_pips(const uint32_t p[ND_PLANES])
{
    static const uint32_t bit[5] = {0x02AAAAAAu, 0x00CCCCCCu, 0x00F0F0F0u, 0x0300FF00u,
                                    0x03FF0000u};
    int sum = 0;
    for (int j = 0; j < 5; j++) sum += nd_checkers(p, bit[j]) << j;
    return sum;
}

static inline bool nd_is_owed(const uint32_t p[ND_PLANES]) { return p[0] & ND_OWED; }

/* Is the last roll of `own` all that is left of the game? */
static inline bool nd_last_roll_due(const nd_board *b)
{
    const uint32_t left = ND_POINTS | ND_BIT(ND_BAR);
    return nd_is_owed(b->own) && nd_any(b->own) & left && !(nd_any(b->opp) & left);
}

/* Have both borne off everything? That is a draw, and comes by a last roll only. */
static inline bool nd_is_drawn(const nd_board *b)
{
    const uint32_t left = ND_POINTS | ND_BIT(ND_BAR);
    return !((nd_any(b->own) | nd_any(b->opp)) & left);
}

/* From counts: 26 numbers a side, indexed by slot. Counts must be 0..15. */
void nd_board_from_counts(const int8_t own[ND_SLOTS], const int8_t opp[ND_SLOTS], nd_board *out);

/* 64-bit hash of all 32 bytes; equal boards hash equal on every machine. */
static inline uint64_t nd_board_hash(const nd_board *b)
{
    uint64_t w[4];
    memcpy(w, b, sizeof w);
    uint64_t h = (w[0] ^ 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
    h = (h ^ (h >> 29) ^ w[1]) * 0x94D049BB133111EBu;
    h = (h ^ (h >> 32) ^ w[2]) * 0xD6E8FEB86659FD93u;
    h = (h ^ (h >> 29) ^ w[3]) * 0xBF58476D1CE4E5B9u;
    return h ^ (h >> 32);
}

#endif
