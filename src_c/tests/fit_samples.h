/* A small feature set and made-up samples for the checks and the timing of fitting. */
#ifndef ND_TESTS_FIT_SAMPLES_H
#define ND_TESTS_FIT_SAMPLES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/fit.h"

static const float fit_points[ND_MAX_OUTCOMES] = {1, 2, 3, -1, -2, -3};

static void fit_fill(const nd_board *b, uint8_t line[ND_LINE])
{
    memset(line, 0, ND_LINE);
    for (uint32_t m = nd_any(b->own); m; m &= m - 1)
        line[nd_lowest(m)] = (uint8_t)nd_count(b->own, nd_lowest(m));
    for (uint32_t m = nd_any(b->opp); m; m &= m - 1)
        line[ND_SIDE + nd_lowest(m)] = (uint8_t)nd_count(b->opp, nd_lowest(m));
}

/* Four units a slot: = 1, = 2, >= 3, and (n - 3) / 2 beyond. */
static int fit_spell(int byte, int value, nd_term out[ND_MAX_TERMS])
{
    const int slot = byte % ND_SIDE, base = (byte / ND_SIDE * ND_SLOTS + slot) * 4;
    if (slot >= ND_SLOTS || value < 1) return 0;
    out[0] = (nd_term){base + (value < 3 ? value - 1 : 2), 1.0f};
    if (value < 4) return 1;
    out[1] = (nd_term){base + 3, (float)(value - 3) / 2.0f};
    return 2;
}

#define FIT_SIXTEENS                                                                               \
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,    \
        16, 16, 16, 0, 0, 0, 0, 0, 0

static const nd_features fit_features = {.name = "checks",
                                         .id = 0x7E57,
                                         .units = 2 * ND_SLOTS * 4,
                                         .values = {FIT_SIXTEENS, FIT_SIXTEENS},
                                         .fill = fit_fill,
                                         .spell = fit_spell};

static uint64_t fit_random(uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15u;
    uint64_t x = *state;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static void fit_side(uint32_t p[ND_PLANES], int moves, uint64_t *state)
{
    if (!moves) {
        memset(p, 0, ND_PLANES * sizeof *p);
        for (int left = ND_CHECKERS; left;) {
            const int slot = (int)(fit_random(state) % 25), most = left < 4 ? left : 4;
            const int n = 1 + (int)(fit_random(state) % (unsigned)most);
            if (p[0] >> slot & 1 || nd_count(p, slot)) continue;
            for (int i = 0; i < n; i++) nd_add(p, ND_BIT(slot));
            left -= n;
        }
        return;
    }
    for (int i = 0; i < moves; i++) { /* a sibling: move a checker or two */
        uint32_t m = nd_any(p) & ND_POINTS;
        if (!m) return;
        for (uint64_t skip = fit_random(state) % (unsigned)nd_popcount(m); skip; skip--) m &= m - 1;
        const int from = nd_lowest(m), die = 1 + (int)(fit_random(state) % 6);
        nd_remove(p, ND_BIT(from));
        nd_add(p, ND_BIT(from > die ? from - die : 0));
    }
}

/* The function to learn: wins by the race, gammons by checkers borne off. */
static void fit_target(const nd_board *b, float t[ND_MAX_OUTCOMES])
{
    const double win = 1.0 / (1.0 + exp((nd_pips(b->own) - nd_pips(b->opp) - 4) / 25.0));
    const double gammon = win * 0.4 * exp(-0.3 * nd_count(b->opp, ND_OFF)),
                 lost = (1.0 - win) * 0.4 * exp(-0.3 * nd_count(b->own, ND_OFF));
    const double exact[ND_MAX_OUTCOMES] = {win - gammon,     gammon * 0.9, gammon * 0.1,
                                           1.0 - win - lost, lost * 0.9,   lost * 0.1};
    for (int o = 0; o < ND_MAX_OUTCOMES; o++) t[o] = (float)exact[o];
}

/* Groups of 1..5 siblings. */
static nd_sample *fit_make(size_t n, uint64_t seed)
{
    nd_sample *s = calloc(n, sizeof *s);
    uint64_t state = seed;
    int32_t group = 0;
    for (size_t i = 0; s && i < n; group++) {
        nd_board parent;
        fit_side(parent.own, 0, &state);
        fit_side(parent.opp, 0, &state);
        for (uint64_t k = 1 + fit_random(&state) % 5; k && i < n; k--, i++) {
            s[i].board = parent;
            fit_side(s[i].board.opp, 2, &state);
            fit_target(&s[i].board, s[i].target);
            s[i].weight = 1.0f;
            s[i].group = group;
        }
    }
    return s;
}

#endif
