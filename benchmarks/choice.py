"""Candidates a second in 0-ply move choice on one thread, generation and preselection included.

    python benchmarks/choice.py [--nets FOLDER] [--game long_nardy]

Two samples, always the same: positions of games the engine plays against itself, and of games of
random plays. CPU time, best of five.
"""

import argparse
import time
from collections.abc import Iterator

import numpy as np

from nardy_core import Engine, Position
from nardy_core._border import _rules
from nardy_core.evaluator import Evaluator

GAMES = ("backgammon", "long_nardy")


def sample(
    game: str, evaluator: Evaluator, wise: bool, size: int = 1500
) -> Iterator[tuple[object, object]]:
    rng = np.random.default_rng(5)
    start = board = _rules.start(game)
    for _ in range(size):
        dice = rng.integers(1, 7, 2)
        yield board, dice
        results = evaluator.choose(board, dice)[0]
        after = results[0 if wise else rng.integers(len(results))]
        board = np.concatenate([after[4:], after[:4]])
        if _rules.phase(game, board) < 2:
            board = start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nets", help="folder of net files; default: those shipped")
    parser.add_argument("--game", choices=GAMES, default=GAMES[0])
    args = parser.parse_args()
    evaluator = Engine(args.nets).model(Position.start(args.game)).search
    for wise in (True, False):
        boards, dice = map(np.array, zip(*sample(args.game, evaluator, wise), strict=True))
        dice = dice.astype(np.uint32)
        candidates = sum(
            len(_rules.results(args.game, b, d)[0]) for b, d in zip(boards, dice, strict=True)
        )
        best = float("inf")
        for _ in range(5):
            begun = time.process_time()
            evaluator.bench_choose(boards, dice, 10)
            best = min(best, (time.process_time() - begun) / 10)
        print(
            f"{'own games' if wise else 'random games':12} "
            f"{candidates / best / 1e6:5.2f} M candidates/s, {len(boards) / best:,.0f} rolls/s, "
            f"{candidates / len(boards):.1f} candidates a roll ({evaluator.kernels})"
        )


if __name__ == "__main__":
    main()
