# Rollouts (src_c/rollout) as the border sees them.
from libc.stdint cimport int64_t, uint64_t
from libc.stddef cimport size_t
from nardy_core._border.evaluator cimport nd_evaluator, nd_stop
from nardy_core._border.nardy cimport nd_board, nd_status
from nardy_core._border.search cimport nd_plan
from nardy_core._border.tables cimport nd_bearoff_two
from nardy_core._border.value cimport nd_efficiency, nd_owner, nd_stakes

cdef extern from "nardy.h" nogil:
    ctypedef bint c_bool "bool"  # C's own, one byte wide

    int nd_processors()

    enum: ND_CHUNK
    enum: ND_MAX_SUBJECTS
    enum: ND_STRATA
    ctypedef struct nd_rollout_level:
        int play
        int cube
    ctypedef struct nd_rollout_plan:
        const nd_evaluator *play
        const nd_evaluator *luck
        const nd_plan *search
        nd_rollout_level level
        nd_rollout_level late_level
        int late
        const nd_stakes *stakes
        nd_efficiency efficiency
        const nd_bearoff_two *two
        uint64_t seed
        int truncate
        c_bool opening
    ctypedef struct nd_subject:
        nd_board board
        double cube
        nd_owner owner
        c_bool decided
    ctypedef struct nd_sums:
        double trials

    nd_status nd_rollout_check(const nd_rollout_plan *plan, const nd_subject *subjects, int n)
    size_t nd_rollout_length(int n)
    double nd_rollout_explained(uint64_t seed, int64_t blocks, const double *first,
                                const double *second, int *parameters)
    nd_status nd_rollout(const nd_rollout_plan *plan, const nd_subject *subjects, int n,
                         const c_bool *active, int64_t first, int count, int threads,
                         const nd_stop *stop, double *raw, c_bool *done)
