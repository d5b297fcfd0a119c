/* Nets from files: containers as they ship, or bare payloads as the trainer writes them. */
#ifndef ND_TESTS_NET_FILES_H
#define ND_TESTS_NET_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/container.h"
#include "nets/net.h"

/* The net of that file; what is none ends the program with a line that says so. */
static inline nd_net *open_net(const char *path)
{
    enum { LARGEST = 1 << 25 };
    FILE *const file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    char *const bytes = malloc(LARGEST);
    if (!bytes) abort();
    size_t size = fread(bytes, 1, LARGEST, file);
    fclose(file);
    const void *payload = bytes;
    nd_container c;
    if (nd_container_parse(bytes, size, true, &c) == ND_OK)
        payload = c.payload, size = c.payload_bytes;
    nd_net *net;
    if (nd_net_from_memory(payload, size, &net) != ND_OK) {
        fprintf(stderr, "%s: not a net of this version\n", path);
        exit(1);
    }
    free(bytes);
    return net;
}

#endif
