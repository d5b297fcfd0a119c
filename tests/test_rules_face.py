"""Presets, points and resignations, against the twin and the rules as published."""

import random

import pytest
from twin import long_nardy as twin

from nardy_core import rules
from nardy_core._border import _rules
from nardy_core.options import PLAY_OPTIONS, TABLE, Options, read_rule
from nardy_core.position import Position


def test_options_are_those_of_the_engine():
    assert PLAY_OPTIONS == _rules.OPTION_NAMES
    for name, limit in zip(PLAY_OPTIONS, _rules.OPTION_LIMITS, strict=True):
        tables = [TABLE[game][name] for game in TABLE if name in TABLE[game]]
        assert tables and all(len(values) == limit + 1 for values in tables)


@pytest.mark.parametrize(
    ("game", "name"), [(game, name) for game in rules.PRESETS for name in rules.PRESETS[game]]
)
def test_presets_make_positions(game, name):
    position = Position.start(game, **rules.preset(game, name))
    planes = _rules.start(game)
    assert _rules.results(game, planes, (6, 5), position.rules.codes)[2] == 2
    assert Position.parse(position.id("text")) == position


def test_presets_by_their_published_rules():
    def of(name):
        words = rules.preset("long_nardy", name)
        cube = words.pop("max_cube", None) != 1
        return cube, Options("long_nardy", words)

    assert of("") == of("pronardy") == (False, Options("long_nardy"))
    assert rules.points(of("pronardy")[1]) == (1, 2, 3, 4, -1, -2, -3, -4)
    cube, federation = of("federation")
    assert cube and federation["opening"] == "use_dice" and federation.codes == (0,) * 10
    assert rules.points(federation)[:4] == (1, 2, 2, 2)
    assert rules.points(of("masters")[1])[:4] == (1, 2, 2, 3)
    assert of("hrapgame")[1]["wall_rule"] == "enemy_home"
    assert of("wikipedia")[1]["head_exception"] == "head_only"
    assert rules.points(Options("backgammon")) == (1, 2, 3, -1, -2, -3)


@pytest.mark.parametrize("name", rules.PRESETS["long_nardy"])
def test_presets_by_name_in_ids(name):
    """`start:long_nardy:NAME`, `rules=NAME` in text, and `under` all mean the preset."""
    words = rules.preset("long_nardy", name)
    start = Position.start("long_nardy", **words)
    assert Position.parse(f"start:long_nardy:{name}") == start
    text = "w=24:10,20:2,3:3 b=24:12,14:3 turn=b dice=52"
    asked = Position.parse(f"{text} rules={name}")
    plain = Position.parse(text)
    assert asked == rules.under(plain, name) == rules.under(rules.under(plain, "masters"), name)
    assert asked.rules == start.rules and asked.max_cube == words["max_cube"]
    assert (asked.own, asked.opp, asked.turn, asked.dice) == (
        plain.own, plain.opp, plain.turn, plain.dice)
    for form in ("text", "ndid"):
        assert Position.parse(asked.id(form)) == asked
    # A rule named beside the set wins over it.
    other = Position.parse(f"{text} rules={name} wall_check=turn maxcube=8")
    assert other.rules["wall_check"] == "turn" and other.max_cube == 8


def test_a_cube_only_where_the_rules_have_one():
    """ProNardy, the default, has none; a cube that was turned or offered is there all the same."""
    start = Position.start("long_nardy")
    assert start == Position.parse("start:long_nardy") == rules.under(start, "pronardy")
    assert start.max_cube == Position.parse("w=24:15 b=24:15 turn=w").max_cube == 1
    assert Position.parse(start.id("ln")).max_cube == 1
    assert Position.start("long_nardy", match_length=5).max_cube == 1
    assert Position.parse("w=24:15 b=24:15 turn=w cube=2:b").max_cube is None
    assert Position.parse("w=24:15 b=24:15 turn=w offer=doubled").max_cube is None
    assert Position.parse("w=24:15 b=24:15 turn=w maxcube=none").max_cube is None
    assert Position.start("backgammon").max_cube is None
    turned = Position.start("long_nardy", max_cube=None, cube=2, cube_owner="own")
    assert rules.under(turned, "federation").cube == 2
    with pytest.raises(ValueError, match="cube: 2 is above the limit of 1"):
        rules.under(turned, "pronardy")


@pytest.mark.parametrize("text", [
    "start:long_nardy:paris", "start:backgammon:federation", "start:long_nardy:federation:3",
    "start::", "w=24:15 b=24:15 turn=w rules=paris", "x=24:15 o=24:15 turn=x rules=federation",
    "w=24:15 b=24:15 turn=w rules=pronardy cube=2:w", "w=24:15 b=24:15 turn=w maxcube=many",
])
def test_unknown_sets_are_refused(text):
    with pytest.raises(ValueError) as caught:
        Position.parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: rules.preset("long_nardy", "paris"),
        lambda: rules.preset("chess"),
        lambda: Options("long_nardy", {"scoring": (1, 2, 3)}),
        lambda: Options("long_nardy", {"scoring": (1, 2, 3, 0)}),
        lambda: Options("long_nardy", {"scoring": (2, 1, 3, 4)}),
        lambda: Options("long_nardy", {"resignation": 0}),
        lambda: Options("long_nardy", {"max_turns": "many"}),
        lambda: Options("backgammon", {"automatic_doubles": -1}),
        lambda: read_rule("long_nardy", "scoring", "1-2-3-4-5"),
        lambda: read_rule("long_nardy", "resignation", "1-2"),
    ],
)
def test_unknown_names_and_values_are_refused_in_one_line(call):
    with pytest.raises(ValueError) as caught:
        call()
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 160


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("scoring", (1, 2, 3, 5), "1-2-3-5"),
        ("resignation", 2, "2"),
        ("max_turns", 1000, "1000"),
        ("wall_rule", "mobility", "mobility"),
    ],
)
def test_values_as_words(name, value, word):
    options = Options("long_nardy", {name: value})
    assert options.tokens() == [f"{name}={word}"]
    assert read_rule("long_nardy", name, word) == (name, value)


def sides(rng):
    """Counts of a side that has not finished, of each category in turn."""
    for slots in (range(7), range(1, 7), range(1, 19), range(1, 25)) * 25:
        own = [0] * 26
        own[max(slots)] = 1
        for _ in range(14):
            own[rng.choice(slots)] += 1
        yield own


@pytest.mark.parametrize("scoring", ["pronardy", "federation", "masters", (2, 3, 5, 7)])
def test_resignation_costs_what_the_position_pays(scoring):
    seen = set()
    winner = [15] + [0] * 25
    for own in sides(random.Random(3)):
        lost = twin.from_counts(own, winner)
        words = {"scoring": scoring}
        seen.add(twin.category(lost, 0))
        table = Options("long_nardy", words)
        assert rules.points(table)[rules.loss_class("long_nardy", own)] == twin.points(
            lost, scoring
        )
        for by in ("position", "single_if_off_else_mars", 3):
            options = Options("long_nardy", {**words, "resignation": by})
            assert rules.resignation(options, own) == twin.resignation(lost, 0, scoring, by)
    assert seen == {0, 1, 2, 3}


def test_resignation_in_backgammon_is_by_position():
    def cost(**points):
        own = [0] * 26
        for name, count in points.items():
            own[int(name[1:])] = count
        return rules.resignation(Options("backgammon"), own)

    assert cost(p0=1, p6=14) == 1
    assert cost(p6=14, p18=1) == 2
    assert cost(p6=14, p19=1) == cost(p6=14, p25=1) == 3
    with pytest.raises(ValueError, match="backgammon"):
        cost(p0=15)
