/* Whole files: read by mapping, replaced in one step. Paths are UTF-8. */
#ifndef ND_BASE_FILE_H
#define ND_BASE_FILE_H

#include <stddef.h>

#include "base/status.h"

typedef struct nd_view {
    const void *data; /* 16-byte aligned at least; NULL for an empty file */
    size_t bytes;
    void *owned; /* memory to free, or NULL when the file is mapped */
} nd_view;

typedef struct nd_span {
    const void *data;
    size_t bytes;
} nd_span;

/* Read-only view of a regular file: mapped, or read into memory where mapping is refused. */
nd_status nd_file_view(const char *path, nd_view *out);
void nd_file_release(nd_view *view);

/* Writes the spans one after another to a new file beside `path`, flushes it to the disk and
 * renames it to `path`. Readers see the old file or the new one, never a part; on failure the old
 * file is untouched and nothing is left behind. */
nd_status nd_file_replace(const char *path, const nd_span *spans, int count);

#endif
