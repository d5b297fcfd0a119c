"""Raw sums of a rollout: how a chunk of trials gives them, and what their totals say."""
from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nardy_core._border._engine import Stop
from nardy_core._border._rollout import CHUNK, Trials, explained, read_row
from nardy_core._border._value import Stakes
from nardy_core.analysis import EngineInfo, Numbers
from nardy_core.bearoff import bearoff_tables
from nardy_core.cube_inputs import stakes_of
from nardy_core.evaluator import flip, outcomes_of
from nardy_core.filters import plan_of
from nardy_core.rollout_question import RolloutQuestion
from nardy_core.rollout_result import RolloutEntry, RolloutPlan, RolloutResult

if TYPE_CHECKING:
    from nardy_core.models import Model

MIN_BALANCED = 3  # chunks from which on errors leave out what the first two rolls explain
# Chunks until which half of the plain error stays whatever they explain: where that is nearly all,
# the rest is in rare pairs of rolls, and more than half of the pairs have not been thrown.
MANY_PAIRS = 18
DRAWS = 4000  # for the chance to be the best
MIN_CHUNKS = 4  # before a stopping rule is believed

Floats = npt.NDArray[np.float64]


def run_chunks(
    question: RolloutQuestion, model: Model, first: int, count: int, *, active: int | None = None,
    threads: int = 1, stop: Stop | None = None,
) -> Floats:
    """Raw sums (m, question.length) of chunks first, first + 1, …: m = count of them, fewer only
    when `stop` was raised.

    Row c is a pure function of (question, first + c, active): the same bits on any machine, in any
    number of threads, however the chunks are cut into calls. `model` must be made of the question's
    nets.

    active : bit i set = subject i is rolled out, else its sums are 0; None = all. The sums of one
        subject do not depend on the others.
    """
    settings = question.settings
    tables = bearoff_tables() if question.stakes and question.tables else None
    trials = Trials(
        model.at(settings.level, settings.cube_level,
                 settings.late_level, settings.late_cube_level),
        model.luck if settings.variance_reduction else None, question.boards,
        seed=settings.seed, truncate=settings.truncate, opening=settings.opening,
        level=(settings.level, settings.cube_level), late=settings.late,
        late_level=(settings.late_level, settings.late_cube_level),
        search=plan_of(settings.plan), stakes=question.stakes,
        cubes=question.cubes, efficiency=settings.efficiencies,
        two=tables.two if tables else None)
    chosen = None
    if active is not None:
        chosen = [bool(active >> i & 1) for i in range(len(question.boards))]
    rows, done = trials.run(first, count, active=chosen, threads=threads, stop=stop)
    return rows if done.all() else rows[:int(done.argmin())]


class Totals:
    """Rows added up in the order of chunks, so that they have the same bits however the chunks came
    about, and what is known from them."""

    def __init__(
        self, question: RolloutQuestion, row: Floats | None = None, done: int = 0
    ) -> None:
        self.question = question
        self.done = done  # chunks
        self.row = np.zeros(question.length, dtype=np.float64) if row is None else row
        if self.row.shape != (question.length,) or done < 0:
            raise ValueError("sums that do not fit the question")
        played = self._read()[0]["trials"]
        if played.max() != self.trials or played.min() < 0 or (played % CHUNK).any():
            raise ValueError("sums of another number of trials")
        self.dropped = played < self.trials  # candidates that were hopelessly behind

    @property
    def trials(self) -> int:
        return self.done * CHUNK

    @property
    def active(self) -> int:
        """Bit i set = the next chunk needs subject i. A row to add may have more subjects."""
        return sum(1 << int(i) for i in np.flatnonzero(~self.dropped))

    def add(self, row: Floats) -> None:
        """The raw sums of one chunk more, that of number `done`."""
        if (gone := self.dropped).any():  # what came of them all the same does not count
            row = row.copy()
            sums, products = read_row(row, len(gone))
            for name in sums.dtype.names or ():
                sums[name][gone] = 0
            products[gone] = products[:, gone] = 0
        self.row += row
        self.done += 1

    def drop(self, plan: RolloutPlan) -> None:
        """Leave out from now on the candidates that the plan's `jsd` says are worse than the best.
        They keep the trials they have."""
        if plan.jsd is None or self.done < MIN_CHUNKS or self.question.lines:
            return
        total, products = self._read()
        value, _ = self._values(total)
        best = next(i for i in self._order(value) if not self.dropped[i])
        mean, error = self._differences(value, total, products, best)
        self.dropped |= (mean < 0) & (-mean >= plan.jsd * error) & (np.arange(len(mean)) != best)

    def satisfied(self, plan: RolloutPlan) -> str:
        """The stopping rule of the plan that is met, "" if none is."""
        if self.done < MIN_CHUNKS or (plan.se is None and plan.jsd is None):
            return ""
        total, products = self._read()
        value, error = self._values(total)
        if plan.se is not None and (error[~self.dropped] <= plan.se).all():
            return "se"
        if plan.jsd is None or len(total) == 1:
            return ""
        apart = [self.dropped.sum() == len(total) - 1]
        if self.question.lines:
            mean, paired = self._differences(value, total, products, self._order(value)[0])
            apart = self._decided(value, error, mean, paired, plan.jsd)
        return "jsd" if all(apart) else ""

    def _decided(
        self, value: Floats, error: Floats, mean: Floats, paired: Floats, jsd: float
    ) -> list[bool]:
        """Are taking and doubling settled, the standard errors being so far behind?"""
        stay, taken = 0, 1
        passed = self._scale(self._stakes().value(self.question.position.cube))
        take = abs(value[taken] - passed) >= jsd * error[taken]
        if value[taken] < passed:
            gap, of_gap = abs(mean).max(), paired.max()
        else:
            gap, of_gap = abs(value[stay] - passed), error[stay]
        return [take, gap >= jsd * of_gap]

    def result(
        self, plan: RolloutPlan, reason: str, seconds: float, info: EngineInfo
    ) -> RolloutResult:
        """What is known after at least one chunk."""
        question = self.question
        position, plays, lines = question.position, question.plays, question.lines
        total, products = self._read()
        n = total["trials"]
        names = outcomes_of(position.game)
        classes = len(names)
        p, p_sq = total["outcome"][:, :classes], total["outcome_sq"][:, :classes]
        mean, error = p / n[:, np.newaxis], _error(p, p_sq, n[:, np.newaxis])
        cubeless = total["equity"] / n
        cubeless_error = _error(total["equity"], total["equity_sq"], n)
        if plays is not None:
            mean, error, cubeless = flip(mean), flip(error), -cubeless
        equity, equity_error = self._values(total)
        order = self._order(equity)
        difference, difference_error = self._differences(
            equity, total, products, order[0])
        chance = self._best_chances(equity, equity_error, products)
        mwc, mwc_error = [None] * len(total), [None] * len(total)
        if question.match_equity:
            won = total["value"] / n
            mwc = (won if plays is None else 1 - won).tolist()
            mwc_error = self._value_error(total).tolist()
        entries = tuple(RolloutEntry(
            plays[i] if plays else None, position, int(n[i]), float(equity[i]),
            float(equity_error[i]), Numbers(names, mean[i]), Numbers(names, error[i]),
            float(difference[i]) + 0.0, float(difference_error[i]),
            float(cubeless[i]), float(cubeless_error[i]), mwc[i],
            mwc_error[i], lines[i] if lines else None, chance[i])
            for i in (range(len(total)) if lines else order))
        return RolloutResult(
            position, plays[0].dice if plays else None, entries, plan,
            self.trials, reason in ("trials", "se", "jsd"), reason, self.signature,
            float(total["plies"].sum() / n.sum()), int(total["cut"].sum()),
            seconds, info)

    @property
    def signature(self) -> str:
        """Hash of the question and of the bits of all sums."""
        h = hashlib.blake2b(f"{self.question.text} {self.done} ".encode(), digest_size=8)
        h.update(self.row.astype("<f8").tobytes())
        return h.hexdigest()

    def _read(self) -> tuple[npt.NDArray[np.void], Floats]:
        return read_row(self.row, len(self.question.boards))

    # Values of raw sums are those of the side on roll of the boards, equities those of the side on
    # roll of the position asked about: scale x value + constant.

    def _stakes(self) -> Stakes:
        return stakes_of(self.question.position, self.question.settings.met)

    def _scale(self, value: Any) -> Any:
        """Equity of a value of the side on roll of the position."""
        if not self.question.stakes:
            return value
        cube = self.question.position.cube
        if not self.question.match_equity:
            return value / cube
        none, all_ = (self._stakes().equity(cube, chance) for chance in (0.0, 1.0))
        return none + (all_ - none) * value

    def _slope(self) -> float:
        return float(self._scale(1.0) - self._scale(0.0))

    def _values(self, total: npt.NDArray[np.void]) -> tuple[Floats, Floats]:
        """Mean equities, and their standard errors."""
        value = total["value"] / total["trials"]
        if self.question.plays is not None:
            value = 1 - value if self.question.match_equity else -value
        return self._scale(value), self._value_error(total) * self._slope()

    def _value_error(self, total: npt.NDArray[np.void]) -> Floats:
        return self._balanced_error(total["trials"], total["value"], total["value_sq"],
                                    total["first"], total["second"])

    def _order(self, equity: Floats) -> list[int]:
        """Indices of candidates, best for the mover first. Those that have been dropped come behind
        the others: their mean is that of fewer dice, which may have been kind to all."""
        order: list[int] = np.lexsort((-equity, self.dropped)).tolist()
        return order

    def _differences(
        self, equity: Floats, total: npt.NDArray[np.void], products: Floats, best: int
    ) -> tuple[Floats, Floats]:
        """Equities less that of the best, and the standard errors of that: paired by trial, but
        not with a candidate that has been dropped and so has fewer trials."""
        own = np.diag(products)
        squares = own + own[best] - 2 * products[best]
        value, first, second = (total[name] - total[name][best]
                                for name in ("value", "first", "second"))
        paired = self._balanced_error(total["trials"], value, squares, first, second)
        alone = self._value_error(total)
        error = np.where(total["trials"] == total["trials"][best], paired,
                         np.hypot(alone, alone[best]))
        return equity - equity[best], error * self._slope()

    def _best_chances(self, equity: Floats, error: Floats, products: Floats) -> list[float]:
        """Of each subject to be the best of all, were there endless trials: the share of many draws
        from the normal distribution that the trials leave for the means."""
        if len(equity) == 1:
            return [1.0]
        n = self.trials
        mean = self._read()[0]["value"] / n
        spread = np.maximum(products / n - np.outer(mean, mean), 0.0) * ~self.dropped
        scale = np.sqrt(np.maximum(np.diag(spread), 1e-300))
        # At most 1: where exact tables leave no spread, what rounding leaves may be any number.
        related = np.where(self.dropped | self.dropped[:, np.newaxis], 0.0,
                           np.minimum(spread / np.outer(scale, scale), 1.0))
        np.fill_diagonal(related, 1.0)
        values, vectors = np.linalg.eigh(related)
        draws = np.random.default_rng(1).standard_normal((DRAWS, len(equity)))
        draws = draws @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
        leader = (equity + draws * error).argmax(axis=1)
        share: list[float] = (np.bincount(leader, minlength=len(equity)) / DRAWS).tolist()
        return share

    def _balanced_error(
        self, n: Floats, total: Floats, squares: Floats, first: Floats, second: Floats
    ) -> Floats:
        """Standard errors of means of numbers of trials, from their sums in all, by first and by
        second roll (n, 36). Both rolls occur equally often in each chunk, so what they explain is
        no part of the error: what least squares leave counts. Not so where doubles are left out of
        the first roll, and in very few chunks: errors then come out large, the more so the more
        the rolls explain."""
        simple = _error(total, squares, n)
        if self.question.settings.opening:
            return simple
        part, fitted = explained(self.question.settings.seed, n / CHUNK, first, second)
        left = np.sqrt(np.maximum(squares - part, 0.0) / np.maximum(n - fitted, 1) / n)
        left = np.where(n < MANY_PAIRS * CHUNK, np.maximum(left, simple / 2), left)
        return np.where(n < MIN_BALANCED * CHUNK, simple, left)


def _error(total: npt.NDArray[Any], squares: npt.NDArray[Any], n: Floats) -> Floats:
    """Standard errors of means from sums and sums of squares of n numbers."""
    spread = np.maximum(squares - total * total / n, 0.0)
    error: Floats = np.sqrt(spread / (n * np.maximum(n - 1, 1)))
    return error
