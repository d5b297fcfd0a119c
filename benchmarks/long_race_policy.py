"""What playing each side for itself costs: the race table of long nardy against its own play.

    nardy db build long-race; python benchmarks/long_race_policy.py [--positions 1000]

Races from games of the engine against itself are rolled out with plays that look at both sides (the
table's equity after each), luck removed by the table, 144 trials each. The mean difference to the
table's value is what its one-sided plays miss, less what remains of chance.
"""

import argparse

import numpy as np

from nardy_core import Engine, Position
from nardy_core._border import _rules
from nardy_core._border._rollout import CHUNK, Trials
from nardy_core.bearoff import bearoff_tables, long_race
from nardy_core.evaluator import Evaluator

GAME, CHUNKS, EQUITY, SQUARES = "long_nardy", 4, 17, 18


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=1000)
    wanted = parser.parse_args().positions
    model = Engine().model(Position.start(GAME))
    nets = {name: net for name, net in model.nets if name != "small"}
    exact = Evaluator(GAME, nets, bearoff=bearoff_tables().one, race=long_race())
    points = np.array(exact.points)
    rng = np.random.default_rng(8)
    found, errors, mars = [], [], []
    while len(found) < wanted:
        board, races = _rules.start(GAME), []
        while (phase := _rules.phase(GAME, board)) > 1:
            if phase == 2:
                races.append(board)
            best = model.search.choose(board, rng.integers(1, 7, 2))[0][0]
            board = np.concatenate([best[4:], best[:4]])
        if races:
            board = races[rng.integers(len(races))][None]
            chances = exact.evaluate(board)[0]
            value = float(chances @ points)
            raw = Trials(exact, exact, board, seed=len(found) + 1).run(0, CHUNKS)[0].sum(axis=0)
            n = CHUNKS * CHUNK
            mean = raw[EQUITY] / n
            found.append(mean - value)
            errors.append((max(raw[SQUARES] / n - mean**2, 0) / n) ** 0.5)
            mars.append(chances[[1, 3, 5, 7]].sum() > 0.02)
    gap, close = np.abs(found), np.array(mars)
    for what, chosen in (("races, one a game", slice(None)), ("with more than 2 % mars", close)):
        these = gap[chosen]
        print(f"{len(these)} {what}: mean |difference| {these.mean():.5f}, "
              f"rms {(these**2).mean()**0.5:.5f}, largest {these.max():.5f} points; "
              f"mean standard error {np.mean(np.array(errors)[chosen]):.5f}")


if __name__ == "__main__":
    main()
