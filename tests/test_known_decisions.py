"""The shipped nets on decisions whose answers are known: openings, and nine positions that were
rolled out and published.

Expected values were measured with other engines. Where ours differs the reason stands here.
"""

import csv
from pathlib import Path

import pytest

from nardy_core import Engine, Position, tables

GOLDEN = Path(__file__).parent / "golden" / "openings.csv"
MONEY = {"jacoby": False, "beavers": False}


@pytest.fixture(scope="module")
def engine():
    return Engine(threads=1)


def test_openings(engine):
    """Values within 0.02 of those quoted, but for 6-1, which is quoted without a search: within
    0.012 of what the same program says when it does look three plies ahead, all fifteen. First
    plays the same, or one that the golden file has within 0.015 of it."""
    lines = GOLDEN.read_text().splitlines()
    wanted = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    table = tables.openings(engine, start=Position.start(**MONEY), level=3, top=1)
    found = {row["dice"]: row for row in table.rows()}
    assert len(wanted) == len(found) == 15
    for row in wanted:
        ours = found[row["roll"]]
        if row["roll"] != "61":
            assert ours["equity"] == pytest.approx(float(row["equity"]), abs=0.02), row["roll"]
        assert ours["equity"] == pytest.approx(float(row["asked"]), abs=0.012), row["roll"]
        assert ours["play"] in (row["play"], *row["others"].split(";")), row["roll"]
    mean = sum(table["equity"]) / 15
    assert mean == pytest.approx(0.054, abs=0.015)


@pytest.mark.parametrize("level", [0, 1])
def test_who_is_doubled_out_anyway_still_plays_his_best(engine, level):
    """3-2: the other side cashes whatever is played, so all plays are worth -1 with the cube. What
    counts then is what they are worth should it not double."""
    position = Position.parse("XGID=-BBBBBA---A-----Ab-bccBe--:0:0:1:32:0:0:2:0:10")
    found = engine.analyse(position, level=level)
    tied = [c for c in found.candidates if c.level == level and c.equity == found.best.equity]
    assert found.best.equity == -1 and len(tied) > 3
    worth = [c.cubeless for c in tied]
    assert worth == sorted(worth, reverse=True) and worth[0] > worth[-1] + 0.05
    assert found.best == engine.analyse_many([position], level=level)[0].best


# The published rollouts are of eXtreme Gammon, 0.002 to 0.011 of standard error.
PLAYS = [  # position, best play by rollout and its equity, plays that tie with it
    ("-CDBBaBB------a----bbbbcb-:1:-1:1:62:0:0:0:0:10", "7/1 4/2", 0.225, ()),
    ("-a--B-C-C-aBdC---bbe----B-:0:0:1:31:6:9:0:11:10", "24/23 13/10*", 0.507, ()),
    ("-CBBBC-a-----Ba---bbbbbbaA:0:0:1:41:2:0:0:11:10", "bar/24* 5/1", -1.127, ()),
    ("----ABD-C--beC---bBbb-b---:0:0:1:61:3:2:0:11:10", "13/7 6/5", 0.082, ("13/7 8/7",)),
    ("-BBABBBbB---c-----B-babcb-:0:0:1:32:2:1:0:5:10", "8/3", 0.486, ()),
]


@pytest.mark.parametrize(("text", "play", "equity", "ties"), PLAYS, ids=lambda v: str(v)[:26])
def test_plays(engine, text, play, equity, ties):
    best = engine.analyse(Position.parse(f"XGID={text}"), level=3, top=1).best
    assert best.play.notation in (play, *ties)
    assert best.equity == pytest.approx(equity, abs=0.05)


def test_the_hit_that_search_alone_likes(engine):
    """6-2 with the opponent's cube at 2: hitting looks better to some engines at 3-ply (+0.309).
    It is 0.06 worse, and ours knows."""
    position = Position.parse(f"XGID={PLAYS[0][0]}")
    found = {c.play.notation: c.equity for c in engine.analyse(
        position, level=3, top=2, include=["7/5* 7/1"]).candidates}
    assert found["7/5* 7/1"] < found["7/1 4/2"] - 0.04


def test_a_run_that_only_a_rollout_finds(engine):
    """4-4: running with both is right (published +0.372; our cubeful rollout of 10,368 trials
    +0.364 ± 0.004, the best build-up 0.019 ± 0.005 behind). At 3-ply ours, like others at 2-ply,
    still prefers to make two points, by 0.008: what is won by being past the opponent shows only
    after more turns than it looks at. It must not come out much further apart than that."""
    position = Position.parse("XGID=-a----E-CAA-fC---c-e----B-:0:0:1:44:0:0:3:0:10")
    found = {c.play.notation: c.equity for c in engine.analyse(
        position, level=3, top=4, include=["24/16(2)"]).candidates}
    assert max(found.values()) - found["24/16(2)"] < 0.04
    result = engine.rollout(position, plays=["24/16(2)", "24/20(2) 13/9 10/6"], trials=216,
                            cubeful=True).wait()
    assert result.entries[0].equity == pytest.approx(0.372, abs=0.07)


@pytest.mark.parametrize(("text", "no_double", "double_take"), [
    ("---BBBBBA----B--a-a-Bbcce-:0:0:1:00:0:0:3:0:10", 0.261, 0.463),
    # A matter of 0.07, most of which shows in the third ply: at two, ours doubles by 0.005, and
    # others' say no double.
    ("---BBBBBA----B---a-aBbcce-:0:0:1:00:0:0:3:0:10", 0.101, 0.175),
], ids=["clear", "close"])
def test_doubles(engine, text, no_double, double_take):
    decision = engine.cube(Position.parse(f"XGID={text}"), 3)
    assert decision.verdict == "Double, take"
    assert decision.no_double == pytest.approx(no_double, abs=0.05)
    assert decision.double_take == pytest.approx(double_take, abs=0.07)


def test_the_best_play_depends_on_who_owns_the_cube(engine):
    """6-6: with the cube in the centre the blitz goes on from the 14 point; against the opponent's
    cube the second checker on the bar comes first, for gammons nobody can double us out of."""
    board = "XGID=-aBa--D-CB--cB---d-cB-ba--"
    centre = engine.analyse(Position.parse(f"{board}:0:0:1:66:0:0:3:0:10"), level=3, top=1).best
    owned = engine.analyse(Position.parse(f"{board}:1:-1:1:66:0:0:3:0:10"), level=3, top=1).best
    assert centre.play.notation in ("20/14(2) 9/3*(2)", "20/14(2) 13/7(2)")  # 0.0003 apart
    assert owned.play.notation == "13/1* 9/3*(2)"
