# cython: language_level=3, boundscheck=False, wraparound=False
"""Chunks of rollout trials as arrays of raw sums, the GIL released."""
from libc.stdint cimport int64_t, uint64_t

import numpy as np

from nardy_core._border._engine cimport Evaluator, Stop
from nardy_core._border.errors cimport check
from nardy_core._border.evaluator cimport nd_stop
from nardy_core._border.nardy cimport ND_CANCELLED, nd_board, uint32_t
from nardy_core._border.rollout cimport (
    ND_CHUNK, ND_MAX_SUBJECTS, c_bool, nd_processors, nd_rollout, nd_rollout_plan, nd_sums,
)

CHUNK = ND_CHUNK
MAX_SUBJECTS = ND_MAX_SUBJECTS

# What the raw sums are: raised whenever the same question may give other bits than before, so that
# kept sums of both kinds never meet.
METHOD = 1

# Raw sums of one position over the trials of a chunk: nd_sums field by field.
SUMS = np.dtype([("trials", np.int64), ("outcome", np.float64, 8), ("outcome_sq", np.float64, 8),
                 ("equity", np.float64), ("equity_sq", np.float64), ("plies", np.int64),
                 ("truncated", np.int64)])
if SUMS.itemsize != sizeof(nd_sums):
    raise ImportError("SUMS does not match nd_sums")


def row_length(int n):
    """Numbers in the raw sums of a chunk of n positions: see `run`."""
    return n * (SUMS.itemsize // 8) + n * n


def read_row(row, int n):
    """Raw sums of n positions, of one chunk or of several added up, by name: SUMS (n,), and sums of
    equity products between positions float64 (n, n)."""
    if len(row) != row_length(n):
        raise ValueError(f"rollout: {len(row)} numbers are no raw sums of {n} positions")
    fields = SUMS.itemsize // 8
    flat = row[:n * fields].reshape(n, fields)
    sums = np.zeros(n, dtype=SUMS)
    at = 0
    for name in SUMS.names:
        width = SUMS[name].itemsize // 8
        sums[name] = flat[:, at] if width == 1 else flat[:, at:at + width]
        at += width
    return sums, row[n * fields:].reshape(n, n)


cdef flat_rows(sums, products):
    """SUMS (count, n) and products (count, n, n) as raw sums (count, row_length(n))."""
    count, n = sums.shape
    parts = [sums[name].astype(np.float64).reshape(count, n, -1) for name in SUMS.names]
    return np.concatenate([np.concatenate(parts, axis=2).reshape(count, -1),
                           products.reshape(count, -1)], axis=1)


def processors():
    """Processors this process may use."""
    return nd_processors()


def run(Evaluator play not None, Evaluator luck, const uint32_t[:, ::1] boards, int64_t first,
        int count, *, uint64_t seed=1, int truncate=0, bint opening=False, int threads=1,
        Stop stop=None):
    """Chunks first..first+count-1 (CHUNK trials each) of boards (n, 8), all with the same dice.

    Returns (rows, done): raw sums float64 (count, row_length(n)), and bool (count,) for the chunks
    that were finished: all of them unless `stop` was raised. A row is a pure function of everything
    but count, threads and stop; sums over several chunks are rows added in the order of chunks.
    `luck` estimates luck for variance reduction; None plays plain.
    """
    cdef int n = <int>boards.shape[0]
    if boards.shape[1] != 8 or not 1 <= n <= ND_MAX_SUBJECTS:
        raise ValueError(f"rollout: boards must be (1..{ND_MAX_SUBJECTS}, 8)")
    if count < 1:
        raise ValueError("rollout: no chunks asked for")
    cdef nd_rollout_plan plan
    plan.play = &play.ev
    plan.luck = &luck.ev if luck is not None else NULL
    plan.seed, plan.truncate, plan.opening = seed, truncate, opening
    sums = np.zeros((count, n), dtype=SUMS)
    products = np.zeros((count, n, n), dtype=np.float64)
    done = np.zeros(count, dtype=np.uint8)
    cdef char[::1] sums_view = sums.view(np.int8).reshape(-1)
    cdef double[:, :, ::1] products_view = products
    cdef unsigned char[::1] done_view = done
    cdef const nd_stop *flag = &stop.flag if stop is not None else NULL
    cdef int status
    with nogil:
        status = nd_rollout(&plan, <const nd_board *>&boards[0, 0], n, first, count, threads, flag,
                            <nd_sums *>&sums_view[0], &products_view[0, 0, 0],
                            <c_bool *>&done_view[0])
    if status != ND_CANCELLED:
        check(status, "rollout")
    return flat_rows(sums, products), done.astype(bool)
