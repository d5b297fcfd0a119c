"""Pieces of rollouts worked off by an executor: threads, processes, a cluster.

A piece goes out as text: the question and which chunks, nothing of this process. Nets are named by
their hash; a worker that lacks one says so and gets its contents with the piece. A piece is a pure
function, so whatever became of the worker that had it, another may do it again.
"""
from __future__ import annotations

import itertools
import json
import math
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from nardy_core._border._engine import Stop
from nardy_core.evaluator import Net
from nardy_core.nets import SHIPPED, open_net
from nardy_core.rollout_question import RolloutQuestion
from nardy_core.rollout_sums import Floats, run_chunks
from nardy_core.rollout_tally import Tally

if TYPE_CHECKING:
    from nardy_core.engine import Engine, Model

TRIES = 5  # of a piece whose workers are lost
AHEAD = 2  # pieces handed out for each worker: one at work, one that waits for it
LOOK_SECONDS = 1.0  # between looks at how many workers there are
QUESTIONS, ENGINES = 64, 4  # that a worker remembers

# ---- the worker's side ------------------------------------------------------------------------

_nets: dict[str, Net] = {}
_stops: dict[tuple[int, int], Stop] = {}  # of those who hand out in this process
_numbers = itertools.count()


class Lacking(NamedTuple):
    """Hashes of nets that the worker has not."""

    nets: tuple[str, ...]


def work(
    question: str, first: int, count: int, active: int,
    brought: Mapping[str, bytes] | None = None, stop: tuple[int, int] | None = None,
) -> tuple[Floats, float] | Lacking:
    """Raw sums of chunks of a question, and the seconds they took: what executors run.

    active : bit i set = candidate i is rolled out, else its sums are 0
    brought : contents of nets by hash; stop : the flag that ends the work early, which is known
    only in the process that hands out
    """
    begun = time.monotonic()
    for name, payload in (brought or {}).items():
        if name not in _nets:
            _know(name, Net.from_payload(payload))
    try:
        asked, model = _asked(question)
    except _LackingError as error:
        return Lacking(error.args)
    rows = run_chunks(asked, model, first, count, active=active,
                      stop=_stops.get(stop) if stop else None)
    return rows, time.monotonic() - begun


class _LackingError(Exception):
    pass


@lru_cache(QUESTIONS)
def _asked(text: str) -> tuple[RolloutQuestion, Model]:
    question = RolloutQuestion.from_dict(json.loads(text))
    names = [name for _, name in question.nets]
    if not all(name in _nets for name in names):
        for path in SHIPPED.glob("*.net"):
            net = open_net(path)
            _know(net.info["hash"], net)
    lacking = [name for name in names if name not in _nets]
    if lacking:
        raise _LackingError(*lacking)
    model = _engine(question.position.game, question.nets).model(question.position)
    if model.info.tables != question.tables:
        raise ValueError(f"tables: the worker has {model.info.tables}, not {question.tables}")
    return question, model


@lru_cache(ENGINES)
def _engine(game: str, nets: tuple[tuple[str, str], ...]) -> Engine:
    from nardy_core.engine import Engine

    return Engine({game: {part: _nets[name] for part, name in nets}}, threads=1)


def _know(name: str, net: Net) -> None:
    if net.info["hash"] != name:
        raise ValueError(f"net {net.info['hash']} came where {name} was to come")
    _nets[name] = net


# ---- the side that hands out ------------------------------------------------------------------


def _workers(executor: Executor) -> int:
    """How many pieces an executor does at a time."""
    for name in ("workers", "_max_workers", "num_workers"):
        if isinstance(found := getattr(executor, name, None), int):
            return found
    return os.cpu_count() or 1


class _Piece(NamedTuple):
    tally: Tally
    first: int
    chunks: int
    active: int
    tries: int = 0


class Foreman:
    """Hands out the pieces of tallies to an executor until each has what its plan asks for.

    executor : any of concurrent.futures' kind. Its attribute `workers`, or the usual
        `_max_workers`, says how many pieces it does at a time.
    lock : held while a tally changes; changed : called without it after each change
    """

    def __init__(
        self, executor: Executor, lock: threading.Condition, changed: Callable[[Tally], object]
    ) -> None:
        self._executor, self._lock, self._changed = executor, lock, changed
        self._answers: queue.SimpleQueue[Future[Any] | None] = queue.SimpleQueue()
        self._out: dict[Future[Any], _Piece] = {}
        self._open: deque[Tally] = deque()  # that may have more to hand out
        self._running: dict[int, Tally] = {}  # by id
        self._stop, self._ticket = Stop(), (os.getpid(), next(_numbers))
        self._looked, self._window = -math.inf, 1

    def stop(self) -> None:
        """Make `run` return soon. May be called from any thread."""
        self._stop.set()
        self._answers.put(None)

    def run(self, tallies: Iterable[Tally]) -> None:
        """Work all off, or until `stop`. Tallies are begun in their order, the next when the
        workers would have nothing to do else. One whose pieces cannot be done is failed."""
        more = iter(tallies)
        _stops[self._ticket] = self._stop
        try:
            while not self._stop.is_set():
                while len(self._out) < self._room() and (piece := self._next(more)):
                    self._hand_out(piece)
                if not self._out:
                    break
                self._take_one()
                self._look_at_the_clock()
        finally:
            self._stop.set()
            for future in self._out:
                future.cancel()
            del _stops[self._ticket]

    def _room(self) -> int:
        now = time.monotonic()
        if now - self._looked > LOOK_SECONDS:  # workers come and go
            self._looked, self._window = now, AHEAD * max(_workers(self._executor), 1)
        return self._window

    def _next(self, more: Iterator[Tally]) -> _Piece | None:
        """A piece to hand out. One that a stopping rule may make useless waits until there is
        nothing better to do."""
        few = max(self._window // 8, AHEAD)
        for tally in [*self._open]:
            careful = not tally.plan.fixed and tally.asked >= few * tally.question.piece
            if not careful and (piece := self._cut(tally)):
                return piece
        for tally in more:
            if not tally.running:
                self._changed(tally)
                continue
            self._running[id(tally)] = tally
            self._open.append(tally)
            if piece := self._cut(tally):
                return piece
        for tally in [*self._open]:
            if piece := self._cut(tally):
                return piece
        return None

    def _cut(self, tally: Tally) -> _Piece | None:
        with self._lock:
            piece = tally.piece()
        if piece is None:
            self._open.remove(tally)
            return None
        return _Piece(tally, *piece, tally.totals.active)

    def _hand_out(self, piece: _Piece, lacking: Iterable[str] = ()) -> None:
        tally = piece.tally
        for _, net in tally.model.nets:
            _know(net.info["hash"], net)
        brought = {name: _nets[name].payload() for name in lacking}
        future = self._executor.submit(
            work, tally.question.text, piece.first, piece.chunks, piece.active, brought,
            self._ticket)
        self._out[future] = piece
        future.add_done_callback(self._answers.put)

    def _take_one(self) -> None:
        # After its deadline a tally waits for its first chunk only.
        now = time.monotonic()
        soonest = min((tally.deadline for tally in self._running.values()
                       if tally.done or tally.deadline > now), default=math.inf)
        wait = None if soonest == math.inf else max(soonest - now, 0.0)
        try:
            future = self._answers.get(timeout=wait)
        except queue.Empty:
            return
        piece = self._out.pop(future, None) if future else None
        if future is None or piece is None or not piece.tally.running:
            return
        tally = piece.tally
        try:
            answer = future.result()
        except (BrokenExecutor, ImportError, TypeError, ValueError) as error:
            self._fail(tally, error)
        except Exception as error:  # the worker was lost, or the way to it
            if piece.tries + 1 >= TRIES:
                self._fail(tally, error)
            else:
                self._hand_out(piece._replace(tries=piece.tries + 1))
        else:
            if isinstance(answer, Lacking):
                self._hand_out(piece, answer.nets)
                return
            rows, seconds = answer
            with self._lock:
                tally.put(piece.first, rows, piece.active, seconds)
                if len(rows) < piece.chunks:  # stopped
                    tally.give_back(piece.first + len(rows), piece.chunks - len(rows))
            self._after(tally)

    def _fail(self, tally: Tally, error: Exception) -> None:
        with self._lock:
            tally.fail(error)
        self._after(tally)

    def _after(self, tally: Tally) -> None:
        if not tally.running:
            self._running.pop(id(tally), None)
            if tally in self._open:
                self._open.remove(tally)
            for future in [f for f, piece in self._out.items() if piece.tally is tally]:
                future.cancel()
                del self._out[future]
        self._changed(tally)

    def _look_at_the_clock(self) -> None:
        now = time.monotonic()
        for tally in [t for t in self._running.values() if t.done and t.deadline <= now]:
            with self._lock:
                tally.end("max_time")
            self._after(tally)
