/* How a net is written: little-endian, this header, then without gaps
 *
 *   int16 units[units][h1]    trainable rows at scale 2^shift1
 *   int16 b1[h1]              at the same scale
 *   int16 w2[h1][h2]          column k at scale 2^shift2[k]
 *   int32 b2[h2]              at scale 2^(shift1 + shift2[k])
 *   uint8 shift2[h2]
 *   float w3[h2][outcomes], b3[outcomes]
 *   char  provenance[provenance_bytes]
 */
#ifndef ND_NETS_PAYLOAD_H
#define ND_NETS_PAYLOAD_H

#include "nets/net.h"

enum { ND_PAYLOAD_VERSION = 1, ND_MAX_SHIFT1 = 11, ND_MAX_SHIFT2 = 12, ND_MAX_PROVENANCE = 65536 };

typedef struct nd_payload_header {
    uint32_t version;
    uint32_t features_id;
    uint64_t features_hash; /* nd_features_hash: the spelling the net was trained on */
    uint32_t h1, h2, outcomes;
    uint32_t shift1;
    uint32_t provenance_bytes;
    uint32_t zero;
    uint64_t hash; /* of this header with hash 0 and of all that follows it */
} nd_payload_header;

/* Where each part begins, from the start of the payload. */
typedef struct nd_payload_layout {
    size_t units, b1, w2, b2, shift2, w3, b3, provenance, end;
} nd_payload_layout;

nd_payload_layout nd_payload_lay_out(const nd_payload_header *header, const nd_features *features);

uint64_t nd_payload_hash(const void *payload, size_t bytes);

/* Can the header be a net's? */
bool nd_payload_shape_ok(int64_t h1, int64_t h2, int64_t outcomes);

/* Take over a payload that was allocated with malloc; frees it on failure. */
nd_status nd_net_adopt(void *payload, size_t bytes, nd_net **out);

/* Round half up, as rows are made from units: (twice + 1) / 2 towards minus infinity. */
static inline int32_t nd_halve(int32_t twice) { return (twice + 1 - ((twice + 1) & 1)) / 2; }

/* The row of (byte, value) for `n` hidden units, spelled from `units` ([units][h1], pointing at the
 * first of the `n`). */
void nd_spell_row(const nd_features *features, int byte, int value, const int16_t *units, int h1,
                  int n, int32_t *row);

#endif
