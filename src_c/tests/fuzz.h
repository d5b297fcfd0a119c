/* What the fuzz targets share: input read as a stream, and an oracle that stops the program.
 *
 * A target is one file fuzz_NAME.c with LLVMFuzzerTestOneInput, which any engine of that interface
 * can drive; fuzz_main.c does where there is none. The format around the contents is built anew for
 * every input, checksums and all, so that inputs reach what lies behind the first comparison. */
#ifndef ND_TESTS_FUZZ_H
#define ND_TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

typedef struct input {
    const uint8_t *at;
    size_t left;
} input;

/* Zeros when the input is at its end. */
static inline void take(input *in, void *into, size_t bytes)
{
    const size_t n = bytes < in->left ? bytes : in->left;
    memset(into, 0, bytes);
    if (n) memcpy(into, in->at, n);
    in->at += n, in->left -= n;
}

static inline uint8_t take8(input *in)
{
    uint8_t x;
    take(in, &x, sizeof x);
    return x;
}

static inline uint32_t take32(input *in)
{
    uint8_t x[4];
    take(in, x, sizeof x);
    return (uint32_t)x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16 | (uint32_t)x[3] << 24;
}

/* Changes a copy of something well formed: runs of (place, length, bytes), until the input ends or
 * a place is outside. Places near the beginning, where headers are, are as likely as all others. */
static inline void damage(input *in, uint8_t *bytes, size_t size)
{
    while (in->left >= 4 && size) {
        const uint32_t word = take32(in);
        const size_t reach = word & 0x80000000u && size > 256 ? 256 : size;
        const size_t at = (word & 0x0FFFFFFFu) % reach;
        size_t length = 1 + (word >> 28 & 7);
        if (length > size - at) length = size - at;
        take(in, bytes + at, length);
    }
}

#endif
