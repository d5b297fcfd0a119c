/* Random games from a counter: the same positions on every machine, for checks and counts. */
#ifndef ND_TESTS_PLAY_H
#define ND_TESTS_PLAY_H

#include <stdlib.h>

#include "base/philox.h"
#include "rules/rules.h"

/* Game number `game` under the name `seed`, ply by ply. */
typedef struct playout {
    const nd_rules *rules;
    uint32_t key[2]; /* seed, game */
    uint32_t ply;
    nd_board board; /* side to move = own; not finished */
    int d1, d2;
    uint32_t choice; /* random bits that pick the result */
} playout;

static inline void playout_roll(playout *p)
{
    const uint32_t counter[4] = {p->ply, 0, 0, 0};
    uint32_t bits[4];
    nd_philox(counter, p->key, bits);
    p->d1 = 1 + (int)nd_below(bits[0], 6);
    p->d2 = 1 + (int)nd_below(bits[1], 6);
    p->choice = bits[2];
}

static inline playout playout_begin(const nd_rules *rules, const char *variant, uint32_t seed,
                                    uint32_t game)
{
    playout p = {.rules = rules, .key = {seed, game}};
    if (rules->start(variant, &p.board) != ND_OK) abort();
    playout_roll(&p);
    return p;
}

/* Moves on to one of `results` (those of this roll); false when that ends the game. */
static inline bool playout_next(playout *p, const nd_results *results)
{
    const uint32_t pick = nd_below(p->choice, (uint32_t)results->count);
    p->board = nd_swap(&results->board[pick]);
    if (p->rules->outcome(&p->board) >= 0) return false;
    p->ply++;
    playout_roll(p);
    return true;
}

#endif
