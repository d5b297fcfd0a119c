/* The one format of our binary files: nets, bear-off tables and what may follow.
 *
 *   offset  bytes
 *        0      8  magic "NARDYBIN"
 *        8      4  container format version, 1
 *       12      4  kind, enum nd_kind
 *       16      4  version of the payload's own layout, per kind
 *       20      4  rules id, 0 = not tied to one game
 *       24      4  rules version
 *       28      4  provenance length p in bytes
 *       32      8  payload length
 *       40      8  payload hash (nd_hash, seed 0)
 *       48      8  reserved, zero
 *       56      8  hash of bytes 0..55 chained with the provenance
 *       64      p  provenance: UTF-8 text, who made it and how, no NUL; then 1 to 64 zeros
 *   multiple of 64  payload, to the end of the file
 *
 * All numbers are little-endian. A file of any other size or with any other bit set in the first
 * part is refused.
 */
#ifndef ND_BASE_CONTAINER_H
#define ND_BASE_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum nd_kind {
    ND_KIND_NET = 1,
    ND_KIND_BEAROFF_ONE = 2,
    ND_KIND_BEAROFF_TWO = 3,
    ND_KIND_LONG_RACE = 4
};

enum { ND_CONTAINER_HEADER = 64, ND_CONTAINER_ALIGN = 64, ND_PROVENANCE_MAX = 1 << 20 };

typedef struct nd_container {
    uint32_t kind;
    uint32_t layout;
    uint32_t rules_id, rules_version;
    const char *provenance; /* ends with NUL */
    const void *payload;
    size_t payload_bytes;
    uint64_t payload_hash; /* set when parsing, never read */
} nd_container;

/* Reads a file image; the answer points into `data`. With `verify` the payload hash is computed and
 * compared (about 5 GB/s). ND_BAD_FILE, ND_BAD_VERSION (container format) or ND_BAD_CHECKSUM. */
nd_status nd_container_parse(const void *data, size_t bytes, bool verify, nd_container *out);

/* ND_OK if the container is of this kind (else ND_BAD_FILE) and layout (else ND_BAD_VERSION). */
nd_status nd_container_expect(const nd_container *c, uint32_t kind, uint32_t layout);

/* Files: written atomically (see nd_file_replace), opened by mapping. */
typedef struct nd_container_file nd_container_file;

nd_status nd_container_write(const char *path, const nd_container *c);
nd_status nd_container_open(const char *path, bool verify, nd_container_file **out);
const nd_container *nd_container_get(const nd_container_file *file);
void nd_container_close(nd_container_file *file);

#endif
