"""Files that are either the old one or the new one, never half of either."""
from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO


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
