"""Cube decisions: cubeful equities, the verdict, and the chances at which it would change."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from nardy_core import rules
from nardy_core._border import _rules, _tables, _value
from nardy_core.bearoff import tables as bearoff_tables
from nardy_core.match import MAX_NEEDS, MatchEquity
from nardy_core.position import OWNERS, Position

if TYPE_CHECKING:
    from nardy_core.analysis import EngineInfo

NESTED = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")
_TIE = 1e-9  # equities closer than this are equal but for rounding

Probabilities = Mapping[str, float] | Sequence[float] | np.ndarray


@dataclasses.dataclass(frozen=True, slots=True)
class CubeEfficiency:
    """How much of the live cube's worth a cube has (0 dead, 1 fully live), by class of position.

    A race has race + race_pip x pips of the side on roll, within race_low .. race_high; a bear-off
    (everybody home) has `bearoff`, positions with contact `contact`. The default values are those
    GNU Backgammon 1.07 uses.
    """

    contact: float = _value.EFFICIENCY["contact"]
    bearoff: float = _value.EFFICIENCY["bearoff"]
    race: float = _value.EFFICIENCY["race"]
    race_pip: float = _value.EFFICIENCY["race_pip"]
    race_low: float = _value.EFFICIENCY["race_low"]
    race_high: float = _value.EFFICIENCY["race_high"]

    def of(self, position: Position) -> float:
        """The efficiency for one position."""
        phase = int(_rules.phases(position.game, position.board[np.newaxis])[0])
        return _value.efficiency(dataclasses.asdict(self), phase, position.pips[0])


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
    cubeless, cubeless_doubled : equity with the cube out of play, at its value and after a double
    lines : by name no_double, double_take, double_pass, and with beavers: beaver (opp beavers, own
        accepts), beaver_pass (own drops), raccoon (own turns it again, opp accepts), raccoon_pass.
        Lines that the rules exclude are not there.
    efficiency : cube efficiency x of the model, None if `exact`
    exact : equities are those of best play and cube action to the end, from bear-off tables
    action : "ND" no double, "D" double, "OD" either, "TG" too good, "-" the cube cannot be turned;
        then the answer to a double: "T" take, "P" pass, "T=P" either, "beaver"; as in "D/T"
    verdict : the same in words
    windows, dead_windows, live_windows : chances to win at which the decision would change, games
        won and lost keeping their mix, at the efficiency x, with a dead and with a live cube:
        take (below it own would pass, doubled now), beaver (below it opp beavers), raccoon,
        initial (from here own doubles from the centre), redouble, cash (from here opp passes),
        too_good_centre, too_good_own (above it own plays on). None where there is no such point.
    wrong_share : if not doubling is right: the part of positions in which opp must answer
        `wrong_answer` for a double to be right after all; None if no error is enough
    met : name of the match equity table, None for money
    level, engine : plies and nets that the probabilities come from, where an engine gave them
    """

    position: Position
    probabilities: Mapping[str, float]
    cubeless: float
    cubeless_doubled: float | None
    lines: Mapping[str, CubeLine]
    efficiency: float | None
    exact: bool
    action: str
    verdict: str
    windows: Mapping[str, float | None]
    dead_windows: Mapping[str, float | None]
    live_windows: Mapping[str, float | None]
    wrong_share: float | None
    wrong_answer: str | None
    met: str | None
    level: int | None = None
    engine: EngineInfo | None = None

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
        value = _beavered(self.lines)
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
        """Chance to win with which OPP may take own's double."""
        return None if self.windows["cash"] is None else 1 - self.windows["cash"]

    @property
    def double_point(self) -> float | None:
        """Chance to win from which own doubles (redoubles, if own has the cube)."""
        return self.windows["redouble" if self.position.cube_owner == "own" else "initial"]

    @property
    def cash_point(self) -> float | None:
        """Chance to win from which opp passes."""
        return self.windows["cash"]

    @property
    def too_good_point(self) -> float | None:
        """Chance to win above which own plays on for more than the cube's value."""
        owner = "own" if self.position.cube_owner == "own" else "centre"
        return self.windows[f"too_good_{owner}"]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words, as the command line prints them in JSON."""
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
            "redouble_point": self.windows["redouble"],
            "cash_point": self.cash_point,
            "too_good_point": self.too_good_point,
            "own_take_point": self.windows["take"],
            "wrong_share": self.wrong_share,
            "wrong_answer": self.wrong_answer,
            "mwc": None if self.mwc is None else dict(self.mwc),
            "lines": {name: dataclasses.asdict(line) for name, line in self.lines.items()},
            "windows": {
                "cubeful": dict(self.windows),
                "dead": dict(self.dead_windows),
                "live": dict(self.live_windows),
            },
            "probabilities": dict(self.probabilities),
            "cube": self.position.cube,
            "cube_owner": self.position.cube_owner,
            "efficiency": self.efficiency,
            "exact": self.exact,
            "met": self.met,
            "level": self.level,
        }
        if self.engine is not None:
            out["engine"] = self.engine.to_dict()
        return out

    def __str__(self) -> str:
        position = self.position
        how = "exact" if self.exact else f"cube efficiency {self.efficiency:.3f}"
        head = f"Cube {position.cube}, {_OWNER_WORDS[position.cube_owner]}; {how}"
        if self.met is not None:
            needs = needs_of(position)
            head += f"; {needs[0]} away v {needs[1]} away, {self.met}"
        rows = [head, f"  {'cubeless':<20}{self.cubeless:+9.4f}"]
        if self.cubeless_doubled is not None:
            rows.append(f"  {'cubeless, doubled':<20}{self.cubeless_doubled:+9.4f}")
        beavers = self.action.endswith("beaver") or position.offer in ("beavered", "raccooned")
        for name, line in self.lines.items():
            if not beavers and name.startswith(("beaver", "raccoon")):
                continue
            words = _LINE_WORDS[name]
            if position.cube_owner == "own":
                words = words.replace("double", "redouble")
            row = f"  {words:<20}{line.equity:+9.4f}  ({line.equity - self.best:+.4f})"
            if line.mwc is not None:
                row += f"  {100 * line.mwc:7.3f} %"
            rows.append(row)
        rows.append(f"  {self.verdict}")
        if self.wrong_share is not None:
            wrong = {"take": "takes", "pass": "passes"}[self.wrong_answer or "pass"]
            share = f"{100 * self.wrong_share:.1f} %"
            rows.append(f"  a double is right if the opponent {wrong} wrongly in {share}")
        return "\n".join(rows)


_OWNER_WORDS = {"centre": "in the centre", "own": "own", "opp": "the opponent's"}
_LINE_WORDS = {
    "no_double": "no double",
    "double_take": "double, take",
    "double_pass": "double, pass",
    "beaver": "double, beaver",
    "beaver_pass": "beaver, drop",
    "raccoon": "raccoon, take",
    "raccoon_pass": "raccoon, drop",
}
_LINE_VALUES = {  # name of a line: name of its value at the border
    "double_take": "take",
    "double_pass": "pass",
    "beaver": "beaver",
    "beaver_pass": "beaver_pass",
    "raccoon": "raccoon",
    "raccoon_pass": "raccoon_pass",
}


# ---- probabilities ------------------------------------------------------------------------------


def exclusive(game: str, probabilities: Probabilities) -> tuple[float, ...]:
    """Chances of the game's exclusive outcome classes, in the engine's order.

    Accepted: a mapping or a sequence of all classes; for backgammon also the customary five, each
    counting the better ones in (win, win_gammon, win_backgammon, lose_gammon, lose_backgammon).
    ValueError unless they are chances that add up to 1 within a thousandth.
    """
    names = _rules.outcome_names(game)
    nested = False
    if isinstance(probabilities, Mapping):
        given = set(probabilities)
        nested = game == "backgammon" and given == set(NESTED)
        wanted = NESTED if nested else names
        if given != set(wanted):
            raise ValueError(
                f"probabilities: expected {', '.join(wanted)}, got {', '.join(sorted(given))}"[:200]
            )
        values = [float(probabilities[name]) for name in wanted]
    else:
        values = [float(value) for value in probabilities]
        nested = game == "backgammon" and len(values) == len(NESTED)
        if not nested and len(values) != len(names):
            raise ValueError(f"probabilities: {len(values)} numbers instead of {len(names)}")
    if not all(math.isfinite(value) and -1e-6 <= value <= 1 + 1e-6 for value in values):
        raise ValueError("probabilities: not all between 0 and 1")
    if nested:
        win, gammon, back, lost_gammon, lost_back = values
        values = [
            win - gammon,
            gammon - back,
            back,
            1 - win - lost_gammon,
            lost_gammon - lost_back,
            lost_back,
        ]
        if min(values) < -1e-6:
            raise ValueError("probabilities: more gammons than games, or backgammons than gammons")
    total = sum(values)
    if abs(total - 1) > 1e-3:
        raise ValueError(f"probabilities: they add up to {total:.4f}")
    return tuple(max(value, 0.0) for value in values)


# ---- stakes -------------------------------------------------------------------------------------


def _met_of(position: Position, met: MatchEquity | str | None) -> MatchEquity:
    table = met if isinstance(met, MatchEquity) else MatchEquity.open(*([met] if met else []))
    # The rows of a skewed table are those of player 0, as in GNU Backgammon.
    return table if table.symmetric or position.turn == 0 else table.swap()


def needs_of(position: Position) -> tuple[int, int]:
    """Points that own and opp still need to win the match."""
    return (position.match_length - position.score_own, position.match_length - position.score_opp)


def stakes_of(position: Position, met: MatchEquity | str | None = None) -> _value.Stakes:
    """What the game is worth to the side on roll: money with its rules, or the match score."""
    options = position.rules
    points = rules.points(options)
    if not position.match_length:
        backgammon = position.game == "backgammon"
        return _value.Stakes(
            points,
            max_cube=position.max_cube,
            cap=options["stake_cap"] if backgammon else None,
            jacoby=position.jacoby,
            beavers=position.beavers,
            raccoons=position.beavers and backgammon and options["raccoons"],
        )
    needs = needs_of(position)
    if max(needs) > MAX_NEEDS:
        raise ValueError(f"score: {max(needs)} points needed, tables reach to {MAX_NEEDS}")
    crawford = "now" if position.crawford else "over" if 1 in needs else "before"
    return _met_of(position, met).stakes(
        *needs, crawford=crawford, points=points, max_cube=position.max_cube
    )


# ---- exact bear-offs ----------------------------------------------------------------------------


@functools.cache
def _exact() -> _value.Exact:
    return _value.Exact()


def _bearoff_indices(position: Position) -> tuple[int, int] | None:
    """Indices of both sides if the exact solvers know the position."""
    for side in (position.own, position.opp):
        if any(side[7:]) or not 1 <= sum(side[1:7]) <= 6 or not side[0]:
            return None
    if position.game == "long_nardy" and position.rules["bearoff_forced"]:
        return None
    own, opp = _tables.index_of_counts([position.own[1:7], position.opp[1:7]]).tolist()
    return own, opp


def is_exact(position: Position) -> bool:
    """`decide` knows the exact values of the position and needs no probabilities."""
    return _bearoff_indices(position) is not None


def _exact_values(
    stakes: _value.Stakes, cube: int, indices: tuple[int, int]
) -> dict[str, float | None]:
    if stakes.met is None and stakes.turns(cube) < 0:
        return _value.exact_money(bearoff_tables().two, stakes, cube, *indices)
    return _exact().solve(stakes, cube, *indices)


def _exact_probabilities(game: str, indices: tuple[int, int]) -> tuple[float, ...]:
    cubeless = float(bearoff_tables().two.equities([indices[0]], [indices[1]])[0, 0])
    names = _rules.outcome_names(game)
    found = [0.0] * len(names)
    found[0] = (1 + cubeless) / 2
    found[len(names) // 2] = 1 - found[0]
    return tuple(found)


# ---- the decision -------------------------------------------------------------------------------


def decide(
    position: Position,
    probabilities: Probabilities | None = None,
    *,
    efficiency: float | CubeEfficiency | None = None,
    met: MatchEquity | str | None = None,
    exact: bool = True,
) -> CubeDecision:
    """The cube decision of the side on roll, from its outcome probabilities.

    Parameters
    ----------
    position : gives cube, owner, score and rules; its dice are not looked at. With an offer pending
        the decision is that of the doubler, and `verdict` names the answer.
    probabilities : cubeless chances of the side on roll; see `exclusive` for the forms. May be
        None where the bear-off tables know them.
    efficiency : x between 0 (dead cube) and 1 (live), or a table by class of position
    met : match equity table, by name, file or object; Kazaross-XG2 by default
    exact : take bear-offs of up to six checkers a side from exact solvers, at any score and cube

    Raises ValueError for a finished game and for probabilities that are none.
    """
    if position.finished:
        raise ValueError("cube: the game is over")
    indices = _bearoff_indices(position) if exact else None
    stakes = stakes_of(position, met)
    if probabilities is not None:
        chances = exclusive(position.game, probabilities)
    elif indices is not None:
        chances = _exact_probabilities(position.game, indices)
    else:
        raise ValueError("probabilities: the position is not one that the exact tables know")
    if not isinstance(efficiency, (int, float)):
        efficiency = (efficiency or CubeEfficiency()).of(position)
    if not 0 <= efficiency <= 1:
        raise ValueError(f"efficiency: {efficiency} is not between 0 and 1")
    x = float(efficiency)
    name = _met_of(position, met).name if position.match_length else None
    model = _value.Model(stakes, chances, position.cube)
    limits = [model.values(position.cube_owner, limit) for limit in (0.0, 1.0)]
    if indices is None:
        values = model.values(position.cube_owner, x)
    else:
        values = _exact_values(stakes, position.cube, indices)
    return _made(position, stakes, model, chances, values, limits, x, indices is not None, name)


def from_lines(
    position: Position,
    probabilities: Probabilities,
    no_double: float,
    double_take: float | None,
    *,
    efficiency: float | CubeEfficiency | None = None,
    met: MatchEquity | str | None = None,
) -> CubeDecision:
    """The decision from equities found in another way, by search or rollout.

    no_double, double_take : equities in units of the present cube, as in `CubeDecision`. Windows,
        cubeless equities and the lines after a beaver (twice the take, and so on) follow from them
        and from the probabilities.
    """
    base = decide(position, probabilities, efficiency=efficiency, met=met, exact=False)
    stakes = stakes_of(position, met)
    cube = position.cube
    model = _value.Model(stakes, tuple(base.probabilities.values()), cube)
    assert base.efficiency is not None
    values = model.values(position.cube_owner, base.efficiency)
    limits = [model.values(position.cube_owner, limit) for limit in (0.0, 1.0)]
    values[position.cube_owner] = stakes.unequity(cube, no_double)
    if values["take"] is not None and double_take is not None:
        scale = 1.0
        for name in ("take", "beaver", "raccoon"):
            if values[name] is not None:
                values[name] = stakes.unequity(cube, scale * double_take)
            scale *= 2
    chances = tuple(base.probabilities.values())
    return _made(
        position, stakes, model, chances, values, limits, base.efficiency, False, base.met
    )


def _made(
    position: Position,
    stakes: _value.Stakes,
    model: _value.Model,
    chances: tuple[float, ...],
    values: Mapping[str, float | None],
    limits: list[dict[str, float | None]],
    x: float,
    exact: bool,
    met: str | None,
) -> CubeDecision:
    owner, cube = position.cube_owner, position.cube

    def equity(value: float | None) -> float | None:
        return None if value is None else stakes.equity(cube, value)

    def line(name: str) -> CubeLine | None:
        value = values[name]
        if value is None:
            return None
        dead, live = (None, None) if exact else (equity(limit[name]) for limit in limits)
        mwc = value if position.match_length else None
        return CubeLine(stakes.equity(cube, value), mwc, dead, live)

    lines = {"no_double": line(owner)}
    if owner != "opp":
        lines.update({name: line(value) for name, value in _LINE_VALUES.items()})
    known = {name: found for name, found in lines.items() if found is not None}
    verdict = _Verdict.of(position, known, model)
    names = _rules.outcome_names(position.game)
    cubeless = equity(values["cubeless"])
    assert cubeless is not None
    return CubeDecision(
        position=position if position.dice is None else position.with_(dice=None),
        probabilities=MappingProxyType(dict(zip(names, chances, strict=True))),
        cubeless=cubeless,
        cubeless_doubled=equity(values["cubeless_doubled"]) if owner != "opp" else None,
        lines=MappingProxyType(known),
        efficiency=None if exact else x,
        exact=exact,
        action=verdict.action,
        verdict=verdict.words,
        windows=MappingProxyType(model.windows(x)),
        dead_windows=MappingProxyType(model.windows(0.0)),
        live_windows=MappingProxyType(model.windows(1.0)),
        wrong_share=verdict.wrong_share,
        wrong_answer=verdict.wrong_answer,
        met=met,
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Verdict:
    action: str
    words: str
    wrong_share: float | None = None
    wrong_answer: str | None = None

    @classmethod
    def of(
        cls, position: Position, lines: Mapping[str, CubeLine], model: _value.Model
    ) -> _Verdict:
        double = "redouble" if position.cube_owner == "own" else "double"
        if "double_take" not in lines:
            if position.cube_owner == "opp":
                return cls("-", "Cube not available")
            why = "Crawford game" if position.crawford else "the cube is at its limit"
            return cls("-", f"No {double}: {why}")
        stay, take, drop = (
            lines[name].equity for name in ("no_double", "double_take", "double_pass")
        )
        beaver = _beavered(lines)
        best = min(take, drop, beaver)
        if beaver < min(take, drop) - _TIE:
            answer, word = "beaver", "beaver"
        elif abs(take - drop) <= _TIE:
            answer, word = "T=P", "take or pass"
        else:
            answer, word = ("T", "take") if take < drop else ("P", "pass")

        gain = best - stay
        if gain > _TIE:
            return cls(f"D/{answer}", f"{double.capitalize()}, {word}")
        if gain >= -_TIE and not model.dead:
            return cls(f"OD/{answer}", f"Optional {double}, {word}")
        share, wrong = _wrong(stay, take, drop, best)
        if stay > drop + _TIE:
            return cls(f"TG/{answer}", f"Too good to {double}, {word}", share, wrong)
        if model.dead:
            return cls(f"ND/{answer}", f"No {double}: dead cube", share, wrong)
        return cls(f"ND/{answer}", f"No {double}, {word}", share, wrong)


def _beavered(lines: Mapping[str, CubeLine]) -> float:
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
    wrong, word = (take, "take") if best == drop else (drop, "pass")
    if wrong <= stay or wrong <= best:
        return None, None
    return (stay - best) / (wrong - best), word


def owners(
    position: Position, probabilities: Probabilities | None = None, **options: Any
) -> dict[str, CubeDecision]:
    """The decision for each owner of the cube: "centre", "own", "opp". Options as for `decide`.

    In the Crawford game only the centre exists.
    """
    found = ("centre",) if position.crawford else OWNERS
    return {
        owner: decide(position.with_(cube_owner=owner, offer="none"), probabilities, **options)
        for owner in found
    }
