"""Player against player: pairs of games with the same dice and the seats exchanged.

Every pair begins from the same position, is thrown the same dice and is played twice, each player
once in each seat. Where an evaluator estimates the luck of the rolls, that luck is taken off the
results: they stay unbiased whatever the players and the evaluator are worth, and a good evaluator
leaves a small fraction of the variance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_core._border import _duel, _rules
from nardy_core._border._engine import Evaluator

Board = npt.NDArray[np.uint32]

# An evaluator plays its best 0-ply play, (evaluator, plies) the best after so many plies of search,
# None any play at random; a function gets (board, dice), the side on roll first, and returns the
# board after its play, the mover still first.
Player = (
    Evaluator
    | tuple[Evaluator, int]
    | None
    | Callable[[Board, tuple[int, int]], npt.ArrayLike]
)

_BLOCK = 32  # pairs between two looks at the keyboard


@dataclass(frozen=True)
class Duel:
    """Games of a duel, seen by its first player.

    outcome : (pairs, 2) outcome classes for the first player, who begins game 0 of each pair; -1
        marks a game drawn by a last roll or cut after 2,000 plies, which counts 0 points
    plies, luck : (pairs, 2); luck is the first player's less the second's, in points
    points : value of each outcome class
    """

    outcome: npt.NDArray[np.int32]
    plies: npt.NDArray[np.int32]
    luck: npt.NDArray[np.float64]
    points: tuple[float, ...]

    @property
    def pairs(self) -> int:
        """Number of pairs of games."""
        return len(self.outcome)

    @property
    def results(self) -> npt.NDArray[np.float64]:
        """(pairs, 2) points won by the first player, as played."""
        values = np.array([*self.points, 0.0])  # class -1 is the last entry
        return values[self.outcome]

    @property
    def raw(self) -> tuple[float, float]:
        """(points a game, standard error over pairs), as played."""
        return _mean(self.results)

    @property
    def adjusted(self) -> tuple[float, float]:
        """(points a game, standard error over pairs), less the luck of the dice."""
        return _mean(self.results - self.luck)

    @property
    def wins(self) -> float:
        """Share of the games that the first player won, as played."""
        half = len(self.points) // 2
        return float(((self.outcome >= 0) & (self.outcome < half)).mean())

    @property
    def classes(self) -> npt.NDArray[np.int64]:
        """Number of games by outcome class for the first player."""
        return np.bincount(self.outcome[self.outcome >= 0], minlength=len(self.points))

    @property
    def first_mover(self) -> npt.NDArray[np.int32]:
        """(pairs, 2) outcome classes for the side that began each game, whoever it was."""
        begun, half = self.outcome.copy(), len(self.points) // 2
        begun[:, 1] = np.where(begun[:, 1] < 0, -1, (begun[:, 1] + half) % (2 * half))
        return begun

    @property
    def first_mover_points(self) -> tuple[float, float]:
        """(points a game of the side that began, standard error over pairs), less the luck."""
        return _mean((self.results - self.luck) * (1, -1))

    @property
    def first_mover_wins(self) -> tuple[float, float]:
        """(share of the games won by the side that began, standard error over pairs)."""
        begun = self.first_mover
        return _mean((begun >= 0) & (begun < len(self.points) // 2))


def _mean(values: npt.NDArray[Any]) -> tuple[float, float]:
    pairs = values.mean(axis=1)
    spread = float(pairs.std(ddof=1)) / len(pairs) ** 0.5 if len(pairs) > 1 else float("nan")
    return float(pairs.mean()), spread


def duel(
    first: Player,
    second: Player,
    *,
    pairs: int,
    luck: Evaluator | None = None,
    referee: Evaluator | None = None,
    starts: npt.ArrayLike | None = None,
    opening: bool | None = None,
    seed: int = 1,
    threads: int = 1,
    progress: Callable[[Duel], object] | None = None,
) -> Duel:
    """Play `pairs` pairs of games; the result does not depend on `threads`.

    luck : estimates the luck of the rolls; None leaves luck at 0
    referee : the evaluator whose rules, options and points hold; by default the first evaluator
        among `luck`, `first` and `second`
    starts : boards (n, 8), side on roll first; pair k begins with board k mod n. By default the
        start of the game
    opening : the first roll is no double. By default as the rules throw it from the start of the
        game, and any roll from other boards
    progress : called now and then with the duel so far

    ValueError for players of different games, impossible boards and illegal plays.
    """
    if referee is None:
        known = [
            e
            for player in (luck, first, second)
            for e in (player if isinstance(player, tuple) else (player,))
            if isinstance(e, Evaluator)
        ]
        if not known:
            raise ValueError("duel: no evaluator says which game is played")
        referee = known[0]
    if pairs < 1:
        raise ValueError(f"duel: {pairs} pairs")
    game = referee.game
    if opening is None:
        opening = starts is None and not _rules.opening_doubles(game)
    boards = _rules.start(game)[None] if starts is None else starts
    settings: dict[str, Any] = {"opening": opening, "seed": seed, "threads": threads}
    parts: list[npt.NDArray[np.void]] = []
    for at in range(0, pairs, _BLOCK):
        size = min(_BLOCK, pairs - at)
        parts.append(
            _duel.run(referee, first, second, luck, boards, first=at, pairs=size, **settings)
        )
        if progress is not None:
            progress(_summed(parts, referee))
    return _summed(parts, referee)


def _summed(parts: list[npt.NDArray[np.void]], referee: Evaluator) -> Duel:
    games = np.concatenate(parts)
    return Duel(games["outcome"], games["plies"], games["luck"], referee.points)
