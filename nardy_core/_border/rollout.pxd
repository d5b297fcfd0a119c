# Rollouts (src_c/rollout) as the border sees them.
from libc.stdint cimport int64_t, uint64_t
from nardy_core._border.evaluator cimport nd_evaluator, nd_stop
from nardy_core._border.nardy cimport nd_board, nd_status

cdef extern from "nardy.h" nogil:
    ctypedef bint c_bool "bool"  # C's own, one byte wide

    int nd_processors()

    enum: ND_CHUNK
    enum: ND_MAX_SUBJECTS
    ctypedef struct nd_rollout_plan:
        const nd_evaluator *play
        const nd_evaluator *luck
        uint64_t seed
        int truncate
        bint opening

    ctypedef struct nd_sums:
        int64_t trials
        double outcome[8]
        double outcome_sq[8]
        double equity
        double equity_sq
        int64_t plies
        int64_t truncated

    nd_status nd_rollout(const nd_rollout_plan *plan, const nd_board *positions, int n,
                         int64_t first, int count, int threads, const nd_stop *stop, nd_sums *sums,
                         double *products, c_bool *done)
