"""The value room against a twin that knows nothing of it: plain recursion over small games."""

import csv
import itertools
import math
import random
from pathlib import Path

import pytest
from twin import cube as twin

from nardy_core import cube
from nardy_core._border import _value
from nardy_core.match import MatchEquity
from nardy_core.position import Position

START = Position.start()
LONG = Position.start("long_nardy", cube="on", beavers=True)
TABLE = MatchEquity.open()


def payoff_of(position):
    """The twin's payoff for own (A) at a position's stakes."""
    if not position.match_length:
        cap = position.rules["stake_cap"]
        return twin.money(math.inf if cap is None else cap)
    a, b = (position.match_length - n for n in (position.score_own, position.score_opp))
    crawford = "now" if position.crawford else "over" if 1 in (a, b) else "before"
    return twin.match(
        TABLE.mwc, lambda n: TABLE.mwc(n, 1, post_crawford=True), a, b, crawford
    )


# ---- exact bear-offs ----------------------------------------------------------------------------

HOMES = twin.homes(2)
LOW = [home for home in twin.homes(4) if not any(home[3:]) and sum(home) == 4]
ENDS = {  # what ends the doubling: fields of a position
    "5 v 4 away": {"match_length": 7, "score_own": 2, "score_opp": 3},
    "2 v 3 away": {"match_length": 5, "score_own": 3, "score_opp": 2},
    "3 v 2 away": {"match_length": 5, "score_own": 2, "score_opp": 3},
    "9 v 4 away, cube 2": {"match_length": 11, "score_own": 2, "score_opp": 7, "cube": 2,
                           "cube_owner": "own"},
    "Crawford": {"match_length": 5, "score_own": 4, "score_opp": 1, "crawford": True},
    "post-Crawford, behind": {"match_length": 5, "score_own": 1, "score_opp": 4},
    "post-Crawford, ahead": {"match_length": 6, "score_own": 5, "score_opp": 1},
    "double match point": {"match_length": 3, "score_own": 2, "score_opp": 2},
    "64 away": {"match_length": 64},
    "match with a limit": {"match_length": 9, "max_cube": 2},
    "money to 4": {"max_cube": 4, "beavers": False},
    "money to 16 with beavers": {"max_cube": 16},
    "money to 32 with raccoons": {"max_cube": 32, "rules": {"raccoons": True}},
    "stake cap 3": {"beavers": False, "rules": {"stake_cap": 3}},
    "stake cap 10 with beavers": {"rules": {"stake_cap": 10}},
    "automatic double": {"cube": 2, "beavers": False, "rules": {"stake_cap": 10}},
}


@pytest.mark.parametrize(("start", "name"), [
    *((START, name) for name in ENDS),
    *((LONG, name) for name in ENDS if "match_length" not in ENDS[name]),
], ids=lambda given: given.game if isinstance(given, Position) else given)
def test_exact_bearoffs(start, name):
    """Every line of the decision, for all owners, at ten positions of each kind of stakes."""
    rng = random.Random(name)
    position = start.with_(**ENDS[name])
    payoff = payoff_of(position)
    beavers = position.beavers + (position.beavers and position.rules["raccoons"])
    game = twin.Bearoff(
        payoff,
        1 if position.crawford else position.max_cube or math.inf,
        beavers,
    )
    pairs = [rng.choices(HOMES, k=2) for _ in range(8)] + [rng.choices(LOW, k=2) for _ in range(2)]
    turned = position.cube
    for own, opp in pairs:
        sides = [(15 - sum(home), *home, *[0] * 19) for home in (own, opp)]
        here = position.with_(own=sides[0], opp=sides[1])
        for owner, decision in cube.owners(here).items():
            assert decision.exact
            stakes = cube.stakes_of(here)

            def near(equity, wanted, stakes=stakes):
                found = stakes.unequity(turned, equity)
                return found == pytest.approx(wanted, abs=1e-9)

            holder = {"centre": "centre", "own": "A", "opp": "B"}[owner]
            assert near(decision.no_double, game.roll("A", own, opp, turned, holder))
            none = twin.Bearoff(payoff, turned)
            assert near(decision.cubeless, none.roll("A", own, opp, turned, "centre"))
            if decision.double_take is None:
                assert owner == "opp" or not decision.lines.keys() - {"no_double"}
                continue
            assert near(decision.double_take, game.roll("A", own, opp, 2 * turned, "B"))
            assert near(decision.double_pass, payoff(turned))
            assert near(decision.double, game.doubled("A", own, opp, turned))
            assert near(decision.best, game.turn("A", own, opp, turned, holder))


def bearoff_position(own, opp, game="backgammon", **fields):
    sides = [(15 - sum(home), *home, *[0] * 19) for home in (own, opp)]
    return Position(game, *sides, **{"max_cube": None, **fields})


def golden(name):
    path = Path(__file__).parent / "golden" / name
    with path.open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


@pytest.mark.parametrize("part", range(10))
def test_500_match_bearoffs(part):
    """Ten scores, 50 positions each, solved by the twin (golden/make_match_bearoffs.py)."""
    rows = golden("match_bearoffs.csv")
    assert len(rows) == 500
    for row in rows[50 * part : 50 * part + 50]:
        decision = cube.decide(Position.parse(row["position"]))
        assert decision.exact
        for name in ("no_double", "double_take", "double_pass"):
            if row[name]:
                assert decision.mwc[name] == pytest.approx(float(row[name]), abs=1e-9)
            else:
                assert name not in decision.lines


@pytest.mark.parametrize(
    ("cap", "beavers"), [(1, 0), (2, 0), (3, 0), (3, 1), (4, 2), (10, 2)])
def test_every_small_game_under_a_stake_cap(cap, beavers):
    """All bear-offs of up to two checkers a side, every owner: the cube ends where it is worthless
    to turn it, and no line is worth more than the cap."""
    game = twin.Bearoff(twin.money(cap), beavers=beavers)
    rules = {"stake_cap": cap, "raccoons": beavers == 2}
    for own, opp in itertools.product(HOMES, HOMES):
        here = bearoff_position(own, opp, beavers=beavers > 0, rules=rules)
        for owner, decision in cube.owners(here).items():
            holder = {"centre": "centre", "own": "A", "opp": "B"}[owner]
            assert decision.no_double == pytest.approx(
                game.roll("A", own, opp, 1, holder), abs=1e-9)
            assert decision.best == pytest.approx(game.turn("A", own, opp, 1, holder), abs=1e-9)
            assert max(abs(line.equity) for line in decision.lines.values()) <= cap + 1e-12
            if owner != "opp":
                assert decision.double == pytest.approx(
                    game.doubled("A", own, opp, 1), abs=1e-9)


@pytest.mark.parametrize(("start", "times", "fields"), [
    (START, 0, {}), (START, 1, {}), (START, 2, {}), (START, 3, {"max_cube": 4}),
    (START, 4, {"rules": {"stake_cap": 3}}), (LONG, 2, {}), (LONG, 3, {"max_cube": 4}),
    (LONG, 4, {"rules": {"stake_cap": 3}}),
], ids=lambda given: given.game if isinstance(given, Position) else str(given))
def test_every_small_game_with_automatic_doubles(start, times, fields):
    """The whole game from the opening throw: each side throws one die, equal ones turn the cube up
    and are thrown again, the higher one begins. Worth of the first side, by plain recursion and by
    our cubes and values."""
    fields = {"beavers": False, "jacoby": False, **fields}
    rules = {**fields.pop("rules", {}), "automatic_doubles": times}
    limit = fields.get("max_cube") or math.inf
    game = twin.Bearoff(twin.money(rules.get("stake_cap") or math.inf), limit)

    def thrown(first, second, cube_value, left):
        total = 0.0
        for a, b in itertools.product(range(1, 7), repeat=2):
            if a == b:
                if left and 2 * cube_value <= limit:
                    total += thrown(first, second, 2 * cube_value, left - 1)
                else:  # thrown again with the cube as it is
                    total += settled(first, second, cube_value)
            else:
                mover = "A" if a > b else "B"
                total += game.roll(mover, first, second, cube_value, "centre")
        return total / 36

    def settled(first, second, cube_value):
        return (game.roll("A", first, second, cube_value, "centre")
                + game.roll("B", first, second, cube_value, "centre")) / 2

    chances = cube.automatic_doubles(start.with_(rules=rules, **fields))
    assert sum(chances.values()) == pytest.approx(1)
    for first, second in itertools.product(HOMES[::4], HOMES[::5]):
        wanted = thrown(first, second, 1, times)
        total = 0.0
        for value, chance in chances.items():
            here = bearoff_position(first, second, start.game, cube=value, rules=rules, **fields)
            sides = [cube.decide(side).no_double for side in (here, here.swap())]
            total += chance * value * (sides[0] - sides[1]) / 2
        assert total == pytest.approx(wanted, abs=1e-9)


def test_exact_from_both_sides():
    """A match at swapped scores is the same match: the values of one roll add up."""
    own, opp = (0, 1, 0, 0, 1, 1), (1, 1, 0, 1, 0, 0)
    sides = [(15 - sum(home), *home, *[0] * 19) for home in (own, opp)]
    position = START.with_(own=sides[0], opp=sides[1], match_length=7, score_own=1, score_opp=4)
    game = twin.Bearoff(payoff_of(position))
    other = position.swap()
    for owner, holder in (("centre", "centre"), ("own", "B"), ("opp", "A")):
        found = cube.decide(other.with_(cube_owner=owner)).mwc["no_double"]
        assert 1 - found == pytest.approx(game.roll("B", own, opp, 1, holder), abs=1e-9)


def test_largest_exact_bearoff_is_money_without_a_limit():
    """Six checkers on the six point a side: a limit far away is none."""
    home = (9, 0, 0, 0, 0, 0, 6, *[0] * 19)
    free = START.with_(own=home, opp=home, beavers=False)
    limited, unlimited = cube.decide(free.with_(max_cube=1 << 12)), cube.decide(free)
    assert limited.no_double == pytest.approx(unlimited.no_double, abs=1e-8)
    assert limited.double_take == pytest.approx(unlimited.double_take, abs=1e-8)


# ---- the dead limit: the game ends with the next roll -------------------------------------------


def random_mix(rng):
    parts = [rng.random() * k for k in (1, 0.6, 0.2)]
    return {k + 1: part / sum(parts) for k, part in enumerate(parts)}


STAKES = {
    **ENDS,
    "money": {"beavers": False},
    "no Jacoby": {"jacoby": False, "beavers": False},
    "money, automatic double": {"cube": 2},
    "cap without Jacoby": {"jacoby": False, "rules": {"stake_cap": 4}},
}


@pytest.mark.parametrize("name", STAKES)
def test_dead_cube_is_the_last_roll(name):
    """With gammons: the mean over all ends, games single under Jacoby until somebody doubles."""
    rng = random.Random(name)
    position = START.with_(**STAKES[name])
    payoff, value = payoff_of(position), position.cube
    stakes = cube.stakes_of(position)
    for _ in range(20):
        p, win, lose = rng.random(), random_mix(rng), random_mix(rng)
        six = [p * part for part in win.values()] + [(1 - p) * part for part in lose.values()]
        chances = dict(zip((1, 2, 3, -1, -2, -3), six, strict=True))
        single = {1: p, -1: 1 - p}
        decision = cube.decide(position, six, efficiency=0.0)
        ends = single if position.jacoby else chances
        wanted = stakes.equity(value, twin.one_roll(payoff, ends, value))
        assert decision.cubeless == pytest.approx(wanted, abs=1e-12)
        assert decision.no_double == pytest.approx(wanted, abs=1e-12)
        if decision.double_take is not None:
            wanted = stakes.equity(value, twin.one_roll(payoff, chances, 2 * value))
            assert decision.cubeless_doubled == pytest.approx(wanted, abs=1e-12)
            assert decision.double_take == pytest.approx(wanted, abs=1e-12)


# ---- the live limit: a walk in small steps ------------------------------------------------------

WALKS = {
    "money to 16": {"max_cube": 16, "jacoby": False, "beavers": False},
    "Jacoby": {"max_cube": 16, "beavers": False},
    "stake cap 3": {"jacoby": False, "beavers": False, "rules": {"stake_cap": 3}},
    "5 v 4 away": ENDS["5 v 4 away"],
    "4 v 5 away, cube 2": {"match_length": 7, "score_own": 3, "score_opp": 2, "cube": 2,
                           "cube_owner": "own"},
    "2 v 2 away": {"match_length": 5, "score_own": 3, "score_opp": 3},
    "2 v 3 away": ENDS["2 v 3 away"],
    "3 v 2 away": ENDS["3 v 2 away"],
    "post-Crawford, behind": ENDS["post-Crawford, behind"],
    "post-Crawford, ahead": ENDS["post-Crawford, ahead"],
    "11 away": {"match_length": 11},
}


@pytest.mark.parametrize("name", WALKS)
def test_live_cube_is_a_walk_in_small_steps(name):
    rng = random.Random(name)
    position = START.with_(**WALKS[name])
    payoff, value = payoff_of(position), position.cube
    stakes = cube.stakes_of(position)
    steps = 120
    for round_ in range(2):
        mixes = [{1: 1.0, 2: 0.0, 3: 0.0} if not round_ else random_mix(rng) for _ in range(2)]
        walked = twin.walk(
            payoff, *mixes, value, stakes.turns(value), steps, jacoby=position.jacoby
        )
        for owner, holder in (("centre", "centre"), ("own", "A"), ("opp", "B")):
            if owner == "centre" and position.match_length and value > 1:
                continue
            here = position.with_(cube_owner=owner)
            for i in range(3, steps, 9):
                p = i / steps
                six = [p * part for part in mixes[0].values()]
                six += [(1 - p) * part for part in mixes[1].values()]
                found = cube.decide(here, six, efficiency=1.0).no_double
                wanted = stakes.equity(value, walked[holder][i])
                assert found == pytest.approx(wanted, abs=0.02), (owner, p)


# ---- turns that cost nothing --------------------------------------------------------------------


def test_free_turns():
    """Behind after the Crawford game: lost is lost, so the cube is turned at once or next time."""
    behind = START.with_(match_length=5, score_own=1, score_opp=4)
    even = cube.decide(behind, [0.5, 0, 0, 0.5, 0, 0])
    double = TABLE.mwc(2, 1, post_crawford=True) / 2  # half the games, two points each
    assert even.mwc["double_take"] == pytest.approx(double)
    assert even.verdict == "Double, take"
    # Not to double costs less than playing the whole game for one point, but something.
    dead = TABLE.mwc(3, 1, post_crawford=True) / 2
    assert dead < even.mwc["no_double"] < double
    assert double - even.mwc["no_double"] < 0.2 * (double - dead)
    # One who is 2 away doubles one who is 6 away: the taker turns it again, so a loss is the match.
    ahead = START.with_(match_length=7, score_own=5, score_opp=1)
    taken = cube.decide(ahead, [0.6, 0, 0, 0.4, 0, 0]).mwc["double_take"]
    again = 0.6 + 0.4 * TABLE.mwc(2, 2)  # a game for four points
    once = 0.6 + 0.4 * TABLE.mwc(2, 4)
    assert again < taken < again + 0.25 * (once - again)


# ---- curves -------------------------------------------------------------------------------------


def test_values_rise_with_the_chance_to_win():
    rng = random.Random(8)
    for name, fields in itertools.islice(STAKES.items(), 0, None):
        position = START.with_(**fields)
        stakes = cube.stakes_of(position)
        win, lose = random_mix(rng), random_mix(rng)
        mix = [0.5 * part for part in (*win.values(), *lose.values())]
        model = _value.Model(stakes, mix, position.cube)
        for x in (0.0, 0.5, 1.0):
            for owner in _value.OWNERS:
                rising = [model.at(i / 50).values(owner, x) for i in range(51)]
                for line in (owner, "take", "beaver", "cubeless"):
                    values = [v[line] for v in rising]
                    if values[0] is not None:
                        assert all(b >= a - 1e-12 for a, b in itertools.pairwise(values)), name
