"""The cube in a search: what a position tells the core about it, and what its values mean."""
from __future__ import annotations

from collections.abc import Mapping

from nardy_core.bearoff import bearoff_tables
from nardy_core.cube_inputs import CubeEfficiency, needs_of, stakes_of
from nardy_core.evaluator import CubeSetting
from nardy_core.game_facts import FACTS
from nardy_core.match import MAX_NEEDS, MatchEquity
from nardy_core.position import Position


def has_stakes(position: Position) -> bool:
    """Whether it is known what the game is worth: no table reaches to the longest matches."""
    return not position.match_length or max(needs_of(position)) <= MAX_NEEDS


def ranked_by_cube(position: Position) -> bool:
    """Whether plays are ranked with the cube in play unless told otherwise: outside matches only
    where that is usual."""
    return has_stakes(position) and (
        position.match_length > 0 or FACTS[position.game].cube_usual)


def setting_of(
    position: Position, met: MatchEquity | str | None, efficiency: float | CubeEfficiency | None,
    exact: bool = True,
) -> CubeSetting:
    """Stakes and cube as the side on roll sees them; `exact` lets the tree have the table of
    bear-offs for money."""
    parts = CubeEfficiency.made(efficiency).parts()
    table = None
    if exact and not position.match_length and not position.rules.get("bearoff_forced", False):
        table = bearoff_tables().two
    return CubeSetting(
        stakes_of(position, met), position.cube, position.cube_owner, parts, table)


def best_of(position: Position, values: Mapping[str, float | None]) -> float:
    """Value of the best cube action of both sides, from the values of a search by name."""
    rolled = values[position.cube_owner]
    assert rolled is not None
    doubled = values["doubled"]
    if position.cube_owner == "opp" or doubled is None:
        return rolled
    return max(rolled, doubled)
