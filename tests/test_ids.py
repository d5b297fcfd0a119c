"""Text forms of positions: golden values, round trips, errors, anything at all as input."""

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import positions

from nardy_core import ids
from nardy_core.position import Position

QUICK = settings(max_examples=60, deadline=None)
GOLDEN = Path(__file__).parent / "golden" / "ids.csv"
ROWS = list(csv.DictReader(GOLDEN.open(encoding="ascii")))
LONG = list(csv.DictReader(GOLDEN.with_name("ids_long.csv").open(encoding="ascii")))
TEXTS = [form for form in ids.FORMS if form not in ("gnu-position", "gnu-match")]

DROPPED = {  # what a form does not carry, as the value it comes back with
    "gnu": {"beavers": True, "max_cube": None, "rules": {}},
    "gnu-position": None,
    "xgid": {"rules": {}},
    "ogid": {"jacoby": True, "beavers": True, "rules": {}},
    "fibs": {"jacoby": True, "beavers": True, "max_cube": None, "rules": {}},
    "fibs-gnubg": {"jacoby": True, "beavers": True, "max_cube": None, "rules": {}},
    "ndid": {},
    "ln": {},
    "text": {},
}


def kept(p, form):
    """The part of a position that a form holds, or None if the form must refuse it."""
    if form == "ln":  # the board and the rules
        return Position(p.game, p.own, p.opp, jacoby=p.jacoby, beavers=p.beavers,
                        max_cube=p.max_cube, rules=p.rules)
    if DROPPED[form] is None:
        return Position(p.game, p.own, p.opp, checkers=p.checkers)
    if form in ("xgid", "ndid", "ogid", "fibs", "fibs-gnubg") and p.resigned:
        return None
    if form in ("ogid", "fibs", "fibs-gnubg") and p.offer in ("beavered", "raccooned"):
        return None
    raised = ("none", "doubled", "beavered", "raccooned").index(p.offer)
    if form == "gnu" and p.cube << max(raised - 1, 0) > 2**15:
        return None
    q = p.with_(**DROPPED[form])
    if form == "xgid" and q.max_cube == 1024:
        q = q.with_(max_cube=None)
    if form == "ogid":
        q = q.with_(max_cube=None) if q.max_cube != 1 else q.with_(cube_owner="centre")
    if form == "gnu" and q.offer in ("beavered", "raccooned"):
        q = q.with_(cube_owner="centre" if q.cube == 1 else "own")
    return q


@pytest.mark.parametrize("form", [f for f in DROPPED if f not in ("ndid", "ln")])
@QUICK
@given(p=positions(["backgammon"]))
def test_round_trip_backgammon(form, p):
    check_round_trip(form, p)


@pytest.mark.parametrize("form", ["ndid", "ln", "text"])
@QUICK
@given(p=positions(["long_nardy"]))
def test_round_trip_long_nardy(form, p):
    check_round_trip(form, p)


def check_round_trip(form, p):
    expected = kept(p, form)
    if expected is None:
        with pytest.raises(ValueError, match="cannot hold"):
            p.id(form)
        return
    text = p.id(form)
    assert text.isascii() and "\n" not in text and len(text) <= ids.MAX_LENGTH
    dialect = form if form.startswith("fibs") else None
    assert Position.parse(text, dialect=dialect, checkers=p.checkers) == expected
    assert (
        Position.parse(f" <{text}>\n", strict=False, dialect=dialect, checkers=p.checkers)
        == expected
        or form == "text"
    )
    assert expected.id(form) == Position.parse(text, dialect=dialect, checkers=p.checkers).id(form)


@QUICK
@given(positions(["backgammon"]))
def test_fibs_dialect_is_told_apart(p):
    p = p.with_(offer="none" if p.offer in ("beavered", "raccooned") else p.offer, resigned=0)
    for form in ("fibs", "fibs-gnubg"):
        assert Position.parse(p.id(form)) == kept(p, form)


# Positions confirmed by GNU Backgammon (golden/make_ids.py)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_golden(row):
    p = Position.parse(row["text"])
    for form in ("gnu", "xgid", "ogid", "fibs", "fibs-gnubg"):
        if row[form]:
            assert p.id(form) == row[form]
            dialect = form if form.startswith("fibs") else None
            back = Position.parse(row[form], dialect=dialect, checkers=p.checkers)
            assert back == kept(p, form)
        else:
            with pytest.raises(ValueError, match="cannot hold"):
                p.id(form)


def test_golden_is_not_small():
    assert len(ROWS) >= 40 and len({row["xgid"] for row in ROWS if row["xgid"]}) >= 40


@pytest.mark.parametrize("row", LONG, ids=lambda row: row["name"])
def test_golden_long_nardy(row):
    p = Position.parse(row["text"])
    assert (p.id("ndid"), p.id("ln"), p.id("text")) == (row["ndid"], row["ln"], row["text"])
    assert Position.parse(row["ndid"]) == p
    assert Position.parse(row["ln"]) == kept(p, "ln")


# Facts that need no tool to check


def test_unary_long_nardy_id_bit_by_bit():
    # Both sides 15 on 24: 23 zeros, 15 ones, one zero, twice.
    bits = ("0" * 23 + "1" * 15 + "0") * 2 + "00"
    number = sum(int(bit) << k for k, bit in enumerate(bits))
    import base64

    expected = base64.b64encode(number.to_bytes(10, "little")).decode().rstrip("=")
    assert Position.start("long_nardy").id("ln") == f"LN:{expected}"


def test_match_id_bit_by_bit():
    p = Position.start(
        turn=0, dice=(5, 2), cube=4, cube_owner="opp", match_length=9, score_own=3, score_opp=8
    )
    bits = [
        (2, 4),
        (1, 2),
        (0, 1),
        (0, 1),
        (1, 3),
        (0, 1),
        (0, 1),
        (0, 2),
        (5, 3),
        (2, 3),
        (9, 15),
        (3, 15),
        (8, 15),
        (1, 1),
    ]
    number = shift = 0
    for value, width in bits:
        number |= value << shift
        shift += width
    import base64

    assert p.id("gnu-match") == base64.b64encode(number.to_bytes(9, "little")).decode()


def test_known_ids_of_the_start():
    start = Position.start(jacoby=False, beavers=False)
    assert Position.parse("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10") == start
    assert Position.parse("4HPwATDgc/ABMA:cAkAAAAAAAAE") == start.with_(beavers=True)
    assert Position.parse("4HPwATDgc/ABMA") == Position.start()
    assert Position.parse("11jjjjjhhhccccc:ooddddd88866666:N0N::W:IW:0:0:1:0") == Position.start(
        turn=0, match_length=1
    )
    assert Position.parse("w=24:15 b=24:15 turn=b") == Position.start("long_nardy", turn=0)


def test_ogid_colour_is_the_player_who_acted():
    assert Position.parse("11ccccchhhjjjjj:66666888dddddoo:N0N:13:B:R:0:0:7:0").turn == 0
    assert Position.parse("11ccccchhhjjjjj:66666888dddddoo:N0N:13:W:R:0:0:7:0").turn == 1
    doubled = Position.parse("11ccccchhhjjjjj:66666888dddddoo:N0O::B:D:0:0:3:0")
    assert (doubled.turn, doubled.offer) == (1, "doubled")
    off = Position.parse("11jjjjjhhhccccq:ooddddd88866666:W1N::W")
    assert off.opp[0] == 1 and off.cube_owner == "opp" and off.cube == 2


def test_one_line_form_of_other_long_nardy_programs():
    p = Position.parse("white=24:13,18:2 black=24:15 turn=W dice=3,1")
    assert p.own[24] == 13 and p.turn == 1 and p.dice == (3, 1)
    q = Position.parse("white=6:3,1:2 black=4:1 turn=B white-off=10 black-off=14")
    assert q.turn == 0 and q.own[0] == 14
    assert Position.parse("white=24:15 black=24:15 turn=B first").turn == 0
    with pytest.raises(ValueError, match="first, but the head"):
        Position.parse("white=24:14,20:1 black=24:15 turn=W first")
    with pytest.raises(ValueError, match="5 checkers and 9 off do not make 15"):
        Position.parse("white=6:3,1:2 black=4:1 turn=B white-off=9")


def test_fibs_dialects_differ_in_the_scores():
    p = Position.start(match_length=5, score_own=4, turn=1)
    plain, gnubg = p.id("fibs").split(":"), p.id("fibs-gnubg").split(":")
    assert plain[4:6] == ["4", "0"] and gnubg[4:6] == ["0", "4"]
    doubled = p.with_(offer="doubled").id("fibs-gnubg").split(":")
    assert doubled[4:6] == ["4", "0"] and doubled[40] == "1" and doubled[32] == "1"
    # The same line means different scores by dialect.
    line = p.id("fibs-gnubg")
    assert Position.parse(line).score_own == 4
    assert Position.parse(line, dialect="fibs").score_own == 0


def test_plain_fibs_with_the_other_colour_and_direction():
    # "You" are the negative colour and walk upwards: home is 25, the bar 0.
    mine = {1: 2, 12: 5, 17: 3, 19: 5}
    theirs = {24: 2, 13: 5, 8: 3, 6: 5}
    squares = [0] * 26
    for n, c in mine.items():
        squares[n] = -c
    for n, c in theirs.items():
        squares[n] = c
    line = ":".join(
        map(
            str,
            [
                "board",
                "You",
                "Anna",
                9999,
                0,
                0,
                *squares,
                -1,
                6,
                2,
                0,
                0,
                1,
                1,
                1,
                0,
                -1,
                1,
                25,
                0,
                0,
                0,
                0,
                0,
                2,
                0,
                0,
                0,
            ],
        )
    )
    assert Position.parse(line) == Position.start(dice=(6, 2))
    assert Position.parse(line.replace(":-1:6:2:0:0:", ":1:0:0:6:2:")) == Position.start(
        dice=(6, 2), turn=0
    )


START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "position: empty text"),
        ("hello", "position: 'hello' is in no known form"),
        ("x" * 2000, "position: 2000 characters, more than 1024"),
        (
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:1\u0660",
            "position: non-ASCII character",
        ),
        (START[5:], "XGID: the prefix XGID= is missing"),
        (START[:-3], "XGID: 9 fields instead of 10"),
        (
            START.replace("E-C", "F-C"),
            "XGID field 1: 16 checkers for X on points 24, 13, 8, 6, more than 15",
        ),
        (START.replace("B-:", "-:"), "XGID field 1: 25 characters instead of 26"),
        (START.replace("B-:", "B?:"), "XGID field 1: '?' at place 25 is not allowed there"),
        (START.replace("B-:", "Bb:"), "XGID field 1: 'b' at place 25 is not allowed there"),
        (START.replace(":0:0:1:", ":x:0:1:"), "XGID field 2 (cube): 'x' is not a number"),
        (START.replace(":0:0:1:", ":999:0:1:"), "XGID field 2 (cube): 999 is not in 0..30"),
        (START.replace(":0:0:1:", ":99:0:1:"), "XGID field 2 (cube): 99 is not in 0..30"),
        (START.replace(":0:0:1:", ":7:0:1:"), "XGID: cube: 128 in the centre, where automatic"),
        (START.replace(":0:0:1:00:0:0:0:0:", ":3:0:1:00:0:0:0:7:"),
         "XGID: cube: 8 in the centre of a match, which has no automatic doubles"),
        (START.replace(":0:0:1:", ":11:0:1:").replace(":10", ":9"), "XGID: cube: 2048 is above"),
        (START.replace(":0:0:1:", ":0:2:1:"), "XGID field 3 (cube owner): 2 is not in -1..1"),
        (START.replace(":0:0:1:", ":0:0:0:"), "XGID field 4 (turn): 0 is neither 1 nor -1"),
        (START.replace(":00:", ":70:"), "XGID field 5 (dice): '70' is not a roll"),
        (
            START.replace(":00:", ":D:").replace(":0:0:1:", ":1:-1:1:"),
            "XGID: offer: the side on roll",
        ),
        (START.replace(":0:0:0:0:10", ":5:0:0:5:10"), "XGID: score_own: 5 ends a match to 5"),
        (START.replace(":0:0:0:0:10", ":0:0:4:0:10"),
         "XGID field 8 (Crawford, money rules): 4 is not in 0..3"),
        (START.replace(":0:0:0:0:10", ":1:0:1:5:10"), "XGID: crawford: no side is one point short"),
        ("4HPwATDgc/ABMB", "GNU position id: stray bits"),
        ("//////////////", "GNU position id: stray bits"),
        ("/////////////w", "GNU position id: 80 checkers for the other side on points 1"),
        ("4HPwATDgc/ABMA:cAkAAAAAAACA", "GNU match id: stray bits"),
        ("4HPwATDgc/ABMA:IAkAAAAAAAAA", "GNU match id: cube owner 2"),
        ("4HPwATDgc/ABMA:cA0AAAAAAAAA", "GNU match id: game state 5"),
        ("4HPwATDgc/ABMA:cIkAAAAAAAAA", "GNU match id: dice 1 and 0"),
        ("4HPwATDgc/ABMA:MAkAAAAAAAAA", "GNU match id: player 1 decides while player 0 is on roll"),
        ("LN:AACA", "LN: 'LN:AACA' is not LN:, 14 base64 characters"),
        ("LN:AAAAAAAAAACA/w", "LN: more points than a board has"),
        ("NDID=" + "-" * 24 + ":0:0:1:00:0:0:0:0:-", "NDID field 1: both sides have borne off"),
        ("LN:" + "A" * 14, "LN: both sides have borne off"),
        ("LN:AACA/z8AAMD/Hw:", "LN: 'LN:AACA/z8AAMD/Hw:' is not LN:, 14 base64 characters"),
        ("LN:AACA/z8AAMD/Hw:wall_rule=soft", "LN: rules: wall_rule is 'soft', not one of"),
        ("LN:AACA/z8AAMD/Hw:cap=2,stake_cap=2", "LN: rules: stake_cap twice"),
        ("LN:AACA/z8AAMD/Hw:cube=2", "LN: rules: cube is '2', not on or off"),
        ("LN:AACA/z8AAMD/Hw:maxcube=3", "LN: max_cube: 3 is not a power of two"),
        (
            "NDID=" + "-" * 23 + "O:0:0:1:00:0:0:0:0:-:wall=1",
            "NDID field 11 (rules): rules: long_nardy has no option 'wall'",
        ),
        (
            "NDID=" + "-" * 23 + "O:0:0:1:00:0:0:0:0:-:wall_check=x",
            "NDID field 11 (rules): rules: wall_check is 'x', not one of step, turn",
        ),
        ("11:oo:N0N::X", "OGID field 5 (colour): 'X' is neither"),
        ("p:oo:N0N::W", "OGID field 1: 'p' is no place"),
        ("1:0:N0N::W", "OGID field 2: '0' is no place"),
        ("5:5:N0N::W", "OGID: both sides on White's point 20"),
        ("11:oo:N0P::W", "OGID field 3 (cube): a double was passed"),
        ("11:oo:N0N:07:W", "OGID field 4 (dice): '07' is not a roll"),
        ("board:a:b:1", "FIBS board: 3 fields instead of 52"),
        (Position.start().id("fibs").replace(":5:", ":x:", 1), "FIBS board field 12: 'x'"),
        (
            Position.start().id("fibs").replace(":5:", ":4:", 1),
            "FIBS board: 15 checkers for the neg",
        ),
        (
            Position.start().id("fibs").replace(":1:1:1:0:", ":3:1:1:0:"),
            "FIBS board: cube: 3 is not",
        ),
        ("x=6:3 o=19:1 turn=x", "text: both sides on x's point 6"),
        ("x=6:3 o=18:1 turn=w", "text: turn is 'w', not x or o"),
        ("x=6:3 turn=x", "text: no checkers of o"),
        ("x=6:3 o=18:1 turn=x turn=o", "text: 'turn' twice"),
        ("x=6:3 o=18:1 turn=x speed=9", "text: unknown token 'speed'"),
        ("x=6:3,6:1 o=18:1 turn=x", "text, side x: point 6 twice"),
        ("w=24:15 b=24:15 turn=w cube=3", "text: cube: 3 is not a power of two"),
        ("w=24:14,bar:1 b=24:15 turn=w", "text: w has a checker on the bar"),
        ("start:chess", "start: 'chess' is not one of backgammon"),
        ("started", "position: 'started' is not start, start:NAME or start:NAME:RULES"),
    ],
)
def test_errors_name_field_and_reason(text, message):
    with pytest.raises(ValueError) as caught:
        Position.parse(text)
    assert str(caught.value).startswith(message)
    assert len(str(caught.value).splitlines()) == 1


def test_what_is_not_text_and_unknown_forms():
    for bad in (None, 5, b"4HPwATDgc/ABMA"):
        with pytest.raises(ValueError, match="position: expected text"):
            Position.parse(bad)
    with pytest.raises(ValueError, match="dialect: 'other' is not"):
        Position.parse("start", dialect="other")
    with pytest.raises(ValueError, match="id: 'pgn' is not one of"):
        Position.start().id("pgn")
    with pytest.raises(ValueError, match="id: xgid cannot hold long_nardy, use ndid, ln, text"):
        Position.start("long_nardy").id("xgid")
    with pytest.raises(ValueError, match="match id cannot hold a cube of 2\\^16"):
        Position.start(cube=2**16, cube_owner="own").id("gnu")


def test_a_megabyte_is_refused_at_once():
    for strict in (True, False):
        with pytest.raises(ValueError, match="position: 1000000 characters"):
            Position.parse("A" * 1_000_000, strict=strict)


@pytest.mark.parametrize(
    "text",
    [
        START,
        START[5:],
        f"  see {START} please",
        START[:-3],
        START[:-10] + "\n",
        START.lower()[:5] + START[5:],
        f"\u0418\u0433\u0440\u043e\u043a 1\n{START}\nX on roll",
    ],
)
def test_lenient_xgid(text):
    p = Position.parse(text, strict=False)
    assert p.own == p.opp == Position.start().own and p.turn == 1 and p.dice is None


def test_lenient_drops_contradictions():
    p = Position.parse(START.replace(":0:0:0:0:10", ":1:0:1:5:10"), strict=False)
    assert p.match_length == 5 and not p.crawford
    assert (
        Position.parse(
            START.replace(":0:0:1:", ":11:1:1:").replace(":10", ":9"), strict=False
        ).max_cube
        is None
    )


def test_lenient_finds_labelled_gnu_ids():
    text = " GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n     Match ID   : MAELAAAAAAAA\n +12-11"
    assert Position.parse(text, strict=False) == Position.parse("4HPwATDgc/ABMA:MAELAAAAAAAA")
    text = "Position-ID: 4HPwATDgc/ABMA    Match-ID: MAELAAAAAAAA"
    assert Position.parse(text, strict=False).turn == 0
    assert Position.parse("Position ID: 4HPwATDgc/ABMA", strict=False) == Position.start()


# Anything at all


def parse_or_refuse(text):
    for strict in (True, False):
        try:
            p = Position.parse(text, strict=strict)
        except ValueError as error:
            assert len(str(error).splitlines()) == 1 and str(error).isprintable()
        else:
            assert Position.parse(p.id("text")) == p


@QUICK
@given(st.text(max_size=200))
def test_any_text(text):
    parse_or_refuse(text)


@QUICK
@given(
    st.sampled_from(["XGID=", "OGID=", "NDID=", "LN:", "board:", "x=", "w=1:1 ", "start"]),
    st.text("0123456789-:,=/+ABCDEabcdeJKOPopWBNOxtw ", max_size=120),
)
def test_any_text_after_a_known_prefix(prefix, text):
    parse_or_refuse(prefix + text)


@QUICK
@given(
    positions(),
    st.sampled_from(TEXTS),
    st.integers(0, 250),
    st.characters(max_codepoint=255),
    st.sampled_from(["put", "cut", "insert", "double"]),
)
def test_damaged_ids(p, form, place, letter, damage):
    try:
        text = p.id(form)
    except ValueError:
        return
    place %= len(text)
    parse_or_refuse(
        {
            "put": text[:place] + letter + text[place + 1 :],
            "cut": text[:place],
            "insert": text[:place] + letter + text[place:],
            "double": text[:place] + text[place - 5 :],
        }[damage]
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("4HPwATDgc/ABM", "GNU position id: 13 characters, not 14"),
        ("4HPwATDgc/ABMAA", "GNU position id: 15 characters, not 14"),
        ("4HPwATDgc/ABMA:cAkAAAAAAAA", "GNU match id: 11 characters, not 12"),
    ],
)
def test_nearly_a_gnu_id(text, words):
    with pytest.raises(ValueError, match=words):
        Position.parse(text)
