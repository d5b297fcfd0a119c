"""Raw sums of a rollout: how a chunk of trials gives them, and what their totals say."""
from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nardy_core._border._engine import Stop
from nardy_core._border._rollout import CHUNK, read_row, run
from nardy_core.analysis import EngineInfo, Numbers
from nardy_core.evaluator import flip, outcomes_of
from nardy_core.rollout_question import RolloutQuestion
from nardy_core.rollout_result import RolloutEntry, RolloutPlan, RolloutResult

if TYPE_CHECKING:
    from nardy_core.engine import Model

MIN_CHUNKS = 4  # before a stopping rule is believed

Floats = npt.NDArray[np.float64]


def run_chunks(
    question: RolloutQuestion, model: Model, first: int, count: int, *, threads: int = 1,
    stop: Stop | None = None,
) -> Floats:
    """Raw sums (m, question.length) of chunks first, first + 1, …: m = count of them, fewer only
    when `stop` was raised.

    Row c is a pure function of (question, first + c): the same bits on any machine, in any number
    of threads, however the chunks are cut into calls. `model` must be made of the question's nets.
    """
    settings = question.settings
    rows, done = run(
        model.search, model.luck if settings.variance_reduction else None, question.boards, first,
        count, seed=settings.seed, truncate=settings.truncate, opening=settings.opening,
        threads=threads, stop=stop)
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
        if (self._read()[0]["trials"] != self.trials).any():
            raise ValueError("sums of another number of trials")

    @property
    def trials(self) -> int:
        return self.done * CHUNK

    def add(self, row: Floats) -> None:
        """The raw sums of one chunk more, that of number `done`."""
        self.row += row
        self.done += 1

    def satisfied(self, plan: RolloutPlan) -> str:
        """The stopping rule of the plan that is met, "" if none is."""
        if self.done < MIN_CHUNKS or (plan.se is None and plan.jsd is None):
            return ""
        total, products = self._read()
        if plan.se is not None:
            error = _error(total["equity"], total["equity_sq"], self.trials)
            if (error <= plan.se).all():
                return "se"
        if plan.jsd is not None and len(total) > 1:
            best, *others = self._order(total)
            mean, error = self._differences(total, products, best)
            if all(abs(mean[i]) >= plan.jsd * error[i] for i in others):
                return "jsd"
        return ""

    def result(
        self, plan: RolloutPlan, reason: str, seconds: float, info: EngineInfo
    ) -> RolloutResult:
        """What is known after at least one chunk."""
        question, n = self.question, self.trials
        position, plays = question.position, question.plays
        total, products = self._read()
        names = outcomes_of(position.game)
        classes = len(names)
        p, p_sq = total["outcome"][:, :classes], total["outcome_sq"][:, :classes]
        mean, error = p / n, _error(p, p_sq, n)
        equity, equity_error = total["equity"] / n, _error(total["equity"], total["equity_sq"], n)
        order = self._order(total)
        difference, difference_error = self._differences(total, products, order[0])
        if plays is not None:
            mean, error = flip(mean), flip(error)
            equity, difference = -equity, -difference
        entries = tuple(RolloutEntry(
            plays[i] if plays else None, position, n, float(equity[i]),
            float(equity_error[i]), Numbers(names, mean[i]), Numbers(names, error[i]),
            float(difference[i]) + 0.0, float(difference_error[i])) for i in order)
        return RolloutResult(
            position, plays[0].dice if plays else None, entries, plan, n,
            reason in ("trials", "se", "jsd"), reason, self.signature,
            float(total["plies"].sum() / (n * len(total))), int(total["truncated"].sum()),
            seconds, info)

    @property
    def signature(self) -> str:
        """Hash of the question and of the bits of all sums."""
        h = hashlib.blake2b(f"{self.question.text} {self.done} ".encode(), digest_size=8)
        h.update(self.row.astype("<f8").tobytes())
        return h.hexdigest()

    def _read(self) -> tuple[npt.NDArray[np.void], Floats]:
        return read_row(self.row, len(self.question.boards))

    def _order(self, total: npt.NDArray[np.void]) -> list[int]:
        """Indices of candidates, best for the mover first."""
        equity = total["equity"] * (1 if self.question.plays is None else -1)
        order: list[int] = np.argsort(-equity, kind="stable").tolist()
        return order

    def _differences(
        self, total: npt.NDArray[np.void], products: Floats, best: int
    ) -> tuple[Floats, Floats]:
        """Mean of (equity - the best's) for each, and its standard error, paired by trial."""
        own = np.diag(products)
        squares = own + own[best] - 2 * products[best]
        mean = (total["equity"] - total["equity"][best]) / self.trials
        return mean, _error(mean * self.trials, squares, self.trials)


def _error(total: npt.NDArray[Any], squares: npt.NDArray[Any], n: int) -> Floats:
    """Standard errors of means from sums and sums of squares of n numbers."""
    spread = np.maximum(squares - total * total / n, 0.0)
    error: Floats = np.sqrt(spread / (n * max(n - 1, 1)))
    return error
