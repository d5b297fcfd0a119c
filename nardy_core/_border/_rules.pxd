from nardy_core._border.nardy cimport nd_board, nd_options, nd_rules

cdef const nd_rules *rules_of(str game) except NULL
cdef int load_board(object planes, nd_board *out) except -1
cdef int checked_board(const nd_rules *rules, object planes, nd_board *out) except -1
cdef int load_dice(object dice, int *d1, int *d2) except -1
cdef int load_options(object options, nd_options *out) except -1
