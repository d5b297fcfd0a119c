"""Rollouts against exact values, which share nothing with trials but the choice of plays. Nets are
random: no statement depends on how good they are.

Short nardy: one checker a side with contact, the other fourteen off. Games have hits on the way,
and all their positions can be listed: the exact chance to win, both sides choosing as the engine
does, is the solution of one equation a position.

Long nardy: long races of four checkers a side, without tables. The nets see the mover's checkers
alone, so what he plays depends on these alone, and each side's number of rolls has an exact
distribution; who has fewer wins.

NARDY_TRUTH=10 plays ten times as many trials.
"""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest
from lone_checkers import INDEX, ROLLS, STATES, WEIGHTS, following
from random_nets import random_nets

import nardy_core as nd
from nardy_core._border._net import feature_units
from nardy_core.evaluator import Net

SCALE = int(os.environ.get("NARDY_TRUTH", "1"))
SEEDS, POSITIONS, TRIALS = 400, 200, {"contact": 360 * SCALE, "race": 180 * SCALE}


def lone(own, opp):
    counts = [[0] * 26, [0] * 26]
    counts[0][own] = counts[1][opp] = 1
    counts[0][0] = counts[1][0] = 14
    return nd.Position("backgammon", tuple(counts[0]), tuple(counts[1]))


@pytest.fixture(scope="module")
def engine():
    return nd.Engine({"backgammon": random_nets()}, threads=2)


@pytest.fixture(scope="module")
def exact(engine):
    """Chance of the side on roll to win, by (own, opp)."""
    after = following(engine.model(lone(1, 1)).search, lone)
    win = np.full(len(STATES), 0.5)
    for _ in range(3000):
        before = win
        win = np.where(after < 0, 1.0, 1 - before[after]) @ WEIGHTS
        if np.abs(win - before).max() < 1e-14:
            break
    assert np.abs(win - before).max() < 1e-12
    return {state: win[i] for state, i in INDEX.items()}


RACERS, FAR = 4, 12  # checkers a side, and the farthest point: opposite halves of the board


def race(own, opp):
    """By the points of each side's checkers, the rest off; under a rule that tables do not know."""
    counts = [[0] * 26, [0] * 26]
    for side, points in zip(counts, (own, opp), strict=True):
        for point in points:
            side[point] += 1
        side[0] += 15 - len(points)
    return nd.Position("long_nardy", *map(tuple, counts),
                       rules=nd.Options("long_nardy", {"bearoff_forced": True}))


def points_of(planes):
    """The points of four planes that hold a checker, as often as they hold one."""
    counts = [sum((int(plane) >> slot & 1) << k for k, plane in enumerate(planes))
              for slot in range(1, 26)]
    return tuple(sorted((p for p, n in enumerate(counts, 1) for _ in range(n)), reverse=True))


@pytest.fixture(scope="module")
def racing():
    """An engine that sees of a race what the side that has moved has left."""
    nets = random_nets("long_nardy")
    rng, name, classes = np.random.default_rng(5), "long-nardy-race-1", 8
    units = feature_units(name)
    first = rng.uniform(-0.3, 0.3, (units, 64)).astype(np.float32)
    first[:units // 2] = 0  # those of the side on roll, the other one than the mover
    shapes = [(64,), (64, 32), (32,), (32, classes), (classes,)]
    nets["race"] = Net.from_params(
        name, first, *(rng.uniform(-0.3, 0.3, shape).astype(np.float32) for shape in shapes), "")
    return nd.Engine({"long_nardy": nets}, threads=2)


@pytest.fixture(scope="module")
def rolls_left(racing):
    """By the points of a side's checkers: chances that it is off after 0, 1, … rolls."""
    whole = race((FAR,) * RACERS, (FAR,) * RACERS)
    evaluator, longest = racing.model(whole).search, 40
    states = [points for n in range(RACERS + 1)
              for points in itertools.combinations_with_replacement(range(FAR, 0, -1), n)]
    found = {(): np.eye(1, longest)[0]}
    for own in sorted(states, key=sum)[1:]:
        planes = race(own, (FAR,) * RACERS).board
        chances = np.zeros(longest)
        for roll, weight in zip(ROLLS, WEIGHTS, strict=True):
            after = points_of(evaluator.choose(planes, roll)[0][0][:4])
            chances[1:] += weight * found[after][:-1]
        found[own] = chances
    assert all(chances.sum() == pytest.approx(1) for chances in found.values())
    return found


def win_of_race(rolls_left, own, opp):
    """The side on roll needs no more rolls than the other."""
    mine, others = rolls_left[own], rolls_left[opp]
    return float(mine @ others[::-1].cumsum()[::-1])


def questions(kind, request):
    """(engine, position, exact equity) of many positions whose games are long."""
    rng = np.random.default_rng(11)
    if kind == "contact":
        engine, exact = request.getfixturevalue("engine"), request.getfixturevalue("exact")
        far = [state for state in sorted(exact) if sum(state) >= 36]
        chosen = rng.choice(far, POSITIONS).tolist()
        return [(engine, lone(*state), 2 * exact[tuple(state)] - 1) for state in chosen]
    engine, left = request.getfixturevalue("racing"), request.getfixturevalue("rolls_left")
    far = [points for points in sorted(left) if sum(points) >= 34]
    pairs = [(far[i], far[k]) for i, k in rng.integers(len(far), size=(POSITIONS, 2))]
    return [(engine, race(own, opp), 2 * win_of_race(left, own, opp) - 1) for own, opp in pairs]


@pytest.fixture(scope="module", params=["contact", "race"])
def rolled(request):
    """(exact equity, equity, standard error) of many positions, plain and with luck removed."""
    found = {False: [], True: []}
    for seed, (engine, position, truth) in enumerate(questions(request.param, request)):
        for reduced, rows in found.items():
            result = engine.rollout(position, trials=TRIALS[request.param], seed=seed,
                                    variance_reduction=reduced).wait()
            rows.append((truth, result.equity, result.standard_error))
    return {reduced: np.array(rows) for reduced, rows in found.items()}


@pytest.mark.parametrize("reduced", [False, True])
def test_intervals_cover(rolled, reduced):
    truth, mean, error = rolled[reduced].T
    covered = (np.abs(mean - truth) <= 1.96 * error + 1e-5).mean()
    assert 0.92 <= covered <= 0.98
    # No common lean: the mean of 200 deviations, each in its standard errors.
    deviations = (mean - truth) / np.maximum(error, 1e-5)
    assert abs(deviations.mean()) < 3 / np.sqrt(POSITIONS)


def test_reduced_and_plain_agree(rolled):
    plain, reduced = rolled[False], rolled[True]
    gap = (plain[:, 1] - reduced[:, 1]) / np.hypot(plain[:, 2], reduced[:, 2])
    assert abs(gap.mean()) < 3 / np.sqrt(POSITIONS)
    assert (np.abs(gap) < 4.5).all()


@pytest.mark.parametrize("kind", ["contact", "race"])
@pytest.mark.parametrize("reduced", [False, True])
def test_errors_match_the_spread(request, kind, reduced):
    if kind == "contact":
        engine, position = request.getfixturevalue("engine"), lone(23, 21)
        win = request.getfixturevalue("exact")[23, 21]
    else:
        engine, states = request.getfixturevalue("racing"), ((12, 12, 11, 9), (12, 11, 10, 10))
        position, win = race(*states), win_of_race(request.getfixturevalue("rolls_left"), *states)
    results = [engine.rollout(position, trials=TRIALS[kind], seed=seed,
                              variance_reduction=reduced).wait() for seed in range(SEEDS)]
    means = np.array([r.equity for r in results])
    said = np.sqrt(np.mean([r.standard_error**2 for r in results]))
    assert 0.88 <= means.std(ddof=1) / said <= 1.12  # its own error is 0.035
    truth = 2 * win - 1
    assert abs(means.mean() - truth) < 3.5 * said / np.sqrt(SEEDS)
