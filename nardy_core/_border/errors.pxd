"""Statuses of the C core become exceptions here and nowhere else."""
from nardy_core._border.nardy cimport nd_status

# Raises unless the status is ND_OK; `where` (a file name, an argument) opens the message.
cdef int check(nd_status status, object where=*) except -1
