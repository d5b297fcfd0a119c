from nardy_core._border.long_race cimport nd_long_race

# The evaluator holds the object and passes on its handle.
cdef class LongRace:
    cdef nd_long_race *handle
