"""Files that the package makes once and can make again at any time."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from nardy_core._border.errors import FileError, FileFormatError


class Saved(Protocol):
    def save(self, path: str | os.PathLike[str]) -> None: ...


T = TypeVar("T", bound=Saved)


def directory() -> Path:
    """Where such files lie: $NARDY_CACHE, or `nardy_core` in the system's cache directory.

    Raises RuntimeError when neither is known.
    """
    if chosen := os.environ.get("NARDY_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "nardy_core"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "nardy_core"
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG rules: a path that is not absolute counts as not set.
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "nardy_core"


def say(message: str) -> None:
    """One line for the user, on stderr so that it never mixes with results."""
    if sys.stderr is not None:  # a program without a console has none
        print(f"nardy_core: {message}", file=sys.stderr, flush=True)


@functools.lru_cache(100)
def say_once(message: str) -> None:
    """The same, once in this process."""
    say(message)


class Store:
    """Files of one purpose in the cache directory, made where they are missing.

    Says on stderr, once each, that it builds, or why it cannot keep what it built. Any number of
    processes may do this at once: each builds for itself and puts the finished file in place in
    one step, so that all end up with a whole one.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._said: set[str] = set()
        self._path: Path | None = None
        try:
            path = directory()
            path.mkdir(parents=True, exist_ok=True)
            self._path = path
        except (OSError, RuntimeError) as error:
            self._say_once("kept", f"{what} not kept: {error}")

    def _say_once(self, topic: str, message: str) -> None:
        if topic not in self._said:
            say(message)
        self._said.add(topic)

    def get(self, name: str, open_: Callable[[Path], T], build: Callable[[], T]) -> T:
        """The thing kept in file `name`: opened, or built where that file is missing or damaged."""
        reason = "once"
        path = self._path / name if self._path else None
        if path and path.exists():
            try:
                return open_(path)
            except (FileError, FileFormatError) as error:
                reason = f"again: {error}"
        self._say_once("building", f"building {self._what} ({reason}) …")
        made = build()
        if path:
            try:
                made.save(path)
                return open_(path)  # shared with other processes, which memory is not
            except (FileError, FileFormatError) as error:
                self._say_once("kept", f"{self._what} not kept: {error}")
        return made
