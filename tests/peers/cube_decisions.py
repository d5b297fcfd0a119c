"""2,000 cube decisions beside GNU Backgammon's on the same probabilities.

    python tests/peers/cube_decisions.py        (needs gnubg; half a minute)

Boards come from 0-ply games of our engine. GNU Backgammon says what its static net makes of each,
and its cube equities at 0-ply, which are its cube model on exactly those chances; our model gets
the same chances and the same cube efficiencies. Writes golden/gnubg_cube.csv, what gnubg said, and
golden/gnubg_cube_differences.csv, every decision in which one of the two would charge more than
MARGIN for what the other does, with the reason, which `reason` finds by taking our model apart:

  money table    gnubg answers small bear-offs from its exact table for money, at match scores too;
                 ours solves them for the score. For money both tables say the same.

  free turn      the doubler (or taker) loses the match with the game anyway, so turning the cube
                 costs nothing; gnubg holds a third of such a cube dead, ours has it turned soon;
  playing on     gnubg's live cube always cashes at the cash point; ours plays on where gammons make
                 that worth more;
  2 v 2 away     gnubg takes the cube in the centre as dead there. A loss is the match after the
                 first double, so that double is worth waiting for, and ours waits.
"""

import csv
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[n]) for n in (1, 2)]

import numpy as np
from twin import cube as twin

from nardy_core import cube
from nardy_core.match import MatchEquity
from nardy_core.position import Position

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
SCRIPT = Path(__file__).with_name("gnubg_cube.py")
OWNER = {"centre": -1, "own": 1, "opp": 0}
GNUBG = cube.CubeEfficiency(  # of GNU Backgammon 1.07
    contact=0.68, bearoff=0.60, race=0.55, race_pip=0.00125, race_low=0.60, race_high=0.70)
SCORES = [  # own needs, opp needs, cube
    (3, 3, 1), (5, 3, 1), (2, 4, 1), (4, 2, 1), (7, 7, 1), (9, 4, 2), (2, 2, 1), (4, 1, 1),
    (1, 5, 1), (11, 5, 2),
]
MARGIN = 0.01
NAMES = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")
FIELDS = ("position", *NAMES, "no_double", "double_take", "double_pass")


# ---- positions ----------------------------------------------------------------------------------


def boards(rng, count):
    """Boards of 0-ply games, before the roll, at all stages."""
    from nardy_core import Engine

    engine, found = Engine(threads=1), []
    while len(found) < count:
        position, moments = Position.start(), set(rng.sample(range(2, 70), 8))
        for turn in range(70):
            dice = rng.randrange(1, 7), rng.randrange(1, 7)
            position = engine.analyse(position.with_(dice=None), dice, top=1).best.play.result
            if position.finished:
                break
            if turn in moments:
                found.append(position.with_(dice=None, turn=1))
    rng.shuffle(found)
    return found[:count]


def questions(rng, money=500, each=150):
    """Positions with cube and score: money of all kinds, then each of the ten scores."""
    found = []
    for board in boards(rng, money):
        value = rng.choice([1, 1, 2, 8])
        owner = "own" if value > 1 or rng.random() < 0.3 else "centre"
        found.append(board.with_(cube=value, cube_owner=owner, jacoby=rng.random() < 0.5))
    for own, opp, value in SCORES:
        length = max(own, opp)
        found += [
            board.with_(match_length=length, score_own=length - own, score_opp=length - opp,
                        cube=value, cube_owner="own" if value > 1 else "centre")
            for board in boards(rng, each)
        ]
    return found


def ask(gnubg, positions, plies=0):
    """gnubg's chances and (best, no double, take, pass, …) of each position."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {n: Path(folder) / n for n in ("NARDY_CUBE_IN", "NARDY_CUBE_OUT")}
        with paths["NARDY_CUBE_IN"].open("w") as out:
            for p in positions:
                out.write(json.dumps({
                    "id": p.id("gnu-position"), "cube": p.cube, "owner": OWNER[p.cube_owner],
                    "length": p.match_length, "score": [p.score_opp, p.score_own],
                    "crawford": int(p.crawford), "jacoby": int(p.jacoby),
                    "beavers": int(p.beavers), "plies": plies}) + "\n")
        subprocess.run(
            [gnubg, "-t", "-q", "-r", "-p", str(SCRIPT)], stdin=subprocess.DEVNULL,
            env={**os.environ, "HOME": folder, **{n: str(path) for n, path in paths.items()}},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
            timeout=300 if plies == 0 else 3000)
        lines = paths["NARDY_CUBE_OUT"].read_text().splitlines()
    assert len(lines) == len(positions)
    return [json.loads(line) for line in lines]


def golden(name):
    with (GOLDEN / name).open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


# ---- decisions ----------------------------------------------------------------------------------


def action(no_double, take, drop):
    """What three equities say to do."""
    return ("D" if min(take, drop) > no_double else "ND") + ("/T" if take < drop else "/P")


def margin(ours, theirs):
    """What the other's action costs, in the eyes of the one who charges more for it. `ours` and
    `theirs` are equities (no double, take, pass) that differ in action."""

    def loss(equities, other):
        no_double, take, drop = equities
        best_answer = min(take, drop)
        answered = take if other.endswith("/T") else drop
        best = max(no_double, best_answer)
        done = no_double if other.startswith("ND") else best_answer
        return max(best - done, answered - best_answer)

    return max(loss(ours, action(*theirs)), loss(theirs, action(*ours)))


def decide(position, chances, efficiency=GNUBG):
    """Equities of no double, take and pass; of small bear-offs exactly."""
    found = cube.decide(position, chances, efficiency=efficiency)
    return found.no_double, found.double_take, found.double_pass


def text_book(position, chances, x=None):
    """The same of the plain model: no free turns, everybody cashes at his cash point.

    x : cube efficiency; None = that of GNU Backgammon for the position"""
    p = chances[0]
    wins = {1: p - chances[1], 2: chances[1] - chances[2], 3: chances[2]}
    losses = {1: 1 - p - chances[3], 2: chances[3] - chances[4], 3: chances[4]}
    wins = {k: part / p for k, part in wins.items()} if p else {1: 1.0}
    losses = {k: part / (1 - p) for k, part in losses.items()} if p < 1 else {1: 1.0}
    table = MatchEquity.open()
    a, b = (position.match_length - n for n in (position.score_own, position.score_opp))
    payoff = twin.match(
        table.mwc, lambda n: table.mwc(n, 1, post_crawford=True), a, b,
        "over" if 1 in (a, b) else "before")
    stakes, x = cube.stakes_of(position), GNUBG.of(position) if x is None else x
    found = []
    for value, owner in ((position.cube, position.cube_owner), (2 * position.cube, "opp")):
        ends = [
            sum(part * payoff(sign * k * value) for k, part in mix.items())
            for sign, mix in ((-1, losses), (1, wins))
        ]
        holder = {"centre": "centre", "own": "A", "opp": "B"}[owner]
        curve = twin.forced(payoff, wins, losses, value, stakes.turns(value))[holder]
        live = float(np.interp(p, *zip(*curve, strict=True)))
        mwc = (1 - x) * (ends[0] + p * (ends[1] - ends[0])) + x * live
        found.append(stakes.equity(position.cube, mwc))
    return (*found, stakes.equity(position.cube, payoff(position.cube)))


def as_gnubg(position, chances):
    """GNU Backgammon's equities of its own chances, made again by our parts; None where it answers
    from its table for money at a match score."""
    if not position.match_length:
        return decide(position, chances)
    if cube.is_exact(position):
        return None
    return text_book(position, chances, 0.0 if two_away(position) else None)


def two_away(position):
    """Both sides need two, the cube in the centre: dead to gnubg."""
    needs = position.match_length - position.score_own, position.match_length - position.score_opp
    return needs == (2, 2) and position.cube == 1


def precision(position):
    """To how much gnubg's equities follow from its chances: floats of 24 bits, and tables of small
    bear-offs with 16."""
    return 2e-4 if cube.is_exact(position) else 1e-5


def reason(position, chances, theirs):
    """Why ours is unlike theirs, or None if that cannot be told."""
    if not position.match_length:
        return None
    a, b = (position.match_length - n for n in (position.score_own, position.score_opp))
    value, centre = position.cube, position.cube_owner == "centre"
    if cube.is_exact(position):
        return "money table"
    if two_away(position):
        return "2 v 2 away"
    if b <= value < a or (centre and a <= value < b) or a <= 2 * value < b:
        return "free turn"
    book = text_book(position, chances)
    close = all(abs(x - y) < 1e-5 for x, y in zip(book, theirs, strict=True))
    return "playing on" if close else None


def differences(rows):
    """(row, our action, theirs, margin, reason) of decisions unlike by more than MARGIN."""
    for row in rows:
        position = Position.parse(row["position"])
        chances = [float(row[name]) for name in NAMES]
        theirs = tuple(float(row[n]) for n in ("no_double", "double_take", "double_pass"))
        ours = decide(position, chances)
        if action(*ours) == action(*theirs):
            continue
        apart = margin(ours, theirs)
        if apart > MARGIN:
            yield row, action(*ours), action(*theirs), apart, reason(position, chances, theirs)


def main():
    path = shutil.which("gnubg", path=os.environ.get("PATH", "") + os.pathsep + "/usr/games")
    if not path:
        sys.exit("gnubg is missing")
    positions = questions(random.Random(21))
    with (GOLDEN / "gnubg_cube.csv").open("w") as out:
        out.write("# GNU Backgammon 1.07 at 0-ply; python tests/peers/cube_decisions.py\n")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(FIELDS)
        for position, answer in zip(positions, ask(path, positions), strict=True):
            numbers = [*answer["chances"][:5], *answer["found"][1:4]]
            writer.writerow([position.id("xgid"), *(f"{value:.6f}" for value in numbers)])
    found = write_differences()
    print(f"{len(positions)} decisions, {found} unlike by more than {MARGIN}")


def write_differences():
    found = list(differences(golden("gnubg_cube.csv")))
    with (GOLDEN / "gnubg_cube_differences.csv").open("w") as out:
        out.write("# python tests/peers/cube_decisions.py, which also says what the reasons mean\n")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("position", "ours", "gnubg", "margin", "reason"))
        for row, ours, theirs, apart, why in found:
            writer.writerow((row["position"], ours, theirs, f"{apart:.4f}", why or "?"))
    return len(found)


if __name__ == "__main__":
    main()
