"""What a rollout was asked and what it found."""
from __future__ import annotations

import dataclasses
import math
from typing import Any

from nardy_core._border._rollout import CHUNK
from nardy_core.analysis import DIGITS, EngineInfo, Numbers, align, headings, nested_of
from nardy_core.play import Play
from nardy_core.position import Position
from nardy_core.terms import term

STOPS = ("trials", "se", "jsd", "max_time")  # fields of a plan that say when to stop
CONFIDENCE = 1.959964  # standard errors on either side of a 95 % interval


@dataclasses.dataclass(frozen=True)
class RolloutPlan:
    """The settings of a rollout; see `Engine.rollout`."""

    trials: int = 1296
    seed: int = 1
    se: float | None = None
    jsd: float | None = None
    max_time: float | None = None
    truncate: int = 0
    variance_reduction: bool = True
    opening: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.trials <= 10**12:
            raise ValueError(f"trials: {self.trials} is not 1..10^12")
        if not 0 <= self.seed < 2**64:
            raise ValueError(f"seed: {self.seed} is not a number of 64 bits")
        if not 0 <= self.truncate <= 1000:
            raise ValueError(f"truncate: {self.truncate} is not 0..1000")
        for name in ("se", "jsd", "max_time"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"{name}: {value} is not above 0")

    @property
    def chunks(self) -> int:
        return -(-self.trials // CHUNK)

    def settings(self) -> dict[str, Any]:
        """By name, what raw sums depend on: all but when to stop."""
        return {name: value for name, value in dataclasses.asdict(self).items()
                if name not in STOPS}

    def without_stops(self) -> RolloutPlan:
        """The same settings with the default rules for when to stop."""
        return RolloutPlan(**self.settings())


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class RolloutEntry:
    """What the trials say of one candidate, or of the position itself.

    Everything is seen by the side on roll of the position rolled out, who makes the play. With
    variance reduction a probability that is close to 0 may come out a little below it.

    play : the candidate, None for the position itself
    equity : mean cubeless equity in points; standard_error : its standard error
    probabilities, probability_errors : by exclusive outcome class, and their standard errors
    difference : to the best candidate; difference_error : standard error of that, paired by trial
    """

    play: Play | None
    position: Position
    trials: int
    equity: float
    standard_error: float
    probabilities: Numbers
    probability_errors: Numbers
    difference: float
    difference_error: float

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the equity."""
        reach = CONFIDENCE * self.standard_error
        return self.equity - reach, self.equity + reach

    @property
    def result(self) -> Position | None:
        """The position after the play, the other side on roll; None without a play."""
        return self.play.result if self.play else None

    @property
    def nested(self) -> Numbers | None:
        """As `Evaluation.nested`."""
        return nested_of(self.position.game, self.probabilities)

    def to_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {}
        if self.play:
            out |= {"play": self.play.notation, "result": self.play.result.id()}
        low, high = self.interval
        out |= {"equity": _round(self.equity), "standard_error": _round(self.standard_error),
                "interval": [_round(low), _round(high)],
                "probabilities": self.probabilities.to_dict(),
                "probability_errors": self.probability_errors.to_dict()}
        if self.play:
            out |= {"difference": _round(self.difference),
                    "difference_error": _round(self.difference_error)}
        if nested := self.nested:
            out["nested"] = nested.to_dict()
        return out | {"trials": self.trials}

    def __repr__(self) -> str:
        return (f"<RolloutEntry {self.play or 'position'} {self.equity:+.4f} "
                f"± {self.standard_error:.4f} ({self.trials} trials)>")


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class RolloutResult:
    """A rollout, finished or so far: `entries` best first (one without a play for a position).

    complete : it came to the end of its plan or its stopping rule; else it was cut short
    reason : "trials", "se" or "jsd" when complete; "max_time", "stopped" or "running" else
    signature : hash of the settings and of the bits of all sums: equal signatures mean equal
        results down to the last bit
    seconds : wall-clock time, the only field that is not a function of the plan
    """

    position: Position
    dice: tuple[int, int] | None
    entries: tuple[RolloutEntry, ...]
    plan: RolloutPlan
    trials: int
    complete: bool
    reason: str
    signature: str
    plies: float  # mean length of a trial
    cut: int  # trials ended by the safety limit on their length
    seconds: float
    engine: EngineInfo
    level: int = 0  # at which plays are chosen

    @property
    def best(self) -> RolloutEntry:
        return self.entries[0]

    @property
    def seed(self) -> int:
        return self.plan.seed

    @property
    def equity(self) -> float:
        return self.best.equity

    @property
    def standard_error(self) -> float:
        return self.best.standard_error

    @property
    def interval(self) -> tuple[float, float]:
        return self.best.interval

    @property
    def probabilities(self) -> Numbers:
        return self.best.probabilities

    def to_dict(self) -> dict[str, Any]:
        best = self.best.to_dict()
        out: dict[str, Any] = {"position": self.position.id()}
        if self.dice:
            out["dice"] = list(self.dice)
        out |= {"level": self.level, "complete": self.complete, "reason": self.reason}
        out |= {k: v for k, v in best.items() if k not in ("difference", "difference_error")}
        out |= {"seed": self.seed, "signature": self.signature,
                "truncate": self.plan.truncate,
                "variance_reduction": self.plan.variance_reduction,
                "opening": self.plan.opening, "plies": round(self.plies, 2)}
        if self.dice:
            out["candidates"] = [entry.to_dict() for entry in self.entries]
        return out | {"engine": self.engine.to_dict()}

    def rows(self, lang: str = "en") -> list[list[str]]:
        """The table as text: a heading, then one row a candidate."""
        game = self.position.game
        rows = [["", term("play", lang), term("equity", lang), "", "", *headings(game, lang)]]
        for number, e in enumerate(self.entries, 1):
            name = (e.play.notation or term("pass_turn", lang)) if e.play else "-"
            behind = f"({e.difference:+.4f} ± {e.difference_error:.4f})" if number > 1 else ""
            shown = (e.nested or e.probabilities).values()
            rows.append([f"{number}.", name, f"{e.equity:+.4f} ± {e.standard_error:.4f}", behind,
                         "", *(f"{100 * p:.2f}" for p in shown)])
        return rows

    def text(self, lang: str = "en") -> str:
        """The table, and a line that says how it was made."""
        kind = "" if self.plan.variance_reduction else ", plain"
        kind += f", truncated at {self.plan.truncate}" if self.plan.truncate else ""
        kind += "" if self.complete else f", {self.reason}"
        closing = (f"{term('rollout', lang)}: {self.trials} trials, seed {self.seed}, "
                   f"{self.level}-ply{kind}, signature {self.signature}")
        return "\n".join([*align(self.rows(lang), left=(1,)), closing])

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from html import escape

        from nardy_core.render import board_svg

        shown = self.position.with_(dice=self.dice, offer="none")
        return f"{board_svg(shown, size=480)}<pre>{escape(str(self))}</pre>"

    def __repr__(self) -> str:
        return f"<RolloutResult ended by {self.reason}: {self.best!r}>"


def _round(value: float) -> float:
    return round(value, DIGITS)
