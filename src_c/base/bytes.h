/* Numbers in files: little-endian, at any alignment. */
#ifndef ND_BASE_BYTES_H
#define ND_BASE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t nd_load32(const void *at)
{
    const uint8_t *p = at;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t nd_load64(const void *at)
{
    return nd_load32(at) | (uint64_t)nd_load32((const uint8_t *)at + 4) << 32;
}

static inline void nd_store32(void *at, uint32_t x)
{
    uint8_t *p = at;
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(x >> 8 * i);
}

static inline void nd_store64(void *at, uint64_t x)
{
    nd_store32(at, (uint32_t)x);
    nd_store32((uint8_t *)at + 4, (uint32_t)(x >> 32));
}

/* Payloads of plain numbers are mapped as they lie, so only machines of that order read them. */
static inline bool nd_little_endian(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 1;
}

#endif
