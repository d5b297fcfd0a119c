"""The generator of short nardy against the slow twin and the perft tables."""

import random

import numpy as np
import pytest
from perft import tables
from sides import side
from twin import backgammon as twin
from twin import backgammon_positions as positions
from twin.planes import to_counts, to_planes, to_steps

from nardy_core._border import _rules

GAME = "backgammon"
OPTION_SETS = [
    twin.DEFAULT,
    twin.Options(no_hit_and_off=True),
    twin.Options(larger_die=False),
    twin.Options(no_hit_and_off=True, larger_die=False),
]


def packed(options):
    """Options as the border takes them."""
    values = dict.fromkeys(_rules.OPTION_NAMES, 0)
    values["no_hit_and_off"] = int(options.no_hit_and_off)
    values["no_larger_die"] = int(not options.larger_die)
    return tuple(values.values())


def engine_results(position, dice, options):
    boards, plays, used = _rules.results(GAME, to_planes(*position), dice, packed(options))
    return to_counts(boards), [to_steps(play) for play in plays], used


def check_results(position, dice, options):
    where = f"{position} {dice} {options}"
    boards, plays, used = engine_results(position, dice, options)
    expected = twin.results(position, *dice, options)
    assert len(boards) == len(set(boards)), where
    assert set(boards) == expected, where
    assert used == twin.dice_played(position, *dice, options), where
    assert {len(play) for play in plays} == {used}, where
    for board, play in list(zip(boards, plays, strict=True))[:60]:
        assert twin.replay(position, play, options) == board, where


def check_sequences(position, dice, options):
    expected = set(twin.sequences(position, *dice, options)) - {()}
    found = [
        to_steps(play)
        for play in _rules.sequences(GAME, to_planes(*position), dice, packed(options))
    ]
    assert len(found) == len(set(found))
    assert set(found) == expected, f"{position} {dice} {options}"


@pytest.mark.parametrize("source", positions.SOURCES)
def test_results_equal_the_twins(source):
    for position, dice in positions.sample(source, random.Random(f"results {source}"), 800):
        check_results(position, dice, twin.DEFAULT)


@pytest.mark.parametrize("options", OPTION_SETS[1:], ids=str)
@pytest.mark.parametrize("source", ["block-heavy", "bear-off"])
def test_results_with_options_equal_the_twins(source, options):
    for position, dice in positions.sample(source, random.Random(f"options {source}"), 300):
        check_results(position, dice, options)


@pytest.mark.parametrize("source", positions.SOURCES)
def test_ordered_sequences_equal_the_twins(source):
    rng = random.Random(f"sequences {source}")
    for position, dice in positions.sample(source, rng, 100):
        check_sequences(position, dice, rng.choice(OPTION_SETS))


def test_the_streams_meet_the_rare_rules():
    """What the comparisons above are worth: bars, lost dice, forced larger dice, option effects."""
    seen = dict.fromkeys(
        ["bar", "pass", "one of two", "part of a double", "larger die", "hitter kept in", "many"], 0
    )
    for source in positions.SOURCES:
        for position, (d1, d2) in positions.sample(source, random.Random(source), 250):
            used = twin.dice_played(position, d1, d2)
            seen["bar"] += position[0][25] > 0
            seen["pass"] += used == 0
            seen["one of two"] += used == 1 and d1 != d2
            seen["part of a double"] += d1 == d2 and 0 < used < 4
            results = twin.results(position, d1, d2)
            if used == 1 and d1 != d2:
                seen["larger die"] += results != twin.results(position, d1, d2, OPTION_SETS[2])
            seen["hitter kept in"] += results != twin.results(position, d1, d2, OPTION_SETS[1])
            seen["many"] += len(results) > 200
    assert min(seen.values()) >= 5, seen


@pytest.mark.parametrize("row", tables.load(GAME), ids=lambda row: f"{row.name} {row.option_text}")
def test_perft(row):
    planes, options = to_planes(*row.position), packed(row.options)
    for depth, count in enumerate(row.counts, 1):
        assert _rules.perft(GAME, planes, depth, options) == count
    found = [_rules.results(GAME, planes, roll, options) for roll in twin.ROLLS]
    assert tuple(len(boards) for boards, _, _ in found) == row.per_roll
    assert tuple(used for _, _, used in found) == row.dice


def test_dice_order_does_not_matter():
    for position, (d1, d2) in positions.sample("block-heavy", random.Random(5), 200):
        one = _rules.results(GAME, to_planes(*position), (d1, d2))
        two = _rules.results(GAME, to_planes(*position), (d2, d1))
        assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize("variant", twin.STARTS)
def test_start_positions(variant):
    assert to_counts(_rules.start(GAME, variant))[0] == twin.start(variant)


def test_steps_one_by_one():
    for position, dice in positions.sample("block-heavy", random.Random(6), 300):
        boards, plays, _ = engine_results(position, dice, twin.DEFAULT)
        for board, play in zip(boards[:5], plays, strict=False):
            planes = to_planes(*position)
            for source, die in play:
                planes = _rules.step(GAME, planes, source, die)
            assert to_counts(planes)[0] == board


@pytest.mark.parametrize(
    "loser, expected",
    [
        (side(off=1, p6=13, bar=1), "single"),  # one off is enough, whatever is left behind
        (side(p6=15), "gammon"),
        (side(p18=1, p6=14), "gammon"),
        (side(p19=1, p6=14), "backgammon"),
        (side(p24=15), "backgammon"),
        (side(bar=1, p6=14), "backgammon"),
    ],
)
def test_outcome_classes(loser, expected):
    finished = side(off=15)
    kind = ["single", "gammon", "backgammon"].index(expected)
    for game in (finished, loser), (loser, finished):
        found = _rules.outcome(GAME, to_planes(*game))
        assert found == kind + (0 if game[0] is finished else 3)
        assert twin.outcome(game) == found
    assert _rules.points(GAME) == (1, 2, 3, -1, -2, -3)
    assert [name.replace("win_", "") for name in _rules.outcome_names(GAME)[1:3]] == [
        "gammon",
        "backgammon",
    ]


def test_outcomes_of_finished_games_equal_the_twins():
    seen = set()
    for seed in range(40):
        rng = random.Random(seed)
        position = twin.start(rng.choice(list(twin.STARTS)))
        while twin.outcome(position) is None:
            assert _rules.outcome(GAME, to_planes(*position)) == -1
            position = twin.swap(rng.choice(sorted(twin.results(position, *positions.roll(rng)))))
        for view in position, twin.swap(position):
            assert _rules.outcome(GAME, to_planes(*view)) == twin.outcome(view)
        seen.add(twin.outcome(position))
    assert len(seen) >= 2


def test_bad_boards_and_dice_are_refused():
    good = to_planes(*twin.start())
    both_finished = side(off=15)
    shared = side(p6=15), side(p19=15)
    sixteen = [n + (at == 5) for at, n in enumerate(side(p6=15))]
    with pytest.raises(ValueError, match="board"):
        _rules.results(GAME, to_planes(both_finished, both_finished), (3, 1))
    with pytest.raises(ValueError, match="board"):
        _rules.results(GAME, to_planes(*shared), (3, 1))
    with pytest.raises(ValueError, match="board"):
        _rules.results(GAME, to_planes(sixteen, side(p6=15)), (3, 1))
    with pytest.raises(ValueError, match="dice"):
        _rules.results(GAME, good, (7, 1))
    with pytest.raises(ValueError, match="variant|start"):
        _rules.start(GAME, "tapa")
