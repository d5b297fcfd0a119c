"""Legal results of a roll per CPU second: nardy_core, gnubg-nn and OpenSpiel on the same positions.

    python benchmarks/peers/movegen.py [--positions 2000] [--seconds 1] [--rounds 3]

Positions and rolls come from seeded random games, walked in OpenSpiel because it takes no
positions. nardy_core loops in C over distinct results with the play that makes each. gnubg-nn is
asked once a roll from Python and answers with the keys of the distinct results. OpenSpiel is asked
for the legal actions only, the first half of a double; results would have to be made one by one.
The rounds alternate between the programs; the best round of each counts.
"""

import argparse
import random
import sys
import time
from pathlib import Path

import gnubg_nn
import numpy as np
import pyspiel

from nardy_core._border import _rules

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from peers.rules import openspiel_walk, to_gnubg
from twin.planes import to_planes


def rate(call, rolls, seconds):
    """Rolls per CPU second of this process: whole passes until `seconds` have been used."""
    passes, start = 0, time.process_time()
    while (used := time.process_time() - start) < seconds:
        call()
        passes += 1
    return passes * rolls / used


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time of a round")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()

    walk = openspiel_walk(pyspiel, random.Random(1))
    cases = [
        (state.clone(), position, dice)
        for _, (state, position, dice) in zip(range(arguments.positions), walk, strict=False)
    ]
    boards = np.array([to_planes(*position) for _, position, _ in cases])
    dice = np.array([dice for _, _, dice in cases], dtype=np.uint32)
    questions = [(to_gnubg(position), *dice) for _, position, dice in cases]
    states = [state for state, _, _ in cases]

    def ours():
        return _rules.bench_generate("backgammon", boards, dice, 20)

    def gnubg():
        moves = gnubg_nn.moves
        for board, d1, d2 in questions:
            moves(board, d1, d2)

    def openspiel():
        for state in states:
            state.legal_actions()

    results = _rules.bench_generate("backgammon", boards, dice, 1)
    programs = {
        "nardy_core": (ours, 20),
        "gnubg-nn": (gnubg, 1),
        "OpenSpiel (actions only)": (openspiel, 1),
    }
    best = dict.fromkeys(programs, 0.0)
    for _ in range(arguments.rounds):
        for name, (call, passes) in programs.items():
            best[name] = max(best[name], rate(call, passes * len(cases), arguments.seconds))
    print(
        f"{len(cases)} rolls of random games, {results / len(cases):.1f} results a roll, "
        f"CPU time, best of {arguments.rounds}"
    )
    for name, speed in best.items():
        print(
            f"{name:25} {speed:12,.0f} rolls/s {speed * results / len(cases):14,.0f} results/s"
            f"   nardy_core is {best['nardy_core'] / speed:.1f} times as fast"
        )


if __name__ == "__main__":
    main()
