# Duels (src_c/rollout/duel.h) as the border sees them.
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from nardy_core._border.evaluator cimport nd_evaluator, nd_search
from nardy_core._border.nardy cimport nd_board, nd_rules, nd_status

cdef extern from "nardy.h" nogil:
    ctypedef struct nd_stop:
        pass
    ctypedef struct nd_mover:
        nd_status (*move)(const nd_mover *self, nd_search *search, const nd_board *board, int d1,
                          int d2, uint32_t word, nd_board *out) noexcept nogil
        const void *context
        int plies
    enum: ND_MAX_PLIES
    nd_mover nd_engine_mover(const nd_evaluator *ev, int plies)
    nd_mover nd_random_mover(const nd_evaluator *ev)

    ctypedef struct nd_duel_plan:
        const nd_rules *rules
        nd_mover side[2]
        const nd_evaluator *luck
        uint64_t seed
        bint opening
        const nd_board *starts
        int64_t count

    ctypedef struct nd_duel_game:
        int32_t outcome
        int32_t plies
        double luck
    nd_status nd_duel(const nd_duel_plan *plan, int64_t first, int pairs, int threads,
                      const nd_stop *stop, nd_duel_game *games)
