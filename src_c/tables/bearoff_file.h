/* What the two bear-off tables share: a payload that lies in a mapped file or in memory. */
#ifndef ND_TABLES_BEAROFF_FILE_H
#define ND_TABLES_BEAROFF_FILE_H

#include <stdlib.h>

#include "base/bytes.h"
#include "base/container.h"

typedef struct nd_bearoff_payload {
    nd_container container;
    nd_container_file *file; /* the payload lies here */
    void *memory;            /* or here; freed with free() */
} nd_bearoff_payload;

static inline nd_status nd_bearoff_payload_open(const char *path, uint32_t kind, uint32_t layout,
                                                nd_bearoff_payload *out)
{
    if (!nd_little_endian()) return ND_UNSUPPORTED;
    const nd_status status = nd_container_open(path, true, &out->file);
    if (status != ND_OK) return status;
    out->container = *nd_container_get(out->file);
    return nd_container_expect(&out->container, kind, layout);
}

static inline nd_status nd_bearoff_payload_save(const nd_bearoff_payload *p, const char *path)
{
    return nd_little_endian() ? nd_container_write(path, &p->container) : ND_UNSUPPORTED;
}

static inline void nd_bearoff_payload_free(nd_bearoff_payload *p)
{
    nd_container_close(p->file);
    free(p->memory);
}

#endif
