from nardy_core._border.evaluator cimport nd_evaluator, nd_sieve, nd_stop
from nardy_core._border.nardy cimport uint32_t
from nardy_core._border.search cimport nd_cube_setting, nd_plan


cdef class Stop:
    cdef nd_stop flag


cdef const nd_stop *flag_of(Stop stop) noexcept


cdef class CubeSetting:
    cdef nd_cube_setting set
    cdef readonly object stakes
    cdef object two


cdef class Evaluator:
    cdef nd_evaluator ev
    cdef nd_sieve sieves[2]
    cdef list parts  # nets and tables kept alive
    cdef list pool  # scratch of calls that have returned, for the next ones
    cdef readonly str game
    cdef readonly str kernels
    cdef check_boards(self, const uint32_t[:, ::1] boards)


cdef class Plan:
    cdef nd_plan plan


cdef const nd_plan *plan_of(Plan plan) noexcept
