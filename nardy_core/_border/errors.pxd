# Raises unless the status is ND_OK; `where` (a file name, an argument) opens the message.
cdef int check(int status, object where=*) except -1
