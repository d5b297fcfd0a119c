"""What a rollout was asked and what it found."""
from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from nardy_core._border._engine import MAX_PLIES
from nardy_core._border._rollout import CHUNK
from nardy_core.analysis import (
    DIGITS,
    EngineInfo,
    Numbers,
    align,
    draw_of,
    headings,
    limits,
    nested_of,
)
from nardy_core.cube import from_lines
from nardy_core.cube_decision import CubeDecision
from nardy_core.cube_inputs import CubeEfficiency
from nardy_core.filters import filter_of
from nardy_core.levels import ROLLERS
from nardy_core.match import MatchEquity, shipped_or_own
from nardy_core.play import Play
from nardy_core.position import Position
from nardy_core.terms import term

MOST_TRIALS = 10**12
STOPS = ("trials", "se", "jsd", "max_time")  # fields of a plan that say when to stop
CONFIDENCE = 1.959964  # standard errors on either side of a 95 % interval
LINES = ("no_double", "double_take")  # of a cube decision, what is rolled out


@dataclasses.dataclass(frozen=True)
class RolloutPlan:
    """The settings of a rollout, immutable; the meaning of each is as for `Engine.rollout`. Raises
    ValueError for what is out of range, OSError for a table's file that cannot be read."""

    trials: int = 1296
    seed: int = 1
    se: float | None = None
    jsd: float | None = None
    max_time: float | None = None
    truncate: int = 0
    variance_reduction: bool = True
    opening: bool = False
    cubeful: bool = False
    met: MatchEquity | str | None = None
    efficiency: float | CubeEfficiency | None = None
    level: int = 0
    cube_level: int = 0
    late: int | None = None
    late_level: int = 0
    late_cube_level: int = 0
    plan: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.trials <= MOST_TRIALS:
            raise ValueError(f"trials: {self.trials} is not 1..10^12")
        if not 0 <= self.seed < 2**64:
            raise ValueError(f"seed: {self.seed} is not a number of 64 bits")
        if not 0 <= self.truncate <= 1000:
            raise ValueError(f"truncate: {self.truncate} is not 0..1000")
        for name in ("level", "cube_level", "late_level", "late_cube_level"):
            value = getattr(self, name)
            if value in ROLLERS:
                raise ValueError(f"{name}: {value} is itself a rollout: plays and cubes inside one "
                                 f"take 0..{MAX_PLIES} plies")
            if not 0 <= value <= MAX_PLIES:
                raise ValueError(f"{name}: {value} is not 0..{MAX_PLIES}")
        CubeEfficiency.made(self.efficiency)
        if self.efficiency == CubeEfficiency():
            object.__setattr__(self, "efficiency", None)
        object.__setattr__(self, "plan", filter_of(self.plan))
        if self.met is not None:
            object.__setattr__(self, "met", shipped_or_own(self.met))
        if self.late is not None and not 1 <= self.late <= 1000:
            raise ValueError(f"late: {self.late} is not 1..1000")
        for name in ("se", "jsd", "max_time"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"{name}: {value} is not above 0")

    @property
    def efficiencies(self) -> dict[str, float] | None:
        """The cube efficiencies played by, as the parameters of `CubeEfficiency`; None without a
        cube."""
        return CubeEfficiency.made(self.efficiency).parts() if self.cubeful else None

    @property
    def chunks(self) -> int:
        """Chunks of 36 trials that make up the trials."""
        return -(-self.trials // CHUNK)

    @property
    def fixed(self) -> bool:
        """No rule may stop it before all trials are done."""
        return self.se is None and self.jsd is None

    def settings(self) -> dict[str, Any]:
        """By name, what raw sums depend on: all but when to stop."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)
                if field.name not in STOPS}

    def plain(self) -> dict[str, Any]:
        """The same as plain JSON; a table that does not ship is there with all its numbers, the
        usual move filter is not mentioned."""
        found = self.settings()
        if self.plan is None:
            del found["plan"]
        if isinstance(self.met, MatchEquity):
            found["met"] = self.met.to_dict()
        if isinstance(self.efficiency, CubeEfficiency):
            found["efficiency"] = self.efficiency.parts()
        return found

    @classmethod
    def of_plain(cls, data: Mapping[str, Any]) -> RolloutPlan:
        """The plan whose `plain` gave the data, without rules for when to stop."""
        found = {"plan": data.get("plan"), **{name: data[name] for name in cls().plain()}}
        if isinstance(found["met"], Mapping):
            found["met"] = MatchEquity.from_dict(found["met"])
        if isinstance(found["efficiency"], Mapping):
            found["efficiency"] = CubeEfficiency(**found["efficiency"])
        return cls(**found)

    def without_stops(self) -> RolloutPlan:
        """The same settings with the default rules for when to stop."""
        return RolloutPlan(**self.settings())


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class RolloutEntry:
    """What the trials say of one candidate, of one line of a cube decision, or of the position.

    Everything is seen by the side on roll of the position rolled out, who makes the play or turns
    the cube. With the luck taken out a probability close to 0 may come out below it, by as much as
    its standard error: means are right, and single ones are as they came. `sound` puts them right.

    play : the candidate, or None
    line : "no_double" or "double_take" of a cube decision, or None
    equity, standard_error : mean equity, and its standard error; cubeful, in units of the present
        cube (equivalent to money in a match), where the cube is in play, else `cubeless`
    mwc, mwc_error : the same as a chance to win the match; None for money and without a cube
    cubeless, cubeless_error : cubeless equity in points, gammons counted by any rules (a
        `CubeDecision` counts games single under Jacoby's rule with the cube in the centre)
    probabilities, probability_errors : by exclusive outcome class, and their standard errors. A
        trial that ended by a pass counts by what the net said there
    difference, difference_error : to the best one, and its standard error, paired by trial
    position, trials : what was rolled out, and how often
    best_chance : that this one is the best of all, as far as the trials tell
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
    cubeless: float
    cubeless_error: float
    mwc: float | None = None
    mwc_error: float | None = None
    line: str | None = None
    best_chance: float = 1.0

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the equity."""
        reach = CONFIDENCE * self.standard_error
        return self.equity - reach, self.equity + reach

    @property
    def sound(self) -> Numbers:
        """`probabilities` that can be, for people to look at: those below 0 as 0, the others scaled
        so that they add up as before."""
        return sound(self.position, self.probabilities)

    @property
    def result(self) -> Position | None:
        """The position after the play, the other side on roll; None without a play."""
        return self.play.result if self.play else None

    @property
    def draw(self) -> float | None:
        """As `Evaluation.draw`."""
        return draw_of(self.position, self.probabilities)

    @property
    def nested(self) -> Numbers | None:
        """As `Evaluation.nested`."""
        return nested_of(self.position.game, self.probabilities)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words, as the command line prints them in JSON."""
        out: dict[str, Any] = {}
        if self.play:
            out |= {"play": self.play.notation, "result": self.play.result.id()}
        if self.line:
            out["line"] = self.line
        low, high = self.interval
        out |= {"equity": _round(self.equity), "standard_error": _round(self.standard_error),
                "interval": [_round(low), _round(high)],
                "probabilities": self.probabilities.to_dict(),
                "probability_errors": self.probability_errors.to_dict()}
        if self.mwc is not None and self.mwc_error is not None:
            out |= {"mwc": _round(self.mwc), "mwc_error": _round(self.mwc_error)}
        out |= {"cubeless": _round(self.cubeless), "cubeless_error": _round(self.cubeless_error)}
        if self.play or self.line:
            out |= {"difference": _round(self.difference),
                    "difference_error": _round(self.difference_error),
                    "best_chance": round(self.best_chance, 4)}
        if self.draw is not None:
            out["draw"] = _round(self.draw)
        if nested := self.nested:
            out["nested"] = nested.to_dict()
        return out | {"trials": self.trials}

    def __repr__(self) -> str:
        return (f"<RolloutEntry {self.play or self.line or 'position'} {self.equity:+.4f} "
                f"± {self.standard_error:.4f} ({self.trials} trials)>")


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class RolloutResult:
    """A rollout, finished or so far: `entries` best first; one for a position; "no_double" and
    "double_take" in this order for a cube decision.

    position, dice, plan : what was asked
    trials : games of each entry
    complete : it came to the end of its plan or its stopping rule; else it was cut short
    reason : "trials", "se" or "jsd" when complete; "max_time", "stopped" or "running" else
    signature : hash of the settings and of the bits of all sums: equal signatures mean equal
        results down to the last bit
    plies : mean length of a trial
    cut : trials ended by the safety limit on their length
    seconds : wall-clock time, the only field that is not a function of the plan
    engine : nets and tables that were used
    """

    position: Position
    dice: tuple[int, int] | None
    entries: tuple[RolloutEntry, ...]
    plan: RolloutPlan
    trials: int
    complete: bool
    reason: str
    signature: str
    plies: float
    cut: int
    seconds: float
    engine: EngineInfo

    @property
    def level(self) -> int:
        """At which plays are chosen."""
        return self.plan.level

    @property
    def decision(self) -> CubeDecision | None:
        """The cube decision that the lines rolled out make; None where none was asked for."""
        lines = {e.line: e for e in self.entries if e.line}
        if not lines:
            return None
        stay, taken = lines["no_double"], lines["double_take"]
        return from_lines(self.position, [*stay.sound.values()], stay.equity, taken.equity,
                          efficiency=self.plan.efficiency, met=self.plan.met)

    @property
    def best(self) -> RolloutEntry:
        """The first entry, whose figures the properties below give."""
        return self.entries[0]

    @property
    def seed(self) -> int:
        """Of the dice."""
        return self.plan.seed

    @property
    def equity(self) -> float:
        """Mean equity of the best entry."""
        return self.best.equity

    @property
    def standard_error(self) -> float:
        """Of that equity."""
        return self.best.standard_error

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of that equity."""
        return self.best.interval

    @property
    def probabilities(self) -> Numbers:
        """Chances of the best entry by exclusive outcome class."""
        return self.best.probabilities

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words, as the command line prints them in JSON."""
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
        if self.plan.cubeful:
            out |= {"cubeful": True, "cube_level": self.plan.cube_level,
                    "efficiencies": self.plan.efficiencies}
        if self.plan.plan:
            out["filter"] = self.plan.plan
        if self.plan.late:
            out |= {name: getattr(self.plan, name)
                    for name in ("late", "late_level", "late_cube_level")}
        if self.dice:
            out["candidates"] = [entry.to_dict() for entry in self.entries]
        if decision := self.decision:
            out["lines"] = [entry.to_dict() for entry in self.entries]
            out |= {"action": decision.action, "verdict": decision.verdict}
        return out | {"engine": self.engine.to_dict()}

    def rows(self, lang: str = "en") -> list[list[str]]:
        """The table as text: a heading, then one row a candidate."""
        rows = [["", term("play", lang), term("equity", lang), "", "",
                 *headings(self.position, lang)]]
        for number, e in enumerate(self.entries, 1):
            name = (e.play.notation or term("pass_turn", lang)) if e.play else "-"
            if e.line:
                name = term(e.line, lang)
            behind = f"({e.difference:+.4f} ± {e.difference_error:.4f})" if e.difference < 0 else ""
            shown = [*(nested_of(e.position.game, e.sound) or e.sound).values()]
            if (draw := draw_of(e.position, e.sound)) is not None:
                shown.append(draw)
            rows.append([f"{number}.", name, f"{e.equity:+.4f} ± {e.standard_error:.4f}", behind,
                         "", *(f"{100 * p:.2f}" for p in shown)])
        return rows

    def text(self, lang: str = "en") -> str:
        """The table, and a line that says how it was made."""
        plan = self.plan
        facts = [term("trials", lang, count=self.trials), term("seed", lang, seed=self.seed),
                 f"{self.level}-ply"]
        if not plan.variance_reduction:
            facts.append(term("plain", lang))
        if plan.truncate:
            facts.append(term("truncated", lang, ply=plan.truncate))
        if plan.cubeful:
            facts.append(term("cubeful", lang, level=plan.cube_level))
        if plan.late:
            facts.append(term("from_ply", lang, level=plan.late_level, ply=plan.late))
        if not self.complete:
            facts.append(term(self.reason, lang))
        facts.append(term("signature", lang, value=self.signature))
        closing = f"{term('rollout', lang)}: {', '.join(facts)}"
        decided = [self.decision.words(lang)] if self.decision else []
        said = limits([self.position], lang=lang) if plan.truncate else []
        least = min(min(e.probabilities.values()) for e in self.entries)
        if round(100 * least, 2) < 0:  # else nobody sees it
            said.append(term("below_zero", lang, least=f"{100 * least:.2f}"))
        return "\n".join([*align(self.rows(lang), left=(1,)), *decided, closing, *said])

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from html import escape

        from nardy_core.render import board_svg

        shown = self.position.with_(dice=self.dice, offer="none")
        return f"{board_svg(shown, size=480)}<pre>{escape(str(self))}</pre>"

    def __repr__(self) -> str:
        return f"<RolloutResult ended by {self.reason}: {self.best!r}>"


def sound(position: Position, chances: Mapping[str, float]) -> Numbers:
    """Chances of a rollout that add up to 1, or with a draw to less: with the luck taken out some
    may have come out below 0. These are 0, and the others scaled."""
    raised = [max(value, 0.0) for value in chances.values()]
    whole = max(sum(raised), 1.0) if position.equalises else sum(raised)
    return Numbers(tuple(chances), [value / whole for value in raised])


def _round(value: float) -> float:
    return round(value, DIGITS)
