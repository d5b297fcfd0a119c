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
from nardy_core.rollout_account import Account
from nardy_core.rollout_question import RolloutQuestion
from nardy_core.rollout_sums import Floats, run_chunks

if TYPE_CHECKING:
    from nardy_core.engine import Engine
    from nardy_core.models import Model

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
    account: Account
    first: int
    chunks: int
    active: int
    tries: int = 0


class Foreman:
    """Hands out the pieces of accounts to an executor until each has what its plan asks for.

    executor : any of concurrent.futures' kind. Its attribute `workers`, or the usual
        `_max_workers`, says how many pieces it does at a time.
    lock : held while an account changes; changed : called without it after each change
    """

    def __init__(
        self, executor: Executor, lock: threading.Condition, changed: Callable[[Account], object]
    ) -> None:
        self._executor, self._lock, self._changed = executor, lock, changed
        self._answers: queue.SimpleQueue[Future[Any] | None] = queue.SimpleQueue()
        self._out: dict[Future[Any], _Piece] = {}
        self._open: deque[Account] = deque()  # that may have more to hand out
        self._running: dict[int, Account] = {}  # by id
        self._stop, self._ticket = Stop(), (os.getpid(), next(_numbers))
        self._looked, self._window = -math.inf, 1

    def stop(self) -> None:
        """Make `run` return soon. May be called from any thread."""
        self._stop.set()
        self._answers.put(None)

    def run(self, accounts: Iterable[Account]) -> None:
        """Work all off, or until `stop`. Tallies are begun in their order, the next when the
        workers would have nothing to do else. One whose pieces cannot be done is failed."""
        more = iter(accounts)
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

    def _next(self, more: Iterator[Account]) -> _Piece | None:
        """A piece to hand out. One that a stopping rule may make useless waits until there is
        nothing better to do."""
        few = max(self._window // 8, AHEAD)
        for account in [*self._open]:
            careful = not account.plan.fixed and account.asked >= few * account.question.piece
            if not careful and (piece := self._cut(account)):
                return piece
        for account in more:
            if not account.running:
                self._changed(account)
                continue
            self._running[id(account)] = account
            self._open.append(account)
            if piece := self._cut(account):
                return piece
        for account in [*self._open]:
            if piece := self._cut(account):
                return piece
        return None

    def _cut(self, account: Account) -> _Piece | None:
        with self._lock:
            piece = account.piece()
        if piece is None:
            self._open.remove(account)
            return None
        return _Piece(account, *piece, account.totals.active)

    def _hand_out(self, piece: _Piece, lacking: Iterable[str] = ()) -> None:
        account = piece.account
        for _, net in account.model.nets:
            _know(net.info["hash"], net)
        brought = {name: _nets[name].payload() for name in lacking}
        future = self._executor.submit(
            work, account.question.text, piece.first, piece.chunks, piece.active, brought,
            self._ticket)
        self._out[future] = piece
        future.add_done_callback(self._answers.put)

    def _take_one(self) -> None:
        # After its deadline an account waits for its first chunk only.
        now = time.monotonic()
        soonest = min((account.deadline for account in self._running.values()
                       if account.done or account.deadline > now), default=math.inf)
        wait = None if soonest == math.inf else max(soonest - now, 0.0)
        try:
            future = self._answers.get(timeout=wait)
        except queue.Empty:
            return
        piece = self._out.pop(future, None) if future else None
        if future is None or piece is None or not piece.account.running:
            return
        account = piece.account
        try:
            answer = future.result()
        except (BrokenExecutor, ImportError, TypeError, ValueError) as error:
            self._fail(account, error)
        except Exception as error:  # the worker was lost, or the way to it
            if piece.tries + 1 >= TRIES:
                self._fail(account, error)
            else:
                self._hand_out(piece._replace(tries=piece.tries + 1))
        else:
            if isinstance(answer, Lacking):
                self._hand_out(piece, answer.nets)
                return
            rows, seconds = answer
            with self._lock:
                account.put(piece.first, rows, piece.active, seconds)
                if len(rows) < piece.chunks:  # stopped
                    account.give_back(piece.first + len(rows), piece.chunks - len(rows))
            self._after(account)

    def _fail(self, account: Account, error: Exception) -> None:
        with self._lock:
            account.fail(error)
        self._after(account)

    def _after(self, account: Account) -> None:
        if not account.running:
            self._running.pop(id(account), None)
            if account in self._open:
                self._open.remove(account)
            for future in [f for f, piece in self._out.items() if piece.account is account]:
                future.cancel()
                del self._out[future]
        self._changed(account)

    def _look_at_the_clock(self) -> None:
        now = time.monotonic()
        for account in [a for a in self._running.values() if a.done and a.deadline <= now]:
            with self._lock:
                account.end("max_time")
            self._after(account)
