/* backgammon-contact-1: counts, and six engineered bytes a side that a sum of table rows can hardly
 * find by itself. For a side A facing B (bytes 26..31 for own, 58..63 for opp):
 *
 *   26  of the 36 rolls, how many do not bring A's rearmost checker past B's block (make_escapes.py)
 *   27  the same for the next point from the rear that A holds
 *   28  of the 36 rolls, how many would let B, if on roll, hit a blot of A
 *   29  A's longest run of points in front of B's rearmost checker, how many it holds, how closely
 *   30  while A still has checkers on its points 18 and up: pips the others can play until they
 *       are home, in buckets
 *   31  A's home board: points made, blots, and whether B is on the bar
 *
 * Integer bit tricks only; both sides are worked out at once, own in the low half of a 64-bit word
 * and opp in the high half. About 250 instructions with the counts.
 */
#include "features/features.h"

enum { SLOT_BITS = 0x03FFFFFF, PRIME_VALUES = 31, TIMING_VALUES = 40, HOME_VALUES = 42 };

#define BOTH(half) ((uint64_t)(half) << 32 | (half))

static const uint8_t stuck[4096] = {
#include "features/escapes.h"
};

#define P1(i) (((i)&1) + ((i) >> 1 & 1) + ((i) >> 2 & 1) + ((i) >> 3 & 1) + ((i) >> 4 & 1) + ((i) >> 5 & 1))
#define P8(i) P1(i), P1(i + 1), P1(i + 2), P1(i + 3), P1(i + 4), P1(i + 5), P1(i + 6), P1(i + 7)
static const uint8_t ones_of_six[64] = {P8(0), P8(8), P8(16), P8(24), P8(32), P8(40), P8(48), P8(56)};

/* Each half as the other side numbers it, moved into the other side's half. */
static uint64_t across(uint64_t x)
{
    x = (x & BOTH(0x55555555u)) << 1 | (x >> 1 & BOTH(0x55555555u));
    x = (x & BOTH(0x33333333u)) << 2 | (x >> 2 & BOTH(0x33333333u));
    x = (x & BOTH(0x0F0F0F0Fu)) << 4 | (x >> 4 & BOTH(0x0F0F0F0Fu));
    return __builtin_bswap64(x) >> 6;
}

/* Bit 25 of each half: is there a bit among its 1..24? */
static uint64_t some(uint64_t x) { return (x + BOTH(0x01FFFFFFu)) & BOTH(0x02000000u); }

/* Rolls that hit one of `target`, for both sides at once, nobody on the bar. A shift of the high
 * half spills into bits 26..31 of the low one, which `open` and `target` clear. */
static uint64_t shots(uint64_t from, uint64_t open, uint64_t target)
{
    uint64_t once[7], doubles = 0, pairs = 0;
    for (int d = 1; d <= 6; d++) {
        once[d] = from >> d & open;
        const uint64_t second = once[d] >> d & open;
        const uint64_t third = second >> d & open;
        doubles += some((once[d] | second | third | third >> d) & target);
    }
    for (int d = 2; d <= 6; d++)
        for (int e = 1; e < d; e++)
            pairs += some((once[d] | once[e] | once[d] >> e | once[e] >> d) & target);
    return (doubles >> 25) + (pairs >> 24);
}

/* The same for one side with `bar` checkers to enter first. */
static uint32_t shots_from_bar(uint32_t from, int bar, uint32_t open, uint32_t target)
{
    uint32_t total = 0;
    from &= ~ND_BIT(ND_BAR);
    for (int d = 1; d <= 6; d++) {
        const uint32_t entry = ND_BIT(ND_BAR - d) & open;
        if (!entry) continue;
        uint32_t at = entry | from, hit = entry;
        for (int left = 4 - bar; left > 0; left--) at = at >> d & open, hit |= at;
        total += (hit & target) != 0;
    }
    for (int d = 2; d <= 6; d++)
        for (int e = 1; e < d; e++) {
            const uint32_t d_entry = ND_BIT(ND_BAR - d) & open, e_entry = ND_BIT(ND_BAR - e) & open;
            uint32_t hit = d_entry | e_entry;
            if (bar == 1) {
                if (d_entry) hit |= (from | d_entry) >> e;
                if (e_entry) hit |= (from | e_entry) >> d;
            }
            total += (hit & target) != 0 ? 2 : 0;
        }
    return total;
}

/* The longest run of `made` points ahead of the rearmost of `p`, all in the numbers of `p`. */
static int prime(const uint32_t p[ND_PLANES], uint32_t any, uint32_t made)
{
    if (!any) return 0;
    uint32_t run = made & (ND_BIT(nd_highest(any)) - 1), longer = run & run >> 1;
    if (!longer) return 0;
    int length = 1;
    while (longer && length < 6) run = longer, longer = run & run >> 1, length++;
    /* `run` now marks the lowest points of runs of `length`; B meets the highest first. */
    const int top = nd_highest(run) + length - 1;
    const uint32_t behind = ~(uint32_t)0 << (top + 1);
    const uint32_t x = p[0] & behind, y = p[1] & behind;
    int held = 3;
    if (!((p[2] | p[3]) & behind)) {
        if (!y)
            held = !(x & (x - 1)) ? 1 : !(x & (x - 1) & ((x & (x - 1)) - 1)) ? 2 : 3;
        else if (!x && !(y & (y - 1)))
            held = 2;
    }
    return 1 + ((length - 2) * 3 + held - 1) * 2 + (int)(any >> (top + 1) & 1);
}

/* Pips the checkers on points 7..18 can play before all of them are home. */
static int timing(const uint8_t counts[ND_SIDE])
{
    uint64_t near = 0;
    uint32_t far = 0;
    for (int k = 0; k < 8; k++) near |= (uint64_t)counts[7 + k] << 8 * k;
    for (int k = 0; k < 4; k++) far |= (uint32_t)counts[15 + k] << 8 * k;
    /* Bytes times weights 1..8 and 9..12, added up in the top byte: at most 180 of them. */
    const int pips = (int)((near * 0x0102030405060708u) >> 56) + (int)((far * 0x090A0B0Cu) >> 24);
    const int bucket = pips < 32 ? pips / 2 : 16 + (pips - 32) / 4;
    return bucket < TIMING_VALUES - 1 ? 1 + bucket : TIMING_VALUES - 1;
}

static int not_past(uint32_t any, uint32_t block)
{
    return any ? stuck[(uint64_t)block << 12 >> nd_highest(any) & 4095] : 0;
}

/* The bytes of side A: `p` and `made`, `blots`, `any` its slots; `block` is B's in A's numbers. */
static void side(const uint32_t p[ND_PLANES], uint32_t any, uint32_t block, uint8_t line[ND_SIDE])
{
    line[26] = (uint8_t)not_past(any, block);
    line[27] = any ? (uint8_t)not_past(any & ~ND_BIT(nd_highest(any)), block) : 0;
    line[30] = any >> 18 ? (uint8_t)timing(line) : 0;
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
    const uint64_t open = BOTH(ND_POINTS) & ~block;
    uint64_t hits = shots((uint64_t)opp << 32 | own, open, target);
    if (own_bar)
        hits = (hits & ~(uint64_t)0xFFFFFFFFu) |
               shots_from_bar(own, own_bar, (uint32_t)open, (uint32_t)target);
    if (opp_bar)
        hits = (hits & 0xFFFFFFFFu) | (uint64_t)shots_from_bar(opp, opp_bar, (uint32_t)(open >> 32),
                                                               (uint32_t)(target >> 32))
                                          << 32;
    line[28] = (uint8_t)(hits >> 32);
    line[ND_SIDE + 28] = (uint8_t)(hits & 63);
}

/* Engineered values have a unit each, behind the units of the counts. */
static const int first_unit[6] = {0, 36, 72, 108, 138, 177};
enum { SIDE_UNITS = 177 + HOME_VALUES - 1 };

static int spell(int byte, int value, nd_term out[ND_MAX_TERMS])
{
    const int slot = byte % ND_SIDE;
    if (slot < ND_SLOTS) return nd_spell_count(byte, value, out);
    if (value <= 0) return 0;
    const int first = ND_COUNT_UNITS + byte / ND_SIDE * SIDE_UNITS + first_unit[slot - ND_SLOTS];
    out[0] = (nd_term){first + value - 1, 1.0f};
    return 1;
}

#define SIDE                                                                                       \
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,    \
        16, 16, 16, 37, 37, 37, PRIME_VALUES, TIMING_VALUES, HOME_VALUES

const nd_features nd_backgammon_contact_1 = {
    .name = "backgammon-contact-1",
    .id = 1,
    .units = ND_COUNT_UNITS + 2 * SIDE_UNITS,
    .values = {SIDE, SIDE},
    .fill = fill,
    .spell = spell,
};
