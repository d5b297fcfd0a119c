#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "nets/internal.h"
#include "nets/payload.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "net payloads are little-endian and read in place"
#endif

_Static_assert(sizeof(nd_payload_header) == 48, "the header is written as it lies in memory");

bool nd_payload_shape_ok(int64_t h1, int64_t h2, int64_t outcomes)
{
    return h1 >= 64 && h1 <= ND_MAX_H1 && h1 % 64 == 0 && h2 >= 16 && h2 <= ND_MAX_H2 &&
           h2 % 16 == 0 && outcomes >= 2 && outcomes <= ND_MAX_OUTCOMES;
}

nd_payload_layout nd_payload_lay_out(const nd_payload_header *header, const nd_features *features)
{
    const size_t h1 = header->h1, h2 = header->h2, outcomes = header->outcomes;
    nd_payload_layout at;
    at.units = sizeof *header;
    at.b1 = at.units + (size_t)features->units * h1 * sizeof(int16_t);
    at.w2 = at.b1 + h1 * sizeof(int16_t);
    at.b2 = at.w2 + h1 * h2 * sizeof(int16_t);
    at.shift2 = at.b2 + h2 * sizeof(int32_t);
    at.w3 = at.shift2 + h2;
    at.b3 = at.w3 + h2 * outcomes * sizeof(float);
    at.provenance = at.b3 + outcomes * sizeof(float);
    at.end = at.provenance + header->provenance_bytes;
    return at;
}

uint64_t nd_payload_hash(const void *payload, size_t bytes)
{
    nd_payload_header header;
    memcpy(&header, payload, sizeof header);
    header.hash = 0;
    const uint64_t h = nd_hash(&header, sizeof header, 0);
    return nd_hash((const char *)payload + sizeof header, bytes - sizeof header, h);
}

void nd_spell_row(const nd_features *features, int byte, int value, const int16_t *units, int h1,
                  int n, int32_t *row)
{
    nd_term term[ND_MAX_TERMS];
    const int terms = features->spell(byte, value, term);
    for (int j = 0; j < n; j++) row[j] = 0;
    for (int t = 0; t < terms; t++) {
        const int32_t twice = (int32_t)(2.0f * term[t].coefficient);
        const int16_t *unit = units + (ptrdiff_t)term[t].unit * h1;
        for (int j = 0; j < n; j++) row[j] += twice * unit[j];
    }
    for (int j = 0; j < n; j++) row[j] = nd_halve(row[j]);
}

/* Carve `bytes` out of the block, 64-byte aligned; with a NULL block only the size is added up. */
static void *carve(void *block, size_t *used, size_t bytes)
{
    void *p = block ? (char *)block + *used : NULL;
    *used += (bytes + 63) / 64 * 64;
    return p;
}

/* Make the arrays that kernels read from the payload. */
static nd_status expand(nd_net *net, const nd_payload_header *header)
{
    const nd_features *f = net->info.features;
    const int h1 = net->info.h1, h2 = net->info.h2, outcomes = net->info.outcomes;
    const char *payload = net->payload;
    const nd_payload_layout at = nd_payload_lay_out(header, f);
    /* Everything in front of the text is a multiple of 16 bytes but the floats' end: aligned. */
    const int16_t *units = (const int16_t *)(const void *)(payload + at.units);
    const int16_t *w2 = (const int16_t *)(const void *)(payload + at.w2);

    size_t n_rows = 0;
    net->stride = h1 < 256 ? h1 : h1 + 32;
    for (int byte = 0; byte < ND_LINE; byte++) {
        net->row_at[byte] = ((ptrdiff_t)n_rows - 1) * net->stride;
        if (f->values[byte]) n_rows += f->values[byte] - 1u;
    }

    int16_t *rows = NULL, *b1 = NULL, *pairs = NULL;
    int32_t *b2 = NULL;
    float *scale = NULL, *w3 = NULL;
    for (int pass = 0; pass < 2; pass++) {
        size_t used = 0;
        rows = carve(net->block, &used, n_rows * (size_t)net->stride * sizeof *rows);
        b1 = carve(net->block, &used, (size_t)h1 * sizeof *b1);
        pairs = carve(net->block, &used, (size_t)h1 * (size_t)h2 * sizeof *pairs);
        b2 = carve(net->block, &used, (size_t)h2 * sizeof *b2);
        scale = carve(net->block, &used, (size_t)h2 * sizeof *scale);
        w3 = carve(net->block, &used, (size_t)h2 * ND_LANES * sizeof *w3);
        if (!net->block && !(net->block = nd_lines_new(used))) return ND_NO_MEMORY;
    }
    net->rows = rows, net->b1 = b1, net->w2 = pairs, net->b2 = b2, net->scale = scale, net->w3 = w3;

    for (int byte = 0; byte < ND_LINE; byte++)
        for (int value = 1; value < f->values[byte]; value++) {
            int16_t *row = rows + net->row_at[byte] + value * net->stride;
            int32_t wide[ND_MAX_H1];
            nd_spell_row(f, byte, value, units, h1, h1, wide);
            for (int j = 0; j < h1; j++) {
                if (wide[j] < INT16_MIN || wide[j] > INT16_MAX) return ND_BAD_FILE;
                row[j] = (int16_t)wide[j];
            }
        }

    memcpy(b1, payload + at.b1, (size_t)h1 * sizeof *b1);
    for (int j = 0; j < h1; j++)
        for (int k = 0; k < h2; k++) pairs[((j / 2) * h2 + k) * 2 + j % 2] = w2[j * h2 + k];
    memcpy(b2, payload + at.b2, (size_t)h2 * sizeof *b2);
    for (int k = 0; k < h2; k++) {
        const int shift2 = ((const uint8_t *)payload)[at.shift2 + (size_t)k];
        if (shift2 > ND_MAX_SHIFT2) return ND_BAD_FILE;
        scale[k] = ldexpf(1.0f, -(int)header->shift1 - shift2);
    }
    memset(w3, 0, (size_t)h2 * ND_LANES * sizeof *w3);
    for (int k = 0; k < h2; k++)
        memcpy(w3 + k * ND_LANES, payload + at.w3 + (size_t)(k * outcomes) * sizeof *w3,
               (size_t)outcomes * sizeof *w3);
    memcpy(net->b3, payload + at.b3, (size_t)outcomes * sizeof *net->b3);
    for (int c = 0; c < outcomes; c++) net->present[c] = 1.0f;
    /* Padding stays below every outcome, so that it never decides the largest. */
    for (int c = outcomes; c < ND_LANES; c++) net->b3[c] = -1e30f;
    for (int i = 0; i < h2 * ND_LANES; i++)
        if (!(fabsf(w3[i]) < 1e6f)) return ND_BAD_FILE;
    for (int c = 0; c < outcomes; c++)
        if (!(fabsf(net->b3[c]) < 1e6f)) return ND_BAD_FILE;
    return ND_OK;
}

static nd_status read_header(const void *payload, size_t bytes, nd_payload_header *header,
                             const nd_features **features)
{
    if (bytes < sizeof *header) return ND_BAD_FILE;
    memcpy(header, payload, sizeof *header);
    /* Versions are small numbers: the four bytes that a text begins with are none. */
    if (header->version == 0 || header->version > UINT16_MAX) return ND_BAD_FILE;
    if (header->version != ND_PAYLOAD_VERSION) return ND_BAD_VERSION;
    *features = nd_features_by_id(header->features_id);
    if (!*features || header->features_hash != nd_features_hash(*features)) return ND_BAD_VERSION;
    if (!nd_payload_shape_ok(header->h1, header->h2, header->outcomes) || header->zero != 0 ||
        header->shift1 > ND_MAX_SHIFT1 || header->provenance_bytes > ND_MAX_PROVENANCE)
        return ND_BAD_FILE;
    const nd_payload_layout at = nd_payload_lay_out(header, *features);
    if (at.end != bytes) return ND_BAD_FILE;
    if (nd_payload_hash(payload, bytes) != header->hash) return ND_BAD_CHECKSUM;
    if (memchr((const char *)payload + at.provenance, 0, header->provenance_bytes))
        return ND_BAD_FILE;
    return ND_OK;
}

/* As nd_net_adopt, of a payload whose header and hash were found right. */
static nd_status take_over(void *payload, size_t bytes, const nd_payload_header *header,
                           const nd_features *features, nd_net **out)
{
    nd_net *net = calloc(1, sizeof *net);
    char *text = malloc(header->provenance_bytes + (size_t)1);
    if (!net || !text) {
        free(net), free(text), free(payload);
        return ND_NO_MEMORY;
    }
    memcpy(text, (const char *)payload + bytes - header->provenance_bytes,
           header->provenance_bytes);
    text[header->provenance_bytes] = 0;
    net->payload = payload;
    net->payload_bytes = bytes;
    net->info = (nd_net_info){.features = features,
                              .h1 = (int)header->h1,
                              .h2 = (int)header->h2,
                              .outcomes = (int)header->outcomes,
                              .hash = header->hash,
                              .provenance = text};
    const nd_status status = expand(net, header);
    if (status != ND_OK) {
        nd_net_free(net);
        return status;
    }
    *out = net;
    return ND_OK;
}

nd_status nd_net_adopt(void *payload, size_t bytes, nd_net **out)
{
    *out = NULL;
    nd_payload_header header;
    const nd_features *features;
    const nd_status status = read_header(payload, bytes, &header, &features);
    if (status == ND_OK) return take_over(payload, bytes, &header, features, out);
    free(payload);
    return status;
}

nd_status nd_net_from_memory(const void *payload, size_t bytes, nd_net **out)
{
    *out = NULL;
    nd_payload_header header;
    const nd_features *features;
    /* Before copying anything: is it worth it? */
    const nd_status status = read_header(payload, bytes, &header, &features);
    if (status != ND_OK) return status;
    void *copy = malloc(bytes);
    if (!copy) return ND_NO_MEMORY;
    memcpy(copy, payload, bytes);
    return take_over(copy, bytes, &header, features, out);
}

size_t nd_net_payload_size(const nd_net *net) { return net->payload_bytes; }

void nd_net_payload_write(const nd_net *net, void *payload)
{
    memcpy(payload, net->payload, net->payload_bytes);
}

void nd_net_get_params(const nd_net *net, nd_params *into)
{
    const int h1 = net->info.h1, h2 = net->info.h2, outcomes = net->info.outcomes;
    nd_payload_header header;
    memcpy(&header, net->payload, sizeof header);
    const char *payload = net->payload;
    const nd_payload_layout at = nd_payload_lay_out(&header, net->info.features);
    const int16_t *units = (const int16_t *)(const void *)(payload + at.units);
    const int16_t *w2 = (const int16_t *)(const void *)(payload + at.w2);
    const float unit = ldexpf(1.0f, -(int)header.shift1);
    into->features = net->info.features;
    into->h1 = h1, into->h2 = h2, into->outcomes = outcomes;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)net->info.features->units * h1; i++)
        into->w1[i] = units[i] * unit;
    for (int j = 0; j < h1; j++) into->b1[j] = net->b1[j] * unit;
    for (int k = 0; k < h2; k++) {
        const float step = net->scale[k] / unit; /* powers of two: exact */
        for (int j = 0; j < h1; j++) into->w2[j * h2 + k] = w2[j * h2 + k] * step;
        into->b2[k] = (float)net->b2[k] * net->scale[k];
        for (int c = 0; c < outcomes; c++) into->w3[k * outcomes + c] = net->w3[k * ND_LANES + c];
    }
    memcpy(into->b3, net->b3, (size_t)outcomes * sizeof *into->b3);
}

void nd_net_free(nd_net *net)
{
    if (!net) return;
    free((char *)(uintptr_t)net->info.provenance);
    free(net->payload);
    nd_lines_free(net->block);
    free(net);
}

const nd_net_info *nd_net_get_info(const nd_net *net) { return &net->info; }

nd_status nd_scratch_new(nd_scratch **out)
{
    nd_scratch *scratch = nd_lines_new(sizeof *scratch);
    *out = scratch;
    if (!scratch) return ND_NO_MEMORY;
    for (int i = 0; i < ND_BASES; i++) scratch->base[i].hash = 0;
    return ND_OK;
}

void nd_scratch_free(nd_scratch *scratch) { nd_lines_free(scratch); }

void nd_net_evaluate(const nd_net *net, const nd_kernels *kernels, nd_scratch *scratch,
                     const nd_board *boards, size_t n, float *out)
{
    kernels->evaluate(net, scratch, NULL, boards, n, out);
}

void nd_net_evaluate_near(const nd_net *net, const nd_kernels *kernels, nd_scratch *scratch,
                          const nd_board *base, const nd_board *boards, size_t n, float *out)
{
    kernels->evaluate(net, scratch, base, boards, n, out);
}
