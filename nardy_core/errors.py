"""Exceptions of the package. Bad input is a ValueError, too, and a file that cannot be read an
OSError, so that nobody has to know these names."""
from nardy_core._border.errors import (
    Cancelled,
    FileError,
    FileFormatError,
    InputError,
    NardyError,
    UnsupportedError,
)

__all__ = ["Cancelled", "FileError", "FileFormatError", "InputError", "NardyError", "NoNetError",
           "UnsupportedError"]


class NoNetError(UnsupportedError, ValueError):
    """A position of a kind that no net knows: of a list of positions the others go on."""
