"""Files read whole within a limit; files written that are either the old one or the new one, never
half of either."""
from __future__ import annotations

import os
import shutil
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from nardy_core.errors import FileFormatError


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """The bytes of a regular file of at most `most` bytes.

    Raises FileFormatError (a ValueError) for a device, a pipe and a larger file, which could fill
    the memory or never end, and OSError for what cannot be read.
    """
    with open(path, "rb", opener=_at_once) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise FileFormatError(f"{os.fsdecode(path)}: not a regular file")
        if found.st_size > most:
            raise FileFormatError(f"{os.fsdecode(path)}: more than {most >> 20} MiB")
        return file.read(found.st_size)


def _at_once(path: str, flags: int) -> int:
    """Opens a named pipe, too, without waiting for somebody to write into it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def write_atomically(path: str | os.PathLike[str], write: Callable[[BinaryIO], object]) -> None:
    """What `write` puts into the file it is given becomes the file at `path`, once it is on the
    disk. Whatever fails before, a full disk say, leaves the old file as it was and nothing beside
    it. What is no regular file, a pipe or a terminal, is written to directly.

    Raises OSError with the name `path`.
    """
    target = Path(os.path.realpath(path))  # the file that a link leads to
    if target.exists() and not target.is_file():
        with open(target, "wb") as file:
            write(file)
        return
    temporary = target.with_name(f"{target.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        with open(temporary, "xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    finally:
        temporary.unlink(missing_ok=True)


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """The bytes become the file at `path`, see `write_atomically`."""
    write_atomically(path, lambda file: file.write(data))


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """The same with text as UTF-8, line ends as they are."""
    write_bytes(path, text.encode("utf-8"))
