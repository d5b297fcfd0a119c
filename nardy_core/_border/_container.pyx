# cython: language_level=3
"""Checked container files as bytes."""
import os

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stddef cimport size_t
from libc.string cimport memset

from nardy_core._border.errors cimport check
from nardy_core._border.nardy cimport nd_status, uint32_t, uint64_t

cdef extern from "nardy.h" nogil:
    enum: ND_KIND_NET
    ctypedef struct nd_container:
        uint32_t kind
        uint32_t layout
        uint32_t rules_id
        uint32_t rules_version
        const char *provenance
        const void *payload
        size_t payload_bytes
        uint64_t payload_hash
    ctypedef struct nd_container_file:
        pass
    nd_status nd_container_write(const char *path, const nd_container *c)
    nd_status nd_container_open(const char *path, bint verify, nd_container_file **out)
    nd_status nd_container_expect(const nd_container *c, uint32_t kind, uint32_t layout)
    const nd_container *nd_container_get(const nd_container_file *file)
    void nd_container_close(nd_container_file *file)

KIND_NET = <int>ND_KIND_NET


def write(path, int kind, int layout, bytes payload not None, str provenance=""):
    """Write a file in one step: it is the old one or the new one, never half of either."""
    cdef nd_container c
    memset(&c, 0, sizeof(c))
    name, text = os.fsencode(path), provenance.encode()
    c.kind, c.layout, c.provenance = kind, layout, text
    c.payload, c.payload_bytes = PyBytes_AS_STRING(payload), len(payload)
    check(nd_container_write(name, &c), os.fsdecode(path))


def read(path, int kind, int layout):
    """(payload, provenance) of a file of this kind and layout, its checksum verified."""
    cdef nd_container_file *file = NULL
    cdef const nd_container *c
    name, shown = os.fsencode(path), os.fsdecode(path)
    check(nd_container_open(name, True, &file), shown)
    try:
        c = nd_container_get(file)
        check(nd_container_expect(c, kind, layout), shown)
        payload = PyBytes_FromStringAndSize(<const char *>c.payload, c.payload_bytes)
        return payload, c.provenance.decode()
    finally:
        nd_container_close(file)
