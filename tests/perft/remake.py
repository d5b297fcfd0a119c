"""Fills or renews the counts of a perft table with the twin of its game.

    python tests/perft/remake.py tests/perft/backgammon.perft [--check] [--max-d2 N]

Keeps the comments and the first three fields of each line; counts as deep as the line has them
(two turns where it has none). With --check nothing is written and differences are an error; depths
whose known count is above --max-d2 are then left out.
"""

import argparse
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from perft import tables


def renewed(row, limit):
    game = tables.twin_of(row.game)
    depths = range(1, (len(row.counts) or 2) + 1)
    counts = tuple(row.counts[k - 1] if row.counts and row.counts[k - 1] > limit else
                   game.perft(row.position, k, row.options) for k in depths)
    per_roll = tuple(len(game.results(row.position, *roll, row.options)) for roll in game.ROLLS)
    dice = tuple(game.dice_played(row.position, *roll, row.options) for roll in game.ROLLS)
    return row._replace(counts=counts, per_roll=per_roll, dice=dice)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--max-d2", type=float, default=float("inf"))
    arguments = parser.parse_args()
    limit = arguments.max_d2 if arguments.check else float("inf")
    lines, wrong = [], 0
    for line in arguments.table.read_text().splitlines():
        if line and not line.startswith("#"):
            row = tables.parse(arguments.table.stem, line)
            new = renewed(row, limit)
            for field in ("counts", "per_roll", "dice"):
                old = getattr(row, field)
                if old and old != getattr(new, field):
                    print(f"{row.name} ({row.option_text}): {field} {old} -> {getattr(new, field)}")
                    wrong += 1
            line = tables.show(new)
        lines.append(line)
    if not arguments.check:
        arguments.table.write_text("\n".join(lines) + "\n")
    return 1 if arguments.check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
