"""What a cube decision starts from: chances, the worth of points, and the cube's efficiency."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

import numpy as np

from nardy_core import match_long, rules
from nardy_core._border import _rules, _value
from nardy_core.game_facts import FACTS
from nardy_core.match import MAX_NEEDS, MatchEquity, opened
from nardy_core.match_long import LongMatchEquity
from nardy_core.position import OWNERS, Position

NESTED = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")

Probabilities = Mapping[str, float] | Sequence[float] | np.ndarray


def exclusive(
    game: str, probabilities: Probabilities, *, draws: bool = False
) -> tuple[float, ...]:
    """Chances of the game's exclusive outcome classes, in the engine's order.

    probabilities : a mapping or a sequence of all classes; for backgammon also the customary five,
        each counting the better ones in (win, win_gammon, win_backgammon, lose_gammon,
        lose_backgammon)
    draws : what is missing to 1 are draws, shared out as half single wins and half single losses

    ValueError unless they are chances that add up to 1 within a thousandth.
    """
    names = _rules.outcome_names(game)
    nested = False
    if isinstance(probabilities, Mapping):
        given = set(probabilities)
        nested = FACTS[game].nested and given == set(NESTED)
        wanted = NESTED if nested else names
        if given != set(wanted):
            raise ValueError(
                f"probabilities: expected {', '.join(wanted)}, got {', '.join(sorted(given))}"[:200]
            )
        values = [float(probabilities[name]) for name in wanted]
    else:
        values = [float(value) for value in probabilities]
        nested = FACTS[game].nested and len(values) == len(NESTED)
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
    if draws and total < 1:
        values[0] += (1 - total) / 2
        values[len(values) // 2] += (1 - total) / 2
        total = 1.0
    if abs(total - 1) > 1e-3:
        raise ValueError(f"probabilities: they add up to {total:.4f}")
    return tuple(max(value, 0.0) for value in values)


def met_of(
    position: Position, met: MatchEquity | str | None
) -> MatchEquity | LongMatchEquity:
    """The table asked for, as the side on roll sees it; None = the default of the game."""
    if met is None and FACTS[position.game].met_from_rules:
        return match_long.of_position(position)
    table = opened(met)
    # The rows of a skewed table are those of player 0, as in GNU Backgammon.
    return table if table.symmetric or position.turn == 0 else table.swap()


def needs_of(position: Position) -> tuple[int, int]:
    """Points that own and opp still need to win the match."""
    return (position.match_length - position.score_own, position.match_length - position.score_opp)


def owners_of(position: Position) -> tuple[str, ...]:
    """Those that the cube can have: in the Crawford game there is only the centre, and a cube that
    was turned in a match has an owner."""
    if not position.match_length:
        return OWNERS
    return ("centre",) if position.crawford else OWNERS[position.cube > 1 :]


def stakes_of(position: Position, met: MatchEquity | str | None = None) -> _value.Stakes:
    """What the game is worth to the side on roll: money with its rules, or the match score."""
    options = position.rules
    points = rules.points(options)
    if not position.match_length:
        return _value.Stakes(
            points,
            max_cube=position.max_cube,
            cap=options["stake_cap"],
            jacoby=position.jacoby,
            beavers=position.beavers,
            raccoons=position.beavers and options["raccoons"],
        )
    needs = needs_of(position)
    if max(needs) > MAX_NEEDS:
        raise ValueError(f"score: {max(needs)} points needed, tables reach to {MAX_NEEDS}")
    crawford = "now" if position.crawford else "over" if 1 in needs else "before"
    table = met_of(position, met)
    if isinstance(table, LongMatchEquity):
        return table.stakes(
            *needs, crawford=crawford if table.cube else "before", max_cube=position.max_cube)
    return table.stakes(*needs, crawford=crawford, points=points, max_cube=position.max_cube)


def automatic_doubles(position: Position) -> dict[int, float]:
    """Where the cube stands when the opening throw has been decided: {cube: chance}.

    Each equal throw, one of six, turns the cube up, at most as often as the rule option
    `automatic_doubles` says and the limit of the cube allows; money only.
    """
    times = 0 if position.match_length else position.rules["automatic_doubles"]
    found, cube, chance = {}, position.cube, 1.0
    while times > 0 and (position.max_cube is None or 2 * cube <= position.max_cube):
        found[cube] = chance * 5 / 6
        cube, chance, times = 2 * cube, chance / 6, times - 1
    found[cube] = chance
    return found


@dataclasses.dataclass(frozen=True, slots=True)
class CubeEfficiency:
    """How much of the live cube's worth a cube has (0 dead, 1 fully live), by class of position.

    A race has race + race_pip x pips of the side on roll, within race_low .. race_high; a bear-off
    (everybody home) has `bearoff`, positions with contact `contact`. The default values are fitted
    to rollouts of earlier nets and, bear-offs, to exact values (benchmarks/strength.md).
    """

    contact: float = _value.EFFICIENCY["contact"]
    bearoff: float = _value.EFFICIENCY["bearoff"]
    race: float = _value.EFFICIENCY["race"]
    race_pip: float = _value.EFFICIENCY["race_pip"]
    race_low: float = _value.EFFICIENCY["race_low"]
    race_high: float = _value.EFFICIENCY["race_high"]

    @classmethod
    def made(cls, efficiency: float | CubeEfficiency | None) -> CubeEfficiency:
        """The table that is meant: a number stands for all classes, None for the default."""
        if not isinstance(efficiency, (int, float)):
            return efficiency or cls()
        if not 0 <= efficiency <= 1:
            raise ValueError(f"efficiency: {efficiency} is not between 0 and 1")
        x = float(efficiency)
        return cls(contact=x, bearoff=x, race=x, race_pip=0.0, race_low=x, race_high=x)

    def parts(self) -> dict[str, float]:
        """The parameters by name."""
        return dataclasses.asdict(self)

    def of(self, position: Position) -> float:
        """The efficiency for one position."""
        phase = int(_rules.phases(position.game, position.board[np.newaxis])[0])
        return _value.efficiency(self.parts(), phase, position.pips[0])
