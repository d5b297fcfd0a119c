"""Bear-off tables: known values, a slow solver of another kind, what must hold everywhere."""

import csv
import functools
import itertools
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from nardy_core import bearoff as face
from nardy_core._border import _tables
from nardy_core.position import Position
from nardy_core.tables import bearoff

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"
pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture(scope="module")
def two():
    return _tables.BearoffTwo.build()


def index(*sides):
    return _tables.index_of_counts(list(sides))


def rows(name):
    with open(GOLDEN / name, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


# ---- known values ----------------------------------------------------------------------------


@pytest.mark.parametrize("row", rows("bearoff_two.csv"), ids=lambda r: f"{r['own']}v{r['opp']}")
def test_two_sided_known_values(row):
    answer = bearoff(row["own"], row["opp"])
    e = answer.equities
    assert answer.probabilities["win_single"] == pytest.approx(float(row["win"]), abs=1e-4)
    for name, value in (
        ("cubeless", e.cubeless),
        ("own_cube", e.own),
        ("centred", e.centred),
        ("opponent", e.opponent),
        ("double_take", e.double_take),
    ):
        assert value == pytest.approx(float(row[name]), abs=1e-6), name
    assert e.action() == row["action"]
    assert Position.parse(row["gnu_id"]).own[1:7] == tuple(map(int, row["own"]))
    assert bearoff(Position.parse(row["gnu_id"])) == answer


@pytest.mark.parametrize("row", rows("bearoff_one.csv"), ids=lambda r: r["counts"])
def test_one_sided_known_values(row):
    counts = [int(n) for n in row["counts"].split("/")]
    answer = bearoff(counts, counts)
    assert answer.own == answer.opp
    # The other table rounds chances to 16 bits, so that its means are off by up to 1e-4 and its
    # EPCs by 49 / 6 as much; both were measured to three digits.
    assert answer.own.mean == pytest.approx(float(row["mean"]), abs=0.5e-3 + 1e-4)
    assert answer.own.deviation == pytest.approx(float(row["deviation"]), abs=1e-3)
    assert answer.own.epc == pytest.approx(answer.own.mean * 49 / 6, rel=1e-14)
    assert answer.own.epc == pytest.approx(float(row["epc"]), abs=0.5e-3 + 1e-4 * 49 / 6)
    if row["win"]:
        won = answer.probabilities["win_single"] + answer.probabilities["win_gammon"]
        assert won == pytest.approx(float(row["win"]), abs=1e-4)


# ---- a slow solver of another kind -----------------------------------------------------------
# Positions are sorted tuples of points, plays are found by trying both orders of the dice to the
# end, and every value is an exact fraction.

ROLLS = {(a, b): 1 if a == b else 2 for a in range(1, 7) for b in range(a, 7)}  # of 36


def one_die(men, die):
    """Positions after one die; empty when nothing is left to play."""
    found = set()
    for i, point in enumerate(men):
        rest = men[:i] + men[i + 1 :]
        if point > die:
            found.add(tuple(sorted((*rest, point - die))))
        elif point == die or point == max(men):
            found.add(rest)
    return found


@functools.cache
def results(men, roll):
    """Positions after a whole roll: every die is played unless nothing is left."""
    orders = [roll[:1] * 4] if roll[0] == roll[1] else [roll, roll[::-1]]
    ends = set()
    for order in orders:
        layer = {men}
        for die in order:
            layer = set().union(*(one_die(m, die) or {m} for m in layer))
        ends |= layer
    return ends


def small(most):
    for n in range(most + 1):
        yield from itertools.combinations_with_replacement(range(1, 7), n)


def counts(men):
    return [men.count(point) for point in range(1, 7)]


@functools.cache
def slow_rolls(men):
    """(mean, distribution) of rolls under the play of least mean."""
    if not men:
        return Fraction(0), (Fraction(1),)
    mean, p = Fraction(1), [Fraction(0)] * 30
    for roll, ways in ROLLS.items():
        best = min((slow_rolls(m) for m in results(men, roll)), key=lambda r: r[0])
        mean += best[0] * ways / 36
        for n, x in enumerate(best[1]):
            p[n + 1] += x * ways / 36
    while not p[-1]:
        p.pop()
    return mean, tuple(p)


@functools.cache
def slow_equity(own, opp, owner):
    """Equity of rolling now; owner None = no cube, else "own", "centre", "opp"."""
    total = 0.0
    after = {"own": "opp", "opp": "own"}.get(owner, owner)
    for roll, ways in ROLLS.items():
        total += ways * max(
            -slow_decision(opp, mine, after) if mine else 1.0 for mine in results(own, roll)
        )
    return total / 36


@functools.cache
def slow_decision(own, opp, owner):
    """The same when the side on roll may double first."""
    roll_now = slow_equity(own, opp, owner)
    if owner in (None, "opp"):
        return roll_now
    return max(roll_now, min(1.0, 2 * slow_equity(own, opp, "opp")))


def test_one_sided_against_fractions(one_sided):
    for men in small(3):
        mean, p = slow_rolls(men)
        at = int(index(counts(men))[0])
        found = one_sided.rolls(at)
        assert one_sided.moments(at)[0] == pytest.approx(float(mean), abs=1e-13)
        # Plays of equal mean differ in their distribution; the mean itself is what is unique.
        assert sum(n * x for n, x in enumerate(found)) == pytest.approx(float(mean), abs=1e-13)
        assert len(found) == len(p)


def test_one_sided_distribution_against_fractions(one_sided):
    """Where plays of equal mean are equal in all else, all the way down."""

    @functools.cache
    def settled(men):
        for roll in ROLLS if men else ():
            ends = [(slow_rolls(m), m) for m in results(men, roll)]
            least = min(mean for (mean, _), _ in ends)
            best = [(rolls, m) for rolls, m in ends if rolls[0] == least]
            if len({rolls for rolls, _ in best}) > 1 or not all(settled(m) for _, m in best):
                return False
        return True

    compared = 0
    for men in small(3):
        if settled(men):
            compared += 1
            found = one_sided.rolls(int(index(counts(men))[0]))
            np.testing.assert_allclose(found, [float(x) for x in slow_rolls(men)[1]], atol=1e-14)
    assert compared > 50


def test_two_sided_against_the_slow_solver(two):
    sides = [men for men in small(3) if men]
    where = index(*map(counts, sides))
    found = two.equities(np.repeat(where, len(sides)), np.tile(where, len(sides)))
    wanted = [
        [slow_equity(own, opp, owner) for owner in (None, "own", "centre", "opp")]
        for own, opp in itertools.product(sides, sides)
    ]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


# ---- what must hold everywhere ---------------------------------------------------------------


def test_indices_round_trip():
    every = np.arange(_tables.POSITIONS)
    table = _tables.counts_of_index(every)
    assert (_tables.index_of_counts(table) == every).all()
    assert len({row.tobytes() for row in table}) == _tables.POSITIONS
    assert (table[:924].sum(axis=1) <= 6).all() and (table[924:].sum(axis=1) > 6).all()


def test_outcomes_are_probabilities(one_sided):
    draw = np.random.default_rng(1)
    for low in (0, 38760):  # any, and with fifteen checkers left
        own, opp = draw.integers(low, _tables.POSITIONS, (2, 20_000))
        p = one_sided.outcomes(own, opp)
        assert (p >= 0).all() and (p[:, [2, 5]] == 0).all()
        np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-14)
        assert (p[opp < 38760, 1] == 0).all() and (p[own < 38760, 4] == 0).all()


def test_outcomes_against_plain_sums(one_sided):
    draw = np.random.default_rng(2)
    pairs = [*draw.integers(1, _tables.POSITIONS, (100, 2)), (54263, 54263), (1, 54263), (54263, 1)]
    for own, opp in pairs:
        a, b = one_sided.rolls(own), one_sided.rolls(opp)
        first = {side: one_sided.first_rolls(side) for side in (own, opp)}
        win = sum(a[n] * b[n:].sum() for n in range(len(a)))
        gammon = sum(a[n] * first[opp][n:].sum() for n in range(len(a))) if opp >= 38760 else 0
        lost = sum(b[n] * first[own][n + 1 :].sum() for n in range(len(b))) if own >= 38760 else 0
        wanted = [win - gammon, gammon, 0, 1 - win - lost, lost, 0]
        np.testing.assert_allclose(one_sided.outcomes([own], [opp])[0], wanted, atol=1e-14)


def test_one_sided_is_close_to_two_sided(one_sided, two):
    own, opp = (x.ravel() for x in np.mgrid[1:924, 1:924])
    separate = one_sided.outcomes(own, opp)[:, 0]
    exact = (1 + two.equities(own, opp)[:, 0]) / 2
    assert np.abs(separate - exact).max() < 0.015
    assert np.abs(separate - exact).mean() < 1e-3


def test_two_sided_order(two):
    own, opp = (x.ravel() for x in np.mgrid[1:924, 1:924])
    cubeless, mine, centred, theirs = two.equities(own, opp).T
    assert (mine >= centred - 1e-12).all() and (centred >= theirs - 1e-12).all()
    assert (mine >= cubeless - 1e-12).all() and (cubeless >= theirs - 1e-12).all()
    assert (np.abs([cubeless, mine, centred, theirs]) <= 1 + 1e-12).all()


# ---- the face --------------------------------------------------------------------------------


def test_bearoff_of_a_position():
    position = Position("backgammon", (0, 0, 0, 0, 5, 5, 5, *[0] * 19), (14, 1, *[0] * 24))
    answer = bearoff(position)
    assert answer.equities is None and answer.opp.mean == 1
    assert answer.probabilities["lose_gammon"] == pytest.approx(2 / 36)  # only 21 fails
    assert sum(answer.probabilities.values()) == pytest.approx(1)
    long = Position("long_nardy", position.own, position.opp)
    told = bearoff(long).probabilities
    assert told["lose_home_mars"] == answer.probabilities["lose_gammon"]
    assert len(told) == 8 and sum(told.values()) == pytest.approx(1)


def test_columns():
    answer = bearoff("222222", "111111")
    row = next(answer.table().rows())
    assert row["own_epc"] == answer.own.epc and row["opp_mean"] == answer.opp.mean
    assert row["win"] == pytest.approx(sum(
        p for name, p in answer.probabilities.items() if name.startswith("win")))
    assert row["equity_own"] is None and row["action"] is None
    exact = bearoff("111111", "111111")
    row = next(exact.table().rows())
    assert row["equity_double_take"] == exact.equities.double_take
    assert row["action"] == exact.equities.action()
    frame = pytest.importorskip("pandas") and exact.table().to_pandas()
    assert list(frame.columns) == list(row) and len(frame) == 1


def test_one_side_alone():
    answer = bearoff("000001")
    assert answer.opp is None and answer.probabilities is None and answer.equities is None
    assert answer.own.probabilities == pytest.approx((0, 27 / 36, 9 / 36))
    assert answer.own.epc == pytest.approx(1.25 * 49 / 6)


@pytest.mark.parametrize(
    ("own", "opp", "said"),
    [
        ("1111", None, "own: 4 counts"),
        ("11111x", None, "own: '11111x'"),
        ((1, 2, 3, 4, 5, -1), None, "own: "),
        ("222222", "333333", "opp: "),
        ("000000", "000000", "no checkers"),
        (Position.start(), None, "own has checkers outside"),
        (Position.start(), "000001", "opp: a position"),
        (
            Position("backgammon", (0, 3, *[0] * 24), (0, 3, *[0] * 24), checkers=3),
            None,
            "fifteen checkers",
        ),
        (
            Position(
                "long_nardy", (14, 1, *[0] * 24), (14, 1, *[0] * 24), rules={"bearoff_forced": True}
            ),
            None,
            "bearoff_forced",
        ),
    ],
)
def test_bad_input_is_one_line(own, opp, said):
    with pytest.raises(ValueError) as caught:
        bearoff(own, opp)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_bad_indices(one_sided, two):
    for bad in ([-1], [924], [[1]], [0.5]):
        with pytest.raises(ValueError):
            two.equities(bad, bad)
    with pytest.raises(ValueError):
        one_sided.outcomes([1, 2], [1])
    with pytest.raises(ValueError):
        one_sided.rolls(54264)
    with pytest.raises(ValueError):
        _tables.index_of_counts([[9, 9, 0, 0, 0, 0]])
    with pytest.raises(TypeError):
        _tables.BearoffOne()


@pytest.mark.parametrize(
    ("equities", "owner", "action"),
    [
        ((0, 0, 0, 0), "centre", "OD/T"),
        ((1, 1, 1, 1), "own", "OD/P"),
        ((0.2, 0.4, 0.3, 0.1), "centre", "ND/T"),
        ((0.2, 0.4, 0.3, 0.3), "centre", "D/T"),
        ((0.2, 0.7, 0.5, 0.3), "own", "ND/T"),
        ((-0.2, 0, -0.1, -0.2), "own", "ND/beaver"),
    ],
)
def test_cube_actions(equities, owner, action):
    assert face.Equities(*equities).action(owner) == action
    assert action in face.VERDICTS


def test_nobody_doubles_another_ones_cube():
    with pytest.raises(ValueError):
        face.Equities(0, 0, 0, 0).action("opp")
    with pytest.raises(ValueError):
        face.Equities(0, 0, 0, 0).action("mine")
