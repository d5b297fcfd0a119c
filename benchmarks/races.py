"""What choices in long races lose against exact values: backgammon, cubeless for money.

    nardy db build long-race; python benchmarks/races.py [--nets DIR …] [--races 1000]

Races from games of the first nets against themselves, one a game, both sides on their last twelve
points and not both at home, with a random roll. All results of the roll are worth what the race
table says; the loss is that of the play a single look chooses. `off` is how far values of the
positions themselves are from the table's (root mean square).
"""

import argparse

import numpy as np

from nardy_core import Engine, Position
from nardy_core._border import _rules
from nardy_core.bearoff import long_race
from nardy_core.evaluator import default_points, phases_of, swapped
from nardy_core.train.race import RACE, exact

GAME = "backgammon"
POINTS = np.array(default_points(GAME))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nets", nargs="+", default=[None],
                        help="folders of net files; default: those shipped")
    parser.add_argument("--races", type=int, default=1000)
    args = parser.parse_args()
    table = long_race()
    models = [Engine(nets, threads=1).model(Position.start(GAME)) for nets in args.nets]
    rng = np.random.default_rng(5)
    start = _rules.start(GAME)
    losses: list[list[float]] = []
    off: list[list[float]] = []
    while len(losses) < args.races:
        board, found = start, []
        while _rules.phase(GAME, board) >= RACE:
            known = not np.isnan(table.outcomes(board[None])[0, 0])
            if known and _rules.phase(GAME, board) == RACE:
                found.append(board)
            dice = [int(d) for d in rng.integers(1, 7, 2)]
            board = swapped(models[0].search.choose(board, dice)[0][:1])[0]
        if not found:
            continue
        board = found[rng.integers(len(found))]
        value = exact(GAME, table, board[None])[0] @ POINTS
        off.append([model.static.evaluate(board[None])[0] @ POINTS - value for model in models])
        dice = [int(d) for d in rng.integers(1, 7, 2)]
        results = swapped(np.array(models[0].static.choose(board, dice)[0]))
        contact = phases_of(GAME, results) >= RACE
        worth = np.empty(len(results))
        worth[contact] = -(exact(GAME, table, results[contact]) @ POINTS)
        worth[~contact] = -(models[0].static.evaluate(results[~contact]) @ POINTS)  # exact tables
        best = worth.max()
        row = []
        for model in models:
            chosen = swapped(model.search.choose(board, dice)[0][:1])[0]
            row.append(best - worth[(results == chosen).all(axis=1)][0])
        losses.append(row)
    for nets, loss, miss in zip(args.nets, np.array(losses).T * 1000, np.array(off).T * 1000,
                                strict=True):
        print(f"{nets or 'shipped'}: loss {loss.mean():.3f} ± {loss.std() / len(loss)**0.5:.3f} "
              f"thousandths of a point a decision, {len(loss)} races; "
              f"values off by {(miss**2).mean()**0.5:.1f}")


if __name__ == "__main__":
    main()
