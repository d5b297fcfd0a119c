/* long-nardy-contact-1: counts, and six engineered bytes a side that a sum of table rows can hardly
 * find by itself. For a side A facing B (bytes 26..31 for own, 58..63 for opp):
 *
 *   26  which dice do not bring a checker off A's head, as six bits; 0 when the head is empty
 *   27  rolls of the 36 that do not bring A's rearmost checker past B's block (make_escapes.py)
 *   28  the same for the next point from the rear that A holds
 *   29  A's wall: its longest run of points in front of B's rearmost checker, how many it holds,
 *       how closely, and whether one of B's is past it (only then may it be six long)
 *   30  which dice A cannot play at all, as six bits; 0 when everybody is home
 *   31  while A still has checkers on its points 13 and up: pips that the others can play before
 *       they all stand on the last point, in buckets
 *
 * A single checker blocks, so blocks and walls are any points held. Integer bit tricks only.
 */
#include "features/features.h"
#include "features/stuck.h"

enum { SLOT_BITS = 0x01FFFFFF, DICE_VALUES = 64, WALL_VALUES = 61, TIMING_VALUES = 48 };

/* One side's points in the numbers of the other. */
static uint32_t across(uint32_t any)
{
    const uint32_t points = any & ND_POINTS;
    return (points >> 12 | points << 12) & ND_POINTS;
}

static uint32_t is(uint32_t x) { return x != 0; }

/* Bit d - 1: a checker on point 24 cannot land with die d. */
static uint32_t blocked_head(uint32_t any, uint32_t block)
{
    uint32_t b = block >> 18; /* points 18..23 = dice 6..1 */
    b = (b >> 5 & 1) | (b >> 3 & 2) | (b >> 1 & 4) | (b << 1 & 8) | (b << 3 & 16) | (b << 5 & 32);
    return b & (0u - (any >> 24 & 1));
}

/* Bit d - 1: no checker has an open point d pips ahead. */
static uint32_t dead_dice(uint32_t any, uint32_t open)
{
    uint32_t dead = 0;
    for (int d = 1; d <= 6; d++) dead |= (uint32_t)!(any & open << d) << (d - 1);
    return dead & (0u - is(any & ~(ND_HOME | 1u)));
}

/* nd_checkers of a possible board, two planes at a time. */
static uint32_t checkers(const uint32_t p[ND_PLANES], uint32_t m)
{
    const uint64_t ones = 0x5555555555555555u, pairs = 0x3333333333333333u;
    uint64_t x = (uint64_t)(p[1] & m) << 32 | (p[0] & m),
             y = (uint64_t)(p[3] & m) << 32 | (p[2] & m);
    x -= x >> 1 & ones, y -= y >> 1 & ones;
    x = (x & pairs) + (x >> 2 & pairs), y = (y & pairs) + (y >> 2 & pairs);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu, y = (y + (y >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    x += 4 * y;
    return ((uint32_t)x + 2 * (uint32_t)(x >> 32)) * 0x01010101u >> 24;
}

/* The longest run of `held` points ahead of the rearmost of `p`, all in the numbers of `p`. Without
 * branches: what the answer is cannot be foreseen. */
static uint32_t wall(const uint32_t p[ND_PLANES], uint32_t any, uint32_t held)
{
    const uint32_t rearmost = ND_BIT(nd_highest(any | 1));
    held &= rearmost - 1;
    uint32_t longer = held, run = held, length = 1;
    for (int k = 2; k <= 6; k++) {
        longer &= held >> (k - 1); /* bit s: s .. s + k - 1 are all held */
        length += is(longer);
        run = longer ? longer : run;
    }
    /* The rear side meets the highest of the longest runs first. */
    const int bottom = nd_highest(run | 1), top = bottom + (int)length - 1;
    const uint32_t behind = checkers(p, ~(uint32_t)1 << top);
    const uint32_t many = (uint32_t)(behind > 3) + (uint32_t)(behind > 8);
    const uint32_t past = is(any & (ND_BIT(bottom) - 1)), close = any >> (top + 1) & 1;
    const uint32_t value = 1 + (((length - 2) * 3 + many) * 2 + past) * 2 + close;
    return length > 1 ? value : 0;
}

/* Pips the checkers on points 1..12 can play without bearing off. */
static uint32_t timing(const uint8_t counts[ND_SIDE])
{
    uint64_t near;
    uint32_t far;
    memcpy(&near, counts + 1, sizeof near);
    memcpy(&far, counts + 9, sizeof far);
    /* Bytes times weights 0..7 and 8..11, added up in the top byte, at most 165. */
    const uint32_t pips =
        (uint32_t)((near * 0x0001020304050607u) >> 56) + (far * 0x08090A0Bu >> 24);
    const uint32_t bucket = pips < 32 ? pips / 2 : 16 + (pips - 32) / 4;
    return bucket < TIMING_VALUES - 1 ? 1 + bucket : TIMING_VALUES - 1;
}

/* The bytes of side A but its wall: `any` its slots, `block` B's points in A's numbers. */
static void side(uint32_t any, uint32_t block, uint8_t line[ND_SIDE])
{
    line[26] = (uint8_t)blocked_head(any, block);
    line[27] = (uint8_t)nd_not_past(any, block);
    line[28] = (uint8_t)nd_not_past(any & ~ND_BIT(nd_highest(any | 1)), block);
    line[30] = (uint8_t)dead_dice(any, ND_POINTS & ~block);
    line[31] = (uint8_t)(timing(line) & (0u - is(any >> 13)));
}

static void fill(const nd_board *board, uint8_t line[ND_LINE])
{
    nd_board b = *board;
    for (int k = 0; k < ND_PLANES; k++) b.own[k] &= SLOT_BITS, b.opp[k] &= SLOT_BITS;
    nd_line_counts(&b, line);
    const uint32_t own = nd_any(b.own), opp = nd_any(b.opp);
    const uint32_t opps = across(opp), owns = across(own); /* as the other side numbers them */
    side(own, opps, line);
    side(opp, owns, line + ND_SIDE);
    line[29] = (uint8_t)wall(b.opp, opp, owns);
    line[ND_SIDE + 29] = (uint8_t)wall(b.own, own, opps);
}

static const int first_unit[6] = {0, 63, 99, 135, 195, 258};
enum { SIDE_UNITS = 258 + TIMING_VALUES - 1 };

static int spell(int byte, int value, nd_term out[ND_MAX_TERMS])
{
    return nd_spell_value(byte, value, first_unit, SIDE_UNITS, out);
}

#define SIDE ND_COUNT_VALUES, DICE_VALUES, 37, 37, WALL_VALUES, DICE_VALUES, TIMING_VALUES

const nd_features nd_long_nardy_contact_1 = {
    .name = "long-nardy-contact-1",
    .id = 3,
    .units = ND_COUNT_UNITS + 2 * SIDE_UNITS,
    .values = {SIDE, SIDE},
    .fill = fill,
    .spell = spell,
};
