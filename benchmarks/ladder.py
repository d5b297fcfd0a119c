"""A ladder of nets: each state of a campaign against the one before it, by games with paired dice.

    python benchmarks/ladder.py [--game long_nardy] [--pairs 300] [--seed 5] FOLDER FOLDER …

Folders hold net files, oldest first; `shipped` stands for the nets in use, `random` for a player
without any. `nardy train --dir DIR` leaves the states of its campaign in DIR/nets, a folder a
stage, in an order that a shell's DIR/nets/* keeps. Everybody plays at 0-ply; the luck of the dice,
as the newer of the two sees it, is taken off. Ends with 1 if a step is not upwards by two standard
errors, so that it can be a check.
"""

import argparse
import sys
from itertools import pairwise
from pathlib import Path

from nardy_core import Engine, Position
from nardy_core.duel import duel
from nardy_core.evaluator import Evaluator

GAMES = ("backgammon", "long_nardy")


def player(folder: str, game: str) -> tuple[Evaluator | None, Evaluator | None]:
    """(who plays, who judges luck)."""
    if folder == "random":
        return None, None
    model = Engine(None if folder == "shipped" else folder).model(Position.start(game))
    return model.static, model.search


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--game", choices=GAMES, default=GAMES[1])
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    if len(args.folders) < 2:
        parser.error("a ladder has at least two steps")
    upwards = True
    for older, newer in pairwise(args.folders):
        (new, luck), (old, other) = player(newer, args.game), player(older, args.game)
        games = duel(
            new, old, pairs=args.pairs, luck=luck or other, seed=args.seed, threads=args.threads
        )
        points, error = games.adjusted
        upwards &= points > 2 * error
        print(
            f"{Path(newer).name:<20} over {Path(older).name:<20} {points:+.4f} ± {error:.4f} "
            f"points a game, {100 * games.wins:.2f}% won, {games.pairs} pairs",
            flush=True,
        )
    return 0 if upwards else 1


if __name__ == "__main__":
    sys.exit(main())
