"""Rollouts: a handle on work that runs in the background."""
from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from nardy_core._border._engine import Stop
from nardy_core._border._rollout import CHUNK, MAX_SUBJECTS, processors
from nardy_core.rollout_account import Account
from nardy_core.rollout_question import RolloutQuestion
from nardy_core.rollout_result import RolloutEntry, RolloutPlan, RolloutResult
from nardy_core.rollout_store import RolloutStore
from nardy_core.rollout_sums import run_chunks

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from nardy_core.rollout_workers import Foreman

__all__ = ["CHUNK", "MAX_SUBJECTS", "RolloutEntry", "RolloutHandle", "RolloutPlan",
           "RolloutQuestion", "RolloutResult", "RolloutStore", "processors"]

SLICE_SECONDS = 0.25  # between looks at the clock and reports of progress

Progress = Callable[[RolloutResult], object]


class RolloutHandle:
    """A rollout at work in the background. Made by `Engine.rollout`, which opens its `account`.

    Iterate over it for a RolloutResult now and then (the last one is final; leaving the loop early
    does not stop the work), `wait` for the end, or `stop` it: the 36-trial chunks that are finished
    are kept. All methods may be called from any thread, `stop` from the progress callback, too.
    """

    def __init__(
        self, account: Account, threads: int, progress: Progress | None = None,
        executor: Executor | None = None,
    ) -> None:
        if threads < 1:
            raise ValueError(f"threads: {threads} is not at least 1")
        self._account, self._threads, self._progress = account, threads, progress
        self._executor = executor
        self._error: BaseException | None = None
        self._changed = threading.Condition()
        self._start()

    # ---- what users call ------------------------------------------------------------------------

    @property
    def question(self) -> RolloutQuestion:
        """What is rolled out, and with which settings and nets."""
        return self._account.question

    @property
    def plan(self) -> RolloutPlan:
        """The settings, with the trials asked for by now."""
        return self._account.plan

    @property
    def running(self) -> bool:
        """It is at work."""
        return not self._over

    @property
    def fraction(self) -> float:
        """How much of the trials asked for is done, 0..1."""
        return self._account.fraction

    @property
    def result(self) -> RolloutResult | None:
        """What is known so far; None before the first 36 trials are finished."""
        with self._changed:
            return self._account.result

    def wait(self, timeout: float | None = None) -> RolloutResult:
        """The final result. KeyboardInterrupt stops the rollout, `result` then has what is done.

        Raises TimeoutError when the end does not come within `timeout` seconds, RuntimeError when
        the rollout was stopped before its first 36 trials were finished.
        """
        self._check_process()
        try:
            with self._changed:
                if not self._changed.wait_for(lambda: self._over, timeout):
                    raise TimeoutError(f"rollout: still running after {timeout} s")
        except KeyboardInterrupt:
            self.stop()
            raise
        return self._final()

    def stop(self) -> RolloutResult | None:
        """Stop soon (trials under way are dropped) and return what is finished, None if nothing.
        RuntimeError, of `wait` as well, where the process has forked since the rollout began."""
        self._check_process()
        with self._changed:
            if not self._over:
                self._stop.set()
                if self._foreman:
                    self._foreman.stop()
                if threading.current_thread() is not self._thread:  # else: a progress callback
                    self._changed.wait_for(lambda: self._over)
        return self.result

    def _check_process(self) -> None:
        """A child has none of its parent's threads: there the rollout would never end."""
        if not self._over and os.getpid() != self._process:
            raise RuntimeError("rollout: began in the process that this one was forked from")

    def extend(self, trials: int) -> RolloutHandle:
        """Go on to `trials` in all, after the end, a stop or an interruption, without any rule to
        stop earlier. The result has the same bits as one rollout of that many trials."""
        with self._changed:
            if not self._over:
                raise RuntimeError("rollout: still running")
            self._account.extend(trials)
        self._error = None
        self._start()
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Add what is known so far to a file, from which `store` of `Engine.rollout` goes on."""
        with self._changed:
            RolloutStore(path).add_total(self.question, self._account.total)

    def state(self) -> dict[str, Any]:
        """What is known so far as plain JSON, for `resume` of `Engine.rollout`."""
        with self._changed:
            return self._account.state()

    def __iter__(self) -> Iterator[RolloutResult]:
        seen = 0
        while True:
            try:
                with self._changed:
                    while not self._over and self._account.done == seen:
                        self._changed.wait()
                    if self._over:
                        break
                    seen, partial = self._account.done, self._account.result
            except KeyboardInterrupt:
                self.stop()
                raise
            if partial:
                yield partial
        yield self._final()

    def __repr__(self) -> str:
        account = self._account
        return f"<RolloutHandle {account.done * CHUNK}/{account.target * CHUNK} {account.reason}>"

    # ---- the work -------------------------------------------------------------------------------

    def _start(self) -> None:
        self._stop, self._over, self._process = Stop(), False, os.getpid()
        self._foreman: Foreman | None = None
        if self._executor:
            from nardy_core.rollout_workers import Foreman

            self._foreman = Foreman(self._executor, self._changed, self._tell)
        self._thread = threading.Thread(target=self._work, name="rollout", daemon=True)
        _running.add(self)
        self._thread.start()

    def _work(self) -> None:
        try:
            if self._foreman:
                self._foreman.run([self._account])
            else:
                self._run()
        except BaseException as error:  # whoever waits shall have it
            self._error = error
        with self._changed:
            self._account.end("stopped")
            self._error = self._error or self._account.error
            self._over = True
            self._changed.notify_all()
        _running.discard(self)

    def _run(self) -> None:
        """The work by threads of this process that share out the chunks of a slice."""
        account, count, timer = self._account, self._threads, None
        account.begin()
        while account.running and not self._stop.is_set():
            if account.done and timer is None and account.plan.max_time is not None:
                timer = threading.Timer(max(account.deadline - time.monotonic(), 0), self._stop.set)
                timer.daemon = True
                timer.start()
            begun = time.monotonic()
            first, count = account.missing(count)
            active = account.totals.active
            rows = run_chunks(account.question, account.model, first, count, active=active,
                              threads=self._threads, stop=self._stop)
            spent = time.monotonic() - begun
            with self._changed:
                account.put(first, rows, active, spent)
            self._tell(account)
            wanted = round(SLICE_SECONDS / max(spent / count, 1e-6) / self._threads)
            count = self._threads * min(max(wanted, 1), 64)
        if timer:
            timer.cancel()
        if account.deadline <= time.monotonic():
            account.end("max_time")

    def _tell(self, account: Account) -> None:
        with self._changed:
            self._changed.notify_all()
            result = account.result
        if self._progress and result:
            self._progress(result)

    def _final(self) -> RolloutResult:
        if self._error is not None:
            raise self._error
        result = self.result
        if result is None:
            raise RuntimeError(f"rollout: stopped before the first {CHUNK} trials were done")
        return result


_running: weakref.WeakSet[RolloutHandle] = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    for handle in list(_running):
        handle.stop()


if hasattr(os, "register_at_fork"):  # the threads are the parent's
    os.register_at_fork(after_in_child=_running.clear)
