"""Match equity tables that the package makes: of short nardy by the engine, of long nardy by its
rules."""

from __future__ import annotations

import functools
import json

import numpy as np
import pytest
from random_nets import keep_random_nets

from nardy_core import Engine, MatchEquity, Position, cube, tables
from nardy_core.match_compute import Openings, compute, openings_of
from nardy_core.match_long import FIRST, long_match_equity, name_in

# ---- short nardy --------------------------------------------------------------------------------


def openings(*chances):
    """The same chances at every turn."""
    one, weight = np.array([chances], dtype=float), np.ones(1)
    return Openings(one, weight, one, weight)


def test_even_games_without_gammons_by_hand():
    """A coin is tossed and the cube is dead once taken."""
    table = compute(openings(0.5, 0, 0, 0.5, 0, 0), efficiency=0.0, length=4)
    after = [table.mwc(n, 1, post_crawford=True) for n in range(1, 5)]
    assert after == pytest.approx([0.5, 0.5, 0.25, 0.25])  # every game for two points
    crawford = [table.mwc(n, 1) for n in range(2, 5)]
    assert crawford == pytest.approx([after[0] / 2, after[1] / 2, after[2] / 2])
    # 2 v 3: for one point (1 v 3 and 2 v 2), or for two; it comes to the same.
    assert table.mwc(2, 3) == pytest.approx((1 - crawford[1]) / 2 + 0.25)
    assert table.mwc(2, 3) == pytest.approx(0.5 + crawford[0] / 2)


def test_gammons_by_hand():
    """Half of all wins are gammons: after the Crawford game they save the trailer a game."""
    table = compute(openings(0.25, 0.25, 0, 0.25, 0.25, 0), efficiency=0.0, length=4)
    after = [table.mwc(n, 1, post_crawford=True) for n in range(1, 5)]
    assert after[1] == pytest.approx(0.5)
    assert after[2] == pytest.approx(0.25 + 0.25 * after[0])  # a gammon at a cube of 2 is four
    assert table.mwc(3, 1) == pytest.approx(0.25 * after[1] + 0.25 * after[0])


def test_the_engines_table_is_near_those_of_others():
    engine = Engine(threads=1)
    found = openings_of(engine)
    assert 0.24 < found.gammon_rate < 0.30 and 0.50 < found.first_wins < 0.53
    assert found.third_weights.sum() == pytest.approx(1) and len(found.third) == 315
    table, other = compute(found, length=15), MatchEquity.open()
    for own in range(1, 16):
        for opp in range(1, 16):
            assert table.mwc(own, opp) == pytest.approx(1 - table.mwc(opp, own))
            assert table.mwc(own, opp) == pytest.approx(other.mwc(own, opp), abs=0.02)
    for n in range(2, 16):
        theirs = other.mwc(n, 1, post_crawford=True)
        assert table.mwc(n, 1, post_crawford=True) == pytest.approx(theirs, abs=0.01)
    again = MatchEquity.read(table.to_csv())
    assert again.length == 15 and again.name == table.name
    assert again.mwc(7, 11) == pytest.approx(table.mwc(7, 11), abs=1e-6)


def test_written_tables_are_read_back():
    for name in ("kazaross-xg2", "woolsey"):
        table = MatchEquity.open(name)
        again = MatchEquity.read(table.to_csv())
        assert (again.name, again.source, again.length) == (table.name, table.source, table.length)
        for own, opp in ((1, 5), (7, 7), (3, 15), (25, 30), (64, 2)):
            assert again.mwc(own, opp) == pytest.approx(table.mwc(own, opp), abs=1e-6)
    text = "before\n0.6,0.8\n0.4,0.6\nafter\n0.6,0.45\n0.4,0.3\n"
    skewed = MatchEquity.read(MatchEquity.read(text).to_csv())
    assert skewed.mwc(2, 1, post_crawford=True) == 0.45
    assert skewed.mwc(1, 2, post_crawford=True) == 0.7


@pytest.mark.parametrize(("options", "words"), [
    ({"length": 1}, "length"), ({"length": 65}, "length"), ({"efficiency": 2}, "efficiency"),
])
def test_wrong_arguments(options, words):
    with pytest.raises(ValueError, match=words):
        compute(openings(0.5, 0, 0, 0.5, 0, 0), **options)


# ---- long nardy ---------------------------------------------------------------------------------


def slow_long(points, next_starter, first):
    """Chance of own needing a against b with own beginning or not, no cube: plain recursion."""
    signed = [*points, *(-p for p in points)]

    @functools.cache
    def chance(a, b, begins):
        if a <= 0:
            return 1.0
        if b <= 0:
            return 0.0
        total = 0.0
        for k, p in enumerate(first):
            won = (k < 4) == begins  # the one who begins wins in the first four classes
            size = abs(signed[k])
            left = (a - size, b) if won else (a, b - size)
            if next_starter == "roll":
                total += p * (chance(*left, True) + chance(*left, False)) / 2
            else:
                total += p * chance(*left, won if next_starter == "winner" else not begins)
        return total

    return chance


@pytest.mark.parametrize("next_starter", ["roll", "winner", "alternate"])
@pytest.mark.parametrize("points", [(1, 2, 3, 4), (1, 2, 2, 2)])
def test_long_nardy_without_a_cube(points, next_starter):
    first = [p / sum(FIRST) for p in FIRST]
    table = long_match_equity(points, next_starter=next_starter)
    slow = slow_long(points, next_starter, tuple(first))
    for a in range(1, 12):
        for b in range(1, 12):
            assert table.mwc(a, b, starts="own") == pytest.approx(slow(a, b, True), abs=1e-12)
            assert table.mwc(a, b, starts="opp") == pytest.approx(slow(a, b, False), abs=1e-12)
            assert table.mwc(a, b) == pytest.approx(1 - table.mwc(b, a), abs=1e-12)
    assert table.mwc(5, 5, starts="own") > 0.51  # the first move is worth something


def test_long_nardy_with_a_dead_cube_by_hand():
    """Nobody gains by a cube that is never turned: at efficiency 0 the table is that without one,
    but for the Crawford game, which changes nothing either."""
    even = (0.5, 0, 0, 0, 0.5, 0, 0, 0)
    plain = long_match_equity(first=even)
    dead = long_match_equity(first=even, cube=True, efficiency=0.0)
    for a in range(2, 6):
        for b in range(2, 6):
            assert dead.mwc(a, b) == pytest.approx(plain.mwc(a, b), abs=1e-12)
    live = long_match_equity(first=even, cube=True, efficiency=1.0)
    # After the Crawford game a trailer who may turn the cube wins what his games for two win.
    assert live.mwc(3, 1, post_crawford=True) == pytest.approx(0.25, abs=1e-9)
    assert plain.mwc(3, 1) == pytest.approx(0.125)


@pytest.mark.parametrize("next_starter", ["roll", "winner", "alternate"])
def test_long_nardy_with_a_cube_is_in_order(next_starter):
    table = long_match_equity(cube=True, next_starter=next_starter)
    for a in range(1, 65):
        for b in range(1, 65):
            assert table.mwc(a, b) == pytest.approx(1 - table.mwc(b, a), abs=1e-12)
            for starts in ("own", "opp"):
                assert 0 < table.mwc(a, b, starts=starts) < 1
                assert table.mwc(a, b, starts=starts) <= table.mwc(a - 1, b, starts=starts)


def test_a_refused_double_pays_the_cube_times_an_oin():
    """Whatever the position would have paid: for points, and as a step in a match."""
    chances = [0.1, 0.1, 0.2, 0.5, 0.05, 0.05, 0.0, 0.0]
    for cube_, scoring in ((1, (1, 2, 3, 4)), (4, (1, 2, 3, 4)), (2, (2, 3, 5, 7))):
        owner = {"cube": cube_, "cube_owner": "own"} if cube_ > 1 else {}
        money = Position.start("long_nardy", scoring=scoring, max_cube=None, **owner)
        assert cube.decide(money, chances).double_pass == scoring[0]
        match = money.with_(match_length=21, score_own=3, score_opp=5)
        table = long_match_equity(scoring, cube=True)
        paid = cube.decide(match, chances).mwc["double_pass"]
        assert paid == pytest.approx(table.mwc(18 - cube_ * scoring[0], 16), abs=1e-12)


def test_cube_decisions_of_long_nardy_stand_on_it():
    position = Position.start("long_nardy", match_length=5, score_own=2, max_cube=1)
    chances = [0.4, 0.2, 0.1, 0.05, 0.2, 0.03, 0.01, 0.01]
    found = cube.decide(position, chances)
    table = long_match_equity()
    wanted = sum(p * table.mwc(max(3 - w, 0), 5)
                 for p, w in zip(chances[:4], (1, 2, 3, 4), strict=True))
    wanted += sum(p * table.mwc(3, max(5 - w, 0))
                  for p, w in zip(chances[4:], (1, 2, 3, 4), strict=True))
    assert found.mwc["no_double"] == pytest.approx(wanted, abs=1e-12)
    assert found.met == "long nardy 1-2-3-4, no cube, next by roll"
    assert name_in(found.met, "ru") == "длинные нарды 1-2-3-4, без куба, начинают по броску"
    assert name_in("Kazaross-XG2", "ru") == "Kazaross-XG2"
    with_cube = cube.decide(position.with_(max_cube=None), chances)
    assert with_cube.mwc["double_take"] is not None and "cube," in with_cube.met
    winner = Position.start("long_nardy", match_length=5, next_starter="winner")
    assert cube.decide(winner, chances).met.endswith("winner")
    given = cube.decide(position, chances, met="woolsey")
    assert given.met == "Woolsey"


@pytest.mark.parametrize(("options", "words"), [
    ({"points": (1, 2)}, "points"), ({"points": (4, 3, 2, 1)}, "points"),
    ({"next_starter": "nobody"}, "next_starter"), ({"first": (1,)}, "first"),
    ({"first": (0.5,) * 8}, "add up to 4"), ({"efficiency": -1}, "efficiency"),
    ({"first": (float("nan"),) * 8}, "first"),
])
def test_wrong_long_tables(options, words):
    with pytest.raises(ValueError, match=words):
        long_match_equity(**options)


def test_errors_of_arguments():
    table = long_match_equity()
    for call in (lambda: table.mwc(65, 1), lambda: table.mwc(0, 0), lambda: table.stakes(0, 3),
                 lambda: table.mwc(2, 2, starts="me")):
        with pytest.raises(ValueError):
            call()


# ---- the command --------------------------------------------------------------------------------


def test_commands(nardy, tmp_path):
    folder = keep_random_nets(tmp_path / "nets")
    file = tmp_path / "own.csv"
    code, out, _ = nardy("table", "met", "--compute", "--length", 5, "--nets", folder,
                         "--efficiency", 0.5, "--write", file, "--format", "json")
    data = json.loads(out)
    assert code == 0 and data["met"] == "nardy_core" and "efficiency 0.5" in data["source"]
    assert "% gammons" in data["source"]
    code, out, _ = nardy("table", "met", "--compute", "--length", 5, "--nets", folder,
                         "--efficiency", 0.5)
    assert code == 0 and out.splitlines()[0] == data["source"]
    assert out.splitlines()[1].split() == ["own", "opp", "mwc", "post_crawford"]
    code, out, _ = nardy("table", "met", "--met", file, "--length", 5, "--format", "json")
    again = json.loads(out)
    assert again["source"] == data["source"]
    assert [row["mwc"] for row in again["rows"]] == pytest.approx(
        [row["mwc"] for row in data["rows"]], abs=1e-6)
    code, out, _ = nardy("table", "met", "--game", "long_nardy", "--rules", "federation",
                         "--next-starter", "winner", "--length", 3, "--format", "json")
    data = json.loads(out)
    assert code == 0 and data["met"] == "long nardy 1-2-2-2, cube, next by winner"
    # FIRST: .0981 + .0547 + .0020 + .0461 + .0166 + .0013, and .4341 + .0981 + .0547 + .0020
    assert data["source"].endswith(
        "21.88 % more than oin, first mover wins 58.89 %, cube model at efficiency 0.6")
    table = tables.long_match_equity(
        long_match_equity((1, 2, 2, 2), cube=True, next_starter="winner"), length=3)
    assert [row["own_begins"] for row in data["rows"]] == [round(v, 6) for v in table["own_begins"]]


@pytest.mark.parametrize("words", [
    ("--compute", "--met", "woolsey"), ("--doubling",), ("--rules", "federation"),
    ("--game", "long_nardy", "--rules", "nobody"), ("--game", "long_nardy", "--write", "x"),
    ("--game", "long_nardy", "--met", "woolsey"),
])
def test_wrong_words_are_refused_in_one_line(nardy, words):
    code, out, err = nardy("table", "met", *words)
    assert (code, out) == (2, "") and err.count("\n") == 1 and "Traceback" not in err
