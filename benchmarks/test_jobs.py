"""Cube decisions, rollouts, tables and readers."""

from pathlib import Path

import pytest

from nardy_core import Position, formats, tables
from nardy_core._border._tables import BearoffOne, BearoffTwo
from nardy_core.rollout import CHUNK

MATCHES = Path(__file__).resolve().parent.parent / "tests" / "golden"
FEDERATION = Position.parse(
    "w=24:8,21:1,20:1,19:1,18:1,17:1,9:1,4:1 b=24:10,22:1,18:1,15:1,11:1,10:1 turn=w "
    "scoring=federation opening=use_dice")
BEAROFF = Position.parse("BgAAMAAAAAAAAA")


@pytest.mark.parametrize("level", [0, 1, 2])
def test_cube(benchmark, engine, sample, level):
    position = sample["backgammon"][7].with_(dice=None)
    benchmark.pedantic(engine.cube, (position, level), rounds=50 if level < 2 else 10)


def test_long_nardy_cube(benchmark, engine):
    benchmark(engine.cube, FEDERATION)


@pytest.mark.parametrize("settings", [{}, {"truncate": 11}, {"variance_reduction": False}],
                         ids=["to the end", "truncated at 11", "plain"])
def test_rollout(benchmark, engine, game, settings):
    """A chunk of trials; nothing is remembered from round to round."""
    benchmark.extra_info["trials"] = CHUNK
    benchmark.pedantic(
        lambda: engine.rollout(Position.start(game), trials=CHUNK, **settings).wait(), rounds=5)


def test_cubeful_rollout(benchmark, engine):
    benchmark.extra_info["trials"] = 2 * CHUNK
    benchmark.pedantic(
        lambda: engine.rollout(Position.start(), trials=CHUNK, cubeful=True).wait(), rounds=3)


def test_bearoff(benchmark):
    tables.bearoff(BEAROFF)  # builds them, where they are not yet
    benchmark(tables.bearoff, BEAROFF)


@pytest.mark.parametrize("table", [BearoffOne, BearoffTwo])
def test_build(benchmark, table):
    benchmark.pedantic(table.build, rounds=2)


def test_match_equity(benchmark):
    benchmark(tables.match_equity, length=25)


@pytest.mark.parametrize("name", ["jellyfish.mat", "long_nardy.mat", "gnubg.txt", "galaxy.txt",
                                  "analysed.sgf"])
def test_reader(benchmark, name):
    data = (MATCHES / "formats" / name).read_bytes()
    benchmark.extra_info["bytes"] = len(data)
    benchmark(formats.read, data)


def test_analysed_match(benchmark):
    """A match to 7 points with GNU Backgammon's analysis."""
    data = (MATCHES / "match_analysis" / "gnubg.sgf").read_bytes()
    benchmark.extra_info["bytes"] = len(data)
    benchmark(formats.read, data)


@pytest.mark.parametrize("form", ["mat", "sgf", "json"])
def test_writer(benchmark, form):
    match = formats.read((MATCHES / "formats" / "jellyfish.mat").read_bytes())
    benchmark(formats.dumps, match, form)


@pytest.mark.parametrize("form", ["xgid", "gnu", "ogid", "fibs", "text"])
def test_id(benchmark, form):
    benchmark(Position.parse, Position.start().id(form))


def test_long_nardy_id(benchmark):
    benchmark(Position.parse, Position.start("long_nardy").id("ndid"))
