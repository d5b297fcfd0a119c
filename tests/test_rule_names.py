"""Rules by all of their names: what the published rules of long nardy call options and their values
means the same wherever options are read, and comes out in one spelling."""
from __future__ import annotations

import re

import pytest
from pydantic import TypeAdapter

from nardy_core import rules
from nardy_core.cli import main
from nardy_core.formats import dumps, read
from nardy_core.match_record import MatchRecord
from nardy_core.options import OTHER_NAMES, RULE_FIELDS, TABLE, Options
from nardy_core.position import Position
from nardy_core.serve.http.schemas import PositionFields

# name, word as published, the same as a Python value, our keyword and its value
PUBLISHED = [
    ("opening", "reroll", "reroll", "opening", "reroll"),
    ("opening", "use_dice", "use_dice", "opening", "use_dice"),
    *(("next_starter", w, w, "next_starter", w) for w in ("roll", "winner", "alternate")),
    *(("head_exception", w, w, "head_exception", w)
      for w in ("fixed_346", "blocked", "head_only", "any_double", "none")),
    *(("head_exception_scope", w, w, "head_scope", w) for w in ("each", "starter")),
    ("head_limit", "1", 1, "head_limit", 1),
    ("head_limit", "None", None, "head_limit", None),
    ("larger_die", "True", True, "no_larger_die", False),
    ("larger_die", "False", False, "no_larger_die", True),
    ("larger_die", "off", False, "no_larger_die", True),
    *(("wall_rule", w, w, "wall_rule", w)
      for w in ("ahead", "enemy_home", "never", "free", "mobility")),
    *(("wall_check", w, w, "wall_check", w) for w in ("step", "turn")),
    *(("bearoff_from", w, w, "bearoff_from", w) for w in ("same_turn", "next_turn")),
    ("bearoff_forced", "False", False, "bearoff_forced", False),
    ("bearoff_forced", "True", True, "bearoff_forced", True),
    *(("scoring", w, w, "scoring", w) for w in ("pronardy", "federation", "masters")),
    ("scoring", "custom(1,2,3,6)", [1, 2, 3, 6], "scoring", (1, 2, 3, 6)),
    ("scoring", "1-2-3-6", (1, 2, 3, 6), "scoring", (1, 2, 3, 6)),
    ("scoring", "custom(2,4,6,8)", [2, 4, 6, 8], "scoring", (2, 4, 6, 8)),
    *(("resign", w, w, "resignation", w) for w in ("position", "single_if_off_else_mars")),
    ("resign", "fixed(2)", "fixed(2)", "resignation", 2),
    *(("last_roll", w, w, "last_roll", w) for w in ("none", "equalize")),
    ("cube", "on", True, "max_cube", None),
    ("cube", "off", False, "max_cube", 1),
    ("jacoby", "on", True, "jacoby", True),
    ("beaver", "on", True, "beavers", True),
    ("auto_double", "3", 3, "automatic_doubles", 3),
    ("cap", "16", 16, "stake_cap", 16),
    ("max_turns", "1000", 1000, "max_turns", 1000),
]
BOARD = "w=24:15 b=24:15 turn=w"


@pytest.mark.parametrize(("name", "word", "value", "key", "ours"), PUBLISHED)
def test_a_rule_is_read_everywhere(name, word, value, key, ours, capsys):
    expected = Position.start("long_nardy", **{key: ours})
    text = f"{name}={word}"
    ndid = Position.start("long_nardy").id("ndid")
    ln = Position.start("long_nardy").id("ln")
    pythons = [word, tuple(value) if isinstance(value, list) else value]
    for found in (
        *(Position.start("long_nardy", **{name: given}) for given in pythons),
        Position.start("long_nardy", **rules.preset("long_nardy", text)),
        Position.start("long_nardy", **rules.preset("long_nardy", f"pronardy,{text}")),
        rules.under(Position.start("long_nardy"), text),
        Position.parse(f"{BOARD} {text}"),
        Position.parse(f"{BOARD} rules={text}"),
        Position.parse(f"start:long_nardy:{text}"),
        Position.parse(f"{ndid}:{text}"),
        Position.parse(f"see ({ndid}:{text})", strict=False),
        Position.parse(f"{ln}:{text}"),
        Position.parse(f"see ({ln}:{text})", strict=False),
        *(TypeAdapter(PositionFields).validate_python(
            {"game": "long_nardy", "own": [*expected.own], "opp": [*expected.opp],
             "rules": {name: given}}).position()
          for given in (word, [*value] if isinstance(value, tuple) else value)),
    ):
        assert found == expected, text
    for form in ("text", "ndid", "ln"):  # one spelling, the same that our own name gives
        assert Position.parse(expected.id(form)) == expected
        written = set(re.findall(r"(\w+)=", expected.id(form)))
        assert not written & set(OTHER_NAMES) - {"maxcube"}
    assert main(["eval", BOARD, "--rules", text, "--format", "json"]) == 0
    assert f'"{expected.id()}"' in capsys.readouterr().out
    if key not in RULE_FIELDS:
        options = Options("long_nardy", {name: word})
        assert options == expected.rules and options[key] == ours
        assert options[name] == (not ours if name == "larger_die" else ours)


@pytest.mark.parametrize(("name", "word", "value", "key", "ours"), PUBLISHED)
def test_a_match_file_keeps_the_rule(name, word, value, key, ours, tmp_path):
    record = MatchRecord(players=("a", "b"), start="long_nardy", max_cube=1)
    plain = dumps(record, "mat").decode()
    told = plain.replace("; [Variation", f'; [Rules "{name}={word}"]\n; [Variation')
    found = read(told.encode())
    field = key in RULE_FIELDS
    assert (getattr(found, key) if field else found.rules[key]) == ours
    for form in ("mat", "json"):
        again = read(dumps(found, form))
        assert (again.rules, again.jacoby, again.beavers, again.max_cube) == (
            found.rules, found.jacoby, found.beavers, found.max_cube)


def test_other_names_are_of_rules_that_there_are():
    known = {*RULE_FIELDS, *(name for table in TABLE.values() for name in table)}
    assert set(OTHER_NAMES.values()) <= known and not known & set(OTHER_NAMES)


def test_offers_and_cubes_are_told_from_rules():
    found = Position.parse(f"{BOARD} resign=2 resign=fixed(3) cube=2:b cube=on")
    assert (found.resigned, found.rules["resignation"]) == (2, 3)
    assert (found.cube, found.cube_owner, found.max_cube) == (2, "opp", None)


def test_one_text_for_the_same_rules():
    same = {
        "": ["pronardy", "pronardy,cube=off", "head_limit=1", "larger_die=on"],
        "federation": ["federation", "opening=use_dice,scoring=federation,cube=on"],
        "max_cube=none,wall_rule=never": ["wall_rule=never,cube=on", "pronardy,maxcube=none,"
                                          "wall_rule=never"],
    }
    for text, others in same.items():
        for other in (text, *others):
            assert rules.canonical("long_nardy", other) == text
    assert rules.canonical("backgammon", "standard") == ""


@pytest.mark.parametrize("text", [
    "larger_die=maybe", "head_exception_scope=all", "resign=custom(2)", "scoring=fixed(2)",
    "scoring=custom(1,2,3)", "scoring=custom(2,1,3,4)", "cube=2", "cap=0", "auto_double=on",
    "jacoby=perhaps", "head_scope=starter,head_exception_scope=starter", "cube=on,maxcube=8",
    "federation", "federation,", "=", "no_hit_and_off=on", "wall_rule", "maxcube=0",
])
def test_what_is_no_rule_is_refused_in_one_line(text):
    for call in (lambda: rules.preset("long_nardy", f"paris,{text}"),
                 lambda: Position.parse(f"start:long_nardy:pronardy,{text}"),
                 lambda: Position.parse(f"LN:AACA/z8AAMD/Hw:{text}")):
        with pytest.raises(ValueError) as caught:
            call()
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 200


def test_money_rules_of_long_nardy_are_off_unless_asked_for():
    plain = Position.start("long_nardy", cube="on")
    assert not plain.jacoby and not plain.beavers
    asked = Position.start("long_nardy", cube="on", jacoby=True, beavers=True)
    assert asked.jacoby and asked.beavers and asked.swap().jacoby
    assert not asked.with_(match_length=5).jacoby
    assert Position.start().jacoby and Position.start().beavers
