"""The board of `nardy serve http` in a real Chromium: what a reader does, in both games, wide and
narrow. What the page shows is held against the engine and the rules in this process."""

import re

import pytest

from nardy_core import Position
from peers.browser import SIZES, drawn, number

OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
LONG = "NDID=-----------o-----------O:0:0:1:00:0:0:0:0:-"


# ---- opening ------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_opens_ready(page, size):
    page.open(size=size)
    assert page.checkers() == drawn(Position.start())
    assert page.texts(".seat .pips b") == ["167", "167"]
    assert len(page.texts("#panel .roll")) == 21
    assert page.js("return document.querySelectorAll('#panel .roll:disabled').length") == 6
    assert page.text("#status") == "White on roll"


FORMS = {
    "backgammon": ("gnu", "xgid", "ogid", "fibs", "text"),
    "long_nardy": ("ndid", "ln", "text"),
}
MIDDLE = {
    "backgammon": Position.parse(
        "x=24:1,21:1,13:4,8:2,6:3,5:2,3:2 o=24:1,23:1,13:4,8:3,7:2,6:4 turn=x dice=42 cube=2:x "
        "score=2-4/7"),
    "long_nardy": Position.parse(
        "w=24:7,18:1,17:2,16:1,14:2,11:1,9:1 b=24:6,22:2,20:1,19:1,17:1,16:1,8:1,3:2 "
        "turn=b dice=52"),
}


@pytest.mark.parametrize(("game", "form"), [(g, f) for g, forms in FORMS.items() for f in forms])
def test_any_id_pasted(page, game, form):
    """Typed into the field, with words around it, and in the address of a fresh page."""
    position = MIDDLE[game]
    text = position.id(form)
    known = Position.parse(text)
    page.open()
    page.type_id(text if form in ("ogid", "text") else f"see  {text} ")
    page.shows(known)
    assert page.checkers() == drawn(known)
    page.open(known.id())
    page.shows(known)
    assert page.checkers() == drawn(known)


@pytest.mark.parametrize(
    "text", ["no position at all", "XGID=-b----E-C---eE---c-e----BZ", "x=24:99"])
def test_what_is_no_id_is_told_in_one_line(page, text):
    page.open()
    page.type_id(text)
    said = page.until("!document.querySelector('#id-error').hidden"
                      " && document.querySelector('#id-error').textContent")
    with pytest.raises(ValueError) as error:
        Position.parse(text, strict=False)
    assert said == str(error.value)
    assert page.checkers() == drawn(Position.start())  # the board stays
    assert len(page.complaints()) == 1  # the browser's own note of the refusal


# ---- plays --------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("game", MIDDLE)
@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_ranked_plays_are_the_engines(page, engine, game, size, level):
    position = MIDDLE[game]
    page.open(position.id(), size=size)
    if level:
        page.click("#levels button:nth-child(2)")
        page.until("document.querySelector('.candidate .ply')?.textContent === '1-ply'")
    found = engine.analyse(position, level=level)
    page.until("document.querySelectorAll('.candidate').length === arguments[0]",
               len(found.candidates))
    names = page.texts(".candidate .play")
    assert names == [c.play.notation for c in found.candidates]
    equities = [number(text) for text in page.texts(".candidate .equity")]
    assert equities == pytest.approx([c.equity for c in found.candidates], abs=6e-5)
    assert page.texts(".candidate .ply") == [f"{c.level}-ply" for c in found.candidates]
    won = re.search(r"Win ([\d.]+)", page.text(".candidate .figures"))
    assert float(won[1]) == pytest.approx(100 * found.candidates[0].evaluation.win, abs=0.051)


def test_a_level_that_takes_too_long_is_told_and_not_asked_again(page):
    page.open(OPENING)
    page.until("document.querySelector('.candidate')")
    page.js("""
        window.asked = 0;
        window.real = window.fetch;
        window.fetch = (path, options) => {
          if (path !== "v1/moves") return window.real(path, options);
          window.asked++;
          return Promise.resolve(new Response(
            JSON.stringify({ code: "too_long", message: "no answer within 30 s", where: null }),
            { status: 503, headers: { "Retry-After": "1" } }));
        };""")
    page.click("#levels button:nth-child(5)")
    page.until("document.querySelector('#panel [role=alert]')")
    assert page.text("#panel [role=alert]") == "no answer within 30 s"
    assert page.js("return window.asked") == 1
    page.js("window.fetch = window.real")
    page.click("#levels button:nth-child(2)")
    page.until("document.querySelector('.candidate .ply')?.textContent === '1-ply'")


@pytest.mark.parametrize("game", MIDDLE)
def test_hover_draws_and_click_plays(page, engine, game):
    position = MIDDLE[game]
    page.open(position.id())
    second = engine.analyse(position).candidates[1]
    page.hover("li:nth-child(2) .candidate")
    page.until("document.querySelectorAll('#board [data-from]').length === arguments[0]",
               len(second.play.steps))
    assert page.arrows() == [
        (str(a) if a < 25 else "bar", str(b) if b else "off") for a, b, _ in second.play.steps]
    page.hover("#status")
    page.until("document.querySelectorAll('#board [data-from]').length === 0")
    page.click("li:nth-child(2) .candidate")
    page.shows(second.result)
    assert page.checkers() == drawn(second.result)
    page.press("u")
    page.shows(position)
    page.click("#redo")
    page.shows(second.result)


def test_a_play_by_hand(page, engine):
    page.open(OPENING)
    page.drag(page.spot(8), page.spot(5))
    assert page.text("#status") == "White to play 3-1"
    assert page.js("return document.querySelectorAll('[data-die].used').length") == 1
    page.click(page.spot(6))
    page.until("document.querySelector('#status').textContent === '8/5 6/5'")
    page.until("document.querySelector('.candidate.made')")
    assert page.text(".candidate.made .play") == "8/5 6/5"
    page.click("#undo")
    page.until("document.querySelector('#done').disabled")
    page.click("#undo")
    page.until("document.querySelector('#undo').disabled")
    assert page.checkers() == drawn(Position.parse(OPENING))
    page.drag(page.spot(24), page.spot(20))  # both dice in one go
    page.until("document.querySelector('#status').textContent === '24/20'")
    page.press("\ue007")
    (play,) = [p for p in Position.parse(OPENING).legal_plays() if p.notation == "24/20"]
    page.shows(play.result)


REFUSALS = [
    # position, drag, words
    (OPENING, ("13", "11"), "no number of this roll"),
    (OPENING, ("6", "8"), "towards lower numbers"),
    (OPENING, ("19", "18"), "the turn of white"),
    (OPENING.replace(":31:", ":51:"), ("24", "19"), "The other side holds that point"),
    (OPENING.replace(":31:", ":55:"), ("24", "14"), "The other side holds that point"),
    (OPENING.replace(":31:", ":00:"), ("8", "5"), "First roll the dice"),
    ("XGID=-b----E-C---eE---c-e----AA:0:0:1:31:0:0:0:0:10", ("8", "5"), "on the bar"),
    ("XGID=-b----E-C---eE---c-e----B-:0:0:1:61:0:0:0:0:10", ("6", "off"), "all checkers are home"),
    (LONG.replace(":00:", ":21:"), ("24", "22", "24", "23"), "leave the head"),
    (LONG.replace(":00:", ":66:"), ("24", "12"), "The other side holds that point"),
    # five in a row on 19..23 of White and a sixth on 18 would wall Black, who is all behind it
    ("w=24:9,23:1,22:1,21:1,20:1,17:2 b=24:15 turn=w dice=51", ("24", "19"), "Six in a row"),
    ("w=6:3,4:2,2:1 b=6:3 turn=w dice=51", ("4", "off"), "farthest checker"),
]


@pytest.mark.parametrize(("position", "places", "words"), REFUSALS)
def test_illegal_drops_say_why(page, position, places, words):
    known = Position.parse(position)
    page.open(known.id())
    spots = [page.spot(p, "white" if p == "off" else "") for p in places]
    for n in range(0, len(spots) - 2, 2):
        page.drag(*spots[n : n + 2])
        page.until("document.querySelectorAll('[data-die].used').length")
    before = page.checkers()
    page.drag(*spots[-2:])
    page.until("document.querySelector('#toast').textContent.includes(arguments[0])", words)
    assert page.checkers() == before
