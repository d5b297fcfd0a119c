#include "base/hash.h"

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9FB21C651E98DF25u;
    return h ^ (h >> 32);
}

/* Little-endian by construction, so that machines agree; compilers make it one load. */
static uint64_t load(const uint8_t *p, size_t n)
{
    uint64_t w = 0;
    for (size_t i = 0; i < n; i++) w |= (uint64_t)p[i] << 8 * i;
    return w;
}

uint64_t nd_hash(const void *data, size_t bytes, uint64_t seed)
{
    const uint8_t *p = data;
    uint64_t h = mix(seed ^ 0x2545F4914F6CDD1Du, bytes);
    for (; bytes >= 8; bytes -= 8, p += 8) h = mix(h, load(p, 8));
    if (bytes) h = mix(h, load(p, bytes));
    h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9u;
    return h ^ (h >> 32);
}
