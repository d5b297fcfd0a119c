"""Lines from strangers: bounded, cleaned, answered one by one."""
from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Iterator

from nardy_core import checks


class Refused(ValueError):
    """A request that makes no sense, told in one line."""


def shown(text: str) -> str:
    """Foreign text as a short printable quotation; the end of a line by its name."""
    return checks.shown(text) if text else "end of line"


async def lines(reader: asyncio.StreamReader, limit: int) -> AsyncIterator[str | None]:
    """Lines without their ends, NUL bytes left out; None for one longer than `limit` bytes.

    What a client wrote after its last line end is a line, too, if it is more than blanks.
    """
    kept, too_long = b"", False
    while data := await reader.read(1 << 16):
        *whole, kept = (kept + data.replace(b"\0", b"")).split(b"\n")
        for line in whole:
            yield None if too_long or len(line) > limit else line.decode("utf-8", "replace")
            too_long = False
        if len(kept) > limit:
            kept, too_long = b"", True
    if too_long:
        yield None
    elif kept.strip():
        yield kept.decode("utf-8", "replace")


@contextlib.contextmanager
def on_signal(react: Callable[[], object]) -> Iterator[None]:
    """SIGINT and SIGTERM call `react` in the running loop instead of interrupting."""
    loop = asyncio.get_running_loop()
    caught = []
    for number in (signal.SIGINT, signal.SIGTERM):
        # Not in every thread, nor on every system.
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, react)
            caught.append(number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)
