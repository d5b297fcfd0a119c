#include "base/container.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/hash.h"

enum { FORMAT = 1 };

static const char magic[8] = {'N', 'A', 'R', 'D', 'Y', 'B', 'I', 'N'};

struct nd_container_file {
    nd_view view;
    nd_container container;
};

/* Header, provenance and at least one zero, so that the provenance is a C string in place. */
static size_t front_size(size_t provenance)
{
    const size_t used = ND_CONTAINER_HEADER + provenance + 1;
    return (used + ND_CONTAINER_ALIGN - 1) / ND_CONTAINER_ALIGN * ND_CONTAINER_ALIGN;
}

static uint64_t front_hash(const uint8_t *front, size_t provenance)
{
    return nd_hash(front + ND_CONTAINER_HEADER, provenance, nd_hash(front, 56, 0));
}

/* Fills `front_size` bytes. */
static void pack_front(const nd_container *c, uint8_t *front)
{
    const size_t provenance = strlen(c->provenance);
    memset(front, 0, front_size(provenance));
    memcpy(front, magic, sizeof magic);
    nd_store32(front + 8, FORMAT);
    nd_store32(front + 12, c->kind);
    nd_store32(front + 16, c->layout);
    nd_store32(front + 20, c->rules_id);
    nd_store32(front + 24, c->rules_version);
    nd_store32(front + 28, (uint32_t)provenance);
    nd_store64(front + 32, c->payload_bytes);
    nd_store64(front + 40, nd_hash(c->payload, c->payload_bytes, 0));
    memcpy(front + ND_CONTAINER_HEADER, c->provenance, provenance);
    nd_store64(front + 56, front_hash(front, provenance));
}

nd_status nd_container_parse(const void *data, size_t bytes, bool verify, nd_container *out)
{
    const uint8_t *p = data;
    *out = (nd_container){0};
    if (bytes < ND_CONTAINER_HEADER || memcmp(p, magic, sizeof magic) != 0) return ND_BAD_FILE;
    if (nd_load32(p + 8) != FORMAT) return ND_BAD_VERSION;

    const size_t provenance = nd_load32(p + 28);
    const uint64_t payload_bytes = nd_load64(p + 32);
    if (provenance > ND_PROVENANCE_MAX) return ND_BAD_FILE;
    const size_t front = front_size(provenance);
    if (bytes < front || payload_bytes != bytes - front) return ND_BAD_FILE;
    if (nd_load64(p + 56) != front_hash(p, provenance)) return ND_BAD_CHECKSUM;
    if (nd_load64(p + 48) != 0 || memchr(p + ND_CONTAINER_HEADER, 0, provenance))
        return ND_BAD_FILE;
    for (size_t i = ND_CONTAINER_HEADER + provenance; i < front; i++)
        if (p[i] != 0) return ND_BAD_FILE;

    const uint64_t hash = nd_load64(p + 40);
    if (verify && nd_hash(p + front, (size_t)payload_bytes, 0) != hash) return ND_BAD_CHECKSUM;
    *out = (nd_container){
        .kind = nd_load32(p + 12),
        .layout = nd_load32(p + 16),
        .rules_id = nd_load32(p + 20),
        .rules_version = nd_load32(p + 24),
        .provenance = (const char *)p + ND_CONTAINER_HEADER,
        .payload = p + front,
        .payload_bytes = (size_t)payload_bytes,
        .payload_hash = hash,
    };
    return ND_OK;
}

nd_status nd_container_expect(const nd_container *c, uint32_t kind, uint32_t layout)
{
    if (c->kind != kind) return ND_BAD_FILE;
    return c->layout == layout ? ND_OK : ND_BAD_VERSION;
}

nd_status nd_container_write(const char *path, const nd_container *c)
{
    const size_t provenance = strlen(c->provenance);
    if (provenance > ND_PROVENANCE_MAX) return ND_BAD_ARGUMENT;
    uint8_t *front = malloc(front_size(provenance));
    if (!front) return ND_NO_MEMORY;
    pack_front(c, front);
    const nd_span spans[2] = {{front, front_size(provenance)}, {c->payload, c->payload_bytes}};
    const nd_status status = nd_file_replace(path, spans, 2);
    free(front);
    return status;
}

nd_status nd_container_open(const char *path, bool verify, nd_container_file **out)
{
    *out = NULL;
    nd_container_file *file = calloc(1, sizeof *file);
    if (!file) return ND_NO_MEMORY;
    nd_status status = nd_file_view(path, &file->view);
    if (status == ND_OK)
        status = nd_container_parse(file->view.data, file->view.bytes, verify, &file->container);
    if (status == ND_OK)
        *out = file;
    else
        nd_container_close(file);
    return status;
}

const nd_container *nd_container_get(const nd_container_file *file) { return &file->container; }

void nd_container_close(nd_container_file *file)
{
    if (!file) return;
    nd_file_release(&file->view);
    free(file);
}
