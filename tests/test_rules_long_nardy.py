"""Long nardy: the engine against the slow twin, the perft tables and the tables of first turns.

    python tests/test_rules_long_nardy.py --positions 100000 [--seed N]

compares that many positions of block-building play outside the usual run.
"""

import argparse
import itertools
import random
import sys
from pathlib import Path

import numpy as np
import pytest
from random_walk import swapped

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from perft import tables
from test_twin import first_turns
from twin import long_nardy as twin
from twin.planes import to_counts, to_planes, to_steps

from nardy_core._border import _rules

GAME = "long_nardy"
START = _rules.start(GAME)
DEFAULT = (0,) * len(_rules.OPTION_NAMES)
WORDS = {
    "head_limit": (1, None),
    "head_exception": ("fixed_346", "blocked", "head_only", "any_double", "none"),
    "head_scope": ("each", "starter"),
    "wall_rule": ("ahead", "enemy_home", "never", "free", "mobility"),
    "wall_check": ("step", "turn"),
    "no_larger_die": (False, True),
    "bearoff_from": ("same_turn", "next_turn"),
    "bearoff_forced": (False, True),
    "second_player": (False, True),
}


def option_codes(**words):
    """The engine's numbers for options given by name and word."""
    return tuple(
        WORDS[name].index(words[name]) if name in words else 0 for name in _rules.OPTION_NAMES
    )


def twin_options(codes):
    words = {
        name: WORDS[name][code]
        for name, code in zip(_rules.OPTION_NAMES, codes, strict=True)
        if name in WORDS
    }
    words["larger_die"] = not words.pop("no_larger_die")
    words["head_exception_scope"] = words.pop("head_scope")
    return twin.Options(**words)


def codes_of(options):
    words = {name: getattr(options, name) for name in WORDS if hasattr(options, name)}
    return option_codes(
        **words, no_larger_die=not options.larger_die, head_scope=options.head_exception_scope
    )


def planes_of(position):
    turn = position[2]
    return to_planes(twin.counts(position, turn), twin.counts(position, 1 - turn))


def board(text):
    return planes_of(twin.parse(text))


def twins_of(boards):
    """Engine boards as positions of the twin, the mover being White."""
    return [twin.from_counts(mine, theirs) for mine, theirs in to_counts(boards)]


# ---- positions -----------------------------------------------------------------------------


def blocks(boards):
    """The most points of six in a row that the mover holds before all of the other side's
    checkers, and a little for keeping his own foremost checker back: board by board."""
    slots = np.arange(1, 25)
    held, theirs = (
        np.bitwise_or.reduce(boards[:, side], axis=1)[:, None] >> slots & 1
        for side in (slice(0, 4), slice(4, 8))
    )
    foremost = int(np.argmax(theirs[0])) if theirs.any() else 0
    path = np.roll(held, 12, axis=1)[:, :foremost]
    most = np.zeros(len(boards))
    for first in range(foremost - 5):
        most = np.maximum(most, path[:, first : first + 6].sum(axis=1))
    return most, held.argmax(axis=1) / 4


def block_building(rng):
    """Endless games in which both sides build blocks and run late: (board, dice) turn by turn.
    Where five of six points are held more than one roll is asked."""
    while True:
        planes = START
        while _rules.outcome(GAME, planes) < 0:
            dice = rng.randint(1, 6), rng.randint(1, 6)
            yield planes, dice
            if blocks(planes[None])[0] >= 5:
                for _ in range(4):
                    yield planes, (rng.randint(1, 6), rng.randint(1, 6))
            boards, _, _ = _rules.results(GAME, planes, dice)
            likes = [
                block + back + rng.random() * rng.choice((1, 1, 1, 4))
                for block, back in zip(*blocks(boards), strict=True)
            ]
            planes = swapped(boards[int(np.argmax(likes))])


def thrown(rng):
    """Boards that no game reaches: checkers thrown on free points, mostly with six in a row."""
    while True:
        free = list(range(1, 25))  # the mover's numbers
        sides = []
        for turn in (0, 12):
            own = [0] * 26
            first = rng.randint(1, 19)
            wall = [(q + 11 + turn) % 24 + 1 for q in range(first, first + 6)]
            for point in wall[: rng.choice((0, 5, 6, 6))]:
                if point in free:
                    own[(point + turn - 1) % 24 + 1] += 1
                    free.remove(point)
            for point in rng.sample(free, 3):
                own[(point + turn - 1) % 24 + 1] += 1
                free.remove(point)
            held = [point for point in range(1, 25) if own[point]]
            while sum(own) < 15:
                own[rng.choice(held)] += 1
            sides.append(own)
        yield to_planes(*sides), (rng.randint(1, 6), rng.randint(1, 6))


def some_options(rng, planes):
    """About half of the options away from their default, and the right player."""
    codes = [rng.randint(0, limit) if rng.random() < 0.5 else 0 for limit in _rules.OPTION_LIMITS]
    codes[0] = 0
    codes[-1] = int(to_counts(planes)[0][1][24] < 15)
    return tuple(codes)


# ---- against the twin ----------------------------------------------------------------------


def compare(planes, dice, codes):
    """Results and number of dice; whether the wall rule took anything away."""
    position = twins_of(planes)[0]
    options = twin_options(codes)
    boards, _, played = _rules.results(GAME, planes, dice, codes)
    ours = twins_of(boards)
    expected, states = twin.legal(position, *dice, options)
    theirs = {(*state[:2], 0) for _, state in states}
    where = f"{twin.text(position)} dice {dice} options {codes}"
    assert len(set(ours)) == len(ours), where
    assert played == expected, where
    assert set(ours) == theirs, where
    free = codes[:4] + (WORDS["wall_rule"].index("free"),) + codes[5:]
    return len(_rules.results(GAME, planes, dice, free)[0]) != len(ours)


def compare_steps(planes, dice, codes, rng, most=60):
    """Ordered sequences, and the reasons why single steps are refused."""
    position = twins_of(planes)[0]
    options = twin_options(codes)
    expected = {play for play in twin.sequences(position, *dice, options) if play}
    where = f"{twin.text(position)} dice {dice} options {codes}"
    ours = [to_steps(play) for play in _rules.sequences(GAME, planes, dice, codes)]
    assert len(set(ours)) == len(ours), where
    assert set(ours) == expected, where
    kept = {to_steps(play) for play in _rules.results(GAME, planes, dice, codes)[1]} - {()}
    assert kept <= expected, where
    if len(expected) > most:
        return
    allowance = twin.head_allowance(position, *dice, options)
    home = twin.all_home(position)
    state, played = (*position[:2], 0), ()
    longest = max(map(len, expected), default=0)
    while True:
        left = [dice[0]] * 4 if dice[0] == dice[1] else list(dice)
        for _, die in played:
            left.remove(die)
        fine = []
        for source, die in itertools.product(range(1, 25), range(1, 7)):
            begins = any(play[: len(played) + 1] == (*played, (source, die)) for play in expected)
            reason = _rules.why(GAME, planes, dice, played, source, die, codes)
            if die not in left:
                assert reason == "die not rolled", where
                continue
            own = twin.refusal(state, 0, source, die, allowance, home, options)
            assert (reason == "ok") == begins, (where, played, source, die, reason)
            if begins:
                fine.append((source, die))
            elif own:
                assert reason == own, (where, played, source, die)
            elif reason == "larger die":
                assert longest == 1 and die < max(dice), (where, played, source, die)
            elif reason == "wall":
                assert options.wall_check == "turn", (where, played, source, die)
            else:
                assert reason == "more dice can be played", (where, played, source, die, reason)
                assert longest > len(played), (where, played, source, die)
        if not fine:
            return
        source, die = rng.choice(fine)
        played = (*played, (source, die))
        state = twin.moved(state, 0, source, die)


def compare_many(positions, rng, n, steps_every):
    """Default rules for each position, other rules for every second; turns the wall changed."""
    walled = 0
    for i, (planes, dice) in enumerate(itertools.islice(positions, n)):
        walled += compare(planes, dice, DEFAULT)
        if i % 2:
            compare(planes, dice, some_options(rng, planes))
        if i % steps_every == 0:
            compare_steps(planes, dice, DEFAULT if i % 3 else some_options(rng, planes), rng)
    return walled


def test_block_building_play_agrees_with_the_twin():
    rng = random.Random(20)
    assert compare_many(block_building(rng), rng, 1500, 15) >= 25


def test_boards_with_walls_made_by_hand_agree_with_the_twin():
    rng = random.Random(21)
    assert compare_many(thrown(rng), rng, 300, 10) >= 20


# ---- perft ---------------------------------------------------------------------------------

ROWS = tables.load(GAME)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.name} {row.option_text}" for row in ROWS])
def test_perft(row):
    planes, codes = planes_of(row.position), codes_of(row.options)
    for depth, count in enumerate(row.counts, 1):
        assert _rules.perft(GAME, planes, depth, codes) == count
    answers = [_rules.results(GAME, planes, roll, codes) for roll in twin.ROLLS]
    if row.per_roll:
        assert tuple(len(boards) for boards, _, _ in answers) == row.per_roll
    if row.dice:
        assert tuple(dice for _, _, dice in answers) == row.dice


# ---- first turns ---------------------------------------------------------------------------


def golden():
    """The tables of first turns: {(other side's checkers off the head, roll, exception):
    (alternatives, dice played)}, all numbers in rising order."""
    table = {}
    for who, other, roll, exception, points, dice in first_turns():
        stands = () if who == "first" else tuple(sorted(map(int, other.split(","))))
        ends = sorted(tuple(sorted(map(int, one.split(",")))) for one in points.split("or"))
        table[stands, tuple(sorted(roll)), exception] = ends, dice
    return table


def places(planes):
    """Own points of the mover's checkers off the head."""
    mine = to_counts(planes)[0][0]
    return tuple(point for point in range(1, 24) for _ in range(mine[point]))


def answer(planes, roll, codes=DEFAULT):
    boards, _, dice = _rules.results(GAME, planes, roll, codes)
    return sorted(map(places, boards)), dice


@pytest.mark.parametrize("exception", ["fixed_346", "blocked", "head_only"])
def test_first_turns(exception):
    table = golden()
    codes = option_codes(head_exception=exception)
    differing = set()
    for first in twin.ROLLS:
        expected = table[(), first, "fixed_346"]
        assert answer(START, first, codes) == expected
        for planes in _rules.results(GAME, START, first)[0]:
            for roll in twin.ROLLS:
                key = places(planes), roll, exception
                found = answer(swapped(planes), roll, codes)
                assert found == table.get(key, table[(), roll, "fixed_346"]), key
                assert found[1] > 0  # nobody passes his first turn
                if key in table:
                    differing.add(key)
    assert differing == {key for key in table if key[0] and key[2] == exception}


def test_only_the_starter_has_the_exception():
    starter = option_codes(head_scope="starter")
    assert answer(START, (4, 4), starter) == ([(16, 16)], 4)
    assert answer(START, (4, 4), option_codes(head_scope="starter", second_player=True)) == (
        [(16,)],
        2,
    )
    reply = swapped(_rules.results(GAME, START, (2, 1))[0][0])
    assert answer(reply, (4, 4)) == ([(16, 16)], 4)
    assert answer(reply, (4, 4), starter) == ([(16,)], 2)


# ---- walls ---------------------------------------------------------------------------------


def reasons(text, dice, steps, **options):
    """Why each of some first steps is refused."""
    planes = board(text)
    return [_rules.why(GAME, planes, dice, (), *step, option_codes(**options)) for step in steps]


def test_a_wall_may_straddle_the_own_head():
    # White on 24..21, 2 and 1 is a wall on Black's 14..9: 7 -> 2 with a five completes it.
    text = "w=24:9,23:1,22:1,21:1,7:2,1:1 b={} turn=w"
    nobody_ahead, ahead = text.format("20:15"), text.format("20:14,8:1")
    assert reasons(nobody_ahead, (5, 4), [(7, 5)]) == ["wall"]
    assert reasons(ahead, (5, 4), [(7, 5)]) == ["ok"]
    assert reasons(ahead, (5, 4), [(7, 5)], wall_rule="enemy_home") == ["wall"]
    assert reasons(text.format("20:14,6:1"), (5, 4), [(7, 5)], wall_rule="enemy_home") == ["ok"]
    assert reasons(ahead, (5, 4), [(7, 5)], wall_rule="never") == ["wall"]
    assert reasons(nobody_ahead, (5, 4), [(7, 5)], wall_rule="free") == ["ok"]
    # A mobile opponent makes it legal under "mobility": here he has sixes to play, there nothing.
    assert reasons(nobody_ahead, (5, 4), [(7, 5)], wall_rule="mobility") == ["ok"]
    assert reasons(text.format("15:15"), (5, 4), [(7, 5)], wall_rule="mobility") == ["wall"]


def test_six_points_across_the_opponents_head_are_no_wall():
    # White's 15..10 are Black's 3..1 and 24..22: nobody walks through both parts.
    text = "w=24:4,21:2,17:1,15:1,14:1,13:1,12:1,11:1,9:3 b=18:15 turn=w"
    for rule in ("ahead", "enemy_home", "never"):
        assert reasons(text, (1, 2), [(12, 2), (11, 1)], wall_rule=rule) == ["ok", "ok"]
    # White's 12..7 are Black's 24..19 and would be one, if ever a wall that has everybody ahead.
    text = "w=24:5,21:2,17:1,12:1,11:1,10:1,9:1,8:2,3:1 b=18:15 turn=w"
    assert reasons(text, (1, 2), [(8, 1)]) == ["ok"]
    assert reasons(text, (1, 2), [(8, 1)], wall_rule="never") == ["wall"]


def test_a_wall_on_the_whole_enemy_home_is_never_legal():
    text = "w=24:1,22:3,18:1,17:2,15:2,14:2,13:2,12:2 b=23:14,8:1 turn=w"
    assert reasons(text, (6, 2), [(22, 6), (18, 2)]) == ["wall", "ok"]


def test_an_illegal_wall_on_the_board_stops_nothing_else():
    text = "w=24:4,20:2,19:1,18:1,17:1,16:1,15:1,9:4 b=24:8,23:7 turn=w"
    assert reasons(text, (4, 1), [(24, 4), (9, 4), (9, 1)]) == ["wall", "ok", "ok"]
    assert compare(board(text), (4, 1), DEFAULT)
    assert len(_rules.results(GAME, board(text), (4, 1))[0]) > 5


def test_walls_in_passing_and_at_the_end():
    text = (
        "w=24:4,23:1,22:1,21:1,20:2,19:1,18:2,17:1,10:1,9:1 "
        "b=24:6,17:2,16:2,15:2,14:1,13:1,1:1 turn=b"
    )
    step = _rules.results(GAME, board(text), (6, 3))
    turn = _rules.results(GAME, board(text), (6, 3), option_codes(wall_check="turn"))
    assert step[2] == 1 and len(step[0]) == 2
    assert {die for play in step[1] for _, die in to_steps(play)} == {3}
    assert turn[2] == 2 and len(turn[0]) == 1
    assert {source for source, _ in to_steps(turn[1][0])} in ({24, 18}, {24, 21})  # 24 -> 15
    assert set(twins_of(step[0])).isdisjoint(twins_of(turn[0]))


# ---- ends and phases -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loser", "category"),
    [
        ("24:13,1:1", "oin"),
        ("6:15", "home_mars"),
        ("24:1,6:14", "koks"),
        ("19:1,1:14", "koks"),
        ("18:1,6:14", "mars"),
        ("7:15", "mars"),
        ("1:14", "oin"),
    ],
)
def test_outcomes(loser, category):
    names = _rules.outcome_names(GAME)
    position = twin.parse(f"w= b={loser} turn=w")
    assert names[_rules.outcome(GAME, planes_of(position))] == f"win_{category}"
    assert names[_rules.outcome(GAME, swapped(planes_of(position)))] == f"lose_{category}"
    worth = _rules.points(GAME)[_rules.outcome(GAME, planes_of(position))]
    assert worth == twin.points(position)
    assert _rules.phase(GAME, planes_of(position)) == 0


@pytest.mark.parametrize(
    ("text", "phase"),
    [
        ("w=6:15 b=6:14", 1),
        ("w=7:1,6:14 b=1:1", 2),
        ("w=12:15 b=12:15", 2),
        ("w=13:1,12:14 b=12:15", 3),
        ("w=1:2 b=24:15", 3),
        ("w=24:15 b=24:15", 3),
    ],
)
def test_phases(text, phase):
    planes = board(text + " turn=w")
    assert _rules.phase(GAME, planes) == _rules.phase(GAME, swapped(planes)) == phase


def side_of(**points):
    own = [0] * 26
    for name, count in points.items():
        own[int(name[1:])] = count
    return own


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (side_of(p24=15), side_of(p12=15)),  # one point held by both
        (side_of(p0=15), side_of(p0=15)),  # both have finished
        (side_of(p24=14), side_of(p24=15)),  # a checker is missing
        (side_of(p24=15), side_of(p24=14, p25=1)),  # there is no bar
        ([0] * 26, side_of(p24=15)),
    ],
)
def test_impossible_boards_are_refused(mine, theirs):
    with pytest.raises(ValueError, match="long_nardy"):
        _rules.outcome(GAME, to_planes(mine, theirs))


def test_options_out_of_range_are_refused():
    with pytest.raises(ValueError, match="wall_rule is 5"):
        _rules.results(GAME, START, (2, 1), DEFAULT[:4] + (5,) + DEFAULT[5:])
    with pytest.raises(ValueError, match="expected 10"):
        _rules.results(GAME, START, (2, 1), DEFAULT[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    n = arguments.positions
    walled = compare_many(block_building(rng), rng, n, 15)
    print(
        f"{n} positions of block-building play, default rules, and {n // 2} of them under other "
        f"rules: 0 differences; the wall rule changed {walled} turns"
    )


if __name__ == "__main__":
    main()
