"""Cube decisions: closed forms for money, beavers, match scores, exact bear-offs, symmetry."""

import csv
import dataclasses
import itertools
import math
import random
from pathlib import Path

import pytest
from cube_cases import PLAIN, START, chances

from nardy_core import cube
from nardy_core.bearoff import _homes, bearoff
from nardy_core.position import Position

GOLDEN = Path(__file__).parent / "golden"


def rows(name):
    lines = (GOLDEN / name).read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def random_chances(rng):
    win, lose = ([rng.random() * k for k in (1, 0.5, 0.1)] for _ in range(2))
    return chances(
        rng.random(), [w / sum(win) for w in win], [part / sum(lose) for part in lose]
    )


def home_position(own, opp, **fields):
    """A bear-off from six digits a side."""
    sides = [[0, *map(int, digits)] + [0] * 19 for digits in (own, opp)]
    for side in sides:
        side[0] = 15 - sum(side)
    return Position("backgammon", tuple(sides[0]), tuple(sides[1]), **fields)


# ---- money, closed forms ------------------------------------------------------------------------


def janowski(p, w, loss, owner, x, jacoby=False):
    """The text-book model, point by point: dead and live, for a cube of 1."""
    if owner == "centre" and jacoby:
        dead = 2 * p - 1
    else:
        dead = p * (w + loss) - loss
    take = (loss - 0.5) / (w + loss + 0.5)
    cash = (loss + 1) / (w + loss + 0.5)
    low, high = (-1, 1) if owner == "centre" and jacoby else (-loss, w)
    points = [(0, low)]
    if owner != "own":
        points.append((take, -1))
    if owner != "opp":
        points.append((cash, 1))
    points.append((1, high))
    for (p0, v0), (p1, v1) in itertools.pairwise(points):
        if p <= p1:
            live = v0 + (v1 - v0) * (p - p0) / (p1 - p0)
            break
    return (1 - x) * dead + x * live


@pytest.mark.parametrize("jacoby", [False, True])
def test_money_without_limits_is_the_closed_form(jacoby):
    rng = random.Random(1)
    for _ in range(200):
        probabilities = random_chances(rng)
        p = sum(probabilities[:3])
        w = sum(k * v for k, v in zip((1, 2, 3), probabilities[:3], strict=True)) / p
        loss = sum(k * v for k, v in zip((1, 2, 3), probabilities[3:], strict=True)) / (1 - p)
        for x in (0, 0.3, 0.68, 1):
            found = cube.owners(
                START.with_(jacoby=jacoby, cube=4), probabilities, efficiency=x
            )
            for owner, decision in found.items():
                wanted = janowski(p, w, loss, owner, x, jacoby)
                assert decision.no_double == pytest.approx(wanted, abs=1e-12)
            wanted = 2 * janowski(p, w, loss, "opp", x)
            assert found["own"].double_take == pytest.approx(wanted, abs=1e-12)
            assert found["own"].double_pass == 1
            assert found["opp"].double_take is None


def test_windows_are_the_closed_form():
    rng = random.Random(2)
    for _ in range(50):
        probabilities = random_chances(rng)
        p = sum(probabilities[:3])
        w = sum(k * v for k, v in zip((1, 2, 3), probabilities[:3], strict=True)) / p
        loss = sum(k * v for k, v in zip((1, 2, 3), probabilities[3:], strict=True)) / (1 - p)
        decision = cube.decide(PLAIN, probabilities)
        dead, live = decision.dead_windows, decision.live_windows
        assert dead["take"] == pytest.approx((loss - 0.5) / (w + loss))
        assert dead["cash"] == pytest.approx((loss + 0.5) / (w + loss))
        assert dead["redouble"] == pytest.approx(loss / (w + loss))
        assert dead["initial"] == pytest.approx(loss / (w + loss))
        assert dead["too_good_own"] == pytest.approx((loss + 1) / (w + loss))
        assert live["take"] == pytest.approx((loss - 0.5) / (w + loss + 0.5))
        for name in ("cash", "redouble", "initial", "too_good_own", "too_good_centre"):
            assert live[name] == pytest.approx((loss + 1) / (w + loss + 0.5))


def test_windows_of_the_start():
    """GNU Backgammon's money window of the start position, gammons 27.1 and 25.2 per cent."""
    win, lose = 1.2973, 1.2747  # mean points of a win and a loss in that window
    probabilities = chances(0.5, (2 - win, win - 1, 0), (2 - lose, lose - 1, 0))
    decision = cube.decide(PLAIN, probabilities)
    for windows, take, redouble, cash in (
        (decision.dead_windows, 0.3012, 0.4956, 0.6900),
        (decision.live_windows, 0.2522, 0.7404, 0.7404),
    ):
        assert windows["take"] == pytest.approx(take, abs=1e-4)
        assert windows["redouble"] == pytest.approx(redouble, abs=1e-4)
        assert windows["cash"] == pytest.approx(cash, abs=1e-4)


def test_take_points_without_gammons():
    """25 % dead, 20 % live, 21.4 % at x = 0.68."""
    for x, take in ((0, 0.25), (1, 0.2), (0.68, 0.5 / 2.34)):
        decision = cube.decide(PLAIN, chances(0.5), efficiency=x)
        assert decision.windows["take"] == pytest.approx(take)
        assert decision.take_point == pytest.approx(take)


def test_windows_are_where_the_equities_cross():
    """At a cash point take and pass are worth the same, and so on."""
    rng = random.Random(3)
    seen = set()
    for _ in range(60):
        position = START.with_(
            match_length=7, score_own=rng.randrange(6), score_opp=rng.randrange(6)
        ) if rng.random() < 0.5 else START.with_(jacoby=rng.random() < 0.5)
        mix = random_chances(rng)
        p = sum(mix[:3])
        win, lose = [v / p for v in mix[:3]], [v / (1 - p) for v in mix[3:]]
        base = cube.decide(position, mix)
        for name, point in base.windows.items():
            if point is None or not 0.001 < point < 0.999:
                continue
            seen.add(name)
            owner = "own" if name in ("redouble", "too_good_own") else "centre"
            at = cube.decide(position.with_(cube_owner=owner), chances(point, win, lose))
            pairs = {
                "cash": (at.double_take, at.double_pass),
                "initial": (at.double, at.no_double),
                "redouble": (at.double, at.no_double),
                "too_good_centre": (at.no_double, at.double_pass),
                "too_good_own": (at.no_double, at.double_pass),
                "beaver": (at.double_take, 0.0),
            }
            if name in pairs:
                assert pairs[name][0] == pytest.approx(pairs[name][1], abs=1e-9), name
    assert seen >= {"cash", "initial", "redouble", "too_good_own", "beaver", "take"}


# ---- both sides agree ---------------------------------------------------------------------------


def swapped(probabilities):
    return [*probabilities[3:], *probabilities[:3]]


@pytest.mark.parametrize("fields", [
    {},
    {"jacoby": False, "max_cube": 4},
    {"rules": {"stake_cap": 3}},
    {"match_length": 9, "score_own": 2, "score_opp": 6},
    {"match_length": 5, "score_own": 4, "score_opp": 2},
    {"match_length": 5, "score_own": 1, "score_opp": 4, "crawford": True},
    {"match_length": 64},
], ids=str)
def test_same_under_swapping_sides(fields):
    """What one side gains by holding the cube the other side loses, at every owner."""
    rng = random.Random(4)
    position = START.with_(**fields)
    for _ in range(40):
        probabilities = random_chances(rng)
        here = cube.owners(position, probabilities)
        there = cube.owners(position.swap(), swapped(probabilities))
        other = {"centre": "centre", "own": "opp", "opp": "own"}
        for owner, decision in here.items():
            mirror = there[other[owner]]
            assert decision.no_double == pytest.approx(-mirror.no_double, abs=1e-9)
            assert decision.cubeless == pytest.approx(-mirror.cubeless, abs=1e-9)
            if decision.mwc is not None:
                assert decision.mwc["no_double"] == pytest.approx(1 - mirror.mwc["no_double"])
        # Opp's take of own's double is own's point of view of the same cube.
        if here["centre"].windows["cash"] is not None:
            assert here["centre"].take_point == pytest.approx(
                there["centre"].windows["take"], abs=1e-9
            )


def test_owning_the_cube_is_never_worse():
    rng = random.Random(5)
    for _ in range(100):
        position = START.with_(
            jacoby=False,
            match_length=rng.choice([0, 5, 9]),
            score_own=rng.randrange(4),
            score_opp=rng.randrange(4),
        ) if rng.random() < 0.7 else START.with_(jacoby=False)
        found = cube.owners(position, random_chances(rng))
        assert found["own"].no_double >= found["centre"].no_double - 1e-12
        assert found["centre"].no_double >= found["opp"].no_double - 1e-12


# ---- beavers, raccoons, mistakes of the opponent ------------------------------------------------


def test_jacoby_can_make_a_beavered_double_right():
    """Games that are mostly lost, but won big: doubling turns the gammons on."""
    wild = chances(0.345, win=(0.05, 0.95, 0), lose=(0.95, 0.05, 0))
    decision = cube.decide(START, wild, efficiency=0.05)
    assert decision.double_take < 0 and decision.beaver == 2 * decision.double_take
    assert decision.no_double < decision.beaver
    assert decision.verdict == "Double, beaver"
    assert cube.decide(START.with_(beavers=False), wild, efficiency=0.05).action == "D/T"


def test_beaver_lines():
    position = START.with_(rules={"raccoons": True})
    decision = cube.decide(position, chances(0.45), efficiency=0.5)
    take = decision.double_take
    assert decision.lines["beaver"].equity == pytest.approx(2 * take)
    assert decision.lines["raccoon"].equity == pytest.approx(4 * take)
    assert decision.lines["beaver_pass"].equity == -2
    assert decision.lines["raccoon_pass"].equity == 4
    assert "raccoon" not in cube.decide(START, chances(0.45)).lines
    assert "beaver" not in cube.decide(START.with_(max_cube=2), chances(0.45)).lines


STAKES = [  # a cube that can be turned so much more, and stakes that grow so much more
    {"max_cube": limit, "rules": {"raccoons": True, **({"stake_cap": cap} if cap else {})}}
    for limit in (4, 8, 64, None) for cap in (3, 4, 10, None)]


@pytest.mark.parametrize("stakes", STAKES, ids=lambda s: f"{s['max_cube']} {s['rules']}")
def test_lines_found_otherwise_under_limits_and_caps(stakes):
    """Lines of `decide` come to what it says. Others: no line is beyond the cap, the cube that is
    turned no more is worth what the chances say, and one with neither limit nor cap twice and four
    times the take."""
    rng = random.Random(11)
    limit, cap = stakes["max_cube"] or math.inf, stakes["rules"].get("stake_cap", math.inf)
    shown = set()
    for _ in range(60):
        position = START.with_(**stakes, jacoby=rng.random() < 0.5)
        if rng.random() < 0.5:
            position = position.with_(cube=2, cube_owner="own")
        mix = random_chances(rng)
        model = cube.decide(position, mix)
        again = cube.from_lines(position, mix, model.no_double, model.double_take)
        assert (again.action, again.reason) == (model.action, model.reason)
        assert set(again.lines) == set(model.lines)
        for name, line in model.lines.items():
            assert again.lines[name].equity == pytest.approx(line.equity, abs=1e-12), name
        shown.add(model.action)
        if model.double_take is None:
            continue
        worst = cap / position.cube
        take = max(-worst, min(worst, model.double_take + rng.choice((0.3, 8)) * rng.gauss(0, 1)))
        found = cube.from_lines(position, mix, model.no_double, take)
        assert found.double_take == pytest.approx(take, abs=1e-12)
        for line in found.lines.values():
            assert abs(line.equity) <= worst + 1e-12
        for name, times in (("beaver", 4), ("raccoon", 8)):
            height = times * position.cube
            if name not in found.lines:
                assert height > limit
            elif 2 * height > limit or height >= cap:
                wanted = sum(
                    p * max(-cap, min(cap, height * points))
                    for p, points in zip(mix, (1, 2, 3, -1, -2, -3), strict=True))
                assert found.lines[name].equity == pytest.approx(
                    wanted / position.cube, abs=1e-9)
            elif limit == cap == math.inf:
                assert found.lines[name].equity == pytest.approx(times / 2 * take, abs=1e-12)
    assert len(shown) > 1


def test_windows_of_raccoons_are_where_they_gain():
    """Under a cap that a beaver reaches, turning the cube once more changes nothing; without one it
    gains from where the beaver does."""
    for cap, none in ((3, True), (4, True), (10, False), (None, False)):
        rules = {"raccoons": True, **({"stake_cap": cap} if cap else {})}
        decision = cube.decide(START.with_(rules=rules), chances(0.5))
        assert (decision.windows["raccoon"] is None) is none, cap
    assert decision.windows["raccoon"] == pytest.approx(decision.windows["beaver"], abs=1e-15)


def test_how_wrong_the_opponent_must_be():
    decision = cube.decide(PLAIN, chances(0.6))
    q = decision.wrong_share
    assert decision.wrong_answer == "pass"
    mixed = q * decision.double_pass + (1 - q) * decision.double_take
    assert mixed == pytest.approx(decision.no_double)
    good = cube.decide(PLAIN, chances(0.9, win=(0.2, 0.8, 0)))
    q = good.wrong_share
    assert good.wrong_answer == "take"
    assert q * good.double_take + (1 - q) * good.double_pass == pytest.approx(good.no_double)
    assert cube.decide(PLAIN, chances(0.75)).wrong_share is None


# ---- what goes in -------------------------------------------------------------------------------


def test_forms_of_probabilities():
    six = [0.40, 0.12, 0.01, 0.36, 0.10, 0.01]
    five = [0.53, 0.13, 0.01, 0.11, 0.01]
    names = [f"{v}_{k}" for v in ("win", "lose") for k in ("single", "gammon", "backgammon")]
    for form in (six, five, dict(zip(names, six, strict=True)),
                 dict(zip(cube.NESTED, five, strict=True))):
        assert cube.exclusive("backgammon", form) == pytest.approx(six)
    eight = cube.exclusive("long_nardy", [0.3, 0.1, 0.1, 0, 0.3, 0.1, 0.1, 0])
    assert len(eight) == 8


@pytest.mark.parametrize("wrong", [
    [0.5, 0.5], [0.5] * 6, [1.2, 0, 0, -0.2, 0, 0], [float("nan")] * 6, {"win_single": 1.0},
    [0.5, 0.6, 0, 0, 0], [0.5, 0.1, 0.2, 0, 0],
], ids=str)
def test_wrong_probabilities(wrong):
    with pytest.raises(ValueError, match="probabilities"):
        cube.decide(START, wrong)


def test_other_errors():
    even = chances(0.5)
    with pytest.raises(ValueError, match="efficiency"):
        cube.decide(START, even, efficiency=1.5)
    with pytest.raises(ValueError, match="tables"):
        cube.decide(START)
    with pytest.raises(ValueError, match="70 points"):
        cube.decide(START.with_(match_length=70), even)
    over = home_position("000000", "100000")
    with pytest.raises(ValueError, match="over"):
        cube.decide(over, even)


def test_cube_efficiency_by_class():
    x = cube.CubeEfficiency()
    assert x.of(START) == 0.69
    assert x.of(home_position("222222", "222222")) == 0.617
    side = [0] * 26
    side[7], side[6] = 8, 7
    race = Position("backgammon", tuple(side), tuple(side))
    assert x.of(race) == pytest.approx(0.65 + 0.00125 * 98)
    side[7], side[18] = 0, 8
    longer = Position("backgammon", tuple(side), home_position("222222", "222222").own)
    assert longer.pips[0] == 186 and x.of(longer) == 0.85
    flat = dataclasses.replace(x, race=0.5, race_pip=0, race_low=0)
    assert flat.of(race) == 0.5
    number = cube.CubeEfficiency.made(0.4)
    assert [number.of(p) for p in (START, race, longer)] == [0.4] * 3
    assert cube.CubeEfficiency.made(flat) is flat and cube.CubeEfficiency.made(None) == x


def test_long_nardy():
    """Eight classes and the points of the rules; no Jacoby, no beavers."""
    long = Position.start("long_nardy")
    decision = cube.decide(long, [0.4, 0.2, 0.1, 0.05, 0.2, 0.03, 0.01, 0.01])
    wanted = 0.4 + 2 * 0.2 + 3 * 0.1 + 4 * 0.05 - 0.2 - 2 * 0.03 - 3 * 0.01 - 4 * 0.01
    assert decision.cubeless == pytest.approx(wanted)
    federation = Position.start("long_nardy", scoring="federation")
    other = cube.decide(federation, decision.probabilities)
    assert other.cubeless == pytest.approx(0.4 + 2 * 0.35 - 0.2 - 2 * 0.05)
    assert "beaver" not in decision.lines
    assert decision.verdict == "No cube in play: these rules have none"
    assert (decision.action, decision.reason) == ("-", "no_cube")
    assert list(decision.lines) == ["no_double"]
    playing = cube.decide(Position.parse("start:long_nardy:federation"), decision.probabilities)
    assert playing.action != "-" and playing.double_pass == 1


# ---- exact bear-offs for money ------------------------------------------------------------------


def test_exact_answers_have_no_points_of_the_model():
    """Two checkers each on the two-point: at 79.94 % the cube model would pass from 78.34 % on, and
    the take is right. Points of the model are there by that name only."""
    exact = cube.decide(home_position("020000", "020000"))
    model = cube.decide(exact.position, exact=False, probabilities=exact.probabilities)
    assert exact.action == "D/T" and model.action == "D/P" and model.cash_point < 0.7994
    for found, there in ((exact, False), (model, True)):
        assert ("window" in found.text()) is ("cash from" in found.text()) is there
        plain = found.to_dict()
        for name in ("take_point", "double_point", "redouble_point", "cash_point",
                     "too_good_point", "own_take_point"):
            assert (plain[name] is not None) is (there and name != "too_good_point"), name
        assert ("model_windows" in plain) is not there
        windows = plain["windows" if there else "model_windows"]
        assert windows["cubeful"]["cash"] == found.windows["cash"]
        assert bool(plain["windows"]) is there


@pytest.mark.parametrize("row", rows("bearoff_two.csv"), ids=lambda row: row["own"] + row["opp"])
def test_exact_money(row):
    position = home_position(row["own"], row["opp"])
    found = cube.owners(position)
    decision = found["centre"]
    assert decision.exact
    assert decision.cubeless == pytest.approx(float(row["cubeless"]), abs=1e-6)
    assert found["own"].no_double == pytest.approx(float(row["own_cube"]), abs=1e-6)
    assert decision.no_double == pytest.approx(float(row["centred"]), abs=1e-6)
    assert found["opp"].no_double == pytest.approx(float(row["opponent"]), abs=1e-6)
    assert decision.double_take == pytest.approx(float(row["double_take"]), abs=1e-6)
    assert decision.action == row["action"]
    assert sum(list(decision.probabilities.values())[:3]) == pytest.approx(
        float(row["win"]), abs=1e-6
    )


def test_the_model_is_near_the_exact_values():
    """Not a check of digits: the model on exact chances, against exact play of long bear-offs."""
    for own, opp in (("111111", "111111"), ("000033", "000033"), ("033000", "033000")):
        position = home_position(own, opp)
        model, truth = (cube.decide(position, exact=exact, probabilities=probabilities)
                        for exact, probabilities in (
                            (False, bearoff(position).probabilities), (True, None)))
        assert not model.exact
        assert model.no_double == pytest.approx(truth.no_double, abs=0.12)
        assert _homes(position)[0] == list(map(int, own))


# ---- what is special at match scores ------------------------------------------------------------


def test_a_turned_cube_has_an_owner_in_a_match():
    turned = START.with_(match_length=9, cube=4, cube_owner="own")
    assert list(cube.owners(turned, chances(0.6))) == ["own", "opp"]
    with pytest.raises(ValueError, match="4 in the centre of a match"):
        turned.with_(cube_owner="centre")
    assert list(cube.owners(START.with_(cube=4), chances(0.6))) == ["centre", "own", "opp"]
