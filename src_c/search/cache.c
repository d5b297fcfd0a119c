#include "search/cache.h"

#include <stdlib.h>

typedef struct entry {
    nd_board board;
    uint64_t tag; /* 0 = empty */
    nd_worth worth;
} entry;

struct nd_cache {
    size_t mask;
    entry at[];
};

nd_cache *nd_cache_new(size_t entries)
{
    size_t n = 1;
    while (n < entries && n <= SIZE_MAX / (4 * sizeof(entry))) n *= 2;
    nd_cache *const cache = calloc(1, sizeof *cache + n * sizeof(entry));
    if (cache) cache->mask = n - 1;
    return cache;
}

void nd_cache_free(nd_cache *cache) { free(cache); }

size_t nd_cache_entries(const nd_cache *cache) { return cache->mask + 1; }

static size_t place(const nd_cache *cache, const nd_board *board, uint64_t tag)
{
    return (size_t)((nd_board_hash(board) ^ tag) & cache->mask);
}

const nd_worth *nd_cache_find(const nd_cache *cache, const nd_board *board, uint64_t tag)
{
    const entry *const e = &cache->at[place(cache, board, tag)];
    return e->tag == tag && nd_equal(&e->board, board) ? &e->worth : NULL;
}

void nd_cache_store(nd_cache *cache, const nd_board *board, uint64_t tag, const nd_worth *worth)
{
    entry *const e = &cache->at[place(cache, board, tag)];
    e->board = *board;
    e->tag = tag;
    e->worth = *worth;
}
