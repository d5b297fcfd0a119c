"""Bounded work: so many calls at a time, so many waiting, the next one is sent away."""
from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from nardy_core.evaluator import Stop

NICENESS = 10  # of threads that are to come second

T = TypeVar("T")


class Full(Exception):
    """There is no place left; `retry_after` seconds are a fair guess of when there is."""

    def __init__(self, name: str, retry_after: int) -> None:
        super().__init__(f"all places of the {name} pool are taken")
        self.retry_after = retry_after


class TooLong(Exception):
    """The answer was not there in time."""


class Conflict(Exception):
    """What is asked for does not go with an earlier request."""


class Pool:
    """Threads for calls. Used from one event loop.

    workers, waiting : calls worked on at a time, and calls that may wait
    limit : seconds until a caller is told that it takes too long
    nice : its threads work when nobody else wants to
    """

    def __init__(
        self, name: str, workers: int, waiting: int, limit: float, *, nice: bool = False
    ) -> None:
        self.name, self.workers, self.places, self.limit = name, workers, workers + waiting, limit
        self.inside = self.refused = 0
        self._threads = ThreadPoolExecutor(
            workers, thread_name_prefix=name, initializer=be_nice if nice else None)
        self._seconds = 0.0  # a call takes, smoothed

    @property
    def retry_after(self) -> int:
        """Seconds after which half of those inside should be gone, 1..60."""
        return int(min(max(self.inside * self._seconds / self.workers / 2, 1), 60))

    async def run(self, work: Callable[[Any, Stop], T], asked: Any) -> T:
        """The result of `work(asked, flag)`; the flag is raised when nobody waits for it any more,
        and the place is free once the work has ended. Raises Full and TooLong."""
        if self.inside >= self.places:
            self.refused += 1
            raise Full(self.name, self.retry_after)
        loop, flag = asyncio.get_running_loop(), Stop()
        self.inside += 1
        future = self._threads.submit(self._timed, work, asked, flag)
        future.add_done_callback(lambda done: _tell(loop, self._left))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self.limit)
        except TimeoutError:
            raise TooLong(f"no answer within {self.limit:g} s") from None
        finally:
            flag.set()

    def _timed(self, work: Callable[[Any, Stop], T], asked: Any, flag: Stop) -> T:
        begun = time.perf_counter()
        try:
            return work(asked, flag)
        finally:
            self._seconds += (time.perf_counter() - begun - self._seconds) / 16

    def _left(self) -> None:
        self.inside -= 1

    def close(self) -> None:
        """Take nothing more, and wait for nobody."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def be_nice() -> None:
    """Let this thread, and those it starts, work when nobody else wants to. Where a thread has a
    priority of its own: elsewhere this would be the whole server's."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


def _tell(loop: asyncio.AbstractEventLoop, what: Callable[[], object]) -> None:
    with contextlib.suppress(RuntimeError):  # the loop is gone, and with it everybody who counted
        loop.call_soon_threadsafe(what)


