"""Match equity of long nardy: by what games pay, whether a cube is in play, and who begins.

The first move of long nardy is worth a quarter of a point, so a score alone says little: it matters
who begins the next game, and in what order the games after it are begun. Values follow from the
chances of the side that begins, by recursion over the points still needed.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nardy_core import rules, score_worth
from nardy_core._border import _value
from nardy_core.checks import one_of, whole
from nardy_core.match import MAX_NEEDS
from nardy_core.options import Options
from nardy_core.score_worth import Parts
from nardy_core.terms import term

if TYPE_CHECKING:
    from nardy_core.position import Position

STARTERS = ("roll", "winner", "alternate")
# Chances of the side that begins: oin, mars, koks and home mars won, then lost. By a rollout of the
# start with nets d5f8d11c, 64f6ec52, 0b992808 (standard errors up to 0.0015):
# nardy rollout start:long_nardy --trials 12960
FIRST = (0.4341, 0.0981, 0.0547, 0.0020, 0.3471, 0.0461, 0.0166, 0.0013)

Array = Any


def _named(points: str, cube: str, next_starter: str, lang: str) -> str:
    return term(f"met_{cube}", lang, points=points, starter=term(f"met_{next_starter}", lang))


def name_in(name: str, lang: str) -> str:
    """The name of a match equity table in a language: that of a `LongMatchEquity` is made of words,
    others are proper names."""
    points = re.search(r"\d[\d-]*", name)
    for cube, starter in itertools.product(("cube", "no_cube"), STARTERS):
        if points and name == _named(points[0], cube, starter, "en"):
            return _named(points[0], cube, starter, lang)
    return name


@dataclasses.dataclass(frozen=True)
class LongMatchEquity:
    """Chances to win a match of long nardy from every score. Make one with `long_match_equity`.

    points : oin, mars, koks, home mars
    cube : a doubling cube is in play, with the Crawford rule
    next_starter : "roll" (either side alike), "winner" of the last game, "alternate"
    efficiency : of the cube
    first : chances of the side that begins, exclusive classes
    """

    points: tuple[int, ...]
    cube: bool
    next_starter: str
    efficiency: float
    first: tuple[float, ...]
    _before: Array = dataclasses.field(repr=False, compare=False)
    _after: Array = dataclasses.field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """What it stands on, in short."""
        points = "-".join(map(str, self.points))
        return _named(points, "cube" if self.cube else "no_cube", self.next_starter, "en")

    @property
    def digest(self) -> str:
        """Short hash of all that its chances follow from."""
        told = (self.points, self.cube, self.next_starter, self.efficiency, self.first)
        return hashlib.blake2b(repr(told).encode(), digest_size=8).hexdigest()

    def mwc(
        self, own: int, opp: int, *, starts: str | None = None, post_crawford: bool = False
    ) -> float:
        """Chance 0..1 of a side that needs `own` points against one that needs `opp`.

        starts : who begins the next game: "own", "opp", None = either alike
        post_crawford : where one side needs 1, the Crawford game has been played
        0 points needed has won.
        """
        if starts is not None:
            one_of("starts", starts, ("own", "opp"))
        for word, needs in (("own", own), ("opp", opp)):
            whole(f"{word}, points needed", needs, 0, MAX_NEEDS)
        if own == opp == 0:
            raise ValueError("own, opp: both sides have won")
        over = post_crawford and self.cube
        chances = [self._chance(own, opp, first, over)
                   for first in ((True, False) if starts is None else (starts == "own",))]
        return sum(chances) / len(chances)

    def _chance(self, own: int, opp: int, first: bool, over: bool) -> float:
        if own <= 0:
            return 1.0
        if opp <= 0:
            return 0.0
        if not first:
            return 1 - self._chance(opp, own, True, over)
        if over and min(own, opp) == 1:
            after = self._after
            return float(after[0][own - 1] if opp == 1 else 1 - after[1][opp - 1])
        return float(self._before[own - 1][opp - 1])

    def _next(self, won: bool, first: bool) -> tuple[bool, ...]:
        """May own begin the game after one that it began (`first`) and won: all cases alike."""
        if self.next_starter == "roll":
            return True, False
        return (won,) if self.next_starter == "winner" else (not first,)

    def _result(self, own: int, opp: int, won: bool, first: bool, over: bool) -> float:
        """Chance with these points left after a game that own won, or lost."""
        cases = self._next(won, first)
        return sum(self._chance(own, opp, case, over) for case in cases) / len(cases)

    def stakes(
        self, own: int, opp: int, *, crawford: str = "before", first: bool | None = None,
        max_cube: int | None = None,
    ) -> _value.Stakes:
        """What a game at this score is worth to own; see `nardy_core.cube`.

        first : own began this game, which matters where sides begin in turn; None = not known
        crawford : "before", "now" (no doubling in this game) or "over"
        """
        for word, needs in (("own", own), ("opp", opp)):
            whole(f"{word}, points needed", needs, 1, MAX_NEEDS)
        # The chances that can be asked for stand in opp's column (games won) and own's row (games
        # lost) of the score; the rest only keeps the order that a table has to have.
        over = crawford != "before"
        cases = (True, False) if first is None else (first,)
        won, lost = [], []
        for i in range(1, own):
            won.append(sum(self._result(i, opp, True, c, over) for c in cases) / len(cases))
        for j in range(1, opp):
            lost.append(sum(self._result(own, j, False, c, over) for c in cases) / len(cases))
        before, after = np.zeros((MAX_NEEDS, MAX_NEEDS)), np.zeros((2, MAX_NEEDS))
        after[0, : own - 1], after[1, : opp - 1] = won, 1 - np.array(lost)
        if own == 1 and lost:
            after[0, 0] = lost[0]  # both need one point: a table looks that up as own's chance
        if not over or min(own, opp) > 1:
            before[: own - 1] = np.array(won)[:, np.newaxis]
            before[own - 1, : opp - 1] = lost
            before[own - 1, opp - 1 :] = lost[-1] if lost else 0.0
        points = (*self.points, *(-value for value in self.points))
        return _value.Stakes(
            points, met=_value.Met(before, after), own_needs=own, opp_needs=opp,
            crawford=crawford, max_cube=max_cube if self.cube else 1)

    def take_points(
        self, own: int, opp: int, *, cube: int = 1, crawford: str = "before",
        first: bool | None = None, win_gammons: Parts = 0.0, lose_gammons: Parts = 0.0,
    ) -> Mapping[str, float]:
        """Chances to win with which `own`, doubled from `cube` to twice that, may take: "dead" and
        "live" as of a `MatchEquity`.

        crawford, first : as for `stakes`
        win_gammons, lose_gammons : the part of own's wins and losses that are mars, or the parts
            that are mars, koks and home mars

        ValueError where no cube is in play.
        """
        if not self.cube:
            raise ValueError("take points: by these rules no cube is in play, so nobody takes")
        return score_worth.take_points(
            self.stakes(own, opp, crawford=crawford, first=first), self.points, cube,
            score_worth.parts_of("win_gammons", win_gammons, 3),
            score_worth.parts_of("lose_gammons", lose_gammons, 3))

    def gammon_values(
        self, own: int, opp: int, *, cube: int = 1, crawford: str = "before",
        first: bool | None = None,
    ) -> Mapping[str, float]:
        """What mars, koks and home mars are worth beyond oin, in units of the swing between winning
        and losing an oin. Names: win_mars … lose_home_mars, all for `own`.

        crawford, first : as for `stakes`

        ValueError for a cube above 1 where none is in play.
        """
        if cube > 1 and not self.cube:
            raise ValueError(f"cube: {cube}, but by these rules none is in play")
        stakes = self.stakes(own, opp, crawford=crawford, first=first)
        return score_worth.gammon_values("long_nardy", stakes, cube)


def long_match_equity(
    points: Sequence[int] = rules.SCORING["pronardy"],
    *,
    cube: bool = False,
    next_starter: str = "roll",
    first: Sequence[float] = FIRST,
    efficiency: float = 0.6,
) -> LongMatchEquity:
    """The table for such rules, to 64 points a side.

    points, cube, next_starter, efficiency : see `LongMatchEquity`
    first : eight chances of the side that begins, as `Engine.evaluate` gives them for the start

    ValueError for what no game can be played for.
    """
    one_of("next_starter", next_starter, STARTERS)
    if len(points) != 4 or list(points) != sorted(points) or points[0] < 1:
        raise ValueError(f"points: {ascii(tuple(points))[:40]} are not four rising numbers")
    chances = np.array(first, dtype=float)
    if chances.shape != (8,) or not np.isfinite(chances).all() or chances.min() < 0:
        raise ValueError("first: not eight chances")
    if abs(chances.sum() - 1) > 1e-3:
        raise ValueError(f"first: the chances add up to {chances.sum():.4f}")
    if not 0 <= efficiency <= 1:
        raise ValueError(f"efficiency: {efficiency} is not between 0 and 1")
    return _made(tuple(points), cube, next_starter, float(efficiency),
                 tuple((chances / chances.sum()).tolist()))


@functools.lru_cache(64)
def _made(
    points: tuple[int, ...], cube: bool, next_starter: str, efficiency: float,
    first: tuple[float, ...],
) -> LongMatchEquity:
    before = np.zeros((MAX_NEEDS, MAX_NEEDS))
    after = np.zeros((2, MAX_NEEDS))  # own begins: own's chance as trailer, opp's as trailer
    table = LongMatchEquity(points, cube, next_starter, efficiency, first, before, after)
    signed = (*points, *(-value for value in points))

    def value(own: int, opp: int, crawford: str) -> float:
        """Of a game that own begins."""
        if not cube or crawford == "now":
            over = cube and crawford != "before"
            return sum(
                chance * table._result(own - max(won, 0), opp + min(won, 0), won > 0, True, over)
                for chance, won in zip(first, signed, strict=True))
        stakes = table.stakes(own, opp, crawford=crawford, first=True)
        found = _value.Model(stakes, list(first), 1).values("centre", efficiency)["centre"]
        assert found is not None
        return found

    if cube:
        for n in range(1, MAX_NEEDS + 1):
            after[0, n - 1] = value(n, 1, "over")
            after[1, n - 1] = 1 - value(1, n, "over")
    for larger in range(1, MAX_NEEDS + 1):
        for smaller in range(1, larger + 1):
            crawford = "now" if smaller == 1 else "before"
            for own, opp in {(smaller, larger), (larger, smaller)}:
                before[own - 1, opp - 1] = value(own, opp, crawford)
    return table


def of_position(
    position: Position, *, cube: bool | None = None, next_starter: str | None = None,
    **options: Any,
) -> LongMatchEquity:
    """The table for a position's rules. `cube` and `next_starter` stand in for what those say;
    options are further ones of `long_match_equity`."""
    by: Options = position.rules
    return long_match_equity(
        rules.points(by)[:4], cube=position.max_cube != 1 if cube is None else cube,
        next_starter=next_starter or by["next_starter"], **options)
