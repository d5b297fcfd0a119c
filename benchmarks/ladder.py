"""A ladder of nets: each state of a campaign against those before it, by games with paired dice.

    python benchmarks/ladder.py [--game long_nardy] [--pairs 300] [--earlier 100] [--seed 5]
                                FOLDER FOLDER …

Folders hold net files, oldest first; `shipped` stands for the nets in use, `random` for a player
without any. `nardy train --dir DIR` leaves the states of its campaign in DIR/nets, a folder a
stage, in an order that a shell's DIR/nets/* keeps. Everybody plays at 0-ply; the luck of the dice,
as the newer of the two sees it, is taken off. The state before is met `--pairs` times, each of the
earlier ones `--earlier` times, as those differ by more; 0 leaves them out. Ends with 1 if a state
is not ahead of each by two standard errors, so that it can be a check.
"""

import argparse
import dataclasses
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from nardy_core import Engine, Position
from nardy_core.duel import duel
from nardy_core.evaluator import Evaluator

GAMES = ("backgammon", "long_nardy")


@dataclasses.dataclass(frozen=True)
class Row:
    """What the newer state won of the older one, in points a game."""

    newer: str
    older: str
    points: float
    error: float
    wins: float
    pairs: int

    @property
    def upwards(self) -> bool:
        return self.points > 2 * self.error

    def __str__(self) -> str:
        return (f"{Path(self.newer).name:<20} over {Path(self.older).name:<20} "
                f"{self.points:+.4f} ± {self.error:.4f} points a game, "
                f"{100 * self.wins:.2f}% won, {self.pairs} pairs")


def player(folder: str, game: str) -> tuple[Evaluator | None, Evaluator | None]:
    """(who plays, who judges luck)."""
    if folder == "random":
        return None, None
    model = Engine(None if folder == "shipped" else folder).model(Position.start(game))
    return model.static, model.search


def ladder(
    states: Sequence[str], game: str, pairs: int, earlier: int, *, seed: int, threads: int = 1
) -> Iterator[Row]:
    """Each state against the one before it, then against the others before that, nearest first."""
    players = [player(state, game) for state in states]
    for n, (new, luck) in enumerate(players):
        for k in range(n - 1, -1, -1):
            count = pairs if k == n - 1 else earlier
            if count:
                old, other = players[k]
                games = duel(new, old, pairs=count, luck=luck or other, seed=seed, threads=threads)
                yield Row(states[n], states[k], *games.adjusted, games.wins, games.pairs)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--game", choices=GAMES, default=GAMES[1])
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--earlier", type=int, default=100)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args(words)
    if len(args.folders) < 2:
        parser.error("a ladder has at least two steps")
    upwards = True
    for row in ladder(args.folders, args.game, args.pairs, args.earlier, seed=args.seed,
                      threads=args.threads):
        upwards &= row.upwards
        print(row, flush=True)
    return 0 if upwards else 1


if __name__ == "__main__":
    sys.exit(main())
