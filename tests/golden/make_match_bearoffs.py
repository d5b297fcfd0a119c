"""500 bear-offs at match scores, solved by the slow twin.

    python tests/golden/make_match_bearoffs.py      (some minutes; needs nothing but the tests)

Each row: the position with cube and score, and own's chances to win the match rolling now, after
double and take, and after double and pass; best play and best cube action ever after. The match
equity table is Kazaross-XG2.
"""

import csv
import random
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[n]) for n in (1, 2)]

from twin import cube as twin

from nardy_core.match import MatchEquity
from nardy_core.position import Position

TABLE = MatchEquity.open()
SCORES = [  # own needs, opp needs, cube, owner
    (2, 2, 1, "centre"), (3, 3, 1, "centre"), (2, 3, 1, "centre"), (5, 4, 1, "own"),
    (3, 7, 1, "centre"), (7, 3, 2, "own"), (9, 9, 4, "own"), (1, 4, 1, "centre"),
    (5, 1, 1, "centre"), (13, 6, 2, "opp"),
]


def homes(rng):
    """Six counts: mostly up to three checkers anywhere, now and then up to six low ones."""
    if rng.random() < 0.2:
        counts = [0] * 6
        for _ in range(rng.randint(4, 6)):
            counts[rng.randrange(2)] += 1
        return tuple(counts)
    counts = [0] * 6
    for _ in range(rng.randint(1, 3)):
        counts[rng.randrange(6)] += 1
    return tuple(counts)


def main():
    rng = random.Random(500)
    path = Path(__file__).with_name("match_bearoffs.csv")
    with path.open("w") as out:
        out.write("# by the slow twin; python tests/golden/make_match_bearoffs.py\n")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("position", "no_double", "double_take", "double_pass"))
        for a, b, cube, owner in SCORES:
            payoff = twin.match(
                TABLE.mwc, lambda n: TABLE.mwc(n, 1, post_crawford=True), a, b,
                "over" if 1 in (a, b) else "before")
            game, length = twin.Bearoff(payoff), max(a, b)
            holder = {"centre": "centre", "own": "A", "opp": "B"}[owner]
            for _ in range(50):
                own, opp = homes(rng), homes(rng)
                position = Position(
                    "backgammon", (15 - sum(own), *own, *[0] * 19),
                    (15 - sum(opp), *opp, *[0] * 19), match_length=length, score_own=length - a,
                    score_opp=length - b, cube=cube, cube_owner=owner)
                values = [game.roll("A", own, opp, cube, holder)]
                if owner != "opp":
                    values += [game.roll("A", own, opp, 2 * cube, "B"), payoff(cube)]
                writer.writerow([position.id("xgid"), *(f"{value:.12f}" for value in values)])
            print(f"{a} v {b} away", flush=True)


if __name__ == "__main__":
    main()
