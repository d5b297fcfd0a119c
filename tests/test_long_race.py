"""Race table of long nardy: a slow solver on the twin's rules, sums over both sides, files."""

import functools
import os
import random

import numpy as np
import pytest
from random_nets import random_nets
from twin import long_nardy as twin

from nardy_core._border import _rules, errors
from nardy_core._border._long_race import LongRace
from nardy_core._border._tables import index_of_counts
from nardy_core.evaluator import Evaluator, default_points, phases_of
from nardy_core.train import race

FAR = [14, 1, *[0] * 24]  # the other side, out of the way
ROLLS = [(a, b, 1 if a == b else 2) for a, b in twin.ROLLS]


@pytest.fixture(scope="module")
def table():
    return LongRace.build(8)


def planes(own):
    out = np.zeros(4, dtype=np.uint32)
    for slot, n in enumerate(own):
        for k in range(4):
            out[k] |= (n >> k & 1) << slot
    return out


def side(text):
    """26 counts from "point:count point:count", the rest of fifteen off."""
    counts = [0] * 26
    for part in text.split():
        point, n = map(int, part.split(":"))
        counts[point] = n
    counts[0] = 15 - sum(counts)
    return tuple(counts)


# ---- a slow solver on the twin's rules -----------------------------------------------------------


def home(own):
    return not any(own[7:])


def all_off(own):
    return own[0] == 15


def first_off(own):
    return own[0] > 0


# Goal: what a roll costs before it is reached. To lose least, coming home is put off as long as it
# does not hinder the first checker: a mars costs two points less than a home mars.
COSTS = {
    all_off: lambda own: 1,
    first_off: lambda own: 3 if home(own) else 1,
}


@functools.cache
def mean(own, goal):
    if goal(own):
        return 0.0
    return COSTS[goal](own) + sum(w * mean(best(own, a, b, goal), goal) for a, b, w in ROLLS) / 36


@functools.cache
def best(own, a, b, goal):
    """The play of least mean; of equals that with fewer checkers on the points from 1, 2, … on."""
    position = twin.from_counts(own, FAR)
    found = {tuple(twin.counts(p, 0)) for p in twin.results(position, a, b)}
    return min(found, key=lambda after: (round(mean(after, goal), 7),
                                         [sum(after[n:]) for n in range(1, 25)]))


@functools.cache
def distribution(own, goal, until):
    """[n] = chance that exactly n rolls are needed until `until`, playing for the goal."""
    p = np.zeros(40)
    if until(own):
        p[0] = 1
        return p
    for a, b, w in ROLLS:
        p[1:] += w / 36 * distribution(best(own, a, b, goal), goal, until)[:-1]
    return p


SIDES = [side(text) for text in (
    "1:15", "6:1 1:14", "2:14 7:1", "7:2 1:13", "8:1 1:14", "8:2 2:1 1:12", "8:1 7:1 3:1 1:12",
    "7:1 6:1 5:1 1:12", "6:2 4:1 1:3", "6:3", "5:2 2:4", "7:3 1:12", "8:3 1:12",
)]


@pytest.mark.parametrize("own", SIDES, ids=str)
def test_against_the_slow_solver(table, own):
    found = table.rolls(planes(own))
    wanted = (distribution(own, all_off, all_off), distribution(own, first_off, home),
              distribution(own, first_off, first_off))
    for p, q in zip(found, wanted, strict=True):
        assert p.sum() == pytest.approx(1, abs=1e-12)
        np.testing.assert_allclose(np.pad(p, (0, 40 - len(p))), q, atol=5e-5)


def test_every_state_is_found_once(table):
    """The number of a state is right for all arrangements: its mean is one roll more than the mean
    of the states its best plays reach, which only holds where all of them are found."""
    rng = random.Random(7)
    for _ in range(60):
        own = [0] * 26
        for _ in range(15):
            own[rng.randint(1, 8)] += 1
        position = twin.from_counts(own, FAR)
        for mean_of in (mean_rolls, mean_cost):
            after = sum(w / 36 * min(mean_of(table, twin.counts(p, 0))
                                     for p in twin.results(position, a, b)) for a, b, w in ROLLS)
            cost = COSTS[first_off](own) if mean_of is mean_cost else 1
            assert cost + after == pytest.approx(mean_of(table, own), abs=1e-3)


def mean_rolls(table, own):
    p = table.rolls(planes(own))[0]
    return float(p @ np.arange(len(p)))


def mean_cost(table, own):
    """3 E[first off] - 2 E[home]: the same as 1 a roll outside, 3 a roll at home with none off."""
    _, at_home, first = table.rolls(planes(own))
    return float(3 * first @ np.arange(len(first)) - 2 * at_home @ np.arange(len(at_home)))


# ---- outcomes ------------------------------------------------------------------------------------


def outcomes(own, opp):
    """The sums over both sides' rolls, from the slow solver's distributions."""
    a, b = ({
        "all": distribution(s, all_off, all_off),
        "home": distribution(s, first_off, home),
        "first": distribution(s, first_off, first_off),
    } for s in (own, opp))
    out = np.zeros(8)
    for winner, loser, at, had in ((a, b, 0, -1), (b, a, 4, 0)):
        for n in range(1, 40):
            m = n + had  # rolls the loser has had
            going, none, outside = (loser[k][m + 1:].sum() for k in ("all", "first", "home"))
            out[at:at + 4] += winner["all"][n] * np.array(
                [going - none, outside, 0, none - outside])
    return out


PAIRS = [("2:1", "7:2 1:13"), ("6:2 5:1", "8:2 2:1 1:12"), ("7:2 1:13", "6:2 4:1 1:3"),
         ("8:1 1:14", "1:1"), ("8:3 1:12", "7:3 1:12"), ("1:15", "6:3"), ("1:2", "8:3 1:12"),
         ("1:4", "8:2 2:1 1:12"), ("5:2 2:4", "8:1 7:1 3:1 1:12")]


@pytest.mark.parametrize(("own", "opp"), PAIRS)
def test_outcomes(table, own, opp):
    own, opp = side(own), side(opp)
    board = np.concatenate([planes(own), planes(opp)])
    found = table.outcomes(board[None])[0]
    np.testing.assert_allclose(found, outcomes(own, opp), atol=2e-4)
    assert found.sum() == pytest.approx(1, abs=1e-6)


def test_outcomes_at_home_are_the_bearoff_tables(table, one_sided):
    rng = np.random.default_rng(3)
    for _ in range(200):
        own, opp = (side(" ".join(f"{p}:{n}" for p, n in enumerate(
            rng.multinomial(rng.integers(1, 16), [1 / 6] * 6), 1))) for _ in "ab")
        index = np.array([own[1:7], opp[1:7]], dtype=np.uint8)
        x, y = index_of_counts(index)
        win, shutout, _, lose, lost_out, _ = one_sided.outcomes([x], [y])[0]
        found = table.outcomes(np.concatenate([planes(own), planes(opp)])[None])[0]
        np.testing.assert_allclose(found[[0, 3, 4, 7]], [win, shutout, lose, lost_out], atol=2e-4)
        assert found[[1, 2, 5, 6]].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("own", ["9:1 1:14", "24:15", "8:1 1:3"])
def test_what_it_does_not_know(table, own):
    """A checker above its points, or some off before all are home (a board made by hand)."""
    known = planes(side("1:2"))
    assert table.rolls(planes(side(own))) is None
    for board in ([planes(side(own)), known], [known, planes(side(own))]):
        assert np.isnan(table.outcomes(np.concatenate(board)[None])).all()


def test_evaluator_asks_it(table):
    made = random_nets("long_nardy")
    nets = {part: made[part] for part in ("contact", "race")}
    plain = Evaluator("long_nardy", nets)
    exact = Evaluator("long_nardy", nets, race=table)
    texts = ["8:2 2:1 1:12", "9:1 1:14", "7:3 1:12", "24:15"]
    boards = np.stack([np.concatenate([planes(side(t)), planes(side("7:2 1:13"))]) for t in texts])
    found, without = exact.evaluate(boards), plain.evaluate(boards)
    np.testing.assert_array_equal(found[[0, 2]], table.outcomes(boards[[0, 2]]))
    np.testing.assert_array_equal(found[[1, 3]], without[[1, 3]])
    with pytest.raises(ValueError, match="backgammon has no such table"):
        Evaluator("backgammon", {p: random_nets()[p] for p in nets}, race=table)


# ---- files ---------------------------------------------------------------------------------------


def test_files(table, one_sided, tmp_path):
    path = tmp_path / "race.ndb"
    table.save(path)
    again = LongRace.open(path)
    assert again.points == table.points == 8
    own = planes(SIDES[5])
    for a, b in zip(table.rolls(own), again.rolls(own), strict=True):
        np.testing.assert_array_equal(a, b)
    data = bytearray(path.read_bytes())
    for at in (20, 64 + 300, 5000, len(data) - 1):
        damaged = data.copy()
        damaged[at] ^= 4
        (tmp_path / "bad.ndb").write_bytes(damaged)
        with pytest.raises(errors.FileFormatError, match=r"bad\.ndb"):
            LongRace.open(tmp_path / "bad.ndb")
    (tmp_path / "bad.ndb").write_bytes(data[:-2])
    with pytest.raises(errors.FileFormatError):
        LongRace.open(tmp_path / "bad.ndb")
    one_sided.save(tmp_path / "one.ndb")
    with pytest.raises(errors.FileFormatError):
        LongRace.open(tmp_path / "one.ndb")
    with pytest.raises(errors.FileError, match=r"none\.ndb"):
        LongRace.open(tmp_path / "none.ndb")
    with pytest.raises(ValueError, match=r"7\.\.12"):
        LongRace.build(13)
    assert not [f for f in os.listdir(tmp_path) if f.endswith(".tmp")]


def test_same_table_every_time(table, tmp_path):
    for name in ("a", "b"):
        (LongRace.build(8) if name == "b" else table).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_race_net_learns_from_it(table):
    rng = np.random.default_rng(2)
    boards = race.invented(20_000, rng)
    boards = boards[~np.isnan(table.outcomes(boards)[:, 0])]
    assert len(boards) > 8_000 and not np.isnan(table.outcomes(boards)).any()
    assert set(phases_of("long_nardy", boards)) == {1, 2}
    net = race.fit(table, boards, width=64, steps=6_000)
    contact = random_nets("long_nardy")["contact"]
    fresh = race.invented(4_000, rng)
    wanted = table.outcomes(fresh)
    known = ~np.isnan(wanted[:, 0])
    found = Evaluator("long_nardy", {"contact": contact, "race": net}).evaluate(fresh[known])
    points = np.array(default_points("long_nardy"))
    error = (found - wanted[known]) @ points
    assert error.std() < 0.12 < 0.15 * (wanted[known] @ points).std()


def test_a_race_is_the_same_in_both_games():
    """Each side runs for itself by the same rules, so the table serves backgammon too."""
    rng = np.random.default_rng(6)
    boards = race.invented(300, rng)
    for board in boards[phases_of("backgammon", boards) >= 1]:
        dice = rng.integers(1, 7, 2).tolist()
        ours = _rules.results("backgammon", board, dice)[0]
        theirs = _rules.results("long_nardy", board, dice)[0]
        assert sorted(map(bytes, ours)) == sorted(map(bytes, theirs))


def test_backgammon_races_by_hand(table):
    """One checker on 5 against fifteen at home: 31 of the 36 rolls bear it off, and win a gammon;
    the other side cannot win in one roll, but in it saves the gammon."""
    one, all_home = side("5:1"), side("1:5 2:5 3:5")
    board = np.concatenate([planes(one), planes(all_home)])[None]
    turned = np.concatenate([planes(all_home), planes(one)])[None]
    first = race.exact("backgammon", table, board)[0]
    assert first[1] == pytest.approx(31 / 36, abs=1e-4) and first[2:].sum() < 1e-4
    second = race.exact("backgammon", table, turned)[0]  # one is off before the other side's roll
    assert second[3] == pytest.approx(1, abs=1e-3) and second[4] < 1e-4
    far = np.concatenate([planes(side("20:15")), planes(one)])[None]
    assert np.isnan(race.exact("backgammon", table, far)).all()


def test_a_race_net_of_backgammon(table):
    rng = np.random.default_rng(2)
    boards = race.invented(40_000, rng)
    boards = boards[phases_of("backgammon", boards) == race.RACE]
    wanted = race.exact("backgammon", table, boards)
    known = ~np.isnan(wanted[:, 0])
    nets = random_nets("backgammon")
    teacher = Evaluator("backgammon", {"contact": nets["contact"], "race": nets["race"]})
    few = np.concatenate([boards[known][:6000], boards[~known][:50]])
    net = race.fit(table, few, game="backgammon", evaluator=teacher, width=64, steps=4_500)
    made = Evaluator("backgammon", {"contact": nets["contact"], "race": net})
    points = np.array(default_points("backgammon"))
    fresh = boards[known][6000:]
    error = (made.evaluate(fresh) - wanted[known][6000:]) @ points
    assert len(fresh) > 500 and error.std() < 0.25 * (wanted[known][6000:] @ points).std()
