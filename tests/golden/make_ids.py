"""Writes ids.csv and ids_long.csv beside this file, and confirms ids.csv with GNU Backgammon.

    python tests/golden/make_ids.py [--gnubg PROGRAM]     needs gnubg; writes only if all agree

Each position is written in all forms. gnubg then is given our `PositionID:MatchID` and our XGID and
has to print the same ids and, as a raw FIBS board, the same squares, turn, dice, cube, may-double
flags and borne-off counts. gnubg does not take ids with an offer pending, so it is given the
position before and doubles, redoubles or resigns itself. gnubg seats the side on roll at the bottom
when it reads an XGID, so positions of turn 0 come back with the seats exchanged. OGID is not known
to gnubg: its column rests on our writer alone, checked by hand against the published examples in
tests/test_ids.py.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from nardy_core.position import Position  # noqa: E402 (found by the path set above)

FORMS = ("text", "gnu", "xgid", "ogid", "fibs", "fibs-gnubg")
RESIGN = {1: "normal", 2: "gammon", 3: "backgammon"}


def short_positions() -> dict[str, Position]:
    start = Position.start
    named = {
        "start": start(),
        "start no jacoby": start(jacoby=False),
        "start no beavers": start(beavers=False),
        "start top on roll": start(turn=0, dice=(4, 2)),
        "start rolled": start(dice=(3, 1)),
        "nackgammon": start("nackgammon", turn=0, dice=(6, 5)),
        "match 5": start(match_length=5, score_own=1, score_opp=3),
        "crawford own": start(match_length=7, score_own=6, score_opp=2, crawford=True),
        "crawford opp": start(match_length=7, score_own=2, score_opp=6, crawford=True, turn=0),
        "after crawford": start(match_length=7, score_own=6, score_opp=2),
        "double match point": start(match_length=9, score_own=8, score_opp=8, dice=(6, 6)),
        "match of 25": start(match_length=25, score_own=24, score_opp=11, turn=0),
        "money session score": start(score_own=12, score_opp=31),
        "doubled": start(offer="doubled"),
        "doubled by top": start(offer="doubled", turn=0, match_length=3, score_opp=1),
        "redoubled": start(cube=2, cube_owner="own", offer="doubled"),
        "beavered": start(offer="beavered"),
        "beavered redouble": start(cube=4, cube_owner="own", offer="beavered", turn=0),
        "raccooned": start(offer="raccooned", turn=0),
        "resigned": start(dice=(5, 2), resigned=1),
        "resigned gammon": start(dice=(2, 2), resigned=2, cube=2, cube_owner="opp"),
        "resigned backgammon": start(turn=0, resigned=3),
    }
    # Off the start: whatever a seeded generator places, without thought of how it came about.
    rng = random.Random(20)
    for k in range(34):
        named[f"random {k + 1}"] = random_position(rng, k)
    return named


def random_position(rng: random.Random, k: int) -> Position:
    while True:
        points = [0] * 26
        for sign in (1, -1):
            for _ in range(15 - (rng.randrange(12) if k % 3 == 0 else 0)):
                bar = 0 if sign > 0 else 25  # the other side's
                free = [n for n in range(26) if points[n] * sign >= 0 and n != bar]
                weights = [6 if points[n] else 1 for n in free]
                points[rng.choices(free, weights)[0]] += sign
        points[0] = -abs(points[0])
        length = rng.choice([0, 0, 3, 5, 7, 11, 17])
        owner = rng.choice(["centre", "own", "opp"])
        cube = 1 if owner == "centre" else 2 ** rng.randint(1, 7)
        try:
            return Position.from_points(
                points,
                turn=k % 2,
                match_length=length,
                jacoby=rng.random() < 0.5,
                score_own=rng.randrange(length or 9),
                score_opp=rng.randrange(length or 9),
                cube=cube,
                cube_owner=owner,
                beavers=rng.random() < 0.5,
                dice=rng.choice([None, (rng.randint(1, 6), rng.randint(1, 6))]),
            )
        except ValueError:  # both sides on one point: draw again
            continue


def long_positions() -> dict[str, Position]:
    parse, start = Position.parse, Position.start
    return {
        "start": start("long_nardy"),
        "black to move": parse("w=24:14,4:1 b=24:15 turn=b dice=33"),
        "straddling wall": parse(
            "w=24:3,23:3,22:2,21:1,20:1,17:1,14:1,13:1,7:1,1:1 "
            "b=24:3,23:2,22:3,21:1,20:1,18:1,16:1,15:1,14:1,7:1 turn=w dice=65"
        ),
        "dead head": parse("w=24:7,3:3,1:5 b=20:1,11:1,10:1,9:6,8:2,7:1,6:3 turn=w"),
        "bear-off": parse("w=5:4,4:2,3:2,2:1,1:1 b=4:3,3:1,2:2,1:1 turn=b"),
        "match and options": start(
            "long_nardy",
            turn=0,
            match_length=7,
            score_own=6,
            score_opp=3,
            crawford=True,
            wall_check="turn",
            head_exception="blocked",
            bearoff_from="next_turn",
        ),
        "cube": start("long_nardy", cube=4, cube_owner="own", offer="doubled", max_cube=64),
        "cube without limit": parse("start:long_nardy:federation").with_(dice=(4, 3)),
        "no cube": start("long_nardy", max_cube=1, dice=(6, 6), head_limit=None),
        "money rules": start("long_nardy", max_cube=None, jacoby=True, beavers=True, stake_cap=16),
    }


def written(position: Position, form: str) -> str:
    try:
        return position.id(form)
    except ValueError:
        return ""


class Gnubg:
    """Runs commands and answers the ids and raw boards that `show board` printed."""

    SHOW = ["set output rawboard off", "show board", "set output rawboard on", "show board"]

    def __init__(self, program: str) -> None:
        self.program = program

    def ask(self, commands: list[str]) -> tuple[str, list[str]]:
        script = [
            "set automatic game off",
            "set automatic roll off",
            "set player 0 human",
            "set player 1 human",
            "set player 0 name P0",
            "set player 1 name P1",
            "set beavers 3",
            "set confirm new off",
            "new session",
            *commands,
            *self.SHOW,
        ]
        with tempfile.TemporaryDirectory() as home:
            path = Path(home) / "commands"
            path.write_text("\n".join(script) + "\n")
            done = subprocess.run(
                [self.program, "-t", "-q", "-c", str(path)],
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                env={**os.environ, "HOME": home},
                timeout=60,
            )
        ids = [
            line.split(":")[1].strip()
            for line in done.stdout.splitlines()
            if "Position ID:" in line or "Match ID   :" in line
        ]
        raw = [line for line in done.stdout.splitlines() if line.startswith("board:")]
        if not raw or len(ids) < 2:
            sys.exit(f"gnubg: no answer to {commands}: {done.stdout[-500:]}{done.stderr[-500:]}")
        return f"{ids[-2]}:{ids[-1]}", raw[-1].split(":")


def disagreements(p: Position, gnubg: Gnubg) -> list[str]:
    before = p.with_(offer="none", resigned=0)
    commands = [f"set gnubgid {before.id('gnu')}"]
    commands += {
        "none": [],
        "doubled": ["double"],
        "beavered": ["double", "redouble"],
        "raccooned": ["double", "redouble", "redouble"],
    }[p.offer]
    if p.resigned:
        commands.append(f"resign {RESIGN[p.resigned]}")
    found = []
    ids, raw = gnubg.ask(commands)
    if ids != p.id("gnu"):
        found.append(f"gnu: ours {p.id('gnu')}, gnubg's {ids}")
    shown = p.with_(resigned=0)
    if p.offer in ("none", "doubled"):
        # The raw board has player 1 first, as the plain dialect has, with gnubg's last two fields.
        ours = shown.id("fibs").split(":")
        theirs = shown.id("fibs-gnubg").split(":")
        ours[3], ours[33:41], ours[47:53] = theirs[3], theirs[33:41], theirs[47:53]
        ours[40] = str(int(ours[40]) * int(ours[32]))  # signed by the doubler in this print
        wrong = [n for n in range(3, 53) if ours[n] != raw[n]]
        if wrong:
            found.append(f"fibs fields {wrong}: ours {':'.join(ours)}, gnubg's {':'.join(raw)}")
    if not p.resigned and p.offer == "none":
        ids, _ = gnubg.ask([f"set xgid {p.id('xgid')}"])
        seated = p.with_(turn=1)
        if ids != seated.id("gnu"):
            found.append(f"xgid: ours {seated.id('gnu')}, gnubg's {ids}")
    if p.offer == "doubled":  # gnubg steps back to before the double
        ids, _ = gnubg.ask([f"set xgid {p.id('xgid')}"])
        seated = p.with_(turn=1, offer="none")
        if ids != seated.id("gnu"):
            found.append(f"xgid: ours {seated.id('gnu')}, gnubg's {ids}")
    return found


def save(path: Path, rows: dict[str, Position], forms: tuple[str, ...]) -> None:
    with path.open("w", encoding="ascii", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("name", *forms))
        for name, position in rows.items():
            writer.writerow((name, *(written(position, form) for form in forms)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gnubg", default="gnubg", help="the program (default: gnubg)")
    gnubg = Gnubg(parser.parse_args().gnubg)
    rows = short_positions()
    bad = 0
    for name, position in rows.items():
        for line in disagreements(position, gnubg):
            print(f"{name}: {line}")
            bad += 1
    print(f"{len(rows)} positions, {bad} disagreements")
    if bad:
        sys.exit(1)
    here = Path(__file__).parent
    save(here / "ids.csv", rows, FORMS)
    save(here / "ids_long.csv", long_positions(), ("text", "ndid", "ln"))


if __name__ == "__main__":
    main()
