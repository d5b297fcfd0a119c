/* backgammon-contact-1: counts, and six engineered bytes a side that a sum of table rows can hardly
 * find by itself. For a side A facing B (bytes 26..31 for own, 58..63 for opp):
 *
 *   26  rolls of the 36 that do not bring A's rearmost checker past B's block (make_escapes.py)
 *   27  the same for the next point from the rear that A holds
 *   28  of the 36 rolls, how many would let B, if on roll, hit a blot of A
 *   29  A's longest run of points in front of B's rearmost checker, how many it holds, how closely
 *   30  while A still has checkers on its points 18 and up: pips the others can play until they
 *       are home, in buckets
 *   31  A's home board: points made, blots, and whether B is on the bar
 *
 * Integer bit tricks only; where it pays both sides are worked out at once, own in the low half of
 * a 64-bit word and opp in the high half. About 700 instructions, 130 of them for the counts.
 */
#include "features/features.h"
#include "features/stuck.h"

enum { SLOT_BITS = 0x03FFFFFF, PRIME_VALUES = 31, TIMING_VALUES = 40, HOME_VALUES = 42 };

#define BOTH(half) ((uint64_t)(half) << 32 | (half))

#define P1(i)                                                                                      \
    (((i) & 1) + ((i) >> 1 & 1) + ((i) >> 2 & 1) + ((i) >> 3 & 1) + ((i) >> 4 & 1) + ((i) >> 5 & 1))
#define P8(i) P1(i), P1(i + 1), P1(i + 2), P1(i + 3), P1(i + 4), P1(i + 5), P1(i + 6), P1(i + 7)
static const uint8_t ones_of_six[64] = {P8(0),  P8(8),  P8(16), P8(24),
                                        P8(32), P8(40), P8(48), P8(56)};

/* Each half as the other side numbers it, moved into the other side's half. */
static uint64_t across(uint64_t x)
{
    x = (x & BOTH(0x55555555u)) << 1 | (x >> 1 & BOTH(0x55555555u));
    x = (x & BOTH(0x33333333u)) << 2 | (x >> 2 & BOTH(0x33333333u));
    x = (x & BOTH(0x0F0F0F0Fu)) << 4 | (x >> 4 & BOTH(0x0F0F0F0Fu));
    return __builtin_bswap64(x) >> 6;
}

/* Two dice for both sides at once: lanes are own with die d, opp with d, own with d + 1, opp with
 * d + 1. All vectors of sixteen bytes: every 64-bit machine has them. */
typedef uint32_t quad __attribute__((vector_size(16)));
typedef int32_t mask __attribute__((vector_size(16)));

#define BOTH_DICE(a, b) __builtin_shufflevector(a, b, 0, 1, 6, 7)
#define SWAP_DICE(a) __builtin_shufflevector(a, a, 2, 3, 0, 1)
#define STEP(x, d) BOTH_DICE((x) >> (d), (x) >> ((d) + 1))

static inline quad twice(uint64_t x)
{
    return (quad){(uint32_t)x, (uint32_t)(x >> 32), (uint32_t)x, (uint32_t)(x >> 32)};
}

/* Of the 36 rolls, how many hit one of `target`, for both sides; `from` are their checkers, but not
 * those on the bar. A side with a checker there (`entering`, all ones in its half) enters one
 * first; with more than one on the bar the answer is wrong, see below. */
static inline uint64_t shots(uint64_t from_both, uint64_t open_both, uint64_t entering_both,
                             uint64_t target_both)
{
    const quad from = twice(from_both), open = twice(open_both), target = twice(target_both);
    const quad entering = twice(entering_both);
    quad once[3], hit[3]; /* reached with the first die; where the next step, or none, hits */
    mask singles = {0}, pairs = {0}; /* minus the number of misses */
    for (int i = 0; i < 3; i++) {
        const int d = 2 * i + 1;
        const uint32_t first = ND_BIT(ND_BAR - d), next = ND_BIT(ND_BAR - d - 1);
        const quad entry = (quad){first, first, next, next} & open & entering;
        /* Checkers that stay where they are stand on no target. */
        once[i] = (STEP(from, d) & open & ~entering) | ((from | entry) & (quad)(entry != 0));
        hit[i] = target | BOTH_DICE(target << d, target << (d + 1));
        const quad second = STEP(once[i], d) & open, third = STEP(second, d) & open;
        singles += (((once[i] | second | third) & hit[i]) == 0);
        const quad other = once[i] & SWAP_DICE(hit[i]);
        singles += ((other | SWAP_DICE(other)) == 0); /* d and d + 1, either way round */
    }
    for (int i = 1; i < 3; i++) {
        const quad once_swapped = SWAP_DICE(once[i]), hit_swapped = SWAP_DICE(hit[i]);
        for (int k = 0; k < i; k++) {
            pairs += (((once[i] & hit[k]) | (once[k] & hit[i])) == 0);
            pairs += (((once_swapped & hit[k]) | (once[k] & hit_swapped)) == 0);
        }
    }
    const mask misses = singles + pairs + pairs, all = misses + SWAP_DICE(misses);
    return (uint64_t)(uint32_t)(36 + all[1]) << 32 | (uint32_t)(36 + all[0]);
}

/* The same for one side with two or more checkers on the bar: both dice enter, only a double leaves
 * steps to play on with. */
static uint32_t shots_from_bar(uint32_t from, int bar, uint32_t open, uint32_t target)
{
    const uint32_t direct = (uint32_t)ones_of_six[target >> 19 & 63], misses = 6 - direct;
    uint32_t total = 36 - misses * misses;
    for (int d = 1; d <= 6 && bar < 4; d++) {
        const uint32_t entry = ND_BIT(ND_BAR - d) & open;
        if (!entry || entry & target) continue;
        const uint32_t second = (from | entry) >> d & open;
        total += ((second | (bar == 2 ? second >> d : 0)) & target) != 0;
    }
    return total;
}

static uint32_t is(uint32_t x) { return x != 0; }
static uint32_t but_lowest(uint32_t x) { return x & (x - 1); }

/* The longest run of `made` points ahead of the rearmost of `p`, all in the numbers of `p`. Without
 * branches: what the answer is cannot be foreseen. */
static uint32_t prime(const uint32_t p[ND_PLANES], uint32_t any, uint32_t made)
{
    const uint32_t rearmost = ND_BIT(nd_highest(any | 1));
    made &= rearmost - 1;
    uint32_t longer = made, run = made, length = 1;
    for (int k = 2; k <= 6; k++) {
        longer &= made >> (k - 1); /* bit s: s .. s + k - 1 are all made */
        length += is(longer);
        run = longer ? longer : run;
    }
    /* The rear side meets the highest of the longest runs first. */
    const int top = nd_highest(run | 1) + (int)length - 1;
    const uint32_t behind = ~(uint32_t)1 << top;
    const uint32_t x = p[0] & behind, y = p[1] & behind;
    const uint32_t count = is(x) + is(but_lowest(x)) + is(but_lowest(but_lowest(x))) + 2 * is(y) +
                           2 * is(but_lowest(y)) + 3 * is((p[2] | p[3]) & behind);
    const uint32_t held = count < 3 ? count : 3;
    const uint32_t value = 1 + ((length - 2) * 3 + held - 1) * 2 + (any >> (top + 1) & 1);
    return length > 1 ? value : 0;
}

/* Pips the checkers on points 7..18 can play before all of them are home. */
static int timing(const uint8_t counts[ND_SIDE])
{
    uint64_t near;
    uint32_t far;
    memcpy(&near, counts + 7, sizeof near);
    memcpy(&far, counts + 15, sizeof far);
    /* Bytes times weights 1..8 and 9..12, added up in the top byte, at most 180. */
    const int pips = (int)((near * 0x0102030405060708u) >> 56) + (int)((far * 0x090A0B0Cu) >> 24);
    const int bucket = pips < 32 ? pips / 2 : 16 + (pips - 32) / 4;
    return bucket < TIMING_VALUES - 1 ? 1 + bucket : TIMING_VALUES - 1;
}

/* The bytes of side A: `p` and `made`, `blots`, `any` its slots; `block` is B's in A's numbers. */
static void side(const uint32_t p[ND_PLANES], uint32_t any, uint32_t block, uint8_t line[ND_SIDE])
{
    line[26] = (uint8_t)nd_not_past(any, block);
    line[27] = (uint8_t)nd_not_past(any & ~ND_BIT(nd_highest(any | 1)), block);
    line[30] = (uint8_t)(timing(line) & -(int)is(any >> 18));
    const uint32_t made = nd_two_or_more(p), blots = nd_exactly_one(p);
    const int n = ones_of_six[blots >> 1 & 63];
    line[31] = (uint8_t)((ones_of_six[made >> 1 & 63] * 3 + (n < 2 ? n : 2)) * 2);
}

static void fill(const nd_board *board, uint8_t line[ND_LINE])
{
    nd_board b = *board;
    for (int k = 0; k < ND_PLANES; k++) b.own[k] &= SLOT_BITS, b.opp[k] &= SLOT_BITS;
    nd_line_counts(&b, line);

    const uint32_t own = nd_any(b.own) & ~1u, opp = nd_any(b.opp) & ~1u; /* still on the board */
    const uint64_t made = (uint64_t)nd_two_or_more(b.opp) << 32 | nd_two_or_more(b.own);
    const uint64_t blots = (uint64_t)nd_exactly_one(b.opp) << 32 | nd_exactly_one(b.own);
    const uint64_t block = across(made & BOTH(ND_POINTS));
    const uint64_t target = across(blots & BOTH(ND_POINTS));

    side(b.own, own, (uint32_t)block, line);
    side(b.opp, opp, (uint32_t)(block >> 32), line + ND_SIDE);
    const int own_bar = line[ND_BAR], opp_bar = line[ND_SIDE + ND_BAR];
    line[31] = (uint8_t)(line[31] + (opp_bar != 0));
    line[ND_SIDE + 31] = (uint8_t)(line[ND_SIDE + 31] + (own_bar != 0));
    line[29] = (uint8_t)prime(b.opp, opp, (uint32_t)(block >> 32));
    line[ND_SIDE + 29] = (uint8_t)prime(b.own, own, (uint32_t)block);

    if (!target) return;
    const uint64_t open = BOTH(ND_POINTS) & ~block, from = (uint64_t)opp << 32 | own;
    const uint64_t entering = (from >> ND_BAR & BOTH(1u)) * 0xFFFFFFFFu;
    const uint64_t free = from & ~BOTH(ND_BIT(ND_BAR));
    const uint64_t hits = shots(free, open, entering, target);
    line[28] = (uint8_t)(hits >> 32);
    line[ND_SIDE + 28] = (uint8_t)hits;
    if (own_bar > 1)
        line[ND_SIDE + 28] =
            (uint8_t)shots_from_bar((uint32_t)free, own_bar, (uint32_t)open, (uint32_t)target);
    if (opp_bar > 1)
        line[28] = (uint8_t)shots_from_bar((uint32_t)(free >> 32), opp_bar, (uint32_t)(open >> 32),
                                           (uint32_t)(target >> 32));
}

static const int first_unit[6] = {0, 36, 72, 108, 138, 177};
enum { SIDE_UNITS = 177 + HOME_VALUES - 1 };

static int spell(int byte, int value, nd_term out[ND_MAX_TERMS])
{
    return nd_spell_value(byte, value, first_unit, SIDE_UNITS, out);
}

#define SIDE ND_COUNT_VALUES, 37, 37, 37, PRIME_VALUES, TIMING_VALUES, HOME_VALUES

const nd_features nd_backgammon_contact_1 = {
    .name = "backgammon-contact-1",
    .id = 1,
    .units = ND_COUNT_UNITS + 2 * SIDE_UNITS,
    .values = {SIDE, SIDE},
    .fill = fill,
    .spell = spell,
};
