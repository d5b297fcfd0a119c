from nardy_core._border.value cimport nd_cube_values, nd_efficiency, nd_met, nd_stakes


cdef class Met:
    cdef nd_met met


cdef class Stakes:
    cdef nd_stakes stakes
    cdef readonly Met met


cdef int load_efficiency(object parameters, nd_efficiency *out) except -1
cdef object values_of(const nd_cube_values *v)
