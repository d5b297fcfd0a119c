"""Judged matches in files of other programs, read by those programs' own code."""

from pathlib import Path

import pytest

from nardy_core import formats
from nardy_core.formats import dumps
from nardy_core.match_analysis import analyse_match
from peers import rules

GOLDEN = Path(__file__).parents[1] / "golden" / "formats"


@pytest.fixture(scope="module")
def judged():
    return analyse_match(GOLDEN / "studio.txt", level=0, cache=False)


def test_ankigammon_reads_text_in_xg_s_form(judged):
    parser = rules.peer("ankigammon.parsers.xg_text_parser", "ankigammon").XGTextParser
    text = dumps(judged.annotated(), "xgtext").decode()
    read = parser.parse_string(text)
    ours = [d for d in judged.decisions
            if d.kind == "play" or d.kind in ("no_double", "double") and d.cube]
    assert len(read) == len(ours) > 200
    compared = 0
    for told, mine in zip(read, ours, strict=True):
        assert told.xgid == mine.position.with_(offer="none").id("xgid")
        assert told.dice == mine.action.dice
        if mine.kind == "play" and mine.choices > 1:
            candidates = mine.analysis["candidates"]
            assert [m.equity for m in told.candidate_moves] == [
                pytest.approx(c["equity"], abs=6e-4) for c in candidates]
            assert [m.notation for m in told.candidate_moves] == [c["play"] for c in candidates]
            assert {m.analysis_level for m in told.candidate_moves} == {"1-ply"}  # as XG counts
            compared += 1
        elif mine.is_cube:
            worth = {m.notation.lower(): m.equity for m in told.candidate_moves}
            again = "redouble" if mine.position.cube_owner == "own" else "double"
            assert worth[f"{again}/take"] == pytest.approx(mine.cube[1], abs=6e-4)
            assert worth[f"no {again}/take"] == pytest.approx(mine.cube[0], abs=6e-4)
            best = min(told.candidate_moves, key=lambda m: m.rank).notation.lower()
            if mine.best in ("roll", "double"):
                assert best.startswith("no" if mine.best == "roll" and mine.cube[0] <= 1 else
                                       again if mine.best == "double" else "too good")
            compared += 1
    assert compared > 150


def test_our_reader_reads_it_too(judged):
    records = formats.read(dumps(judged.annotated(), "xgtext"))
    plays = [d for d in judged.decisions if d.kind == "play"]
    read = [r for r in records if r.position.dice]
    assert [r.position for r in read] == [d.position for d in plays]
    for record, mine in zip(read, plays, strict=True):
        mine_ = [c["play"] for c in mine.analysis.get("candidates") or ()]
        assert [c["play"] for c in (record.analysis or {}).get("candidates", [])] == mine_


def test_ogxm_with_analysis(judged):
    """The reference checker finds nothing wrong, the analysis comes back, and another
    implementation of XG's rating counts as we do."""
    codec = rules.peer("gvformat", "gammonview")
    stats = rules.peer("gvformat.stats", "gammonview")
    checker = rules.peer("ogxm", "ogxm")
    data = dumps(judged.annotated(), "ogxm")
    assert checker.v2_problem(checker.binary_to_json(data)) is None
    back = analyse_match(formats.read(data), level="file")
    turned = back.record.players != judged.record.players
    figures = stats.compute_aggregates(codec.read_gvab(data))["match"]
    for player in (0, 1):
        mine = judged.players[player]
        theirs = back.players[1 - player if turned else player]
        assert theirs.lost == pytest.approx(mine.lost, abs=2e-3)
        assert theirs.luck == pytest.approx(mine.luck, abs=2e-3)
        assert theirs.rate("pr") == pytest.approx(mine.rate("pr"), abs=0.05)
        # White of the document is player 0 of what was read.
        white = (player == 0) != turned
        told = figures["white" if white else "black"]
        assert told["total_decisions"] == mine.ratings["pr"].decisions
        assert told["pr"] == pytest.approx(mine.rate("pr"), abs=0.05)
        assert told["total_luck"] == pytest.approx(mine.luck, abs=2e-3)
