# Search of several plies (src_c/search/filter.h, nply.h) as the border sees it.
from libc.stddef cimport size_t
from nardy_core._border.evaluator cimport nd_evaluator, nd_search, nd_stop
from nardy_core._border.nardy cimport nd_board, nd_play, nd_status, uint8_t
from nardy_core._border.tables cimport nd_bearoff_two
from nardy_core._border.value cimport nd_cube_values, nd_efficiency, nd_owner, nd_stakes

cdef extern from "nardy.h" nogil:
    enum: ND_MAX_PLIES

    ctypedef struct nd_filter:
        int keep
        float within

    ctypedef struct nd_plan:
        nd_filter select[4]
        nd_filter promote[4][4]
        nd_filter tree_select[4]
        nd_filter tree_promote[4]
        nd_filter tree_cubeful
        int cache
    const nd_plan nd_plan_default
    nd_status nd_plan_check(const nd_plan *plan)

    ctypedef struct nd_cube_setting:
        const nd_stakes *stakes
        double cube
        nd_owner owner
        nd_efficiency efficiency
        const nd_bearoff_two *two
    nd_status nd_evaluate_cubeful(const nd_evaluator *ev, const nd_plan *plan, nd_search *search,
                                  const nd_board *board, int plies, const nd_cube_setting *set,
                                  float *chances, nd_cube_values *values)

    ctypedef struct nd_choice:
        nd_board board
        nd_play play
        int level
        float equity
        float probability[8]
        int index

    nd_status nd_evaluate_nply(const nd_evaluator *ev, const nd_plan *plan, nd_search *search,
                               const nd_board *board, int plies, float *out)
    nd_status nd_choose_nply(const nd_evaluator *ev, const nd_plan *plan, nd_search *search,
                             const nd_board *board, int d1, int d2, int plies, int least,
                             const nd_cube_setting *set,
                             const nd_choice **choices, int *count)
    nd_status nd_judge_nply(const nd_evaluator *ev, const nd_plan *plan, nd_search *search,
                            const nd_board *board, int plies, const nd_cube_setting *set,
                            float *probability, float *equity)
    nd_status nd_evaluate_many(const nd_evaluator *ev, const nd_plan *plan, const nd_board *boards,
                               size_t n, int plies, int threads, const nd_stop *stop, float *out)
    nd_status nd_choose_many(const nd_evaluator *ev, const nd_plan *plan, const nd_board *boards,
                             const uint8_t (*dice)[2], const nd_cube_setting *sets, size_t n,
                             int plies, int top, int least, int threads, const nd_stop *stop, nd_choice *out, int *counts)
