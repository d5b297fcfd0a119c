"""Tables: match equity, take points, cube actions by score, openings, bear-offs, cube windows.

Except for the bear-off of one position each table is a `Table`: columns by name, as plain lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nardy_core import cube
from nardy_core._border import _rules
from nardy_core.bearoff import Bearoff, Equities, Rolls, bearoff, bearoff_tables
from nardy_core.checks import one_of, power_of_two, whole
from nardy_core.cube_inputs import CubeEfficiency
from nardy_core.game_facts import FACTS, GameFacts
from nardy_core.match import MAX_NEEDS, MatchEquity, opened
from nardy_core.match_long import LongMatchEquity
from nardy_core.position import MAX_CUBE_LOG2, Position
from nardy_core.score_worth import Parts, parts_of
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
_BEGAN = {None: None, "own": True, "opp": False}


def _length(length: int) -> int:
    return whole("length", length, 1, MAX_NEEDS)


def _cube(value: int) -> int:
    return power_of_two("cube", value, 1 << MAX_CUBE_LOG2)


def match_equity(met: Met = None, *, length: int = 25) -> Table:
    """Chances to win a match by the points both sides need, 1 to `length` (at most 64).

    Columns: own, opp (points needed), mwc (own's chance, the Crawford game not behind them),
    post_crawford (own's chance with the Crawford game over; None where nobody needs one point).
    """
    table = opened(met)

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


def _of_score(
    met: Met | LongMatchEquity, began: str | None
) -> tuple[GameFacts, MatchEquity | LongMatchEquity, dict[str, Any]]:
    """The game, the table that is meant, and what its answers also depend on."""
    if began is not None:
        one_of("began", began, ("own", "opp"))
    if isinstance(met, LongMatchEquity):
        return FACTS["long_nardy"], met, {"first": _BEGAN[began]}
    if began is not None:
        raise ValueError("began: in short nardy who began a game does not matter to a match")
    return FACTS["backgammon"], opened(met), {}


def take_points(
    met: Met | LongMatchEquity = None,
    *,
    length: int = 15,
    cube: int = 1,
    win_gammons: Parts = 0.0,
    lose_gammons: Parts = 0.0,
    began: str | None = None,
) -> Table:
    """Take points and gammon values of `own`, doubled from `cube` to twice that, at every score.

    met : table of short nardy, or a `LongMatchEquity` with a cube in play
    length : points needed, at most 64
    win_gammons, lose_gammons : parts of own's wins and losses that are gammons; of long nardy that
        are mars, or three numbers: mars, koks, home mars
    began : who began the game, "own" or "opp", which matters to a match of long nardy in which the
        sides begin in turn; None = not known

    Columns: own, opp (points needed), take_dead, take_live (chance to win that a take needs, with a
    cube that stays there and with one that is used perfectly), win_gammon, lose_gammon (value of a
    gammon at the doubled cube beyond a single game, by the swing of a single game; 0.5 for money);
    of long nardy in their place win_mars, win_koks, win_home_mars, lose_mars, lose_koks,
    lose_home_mars.
    Where a side needs one point the game is one after the Crawford game. Scores at which opp wins
    nothing by doubling are left out: `cube` points already win the match.
    """
    game, table, how = _of_score(met, began)
    values = [f"{verb}_{kind}" for verb in ("win", "lose") for kind in game.gammons]
    single = table.points[0] if isinstance(table, LongMatchEquity) else 1

    def rows() -> Iterator[Sequence[Any]]:
        for own in range(1, _length(length) + 1):
            for opp in range(_cube(cube) * single + 1, length + 1):
                at: dict[str, Any] = {"crawford": "over" if 1 in (own, opp) else "before", **how}
                take = table.take_points(
                    own, opp, cube=cube, win_gammons=win_gammons, lose_gammons=lose_gammons, **at)
                worth = table.gammon_values(own, opp, cube=2 * cube, **at)
                yield own, opp, take["dead"], take["live"], *(worth[name] for name in values)

    return table_of(("own", "opp", "take_dead", "take_live", *values), rows())


def gammon_values(
    met: Met | LongMatchEquity = None, *, length: int = 15, cubes: Sequence[int] | None = None,
    began: str | None = None,
) -> Table:
    """What gammons and backgammons are worth beyond a single game at every score and cube.

    met : table of short nardy, or a `LongMatchEquity`
    length : points needed, at most 64
    cubes : values of the cube at which the game is played; None = 1, 2, 4 … up to the first that
        wins any such match, and 1 alone where no cube is in play
    began : as for `take_points`

    Columns: cube, own, opp (points needed), crawford ("before", "now" in the game in which nobody
    doubles, "over" after it; the cube is 1 in that game; None where no cube is in play), then
    win_gammon, win_backgammon, lose_gammon, lose_backgammon, or of long nardy win_mars, win_koks,
    win_home_mars, lose_mars, lose_koks, lose_home_mars: in units of the swing between winning and
    losing a single game, for `own`; 0.5 and 1 for money in short nardy, 0 where the match is over
    without them.
    """
    _, table, how = _of_score(met, began)
    doubled = not isinstance(table, LongMatchEquity) or table.cube
    if cubes is None:
        cubes = [1]
        while doubled and cubes[-1] < _length(length):
            cubes.append(2 * cubes[-1])
    names = tuple(table.gammon_values(1, 1, crawford="over" if doubled else "before"))

    def rows() -> Iterator[Sequence[Any]]:
        for value in map(_cube, cubes):
            for own in range(1, _length(length) + 1):
                for opp in range(1, length + 1):
                    for crawford in _games(own, opp, value) if doubled else (None,):
                        found = table.gammon_values(
                            own, opp, cube=value, crawford=crawford or "before", **how)
                        yield value, own, opp, crawford, *(found[name] for name in names)

    return table_of(("cube", "own", "opp", "crawford", *names), rows())


def _games(own: int, opp: int, cube: int) -> tuple[str, ...]:
    """The kinds of game, with regard to Crawford, at a score in which the cube can stand so."""
    if 1 not in (own, opp):
        return ("before",)
    if cube > 1 or own == opp:
        return ("over",)
    return ("now", "over")


_PARTS = (0.0, 0.1, 0.2, 0.3, 0.4)
_WINDOWS = ("take", "initial", "redouble", "cash", "too_good")


def cube_windows(
    win_gammons: Sequence[Parts] = _PARTS,
    lose_gammons: Sequence[Parts] = _PARTS,
    *,
    efficiency: float | None = None,
    jacoby: bool = False,
    start: Position | None = None,
) -> Table:
    """Chances to win at which money cube decisions change, by how many games are gammons.

    win_gammons, lose_gammons : parts of own's wins and of own's losses that are gammons; of long
        nardy that are mars, or three numbers each: mars, koks, home mars
    efficiency : cube efficiency of the middle columns, None = that of positions with contact; dead
        and live columns are 0 and 1
    jacoby : gammons count only after a double
    start : a position of the game, by whose rules its classes are paid; None = short nardy

    Columns: win_gammons, lose_gammons, or of long nardy mars_won, koks_won, home_mars_won,
    mars_lost, koks_lost, home_mars_lost; then take (own doubled by opp), initial (double from the
    centre), redouble, cash, too_good (own cube), each plain and with _dead and _live. None where
    there is no such point.
    """
    names = [f"{name}{limit}" for limit in ("", "_dead", "_live") for name in _WINDOWS]
    game = "backgammon" if start is None else start.game
    options = None if start is None else start.rules
    position = Position.start(
        game, **({} if options is None else options), max_cube=None, jacoby=jacoby, beavers=False)
    facts, half = FACTS[game], len(_rules.outcome_names(game)) // 2
    x = CubeEfficiency().contact if efficiency is None else efficiency
    shown = slice(1, 1 + len(facts.gammons))

    def made(name: str, given: Sequence[Parts]) -> list[tuple[float, ...]]:
        known = [parts_of(name, parts, len(facts.gammons)) for parts in given]
        return [(*parts, *[0.0] * (half - len(parts))) for parts in known]

    def rows() -> Iterator[Sequence[Any]]:
        losses = made("lose_gammons", lose_gammons)
        for won in made("win_gammons", win_gammons):
            for lost in losses:
                chances = [part / 2 for part in (*won, *lost)]
                found = cube.decide(position, chances, efficiency=x)
                row: list[float | None] = [*won[shown], *lost[shown]]
                for windows in (found.windows, found.dead_windows, found.live_windows):
                    plain = {**windows, "too_good": windows["too_good_own"]}
                    row += [plain[name] for name in _WINDOWS]
                yield row

    return table_of([*facts.parts, *names], rows())
