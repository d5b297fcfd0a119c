"""Why the golden openings have two values for some rolls: GNU Backgammon quotes 3-1 and 6-1 by its
static net and 4-2 at two plies in a table that it calls 3-ply."""

import csv
from pathlib import Path

import pytest

from nardy_core.notation import match_play
from nardy_core.position import Position
from peers.test_peers_formats import program

from . import cube_decisions as peer

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "openings.csv"
START = Position.start(jacoby=False, beavers=False)


@pytest.mark.parametrize("plies", [0, 2, 3])
def test_what_it_says_of_results(plies):
    """Of the results of the plays, the other side on roll: each quoted value is that of its level,
    and the values in the other column are those of three plies. Processors differ in its last
    digits."""
    gnubg = program()
    with GOLDEN.open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert {row["roll"]: int(row["level"]) for row in rows if row["level"] != "3"} == {
        "31": 0, "61": 0, "42": 2}
    rows = [row for row in rows if plies == 3 or row["level"] != "3"]
    results = [match_play(START, (int(row["roll"][0]), int(row["roll"][1])), row["play"]).result
               for row in rows]
    for row, answer in zip(rows, peer.ask(gnubg, results, plies), strict=True):
        said = -answer["found"][0]
        if int(row["level"]) == plies:
            assert said == pytest.approx(float(row["equity"]), abs=0.002), row["roll"]
        if plies == 3:
            assert said == pytest.approx(float(row["asked"]), abs=0.002), row["roll"]
