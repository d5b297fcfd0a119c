# The race table of long nardy as the border sees it; its manual is src_c/tables/long_race.h.
from libc.stdint cimport uint16_t, uint32_t

from nardy_core._border.nardy cimport nd_board, nd_status

cdef extern from "nardy.h" nogil:
    ctypedef struct nd_stop:
        pass
    void nd_stop_raise(nd_stop *stop)

    ctypedef struct nd_long_race:
        pass
    ctypedef struct nd_long_race_rolls:
        const uint16_t *p
        int first
        int count
    ctypedef struct nd_long_race_side:
        nd_long_race_rolls all_off
        nd_long_race_rolls all_home
        nd_long_race_rolls first_off
    nd_status nd_long_race_build(int points, const nd_stop *stop, nd_long_race **out)
    nd_status nd_long_race_open(const char *path, nd_long_race **out)
    nd_status nd_long_race_save(const nd_long_race *table, const char *path)
    void nd_long_race_free(nd_long_race *table)
    int nd_long_race_points(const nd_long_race *table)
    bint nd_long_race_find(const nd_long_race *table, const uint32_t *planes,
                           nd_long_race_side *out)
    bint nd_long_race_outcomes(const nd_long_race *table, const nd_board *board, float *out)
