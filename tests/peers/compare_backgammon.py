"""Legal results of short nardy: the engine against gnubg-nn and OpenSpiel, at length.

    python tests/peers/compare_backgammon.py [--positions 200000] [--openspiel 20000] [--seed 1]
                                             [--perft]

Needs both peers (pip install gnubg-nn open-spiel) beside nardy_core. Positions are seeded: games of
random plays, random placement, blocks with checkers on the bar, bearing off; one random roll each.
OpenSpiel is walked through random games. Prints figures and every difference; exit code 1 if any.
"""

import argparse
import random
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from perft import tables
from twin import backgammon_positions as positions

from peers import rules


def report(label, start, count, results, largest, differences):
    seconds = time.process_time() - start
    print(
        f"{label}: {count} rolls, {results} results, at most {largest} a roll, "
        f"{differences} differences, {seconds:.0f} CPU s",
        flush=True,
    )


def compare(label, cases, theirs):
    """Number of differences. `cases` gives (position, dice, what the peer is asked with)."""
    start, count, results, largest, differences = time.process_time(), 0, 0, 0, 0
    for position, dice, question in cases:
        mine, other = rules.ours(position, dice), theirs(question, dice)
        count, results, largest = count + 1, results + len(mine), max(largest, len(mine))
        if mine != other:
            differences += 1
            print(
                f"DIFFERENCE {label}: {position} {dice}: only ours {mine - other}, "
                f"only theirs {other - mine}"
            )
    report(label, start, count, results, largest, differences)
    return differences


def with_gnubg(gnubg_nn, count, seed):
    """`count` positions of each source."""

    def theirs(position, dice):
        return rules.gnubg_results(gnubg_nn, position, dice)

    def walk(position, d1, d2):
        return rules.ours(position, (d1, d2))

    return sum(
        compare(
            f"gnubg-nn, {source}",
            (
                (position, dice, position)
                for position, dice in positions.sample(
                    source,
                    random.Random(f"{seed} {source}"),
                    count,
                    **({"results": walk} if source == "random play" else {}),
                )
            ),
            theirs,
        )
        for source in positions.SOURCES
    )


def with_openspiel(pyspiel, count, seed):
    walk = rules.openspiel_walk(pyspiel, random.Random(seed))
    cases = (
        (position, dice, state)
        for (state, position, dice), _ in zip(walk, range(count), strict=False)
    )
    return compare("OpenSpiel, random games", cases, rules.openspiel_results)


def perft_with_gnubg(gnubg_nn, deepest=float("inf")):
    """The perft table's lines of default rules counted by gnubg-nn alone."""
    counted = wrong = 0
    for row in tables.load("backgammon"):
        if row.options != tables.twin_of("backgammon").DEFAULT:
            continue
        for depth, count in enumerate(row.counts, 1):
            if count > deepest:
                continue
            found = rules.gnubg_perft(
                gnubg_nn, row.position, depth, tables.twin_of("backgammon").ROLLS
            )
            counted += 1
            if found != count:
                wrong += 1
                print(f"DIFFERENCE perft {row.name} depth {depth}: {count}, gnubg-nn {found}")
    print(f"perft: {counted} counts by gnubg-nn, {wrong} differences")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=200_000)
    parser.add_argument("--openspiel", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--perft", action="store_true", help="only the perft table, by gnubg-nn")
    arguments = parser.parse_args()
    gnubg_nn = rules.peer("gnubg_nn", "gnubg-nn")
    if arguments.perft:
        return perft_with_gnubg(gnubg_nn) > 0
    pyspiel = rules.peer("pyspiel", "open-spiel")
    each = -(-arguments.positions // len(positions.SOURCES))
    wrong = with_gnubg(gnubg_nn, each, arguments.seed)
    wrong += with_openspiel(pyspiel, arguments.openspiel, arguments.seed)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
