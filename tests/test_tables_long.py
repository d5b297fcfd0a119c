"""Tables of long nardy: what a take needs, what mars, koks and home mars are worth, bear-offs."""

from __future__ import annotations

import itertools
import json

import pytest
from random_nets import random_nets

from nardy_core import Engine, Position, cube, tables
from nardy_core.match_long import long_match_equity

SHARES = ((0.2, 0.1, 0.05), (0.3, 0.02, 0.0))  # mars, koks, home mars of the wins and of the losses
PAYS = ((1, 2, 3, 4), (1, 2, 2, 2), (2, 3, 5, 7))


def chance(table, own, opp, won, began):
    """To win the match after a game that own won or lost, begun by `began`, by the rule of who
    begins the next one."""
    if own <= 0 or opp <= 0:
        return float(own <= 0)
    starts = {"roll": None, "winner": "own" if won else "opp",
              "alternate": {None: None, "own": "opp", "opp": "own"}[began]}[table.next_starter]
    return table.mwc(own, opp, starts=starts)


def mean(values, parts):
    return sum(p * v for p, v in zip((1 - sum(parts), *parts), values, strict=True))


@pytest.mark.parametrize("points", PAYS)
@pytest.mark.parametrize("starter", ["roll", "winner", "alternate"])
def test_take_points_by_hand(points, starter):
    table = long_match_equity(points, cube=True, next_starter=starter)
    for began in (None, "own", "opp"):
        found = tables.take_points(
            table, length=7, cube=2, win_gammons=SHARES[0], lose_gammons=SHARES[1], began=began)
        rows = {(row["own"], row["opp"]): row for row in found.rows()}
        assert set(rows) == {(a, b) for a in range(1, 8) for b in range(2 * points[0] + 1, 8)}
        for (own, opp), row in rows.items():
            if own == 1:  # the trailer's cube after the Crawford game, by other chances
                continue
            drop = chance(table, own, opp - 2 * points[0], False, began)
            win = mean([chance(table, own - 4 * n, opp, True, began) for n in points], SHARES[0])
            lose = mean([chance(table, own, opp - 4 * n, False, began) for n in points], SHARES[1])
            assert row["take_dead"] == pytest.approx((drop - lose) / (win - lose), abs=1e-12)
            assert 0 <= row["take_live"] <= row["take_dead"] + 1e-9 <= 1 + 1e-9
            single = [chance(table, own - 4 * points[0], opp, True, began),
                      chance(table, own, opp - 4 * points[0], False, began)]
            for n, kind in zip(points[1:], ("mars", "koks", "home_mars"), strict=True):
                more = chance(table, own - 4 * n, opp, True, began) - single[0]
                less = single[1] - chance(table, own, opp - 4 * n, False, began)
                swing = single[0] - single[1]
                assert row[f"win_{kind}"] == pytest.approx(more / swing, abs=1e-12)
                assert row[f"lose_{kind}"] == pytest.approx(less / swing, abs=1e-12)


def test_gammon_values_with_and_without_a_cube():
    plain = long_match_equity(next_starter="winner")
    rows = list(tables.gammon_values(plain, length=6).rows())
    assert {row["cube"] for row in rows} == {1} and {row["crawford"] for row in rows} == {None}
    assert len(rows) == 36
    for row in rows:
        own, opp = row["own"], row["opp"]
        wins = [chance(plain, own - n, opp, True, None) for n in (1, 2, 3, 4)]
        losses = [chance(plain, own, opp - n, False, None) for n in (1, 2, 3, 4)]
        for n, kind in enumerate(("mars", "koks", "home_mars"), 1):
            swing = wins[0] - losses[0]
            assert row[f"win_{kind}"] == pytest.approx((wins[n] - wins[0]) / swing, abs=1e-12)
            assert row[f"lose_{kind}"] == pytest.approx((losses[0] - losses[n]) / swing, abs=1e-12)
    doubled = list(tables.gammon_values(long_match_equity(cube=True), length=4).rows())
    assert {row["cube"] for row in doubled} == {1, 2, 4}
    assert {row["crawford"] for row in doubled} == {"before", "now", "over"}
    for call in (lambda: tables.gammon_values(plain, length=4, cubes=[1, 2]),
                 lambda: tables.take_points(plain, length=4)):
        with pytest.raises(ValueError, match="by these rules"):
            call()


@pytest.mark.parametrize("points", PAYS)
def test_cube_windows_by_what_games_pay(points):
    """Without a limit of the cube a take is right, in oin, with (L - 1/2) / (W + L) wins where the
    cube is dead, and (L - 1/2) / (W + L + 1/2) where it is live: W and L are what wins and losses
    pay on average."""
    start = Position.start("long_nardy", scoring=points)
    found = list(tables.cube_windows(
        (0.1, SHARES[0]), (SHARES[1], (0.2, 0.0, 0.1)), start=start).rows())
    assert len(found) == 4
    kinds = ("mars", "koks", "home_mars")
    for row, (won, lost) in zip(found, itertools.product(
            ((0.1, 0, 0), SHARES[0]), (SHARES[1], (0.2, 0.0, 0.1))), strict=True):
        assert [row[f"{kind}_won"] for kind in kinds] == list(won)
        assert [row[f"{kind}_lost"] for kind in kinds] == list(lost)
        w, loss = (mean([n / points[0] for n in points], parts) for parts in (won, lost))
        assert row["take_dead"] == pytest.approx((loss - 0.5) / (w + loss))
        assert row["take_live"] == pytest.approx((loss - 0.5) / (w + loss + 0.5))
        assert row["cash_live"] == pytest.approx((loss + 1) / (w + loss + 0.5))
        chances = [part / 2 for parts in (won, lost) for part in (1 - sum(parts), *parts)]
        shown = cube.decide(start.with_(max_cube=None, beavers=False), chances).windows
        assert row["take"] == shown["take"] and row["too_good"] == shown["too_good_own"]


def test_bear_offs_are_those_of_positions():
    home = Position.parse("w=6:1,3:2,1:1 b=5:1,2:2 turn=w")
    told = tables.bearoff("102001", "020010", game="long_nardy")
    assert told == tables.bearoff(home) and set(told.probabilities) >= {"win_oin", "lose_koks"}
    decision = cube.decide(home.with_(max_cube=None, jacoby=False, beavers=False))
    assert decision.exact and decision.no_double == pytest.approx(told.equities.centred, abs=1e-9)
    assert decision.double_take == pytest.approx(told.equities.double_take, abs=1e-9)
    engine = Engine({"long_nardy": random_nets("long_nardy")}, threads=1)
    for own, opp in ((told, home), (None, Position.parse("w=1:15 b=2:1,1:2 turn=w"))):
        answer = (own or tables.bearoff(opp)).probabilities
        for name, value in engine.evaluate(opp).probabilities.items():
            assert answer[name] == pytest.approx(value, abs=2e-3)  # one side each, and both
    assert answer["lose_home_mars"] == 0 < answer["lose_oin"]  # one is always off in time
    late = tables.bearoff(Position.parse("w=6:5,5:5,4:5 b=1:1 turn=b"))
    assert late.probabilities["win_home_mars"] == 1
    for wrong in (
            lambda: tables.bearoff(home, game="backgammon"),
            lambda: tables.bearoff("111111", game="hyper"),
            lambda: tables.race_windows(game="hyper"),
            lambda: tables.bearoff(home.with_(rules={"last_roll": "equalize"}))):
        with pytest.raises(ValueError, match=r"game: |last_roll=equalize"):
            wrong()


def test_at_the_command_line(nardy):
    def rows(*words):
        code, out, err = nardy("table", *words, "--game", "long_nardy", "--format", "json")
        assert code == 0 and err == ""
        return json.loads(out)

    data = rows("take-points", "--length", 5, "--win-gammons", "0.2,0.1,0.05", "--lose-gammons",
                0.1, "--rules", "masters,next_starter=alternate", "--began", "opp")
    table = long_match_equity((1, 2, 2, 3), cube=True, next_starter="alternate")
    expected = tables.take_points(
        table, length=5, win_gammons=SHARES[0], lose_gammons=0.1, began="opp")
    assert data["met"] == table.name and data["began"] == "opp"
    assert [row["take_live"] for row in data["rows"]] == pytest.approx(
        expected["take_live"], abs=1e-6)
    data = rows("gammon-values", "--length", 3, "--rules", "federation")
    assert data["met"] == long_match_equity((1, 2, 2, 2), cube=True).name
    assert {row["cube"] for row in data["rows"]} == {1, 2, 4}
    data = rows("cube", "--rules", "federation", "--win-gammons", "0.2,0.1,0", "--lose-gammons", 0)
    assert data["points"] == [1, 2, 2, 2]
    assert data["rows"][0]["take_dead"] == pytest.approx(0.5 / 2.3, abs=1e-6)
    data = rows("cube", "--race", "--pips", 100)
    assert data["rows"] == [json.loads(nardy(
        "table", "cube", "--race", "--pips", 100, "--format", "json")[1])["rows"][0]]
    for words in (["102001", "020010"], ["w=6:1,3:2,1:1 b=5:1,2:2 turn=w"]):
        data = rows("bearoff", *words)
        assert (data["rows"][0]["own"], data["rows"][0]["opp"]) == ("102001", "020010")
        assert data["rows"][0]["action"] and "win_oin" in data["probabilities"]
    code, out, _ = nardy("table", "bearoff", "w=6:5,5:5,4:5 b=1:1 turn=b", "--lang", "uk")
    assert code == 0 and "домашній марс" in out


@pytest.mark.parametrize("words", [
    ("take-points", "--game", "long_nardy", "--no-doubling"),
    ("take-points", "--game", "long_nardy", "--met", "woolsey"),
    ("take-points", "--game", "long_nardy", "--win-gammons", "0.5,0.5,0.1"),
    ("take-points", "--game", "long_nardy", "--win-gammons", "0.1,0.1,0.1,0.1"),
    ("take-points", "--began", "own"),
    ("take-points", "--rules", "federation"),
    ("gammon-values", "--game", "long_nardy", "--cube", "2"),
    ("gammon-values", "--next-starter", "winner"),
    ("cube", "--win-gammons", "0.2,0.1"),
    ("cube", "--rules", "masters"),
    ("cube", "--race", "--game", "long_nardy", "--pips", "181"),
    ("bearoff", "start:long_nardy"),
    ("bearoff", "222222", "222222", "--game", "hyper"),
])
def test_refused_in_one_line(nardy, words):
    code, out, err = nardy("table", *words)
    assert code == 2 and out == "" and "Traceback" not in err
    assert err.count("\n") == 1 or "invalid choice" in err
