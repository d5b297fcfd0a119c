"""Cube decisions against GNU Backgammon's, from its own chances at 0-ply.

For money both are the same model. At match scores ours differs from theirs in three ways, each
because theirs lets a player do what he should not:
  free turns   who loses the match anyway turns the cube; theirs holds it dead by one part in three;
  playing on   theirs cashes at the cash point even where gammons make playing on worth more;
  2 v 2 away   theirs takes the cube in the centre as dead.
The test knows where these are; everywhere else equities and actions have to agree.
"""

import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from twin import cube as twin

from nardy_core import cube
from nardy_core.match import MatchEquity
from nardy_core.position import Position

SCRIPT = Path(__file__).with_name("gnubg_cube.py")
OWNER = {"centre": -1, "own": 1, "opp": 0}


@pytest.fixture(scope="module")
def gnubg():
    path = os.environ.get("PATH", "") + os.pathsep + "/usr/games"
    found = shutil.which("gnubg", path=path)
    if not found:
        if os.environ.get("NARDY_REQUIRE_PEERS"):
            pytest.fail("gnubg is missing")
        pytest.skip("gnubg is not here (Debian: gnubg)")
    return found


def boards(rng, count):
    """Positions of random play, of all lengths of game."""
    found = []
    while len(found) < count:
        position = Position.start()
        for _ in range(rng.choice([2, 5, 9, 15, 25, 40, 60])):
            dice = rng.randrange(1, 7), rng.randrange(1, 7)
            position = rng.choice(position.legal_plays(dice)).result
            if position.finished:
                break
        else:
            found.append(position.with_(dice=None, turn=1))
    return found


def money(rng, board):
    value = rng.choice([1, 1, 2, 8])
    owner = "own" if value > 1 or rng.random() < 0.3 else "centre"
    return board.with_(cube=value, cube_owner=owner, jacoby=rng.random() < 0.5)


def match(rng, board):
    length = rng.choice([3, 5, 7, 9, 11])
    value = rng.choice([1, 1, 2, 4])
    return board.with_(
        match_length=length,
        score_own=rng.randrange(length),
        score_opp=rng.randrange(length),
        cube=value,
        cube_owner="own" if value > 1 else "centre",
    )


def ask(gnubg, positions, folder):
    """Its chances and (best, no double, take, pass, …) of each position."""
    paths = {name: folder / name for name in ("NARDY_CUBE_IN", "NARDY_CUBE_OUT")}
    with paths["NARDY_CUBE_IN"].open("w") as out:
        for p in positions:
            question = {
                "id": p.id("gnu-position"), "cube": p.cube, "owner": OWNER[p.cube_owner],
                "length": p.match_length, "score": [p.score_opp, p.score_own],
                "crawford": int(p.crawford), "jacoby": int(p.jacoby), "beavers": int(p.beavers),
            }
            out.write(json.dumps(question) + "\n")
    environment = {**os.environ, **{name: str(path) for name, path in paths.items()}}
    subprocess.run(
        [gnubg, "-t", "-q", "-r", "-p", str(SCRIPT)],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300,
        check=True,
    )
    answers = [json.loads(line) for line in paths["NARDY_CUBE_OUT"].read_text().splitlines()]
    assert len(answers) == len(positions)
    return answers


def action(no_double, take, drop):
    """Action of three equities, and how much the closest other one would lose."""
    best = min(take, drop)
    words = ("D" if best > no_double else "ND") + ("/T" if take < drop else "/P")
    return words, min(abs(best - no_double), abs(take - drop))


def text_book(position, chances):
    """No double and take of the model without free turns that always cashes."""
    p, *_ = chances
    wins = {1: p - chances[1], 2: chances[1] - chances[2], 3: chances[2]}
    losses = {1: 1 - p - chances[3], 2: chances[3] - chances[4], 3: chances[4]}
    wins = {k: part / p for k, part in wins.items()} if p else {1: 1.0}
    losses = {k: part / (1 - p) for k, part in losses.items()} if p < 1 else {1: 1.0}
    table = MatchEquity.open()
    a, b = (position.match_length - n for n in (position.score_own, position.score_opp))
    payoff = twin.match(
        table.mwc, lambda n: table.mwc(n, 1, post_crawford=True), a, b,
        "over" if 1 in (a, b) else "before",
    )
    stakes, x = cube.stakes_of(position), cube.CubeEfficiency().of(position)
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
    return found


def test_money(gnubg, tmp_path):
    rng = random.Random(21)
    positions = [money(rng, board) for board in boards(rng, 150)]
    seen = set()
    for position, answer in zip(positions, ask(gnubg, positions, tmp_path), strict=True):
        decision = cube.decide(position, answer["chances"][:5], exact=False)
        _, no_double, take, drop = answer["found"][:4]
        assert decision.no_double == pytest.approx(no_double, abs=1e-4)
        assert decision.double_take == pytest.approx(take, abs=1e-4)
        assert decision.double_pass == drop == 1
        theirs, margin = action(no_double, take, drop)
        ours, _ = action(decision.no_double, decision.double_take, decision.double_pass)
        seen.add(theirs)
        assert ours == theirs or margin < 0.01
    assert len(seen) == 4


def test_matches(gnubg, tmp_path):
    rng = random.Random(22)
    positions = [match(rng, board) for board in boards(rng, 400)]
    agreed, lines = 0, []
    for position, answer in zip(positions, ask(gnubg, positions, tmp_path), strict=True):
        chances = answer["chances"][:5]
        decision = cube.decide(position, chances, exact=False)
        _, no_double, take, drop = answer["found"][:4]
        a, b = (position.match_length - n for n in (position.score_own, position.score_opp))
        value, centre = position.cube, position.cube_owner == "centre"
        # Who needs more turns for nothing a cube with which the other wins the match.
        free = b <= value < a or (centre and a <= value < b)
        known = [free or (a == b == 2 and value == 1), a <= 2 * value < b]
        book = text_book(position, chances)
        same = True
        for ours, theirs, plain, different in zip(
            (decision.no_double, decision.double_take), (no_double, take), book, known, strict=True
        ):
            if different:
                same = False
                continue
            # Theirs is the text-book's, and ours too, unless playing on is worth more.
            assert plain == pytest.approx(theirs, abs=2e-3), (position, a, b)
            same &= ours == pytest.approx(plain, abs=1e-9)
        if same:
            theirs, margin = action(no_double, take, drop)
            ours, _ = action(decision.no_double, decision.double_take, decision.double_pass)
            assert ours == theirs or margin < 0.01
            agreed += 1
        else:
            lines.append((a, b, value))
    assert agreed > 150 and len(lines) + agreed == 400
