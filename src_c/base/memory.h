/* Memory in whole cache lines, which the C library of Windows has under other names. */
#ifndef ND_BASE_MEMORY_H
#define ND_BASE_MEMORY_H

#include <stddef.h>
#include <stdlib.h>

#ifdef _WIN32
#include <malloc.h>
#endif

/* `bytes` rounded up to whole lines. */
static inline size_t nd_lines(size_t bytes) { return (bytes + 63) / 64 * 64; }

/* nd_lines(bytes) of them, more than 0, aligned to 64; NULL without memory. */
static inline void *nd_lines_new(size_t bytes)
{
#ifdef _WIN32
    return _aligned_malloc(nd_lines(bytes), 64);
#else
    return aligned_alloc(64, nd_lines(bytes));
#endif
}

static inline void nd_lines_free(void *lines)
{
#ifdef _WIN32
    _aligned_free(lines);
#else
    free(lines);
#endif
}

#endif
