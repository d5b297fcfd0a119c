"""Long work in the core that the keyboard can end."""
from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from nardy_core.evaluator import Stop

T = TypeVar("T")


def interruptible(work: Callable[[Stop], T], stop: Stop | None = None) -> T:
    """What `work` gives. It is handed a flag, `stop` if there is one, and has to end with an
    exception soon after the flag is raised.

    The core does not look for signals. So in the main thread the work is done by another one, and
    an exception that a signal brings here, as Ctrl-C does, raises the flag and goes on once the
    work has ended.
    """
    flag = Stop() if stop is None else stop
    if threading.current_thread() is not threading.main_thread():
        return work(flag)
    found: list[T] = []
    failed: list[BaseException] = []
    ended = threading.Event()

    def run() -> None:
        try:
            found.append(work(flag))
        except BaseException as error:
            failed.append(error)
        finally:
            ended.set()

    worker = threading.Thread(target=run, name="search", daemon=True)
    try:
        worker.start()
        ended.wait()  # not join(), which Python 3.11 leaves undone when a signal interrupts it
    except BaseException:
        flag.set()
        if worker.ident is not None:
            ended.wait()
        raise
    if failed:
        raise failed[0]
    return found[0]
