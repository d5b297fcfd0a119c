/* 64-bit content hash of a block of memory: the same bytes give the same hash on every machine.
 * For recognising damage and naming contents, not for security. */
#ifndef ND_BASE_HASH_H
#define ND_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Hash of `bytes` bytes, continuing from `seed` (0, or the hash of what came before). */
uint64_t nd_hash(const void *data, size_t bytes, uint64_t seed);

#endif
