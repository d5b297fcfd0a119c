"""Search with the cube in play, against a slow twin, exact bear-offs, and itself."""
from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
from random_nets import random_nets
from twin import cube as twin_cube
from twin import search as twin

import nardy_core as nd
from nardy_core import cube
from nardy_core._border import _value
from nardy_core._border._engine import CubeSetting
from nardy_core.cube_inputs import CubeEfficiency, stakes_of
from nardy_core.evaluator import Plan, kernel_sets

ALL = (0, 0.0)
EVERYTHING = Plan(promote=[ALL] * 4, tree_select=[ALL] * 4, tree_promote=[ALL] * 4,
                  tree_cubeful=ALL)
GAME = "backgammon"


@pytest.fixture(scope="module")
def engine():
    return nd.Engine({GAME: random_nets(), "long_nardy": random_nets("long_nardy")}, threads=2)


# Few checkers are left in play, so that the twin comes to an end: contact, a closing race, and a
# gammon in the air.
SMALL = {
    "contact": [0, 0, 1, 0, 0, 0, 1, *[0] * 10, 0, 0, -1, 0, 0, -1, 0, 0, 0],
    "bar": [0, 1, 1, *[0] * 18, -1, 0, 0, -1, 1],
    "race": [0, 0, 0, 1, 0, 0, 0, 1, *[0] * 9, -1, 0, 0, 0, 0, -1, 0, 0, 0],
    "gammon": [0, 2, 1, *[0] * 15, -13, 0, 0, -2, 0, 0, 0, 0],
}
# Of long nardy: contact, and one side that has nothing off and a checker in its start quarter.
LONG = {
    "long contact": "w=14:1,2:1 b=13:1,3:1 turn=w maxcube=none",
    "long koks": "w=2:1,1:1 b=19:1,12:1,6:13 turn=w maxcube=none",
    "long home mars": "w=3:1,1:1 b=6:14,5:1 turn=w maxcube=none",
}
STAKES = {
    "money": {},
    "jacoby and beavers": {"jacoby": True, "beavers": True},
    "raccoons": {"beavers": True, "rules": {"raccoons": True}},
    "own cube": {"cube": 2, "cube_owner": "own"},
    "their cube": {"cube": 4, "cube_owner": "opp"},
    "limit": {"max_cube": 2, "beavers": True},
    "cap": {"rules": {"stake_cap": 3}},
    "match": {"match_length": 5, "score_own": 2, "score_opp": 1},
    "crawford": {"match_length": 5, "score_own": 4, "score_opp": 1, "crawford": True},
    "after crawford": {"match_length": 5, "score_own": 1, "score_opp": 4},
    "match, own cube": {"match_length": 7, "score_own": 3, "score_opp": 5, "cube": 2,
                        "cube_owner": "own"},
}


def small(name, stakes):
    if name in LONG:
        return nd.Position.parse(LONG[name]).with_(**STAKES[stakes])
    return nd.Position.from_points(SMALL[name]).with_(**STAKES[stakes])


def setting(position, efficiency=None):
    """Without the table of exact bear-offs."""
    parts = dataclasses.asdict(CubeEfficiency())
    if efficiency is not None:
        parts = {**dict.fromkeys(parts, efficiency), "race_pip": 0.0}
    return CubeSetting(stakes_of(position), position.cube, position.cube_owner, parts)


def stakes_for_twin(position):
    return {
        "jacoby": position.jacoby and not position.match_length,
        "beavers": position.beavers + (position.beavers and position.rules["raccoons"]),
        "max_cube": position.max_cube or math.inf,
        "value": lambda place, points: stakes_of(place).value(points),
    }


def leaf_of(engine):
    """The cube model's value of rolling, from static chances."""
    def leaf(position):
        evaluator = engine.model(position).search
        chances = evaluator.evaluate(position.board[np.newaxis])[0].tolist()
        x = CubeEfficiency().of(position)
        model = _value.Model(stakes_of(position), chances, position.cube)
        return model.values(position.cube_owner, x)[position.cube_owner]

    return leaf


@pytest.mark.parametrize(("name", "stakes"), [
    *itertools.product(SMALL, STAKES),
    *itertools.product(LONG, ("money", "jacoby and beavers", "raccoons", "limit", "cap")),
])
def test_it_is_its_definition(engine, name, stakes):
    position = small(name, stakes)
    evaluator, leaf = engine.model(position).search, leaf_of(engine)
    deep = name == "contact" and stakes in ("raccoons", "their cube", "match, own cube")
    for plies in (0, 1, 2) if deep else (0, 1):
        want = twin.lines(position, plies, stakes_for_twin(position), leaf)
        _, got = evaluator.evaluate_cubeful(position.board, plies, setting(position), EVERYTHING)
        assert got[position.cube_owner] == pytest.approx(want.pop("no_double"), abs=2e-6)
        for line in ("take", "pass", "beaver", "beaver_pass", "raccoon", "raccoon_pass"):
            if line in want:
                assert got[line] == pytest.approx(want[line], abs=8e-6), line
            else:
                assert got[line] is None


@pytest.mark.parametrize("stakes", [s for s in STAKES if s not in ("jacoby and beavers", "limit")])
def test_games_that_end_in_the_tree_are_exact(engine, stakes):
    """Both sides have two rolls left at most, and three plies are looked at before the last."""
    for own, opp in (((4, 0, 0, 0, 0, 0), (3, 0, 0, 0, 0, 0)),
                     ((1, 2, 0, 0, 0, 0), (2, 1, 0, 0, 0, 0))):
        points = [0, *own, *[0] * 12, *(-n for n in reversed(opp)), 0]
        position = nd.Position.from_points(points).with_(**STAKES[stakes])
        payoff = twin_cube.money()
        if position.match_length:
            def payoff(points, position=position):
                return stakes_of(position).value(points)
        exact = twin_cube.Bearoff(
            payoff, 1 if position.crawford else math.inf if position.match_length == 0 and
            not position.beavers else 64, stakes_for_twin(position)["beavers"])
        owner = {"centre": "centre", "own": "A", "opp": "B"}[position.cube_owner]
        if not position.match_length:  # the twin's recursion over the cube needs an end
            exact.max_cube = 64
            position = position.with_(max_cube=64)
        want = exact.roll("A", own, opp, position.cube, owner)
        evaluator = engine.model(position).search
        _, got = evaluator.evaluate_cubeful(position.board, 4, setting(position), EVERYTHING)
        assert got[position.cube_owner] == pytest.approx(want, abs=1e-6)
        if got["take"] is not None:
            assert got["take"] == pytest.approx(
                exact.roll("A", own, opp, 2 * position.cube, "B"), abs=1e-6)


def test_small_bear_offs_for_money_are_exact_at_any_depth(engine):
    position = nd.Position.from_points([0, 1, 2, 0, 1, 0, 1, *[0] * 13, -1, 0, -1, -2, -1, 0])
    exact = engine.cube(position)
    assert exact.exact
    for level in (0, 1, 3):
        assert engine.evaluate(position, level).cubeful == pytest.approx(exact.best, abs=1e-6)


MIDDLE = "XGID=-a-B--C-BA--cD--Ac-e----b-:0:0:1:31:2:1:0:5:10"


@pytest.mark.parametrize("changes", [
    {}, {"cube": 2, "cube_owner": "own"}, {"cube": 2, "cube_owner": "opp"},
    {"match_length": 0, "score_own": 0, "score_opp": 0, "jacoby": True},
    {"score_own": 4, "score_opp": 2, "crawford": True}])
def test_a_play_is_worth_what_the_other_side_says(engine, changes):
    position = nd.Position.parse(MIDDLE).with_(**changes)
    for level in (0, 1, 2):
        found = engine.analyse(position, level=level)
        assert found.cubeful and found.best.level == level
        for c in [*found.candidates[:2], found.candidates[-1]]:
            theirs = engine.evaluate(c.result, c.level)
            assert c.equity == pytest.approx(-theirs.cubeful, abs=1e-6)
            if position.match_length:
                assert c.mwc == pytest.approx(1 - theirs.mwc, abs=1e-6)
            else:
                assert c.mwc is None


def test_at_double_match_point_only_wins_count(engine):
    position = nd.Position.parse(MIDDLE).with_(score_own=4, score_opp=4)
    for level in (0, 1):
        for c in engine.analyse(position, level=level).candidates[:5]:
            assert c.mwc == pytest.approx(c.evaluation.win, abs=1e-5)
            assert c.equity == pytest.approx(2 * c.evaluation.win - 1, abs=1e-5)


def test_a_dead_cube_is_no_cube(engine):
    """With efficiency 0 and nobody to gain by a double the values are those of the chances."""
    position = nd.Position.parse(MIDDLE).with_(match_length=0, score_own=0, score_opp=0, max_cube=1)
    for level in (0, 1, 2):
        with_, without = (engine.analyse(position, level=level, cubeful=c, top=1)
                          for c in (True, False))
        assert with_.best.play == without.best.play
        assert with_.best.equity == pytest.approx(without.best.equity, abs=3e-4)


def test_the_limits_bracket_the_value(engine):
    position = nd.Position.parse(MIDDLE).with_(match_length=0, score_own=0, score_opp=0)
    dead, middle, live = (engine.cube(position, efficiency=x).no_double for x in (0.0, 0.5, 1.0))
    assert middle == pytest.approx((dead + live) / 2) and dead != live
    line = engine.cube(position).lines["no_double"]
    assert line.dead == pytest.approx(engine.cube(position, efficiency=0).no_double)
    assert line.live == pytest.approx(engine.cube(position, efficiency=1).no_double)


def test_decisions_at_level_0_are_those_of_the_model(engine):
    for changes in STAKES.values():
        position = nd.Position.parse(MIDDLE).with_(**{
            "dice": None, "match_length": 0, "score_own": 0, "score_opp": 0, **changes})
        found = engine.cube(position)
        chances = engine.evaluate(position).probabilities
        plain = cube.decide(position, chances)
        assert found.action == plain.action
        for name, line in plain.lines.items():
            assert found.lines[name].equity == pytest.approx(line.equity, abs=1e-6)


def test_same_bits_whatever_runs_it(engine):
    positions = [nd.Position.parse(MIDDLE).with_(**c) for c in (
        {}, {"score_own": 0, "score_opp": 3}, {"cube": 2, "cube_owner": "opp"})] * 2
    want = [engine.analyse(p, level=2, top=3) for p in positions]
    for kernels in kernel_sets():
        for threads in (1, 2):
            other = nd.Engine({GAME: random_nets()}, threads=threads, kernels=kernels)
            assert other.analyse_many(positions, level=2, top=3) == want
    none = Plan(cache=0)
    assert engine.analyse_many(positions, level=2, top=3, plan=none) == want
    one = engine.analyse(positions[0], level=2, top=1, include=[want[0].candidates[2].play])
    assert one.candidates[-1].equity in [c.equity for c in want[0].candidates]


def test_included_plays_say_the_same_bits(engine):
    position = nd.Position.parse(MIDDLE)
    for cubeful in (True, False):
        for level in (0, 1, 2):
            whole = engine.analyse(position, level=level, top=99, cubeful=cubeful)
            last = whole.candidates[-1]
            one = engine.analyse(position, level=level, top=1, include=[last.play], cubeful=cubeful)
            assert one.candidates[-1].evaluation == last.evaluation


def test_long_nardy_with_a_cube(engine):
    position = nd.Position.start("long_nardy", dice=(6, 5)).with_(max_cube=64)
    assert not engine.analyse(position).cubeful and engine.analyse(
        position.with_(match_length=3, score_own=0, score_opp=0)).cubeful
    found = engine.analyse(position, level=1, cubeful=True)
    for c in found.candidates[:2]:
        assert c.equity == pytest.approx(-engine.evaluate(c.result, 1).cubeful, abs=1e-6)


def test_what_is_refused(engine):
    position = nd.Position.parse(MIDDLE)
    stakes, parts = stakes_of(position), dataclasses.asdict(CubeEfficiency())
    evaluator = engine.model(position).search
    for wrong in (CubeSetting(stakes, 0.5, "own", parts),
                  CubeSetting(stakes, math.nan, "own", parts),
                  CubeSetting(stakes, 1, "own", {**parts, "contact": 1.5}),
                  CubeSetting(stakes_of(nd.Position.start("long_nardy")), 1, "own", parts)):
        with pytest.raises(ValueError, match="argument"):
            evaluator.evaluate_cubeful(position.board, 1, wrong)
    with pytest.raises(ValueError, match="efficiency"):
        engine.cube(position, efficiency=2.0)
    with pytest.raises(ValueError):
        CubeSetting(stakes, 1, "nobody", parts)
