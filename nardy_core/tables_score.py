"""Cube action of one position at every score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from nardy_core import cube, terms
from nardy_core.checks import whole
from nardy_core.levels import Level
from nardy_core.match import MAX_NEEDS, MatchEquity, opened
from nardy_core.position import Position
from nardy_core.table import Table, table_of

if TYPE_CHECKING:
    from nardy_core.cube_inputs import CubeEfficiency, Probabilities
    from nardy_core.engine import Engine

_NAMES = (
    "own", "opp", "action", "verdict", "no_double", "double_take", "double_pass", "mwc_no_double",
    "mwc_double_take", "mwc_double_pass", "double_point", "cash_point", "too_good_point",
    "exact",
)
EXACT_CELLS = 15_000  # pairs of positions that a whole table can afford to solve for each score


def cube_by_score(
    position: Position,
    probabilities: Probabilities | None = None,
    *,
    engine: Engine | None = None,
    level: Level = 0,
    length: int = 13,
    met: MatchEquity | str | None = None,
    efficiency: float | CubeEfficiency | None = None,
    exact: bool | None = None,
) -> Table:
    """What to do with the cube at every score of a match, the position staying the same.

    position : board, cube and owner; its own score is not looked at, nor are its dice
    probabilities : chances of the side on roll, as `cube.decide` takes them, for the cube model at
        every score; None = asked of `engine` (a new Engine if None)
    level : plies of look-ahead of the engine. Its static chances are the same at every score; above
        0 each score is searched for itself, with the cube in play
    length : scores from 1 to so many points needed by each side
    met, efficiency : as for `cube.decide`
    exact : bear-offs of up to six checkers a side from the exact solver, score by score: never, or
        however long it takes (two minutes at worst); None = where it takes no more than a second
        or two. All rows come from the same source, and the column `exact` tells which.

    Columns: own, opp (points needed), action and verdict as in `CubeDecision`, the equities
    no_double, double_take, double_pass ("equivalent to money", units of the present cube), the
    same as chances to win the match (mwc_…), double_point, cash_point, too_good_point (chances to
    win; None where exact), exact. Where a side needs one point the game is one after the Crawford
    game: in that game itself nobody doubles. None where the rules exclude a line.
    """
    whole("length", length, 1, MAX_NEEDS)
    if position.finished:
        raise ValueError("cube: the game is over")
    if position.max_cube == 1:
        raise ValueError("cube: none is in play by the rules of the position")
    if position.cube_owner == "centre" and position.cube > 1:
        raise ValueError("cube: automatic doubles are for money, a match has a cube of 1 to begin")
    cells = cube.exact_cells(position)
    exact = bool(cells) and (cells <= EXACT_CELLS if exact is None else exact)
    search = None
    if probabilities is None and not exact:
        if engine is None:
            from nardy_core.engine import Engine

            engine = Engine()
        if level:
            search = engine
        else:
            probabilities = engine.evaluate(
                position.with_(dice=None, offer="none"), cubeful=False).probabilities
    # Opened once; None stays, and is what each position's game has.
    table = None if met is None else opened(met)

    def rows() -> Iterator[Sequence[Any]]:
        for own in range(1, length + 1):
            for opp in range(1, length + 1):
                here = position.with_(
                    match_length=length, score_own=length - own, score_opp=length - opp,
                    crawford=False, dice=None, offer="none", resigned=0)
                if search:
                    found = search.cube(here, level, met=table, efficiency=efficiency, exact=False)
                else:
                    found = cube.decide(
                        here, probabilities, met=table, efficiency=efficiency, exact=exact)
                mwc = found.mwc or {}
                yield (
                    own, opp, found.action, found.verdict,
                    found.no_double, found.double_take, found.double_pass,
                    *(mwc.get(name) for name in ("no_double", "double_take", "double_pass")),
                    found.double_point, found.cash_point, found.too_good_point,
                    found.exact,
                )

    return table_of(_NAMES, rows())


def grid(table: Table, column: str = "action", lang: str = "en") -> str:
    """One column of a table by score as a square: rows own's points needed, columns opp's. Actions
    are written as in `CubeDecision` in every language."""
    cells = {(row["own"], row["opp"]): str(row[column]) for row in table.rows()}
    side = max(own for own, _ in cells)
    width = max(map(len, [*cells.values(), str(side)]))
    head = "\\".join(terms.column(name, lang) for name in ("own", "opp"))
    lines = [f"{head} " + " ".join(f"{opp:>{width}}" for opp in range(1, side + 1))]
    for own in range(1, side + 1):
        row = " ".join(f"{cells[own, opp]:>{width}}" for opp in range(1, side + 1))
        lines.append(f"{own:>{len(head)}} {row}")
    return "\n".join(line.rstrip() for line in lines)
