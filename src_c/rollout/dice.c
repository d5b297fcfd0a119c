#include "rollout/dice.h"

#include "base/philox.h"

enum { ROLLS = 36, STREAM_RANDOM = 0, STREAM_FIRST, STREAM_SECOND, STREAM_OFFSET };

static void words(uint64_t seed, uint64_t name, uint32_t index, uint32_t stream, uint32_t out[4])
{
    const uint32_t counter[4] = {(uint32_t)name, (uint32_t)(name >> 32), index, stream};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    nd_philox(counter, key, out);
}

/* Entry `at` of a random permutation of 0..n-1, named by (seed, stream, name). */
static int permuted(uint64_t seed, uint32_t stream, uint64_t name, int n, int at)
{
    uint8_t p[ROLLS];
    for (int i = 0; i < n; i++) p[i] = (uint8_t)i;
    uint32_t w[4] = {0};
    for (int i = 0; i < n - 1; i++) {
        if (i % 4 == 0) words(seed, name, (uint32_t)i / 4, stream, w);
        const int k = i + (int)nd_below(w[i % 4], (uint32_t)(n - i));
        const uint8_t t = p[i];
        p[i] = p[k];
        p[k] = t;
        if (i == at) break; /* later exchanges leave the entry alone */
    }
    return p[at];
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
        roll =
            permuted(seed, STREAM_SECOND, cycle, ROLLS, (int)((block + (uint64_t)shift) % ROLLS));
    } else {
        uint32_t w[4];
        words(seed, trial, (uint32_t)ply, STREAM_RANDOM, w);
        roll = (int)nd_below(w[0], ROLLS);
    }
    *d1 = 1 + roll / 6;
    *d2 = 1 + roll % 6;
}
