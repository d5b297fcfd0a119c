"""One rollout's account: which chunks are wanted, which are there, and whether it is enough."""
from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nardy_core import cache as caches
from nardy_core.errors import FileFormatError
from nardy_core.rollout_question import RolloutQuestion, unlike
from nardy_core.rollout_result import RolloutPlan, RolloutResult
from nardy_core.rollout_store import RolloutStore, Total
from nardy_core.rollout_sums import Floats, Totals

if TYPE_CHECKING:
    from nardy_core.models import Model

STATE_SCHEMA = "nardy.rollout-state/2"
COMPLETE = ("trials", "se", "jsd")  # reasons to end that the plan foresees


class Account:
    """Takes rows in any order, adds them in the order of chunks and ends where the plan says: the
    result does not depend on who computed what, and when.

    store : keeps every row that comes, and what the others below give; and gives what it has
    cache : gives and keeps totals of whole rollouts; where it cannot, that is told of on stderr
    resume : what `state` gave for the same question

    Not for several threads at once: whoever uses it has a lock.
    """

    def __init__(
        self, question: RolloutQuestion, plan: RolloutPlan, model: Model,
        store: RolloutStore | None = None, cache: RolloutStore | None = None,
        resume: Mapping[str, Any] | None = None,
    ) -> None:
        self.question, self.plan, self.model = question, plan, model
        self.totals = Totals(question)
        self.target = plan.chunks
        self.reason = "running"
        self.error: Exception | None = None
        self.deadline = math.inf
        self.seconds = 0.0
        self._begun: float | None = None
        self._spent = 0.0  # seconds before that
        self._store, self._cache = store, cache
        self._asked: set[int] = set()  # chunks that somebody computes
        self._waiting: dict[int, tuple[int, Floats]] = {}  # (active, row) before their turn
        self._next = 0  # no chunk below is wanted
        self._load([] if resume is None else [self._total_of(resume)])

    @property
    def running(self) -> bool:
        return self.reason == "running"

    @property
    def asked(self) -> int:
        """Chunks that somebody computes."""
        return len(self._asked)

    @property
    def done(self) -> int:
        """Chunks added up."""
        return self.totals.done

    @property
    def fraction(self) -> float:
        return self.done / self.target

    @property
    def result(self) -> RolloutResult | None:
        """What is known so far; None before the first chunk."""
        if not self.done:
            return None
        return self.totals.result(self.plan, self.reason, self.seconds, self.model.info)

    # ---- what is to be done ---------------------------------------------------------------------

    def begin(self) -> None:
        """The clock of the plan runs from now on."""
        if self._begun is None:
            self._begun = time.monotonic()
            if self.plan.max_time is not None:
                self.deadline = self._begun + self.plan.max_time

    def piece(self) -> tuple[int, int] | None:
        """(first, number) of chunks that are wanted and nobody has been asked for, None where there
        are none. Pieces end at multiples of `question.piece`."""
        if not self.running:
            return None
        self.begin()
        first = self._next
        while first < self.target and self._known(first):
            first += 1
        self._next = first
        if first >= self.target:
            return None
        size = self.question.piece
        end = first + 1
        while end < min((first // size + 1) * size, self.target) and not self._known(end):
            end += 1
        self._asked.update(range(first, end))
        return first, end - first

    def missing(self, limit: int) -> tuple[int, int]:
        """(first, number) of the next chunks that are wanted, for who computes them at once."""
        first, end = self.done, self.done + 1
        while end < min(first + limit, self.target) and end not in self._waiting:
            end += 1
        return first, end - first

    def _known(self, chunk: int) -> bool:
        return chunk < self.done or chunk in self._asked or chunk in self._waiting

    def give_back(self, first: int, count: int) -> None:
        """Those chunks are wanted again: whoever was asked does not answer."""
        self._asked.difference_update(range(first, first + count))
        self._next = min(self._next, first)

    # ---- what came ------------------------------------------------------------------------------

    def put(self, first: int, rows: Floats, active: int, seconds: float) -> None:
        """Rows of chunks first, first + 1, … have come. Where the store cannot keep them, OSError
        is raised after they have been counted."""
        for chunk, row in enumerate(rows, first):
            self._asked.discard(chunk)
            if chunk >= self.done:
                self._waiting[chunk] = active, row
        self._advance()
        if len(rows) and self._store:
            self._store.add(self.question, first, rows, active, seconds)

    def end(self, reason: str) -> None:
        """Over, as the plan foresees or cut short."""
        if self.running:
            self._clock()
            self.reason = reason
            if self._cache and reason in COMPLETE:
                try:
                    self._cache.add_total(self.question, self.total)
                except (OSError, FileFormatError) as error:
                    self._without_cache(error)

    def _without_cache(self, error: Exception) -> None:
        caches.say_once(f"rollouts not cached: {error}")
        self._cache = None

    def fail(self, error: Exception) -> None:
        if self.running:
            self.error, self.reason = error, "failed"

    def extend(self, trials: int) -> None:
        """Wanted are so many trials in all, whatever was the plan."""
        self.plan = dataclasses.replace(self.plan, trials=trials, se=None, jsd=None, max_time=None)
        self.target, self.reason, self.error = self.plan.chunks, "running", None
        self.deadline, self._begun, self._spent = math.inf, None, self.seconds
        if self.totals.dropped.any():  # they need the trials they have missed
            self.totals = Totals(self.question)
            self._load([])
        self._asked.clear()
        self._next = 0
        self._advance()

    @property
    def total(self) -> Total:
        """What is added up."""
        return Total(self.done, self.plan.se, self.plan.jsd, self.reason, self.totals.row)

    def state(self) -> dict[str, Any]:
        """The same as plain JSON, with the question."""
        total = self.total
        return {"schema": STATE_SCHEMA, **self.question.to_dict(), "chunks": total.done,
                "se": total.se, "jsd": total.jsd, "reason": total.reason,
                "sums": [value.hex() for value in total.row.tolist()]}

    def _total_of(self, data: Mapping[str, Any]) -> Total:
        try:
            if data["schema"] != STATE_SCHEMA:
                raise ValueError(f"schema {ascii(data['schema'])[:40]} is unknown")
            asked = self.question.to_dict()
            if difference := unlike(data, asked, asked):
                raise ValueError(difference)
            row = np.array([float.fromhex(value) for value in data["sums"]])
            total = Total(int(data["chunks"]), data["se"], data["jsd"], str(data["reason"]), row)
            Totals(self.question, row, total.done)
            return total
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"resume: no rollout to go on with: {error}") from None

    def _clock(self) -> None:
        if self._begun is not None:
            self.seconds = self._spent + time.monotonic() - self._begun

    def _advance(self) -> None:
        self._clock()
        while self.running and self.done < self.target:
            if self.done not in self._waiting:
                return
            active, row = self._waiting.pop(self.done)
            if self.totals.active & ~active:  # kept by a rollout that had dropped more
                self._next = min(self._next, self.done)
                return
            self.totals.add(row)
            self._check()
        if self.done >= self.target:
            self.end("trials")

    def _check(self) -> None:
        self.totals.drop(self.plan)
        if rule := self.totals.satisfied(self.plan):
            self.target = self.done
            self.end(rule)

    def _load(self, kept: list[Total]) -> None:
        """Begin with what was kept. A total serves where the plan's rules would not have stopped
        the rollout on the way to it."""
        plan = self.plan
        stored = self._store.totals(self.question) if self._store else []
        kept = [*stored, *kept]
        if self._cache:
            try:
                kept += self._cache.totals(self.question)
            except (OSError, FileFormatError) as error:
                self._without_cache(error)
        rules = (plan.se, plan.jsd)
        fitting = [total for total in kept if total.done <= self.target
                   and rules in ((None, None), (total.se, total.jsd))
                   and (plan.jsd or not Totals(self.question, total.row, total.done).dropped.any())]
        if fitting:
            best = max(fitting, key=lambda total: total.done)
            self.totals = Totals(self.question, best.row, best.done)
            # A store is whole: whoever goes on with it, or merges it, needs nothing else.
            if (self._store and not any(best is total for total in stored)
                    and self._store.chunks(self.question, best.done) < best.done):
                self._store.add_total(self.question, best)
            self._check()
        if self._store:
            self._waiting = {chunk: (active, row)
                             for chunk, active, row in self._store.rows(self.question)
                             if self.done <= chunk < self.target}
        self._advance()
