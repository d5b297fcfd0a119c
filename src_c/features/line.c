#include "features/features.h"

/* The eight bits of a byte, spread into the eight bytes of a word. */
#define B(i, k) ((uint64_t)((i) >> (k) & 1) << 8 * (k))
#define S1(i) (B(i, 0) | B(i, 1) | B(i, 2) | B(i, 3) | B(i, 4) | B(i, 5) | B(i, 6) | B(i, 7))
#define S4(i) S1(i), S1((i) + 1), S1((i) + 2), S1((i) + 3)
#define S16(i) S4(i), S4((i) + 4), S4((i) + 8), S4((i) + 12)
#define S64(i) S16(i), S16((i) + 16), S16((i) + 32), S16((i) + 48)
static const uint64_t spread[256] = {S64(0), S64(64), S64(128), S64(192)};

static void side_counts(const uint32_t p[ND_PLANES], uint8_t out[ND_SIDE])
{
    for (int i = 0; i < 4; i++) {
        /* Bits 26..31 are not slots. */
        const uint32_t keep = i == 3 ? 3 : 255;
        const int s = 8 * i;
        const uint64_t w = spread[p[0] >> s & keep] | spread[p[1] >> s & keep] << 1 |
                           spread[p[2] >> s & keep] << 2 | spread[p[3] >> s & keep] << 3;
        memcpy(out + s, &w, sizeof w); /* byte k of w is slot s + k: little-endian */
    }
}

void nd_line_counts(const nd_board *b, uint8_t line[ND_LINE])
{
    side_counts(b->own, line);
    side_counts(b->opp, line + ND_SIDE);
}

int nd_spell_count(int byte, int value, nd_term out[ND_MAX_TERMS])
{
    const int side = byte / ND_SIDE, slot = byte % ND_SIDE;
    const int first = side * ND_SIDE_COUNT_UNITS;
    if (value <= 0 || slot >= ND_SLOTS) return 0;
    if (slot == ND_OFF) {
        out[0] = (nd_term){first + 5 * 25 + value - 1, 1.0f};
        return 1;
    }
    const int unit = first + 5 * (slot - 1);
    out[0] = (nd_term){unit + (value < 4 ? value - 1 : 3), 1.0f};
    if (value <= 4) return 1;
    out[1] = (nd_term){unit + 4, 0.5f * (float)(value - 4)};
    return 2;
}

int nd_spell_value(int byte, int value, const int first_unit[ND_SIDE - ND_SLOTS], int side_units,
                   nd_term out[ND_MAX_TERMS])
{
    const int side = byte / ND_SIDE, slot = byte % ND_SIDE;
    if (slot < ND_SLOTS) return nd_spell_count(byte, value, out);
    if (value <= 0) return 0;
    const int first = ND_COUNT_UNITS + side * side_units + first_unit[slot - ND_SLOTS];
    out[0] = (nd_term){first + value - 1, 1.0f};
    return 1;
}
