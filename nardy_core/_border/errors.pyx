# cython: language_level=3
"""Exceptions of the package, and how a status of the C core becomes one."""
from nardy_core._border cimport nardy
from nardy_core._border.nardy cimport nd_status, nd_status_text


class NardyError(Exception):
    """Base of every exception that is the package's own."""


class InputError(NardyError, ValueError):
    """A value or a board outside the documented range."""


class FileFormatError(NardyError, ValueError):
    """A file of another kind or version, cut short or damaged."""


class FileError(NardyError, OSError):
    """The operating system refused to read or write a file."""


class Cancelled(NardyError):
    """Work stopped because it was asked to."""


class UnsupportedError(NardyError, RuntimeError):
    """This machine or build lacks what was asked for."""


cdef dict KINDS = {
    <int>nardy.ND_BAD_ARGUMENT: InputError,
    <int>nardy.ND_BAD_BOARD: InputError,
    <int>nardy.ND_BAD_FILE: FileFormatError,
    <int>nardy.ND_BAD_VERSION: FileFormatError,
    <int>nardy.ND_BAD_CHECKSUM: FileFormatError,
    <int>nardy.ND_IO: FileError,
    <int>nardy.ND_CANCELLED: Cancelled,
    <int>nardy.ND_UNSUPPORTED: UnsupportedError,
}


cdef int check(int status, object where=None) except -1:
    if status == nardy.ND_OK:
        return 0
    if status == nardy.ND_NO_MEMORY:
        raise MemoryError
    text = nd_status_text(<nd_status>status).decode()
    raise KINDS[status](text if where is None else f"{where}: {text}")
