"""Tables: match equity, take points, cube actions by score, openings, bear-offs, cube windows.

Except for the bear-off of one position each table is a `Table`: columns by name, as plain lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nardy_core import cube
from nardy_core.bearoff import Bearoff, Equities, Rolls, bearoff, bearoff_tables
from nardy_core.cube_inputs import CubeEfficiency
from nardy_core.match import MatchEquity
from nardy_core.match_long import LongMatchEquity
from nardy_core.position import Position
from nardy_core.table import Table, table_of
from nardy_core.tables_play import openings, replies, rolls
from nardy_core.tables_race import race_windows
from nardy_core.tables_score import cube_by_score

__all__ = [
    "Bearoff",
    "Equities",
    "Rolls",
    "Table",
    "bearoff",
    "bearoff_tables",
    "cube_by_score",
    "cube_windows",
    "gammon_values",
    "long_match_equity",
    "match_equity",
    "openings",
    "race_windows",
    "replies",
    "rolls",
    "take_points",
]

Met = MatchEquity | str | None


def _met(met: Met) -> MatchEquity:
    return met if isinstance(met, MatchEquity) else MatchEquity.open(*([met] if met else []))


def _length(length: int) -> int:
    if not 1 <= length <= 64:
        raise ValueError(f"length: {length} is not in 1..64")
    return length


def _cube(value: int) -> int:
    if not 1 <= value <= 2**30 or value & (value - 1):
        raise ValueError(f"cube: {value} is not a power of two up to 2^30")
    return value


def match_equity(met: Met = None, *, length: int = 25) -> Table:
    """Chances to win a match by the points both sides need, 1 to `length` (at most 64).

    Columns: own, opp (points needed), mwc (own's chance, the Crawford game not behind them),
    post_crawford (own's chance with the Crawford game over; None where nobody needs one point).
    """
    table = _met(met)

    def rows() -> Iterator[Sequence[Any]]:
        for own in range(1, _length(length) + 1):
            for opp in range(1, length + 1):
                after = table.mwc(own, opp, post_crawford=True) if 1 in (own, opp) else None
                yield own, opp, table.mwc(own, opp), after

    return table_of(("own", "opp", "mwc", "post_crawford"), rows())


def long_match_equity(table: LongMatchEquity, *, length: int = 15) -> Table:
    """Chances to win a match of long nardy by the points both sides need and by who begins.

    table : see `nardy_core.match_long.long_match_equity`
    length : points needed, at most 64

    Columns: own, opp (points needed), own_begins, opp_begins (own's chance by who begins the next
    game), mwc (their mean), post_crawford (the mean with the Crawford game over; None where nobody
    needs one point, or no cube is in play).
    """

    def rows() -> Iterator[Sequence[Any]]:
        for own in range(1, _length(length) + 1):
            for opp in range(1, length + 1):
                after = None
                if table.cube and 1 in (own, opp):
                    after = table.mwc(own, opp, post_crawford=True)
                yield (own, opp, table.mwc(own, opp, starts="own"),
                       table.mwc(own, opp, starts="opp"), table.mwc(own, opp), after)

    return table_of(("own", "opp", "own_begins", "opp_begins", "mwc", "post_crawford"), rows())


def take_points(
    met: Met = None,
    *,
    length: int = 15,
    cube: int = 1,
    win_gammons: float = 0.0,
    lose_gammons: float = 0.0,
) -> Table:
    """Take points and gammon values of `own`, doubled from `cube` to twice that, at every score.

    length : points needed, at most 64
    win_gammons, lose_gammons : parts of own's wins and losses that are gammons

    Columns: own, opp (points needed), take_dead, take_live (chance to win that a take needs, with a
    cube that stays there and with one that is used perfectly), win_gammon, lose_gammon (value of a
    gammon at the doubled cube beyond a single game, by the swing of a single game; 0.5 for money).
    Where a side needs one point the game is one after the Crawford game. Scores at which opp wins
    nothing by doubling are left out: `cube` points already win the match.
    """
    table = _met(met)

    def rows() -> Iterator[Sequence[Any]]:
        for own in range(1, _length(length) + 1):
            for opp in range(_cube(cube) + 1, length + 1):
                crawford = "over" if 1 in (own, opp) else "before"
                take = table.take_points(
                    own,
                    opp,
                    cube=cube,
                    crawford=crawford,
                    win_gammons=win_gammons,
                    lose_gammons=lose_gammons,
                )
                worth = table.gammon_values(own, opp, cube=2 * cube, crawford=crawford)
                yield (
                    own,
                    opp,
                    take["dead"],
                    take["live"],
                    worth["win_gammon"],
                    worth["lose_gammon"],
                )

    names = ("own", "opp", "take_dead", "take_live", "win_gammon", "lose_gammon")
    return table_of(names, rows())


def gammon_values(
    met: Met = None, *, length: int = 15, cubes: Sequence[int] | None = None
) -> Table:
    """What gammons and backgammons are worth beyond a single game at every score and cube.

    length : points needed, at most 64
    cubes : values of the cube at which the game is played; None = 1, 2, 4 … up to the first that
        wins any such match

    Columns: cube, own, opp (points needed), crawford ("before", "now" in the game in which nobody
    doubles, "over" after it; the cube is 1 in that game), win_gammon, win_backgammon, lose_gammon,
    lose_backgammon: in units of the swing between winning and losing a single game, for `own`;
    0.5 and 1 for money, 0 where the match is over without them.
    """
    table = _met(met)
    if cubes is None:
        cubes = [1]
        while cubes[-1] < _length(length):
            cubes.append(2 * cubes[-1])

    def rows() -> Iterator[Sequence[Any]]:
        for value in map(_cube, cubes):
            for own in range(1, _length(length) + 1):
                for opp in range(1, length + 1):
                    for crawford in _games(own, opp, value):
                        found = table.gammon_values(own, opp, cube=value, crawford=crawford)
                        yield value, own, opp, crawford, *(found[name] for name in _GAMMONS)

    return table_of(("cube", "own", "opp", "crawford", *_GAMMONS), rows())


def _games(own: int, opp: int, cube: int) -> tuple[str, ...]:
    """The kinds of game, with regard to Crawford, at a score in which the cube can stand so."""
    if 1 not in (own, opp):
        return ("before",)
    if cube > 1 or own == opp:
        return ("over",)
    return ("now", "over")


_GAMMONS = ("win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")
_WINDOWS = ("take", "initial", "redouble", "cash", "too_good")


def cube_windows(
    win_gammons: Sequence[float] = (0.0, 0.1, 0.2, 0.3, 0.4),
    lose_gammons: Sequence[float] = (0.0, 0.1, 0.2, 0.3, 0.4),
    *,
    efficiency: float | None = None,
    jacoby: bool = False,
) -> Table:
    """Chances to win at which money cube decisions change, by how many games are gammons.

    win_gammons, lose_gammons : parts of own's wins and of own's losses that are gammons
    efficiency : cube efficiency of the middle columns, None = that of positions with contact; dead
        and live columns are 0 and 1
    jacoby : gammons count only after a double

    Columns: win_gammons, lose_gammons, then take (own doubled by opp), initial (double from the
    centre), redouble, cash, too_good (own cube), each plain and with _dead and _live.
    """
    names = [f"{name}{limit}" for limit in ("", "_dead", "_live") for name in _WINDOWS]
    position = Position.start(jacoby=jacoby, beavers=False)
    x = CubeEfficiency().contact if efficiency is None else efficiency

    def rows() -> Iterator[Sequence[Any]]:
        for win in win_gammons:
            for lose in lose_gammons:
                half = ((1 - win) / 2, win / 2, 0, (1 - lose) / 2, lose / 2, 0)
                found = cube.decide(position, half, efficiency=x)
                row: list[float | None] = [win, lose]
                for windows in (found.windows, found.dead_windows, found.live_windows):
                    plain = {**windows, "too_good": windows["too_good_own"]}
                    row += [plain[name] for name in _WINDOWS]
                yield row

    return table_of(["win_gammons", "lose_gammons", *names], rows())
