/* Dice of a rollout: a pure function of (seed, trial, ply).
 *
 * The first two rolls of a trial are stratified. Trials come in blocks of 36 (30 where the first
 * roll cannot be a double): within a block every first roll occurs once, and over 36 blocks every
 * pair of first and second roll occurs once, with the second rolls of each block all different too.
 * So any prefix of the trials is as balanced as it can be. Later rolls are plain random. Trials with
 * the same number have the same dice whatever is rolled out: candidates are compared on equal luck.
 */
#ifndef ND_ROLLOUT_DICE_H
#define ND_ROLLOUT_DICE_H

#include <stdbool.h>
#include <stdint.h>

enum { ND_STRATA = 36 };

/* Two dice, 1..6. `opening`: the first roll is no double. */
void nd_rollout_dice(uint64_t seed, uint64_t trial, int ply, bool opening, int *d1, int *d2);

/* The second roll that follows each first one in a block of 36 trials; rolls as 6 (d1 - 1) + d2 - 1. */
void nd_rollout_second(uint64_t seed, uint64_t block, uint8_t second[ND_STRATA]);

#endif
