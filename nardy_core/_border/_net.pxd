from nardy_core._border.evaluator cimport nd_net


cdef class Net:
    cdef nd_net *net
    cdef object owner  # keeps the mapped file alive
