/* Random numbers as a pure function: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, SC 2011).
 *
 * There is no generator object and no stream. The caller names the number he wants, say by
 * (seed; trial, ply), and gets the same 128 bits in any order, on any thread and on any machine.
 */
#ifndef ND_BASE_PHILOX_H
#define ND_BASE_PHILOX_H

#include <stdint.h>

/* The 128 random bits called `counter` under `key`. `out` may be the same array as `counter`. */
void nd_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* A number in 0..n-1 from 32 random bits, by multiplication: the bias is below n / 2^32. */
static inline uint32_t nd_below(uint32_t bits, uint32_t n)
{
    return (uint32_t)((uint64_t)bits * n >> 32);
}

#endif
