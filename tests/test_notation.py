"""Plays as text: writing, reading every dialect, anything at all as input."""

import csv
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nardy_core._border import _rules
from nardy_core.notation import MAX_STEPS, format_play, match_play, parse_play, play_steps
from nardy_core.position import Position

PLAYS = list(csv.DictReader((Path(__file__).parent / "golden/plays.csv").open(encoding="ascii")))
QUICK = settings(max_examples=100, deadline=None)


@pytest.mark.parametrize(
    "steps, canonical, gnubg, ubgi",
    [
        ([(8, 5, False), (6, 5, False)], "8/5 6/5", "8/5 6/5", "8/5 6/5"),
        ([(6, 5, False), (8, 5, False)], "8/5 6/5", "8/5 6/5", "8/5 6/5"),
        ([(24, 18, False), (18, 13, False)], "24/13", "24/13", "24/18 18/13"),
        ([(24, 18, True), (18, 13, False)], "24/18*/13", "24/18*/13", "24/18 18/13"),
        ([(25, 20, True)], "bar/20*", "bar/20*", "bar/20"),
        ([(25, 20, False), (20, 14, True)], "bar/14*", "bar/14*", "bar/20 20/14"),
        ([(6, 0, False)] * 2, "6/off(2)", "6/off(2)", "6/off 6/off"),
        ([(6, 5, True), (5, 3, False)], "6/5*/3", "6/5*/3", "6/5 5/3"),
        ([(6, 5, True), (5, 4, True)], "6/5*/4*", "6/5*/4*", "6/5 5/4"),
        (
            [(8, 5, True), (8, 5, False), (6, 3, False), (6, 3, False)],
            "8/5*(2) 6/3(2)",
            "8/5*(2) 6/3(2)",
            "8/5 8/5 6/3 6/3",
        ),
        # Doubles as GNU Backgammon's `hint` prints them from the start position, roll 1-1 and 2-1.
        (
            [(24, 23, False)] * 2 + [(23, 22, False), (22, 21, False)],
            "24/23 24/21",
            "24/21 24/23",
            "24/23 24/23 23/22 22/21",
        ),
        (
            [(24, 23, False)] * 2 + [(23, 22, False)] * 2,
            "24/22(2)",
            "24/22(2)",
            "24/23 24/23 23/22 23/22",
        ),
        ([(6, 5, False)] * 3 + [(5, 4, False)], "6/5(2) 6/4", "6/4 6/5(2)", "6/5 6/5 6/5 5/4"),
        ([(24, 22, False), (24, 23, False)], "24/23 24/22", "24/23 24/22", "24/23 24/22"),
        ([(8, 7, False)] * 3 + [(6, 5, False)], "8/7(3) 6/5", "8/7(3) 6/5", "8/7 8/7 8/7 6/5"),
        ([], "", "", ""),
    ],
)
def test_styles(steps, canonical, gnubg, ubgi):
    assert format_play(steps) == canonical
    assert format_play(reversed(steps)) == canonical
    assert format_play(steps, "gnubg") == gnubg
    assert format_play(steps, "ubgi") == ubgi


def test_unknown_style():
    with pytest.raises(ValueError, match="style: 'san' is not one of canonical, gnubg, ubgi"):
        format_play([], "san")


@pytest.mark.parametrize(
    "text, steps",
    [
        ("8/5 6/5", [(8, 5, False), (6, 5, False)]),
        ("8/5, 6/5", [(8, 5, False), (6, 5, False)]),
        ("8/5,6/5", [(8, 5, False), (6, 5, False)]),
        ("  8/5   6/5 ", [(8, 5, False), (6, 5, False)]),
        ("8 / 5 6 / 5", [(8, 5, False), (6, 5, False)]),
        ("8-5 6-5", [(8, 5, False), (6, 5, False)]),
        ("8 5 6 5", [(8, 5, False), (6, 5, False)]),
        ("bar 20 6 off", [(25, 20, False), (6, 0, False)]),
        ("24/18/13", [(24, 18, False), (18, 13, False)]),
        ("24/13", [(24, 13, False)]),
        ("bar/20*", [(25, 20, True)]),
        ("Bar/20* 6/OFF", [(25, 20, True), (6, 0, False)]),
        ("25/20 6/0", [(25, 20, False), (6, 0, False)]),
        ("6/off(2)", [(6, 0, False)] * 2),
        ("6/5 (2)", [(6, 5, False)] * 2),
        ("6/5*(2)", [(6, 5, True)] * 2),
        ("13/11(x2)", [(13, 11, False)] * 2),
        ("13/11x2", [(13, 11, False)] * 2),
        ("6/5*/3", [(6, 5, True), (5, 3, False)]),
        ("6/5* /3", [(6, 5, True), (5, 3, False)]),
        ("24/23(4)", [(24, 23, False)] * 4),
        ("13/10*/8*(2)", [(13, 10, True), (10, 8, True)] * 2),
        *(
            (word, [])
            for word in ("", " ", "pass", "Cannot Move", "no move", "--", "????", "(no play)")
        ),
    ],
)
def test_dialects(text, steps):
    assert parse_play(text) == steps


@pytest.mark.parametrize(
    "text, message",
    [
        ("8", "play: '8' is not a move like 8/5"),
        ("8/5/", "play: '8/5/' is not a move"),
        ("8/5 6", "play: '6' is not a move"),
        ("8 5 6", "play: an odd number of points in '8 5 6'"),
        ("5/8", "play: 5/8 in '5/8' does not go down"),
        ("5/5", "play: 5/5 in '5/5' does not go down"),
        ("26/20", "play: 26/20 in '26/20' does not go down"),
        ("off/3", "play: 0/3 in 'off/3' does not go down"),
        ("6/off*", "play: a hit off the board in '6/off*'"),
        ("6*/5", "play: a hit on the starting point in '6*/5'"),
        ("e2e4", "play: 'e2e4' is not a move"),
        ("6/5(0)", "play: '6/5(0)' is not a move"),
        ("6/5(9) 5/4(9)", f"play: more than {MAX_STEPS} steps"),
        ("6/5 " * 100, "play: 400 characters, more than 256"),
        ("\u0661/0", "play: '\\u0661/0' is not a move"),
    ],
)
def test_errors(text, message):
    with pytest.raises(ValueError) as caught:
        parse_play(text)
    assert str(caught.value).startswith(message)
    assert len(str(caught.value).splitlines()) == 1


@st.composite
def plays(draw):
    """(from, to) of each die: two of them, or up to four alike; the last may bear off with more."""
    die = st.integers(1, 6)
    dice = draw(st.lists(die, max_size=2) | st.tuples(die, st.integers(1, 4)).map(
        lambda double: [double[0]] * double[1]))
    sources = [draw(st.integers(1, 25)) for _ in dice]
    return [(s, max(s - d, 0)) for s, d in zip(sources, dice, strict=True)]


def moved(steps):
    change = [0] * 26
    for source, target, _ in steps:
        change[source] -= 1
        change[target] += 1
    return change


@QUICK
@example([(1, 0), (2, 1), (2, 1), (3, 2)], "canonical")
@given(plays(), st.sampled_from(["canonical", "gnubg", "ubgi"]))
def test_what_is_written_reads_as_the_same_play(pairs, style):
    """The same checkers leave and arrive, and the same blots are hit, whatever the style joins."""
    hit, steps = set(), []
    for source, target in pairs:
        steps.append((source, target, target > 0 and target % 2 == 0 and target not in hit))
        hit |= {target} if steps[-1][2] else set()
    text = format_play(steps, style)
    back = parse_play(text)
    assert moved(back) == moved(steps)
    if style == "ubgi":
        assert sorted(s[:2] for s in back) == sorted(s[:2] for s in steps)
    else:
        assert {t for _, t, h in back if h} == hit
        assert format_play(back) == format_play(steps)


@QUICK
@given(st.text(max_size=60) | st.text("0123456789/*()x, barof-", max_size=40))
def test_any_text(text):
    try:
        steps = parse_play(text)
    except ValueError as error:
        assert len(str(error).splitlines()) == 1 and str(error).isprintable()
    else:
        assert all(25 >= source > target >= 0 for source, target, _ in steps)


def test_play_steps_moves_hits_and_hands_over():
    start = Position.start(dice=(3, 1), cube=2, cube_owner="own")
    after = play_steps(start, parse_play("8/5 6/5"))
    assert after.opp == (0, 0, 0, 0, 0, 2, 4, 0, 2, 0, 0, 0, 0, 5) + (0,) * 10 + (2, 0)
    assert (after.own, after.turn, after.dice, after.cube_owner) == (start.opp, 0, None, "opp")
    assert play_steps(start, parse_play("20/18 24/20")) == play_steps(start, parse_play("24/18"))
    blot = Position.from_points([0] * 5 + [-1, 1] + [0] * 19, checkers=1)
    for text in ("6/5*", "6/5"):
        assert play_steps(blot, parse_play(text)).own[25] == 1
    long = play_steps(Position.start("long_nardy"), parse_play("24/18"))
    assert long.opp[18] == 1 and long.own == Position.start("long_nardy").own
    with pytest.raises(ValueError, match="play: no checker to move on 23"):
        play_steps(start, parse_play("23/20"))
    with pytest.raises(ValueError, match="play: both sides on own's point 12"):
        play_steps(start, parse_play("13/12"))


# Legal plays of 63 rolls, in GNU Backgammon's words (golden/make_plays.py)


def unpacked(position, code):
    """Steps of a packed play of backgammon, with hits."""
    blots = {25 - n for n in range(1, 25) if position.opp[n] == 1}
    steps = []
    for byte in int(code).to_bytes(4, "little"):
        if byte:
            source = byte & 31
            target = max(source - (byte >> 5) - 1, 0)
            steps.append((source, target, target in blots))
            blots.discard(target)
    return steps


def legal(position, dice):
    """What `Position.legal_plays` answers, made from the border alone."""
    boards, codes, _ = _rules.results(position.game, position.board, dice)
    return [
        SimpleNamespace(
            steps=unpacked(position, code),
            result=Position.from_planes(board, game=position.game).swap(),
        )
        for board, code in zip(boards, codes, strict=True)
    ]


@pytest.mark.parametrize("row", PLAYS, ids=lambda row: f"{row['position'][5:31]} {row['dice']}")
def test_every_play_as_gnubg_writes_it(row, monkeypatch):
    position = Position.parse(row["position"])
    dice = int(row["dice"][0]), int(row["dice"][1])
    plays = legal(position, dice)
    assert sorted(format_play(p.steps, "gnubg") for p in plays) == row["plays"].split("; ")
    # Any style, and gnubg's words, lead back to the play they were made from.
    monkeypatch.setattr(Position, "legal_plays", lambda self, roll: plays)
    for play in plays:
        for style in ("canonical", "gnubg", "ubgi"):
            assert match_play(position, dice, format_play(play.steps, style)) is play


def test_match_play_needs_the_hits_only_where_they_tell(monkeypatch):
    monkeypatch.setattr(Position, "legal_plays", legal)
    # 24/20 with 3-1: over 23 nothing is hit, over 21 a blot is; both are open.
    points = [0] * 26
    points[24], points[21], points[19], points[12] = 1, -1, -1, -2
    p = Position.from_points(points)
    assert match_play(p, (3, 1), "24/20").result.own[25] == 0
    assert match_play(p, (3, 1), "24/21*/20").result.own[25] == 1
    # With 23 closed the hit is forced, and need not be written.
    points[23] = -2
    p = Position.from_points(points)
    assert match_play(p, (3, 1), "24/20").result.own[25] == 1
    for text in ("24/22", "24/23/20", "pass"):
        with pytest.raises(ValueError, match=f"play: '{text}' is not legal with 3-1"):
            match_play(p, (3, 1), text)
    # Closed out: only a pass is a play.
    points = [0] + [1] + [0] * 17 + [-2] * 6 + [1]
    p = Position.from_points(points)
    assert match_play(p, (6, 5), "Cannot Move").result == p.swap()
