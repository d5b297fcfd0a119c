#include "rollout/dice.h"

#include "base/philox.h"

enum { ROLLS = ND_STRATA, STREAM_RANDOM = 0, STREAM_FIRST, STREAM_SECOND, STREAM_OFFSET };

static void words(uint64_t seed, uint64_t name, uint32_t index, uint32_t stream, uint32_t out[4])
{
    const uint32_t counter[4] = {(uint32_t)name, (uint32_t)(name >> 32), index, stream};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    nd_philox(counter, key, out);
}

/* The random permutation p of 0..n-1 named by (seed, stream, name), as far as its entry `at`. */
static void permute(uint64_t seed, uint32_t stream, uint64_t name, int n, int at,
                    uint8_t p[ND_STRATA])
{
    for (int i = 0; i < n; i++) p[i] = (uint8_t)i;
    uint32_t w[4] = {0};
    for (int i = 0; i < n - 1 && i <= at; i++) { /* later exchanges leave the entry alone */
        if (i % 4 == 0) words(seed, name, (uint32_t)i / 4, stream, w);
        const int k = i + (int)nd_below(w[i % 4], (uint32_t)(n - i));
        const uint8_t t = p[i];
        p[i] = p[k];
        p[k] = t;
    }
}

static int permuted(uint64_t seed, uint32_t stream, uint64_t name, int n, int at)
{
    uint8_t p[ROLLS];
    permute(seed, stream, name, n, at, p);
    return p[at];
}

static int place(uint64_t block, int shift) { return (int)((block + (uint64_t)shift) % ROLLS); }

void nd_rollout_second(uint64_t seed, uint64_t block, uint8_t second[ND_STRATA])
{
    uint8_t shift[ROLLS], order[ROLLS];
    permute(seed, STREAM_OFFSET, block / ROLLS, ROLLS, ROLLS - 1, shift);
    permute(seed, STREAM_SECOND, block / ROLLS, ROLLS, ROLLS - 1, order);
    for (int first = 0; first < ROLLS; first++) second[first] = order[place(block, shift[first])];
}

void nd_rollout_dice(uint64_t seed, uint64_t trial, int ply, bool opening, int *d1, int *d2)
{
    int roll;
    const uint64_t block_size = opening ? ROLLS - 6 : ROLLS;
    const uint64_t block = trial / block_size;
    if (ply == 0) {
        roll = permuted(seed, STREAM_FIRST, block, (int)block_size, (int)(trial % block_size));
        if (opening) { /* 30 ordered pairs of unlike dice */
            *d1 = 1 + roll / 5;
            *d2 = 1 + roll % 5;
            *d2 += *d2 >= *d1;
            return;
        }
    } else if (ply == 1) {
        const int first =
            permuted(seed, STREAM_FIRST, block, (int)block_size, (int)(trial % block_size));
        const uint64_t cycle = block / ROLLS;
        const int shift = permuted(seed, STREAM_OFFSET, cycle, ROLLS, first);
        roll = permuted(seed, STREAM_SECOND, cycle, ROLLS, place(block, shift));
    } else {
        uint32_t w[4];
        words(seed, trial, (uint32_t)ply, STREAM_RANDOM, w);
        roll = (int)nd_below(w[0], ROLLS);
    }
    *d1 = 1 + roll / 6;
    *d2 = 1 + roll % 6;
}
