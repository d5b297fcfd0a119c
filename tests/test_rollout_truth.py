"""Rollouts against exact values: one checker a side with contact, the other fourteen off.

Games have hits on the way, and all their positions can be listed: the exact chance to win, both
sides choosing as the engine does, is the solution of one equation a position. It shares nothing
with trials but the choice of plays. Nets are random: no statement depends on how good they are.
"""

from __future__ import annotations

import numpy as np
import pytest
from random_nets import random_nets

import nardy_core as nd

POSITIONS, TRIALS = 200, 360
ROLLS = [(a, b) for a in range(1, 7) for b in range(a, 7)]
WEIGHTS = np.array([1 if a == b else 2 for a, b in ROLLS]) / 36


def lone(own, opp):
    counts = [[0] * 26, [0] * 26]
    counts[0][own] = counts[1][opp] = 1
    counts[0][0] = counts[1][0] = 14
    return nd.Position("backgammon", tuple(counts[0]), tuple(counts[1]))


def slot_of(planes):
    """Where the only checker on the board stands; 0 = it is off."""
    return (int(planes[0] | planes[1] | planes[2] | planes[3]) & ~1).bit_length() - 1


@pytest.fixture(scope="module")
def engine():
    return nd.Engine({"backgammon": random_nets()}, threads=2)


@pytest.fixture(scope="module")
def exact(engine):
    """Chance of the side on roll to win, by (own, opp)."""
    states = [(own, opp) for own in range(1, 26) for opp in range(1, 26) if own + opp != 25]
    index = {state: i for i, state in enumerate(states)}
    evaluator = engine.model(lone(1, 1)).search
    following = np.zeros((len(states), len(ROLLS)), dtype=int)
    for (own, opp), i in index.items():
        planes = lone(own, opp).board
        for r, roll in enumerate(ROLLS):
            after = evaluator.choose(planes, roll)[0][0]
            mine, other = slot_of(after[:4]), slot_of(after[4:])
            following[i, r] = index[other, mine] if mine > 0 else -1
    win = np.full(len(states), 0.5)
    for _ in range(3000):
        before = win
        win = np.where(following < 0, 1.0, 1 - before[following]) @ WEIGHTS
        if np.abs(win - before).max() < 1e-14:
            break
    assert np.abs(win - before).max() < 1e-12
    return {state: win[i] for state, i in index.items()}


@pytest.fixture(scope="module")
def rolled(engine, exact):
    """(exact equity, equity, standard error) of many positions, plain and with luck removed."""
    rng = np.random.default_rng(11)
    far = [state for state in sorted(exact) if sum(state) >= 36]  # long games
    chosen = rng.choice(far, POSITIONS).tolist()
    found = {}
    for reduced in (False, True):
        rows = []
        for seed, (own, opp) in enumerate(chosen):
            result = engine.rollout(lone(own, opp), trials=TRIALS, seed=seed,
                                    variance_reduction=reduced).wait()
            rows.append((2 * exact[own, opp] - 1, result.equity, result.standard_error))
        found[reduced] = np.array(rows)
    return found


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


@pytest.mark.parametrize("reduced", [False, True])
def test_errors_match_the_spread(engine, exact, reduced):
    results = [engine.rollout(lone(23, 21), trials=TRIALS, seed=seed,
                              variance_reduction=reduced).wait() for seed in range(200)]
    means = np.array([r.equity for r in results])
    said = np.sqrt(np.mean([r.standard_error**2 for r in results]))
    assert 0.85 <= means.std(ddof=1) / said <= 1.15  # its own error is 0.05
    truth = 2 * exact[23, 21] - 1
    assert abs(means.mean() - truth) < 3.5 * said / np.sqrt(200)
