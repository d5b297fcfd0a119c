"""Cube windows of races by pip count."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_core._border import _tables
from nardy_core.bearoff import bearoff_tables
from nardy_core.checks import one_of
from nardy_core.game_facts import FACTS
from nardy_core.table import Table, table_of

# Pips of each throw, a double counting four times, out of 36.
_THROWS = [(d1 + d2) if d1 != d2 else 4 * d1 for d1 in range(1, 7) for d2 in range(1, 7)]
# Below _HOME all checkers may be home already, and then the arrangement counts for more than the
# pips; nobody is further from home in a close race than 12 points, 180 pips, or not by much.
_HOME, _FEWEST, _MOST = 66, 66 - max(_THROWS), 240  # pips


@functools.cache
def _race_rolls() -> dict[int, npt.NDArray[np.float64]]:
    """[pips] = distribution of the rolls that a well spread side of 15 checkers needs: at home the
    arrangement of so many pips that needs fewest rolls on average; from there one roll back after
    the other, without waste on the way."""
    one = bearoff_tables().one
    best: dict[int, tuple[float, int]] = {}
    indices = np.arange(_tables.POSITIONS - 15504, _tables.POSITIONS, dtype=np.uint32)
    counts = _tables.counts_of_index(indices) @ np.arange(1, 7)
    for index, pips in zip(indices.tolist(), counts.tolist(), strict=True):
        if _FEWEST <= pips < _HOME:
            best[pips] = min(best.get(pips, (np.inf, 0)), (one.moments(index)[0], index))
    rolls = {pips: one.rolls(index) for pips, (_, index) in best.items()}
    for pips in range(_HOME, _MOST + 1):
        after = [rolls[pips - thrown] for thrown in _THROWS]
        total = np.zeros(max(map(len, after)) + 1)
        for distribution in after:
            total[1 : len(distribution) + 1] += distribution / len(_THROWS)
        rolls[pips] = total
    return rolls


def _race_win(own: int, opp: int) -> float:
    """Chance of the side on roll."""
    mine, theirs = (_race_rolls()[pips] for pips in (own, opp))
    later = 1 - np.concatenate([[0.0], np.cumsum(theirs)])[: len(mine)]  # opp needs k or more
    later = np.pad(later, (0, len(mine) - len(later)))
    return float(mine @ later)


@functools.cache
def _race_values(most: int) -> dict[str, npt.NDArray[np.float64]]:
    """Exact money equities of rolling now in the plain race: whoever has rolled so many pips has
    won. Arrays [own pips, opp pips] by owner of the cube."""
    names = ("cubeless", "own", "centre", "opp")
    values = {name: np.zeros((most + 1, most + 1)) for name in names}
    thrown, ways = np.unique(_THROWS, return_counts=True)
    for total in range(2, 2 * most + 1):
        own = np.arange(max(1, total - most), min(most, total - 1) + 1)
        opp = total - own
        sums = {name: np.zeros(len(own)) for name in names}
        for pips, weight in zip(thrown.tolist(), ways.tolist(), strict=True):
            goes_on = own > pips
            left = np.maximum(own - pips, 0)
            theirs = {name: values[name][opp, left] for name in names}
            double = np.minimum(2 * theirs["opp"], 1)
            after = {
                "cubeless": -theirs["cubeless"],
                "own": -theirs["opp"],
                "centre": -np.maximum(theirs["centre"], double),
                "opp": -np.maximum(theirs["own"], double),
            }
            for name in names:
                sums[name] += weight * np.where(goes_on, after[name], 1.0)
        for name in names:
            values[name][own, opp] = sums[name] / len(_THROWS)
    return values


def _thresholds(own: int) -> tuple[float, float, float]:
    """Chances to win at which the plain race of such a length is doubled, redoubled and passed."""
    values = _race_values(_MOST)
    win = (1 + values["cubeless"][own]) / 2
    take = 2 * values["opp"][own]
    doubled = np.minimum(take, 1)
    found = []
    for gain in (doubled - values["centre"][own], doubled - values["own"][own], take - 1):
        at = int(np.argmax(gain[1:] >= 0)) + 1
        before, after = gain[at - 1], gain[at]
        found.append(float(win[at - 1] + (win[at] - win[at - 1]) * before / (before - after)))
    return found[0], found[1], found[2]


def race_windows(
    pips: Sequence[int] = tuple(range(70, 151, 5)), *, game: str = "backgammon"
) -> Table:
    """Cube windows of long races for money by pip counts, both sides well spread.

    pips : pip counts of the side on roll, 66..200, in long nardy 66..180; shorter races hang on the
        arrangement too much
    game : close races are the same in both games, as long as both sides can still save themselves

    Two exact calculations joined. The chances to win by pip count come from the bear-off table: at
    home each side has the arrangement that needs fewest rolls. The chances at which decisions
    change come from the race without waste, in which whoever has rolled so many pips has won.

    Columns: pips (side on roll), double, redouble, cash: the pip counts of the OTHER side from
    which the side on roll doubles a cube in the centre, redoubles, and is passed; win_double,
    win_redouble, win_cash: the chances to win from which it does.
    """
    one_of("game", game, FACTS)
    if not pips:
        raise ValueError("pips: none given")
    for count in pips:
        if not _HOME <= count <= FACTS[game].race_pips:
            raise ValueError(f"pips: {count} is not in {_HOME}..{FACTS[game].race_pips}")

    def rows() -> Iterator[Sequence[Any]]:
        for own in pips:
            limits = _thresholds(own)
            chances = [_race_win(own, opp) for opp in range(own - 5, own + 30)]
            counts = [
                own - 5 + next(i for i, win in enumerate(chances) if win >= limit)
                for limit in limits
            ]
            yield own, *counts, *limits

    names = ("pips", "double", "redouble", "cash", "win_double", "win_redouble", "win_cash")
    return table_of(names, rows())
