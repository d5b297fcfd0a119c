"""Fills or renews the counts of a perft table with the twin of its game.

    python tests/perft/remake.py tests/perft/backgammon.perft [--check] [--known-above N]

Keeps the comments and the first three fields of each line; counts as deep as the line has them
(two turns where it has none). Differences from numbers already there are told and are an error;
with --check nothing is written. Counts above --known-above that are already there are taken as
they are (the twin needs about a minute for six millions).
"""

import argparse
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from perft import tables


def renewed(row, known_above):
    game = tables.twin_of(row.game)
    depths = range(1, (len(row.counts) or 2) + 1)
    counts = tuple(
        row.counts[k - 1]
        if row.counts and row.counts[k - 1] > known_above
        else game.perft(row.position, k, row.options)
        for k in depths
    )
    per_roll = tuple(len(game.results(row.position, *roll, row.options)) for roll in game.ROLLS)
    dice = tuple(game.dice_played(row.position, *roll, row.options) for roll in game.ROLLS)
    return row._replace(counts=counts, per_roll=per_roll, dice=dice)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--known-above", type=float, default=float("inf"))
    arguments = parser.parse_args()
    lines, wrong = [], 0
    for line in arguments.table.read_text().splitlines():
        if line and not line.startswith("#"):
            row = tables.parse(arguments.table.stem, line)
            new = renewed(row, arguments.known_above)
            for field in ("counts", "per_roll", "dice"):
                old = getattr(row, field)
                if old and old != getattr(new, field):
                    print(f"{row.name} ({row.option_text}): {field} {old} -> {getattr(new, field)}")
                    wrong += 1
            line = tables.show(new)
        lines.append(line)
    if not arguments.check:
        arguments.table.write_text("\n".join(lines) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
