/* Values of positions already searched: fixed size, the newest of a place wins.
 *
 * An entry is what the search would work out again, bit for bit, from (board, tag); the tag names
 * everything else the value depends on (see nply.c). So answers do not depend on what is in a
 * cache. A cache belongs to one thread.
 */
#ifndef ND_SEARCH_CACHE_H
#define ND_SEARCH_CACHE_H

#include <stddef.h>

#include "rules/rules.h"

typedef struct nd_cache nd_cache;

/* Chances of the side on roll and, where there is a cube, what they are worth to it. */
typedef struct nd_worth {
    double value;
    float probability[ND_MAX_OUTCOMES];
} nd_worth;

/* `entries` is rounded up to a power of two. NULL if there is no memory. */
nd_cache *nd_cache_new(size_t entries);
void nd_cache_free(nd_cache *cache);
size_t nd_cache_entries(const nd_cache *cache);

/* What is stored for (board, tag), or NULL. It stays where it is until the next store. */
const nd_worth *nd_cache_find(const nd_cache *cache, const nd_board *board, uint64_t tag);

void nd_cache_store(nd_cache *cache, const nd_board *board, uint64_t tag, const nd_worth *worth);

#endif
