"""The value `Position`: start positions, validation, views of the board."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from positions import positions

from nardy_core.counts import across
from nardy_core.options import Options
from nardy_core.position import START_NAMES, Position


def test_starts():
    # Pip counts known from the books: 167, 194 for nackgammon, 24 a checker in long nardy.
    pips = {name: Position.start(name).pips for name in START_NAMES}
    assert pips == {
        "backgammon": (167, 167),
        "nackgammon": (194, 194),
        "hypergammon1": (24, 24),
        "hypergammon2": (47, 47),
        "hypergammon3": (69, 69),
        "long_nardy": (360, 360),
    }
    for name in START_NAMES:
        p = Position.start(name)
        assert p.own == p.opp and sum(p.own) == p.checkers
    assert Position.start("hypergammon3").variant == "hypergammon3"
    assert Position.start("long_nardy").variant == "long_nardy"
    assert Position.parse("start:nackgammon") == Position.start("nackgammon")


def test_start_takes_fields_and_rules():
    p = Position.start("long_nardy", match_length=5, wall_check="turn", head_limit=None)
    assert p.match_length == 5
    assert dict(p.rules) == {"head_limit": None, "wall_check": "turn"}
    assert p.rules["wall_rule"] == "ahead"
    assert p.rules.codes == (0, 1, 0, 0, 0, 1, 0, 0, 0, 0)
    assert p == Position.start(
        "long_nardy", match_length=5, head_limit=None, wall_check="turn", wall_rule="ahead"
    )
    with pytest.raises(ValueError, match="'colour' is neither a field nor a rule of backgammon"):
        Position.start(colour="red")
    with pytest.raises(ValueError, match="'wall_check' is neither a field nor a rule"):
        Position.start(wall_check="turn")
    with pytest.raises(ValueError, match="^start: rules are keywords of their own, such as head_"):
        Position.start("long_nardy", rules={"wall_check": "turn"})
    for field in ({"checkers": 3}, {"own": (0,) * 26}, {"game": "long_nardy"}):
        with pytest.raises(ValueError, match="comes with the name of a start position$"):
            Position.start(**field)


def test_a_resignation_costs_no_more_than_the_rules_pay():
    for rules, most in (
        ({}, 4), ({"scoring": "masters"}, 4), ({"scoring": (1, 2, 3, 6)}, 6),
        ({"resignation": 9}, 9),
    ):
        p = Position.start("long_nardy", resigned=most, **rules)
        assert Position.parse(p.id("text")) == p and f"resign={most}" in p.id("text")
        with pytest.raises(ValueError, match=f"resigned: {most + 1} is not in 0..{most}$"):
            p.with_(resigned=most + 1)
        with pytest.raises(ValueError, match=f"resigned: {most + 1} is not in 0..{most}$"):
            Position.parse(p.id("text").replace(f"resign={most}", f"resign={most + 1}"))


def test_immutable_hashable_copyable():
    p = Position.start(no_hit_and_off=True)
    with pytest.raises(AttributeError):
        p.turn = 0
    with pytest.raises(AttributeError):
        p.rules._set = {}
    assert not hasattr(p, "__dict__")
    for twin in (copy.deepcopy(p), pickle.loads(pickle.dumps(p)), p.with_()):
        assert twin == p and hash(twin) == hash(p)
    assert p != Position.start() and p.rules != Position.start().rules


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"turn": 2}, "turn: 2 is not in 0..1"),
        ({"dice": (3, 7)}, "dice: 7 is not in 1..6"),
        ({"dice": (3,)}, "dice: 1 numbers instead of two"),
        ({"dice": (3, True)}, "dice: True is not a whole number"),
        ({"cube": 3}, "cube: 3 is not a power of two"),
        ({"cube": 0}, "cube: 0 is not in 1.."),
        ({"cube": 4, "max_cube": 2}, "cube: 4 is above the limit of 2"),
        ({"max_cube": 24}, "max_cube: 24 is not a power of two"),
        ({"cube_owner": "X"}, "cube_owner: 'X' is not one of centre, own, opp"),
        ({"offer": "tripled"}, "offer: 'tripled' is not one of"),
        ({"offer": "doubled", "dice": (1, 1)}, "offer: a cube offer comes before the roll"),
        ({"offer": "doubled", "cube_owner": "opp"}, "offer: the side on roll offers a cube that"),
        ({"offer": "beavered", "match_length": 3}, "offer: beavers are for money play only"),
        (
            {"offer": "doubled", "match_length": 3, "score_opp": 2, "crawford": True},
            "offer: there is",
        ),
        ({"offer": "doubled", "max_cube": 1}, "offer: a cube of 1 cannot go above 1"),
        (
            {"crawford": True, "match_length": 3, "score_own": 2, "cube": 2},
            "crawford: the cube has",
        ),
        ({"match_length": 5, "score_own": 5}, "score_own: 5 ends a match to 5"),
        ({"match_length": 40000}, "match_length: 40000 is not in 0..32767"),
        ({"crawford": True}, "crawford: no side is one point short"),
        ({"crawford": True, "match_length": 5, "score_own": 3}, "crawford: no side is one point"),
        ({"resigned": 5}, "resigned: 5 is not in 0..4"),
        ({"checkers": 16}, "checkers: 16 is not in 1..15"),
        ({"checkers": 14}, "board: 15 checkers for own on points 24, 13, 8, 6, more than 14"),
        ({"rules": {"wall_rule": "ahead"}}, "rules: backgammon has no option 'wall_rule'"),
        ({"rules": {"no_hit_and_off": "yes"}}, "rules: no_hit_and_off is 'yes', not one of"),
        ({"rules": {"no_hit_and_off": 1}}, "rules: no_hit_and_off is 1, not one of False, True"),
        (
            {"rules": {"stake_cap": 0}},
            "rules: stake_cap is 0, not None or a whole number from 1 to 32767",
        ),
        ({"colour": 1}, "'colour' is not a field of a position"),
        ({"game": "chess"}, "game: 'chess' is not one of backgammon, long_nardy"),
    ],
)
def test_validation_names_field_and_reason(changes, message):
    with pytest.raises(ValueError) as caught:
        Position.start().with_(**changes)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def points(pairs, checkers=15):
    counts = [0] * 26
    for slot, count in pairs.items():
        counts[slot] = count
    counts[0] += checkers - sum(counts)
    return tuple(counts)


@pytest.mark.parametrize(
    "game, own, opp, message",
    [
        ("backgammon", points({5: 2}), points({20: 1}), "both sides on own's point 5"),
        ("long_nardy", points({5: 2}), points({17: 1}), "both sides on own's point 5"),
        ("long_nardy", points({20: 2}), points({8: 1}), "both sides on own's point 20"),
        ("long_nardy", points({20: 1, 25: 1}), points({1: 1}), "own has a checker on the bar"),
        ("backgammon", points({}), points({}), "both sides have borne off"),
        ("backgammon", (1,) * 26, points({5: 1}), "25 checkers for own on points bar, 24,"),
        ("backgammon", (0,) * 24, points({5: 1}), "24 counts for own instead of 26"),
        (
            "backgammon",
            points({5: 1}),
            (13, -1, 3) + (0,) * 23,
            "negative count for opp on point 1",
        ),
        (
            "backgammon",
            points({5: 1}),
            (3, 1) + (0,) * 24,
            "1 checkers for opp and 3 off do not make",
        ),
    ],
)
def test_impossible_boards(game, own, opp, message):
    with pytest.raises(ValueError) as caught:
        Position(game, own, opp)
    assert str(caught.value).startswith(f"board: {message}")


def test_points_across():
    assert [across("backgammon", n) for n in (1, 6, 24)] == [24, 19, 1]
    assert [across("long_nardy", n) for n in (1, 12, 13, 24)] == [13, 24, 1, 12]


def test_from_points_is_movers_view():
    numbers = [0] * 26
    numbers[25], numbers[6], numbers[24], numbers[0] = 1, 14, -13, -2
    p = Position.from_points(numbers)
    assert p.own == points({25: 1, 6: 14}) and p.opp == points({1: 13, 25: 2})
    assert list(p.points) == numbers
    numbers[0] = 2
    assert Position.from_points(numbers) == p
    long = Position.from_points([0] + [0] * 11 + [-15] + [0] * 11 + [15, 0], game="long_nardy")
    assert long == Position.start("long_nardy")
    for bad, message in (
        ([0] * 25, "points: 25 numbers"),
        ([16] * 26, "points: 16 is not in"),
        ([0] * 25 + [-1], "points: -1 on the own bar"),
    ):
        with pytest.raises(ValueError, match=message):
            Position.from_points(bad)


def test_planes_of_the_start_position():
    # 2 on 24, 5 on 13, 3 on 8, 5 on 6: the binary digits of the counts, by hand.
    ones, twos, fours = 1 << 13 | 1 << 8 | 1 << 6, 1 << 24 | 1 << 8, 1 << 13 | 1 << 6
    board = Position.start().board
    assert board.dtype == np.uint32 and board.tolist() == [ones, twos, fours, 0] * 2


def test_planes_refused():
    for bad in ([0] * 7, np.zeros(8), [1 << 26] + [0] * 7, [-1] + [0] * 7):
        with pytest.raises(ValueError, match="planes: "):
            Position.from_planes(bad)


@settings(max_examples=60, deadline=None)
@given(positions())
def test_views_give_the_position_back(p):
    fields = {
        f.name: getattr(p, f.name)
        for f in dataclasses.fields(p)
        if f.name not in ("game", "own", "opp")
    }
    assert Position.from_planes(p.board, game=p.game, **fields) == p
    assert Position.from_points(p.points, game=p.game, **fields) == p
    assert p.pips == tuple(sum(n * c for n, c in enumerate(side)) for side in (p.own, p.opp))


@settings(max_examples=60, deadline=None)
@given(positions())
def test_swap(p):
    q = p.swap()
    assert (q.own, q.opp, q.turn) == (p.opp, p.own, 1 - p.turn)
    assert (q.score_own, q.score_opp) == (p.score_opp, p.score_own)
    assert (q.dice, q.offer, q.resigned) == (None, "none", 0)
    assert q.swap() == p.with_(dice=None, offer="none", resigned=0)


def test_who_decides():
    p = Position.start()
    assert [p.with_(offer=o).decider for o in ("none", "doubled", "beavered", "raccooned")] == [
        "own",
        "opp",
        "own",
        "opp",
    ]
    assert p.with_(resigned=1).decider == "opp"
    assert p.with_(resigned=1, offer="doubled").decider == "own"


def test_money_rules_are_off_where_they_mean_nothing():
    assert Position.start(match_length=3) == Position.start(
        match_length=3, jacoby=False, beavers=False
    )
    assert not Position.start("long_nardy").jacoby
    assert Position.start().jacoby and Position.start().beavers


def test_dice_have_no_order():
    assert Position.start(dice=(1, 3)) == Position.start(dice=(3, 1))


def test_options_look_like_a_mapping_of_what_differs():
    o = Options("backgammon", {"stake_cap": 1, "raccoons": False})
    assert dict(o) == {"stake_cap": 1} and o.tokens() == ["stake_cap=1"]
    assert o["raccoons"] is False and "raccoons" not in o
    with pytest.raises(ValueError, match="stake_cap is True"):
        Options("backgammon", {"stake_cap": True})
