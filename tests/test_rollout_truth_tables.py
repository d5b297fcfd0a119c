"""Rollouts against the bear-off tables: 200 positions each, games from fixed seeds.

In the tables: nothing is left to play, and both answer at once.

Bear-offs of four checkers a side in a match: the cube stays alive, and trials play to the end. The
truth is worked out here, from the chances of the one-sided table and the rules alone: whoever moves
leaves the other side the least, who doubles and who takes is decided by a dead cube (efficiency 0),
with all that follows. What becomes of cubeless chances is what the two-sided table says.

One checker a side with contact, for money: games have hits on the way, and end in the two-sided
table, with the cube where it lies. Nets are random, but know that nobody can lose a gammon; so the
best play is the best with any cube, and with a live one nobody doubles before the table. The value
of all positions is the solution of one equation for each and each owner.

NARDY_TRUTH=10 plays ten times as many trials.
"""

from __future__ import annotations

import itertools
import os

import lone_checkers
import numpy as np
import pytest
from lone_checkers import ROLLS, WEIGHTS
from random_nets import random_nets

import nardy_core as nd
from nardy_core._border._net import feature_units
from nardy_core._border._tables import counts_of_index, index_of_counts
from nardy_core.bearoff import bearoff_tables
from nardy_core.evaluator import Net
from nardy_core.match import MatchEquity

POSITIONS, TRIALS = 200, 360 * int(os.environ.get("NARDY_TRUTH", "1"))
LENGTH, CHECKERS, LONG = 3, 4, 19  # of the match; a side; pips from which games are long enough
STATES = [state for n in range(CHECKERS + 1)
          for state in itertools.combinations_with_replacement(range(6, 0, -1), n)]
INDEX = {state: i for i, state in enumerate(STATES)}


def place(own, opp, **fields):
    """A bear-off by the points of the checkers, the rest off."""
    sides = [tuple(15 - len(points) if n == 0 else points.count(n) for n in range(26))
             for points in (own, opp)]
    return nd.Position("backgammon", *sides, **fields)


def at_score(own, opp):
    return place(own, opp, match_length=LENGTH, jacoby=False, beavers=False)


def after(state, roll):
    """Where a side can be after a roll, which is all played: nothing is in its way."""
    dice = [roll, roll[::-1]] if roll[0] != roll[1] else [roll * 2]
    found = set()
    for order in dice:
        level = {state}
        for die in order:
            level = {left for now in level for left in (step(now, die) if now else {now})}
        found |= level
    return found


def step(state, die):
    """One checker moved: any of those that are further back, or off from the highest point."""
    left = set()
    for point in set(state):
        if point >= die or point == max(state):
            rest = list(state)
            rest.remove(point)
            left.add(tuple(sorted([*rest, *([point - die] if point > die else [])], reverse=True)))
    return left


class Truth:
    """Values of all pairs of states to the side on roll, arrays [own, opp]."""

    def __init__(self):
        one, n = bearoff_tables().one, len(STATES)
        numbers = [index_of_counts(
            [[state.count(point) for point in range(1, 7)]])[0] for state in STATES[1:]]
        rolls = np.zeros((n, 64))
        rolls[0, 0] = 1
        for i, number in enumerate(numbers, 1):
            chances = one.rolls(int(number))
            rolls[i, :len(chances)] = chances
        unfinished = rolls[:, ::-1].cumsum(axis=1)[:, ::-1]  # not off before so many rolls
        self.win = rolls @ unfinished.T
        # [own, roll] -> [opp]: the state left, where the other side is worst off.
        self.best = np.zeros((len(ROLLS), n, n), dtype=int)
        for r, roll in enumerate(ROLLS):
            for i, state in enumerate(STATES[1:], 1):
                results = [INDEX[left] for left in after(state, roll)]
                worst = np.where(np.array(results)[:, None] == 0, -1.0, self.win[:, results].T)
                self.best[r, i] = np.array(results)[worst.argmin(axis=0)]
        table = MatchEquity.open()
        self.worth = {cube: [table.mwc(max(LENGTH - won, 0), max(LENGTH - lost, 0))
                             for won, lost in ((cube, 0), (0, cube))] for cube in (1, 2)}
        self.worth[4] = [1.0, 0.0]
        self.order = sorted(range(1, n), key=lambda i: sum(STATES[i]))
        self.kept = {}

    def dead(self, cube):
        high, low = self.worth[cube]
        return low + self.win * (high - low)

    def rolling(self, cube, owner):
        """The cube stays for this roll."""
        return self._solved(cube, owner)[0]

    def deciding(self, cube, owner):
        return self._solved(cube, owner)[1]

    def _solved(self, cube, owner):
        """Both, from short games to long ones: values of one owner need those of the other."""
        if (cube, owner) in self.kept:
            return self.kept[cube, owner]
        owners = {"centre": ("centre",), "own": ("own", "opp"), "opp": ("own", "opp")}[owner]
        n = len(STATES)
        found = {one: (np.zeros((n, n)), np.zeros((n, n))) for one in owners}
        doubled = None if cube == 4 else self.rolling(2 * cube, "opp")
        others = {"centre": "centre", "own": "opp", "opp": "own"}
        levels = {}
        for i in self.order:
            levels.setdefault(sum(STATES[i]), []).append(i)
        pairs = sorted(((a + b), a, b) for a in levels for b in levels)
        for _, a, b in pairs:
            own, opp = np.ix_(levels[a], levels[b])
            for one in owners:
                _, decided = found[others[one]]
                total = np.zeros(np.broadcast(own, opp).shape)
                for r, weight in enumerate(WEIGHTS):
                    left = self.best[r][own, opp]
                    total += weight * np.where(left == 0, self.worth[cube][0],
                                               1 - decided[opp, left])
                found[one][0][own, opp] = total
            for one in owners:
                value = found[one][0][own, opp]
                if one != "opp" and doubled is not None:
                    stay, take = self.dead(cube)[own, opp], self.dead(2 * cube)[own, opp]
                    drop = self.worth[cube][0]
                    turned = np.where(take < drop, doubled[own, opp], drop)
                    value = np.where(np.minimum(take, drop) > stay, turned, value)
                found[one][1][own, opp] = value
        for one in owners:
            self.kept[cube, one] = found[one]
        return self.kept[cube, owner]


@pytest.fixture(scope="module")
def truth():
    return Truth()


@pytest.fixture(scope="module")
def engine():
    return nd.Engine({"backgammon": random_nets()}, threads=2)


@pytest.fixture(scope="module")
def chosen():
    """Pairs of states whose games are long."""
    long = [state for state in STATES if len(state) == CHECKERS and sum(state) >= LONG]
    rng = np.random.default_rng(2)
    return [(long[i], long[k]) for i, k in rng.integers(len(long), size=(POSITIONS, 2))]


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "reduced"])
def rolled(request, engine, chosen):
    return request.param, [
        engine.rollout(at_score(*pair), cubeful=True, efficiency=0.0, trials=TRIALS, seed=seed,
                       variance_reduction=request.param).wait()
        for seed, pair in enumerate(chosen)]


def check(truth, mean, error):
    truth, mean, error = map(np.array, (truth, mean, error))
    covered = (np.abs(mean - truth) <= 1.96 * error + 1e-6).mean()
    assert 0.92 <= covered <= 0.98
    # No common lean: the mean of 200 deviations, in its standard errors.
    assert abs((mean - truth).sum()) < 3 * np.sqrt((error**2).sum())


@pytest.mark.parametrize("line", ["no_double", "double_take"])
def test_bear_offs_played_out_at_a_score(rolled, truth, chosen, line):
    values = truth.rolling(1, "centre") if line == "no_double" else truth.rolling(2, "opp")
    entries = [next(e for e in result.entries if e.line == line) for result in rolled[1]]
    check([values[INDEX[own], INDEX[opp]] for own, opp in chosen],
          [e.mwc for e in entries], [e.mwc_error for e in entries])


def test_chances_on_the_way_are_those_of_the_two_sided_table(rolled, chosen):
    """Also where games end by a pass: whoever is doubled out next still plays his best. A pass
    counts what the one-sided table says, which is off by a thousandth or two."""
    reduced, results = rolled
    exact = np.array([equities(*pair)[0] for pair in chosen])
    for line in ("no_double", "double_take"):
        entries = [next(e for e in result.entries if e.line == line) for result in results]
        off = np.abs(np.array([e.cubeless for e in entries]) - exact)
        assert (off < 0.003).all() if reduced else (
            off < 4 * np.array([e.cubeless_error for e in entries])).all()


def equities(own, opp):
    """Cubeless, with the own cube, centred, with the opponent's: of the two-sided table."""
    numbers = [index_of_counts([[state.count(p) for p in range(1, 7)]]) for state in (own, opp)]
    return bearoff_tables().two.equities(*numbers)[0].tolist()


def test_the_policy_is_that_of_a_dead_cube(truth, chosen):
    for own, opp in chosen[:20]:
        p = truth.win[INDEX[own], INDEX[opp]]
        found = nd.cube.decide(at_score(own, opp), [p, 0, 0, 1 - p, 0, 0], exact=False,
                               efficiency=0.0)
        for line, cube in (("no_double", 1), ("double_take", 2)):
            assert found.lines[line].mwc == pytest.approx(
                truth.dead(cube)[INDEX[own], INDEX[opp]])


def test_in_the_tables_nothing_is_played(engine, chosen):
    """The two-sided table for money, up to six checkers; the one-sided one, up to fifteen."""
    for own, opp in chosen:
        cubeless, _, centred, taken = equities(own, opp)
        position = place(own, opp, jacoby=False, beavers=False)
        stay, take = engine.rollout(position, trials=36, cubeful=True).wait().entries
        assert (stay.equity, take.equity) == pytest.approx((centred, 2 * taken), abs=1e-6)
        assert max(stay.standard_error, take.standard_error) < 1e-7  # the rounding of a sum
        assert stay.cubeless == pytest.approx(cubeless, abs=0.01)
    one, rng = bearoff_tables().one, np.random.default_rng(4)
    for pair in rng.integers(1, 54264, size=(POSITIONS, 2)):
        sides = [(15 - counts.sum(), *counts, *[0] * 19) for counts in
                 counts_of_index(pair).astype(int)]
        found = engine.rollout(nd.Position("backgammon", *sides), trials=36).wait()
        assert found.plies == 0 and found.standard_error < 1e-7
        wanted = one.outcomes([pair[0]], [pair[1]])[0]
        assert list(found.probabilities.values()) == pytest.approx(wanted.tolist(), abs=1e-6)


# ---- games that end in the two-sided table ------------------------------------------------------


def lone(own, opp, **fields):
    return place((own,), (opp,), jacoby=False, beavers=False, **fields)


@pytest.fixture(scope="module")
def single():
    """Random nets that know of single games alone."""
    nets = {}
    for seed, (part, net) in enumerate(random_nets().items()):
        features, rng = net.info["features"], np.random.default_rng(seed)
        shapes = ((feature_units(features), 64), (64,), (64, 16), (16,), (16, 6), (6,))
        params = [rng.uniform(-0.2, 0.2, shape).astype(np.float32) for shape in shapes]
        params[4][:, [1, 2, 4, 5]] = 0
        params[5][[1, 2, 4, 5]] = -60
        nets[part] = Net.from_params(features, *params)
    return nd.Engine({"backgammon": nets}, threads=2)


@pytest.fixture(scope="module")
def values(single):
    """Of all positions of one checker a side, by owner of the cube, to the side on roll, which
    does not double before the table."""
    settled = np.array([max(state) <= 6 for state in lone_checkers.STATES])
    chances = np.array([single.evaluate(lone(*state), cubeful=False).win
                        for state in lone_checkers.STATES])
    assert ((chances > 0.25) & (chances < 0.75) | settled).all()  # too little for a live cube
    following = lone_checkers.following(single.model(lone(1, 1)).search, lone)
    found = {}
    for owners in (("centre",), ("own", "opp")):
        exact = {}
        for owner in owners:
            exact[owner] = np.zeros(len(settled))
            for i in np.flatnonzero(settled):
                _, own, centred, taken = equities(*((point,) for point in lone_checkers.STATES[i]))
                stay = {"own": own, "centre": centred, "opp": taken}[owner]
                exact[owner][i] = stay if owner == "opp" else max(stay, min(2 * taken, 1))
        now = {owner: exact[owner].copy() for owner in owners}
        while True:
            before = dict(now)
            for owner in owners:
                other = before[{"centre": "centre", "own": "opp", "opp": "own"}[owner]]
                rolled = np.where(following < 0, 1.0, -other[following]) @ WEIGHTS
                now[owner] = np.where(settled, exact[owner], rolled)
            if max(np.abs(now[owner] - before[owner]).max() for owner in owners) < 1e-13:
                break
        found |= now
    return {(*state, owner): found[owner][i]
            for state, i in lone_checkers.INDEX.items() for owner in found}


@pytest.mark.parametrize("reduced", [False, True], ids=["plain", "reduced"])
def test_games_that_end_in_the_two_sided_table(single, values, reduced):
    far = [key for key in sorted(values) if key[0] + key[1] >= 32]
    rng, rows = np.random.default_rng(8), []
    for seed, k in enumerate(rng.integers(len(far), size=POSITIONS)):
        own, opp, owner = far[k]
        position = lone(own, opp, cube=1 if owner == "centre" else 2, cube_owner=owner)
        entry = single.rollout(position, cubeful=True, efficiency=1.0, trials=TRIALS // 2,
                               seed=seed, variance_reduction=reduced).wait().entries[0]
        rows.append((values[far[k]], entry.equity, entry.standard_error))
    check(*np.array(rows).T)
