# The tables room as the border sees it; its manual is src_c/tables/bearoff.h.
from libc.stdint cimport uint8_t, uint32_t

from nardy_core._border.nardy cimport nd_status

cdef extern from "nardy.h" nogil:
    enum:
        ND_BEAROFF_POSITIONS
        ND_BEAROFF_TWO_POSITIONS

    uint32_t nd_bearoff_index_of_counts(const uint8_t *counts)
    void nd_bearoff_counts_of_index(uint32_t index, uint8_t *counts)

    ctypedef struct nd_bearoff_one:
        pass
    ctypedef struct nd_bearoff_rolls:
        const double *p
        int first
        int count
    nd_status nd_bearoff_one_build(nd_bearoff_one **out)
    nd_status nd_bearoff_one_open(const char *path, nd_bearoff_one **out)
    nd_status nd_bearoff_one_save(const nd_bearoff_one *table, const char *path)
    void nd_bearoff_one_free(nd_bearoff_one *table)
    nd_bearoff_rolls nd_bearoff_one_all(const nd_bearoff_one *table, uint32_t index)
    nd_bearoff_rolls nd_bearoff_one_first(const nd_bearoff_one *table, uint32_t index)
    void nd_bearoff_moments(nd_bearoff_rolls rolls, double *mean, double *deviation)
    void nd_bearoff_one_outcomes(const nd_bearoff_one *table, uint32_t own, uint32_t opp,
                                 double *out)

    ctypedef struct nd_bearoff_two:
        pass
    ctypedef struct nd_bearoff_equities:
        double cubeless
        double own
        double centred
        double opponent
    nd_status nd_bearoff_two_build(nd_bearoff_two **out)
    nd_status nd_bearoff_two_open(const char *path, nd_bearoff_two **out)
    nd_status nd_bearoff_two_save(const nd_bearoff_two *table, const char *path)
    void nd_bearoff_two_free(nd_bearoff_two *table)
    nd_bearoff_equities nd_bearoff_two_probe(const nd_bearoff_two *table, uint32_t own,
                                             uint32_t opp)
