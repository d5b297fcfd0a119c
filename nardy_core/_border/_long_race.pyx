# cython: language_level=3, boundscheck=False, wraparound=False
"""Race table of long nardy: building, files, probes. Boards are uint32 bit planes (n, 8), the side
on roll first. Tables are immutable and may be shared by any number of threads."""
import os
import threading

import numpy as np

from libc.stdint cimport uint32_t
from libc.string cimport memset

from nardy_core._border.errors cimport check
from nardy_core._border.long_race cimport (
    nd_long_race_build, nd_long_race_find, nd_long_race_free, nd_long_race_open,
    nd_long_race_outcomes, nd_long_race_points, nd_long_race_rolls, nd_long_race_save,
    nd_long_race_side, nd_stop, nd_stop_raise,
)
from nardy_core._border.nardy cimport nd_board, nd_status


cdef object rolls_array(nd_long_race_rolls rolls):
    cdef int i
    p = np.zeros(rolls.first + rolls.count)
    for i in range(rolls.count):
        p[rolls.first + i] = rolls.p[i] / 65535.0
    return p


cdef bint possible(const uint32_t *planes) noexcept nogil:
    """Fifteen checkers of a side, all on slots that there are."""
    cdef int slot, k, count = 0
    for k in range(4):
        if planes[k] >> 26:
            return False
        for slot in range(26):
            count += (planes[k] >> slot & 1) << k
    return count == 15


cdef class LongRace:
    """Distributions of the rolls each side needs, for all races on the points 1..`points`."""

    def __init__(self) -> None:
        raise TypeError("use LongRace.build() or LongRace.open(path)")

    def __dealloc__(self):
        nd_long_race_free(self.handle)

    @staticmethod
    def build(points=12):
        """Computes the table in memory: 12 points take two gigabytes and minutes, each point less
        half of it. Stops at the keyboard's interrupt."""
        cdef _Build work = _Build(points)
        thread = threading.Thread(target=work.run, daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(0.1)
        except BaseException:
            nd_stop_raise(&work.stop)
            thread.join()
            raise
        check(work.status, "long race")
        return work.made

    @staticmethod
    def open(path):
        """Maps a file that `save` wrote, after verifying its checksum."""
        cdef LongRace self = LongRace.__new__(LongRace)
        cdef bytes name = os.fsencode(path)
        cdef const char *c_name = name
        cdef nd_status status
        with nogil:
            status = nd_long_race_open(c_name, &self.handle)
        check(status, path)
        return self

    def save(self, path):
        """Writes the table in one step: readers see the whole file or none."""
        cdef bytes name = os.fsencode(path)
        cdef const char *c_name = name
        cdef nd_status status
        with nogil:
            status = nd_long_race_save(self.handle, c_name)
        check(status, path)

    @property
    def points(self):
        """The highest point on which it knows checkers."""
        return nd_long_race_points(self.handle)

    def rolls(self, planes):
        """Of one side, as uint32 planes (4,): probabilities that exactly 0, 1, 2, ... of its rolls
        bear off everything, bring everybody home, bear off the first. None if it is not known."""
        cdef const uint32_t[::1] view = np.ascontiguousarray(planes, dtype=np.uint32)
        cdef nd_long_race_side side
        if view.shape[0] != 4:
            raise ValueError("planes: expected shape (4,)")
        if not possible(&view[0]):
            raise ValueError("planes: not fifteen checkers")
        if not nd_long_race_find(self.handle, &view[0], &side):
            return None
        return rolls_array(side.all_off), rolls_array(side.all_home), rolls_array(side.first_off)

    def outcomes(self, boards):
        """float32 (n, 8) probabilities of the outcome classes for the side on roll, nan where the
        table does not know a side."""
        cdef const uint32_t[:, ::1] view = np.ascontiguousarray(boards, dtype=np.uint32)
        if view.shape[1] != 8:
            raise ValueError("boards: expected shape (n, 8)")
        out = np.full((view.shape[0], 8), np.nan, dtype=np.float32)
        cdef float[:, ::1] to = out
        cdef Py_ssize_t i
        for i in range(view.shape[0]):
            if not (possible(&view[i, 0]) and possible(&view[i, 4])):
                raise ValueError(f"boards: number {i} is impossible for long_nardy")
        with nogil:
            for i in range(view.shape[0]):
                nd_long_race_outcomes(self.handle, <const nd_board *>&view[i, 0], &to[i, 0])
        return out


cdef class _Build:
    """A table being computed in a thread of its own."""
    cdef LongRace made
    cdef nd_stop stop
    cdef int points, status

    def __cinit__(self, points):
        if points not in range(7, 13):
            raise ValueError(f"points: {points!r} is not 7..12")
        self.points = points
        self.made = LongRace.__new__(LongRace)
        memset(&self.stop, 0, sizeof(self.stop))

    def run(self):
        with nogil:
            self.status = nd_long_race_build(self.points, &self.stop, &self.made.handle)
