"""A match equity table made by the engine itself.

What it stands on, and nothing else:

chances : of the game's outcomes after every opening roll, best played, and after every reply to
    those, as the engine sees them; gammon rates are theirs
cube : the model of `nardy_core.cube` at one efficiency, with the match scores of the table itself:
    whoever is on roll doubles, takes and passes as that says, from the second turn of the game on
players : equal, and either begins with the same chance

A game is worth what its second turn is worth with the cube in the centre. That gives every score
from those nearer to the end. In the Crawford game there is no cube. After it the trailer doubles in
the best way at his first turn, and the leader has his free drops.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nardy_core._border import _value
from nardy_core.checks import whole
from nardy_core.cube_inputs import CubeEfficiency
from nardy_core.levels import Level, level_name
from nardy_core.match import MAX_NEEDS, MatchEquity
from nardy_core.play import ROLLS, UNLIKE, ways
from nardy_core.position import Position

if TYPE_CHECKING:
    from nardy_core.engine import Engine

POINTS = (1, 2, 3, -1, -2, -3)
Chances = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Openings:
    """Chances (n, 6) of the side on roll, exclusive classes, and their weights (n), adding to 1.

    second, second_weights : at the second turn of a game, after the first roll
    third, third_weights : at the third
    """

    second: Chances
    second_weights: Chances
    third: Chances
    third_weights: Chances

    @property
    def gammon_rate(self) -> float:
        """Part of all games that are gammons or backgammons."""
        return float(self.second_weights @ self.second[:, [1, 2, 4, 5]].sum(axis=1))

    @property
    def first_wins(self) -> float:
        """Chance to win of the side that moves first."""
        return float(self.second_weights @ self.second[:, 3:].sum(axis=1))


def openings_of(engine: Engine, level: Level = 0) -> Openings:
    """Both sides' first moves as the engine plays them at `level`, evaluated at that level."""
    start = Position.start()
    second, third, third_weights = [], [], []
    for roll in UNLIKE:
        best = engine.analyse(start, roll, level=level, top=1).best
        mover = list(best.probabilities.values())
        second.append(mover[3:] + mover[:3])
        for reply in ROLLS:
            answer = engine.analyse(best.result, reply, level=level, top=1).best
            mover = list(answer.probabilities.values())
            third.append(mover[3:] + mover[:3])
            third_weights.append(ways(reply) / 36 / len(UNLIKE))
    return Openings(
        np.array(second), np.full(len(UNLIKE), 1 / len(UNLIKE)), np.array(third),
        np.array(third_weights))


def compute(
    openings: Openings,
    *,
    efficiency: float | None = None,
    name: str = "computed",
    source: str = "",
    length: int = MAX_NEEDS,
    progress: Callable[[int, int], object] | None = None,
) -> MatchEquity:
    """The table that follows from opening chances and a cube efficiency; see the module.

    efficiency : None = that of positions with contact
    length : points; beyond it the table is continued as all tables are
    progress : called with (rows done, rows)
    """
    whole("length", length, 2, MAX_NEEDS)
    x = CubeEfficiency.made(efficiency).contact
    work = _Work(openings, x)
    for needs in range(2, length + 1):
        work.after_crawford(needs)
    for larger in range(2, length + 1):
        work.crawford(larger)
        for smaller in range(2, larger + 1):
            work.before_crawford(smaller, larger)
        if progress is not None:
            progress(larger, length)
    rows = work.before[:length, :length].tolist()
    ends = work.after[:length].tolist()
    if not source:
        source = (f"computed: {100 * openings.gammon_rate:.2f} % gammons, first mover wins "
                  f"{100 * openings.first_wins:.2f} %, cube efficiency {x:g}")
    return MatchEquity.of_rows(rows, (ends, ends), name, source)


class _Work:
    """The table so far. Entries not known yet repeat the one before, so that it stays in order."""

    def __init__(self, openings: Openings, efficiency: float) -> None:
        self.openings, self.x = openings, efficiency
        self.before = np.zeros((MAX_NEEDS, MAX_NEEDS))
        self.after = np.zeros(MAX_NEEDS)
        self.after[0] = 0.5
        self._put(1, 1, 0.5)

    def _put(self, own: int, opp: int, chance: float) -> None:
        self.before[own - 1, opp - 1 :] = chance
        self.before[opp - 1, own - 1] = 1 - chance
        self.before[opp - 1, own:] = np.maximum(self.before[opp - 1, own:], 1 - chance)

    def _stakes(self, own: int, opp: int, crawford: str) -> _value.Stakes:
        met = _value.Met(self.before, [self.after, self.after])
        return _value.Stakes(POINTS, met=met, own_needs=own, opp_needs=opp, crawford=crawford)

    def _turn(self, stakes: _value.Stakes, chances: Chances, weights: Chances) -> float:
        """Mean value with the side on roll about to double or roll, cube in the centre at 1."""
        total = 0.0
        for row, weight in zip(chances, weights.tolist(), strict=True):
            values = _value.Model(stakes, row.tolist(), 1).values("centre", self.x)
            stay, doubled = values["centre"], values["doubled"]
            assert stay is not None
            total += weight * (stay if doubled is None else max(stay, doubled))
        return total

    def after_crawford(self, needs: int) -> None:
        o, stakes = self.openings, self._stakes(needs, 1, "over")
        second = self._turn(stakes, o.second, o.second_weights)
        third = self._turn(stakes, o.third, o.third_weights)
        self.after[needs - 1] = (second + third) / 2

    def crawford(self, needs: int) -> None:
        stakes = self._stakes(needs, 1, "now")
        mean = self.openings.second_weights @ self.openings.second
        even = (mean + np.roll(mean, 3)) / 2  # who begins is even
        worth = [stakes.value(points) for points in POINTS]
        self._put(needs, 1, float(even @ worth))

    def before_crawford(self, own: int, opp: int) -> None:
        if own == opp:
            self._put(own, opp, 0.5)
            return
        o = self.openings
        mine = self._turn(self._stakes(own, opp, "before"), o.second, o.second_weights)
        theirs = self._turn(self._stakes(opp, own, "before"), o.second, o.second_weights)
        self._put(own, opp, (mine + 1 - theirs) / 2)


def engine_table(
    engine: Engine, *, level: Level = 0, efficiency: float | None = None, length: int = MAX_NEEDS,
    progress: Callable[[int, int], object] | None = None,
) -> MatchEquity:
    """`compute` with an engine's own opening chances at `level`; the source tells it all.

    efficiency : None = that of positions with contact
    """
    x = CubeEfficiency.made(efficiency).contact
    found = openings_of(engine, level)
    nets = ", ".join(f"{part} {short}" for part, short in engine.info().nets)
    source = (f"nardy_core, nets {nets}, {level_name(level)} openings and replies, "
              f"{100 * found.gammon_rate:.2f} % gammons, first mover wins "
              f"{100 * found.first_wins:.2f} %, cube model at efficiency {x:g}")
    return compute(found, efficiency=x, name="nardy_core", source=source, length=length,
                   progress=progress)

