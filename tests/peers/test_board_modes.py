"""Cube, rolls, rollouts, set-up and games on the board of `nardy serve http`, in Chromium."""

import re

import pytest

from nardy_core import Position
from nardy_core.serve.decide import action_of
from peers.browser import drawn, number

OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
BEFORE = OPENING.replace(":31:", ":00:")
DOUBLED = Position.parse(
    "x=13:3,8:3,6:4,5:3,4:2 o=24:2,13:4,8:3,6:4,bar:2 turn=x cube=2:x score=2-4/7")
LONG = Position.parse(
    "w=24:7,18:1,17:2,16:1,14:2,11:1,9:1 b=24:6,22:2,20:1,19:1,17:1,16:1,8:1,3:2 turn=w")
# far enough from the tables of bear-offs that plays and dice matter, near enough to be short
RACE = Position.parse("x=9:2,8:2,7:3,6:5,5:3 o=9:2,8:3,7:2,6:5,4:3 turn=x dice=41")
FEDERATION = LONG.with_(rules={"scoring": "federation"}, max_cube=None)


# ---- cube, rolls, rollouts ----------------------------------------------------------------------


WORDS = {"ND": "No double", "D": "Double", "OD": "Optional double", "TG": "Too good to double"}
OWNED = {"ND": "No redouble", "D": "Redouble", "OD": "Optional redouble",
         "TG": "Too good to redouble"}
ANSWERS = {"T": "take", "P": "pass", "T=P": "take or pass", "beaver": "beaver"}


@pytest.mark.parametrize("position", [Position.parse(BEFORE), DOUBLED, FEDERATION],
                         ids=["money", "match", "long"])
def test_cube_decision_is_the_engines(page, engine, position):
    page.open(position.id())
    page.click("#tab-cube")
    page.until("document.querySelector('.verdict .words')")
    found = engine.cube(position)
    double, answer = found.action.split("/")
    words = (OWNED if position.cube_owner == "own" else WORDS)[double]
    assert page.text(".verdict .words") == f"{words}, {ANSWERS[answer]}"
    wanted = [found.no_double, found.double_take, found.double_pass]
    if found.action.endswith("beaver"):
        wanted.insert(2, found.beaver)
    lines = [re.findall(r"[+−]\d\.\d{4}|\b0\.0000\b", text)[0] for text in page.texts(".lines tr")]
    assert [number(text) for text in lines] == pytest.approx(wanted, abs=6e-5)
    points = [found.take_point, found.double_point, found.cash_point, found.too_good_point]
    shown = [float(text.split()[0]) for text in page.texts(".facts dd")]
    assert shown == pytest.approx([100 * p for p in points if p is not None], abs=0.051)
    at = page.js("return Number(document.querySelector('.now').style.getPropertyValue('--at'))")
    assert at == pytest.approx(sum(list(found.probabilities.values())[:len(found.probabilities)
                                                                     // 2]), abs=1e-4)


def test_games_without_a_cube_show_their_chances(page, engine):
    position = LONG.with_(max_cube=1)
    page.open(position.id())
    page.click("#tab-cube")
    page.until("document.querySelector('.verdict .words')")
    found = engine.evaluate(position)
    assert number(page.text(".verdict .words")) == pytest.approx(found.equity, abs=6e-5)
    shown = [float(x) for x in re.findall(r"\d+\.\d", page.text("#panel .figures"))]
    chances = list(found.probabilities.values())
    won, lost = chances[:4], chances[4:]
    wanted = [sum(won), *won, sum(lost), *lost]
    assert shown == pytest.approx([100 * p for p in wanted], abs=0.051)


@pytest.mark.parametrize("position", [Position.parse(BEFORE), LONG], ids=["short", "long"])
def test_what_each_roll_is_worth(page, engine, position):
    page.open(position.id())
    page.click("#tab-rolls")
    page.until("document.querySelectorAll('.cell').length === 21")
    best = {}
    for text in page.js("return [...document.querySelectorAll('.cell')].map(e => e.ariaLabel)"):
        dice = int(text[0]), int(text[2])
        best[dice] = engine.analyse(position, dice).best
        words = best[dice].play.notation or "no play"
        assert text.startswith(f"{dice[0]}-{dice[1]}: {words}, ")
        assert number(text.rsplit(" ", 1)[1]) == pytest.approx(best[dice].equity, abs=6e-5)
    assert len(best) == 21
    mean = sum(b.equity * (1 if d[0] == d[1] else 2) for d, b in best.items()) / 36
    average = page.texts(".summary dd")[0]
    assert number(average) == pytest.approx(mean, abs=6e-5)
    page.hover('.cell[aria-label^="6-4"]')
    page.until("document.querySelectorAll('#board [data-from]').length === arguments[0]",
               len(best[6, 4].play.steps))
    assert page.text(".roll-detail .play") == best[6, 4].play.notation
    page.click('.cell[aria-label^="6-4"]')
    page.shows(position.with_(dice=(6, 4)))
    page.until("document.querySelector('.candidate')")
    assert page.texts(".candidate .play")[0] == best[6, 4].play.notation


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_a_rollout_is_the_engines(page, engine, size):
    page.open(RACE.id(), size=size)
    page.click("#tab-rollout")
    page.find("#rollout-start")
    page.js("const s = document.querySelector('.rollout-form select'); s.value = '144';"
            "s.dispatchEvent(new Event('change'))")
    page.click("#rollout-start")
    page.until("document.querySelector('.caption')?.textContent.startsWith('Done: 144')")
    found = engine.rollout(RACE, top=3, trials=144, seed=1).wait()
    assert page.texts(".rollout-rows .play") == [e.play.notation for e in found.entries]
    shown = [number(text) for text in page.texts(".rollout-rows .equity")]
    assert shown == pytest.approx([e.equity for e in found.entries], abs=6e-5)
    errors = [float(text.removeprefix("± ")) for text in page.texts(".rollout-rows .error")]
    assert errors == pytest.approx([e.standard_error for e in found.entries], abs=6e-5)
    assert found.signature in page.text("#panel")
    # the bars are the intervals, on the scale below them
    low, high = (number(text) for text in page.texts(".scale span"))
    for entry, bar in zip(found.entries, page.js(
            "return [...document.querySelectorAll('.whisker')].map(e => ['low', 'high', 'mean']"
            ".map(name => Number(e.style.getPropertyValue('--' + name))))"), strict=True):
        wanted = (*entry.interval, entry.equity)
        assert [low + share * (high - low) for share in bar] == pytest.approx(wanted, abs=2e-3)


def test_a_rollout_grows_and_stops(page):
    page.open(RACE.with_(dice=None).id())
    page.click("#tab-rollout")
    page.find("#rollout-start")
    page.js("const s = document.querySelector('.rollout-form select'); s.value = '82944';"
            "s.dispatchEvent(new Event('change'))")
    page.click("#rollout-start")
    games = "Number(/^\\d+/.exec(document.querySelector('.caption')?.textContent ?? '') ?? 0)"
    first = page.until(games)
    page.until(f"{games} > arguments[0]", first)
    page.click("#rollout-stop")
    said = page.until("document.querySelector('.caption').textContent.startsWith('Stopped')"
                      " && document.querySelector('.caption').textContent")
    done = int(re.search(r"\d+", said)[0])
    assert first < done < 82944
    page.click("#tab-plays")
    page.click("#tab-rollout")  # what was found is still there
    page.until("document.querySelector('.caption')?.textContent === arguments[0]", said)


# ---- set up -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_set_up_by_dragging(page, size):
    page.open(size=size)
    page.click('[data-mode="setup"]')
    page.find("#setup-start")
    move = page.swipe if size == "narrow" else page.drag
    position = Position.start()

    def check(own, opp):
        wanted = position.with_(own=tuple(own), opp=tuple(opp))
        page.shows(wanted)
        assert page.checkers() == drawn(wanted)

    own, opp = list(position.own), list(position.opp)
    move(page.spot(13), page.spot(10))
    own[13], own[10] = 4, 1
    check(own, opp)
    move(page.spot(24), page.spot("off", "white"))
    own[24], own[0] = 1, 1
    check(own, opp)
    move(page.spot(12), page.spot("bar", "black"))
    opp[13], opp[25] = 4, 1
    check(own, opp)
    move(page.spot("off", "white"), page.spot(2))
    own[0], own[2] = 0, 1
    check(own, opp)
    move(page.spot(6), page.spot(12))  # which Black holds
    page.until("document.querySelector('#toast').textContent"
               " === 'Both sides cannot stand on one point.'")
    check(own, opp)


def test_set_up_everything_else(page):
    page.open()
    page.click('[data-mode="setup"]')

    def set_number(selector, value):
        field = page.find(selector)
        page.js("const [field, value] = arguments; field.value = value;"
                "field.dispatchEvent(new Event('change'))", field, value)

    def pick(label, words):
        page.js("[...document.querySelectorAll(`[aria-label='${arguments[0]}'] button`)]"
                ".find(e => e.textContent === arguments[1]).click()", label, words)

    position = Position.start()
    set_number("#match-length", 7)
    position = position.with_(match_length=7)
    page.shows(position)
    set_number("#score-1", 6)
    position = position.with_(score_own=6)
    page.shows(position)
    page.click("#crawford")
    position = position.with_(crawford=True)
    page.shows(position)
    page.click("#crawford")
    position = position.with_(crawford=False)
    page.shows(position)
    pick("On roll", "Black")
    position = position.swap()
    page.shows(position)
    page.js("const s = document.querySelector(`select[aria-label='Cube']`); s.value = '4';"
            "s.dispatchEvent(new Event('change'))")
    position = position.with_(cube=4, cube_owner="own")
    page.shows(position)
    pick("Owner", "White")
    position = position.with_(cube_owner="opp")
    page.shows(position)
    page.press("52")
    position = position.with_(dice=(5, 2))
    page.shows(position)
    page.click("#setup-clear")
    cleared = (14, 1, *[0] * 24)
    position = position.with_(own=cleared, opp=cleared, dice=None)
    page.shows(position)
    pick("A click", "adds black")
    page.click(page.spot(6))
    own = list(cleared)
    own[0], own[6] = 13, 1
    position = position.with_(own=tuple(own))
    page.shows(position)
    page.click("#finish-setup")
    page.until("document.body.dataset.mode === 'analyse'")
    page.shows(position)


def test_rule_sets_of_long_nardy(page):
    page.open(Position.start("long_nardy").id())
    page.click('[data-mode="setup"]')
    page.find("select[aria-label='Rules']")
    page.js("const s = document.querySelector(`select[aria-label='Rules']`); s.value = 'masters';"
            "s.dispatchEvent(new Event('change'))")
    page.shows(Position.start("long_nardy", head_exception="blocked", scoring="masters",
                              max_cube=1))
    # its first 5-5 may take two checkers from the head, which other rules do not have
    page.click('[data-mode="analyse"]')
    page.press("55")
    page.until("document.querySelector('.candidate')")
    position = Position.start("long_nardy", head_exception="blocked", max_cube=1)
    assert page.texts(".candidate .play")[0] in {
        p.notation for p in position.legal_plays((5, 5))}


# ---- play ---------------------------------------------------------------------------------------


SHOWN = "document.querySelector('#board').dataset.position"

# A reader who rolls, takes every cube, moves checkers at random and confirms, by pressing what the
# page offers, until `stop` matches the id of a button offered or the line of status, or for some
# seconds. The answer: [what matched, [[action, position before it], …], state of its dice].
READER = """
    const [stop, seed] = given;
    const $ = (id) => document.getElementById(id);
    const shown = () => $("board").dataset.position;
    const until = async (holds) => {
        for (let n = 0; !holds(); n++) {
            if (n > 20000) throw new Error(`${holds}: ${$("status").textContent} ${shown()}`);
            await new Promise(requestAnimationFrame);
        }
    };
    const press = (element) => {
        const at = element.getBoundingClientRect();
        const where = {bubbles: true, pointerId: 1, button: 0,
            clientX: at.x + at.width / 2, clientY: at.y + at.height / 2};
        element.dispatchEvent(new PointerEvent("pointerdown", where));
        element.dispatchEvent(new PointerEvent("pointerup", where));
    };
    let state = seed;
    const end = performance.now() + 10000;
    const random = (below) => (state = state * 48271 % 2147483647) % below;
    const seen = [];
    const act = async (name, done) => {
        seen.push([name, shown()]);
        $(name).click();
        await until(done);
    };
    for (;;) {
        const offered = () => [...document.querySelectorAll("#actions button:not(:disabled)")]
            .map((button) => button.id);
        const movable = () => [...document.querySelectorAll("#board .movable")];
        const found = () => [...offered(), $("status").textContent]
            .find((words) => new RegExp(stop).test(words));
        await until(() => found() || offered().length || movable().length);
        if (found() || performance.now() > end) return [found() ?? "", seen, state];
        if ($("take")) await act("take", () => !$("take"));
        else if ($("roll")) await act("roll", () => $("done"));
        else if (offered().includes("done")) await act("done", () => !$("done"));
        else if (movable().length) {
            const before = shown();
            press(movable()[random(movable().length)]);
            await until(() => shown() !== before);
        }
    }
"""


def read(page, stop, seed):
    """(what matched, [(action, position before it), …])."""
    told, seen = "", []
    for _ in range(60):
        told, part, seed = page.run(READER, stop, seed)
        seen += [(action, Position.parse(text)) for action, text in part]
        if told:
            return told, seen
    raise AssertionError(f"never: {stop}")


def begin(page, game="backgammon", side=1, length=0):
    """A new game with the engine, the reader on the given side."""
    page.open(Position.start(game).id(), hurried=True)
    page.click('[data-mode="play"]')
    page.find("#begin")
    page.js("document.querySelector(`[aria-label='You play'] [data-value='${arguments[0]}']`)"
            ".click(); const s = document.querySelector(`select[aria-label='Match to']`);"
            "s.value = arguments[1]; s.dispatchEvent(new Event('change'))", str(side), str(length))
    page.click("#begin")


@pytest.mark.parametrize(("game", "side", "length"),
                         [("backgammon", 1, 1), ("backgammon", 0, 3), ("long_nardy", 0, 0)])
def test_a_whole_game(page, engine, game, side, length):
    """Every state the page passes through follows from the one before by the rules, and the
    engine's plays and doubles are the engine's."""
    begin(page, game, side, length)
    told, positions = read(page, "^You (win|lose)", 7 + side)
    assert all(position.match_length == length for _, position in positions)
    for action, position in positions:
        assert (position.turn == side) == (action != "take")
        assert (position.dice is None) == (action != "done")
        if action == "take":
            assert position.offer == "doubled"
            assert action_of(engine.cube(position.with_(offer="none"))) == "double"
    assert len(positions) > 10
    last = Position.parse(page.js(f"return {SHOWN}"))
    assert last.finished
    winner = last.turn if last.own[0] == 15 else 1 - last.turn
    assert told.startswith("You win" if winner == side else "You lose")
    points = abs(engine.evaluate(last).equity) * last.cube
    ended = length and points >= length
    assert ("match" in told) == bool(ended)
    if not ended:
        assert int(re.search(r"\d+", told)[0]) == round(points)
    # every roll of the log was played as the rules allow, and the engine's as the engine would
    rows = page.js("""
        const dots = (die) => die.getAttribute('d').split('M').length - 1;
        return [...document.querySelectorAll('.log li')].map((e) => [e.className,
            [...e.querySelectorAll('.faces .die path')].map(dots),
            e.querySelector('.what').textContent])""")
    rows = [(row[0][-1], tuple(sorted(row[1], reverse=True)), row[2]) for row in rows]
    starter, dice, _ = next(row for row in rows if row[1])
    cube = {"match_length": length} if length else {"max_cube": 1}
    position = Position.start(game, turn=int(starter), **cube)
    if game == "backgammon":
        assert dice[0] != dice[1]
    seen = 0
    for who, dice, words in rows:
        if not dice:
            if offered := re.search(r"doubles to (\d+)", words):
                value = int(offered[1])
            elif words == "takes":
                position = position.with_(cube=value, cube_owner="opp")
            continue
        assert int(who) == position.turn
        made = {p.notation or "no play": p for p in position.legal_plays(dice)}[words]
        if position.turn != side:
            best = engine.analyse(position, dice).best
            assert words == (best.play.notation or "no play")
            seen += 1
        position = made.result
    assert seen > 10
    assert (position.own, position.opp) == (last.own, last.opp)


def test_doubling_the_engine(page, engine):
    """The engine's answer to a double is the engine's, and the cube goes to who takes it."""
    begin(page)
    assert read(page, "^double$", 5)[0] == "double"
    before = Position.parse(page.js(f"return {SHOWN}"))
    answer = action_of(engine.cube(before.with_(offer="doubled")))
    page.js("document.querySelector('#double').click()")
    if answer == "drop":
        page.until("document.querySelector('#status').textContent === 'You win 1'")
        assert page.texts(".log .what")[-2:] == ["passes", "You win 1"]
    else:
        page.shows(before.with_(cube=2, cube_owner="opp"))
        assert page.texts(".log .what")[-2:] == ["doubles to 2", "takes"]


def test_resigning_and_the_next_game(page):
    """A resignation costs what the position would pay, and the match goes on."""
    begin(page, length=3)
    page.until("document.querySelector('#resign:not(:disabled)')")
    page.js("window.confirm = (words) => { window.asked = words; return true; };"
            "document.querySelector('#resign').click()")
    page.until("document.querySelector('#status').textContent === 'You lose 3'"
               " || /match/.test(document.querySelector('#status').textContent)")
    # at the start the checkers in the winner's home make it a backgammon: three points, the match
    assert page.js("return window.asked") == "Resign and lose 3?"
    assert page.text("#status") == "You lose the match 0–3"
    begin(page, length=5)
    page.until("document.querySelector('#resign:not(:disabled)')")
    page.js("window.confirm = () => true; document.querySelector('#resign').click()")
    page.click("#next-game")
    page.until("document.querySelectorAll('.seat .score').length === 2"
               " && document.querySelector('#seat-top .score').textContent === '3/5'")
    assert page.text("#seat-bottom .score") == "0/5"


def test_a_game_survives_a_reload_and_takes_turns_back(page):
    begin(page)
    _, seen = read(page, "^(roll|take)$", 1)
    if "done" not in [action for action, _ in seen]:
        page.js("document.querySelector('#roll').click()")
        page.until("document.querySelector('#done')")
        _, seen = read(page, "^(roll|take)$", 1)
    first = next(position for action, position in seen if action == "done")
    now = page.js(f"return {SHOWN}")
    log = page.texts(".log .what")
    page.driver.refresh()
    page.until("document.body.dataset.ready")
    page.click('[data-mode="play"]')
    page.until(f"{SHOWN} === arguments[0]", now)
    page.until("document.querySelectorAll('.log .what').length >= arguments[0]", len(log))
    assert page.texts(".log .what") == log
    page.click("#undo")
    page.until("document.querySelector('#undo').disabled")
    back = Position.parse(page.js(f"return {SHOWN}"))
    assert back.turn == first.turn == 1
    assert len(page.texts(".log .what")) < len(log)
