"""Cube decisions against GNU Backgammon's on the same 2,000 sets of probabilities: the golden file
of what it says (made by peers/cube_decisions.py), and the program itself on a part of them."""


import pytest

from nardy_core.position import Position
from peers.test_peers_formats import program

from . import cube_decisions as peer

ROWS = peer.golden("gnubg_cube.csv")
LISTED = peer.golden("gnubg_cube_differences.csv")
VALUES = ("no_double", "double_take", "double_pass")
REASONS = ("money table", "free turn", "playing on", "2 v 2 away")


def read(row):
    """Position, chances, and gnubg's equities."""
    return (Position.parse(row["position"]), [float(row[name]) for name in peer.NAMES],
            tuple(float(row[name]) for name in VALUES))


def test_the_set_has_all_kinds():
    assert len(ROWS) == 2000
    positions = [Position.parse(row["position"]) for row in ROWS]
    needs = [(p.match_length - p.score_own, p.match_length - p.score_opp, p.cube)
             for p in positions if p.match_length]
    assert {score: needs.count(score) for score in peer.SCORES} == dict.fromkeys(peer.SCORES, 150)
    money = [p for p in positions if not p.match_length]
    assert {p.jacoby for p in money} == {True, False} and {p.cube for p in money} == {1, 2, 8}
    actions = {peer.action(*read(row)[2]) for row in ROWS}
    assert actions == {"ND/T", "D/T", "D/P", "ND/P"}


def test_actions_agree_but_for_those_listed():
    """Beyond a margin of 0.01 every difference is in the list, with the reason; nothing else is."""
    found = [(row["position"], ours, theirs, f"{apart:.4f}", why)
             for row, ours, theirs, apart, why in peer.differences(ROWS)]
    assert found == [tuple(row.values()) for row in LISTED]
    assert len(found) <= 25 and {why for *_, why in found} <= {*REASONS}


def check(position, chances, theirs):
    """Its model and ours differ in nothing but the reasons listed: from one it follows what the
    other says. False where gnubg looks into a table instead."""
    made = peer.as_gnubg(position, chances)
    if made is None:
        return False
    assert made == pytest.approx(theirs, abs=peer.precision(position)), position.id("xgid")
    return True


def test_the_same_model_but_for_the_reasons():
    counts = dict.fromkeys(("money", "table", "alike", *REASONS), 0)
    for row in ROWS:
        position, chances, theirs = read(row)
        if not check(position, chances, theirs):
            counts["table"] += 1
        elif not position.match_length:
            counts["money"] += 1
        else:
            why = peer.reason(position, chances, theirs)
            assert why is not None, row["position"]
            counts[why] += 1
            ours, book = peer.decide(position, chances), peer.text_book(position, chances)
            counts["alike"] += ours == pytest.approx(book, abs=1e-9)
    assert counts["money"] == 500 and sum(counts.values()) - counts["alike"] == 2000
    assert counts["table"] < 100 and counts["alike"] > 600


def test_gnubg_says_so():
    """The program itself on each fifth position: equities against its own chances of this run,
    which processors give up to 0.00024 apart, probably by their reciprocals in gnubg's vector
    sigmoid. So the rows, made on another one, are of these positions, and nothing is compared that
    two processors compute unlike."""
    gnubg = program()
    some = [read(row) for row in ROWS[::5]]
    compared = 0
    for (position, chances, _), answer in zip(
            some, peer.ask(gnubg, [position for position, *_ in some]), strict=True):
        compared += check(position, answer["chances"][:5], answer["found"][1:4])
        assert answer["chances"][:5] == pytest.approx(chances, abs=4e-4)
    assert compared > 380
