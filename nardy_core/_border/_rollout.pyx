# cython: language_level=3, boundscheck=False, wraparound=False
"""Chunks of rollout trials as arrays of raw sums, the GIL released."""
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from nardy_core._border._engine cimport Evaluator, Plan, Stop, flag_of, plan_of
from nardy_core._border._tables cimport BearoffTwo
from nardy_core._border._value cimport Stakes, load_efficiency
from nardy_core._border.errors cimport check
from nardy_core._border.evaluator cimport nd_stop
from nardy_core._border.nardy cimport ND_CANCELLED, nd_board, uint32_t
from nardy_core._border.rollout cimport (
    ND_CHUNK, ND_MAX_SUBJECTS, ND_STRATA, c_bool, nd_processors, nd_rollout, nd_rollout_check,
    nd_rollout_explained, nd_rollout_length, nd_rollout_plan, nd_subject, nd_sums,
)
from nardy_core._border.value cimport nd_efficiency_default, nd_owner

CHUNK = ND_CHUNK
MAX_SUBJECTS = ND_MAX_SUBJECTS

# What the raw sums are: raised whenever the same question may give other bits than before, so that
# kept sums of both kinds never meet.
METHOD = 9

# Raw sums of one subject over trials: nd_sums field by field.
SUMS = np.dtype([("trials", np.float64), ("outcome", np.float64, 8), ("outcome_sq", np.float64, 8),
                 ("equity", np.float64), ("equity_sq", np.float64), ("value", np.float64),
                 ("value_sq", np.float64), ("plies", np.float64), ("cut", np.float64),
                 ("turns", np.float64), ("passes", np.float64), ("first", np.float64, ND_STRATA),
                 ("second", np.float64, ND_STRATA)])
if SUMS.itemsize != sizeof(nd_sums):
    raise ImportError("SUMS does not match nd_sums")


def row_length(int n):
    """Numbers in the raw sums of a chunk of n subjects: SUMS of each, then their products (n, n)."""
    return nd_rollout_length(n)


def read_row(row, int n):
    """Raw sums of n subjects, of one chunk or of several added up, by name: SUMS (n,), and sums of
    products of values float64 (n, n)."""
    if row.shape != (row_length(n),):
        raise ValueError(f"rollout: {row.size} numbers are no raw sums of {n} subjects")
    products = row.size - n * n
    return row[:products].view(SUMS), row[products:].reshape(n, n)


def explained(uint64_t seed, chunks, first, second):
    """Of the sums of squares of m subjects, float64 (m,): what a mean and effects of the first two
    rolls explain, fitted by least squares; and how many numbers were fitted, int32 (m,).

    chunks : int64 (m,), of each subject, those from 0 on; not of openings without doubles
    first, second : float64 (m, 36), sums of values by first and by second roll
    """
    cdef const int64_t[::1] blocks = np.ascontiguousarray(chunks, dtype=np.int64)
    cdef const double[:, ::1] by_first = np.ascontiguousarray(first, dtype=np.float64)
    cdef const double[:, ::1] by_second = np.ascontiguousarray(second, dtype=np.float64)
    cdef Py_ssize_t m = blocks.shape[0], i
    if by_first.shape[0] != m or by_second.shape[0] != m or (
            by_first.shape[1] != ND_STRATA or by_second.shape[1] != ND_STRATA):
        raise ValueError(f"rollout: sums by rolls are not of shape ({m}, {ND_STRATA})")
    if m and np.min(blocks) < 1:
        raise ValueError("rollout: no chunks, no sums")
    part, fitted = np.empty(m), np.empty(m, dtype=np.int32)
    cdef double[::1] part_view = part
    cdef int[::1] fitted_view = fitted
    for i in range(m):
        part_view[i] = nd_rollout_explained(seed, blocks[i], &by_first[i, 0], &by_second[i, 0],
                                            &fitted_view[i])
    return part, fitted


def processors():
    """Processors this process may use."""
    return nd_processors()


cdef class Trials:
    """What trials are about: subjects, players, settings. Immutable; a chunk of CHUNK trials is a
    pure function of it and of the chunk's number.

    play : makes the decisions, its points define cubeless equity
    luck : estimates luck for variance reduction; None plays plain
    boards : (n, 8), side on roll first; all with the same dice
    level, late_level : plies of look-ahead of (plays, cube decisions) before ply `late` and from
        then on; late None = never. search : limits of the look-ahead
    truncate : plies until the value of `play` at the level of plays is taken; 0 = to the end
    opening : the first roll is no double
    stakes : what the side on roll of the boards plays for, None = no cube
    cubes : for each board (value, owner, decided): owner 0 centre, 1 own, 2 opp as the side on roll
        sees it; decided = it rolls without looking at the cube first
    efficiency : parameters by name, None = the default. two : exact bear-offs for money
    """
    cdef nd_rollout_plan plan
    cdef nd_subject subject[ND_MAX_SUBJECTS]
    cdef readonly int n
    cdef tuple kept  # what the plan points into

    def __init__(self, Evaluator play not None, Evaluator luck,
                 const uint32_t[:, ::1] boards, *, uint64_t seed=1, int truncate=0,
                 bint opening=False, level=(0, 0), late=None, late_level=(0, 0), Plan search=None,
                 Stakes stakes=None, cubes=None, efficiency=None, BearoffTwo two=None):
        cdef int i
        if boards.shape[1] != 8 or not 1 <= boards.shape[0] <= ND_MAX_SUBJECTS:
            raise ValueError(f"rollout: boards must be (1..{ND_MAX_SUBJECTS}, 8)")
        self.n = <int>boards.shape[0]
        self.kept = (play, luck, search, stakes, two)
        self.plan.play = &play.ev
        self.plan.luck = &luck.ev if luck is not None else NULL
        self.plan.search = plan_of(search)
        self.plan.level.play, self.plan.level.cube = level
        self.plan.late_level.play, self.plan.late_level.cube = late_level
        self.plan.late = 2**31 - 1 if late is None else late
        self.plan.seed, self.plan.truncate, self.plan.opening = seed, truncate, opening
        self.plan.efficiency = nd_efficiency_default
        if efficiency is not None:
            load_efficiency(efficiency, &self.plan.efficiency)
        if two is not None:
            self.plan.two = two.handle
        for i in range(self.n):
            memcpy(&self.subject[i].board, &boards[i, 0], sizeof(nd_board))
        if stakes is not None:
            self.plan.stakes = &stakes.stakes
            for i, (value, owner, decided) in enumerate(cubes):
                self.subject[i].cube = value
                self.subject[i].owner = <nd_owner><int>owner
                self.subject[i].decided = decided
        check(nd_rollout_check(&self.plan, self.subject, self.n), "rollout")

    def run(self, int64_t first, int count=1, *, active=None, int threads=1, Stop stop=None):
        """Chunks first..first+count-1: raw sums float64 (count, row_length(n)), and bool (count,) for
        the chunks that were finished: all of them unless `stop` was raised.

        active : for each board whether to roll it out, None = all; the others' sums are zero
        A row is a pure function of everything but count, threads and stop; sums over several chunks
        are rows added in the order of chunks.
        """
        if count < 1:
            raise ValueError("rollout: no chunks asked for")
        rows = np.zeros((count, nd_rollout_length(self.n)), dtype=np.float64)
        done = np.zeros(count, dtype=np.uint8)
        flags = np.ones(self.n, dtype=np.uint8) if active is None else np.array(active, np.uint8)
        if flags.shape != (self.n,):
            raise ValueError(f"rollout: active must be {self.n} flags")
        cdef double[:, ::1] raw_view = rows
        cdef unsigned char[::1] done_view = done
        cdef unsigned char[::1] flags_view = flags
        cdef const nd_stop *flag = flag_of(stop)
        cdef int status
        with nogil:
            status = nd_rollout(&self.plan, self.subject, self.n, <c_bool *>&flags_view[0], first,
                                count, threads, flag, &raw_view[0, 0], <c_bool *>&done_view[0])
        if status != ND_CANCELLED:
            check(status, "rollout")
        return rows, done.astype(bool)
