"""What move filters cost and what they miss, on one core, CPU time.

    python benchmarks/filters.py [--positions 100] [--level 2] [--cubeless]

Middle-game positions of the engine's own games. A choice's loss is what its play is worth less than
the best that "huge" finds, both judged at the level; the mean is in thousandths of a point.
"""

from __future__ import annotations

import argparse
import statistics
import time

from middle_games import middle_game

from nardy_core import Engine
from nardy_core.filters import FILTERS


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--level", type=int, default=2)
    parser.add_argument("--cubeless", action="store_true")
    args = parser.parse_args()
    # An engine each: what one search has found is not there for the next.
    engines = {name: Engine(threads=1) for name in FILTERS}
    sample = middle_game(engines["huge"], "backgammon", args.positions)
    took, chosen = {name: [] for name in FILTERS}, {name: [] for name in FILTERS}
    for place in sample:
        for name, times in took.items():
            begun = time.process_time()
            best = engines[name].analyse(place, level=args.level, top=1, plan=name,
                                         cubeful=not args.cubeless).best
            times.append(time.process_time() - begun)
            chosen[name].append(best)
    for name, times in took.items():
        losses = []
        for place, mine, best in zip(sample, chosen[name], chosen["huge"], strict=True):
            if mine.play == best.play:
                losses.append(0.0)
                continue
            found = engines["huge"].analyse(
                place, level=args.level, top=1, plan="huge", cubeful=not args.cubeless,
                include=[mine.play])
            of = {c.play: c.equity for c in found.candidates}
            losses.append(of[best.play] - of[mine.play])
        print(f"{name:8} median {1e3 * statistics.median(times):7.2f} ms  "
              f"mean {1e3 * statistics.fmean(times):7.2f} ms  loss "
              f"{1e3 * statistics.fmean(losses):.3f}, another play in {sum(map(bool, losses))} "
              f"of {len(sample)}", flush=True)


if __name__ == "__main__":
    main()
