"""A cube decision: its lines, the verdict in words, where it would change."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from nardy_core.analysis import limits
from nardy_core.cube_inputs import needs_of
from nardy_core.cube_words import labelled, points, verdict, wrong
from nardy_core.levels import Level
from nardy_core.match_long import name_in
from nardy_core.position import Position
from nardy_core.terms import capital, term

if TYPE_CHECKING:
    from nardy_core.analysis import EngineInfo

_TIE = 1e-9  # equities closer than this are equal but for rounding
_WIDTH = 20  # of the labels in English; longer ones make room for themselves


@dataclasses.dataclass(frozen=True, slots=True)
class CubeLine:
    """One course of cube action, as the side on roll values it.

    equity : points a unit of the present cube; in a match equivalent to money
    mwc : chance to win the match, None for money
    dead, live : equity in the two limits of the cube model; None where the equity is exact
    """

    equity: float
    mwc: float | None
    dead: float | None
    live: float | None


@dataclasses.dataclass(frozen=True, slots=True)
class CubeDecision:
    """What to do with the cube before the roll. Equities are those of the side on roll, in units of
    the PRESENT cube ("equivalent to money" in a match); chances are its chances to win.

    position : as asked, without dice
    probabilities : exclusive outcome classes by name
    cubeless, cubeless_doubled : equity with the cube out of play, at its value and after a double;
        by Jacoby's rule every game counts single while the cube is in the centre, so `cubeless`
        is then less or more than the cubeless equity of an evaluation or a rollout, where gammons
        count
    lines : by name no_double, double_take, double_pass, and with beavers: beaver (opp beavers, own
        accepts), beaver_pass (own drops), raccoon (own turns it again, opp accepts), raccoon_pass.
        Lines that the rules exclude are not there.
    efficiency : cube efficiency x of the model, None if `exact`
    exact : equities are those of best play and cube action to the end, from bear-off tables
    action : "ND" no double, "D" double, "OD" either, "TG" too good, "-" the cube cannot be turned;
        then the answer to a double: "T" take, "P" pass, "T=P" either, "beaver"; as in "D/T"
    reason : why the cube stays where no equity decides: "no_cube" (the rules have none),
        "unavailable" (the opponent's), "in_crawford", "at_limit", "dead"; else ""
    verdict : action and reason in words
    windows, dead_windows, live_windows : chances to win at which the decision would change, games
        won and lost keeping their mix, at the efficiency x, with a dead and with a live cube:
        take (below it own would pass, doubled now), beaver (below it opp beavers), raccoon,
        initial (from here own doubles from the centre), redouble, cash (from here opp passes),
        too_good_centre, too_good_own (above it own plays on). None where there is no such point.
        They are the cube model's, also where the decision is `exact` and may contradict them; the
        text leaves them out then, and take_point, double_point and the like are None
    wrong_share : if not doubling is right: the part of positions in which opp must answer
        `wrong_answer` for a double to be right after all; None if no error is enough, or none
        needed, as doubling costs nothing
    notes : what is special about this cube at the score: "dead", "automatic_double" (a game lost
        is the match lost), "automatic_redouble" (after a take the match is at stake), "free_drop"
    met : name of the match equity table, None for money
    level, engine : level and nets that the probabilities come from, where an engine gave them
    trials, standard_error : of a roller: games of each line, and the standard error of the best
    """

    position: Position
    probabilities: Mapping[str, float]
    cubeless: float
    cubeless_doubled: float | None
    lines: Mapping[str, CubeLine]
    efficiency: float | None
    exact: bool
    action: str
    reason: str
    verdict: str
    windows: Mapping[str, float | None]
    dead_windows: Mapping[str, float | None]
    live_windows: Mapping[str, float | None]
    wrong_share: float | None
    wrong_answer: str | None
    notes: tuple[str, ...]
    met: str | None
    level: Level | None = None
    engine: EngineInfo | None = None
    trials: int = 0
    standard_error: float | None = None

    def _equity(self, name: str) -> float | None:
        line = self.lines.get(name)
        return None if line is None else line.equity

    @property
    def no_double(self) -> float:
        """Equity of rolling now."""
        return self.lines["no_double"].equity

    @property
    def double_take(self) -> float | None:
        """Equity after double and take, None if own cannot double."""
        return self._equity("double_take")

    @property
    def double_pass(self) -> float | None:
        """Equity after double and pass: 1 (less under a stake cap), or None."""
        return self._equity("double_pass")

    @property
    def beaver(self) -> float | None:
        """Equity after double, beaver and own's best answer; None if there are no beavers."""
        value = beavered(self.lines)
        return None if value == math.inf else value

    @property
    def double(self) -> float | None:
        """Equity of doubling when opp answers best."""
        answers = (self.double_take, self.double_pass, self.beaver)
        known = [value for value in answers if value is not None]
        return min(known) if known else None

    @property
    def best(self) -> float:
        """Equity after the best cube action by both sides."""
        double = self.double
        return self.no_double if double is None else max(self.no_double, double)

    @property
    def best_mwc(self) -> float | None:
        """Chance to win the match after the best cube action by both sides; None for money."""
        if self.mwc is None:
            return None
        double = self.double
        if double is None or double <= self.no_double:
            return self.mwc["no_double"]
        return min(self.mwc["double_take"], self.mwc["double_pass"])

    @property
    def mwc(self) -> Mapping[str, float] | None:
        """Chance to win the match by line; None for money."""
        found = {name: line.mwc for name, line in self.lines.items() if line.mwc is not None}
        return MappingProxyType(found) if found else None

    @property
    def take_point(self) -> float | None:
        """Chance to win with which OPP may take own's double; None where `exact`, as with all
        these points."""
        cash = self._point("cash")
        return None if cash is None else 1 - cash

    @property
    def double_point(self) -> float | None:
        """Chance to win from which own doubles (redoubles, if own has the cube)."""
        return self._point("redouble" if self.position.cube_owner == "own" else "initial")

    @property
    def cash_point(self) -> float | None:
        """Chance to win from which opp passes."""
        return self._point("cash")

    @property
    def too_good_point(self) -> float | None:
        """Chance to win above which own plays on for more than the cube's value."""
        owner = "own" if self.position.cube_owner == "own" else "centre"
        return self._point(f"too_good_{owner}")

    def _point(self, name: str) -> float | None:
        """Of the windows; where the decision is exact the model's points are not its own."""
        return None if self.exact else self.windows[name]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words, as the command line prints them in JSON."""
        windows = {"cubeful": dict(self.windows), "dead": dict(self.dead_windows),
                   "live": dict(self.live_windows)}
        out: dict[str, Any] = {
            "no_double": self.no_double,
            "double_take": self.double_take,
            "double_pass": self.double_pass,
            "beaver": self.beaver,
            "verdict": self.verdict,
            "action": self.action,
            "cubeless": self.cubeless,
            "cubeless_doubled": self.cubeless_doubled,
            "take_point": self.take_point,
            "double_point": self.double_point,
            "redouble_point": self._point("redouble"),
            "cash_point": self.cash_point,
            "too_good_point": self.too_good_point,
            "own_take_point": self._point("take"),
            "wrong_share": self.wrong_share,
            "wrong_answer": self.wrong_answer,
            "notes": list(self.notes),
            "mwc": None if self.mwc is None else dict(self.mwc),
            "lines": {name: dataclasses.asdict(line) for name, line in self.lines.items()},
            "windows": {} if self.exact else windows,
            "probabilities": dict(self.probabilities),
            "cube": self.position.cube,
            "cube_owner": self.position.cube_owner,
            "efficiency": self.efficiency,
            "exact": self.exact,
            "met": self.met,
            "level": self.level,
        }
        if self.exact:
            out["model_windows"] = windows
        if self.standard_error is not None:
            out.update(trials=self.trials, standard_error=self.standard_error)
        if self.engine is not None:
            out["engine"] = self.engine.to_dict()
        return out

    def words(self, lang: str = "en") -> str:
        """The verdict in a language of `nardy_core.terms`."""
        return verdict(self.action, self.reason, self.position.cube_owner == "own", lang)

    def text(self, lang: str = "en") -> str:
        """All lines, the verdict, what is special, and, unless it is exact, the chances to win at
        which the decision would change, in a language of `nardy_core.terms`."""
        redouble = self.position.cube_owner == "own"
        said = [self.words(lang)]
        if self.wrong_share is not None and self.wrong_answer is not None:
            said.append(wrong(self.wrong_share, self.wrong_answer, lang))
        said += [term("dead_note" if note == "dead" else note, lang) for note in self.notes]
        tables = self.engine.tables if self.engine else ()
        said += limits([self.position], tables, lang)
        if not self.exact:
            said += points(self.position.cube_owner, self._win, self.windows, self.dead_windows,
                           self.live_windows, lang)
        rows = labelled(self._rows(redouble, lang), _WIDTH)
        return "\n".join([self._head(lang), *(f"  {line}" for line in [*rows, *said])])

    def _head(self, lang: str) -> str:
        """Cube, model, score and table."""
        position = self.position
        head = term("cube_head", lang, value=position.cube, owner=term(position.cube_owner, lang))
        how = (term("exact", lang) if self.exact
               else term("cube_efficiency", lang, x=f"{self.efficiency:.3f}"))
        head = f"{capital(head)}; {how}"
        if self.met is not None:
            own, opp = needs_of(position)
            head += f"; {term('away', lang, own=own, opp=opp)}, {name_in(self.met, lang)}"
        return head

    def _rows(self, redouble: bool, lang: str) -> list[tuple[str, str]]:
        """Label and equities of each line. Those after a beaver are there where opp would."""
        rows = [(term("cubeless", lang), f"{self.cubeless:+9.4f}")]
        if self.cubeless_doubled is not None:
            rows.append((term("cubeless_doubled", lang), f"{self.cubeless_doubled:+9.4f}"))
        beavers = (self.action.endswith("beaver")
                   or self.position.offer in ("beavered", "raccooned"))
        for name, line in self.lines.items():
            if not beavers and name.startswith(("beaver", "raccoon")):
                continue
            key = "double_beaver" if name == "beaver" else name
            if redouble:
                key = key.replace("double", "redouble")
            row = f"{line.equity:+9.4f}  ({line.equity - self.best:+.4f})"
            if line.mwc is not None:
                row += f"  {100 * line.mwc:7.3f} %"
            rows.append((term(key, lang), row))
        return rows

    @property
    def _win(self) -> float:
        """Own's chance to win the game."""
        return sum(chance for name, chance in self.probabilities.items() if name.startswith("win"))

    def __str__(self) -> str:
        return self.text()


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """What the lines of a decision come to; see `CubeDecision` for action, reason and the rest."""

    action: str
    reason: str = ""
    wrong_share: float | None = None
    wrong_answer: str | None = None

    @classmethod
    def of(
        cls, position: Position, lines: Mapping[str, CubeLine], dead: bool
    ) -> Verdict:
        if "double_take" not in lines:
            if position.max_cube == 1:
                return cls("-", "no_cube")
            if position.cube_owner == "opp":
                return cls("-", "unavailable")
            return cls("-", "in_crawford" if position.crawford else "at_limit")
        stay, take, drop = (
            lines[name].equity for name in ("no_double", "double_take", "double_pass")
        )
        beaver = beavered(lines)
        best = min(take, drop, beaver)
        if beaver < min(take, drop) - _TIE:
            answer = "beaver"
        elif abs(take - drop) <= _TIE:
            answer = "T=P"
        else:
            answer = "T" if take < drop else "P"

        gain = best - stay
        if gain > _TIE:
            return cls(f"D/{answer}")
        if gain >= -_TIE and not dead:
            return cls(f"OD/{answer}")
        share, error = _wrong(stay, take, drop, best) if gain < -_TIE else (None, None)
        if stay > drop + _TIE:
            return cls(f"TG/{answer}", "", share, error)
        return cls(f"ND/{answer}", "dead" if dead else "", share, error)


def beavered(lines: Mapping[str, CubeLine]) -> float:
    """Equity after a beaver and own's best answer; infinite where there are none."""
    if "beaver" not in lines:
        return math.inf
    value = max(lines["beaver"].equity, lines["beaver_pass"].equity)
    if "raccoon" in lines:
        value = max(value, min(lines["raccoon"].equity, lines["raccoon_pass"].equity))
    return value


def _wrong(
    stay: float, take: float, drop: float, best: float
) -> tuple[float | None, str | None]:
    """Part of wrong answers that makes doubling as good as not, and which answer is the wrong
    one."""
    mistaken, word = (take, "take") if best == drop else (drop, "pass")
    if mistaken <= stay or mistaken <= best:
        return None, None
    return (stay - best) / (mistaken - best), word
