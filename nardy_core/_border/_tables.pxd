from nardy_core._border.tables cimport nd_bearoff_one, nd_bearoff_two

# Other border modules hold the object and pass on its handle.
cdef class BearoffOne:
    cdef nd_bearoff_one *handle

cdef class BearoffTwo:
    cdef nd_bearoff_two *handle
