"""Rollouts: a handle on work that runs in the background."""
from __future__ import annotations

import atexit
import dataclasses
import hashlib
import json
import math
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from nardy_core._border._rollout import CHUNK, MAX_SUBJECTS, SUMS, Stop, processors, run
from nardy_core.analysis import EngineInfo, Numbers
from nardy_core.evaluator import Evaluator, flip, outcomes_of, swapped
from nardy_core.play import Play
from nardy_core.position import Position
from nardy_core.rollout_result import RolloutEntry, RolloutPlan, RolloutResult

__all__ = ["CHUNK", "MAX_SUBJECTS", "RolloutEntry", "RolloutHandle", "RolloutPlan",
           "RolloutResult", "processors"]

SLICE_SECONDS = 0.25  # between looks at the clock and reports of progress
STATE_SCHEMA = "nardy.rollout-state/1"
MIN_CHUNKS = 4  # before a stopping rule is believed

Progress = Callable[["RolloutResult"], object]
Saved: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any]"  # a file, or what it holds


class RolloutHandle:
    """A rollout at work in the background. Made by `Engine.rollout`.

    Iterate over it for a RolloutResult now and then (the last one is final; leaving the loop early
    does not stop the work), `wait` for the end, or `stop` it: the 36-trial chunks that are finished
    are kept. All methods may be called from any thread, `stop` from the progress callback, too.
    """

    def __init__(
        self, position: Position, plays: tuple[Play, ...] | None, evaluator: Evaluator,
        luck: Evaluator | None, plan: RolloutPlan, info: EngineInfo,
        threads: int, progress: Progress | None = None, resume: Saved | None = None,
    ) -> None:
        if position.finished:
            raise ValueError("rollout: the game is over")
        if threads < 1:
            raise ValueError(f"threads: {threads} is not at least 1")
        self.position, self.plays, self.plan = position, plays, plan
        self._evaluator, self._luck, self._info = evaluator, luck, info
        self._threads, self._progress = threads, progress
        # Results of a roll are rolled out for the side that is then on roll: the other one.
        self._boards = (position.board[np.newaxis] if plays is None
                        else swapped(np.stack([play.board for play in plays])))
        n = len(self._boards)
        self._total = np.zeros(n, dtype=SUMS)
        self._products = np.zeros((n, n), dtype=np.float64)
        self._done, self._target, self._reason = 0, plan.chunks, "running"
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
        return self._done / self._target

    @property
    def result(self) -> RolloutResult | None:
        """What is known so far; None before the first 36 trials are finished."""
        with self._changed:
            return self._result() if self._done else None

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
            return {
                "schema": STATE_SCHEMA, **self._question(), "chunks": self._done,
                "seconds": round(self._seconds, 3),
                "total": [[_exact(total[name]) for name in SUMS.names or ()]
                          for total in self._total],
                "products": [_exact(row) for row in self._products]}

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
                    while self.running and self._done == seen:
                        self._changed.wait()
                    if not self.running:
                        break
                    seen, partial = self._done, self._result()
            except KeyboardInterrupt:
                self.stop()
                raise
            yield partial
        yield self._final()

    def __repr__(self) -> str:
        return f"<RolloutHandle {self._done * CHUNK}/{self._target * CHUNK} {self._reason}>"

    # ---- going on from a saved state ------------------------------------------------------------

    def _question(self) -> dict[str, Any]:
        """What the sums are about: a saved state may only be taken up for the same."""
        plan = self.plan
        return {"position": self.position.id("text"),
                "dice": list(self.plays[0].dice) if self.plays else None,
                "plays": [play.notation for play in self.plays or ()],
                "seed": plan.seed, "truncate": plan.truncate, "opening": plan.opening,
                "variance_reduction": plan.variance_reduction, "nets": dict(self._info.nets)}

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
            for key, value in self._question().items():
                if data[key] != value:
                    raise ValueError(f"{key} is {str(data[key])[:80]}, asked is {str(value)[:80]}")
            for total, fields in zip(self._total, data["total"], strict=True):
                for field, value in zip(SUMS.names or (), fields, strict=True):
                    total[field] = _read_exact(value)
            self._products[:] = [_read_exact(row) for row in data["products"]]
            self._done, self._seconds = int(data["chunks"]), float(data["seconds"])
            if self._done < 0 or (self._total["trials"] != self._done * CHUNK).any():
                raise ValueError("numbers that do not fit together")
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
        if self._done and self._satisfied():
            self._target = self._done
        while self._done < self._target:
            if self._done and timer is None and deadline < math.inf:
                timer = threading.Timer(max(deadline - time.monotonic(), 0), self._stop.set)
                timer.daemon = True
                timer.start()
            if self._stop.is_set():
                break
            start = time.monotonic()
            count = min(count, self._target - self._done)
            sums, products, done = run(
                self._evaluator, self._luck, self._boards, self._done, count,
                seed=self.plan.seed, truncate=self.plan.truncate, opening=self.plan.opening,
                threads=self._threads, stop=self._stop)
            finished = count if done.all() else int(done.argmin())
            with self._changed:
                self._seconds = before + time.monotonic() - begun
                for c in range(finished):
                    self._add(sums[c], products[c])
                    if self._satisfied():
                        self._target = self._done
                        break
                self._changed.notify_all()
            if finished and self._progress:
                self._progress(self._result())
            if self._done < self._target:
                rate = (time.monotonic() - start) / count
                wanted = round(SLICE_SECONDS / max(rate, 1e-6) / self._threads)
                count = self._threads * min(max(wanted, 1), 64)
        if timer:
            timer.cancel()
        if self._done >= self._target:
            return self._satisfied() or "trials"
        return self._wanted or "max_time"

    def _add(self, sums: npt.NDArray[np.void], products: npt.NDArray[np.float64]) -> None:
        """One chunk more, always in the order of chunks: the same bits however it was sliced."""
        for name in SUMS.names or ():
            self._total[name] += sums[name]
        self._products += products
        self._done += 1

    # ---- statistics -----------------------------------------------------------------------------

    def _differences(self, best: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Mean of (equity - the best's) for each, and its standard error, paired by trial."""
        n = self._done * CHUNK
        own = np.diag(self._products)
        squares = own + own[best] - 2 * self._products[best]
        mean = (self._total["equity"] - self._total["equity"][best]) / n
        return mean, _error(mean * n, squares, n)

    def _order(self) -> list[int]:
        """Indices of candidates, best for the mover first."""
        equity = self._total["equity"] * (1 if self.plays is None else -1)
        order: list[int] = np.argsort(-equity, kind="stable").tolist()
        return order

    def _satisfied(self) -> str:
        """The stopping rule that is met, "" if none is."""
        if self._done < MIN_CHUNKS:
            return ""
        n = self._done * CHUNK
        if self.plan.se is not None:
            error = _error(self._total["equity"], self._total["equity_sq"], n)
            if (error <= self.plan.se).all():
                return "se"
        if self.plan.jsd is not None and len(self._boards) > 1:
            best, *others = self._order()
            mean, error = self._differences(best)
            if all(abs(mean[i]) >= self.plan.jsd * error[i] for i in others):
                return "jsd"
        return ""

    def _final(self) -> RolloutResult:
        if self._error is not None:
            raise self._error
        with self._changed:
            if not self._done:
                raise RuntimeError(f"rollout: stopped before the first {CHUNK} trials were done")
            return self._result()

    def _result(self) -> RolloutResult:
        n, total = self._done * CHUNK, self._total
        names = outcomes_of(self.position.game)
        classes = len(names)
        p, p_sq = total["outcome"][:, :classes], total["outcome_sq"][:, :classes]
        mean, error = p / n, _error(p, p_sq, n)
        equity, equity_error = total["equity"] / n, _error(total["equity"], total["equity_sq"], n)
        order = self._order()
        difference, difference_error = self._differences(order[0])
        if self.plays is not None:
            mean, error = flip(mean), flip(error)
            equity, difference = -equity, -difference
        entries = tuple(RolloutEntry(
            self.plays[i] if self.plays else None, self.position, n, float(equity[i]),
            float(equity_error[i]), Numbers(names, mean[i]), Numbers(names, error[i]),
            float(difference[i]) + 0.0, float(difference_error[i])) for i in order)
        return RolloutResult(
            self.position, self.plays[0].dice if self.plays else None, entries, self.plan, n,
            self._reason in ("trials", "se", "jsd"), self._reason, self._signature(),
            float(total["plies"].sum() / (n * len(total))), int(total["truncated"].sum()),
            self._seconds, self._info)

    def _signature(self) -> str:
        plan = self.plan
        said = repr((self.position.game, self.position.rules.codes, plan.seed, plan.truncate,
                     plan.variance_reduction, plan.opening, self._done))
        h = hashlib.blake2b(said.encode(), digest_size=8)
        h.update(self._boards.astype("<u4").tobytes())
        h.update(self._total.tobytes())
        h.update(self._products.astype("<f8").tobytes())
        return h.hexdigest()


def _error(total: npt.NDArray[Any], squares: npt.NDArray[Any], n: int) -> npt.NDArray[np.float64]:
    """Standard errors of means from sums and sums of squares of n numbers."""
    spread = np.maximum(squares - total * total / n, 0.0)
    error: npt.NDArray[np.float64] = np.sqrt(spread / (n * max(n - 1, 1)))
    return error


def _exact(values: Any) -> Any:
    """Numbers as text that keeps every bit."""
    if isinstance(values, np.ndarray):
        return [_exact(value) for value in values.tolist()]
    return float(values).hex() if isinstance(values, float) else int(values)


def _read_exact(values: Any) -> Any:
    if isinstance(values, list):
        return [_read_exact(value) for value in values]
    return float.fromhex(values) if isinstance(values, str) else int(values)


_running: weakref.WeakSet[RolloutHandle] = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    for handle in list(_running):
        handle.stop()
