# Self-play of the trainer (src_c/train/selfplay.h) as the border sees it.
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint64_t
from nardy_core._border.evaluator cimport nd_evaluator
from nardy_core._border.nardy cimport nd_status
from nardy_core._border.train cimport nd_sample

cdef extern from "train/selfplay.h" nogil:
    ctypedef struct nd_selfplay_plan:
        uint64_t seed
        float lambda_ "lambda"
        float lambda_staged
        bint lookahead
        float explore
        float window
        int siblings
        float stray
        float labelled
        float second
        float scrambled
        float staged
        int max_plies

    ctypedef struct nd_selfplay_stats:
        int64_t games
        int64_t plies
        int64_t labels
        double correction[3]
        double correction_sq[3]
        int64_t corrections[3]

    ctypedef struct nd_stop:
        pass
    nd_status nd_selfplay(const nd_evaluator *ev, const nd_selfplay_plan *plan, int64_t first,
                          int games, int threads, const nd_stop *stop, nd_sample **samples,
                          size_t *count, nd_selfplay_stats *stats)
