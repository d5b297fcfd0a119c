"""What a reader raises."""
from __future__ import annotations

from typing import Any


class MatchFileError(ValueError):
    """A file that cannot be read, in one line that says where.

    partial : a `MatchRecord` of the games before the bad place, or None
    """

    def __init__(self, message: str, partial: Any = None) -> None:
        super().__init__(" ".join(message.split())[:400])
        self.partial = partial

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.partial)
