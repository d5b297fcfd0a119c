# cython: language_level=3, boundscheck=False, wraparound=False
"""Bear-off tables: builders, files and probes. Positions are indices (see `index_of_counts`);
arrays in, arrays out. Tables are immutable and may be shared by any number of threads."""
import os

import numpy as np

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy

from nardy_core._border.errors cimport check
from nardy_core._border.nardy cimport nd_status
from nardy_core._border.tables cimport (
    ND_BEAROFF_POSITIONS, ND_BEAROFF_TWO_POSITIONS, nd_bearoff_counts_of_index,
    nd_bearoff_equities, nd_bearoff_index_of_counts, nd_bearoff_moments,
    nd_bearoff_one_all, nd_bearoff_one_build, nd_bearoff_one_first, nd_bearoff_one_free,
    nd_bearoff_one_open, nd_bearoff_one_outcomes, nd_bearoff_one_save, nd_bearoff_rolls,
    nd_bearoff_two_build, nd_bearoff_two_free, nd_bearoff_two_open, nd_bearoff_two_probe,
    nd_bearoff_two_save,
)

POSITIONS = <int>ND_BEAROFF_POSITIONS
TWO_POSITIONS = <int>ND_BEAROFF_TWO_POSITIONS


cdef const uint32_t[::1] load_indices(object indices, uint32_t limit):
    array = np.asarray(indices)
    if array.ndim > 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError("bear-off index: expected whole numbers in one dimension")
    if array.size and not (0 <= array.min() and array.max() < limit):
        raise ValueError(f"bear-off index: not in 0..{limit - 1}")
    return np.ascontiguousarray(array, dtype=np.uint32).reshape(-1)


cdef int same_length(const uint32_t[::1] own, const uint32_t[::1] opp) except -1:
    if own.shape[0] != opp.shape[0]:
        raise ValueError(f"bear-off index: {own.shape[0]} own but {opp.shape[0]} opponent's")
    return 0


cdef object rolls_array(nd_bearoff_rolls rolls):
    p = np.zeros(rolls.first + rolls.count)
    cdef double[::1] view = p
    memcpy(&view[rolls.first], rolls.p, sizeof(double) * rolls.count)
    return p


cdef object moments_array(nd_bearoff_rolls rolls):
    cdef double mean, deviation
    nd_bearoff_moments(rolls, &mean, &deviation)
    return mean, deviation


def index_of_counts(counts):
    """uint32 (n,) indices of uint8 (n, 6) counts of points 1..6, at most 15 checkers a row."""
    array = np.asarray(counts)
    if array.ndim != 2 or array.shape[1] != 6 or array.dtype.kind not in "iu":
        raise ValueError("bear-off counts: expected whole numbers of shape (n, 6)")
    if array.size and (array.min() < 0 or array.max() > 15 or array.sum(axis=1).max() > 15):
        raise ValueError("bear-off counts: negative, or more than 15 checkers")
    cdef const uint8_t[:, ::1] rows = np.ascontiguousarray(array, dtype=np.uint8)
    out = np.empty(len(array), dtype=np.uint32)
    cdef uint32_t[::1] view = out
    cdef Py_ssize_t i
    for i in range(rows.shape[0]):
        view[i] = nd_bearoff_index_of_counts(&rows[i, 0])
    return out


def counts_of_index(indices):
    """uint8 (n, 6) counts of points 1..6 of uint32 (n,) indices."""
    cdef const uint32_t[::1] index = load_indices(indices, ND_BEAROFF_POSITIONS)
    out = np.empty((index.shape[0], 6), dtype=np.uint8)
    cdef uint8_t[:, ::1] view = out
    cdef Py_ssize_t i
    for i in range(index.shape[0]):
        nd_bearoff_counts_of_index(index[i], &view[i, 0])
    return out


cdef class BearoffOne:
    """One-sided bear-off of up to 15 checkers: rolls needed, one side by itself."""

    def __init__(self) -> None:
        raise TypeError("use BearoffOne.build() or BearoffOne.open(path)")

    def __dealloc__(self):
        nd_bearoff_one_free(self.handle)

    @staticmethod
    def build():
        """Computes the table in memory."""
        cdef BearoffOne self = BearoffOne.__new__(BearoffOne)
        cdef nd_status status
        with nogil:
            status = nd_bearoff_one_build(&self.handle)
        check(status)
        return self

    @staticmethod
    def open(path):
        """Maps a file that `save` wrote, after verifying its checksum."""
        cdef BearoffOne self = BearoffOne.__new__(BearoffOne)
        cdef bytes name = os.fsencode(path)
        cdef const char *c_name = name
        cdef nd_status status
        with nogil:
            status = nd_bearoff_one_open(c_name, &self.handle)
        check(status, path)
        return self

    def save(self, path):
        """Writes the table in one step: readers see the whole file or none."""
        cdef bytes name = os.fsencode(path)
        cdef const char *c_name = name
        cdef nd_status status
        with nogil:
            status = nd_bearoff_one_save(self.handle, c_name)
        check(status, path)

    def rolls(self, index):
        """Probabilities that exactly 0, 1, 2, ... rolls bear off everything: float64."""
        return rolls_array(nd_bearoff_one_all(self.handle,
                                              load_indices(index, ND_BEAROFF_POSITIONS)[0]))

    def first_rolls(self, index):
        """The same until the first checker is off; certainly 0 unless all 15 are on the board."""
        return rolls_array(nd_bearoff_one_first(self.handle,
                                                load_indices(index, ND_BEAROFF_POSITIONS)[0]))

    def moments(self, index):
        """Mean and standard deviation of the rolls to bear off everything."""
        return moments_array(nd_bearoff_one_all(self.handle,
                                                load_indices(index, ND_BEAROFF_POSITIONS)[0]))

    def outcomes(self, own, opp):
        """float64 (n, 6) outcome probabilities of the side on roll for uint32 (n,) indices."""
        cdef const uint32_t[::1] a = load_indices(own, ND_BEAROFF_POSITIONS)
        cdef const uint32_t[::1] b = load_indices(opp, ND_BEAROFF_POSITIONS)
        same_length(a, b)
        out = np.empty((a.shape[0], 6))
        cdef double[:, ::1] view = out
        cdef Py_ssize_t i
        with nogil:
            for i in range(a.shape[0]):
                nd_bearoff_one_outcomes(self.handle, a[i], b[i], &view[i, 0])
        return out


cdef class BearoffTwo:
    """Two-sided bear-off of up to 6 checkers a side: exact money equities."""

    def __init__(self) -> None:
        raise TypeError("use BearoffTwo.build() or BearoffTwo.open(path)")

    def __dealloc__(self):
        nd_bearoff_two_free(self.handle)

    @staticmethod
    def build():
        """Computes the table in memory."""
        cdef BearoffTwo self = BearoffTwo.__new__(BearoffTwo)
        cdef nd_status status
        with nogil:
            status = nd_bearoff_two_build(&self.handle)
        check(status)
        return self

    @staticmethod
    def open(path):
        """Maps a file that `save` wrote, after verifying its checksum."""
        cdef BearoffTwo self = BearoffTwo.__new__(BearoffTwo)
        cdef bytes name = os.fsencode(path)
        cdef const char *c_name = name
        cdef nd_status status
        with nogil:
            status = nd_bearoff_two_open(c_name, &self.handle)
        check(status, path)
        return self

    def save(self, path):
        """Writes the table in one step: readers see the whole file or none."""
        cdef bytes name = os.fsencode(path)
        cdef const char *c_name = name
        cdef nd_status status
        with nogil:
            status = nd_bearoff_two_save(self.handle, c_name)
        check(status, path)

    def equities(self, own, opp):
        """float64 (n, 4) equities of rolling now for uint32 (n,) indices: cubeless, cube owned by
        the side on roll, centred, owned by the opponent."""
        cdef const uint32_t[::1] a = load_indices(own, ND_BEAROFF_TWO_POSITIONS)
        cdef const uint32_t[::1] b = load_indices(opp, ND_BEAROFF_TWO_POSITIONS)
        same_length(a, b)
        out = np.empty((a.shape[0], 4))
        cdef double[:, ::1] view = out
        cdef nd_bearoff_equities e
        cdef Py_ssize_t i
        with nogil:
            for i in range(a.shape[0]):
                e = nd_bearoff_two_probe(self.handle, a[i], b[i])
                view[i, 0], view[i, 1], view[i, 2], view[i, 3] = (
                    e.cubeless, e.own, e.centred, e.opponent)
        return out
