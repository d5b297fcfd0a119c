#include "rollout/strata.h"

enum { N = ND_STRATA };

/* How often each second roll followed each first one, m: everywhere alike over whole cycles, which
 * m leaves out (their number is returned). */
static int64_t count_pairs(uint64_t seed, int64_t blocks, double m[N][N])
{
    for (int f = 0; f < N; f++)
        for (int s = 0; s < N; s++) m[f][s] = 0;
    for (int64_t block = blocks - blocks % N; block < blocks; block++) {
        uint8_t second[N];
        nd_rollout_second(seed, (uint64_t)block, second);
        for (int f = 0; f < N; f++) m[f][second[f]] += 1;
    }
    return blocks / N;
}

/* With n the counts of pairs, each row and column of which adds up to `blocks`, effects of second
 * rolls x solve (blocks I - n'n / blocks) x = second - n' first / blocks, once those of first rolls
 * are eliminated. The matrix is singular: all effects may be raised alike, and where the blocks fall
 * apart into sets of rolls that never meet, those of each set. */
double nd_rollout_explained(uint64_t seed, int64_t blocks, const double first[ND_STRATA],
                            const double second[ND_STRATA], int *parameters)
{
    double n[N][N], a[N][N], y[N], explained = 0;
    const double size = (double)blocks, whole = (double)count_pairs(seed, blocks, n);
    for (int f = 0; f < N; f++) {
        for (int s = 0; s < N; s++) n[f][s] += whole;
        explained += first[f] * first[f] / size;
    }
    for (int s = 0; s < N; s++) {
        y[s] = second[s];
        for (int f = 0; f < N; f++) y[s] -= n[f][s] * first[f] / size;
        for (int t = 0; t <= s; t++) {
            double meetings = 0;
            for (int f = 0; f < N; f++) meetings += n[f][s] * n[f][t];
            a[s][t] = (s == t ? size : 0) - meetings / size;
        }
    }
    *parameters = N;
    for (int k = 0; k < N; k++) { /* elimination; a pivot of rounding's size is a free effect */
        if (a[k][k] < 1e-9 * size) continue;
        ++*parameters;
        explained += y[k] * y[k] / a[k][k];
        for (int s = k + 1; s < N; s++) {
            const double factor = a[s][k] / a[k][k];
            for (int t = k + 1; t <= s; t++) a[s][t] -= factor * a[t][k];
            y[s] -= factor * y[k];
        }
    }
    return explained;
}
