"""Cube decisions: cubeful equities, the verdict, and the chances at which it would change.

    from nardy_core import cube
    print(cube.decide(position, [0.55, 0.15, 0.01, 0.11, 0.01]))
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from nardy_core._border import _rules, _tables, _value
from nardy_core.bearoff import bearoff_tables, unknown_rule
from nardy_core.cube_decision import CubeDecision, CubeLine, Verdict
from nardy_core.cube_inputs import (
    NESTED,
    CubeEfficiency,
    Probabilities,
    automatic_doubles,
    exclusive,
    met_of,
    needs_of,
    owners_of,
    stakes_of,
)
from nardy_core.cube_words import verdict as words
from nardy_core.match import MatchEquity
from nardy_core.position import Position

__all__ = [
    "NESTED",
    "CubeDecision",
    "CubeEfficiency",
    "CubeLine",
    "Probabilities",
    "automatic_doubles",
    "decide",
    "exclusive",
    "from_lines",
    "from_values",
    "is_exact",
    "needs_of",
    "owners",
    "stakes_of",
]

_LINE_VALUES = {  # name of a line: name of its value at the border
    "double_take": "take",
    "double_pass": "pass",
    "beaver": "beaver",
    "beaver_pass": "beaver_pass",
    "raccoon": "raccoon",
    "raccoon_pass": "raccoon_pass",
}


# ---- exact bear-offs ----------------------------------------------------------------------------


@functools.cache
def _exact() -> _value.Exact:
    return _value.Exact()


def _bearoff_indices(position: Position) -> tuple[int, int] | None:
    """Indices of both sides if the exact solvers know the position."""
    for side in (position.own, position.opp):
        if any(side[7:]) or not 1 <= sum(side[1:7]) <= 6 or not side[0]:
            return None
    if unknown_rule(position) is not None:
        return None
    own, opp = _tables.index_of_counts([position.own[1:7], position.opp[1:7]]).tolist()
    return own, opp


def is_exact(position: Position) -> bool:
    """`decide` knows the exact values of the position and needs no probabilities."""
    return _bearoff_indices(position) is not None


def exact_cells(position: Position) -> int:
    """How many pairs of positions the exact solver goes through, some 0.8 µs each at a match score;
    0 where there is no exact answer."""
    indices = _bearoff_indices(position)
    return 0 if indices is None else (indices[0] + 1) * (indices[1] + 1)


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
    if position.finished or position.last_roll_due:
        raise ValueError("cube: the game is over")
    indices = _bearoff_indices(position) if exact else None
    stakes = stakes_of(position, met)
    if probabilities is not None:
        chances = exclusive(position.game, probabilities, draws=position.equalises)
    elif indices is not None:
        chances = _exact_probabilities(position.game, indices)
    else:
        raise ValueError("probabilities: the position is not one that the exact tables know")
    x = CubeEfficiency.made(efficiency).of(position)
    name = met_of(position, met).name if position.match_length else None
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

    probabilities, efficiency, met : as for `decide`
    no_double, double_take : equities in units of the present cube, as in `CubeDecision`. Windows
        and cubeless equities follow from the probabilities, the lines after a beaver from both:
        twice the take, and so on, where neither a limit of the cube nor a stake cap is near.
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
        taken = stakes.unequity(cube, double_take)
        values.update(_after_beavers(stakes, cube, values, taken - values["take"]), take=taken)
    chances = tuple(base.probabilities.values())
    return _made(
        position, stakes, model, chances, values, limits, base.efficiency, False, base.met
    )


def _after_beavers(
    stakes: _value.Stakes, cube: int, values: Mapping[str, float | None], ahead: float
) -> dict[str, float]:
    """Values of the lines after a beaver, `ahead` being by how much the take is worth more than
    in the model, whose `values` these are.

    A cube that can still be turned carries what the model misses as the take does, in proportion
    to its height; without limit and cap that makes them twice and four times the take. One that
    cannot is worth what the chances say, as the model has it. Nothing is beyond the cap.
    """
    found = {}
    for name, times in (("beaver", 2), ("raccoon", 4)):
        value = values[name]
        if value is not None:
            missed = times * ahead if stakes.turns(2 * times * cube) else 0.0
            found[name] = stakes.value(value + missed)
    return found


def from_values(
    position: Position,
    probabilities: Probabilities,
    values: Mapping[str, float | None],
    *,
    efficiency: float | CubeEfficiency | None = None,
    met: MatchEquity | str | None = None,
) -> CubeDecision:
    """The decision from the values of the lines that a search has found. Windows and the limits of
    the model follow from the probabilities.

    probabilities, efficiency, met : as for `decide`
    values : by name as the core has it: "centre", "own", "opp", "take", "pass", "beaver" …, in
        points, or chances to win the match
    """
    base = decide(position, probabilities, efficiency=efficiency, met=met, exact=False)
    assert base.efficiency is not None
    stakes = stakes_of(position, met)
    chances = tuple(base.probabilities.values())
    model = _value.Model(stakes, chances, position.cube)
    limits = [model.values(position.cube_owner, limit) for limit in (0.0, 1.0)]
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
    verdict = Verdict.of(position, known, model.dead)
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
        reason=verdict.reason,
        verdict=words(verdict.action, verdict.reason, owner == "own"),
        windows=MappingProxyType(model.windows(x)),
        dead_windows=MappingProxyType(model.windows(0.0)),
        live_windows=MappingProxyType(model.windows(1.0)),
        wrong_share=verdict.wrong_share,
        wrong_answer=verdict.wrong_answer,
        notes=_notes(position, stakes) if "double_take" in known else (),
        met=met,
    )


def _notes(position: Position, stakes: _value.Stakes) -> tuple[str, ...]:
    """What a double means at this score, by name; nothing for money."""
    if not position.match_length:
        return ()
    cube = position.cube

    def won(cubes: int) -> float:
        return stakes.value(cubes * cube)

    def lost(cubes: int) -> float:
        return stakes.value(-cubes * cube)

    own_needs, opp_needs = needs_of(position)
    found = {
        "dead": won(2) <= won(1),
        "automatic_double": lost(1) <= 0 and won(2) > won(1),
        "automatic_redouble": won(2) >= 1 and lost(4) < lost(2),
        "free_drop": cube == 1 and opp_needs == 1 and own_needs % 2 == 0 and own_needs > 2,
    }
    return tuple(name for name, holds in found.items() if holds)


def owners(
    position: Position, probabilities: Probabilities | None = None, **options: Any
) -> dict[str, CubeDecision]:
    """The decision for each owner of the cube: "centre", "own", "opp". The `probabilities` and
    options are as for `decide`.

    In the Crawford game only the centre exists; a cube that was turned in a match has an owner.
    """
    return {
        owner: decide(position.with_(cube_owner=owner, offer="none"), probabilities, **options)
        for owner in owners_of(position)
    }
