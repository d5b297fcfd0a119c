/* Container files in memory, laid out by hand as base/container.h describes them. */
#ifndef ND_TESTS_CONTAINER_IMAGE_H
#define ND_TESTS_CONTAINER_IMAGE_H

#include <string.h>

#include "base/bytes.h"
#include "base/container.h"
#include "base/hash.h"

/* Bytes before the payload: the header, the provenance and at least one zero. */
static inline size_t image_front(size_t provenance) { return (64 + provenance + 64) / 64 * 64; }

static inline size_t image_size(const nd_container *c)
{
    return image_front(strlen(c->provenance)) + c->payload_bytes;
}

/* The header's own hash, as the fields and the provenance now are. */
static inline uint64_t image_hash(const uint8_t *image, size_t provenance)
{
    return nd_hash(image + 64, provenance, nd_hash(image, 56, 0));
}

/* Fills image_size bytes. */
static inline void image_fill(const nd_container *c, uint8_t *image)
{
    const size_t provenance = strlen(c->provenance), front = image_front(provenance);
    memset(image, 0, front);
    memcpy(image, "NARDYBIN", 8);
    nd_store32(image + 8, 1);
    nd_store32(image + 12, c->kind);
    nd_store32(image + 16, c->layout);
    nd_store32(image + 20, c->rules_id);
    nd_store32(image + 24, c->rules_version);
    nd_store32(image + 28, (uint32_t)provenance);
    nd_store64(image + 32, c->payload_bytes);
    nd_store64(image + 40, nd_hash(c->payload, c->payload_bytes, 0));
    memcpy(image + 64, c->provenance, provenance);
    nd_store64(image + 56, image_hash(image, provenance));
    if (c->payload_bytes) memcpy(image + front, c->payload, c->payload_bytes);
}

#endif
