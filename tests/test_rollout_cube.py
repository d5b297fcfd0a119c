"""The cube inside rollouts, against the same play worked out by recursion.

With one checker a side and no contact every play is forced, so what remains is the cube: whoever
may double decides by the engine's chances and the cube model. The twin here follows all rolls and
all cube actions of that policy and adds up, knowing nothing of trials, luck or sides. Nets are
random: decisions are as odd as can be, and must be followed all the same.
"""

from __future__ import annotations

import functools
import json
import math

import numpy as np
import pytest
from random_nets import random_nets

import nardy_core as nd
from nardy_core._border._net import Net, feature_units
from nardy_core.cube import decide
from nardy_core.cube_inputs import stakes_of
from nardy_core.rules import points, preset

EFFICIENCY = 0.0  # in the games with beavers: with a livelier cube nobody doubles into one
ROLLS = [(a, b) for a in range(1, 7) for b in range(1, 7)]


@pytest.fixture(scope="module")
def engine():
    return nd.Engine({"backgammon": random_nets()}, threads=2)


@pytest.fixture(scope="module")
def gammonish():
    """Nets that say the same of every position: 34 % wins, nearly all of them gammons."""
    nets = {}
    for part, net in random_nets().items():
        features = net.info["features"]
        units = feature_units(features)
        zeros = [np.zeros(shape, dtype=np.float32) for shape in ((units, 64), 64, (64, 16), 16)]
        bias = np.log([0.017, 0.32, 0.003, 0.63, 0.02, 0.01]).astype(np.float32)
        nets[part] = Net.from_params(features, *zeros, np.zeros((16, 6), dtype=np.float32), bias)
    return nd.Engine({"backgammon": nets}, threads=2)


def single(own, opp, game="backgammon", **fields):
    if game == "long_nardy":
        assert max(own, opp) <= 12
        sides = [tuple(14 if n == 0 else int(n == point) for n in range(26))
                 for point in (own, opp)]
        return nd.Position.start(game, **preset(game, "federation")).with_(
            own=sides[0], opp=sides[1], **fields)
    assert own + opp < 25
    slots = [0] * 26
    slots[own], slots[25 - opp] = 1, -1
    return nd.Position.from_points(slots).with_(**fields)


def other(owner):
    return {"centre": "centre", "own": "opp", "opp": "own"}[owner]


class Twin:
    """Values of best-by-the-model cube action with forced plays: to the side on roll, in points
    with the cube counted in, or chances to win the match."""

    def __init__(self, engine, efficiency=None, cube_level=0, game="backgammon"):
        self.engine, self.efficiency, self.cube_level = engine, efficiency, cube_level
        self.game = game
        self.actions = set()

    @functools.cache  # noqa: B019 (lives for one test)
    def chances(self, own, opp):
        position = single(own, opp, self.game)
        return tuple(self.engine.evaluate(position, self.cube_level).probabilities.values())

    def flip(self, position, value):
        return 1 - value if position.match_length else -value

    @functools.cache  # noqa: B019 (lives for one test)
    def rolling(self, position):
        """The cube stays as it is for this roll."""
        own, opp = position.own.index(1, 1), position.opp.index(1, 1)
        worth = stakes_of(position)
        total = 0.0
        for a, b in ROLLS:
            left = own - (a + b if a != b else 4 * a)
            if left <= 0:
                total += worth.value(points(position.rules)[0] * position.cube)
            else:
                after = single(opp, left, self.game).with_(
                    cube=position.cube, cube_owner=other(position.cube_owner),
                    match_length=position.match_length, score_own=position.score_opp,
                    score_opp=position.score_own, crawford=position.crawford,
                    jacoby=position.jacoby, beavers=position.beavers, max_cube=position.max_cube,
                    turn=1 - position.turn, rules=position.rules)
                total += self.flip(position, self.deciding(after))
        return total / 36

    @functools.cache  # noqa: B019 (lives for one test)
    def deciding(self, position):
        own, opp = position.own.index(1, 1), position.opp.index(1, 1)
        if position.cube_owner == "opp":
            return self.rolling(position)
        found = decide(position, self.chances(own, opp), exact=False,
                       efficiency=self.efficiency)
        lines = {name: line.equity for name, line in found.lines.items()}
        stay = lines["no_double"]
        if "double_take" not in lines:
            return self.rolling(position)
        take, drop = lines["double_take"], lines["double_pass"]
        beaver, raccoon = math.inf, -math.inf
        if "beaver" in lines:
            if "raccoon" in lines:
                raccoon = min(lines["raccoon"], lines["raccoon_pass"])
            beaver = max(lines["beaver"], lines["beaver_pass"], raccoon)
        if max(stay, min(take, drop, beaver)) == stay:
            self.actions.add("none")
            return self.rolling(position)
        worth = stakes_of(position)
        cube = points(position.rules)[0] * position.cube
        if beaver < min(take, drop):
            if raccoon > max(lines["beaver"], lines["beaver_pass"]):
                if lines["raccoon"] > lines["raccoon_pass"]:
                    self.actions.add("raccoon, pass")
                    return worth.value(4 * cube)
                self.actions.add("raccoon")
                return self.rolling(position.with_(cube=8 * position.cube, cube_owner="opp"))
            if lines["beaver_pass"] > lines["beaver"]:
                self.actions.add("beaver, pass")
                return worth.value(-2 * cube)
            self.actions.add("beaver")
            return self.rolling(position.with_(cube=4 * position.cube, cube_owner="opp"))
        if take > drop:
            self.actions.add("pass")
            return worth.value(cube)
        self.actions.add("take")
        return self.rolling(position.with_(cube=2 * position.cube, cube_owner="opp"))


POSITIONS = [
    single(13, 7, max_cube=16),
    single(12, 12, max_cube=64, cube=2, cube_owner="opp"),
    single(11, 8, match_length=5),
    single(12, 9, match_length=7, score_own=4, score_opp=2, cube=2, cube_owner="own"),
    single(11, 9, match_length=5, score_own=2, score_opp=4),
    single(11, 9, match_length=5, score_own=2, score_opp=4, crawford=True),
]


def beavered(own, opp, raccoons=False, **fields):
    position = single(own, opp, jacoby=True, beavers=True, **fields)
    return position.with_(rules={**position.rules, "raccoons": raccoons})


BEAVERS = [beavered(9, 10, max_cube=32), beavered(9, 10, raccoons=True, max_cube=32)]


def check(engine, position, twin):
    exact = {"no_double": twin.rolling(position)}
    if position.cube_owner != "opp" and not position.crawford:
        exact["double_take"] = twin.rolling(
            position.with_(cube=2 * position.cube, cube_owner="opp"))
    worth = stakes_of(position)
    for reduced in (False, True):
        found = engine.rollout(position, cubeful=True, trials=1296, variance_reduction=reduced,
                               efficiency=twin.efficiency, cube_level=twin.cube_level).wait()
        assert [e.line for e in found.entries] == (list(exact) if len(exact) == 2 else [None])
        for entry, value in zip(found.entries, exact.values(), strict=True):
            equity = worth.equity(position.cube, value)
            # Two rolls are stratified, so the means lie closer than the standard errors allow for.
            assert abs(entry.equity - equity) <= 3 * entry.standard_error + 1e-6
            if position.match_length:
                assert abs(entry.mwc - value) <= 3 * entry.mwc_error + 1e-6


@pytest.mark.parametrize("position", POSITIONS)
def test_follows_the_cube(engine, position):
    twin = Twin(engine)
    check(engine, position, twin)
    assert position.crawford or twin.actions >= {"none", "take"}


LONG = [
    single(12, 8, "long_nardy", max_cube=16),
    single(11, 12, "long_nardy", max_cube=32, cube=2, cube_owner="opp"),
    # A pass pays what an oin does.
    single(12, 12, "long_nardy", max_cube=16, rules={"scoring": (2, 3, 4, 6)}),
    single(11, 9, "long_nardy", match_length=5),
    single(12, 10, "long_nardy", match_length=7, score_own=4, score_opp=2, cube=2,
           cube_owner="own", rules={"scoring": "federation", "next_starter": "winner"}),
    single(11, 9, "long_nardy", match_length=5, score_own=4, score_opp=2, crawford=True),
]


@pytest.mark.parametrize("position", LONG)
def test_follows_the_cube_of_long_nardy(position):
    engine = nd.Engine({"long_nardy": random_nets("long_nardy")}, threads=2)
    twin = Twin(engine, game="long_nardy")
    check(engine, position, twin)
    assert position.crawford or len(twin.actions) >= 2, twin.actions


def test_long_nardy_without_a_cube():
    """Where the rules have no cube, a rollout with one is the rollout without, trial by trial."""
    engine = nd.Engine({"long_nardy": random_nets("long_nardy")}, threads=2)
    position = nd.Position.start("long_nardy", **preset("long_nardy", "pronardy"))
    plain, cubed = (engine.rollout(position, trials=72, truncate=7, cubeful=cubeful).wait()
                    for cubeful in (False, True))
    assert cubed.decision is None and cubed.entries[0].line is None
    assert cubed.entries[0].equity == pytest.approx(plain.entries[0].equity, abs=1e-6)


def test_looks_ahead_at_the_cube(engine):
    shallow, deep = Twin(engine), Twin(engine, cube_level=1)
    check(engine, POSITIONS[2], deep)
    assert deep.rolling(POSITIONS[2]) != shallow.rolling(POSITIONS[2])


@pytest.mark.parametrize("position", BEAVERS)
def test_follows_beavers(gammonish, position):
    twin = Twin(gammonish, EFFICIENCY)
    check(gammonish, position, twin)
    assert twin.actions & {"beaver", "raccoon"}


def test_candidates_with_the_cube(engine):
    """A candidate's equity is that of the position after it, seen from the other side."""
    opening = nd.Position.start(dice=(3, 1))
    found = engine.rollout(opening, plays=["8/5 6/5"], trials=72, truncate=5, cubeful=True).wait()
    entry = found.entries[0]
    assert found.decision is None and entry.line is None and entry.mwc is None
    assert entry.cubeless == pytest.approx(
        np.dot([1, 2, 3, -1, -2, -3], list(entry.probabilities.values())), abs=1e-6)
    match = opening.with_(match_length=3, score_own=1)
    entry = engine.rollout(
        match, plays=["8/5 6/5"], trials=72, truncate=5, cubeful=True).wait().entries[0]
    assert 0 < entry.mwc < 1
    assert stakes_of(match).equity(1, entry.mwc) == pytest.approx(entry.equity)
    by_other_table = engine.rollout(
        match, plays=["8/5 6/5"], trials=72, truncate=5, cubeful=True, met="woolsey").wait()
    assert by_other_table.best.mwc != entry.mwc


def test_dead_cubes_change_nothing(engine):
    """Where nobody may turn the cube, a cubeful rollout is the cubeless one."""
    position = single(13, 11, jacoby=False)
    plain = engine.rollout(position, trials=144).wait()
    dead = engine.rollout(position.with_(max_cube=1), trials=144, cubeful=True).wait()
    assert len(dead.entries) == 1
    assert dead.equity == pytest.approx(plain.equity, abs=1e-6)
    assert dead.standard_error == pytest.approx(plain.standard_error, abs=1e-6)
    at_one_point = single(13, 11, match_length=1)
    found = engine.rollout(
        at_one_point, trials=144, cubeful=True, variance_reduction=False).wait()
    plain = engine.rollout(position, trials=144, variance_reduction=False).wait()
    assert found.best.mwc == pytest.approx((plain.equity + 1) / 2, abs=1e-6)


def test_small_bear_offs_are_exact(engine):
    """Six checkers a side for money: the table has the values, nothing is played."""
    position = nd.Position.from_points(
        [0, 1, 1, 1, 0, 1, 1, *[0] * 12, -1, -1, 0, -1, -1, -1, 0])
    found = engine.rollout(position, trials=36, cubeful=True).wait()
    exact = engine.cube(position)
    assert exact.exact and found.plies == 0
    assert found.entries[0].equity == pytest.approx(exact.no_double, abs=1e-6)
    assert found.entries[1].equity == pytest.approx(exact.double_take, abs=1e-6)
    assert found.decision.action == exact.action


def test_decision_is_told(engine):
    found = engine.rollout(single(12, 12), trials=36, cubeful=True).wait()
    data = json.loads(json.dumps(found.to_dict()))
    assert [line["line"] for line in data["lines"]] == ["no_double", "double_take"]
    assert data["verdict"] == found.decision.verdict and data["cubeful"] is True
    assert data["lines"][1]["difference"] is not None
    assert found.decision.verdict in str(found) and "no double" in str(found)
    with pytest.raises(ValueError, match="a double is offered"):
        engine.rollout(single(12, 12, offer="doubled"), cubeful=True)


def test_levels(engine):
    """Deeper plays and cube decisions inside trials, from the start or late."""
    opening = nd.Position.start(dice=(3, 1))
    common = {"plays": ["8/5 6/5", "24/23 13/10"], "trials": 36, "truncate": 4, "cubeful": True}
    found = {}
    for name, levels in {
        "static": {}, "deep": {"level": 1}, "cube": {"cube_level": 1},
        "late": {"late": 2, "late_level": 1}, "never late": {"late": 5, "late_level": 1},
        "late at once": {"level": 1, "late": 1, "late_level": 1},
    }.items():
        found[name] = engine.rollout(opening, **common, **levels).wait()
    values = {name: [e.equity for e in r.entries] for name, r in found.items()}
    assert values["late at once"] == values["deep"] and values["never late"] == values["static"]
    assert len({str(values[name]) for name in ("static", "deep", "late")}) == 3
    assert "from ply 2" in str(found["late"]) and found["deep"].level == 1
    for name in ("level", "cube_level", "late_level"):
        with pytest.raises(ValueError, match=name):
            engine.rollout(opening, cubeful=True, **{name: 5})
    with pytest.raises(ValueError, match="late"):
        engine.rollout(opening, late=0)


def test_stops_when_the_cube_decision_is_clear(engine):
    clear = engine.rollout(single(20, 3), trials=36 * 200, jsd=3, cubeful=True).wait()
    assert clear.reason == "jsd" and clear.trials < 36 * 200
    stay, taken = clear.entries
    assert abs(taken.equity - 1) >= 3 * taken.standard_error
    best = min(taken.equity, 1.0)
    assert best != stay.equity
