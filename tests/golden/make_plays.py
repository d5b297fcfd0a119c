"""Writes plays.csv beside this file: all legal plays of some rolls in GNU Backgammon's own words.

python tests/golden/make_plays.py [--gnubg PROGRAM]     needs gnubg
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from nardy_core.position import Position  # noqa: E402 (found by the path set above)

ROLLS = [(a, b) for a in range(1, 7) for b in range(1, a + 1)]
_MOVE = re.compile(r"^ *\d+\. Cubeful 0-ply +(.*?) +Eq\.:", re.MULTILINE)


def cases() -> list[tuple[Position, tuple[int, int]]]:
    """The start position with every roll, then random positions, full of blots and hits."""
    rng = random.Random(4)
    found = [(Position.start(), roll) for roll in ROLLS]
    while len(found) < 63:
        points = [0] * 26
        for sign, bar in ((1, 25), (-1, 0)):
            for _ in range(15):
                n = rng.choice(
                    [n for n in range(1, 25) if points[n] * sign >= 0]
                    + [bar] * (rng.random() < 0.2)
                )
                points[n] += sign
        points[0] = -abs(points[0])
        found.append((Position.from_points(points, jacoby=False), ROLLS[len(found) % 21]))
    return found


def plays(program: str, position: Position, roll: tuple[int, int]) -> list[str]:
    script = [
        "set automatic game off",
        "set automatic roll off",
        "set confirm new off",
        "new session",
        f"set gnubgid {position.id('gnu')}",
        f"set dice {roll[0]} {roll[1]}",
        "set evaluation chequerplay evaluation plies 0",
        "hint 9999",
    ]
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / "commands"
        path.write_text("\n".join(script) + "\n")
        done = subprocess.run(
            [program, "-t", "-q", "-c", str(path)],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            env={**os.environ, "HOME": home},
        )
    found = _MOVE.findall(done.stdout)
    if not found and "no legal" not in done.stdout.lower():
        sys.exit(f"gnubg: no plays for {position!r} {roll}: {done.stdout[-400:]}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gnubg", default="gnubg", help="the program (default: gnubg)")
    program = parser.parse_args().gnubg
    with Path(__file__).with_name("plays.csv").open("w", encoding="ascii", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("position", "dice", "plays"))
        for position, roll in cases():
            words = sorted(plays(program, position, roll))
            writer.writerow((position.id("xgid"), f"{roll[0]}{roll[1]}", "; ".join(words)))


if __name__ == "__main__":
    main()
