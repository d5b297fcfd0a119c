"""Rollouts: a handle on work that runs in the background."""
from __future__ import annotations

import atexit
import dataclasses
import json
import math
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from nardy_core._border._engine import Stop
from nardy_core._border._rollout import CHUNK, MAX_SUBJECTS, processors
from nardy_core.play import Play
from nardy_core.position import Position
from nardy_core.rollout_question import RolloutQuestion
from nardy_core.rollout_result import RolloutEntry, RolloutPlan, RolloutResult
from nardy_core.rollout_sums import Totals, run_chunks

if TYPE_CHECKING:
    from nardy_core.engine import Model

__all__ = ["CHUNK", "MAX_SUBJECTS", "RolloutEntry", "RolloutHandle", "RolloutPlan",
           "RolloutResult", "processors"]

SLICE_SECONDS = 0.25  # between looks at the clock and reports of progress
STATE_SCHEMA = "nardy.rollout-state/2"

Progress = Callable[["RolloutResult"], object]
Saved: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any]"  # a file, or what it holds


class RolloutHandle:
    """A rollout at work in the background. Made by `Engine.rollout`.

    Iterate over it for a RolloutResult now and then (the last one is final; leaving the loop early
    does not stop the work), `wait` for the end, or `stop` it: the 36-trial chunks that are finished
    are kept. All methods may be called from any thread, `stop` from the progress callback, too.
    """

    def __init__(
        self, position: Position, plays: tuple[Play, ...] | None, model: Model, plan: RolloutPlan,
        threads: int, progress: Progress | None = None, resume: Saved | None = None,
    ) -> None:
        if position.finished:
            raise ValueError("rollout: the game is over")
        if threads < 1:
            raise ValueError(f"threads: {threads} is not at least 1")
        self.position, self.plays, self.plan = position, plays, plan
        self.question = RolloutQuestion(
            position, plays, plan, tuple((part, net.info["hash"]) for part, net in model.nets),
            model.info.tables)
        self._model, self._threads, self._progress = model, threads, progress
        self._totals = Totals(self.question)
        self._target, self._reason = plan.chunks, "running"
        self._seconds = 0.0
        self._error: BaseException | None = None
        self._changed = threading.Condition()
        if resume is not None:
            self._load(resume)
        self._start()

    # ---- what users call ------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        return self._reason == "running"

    @property
    def fraction(self) -> float:
        """How much of the trials asked for is done, 0..1."""
        return self._totals.done / self._target

    @property
    def result(self) -> RolloutResult | None:
        """What is known so far; None before the first 36 trials are finished."""
        with self._changed:
            return self._result() if self._totals.done else None

    def wait(self, timeout: float | None = None) -> RolloutResult:
        """The final result. KeyboardInterrupt stops the rollout, `result` then has what is done.

        Raises TimeoutError when the end does not come within `timeout` seconds, RuntimeError when
        the rollout was stopped before its first 36 trials were finished.
        """
        try:
            with self._changed:
                if not self._changed.wait_for(lambda: not self.running, timeout):
                    raise TimeoutError(f"rollout: still running after {timeout} s")
        except KeyboardInterrupt:
            self.stop()
            raise
        return self._final()

    def stop(self) -> RolloutResult | None:
        """Stop soon (trials under way are dropped) and return what is finished, None if nothing."""
        with self._changed:
            if self.running:
                self._wanted = "stopped"
                self._stop.set()
                if threading.current_thread() is not self._thread:  # else: a progress callback
                    self._changed.wait_for(lambda: not self.running)
        return self.result

    def extend(self, trials: int) -> RolloutHandle:
        """Go on to `trials` in all, after the end, a stop or an interruption, without any rule to
        stop earlier. The result has the same bits as one rollout of that many trials."""
        with self._changed:
            if self.running:
                raise RuntimeError("rollout: still running")
            self.plan = dataclasses.replace(self.plan, trials=trials, se=None, jsd=None,
                                            max_time=None)
            self._target, self._reason, self._error = self.plan.chunks, "running", None
        self._start()
        return self

    def state(self) -> dict[str, Any]:
        """All that is needed to go on elsewhere, for `resume` of `Engine.rollout`: plain JSON."""
        with self._changed:
            return {"schema": STATE_SCHEMA, **self.question.to_dict(),
                    "chunks": self._totals.done, "seconds": round(self._seconds, 3),
                    "sums": [value.hex() for value in self._totals.row.tolist()]}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `state` to a file, which is replaced in one step."""
        name = os.fspath(path)
        temporary = f"{name}.{os.getpid()}.tmp"
        try:
            with open(temporary, "w", encoding="utf-8") as file:
                json.dump(self.state(), file, indent=1)
            os.replace(temporary, name)
        finally:
            if os.path.exists(temporary):
                os.remove(temporary)

    def __iter__(self) -> Iterator[RolloutResult]:
        seen = 0
        while True:
            try:
                with self._changed:
                    while self.running and self._totals.done == seen:
                        self._changed.wait()
                    if not self.running:
                        break
                    seen, partial = self._totals.done, self._result()
            except KeyboardInterrupt:
                self.stop()
                raise
            yield partial
        yield self._final()

    def __repr__(self) -> str:
        return f"<RolloutHandle {self._totals.done * CHUNK}/{self._target * CHUNK} {self._reason}>"

    # ---- going on from a saved state ------------------------------------------------------------

    def _load(self, saved: Saved) -> None:
        name = "resume" if isinstance(saved, Mapping) else os.fsdecode(saved)
        try:
            if isinstance(saved, Mapping):
                data = saved
            else:
                with open(saved, encoding="utf-8") as file:
                    data = json.load(file)
            if data["schema"] != STATE_SCHEMA:
                raise ValueError(f"schema {ascii(data['schema'])[:40]} is unknown")
            for key, value in self.question.to_dict().items():
                if data[key] != value:
                    raise ValueError(f"{key} is {str(data[key])[:80]}, asked is {str(value)[:80]}")
            row = np.array([float.fromhex(value) for value in data["sums"]])
            self._totals = Totals(self.question, row, int(data["chunks"]))
            self._seconds = float(data["seconds"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{name}: no rollout to go on with: {error}") from None

    # ---- the work -------------------------------------------------------------------------------

    def _start(self) -> None:
        self._stop, self._wanted = Stop(), ""
        self._thread = threading.Thread(target=self._work, name="rollout", daemon=True)
        _running.add(self)
        self._thread.start()

    def _work(self) -> None:
        reason = "stopped"
        try:
            reason = self._run()
        except BaseException as error:  # whoever waits shall have it
            self._error = error
        with self._changed:
            self._reason = reason
            self._changed.notify_all()
        _running.discard(self)

    def _run(self) -> str:
        begun, before = time.monotonic(), self._seconds
        deadline = begun + self.plan.max_time if self.plan.max_time else math.inf
        timer = None
        count = self._threads
        if self._totals.done and self._totals.satisfied(self.plan):
            self._target = self._totals.done
        while self._totals.done < self._target:
            if self._totals.done and timer is None and deadline < math.inf:
                timer = threading.Timer(max(deadline - time.monotonic(), 0), self._stop.set)
                timer.daemon = True
                timer.start()
            if self._stop.is_set():
                break
            start = time.monotonic()
            count = min(count, self._target - self._totals.done)
            rows = run_chunks(self.question, self._model, self._totals.done, count,
                              threads=self._threads, stop=self._stop)
            with self._changed:
                self._seconds = before + time.monotonic() - begun
                for row in rows:
                    self._totals.add(row)
                    if self._totals.satisfied(self.plan):
                        self._target = self._totals.done
                        break
                self._changed.notify_all()
            if len(rows) and self._progress:
                self._progress(self._result())
            if self._totals.done < self._target:
                rate = (time.monotonic() - start) / count
                wanted = round(SLICE_SECONDS / max(rate, 1e-6) / self._threads)
                count = self._threads * min(max(wanted, 1), 64)
        if timer:
            timer.cancel()
        if self._totals.done >= self._target:
            return self._totals.satisfied(self.plan) or "trials"
        return self._wanted or "max_time"

    def _final(self) -> RolloutResult:
        if self._error is not None:
            raise self._error
        with self._changed:
            if not self._totals.done:
                raise RuntimeError(f"rollout: stopped before the first {CHUNK} trials were done")
            return self._result()

    def _result(self) -> RolloutResult:
        return self._totals.result(self.plan, self._reason, self._seconds, self._model.info)


_running: weakref.WeakSet[RolloutHandle] = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    for handle in list(_running):
        handle.stop()
