"""What holds for the whole page of `nardy serve http`: languages, looks, keys, screen readers,
addresses, tokens. In a real Chromium."""

import re
import urllib.request

import pytest
from serving import Process

from nardy_core import Position
from peers.browser import SIZES, Page, drawn

OPENING = Position.parse("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
LANGUAGES = ("en", "ru", "uk")
MODES = ("analyse", "setup", "play")


def test_every_word_in_three_languages(page):
    page.open()
    table = page.run("return (await import('/page/words.js')).WORDS")
    assert len(table) > 150
    for key, words in table.items():
        assert len(words) == 3 and all(words), key
        slots = [sorted(re.findall(r"{\w+}", text.replace("side_low", "side"))) for text in words]
        assert slots[0] == slots[1] == slots[2], key
        for text in words[1:]:
            latin = re.sub(r"{\w+}|Enter|nardy|[A-Z]{2,}|ply", "", text)
            assert not re.search(r"[a-z]{2,}", latin), (key, text)


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_cut_off_in_any_language(page, size):
    """No sideways scrolling, no button's words outside it, in every mode and tab."""
    page.open(OPENING.id(), size=size)
    wide = """return document.documentElement.scrollWidth - document.documentElement.clientWidth"""
    cut = """const parts = 'button, .figures, .lines td, .facts dd';
        return [...document.querySelectorAll(parts)].filter(e => e.offsetParent && (
            e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > innerWidth + 0.5
        )).map(e => e.outerHTML)"""
    for lang in LANGUAGES:
        page.js("document.querySelector(`[data-lang='${arguments[0]}']`).click()", lang)
        page.until("document.documentElement.lang === arguments[0]", lang)
        for mode in MODES:
            page.js("document.querySelector(`[data-mode='${arguments[0]}']`).click()", mode)
            page.until("document.body.dataset.mode === arguments[0]", mode)
            tabs = ("plays", "cube", "rolls", "rollout") if mode == "analyse" else (None,)
            for tab in tabs:
                if tab:
                    page.js(f"document.querySelector('#tab-{tab}').click()")
                    page.until("document.querySelector('#panel .engine, #panel .rollout-form')"
                               " && !document.querySelector('.stale')")
                page.still()
                assert page.js(wide) == 0, (lang, mode, tab)
                assert page.js(cut) == [], (lang, mode, tab)


@pytest.mark.parametrize("dark", [False, True])
def test_words_can_be_read(page, dark):
    """Contrast of at least 4.5 for every text, by the colours the browser has computed."""
    page.open(OPENING.id(), dark=dark)
    assert page.js("return document.documentElement.dataset.theme") == ("dark" if dark else "light")
    page.until("document.querySelector('.candidate')")
    measure = """
        const canvas = document.createElement('canvas')
            .getContext('2d', {willReadFrequently: true});
        const rgba = (colour) => {
            canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
            return [...canvas.getImageData(0, 0, 1, 1).data];
        };
        const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
            .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
        const behind = (e) => {
            for (; e; e = e.parentElement) {
                const found = rgba(getComputedStyle(e).backgroundColor);
                if (found[3] === 255) return found;
            }
            return [255, 255, 255, 255];
        };
        return [...document.querySelectorAll('body *')].filter((e) => e.offsetParent
            && !e.closest('.board, :disabled')
            && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()))
            .map((e) => {
                const [a, b] = [light(rgba(getComputedStyle(e).color)), light(behind(e))];
                const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                return [ratio, e.outerHTML.slice(0, 120)];
            }).filter(([ratio]) => ratio < 4.5)"""
    for tab in ("plays", "cube", "rolls", "rollout"):
        page.click(f"#tab-{tab}")
        page.until("!document.querySelector('.stale')")
        page.still()
        assert page.js(measure) == []
    for mode in ("setup", "play"):
        page.click(f'[data-mode="{mode}"]')
        page.still()
        assert page.js(measure) == []


def test_looks_are_kept(page):
    page.open(OPENING.id())
    page.js("document.querySelector(`[data-theme-choice='dark']`).click();"
            "document.querySelector('#mirrored').click();"
            "document.querySelector(`[data-lang='uk']`).click()")
    page.until("document.documentElement.lang === 'uk'")
    page.driver.refresh()
    page.until("document.body.dataset.ready")
    assert page.js("return [document.documentElement.dataset.theme, document.documentElement.lang,"
                   " document.querySelector('#mirrored').checked]") == ["dark", "uk", True]
    assert page.text("#status") == "Білі: хід 3-1"
    title = page.js("return document.querySelector('#board title').textContent")
    assert title == "Короткі нарди. Хід: Білі, 3-1"


def where(page, place):
    return page.js("const b = document.querySelector(arguments[0]).getBoundingClientRect();"
                   "return [b.x + b.width / 2 > innerWidth * 0.3, b.y]", page.spot(place))


def test_turned_and_mirrored_boards(page):
    page.open(OPENING.id())
    right, low = where(page, 1)
    assert right
    page.press("m")
    page.until("document.querySelector('#mirrored').checked")
    page.still()
    page.until("document.querySelector(arguments[0]).getBoundingClientRect().x < 300", page.spot(1))
    assert where(page, 1) == [False, low]
    page.press("m")
    page.press("f")
    page.until("document.querySelector('#seat-top .name').textContent === 'White'")
    page.until("document.querySelector(arguments[0]).getBoundingClientRect().y < arguments[1]",
               page.spot(1), low)
    assert page.checkers() == drawn(OPENING)


def test_everything_by_keyboard(page):
    """A roll typed, a checker chosen on the board and played, the play confirmed and taken back."""
    from selenium.webdriver.common.keys import Keys

    opening = Position.start().with_(dice=(3, 1))
    page.open()
    page.press("31")
    page.shows(opening)
    page.js("document.querySelector(`[data-place='13']`).focus()")
    page.press(Keys.ARROW_DOWN)
    assert page.js("return document.activeElement.dataset.place") == "12"
    page.press(Keys.ARROW_RIGHT * 4)
    assert page.js("return document.activeElement.ariaLabel") == "Point 8, White: 3, can move"
    page.press(Keys.ENTER)
    page.until("document.querySelectorAll('[data-die].used').length === 1")
    page.press(Keys.ARROW_RIGHT * 3)  # over the bar
    assert page.js("return document.activeElement.dataset.place") == "6"
    page.press(Keys.SPACE)
    page.until("document.querySelector('#status').textContent === '8/5 6/5'")
    page.press(Keys.ENTER)
    (play,) = [p for p in opening.legal_plays() if p.notation == "8/5 6/5"]
    page.shows(play.result)
    assert page.text("#live") == "White: 8/5 6/5"
    page.js("document.activeElement.blur()")
    page.press(Keys.ARROW_LEFT)
    page.shows(opening)
    page.until("document.querySelector('.candidate')")
    page.press(Keys.ARROW_DOWN)
    page.until("document.querySelectorAll('#board [data-from]').length")
    page.press("s")
    page.until("document.body.dataset.mode === 'setup'")
    page.press("a")
    page.until("document.body.dataset.mode === 'analyse'")
    page.press("?")
    page.until("document.querySelector('#help').open")


@pytest.mark.parametrize("mode", MODES)
def test_screen_readers_get_names(page, mode):
    """Chromium's own accessibility tree: whatever can be used has a name, the board says all."""
    page.open(OPENING.id())
    page.click(f'[data-mode="{mode}"]')
    page.until("document.body.dataset.mode === arguments[0]", mode)
    page.until("document.querySelector('#panel').childElementCount")
    page.still()
    nodes = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    used, names = 0, []
    for node in nodes:
        role = node.get("role", {}).get("value")
        if node.get("ignored") or role not in (
                "button", "textbox", "combobox", "checkbox", "link", "tab", "spinbutton"):
            continue
        name = node.get("name", {}).get("value", "").strip()
        assert name, node
        used += 1
        names.append(name)
    assert used > 30
    movable = ", can move" if mode == "analyse" else ""
    assert f"Point 8, White: 3{movable}" in names and "Point 9, empty" in names
    assert "Borne off, Black, empty" in names
    described = page.js("return document.querySelector('#board desc').textContent")
    assert "White (own points): 2 on 24, 5 on 13, 3 on 8, 5 on 6; pips: 167" in described


def test_an_address_typed_into_an_open_page(page):
    page.open(OPENING.id())
    other = Position.parse("w=24:7,18:8 b=24:15 turn=w")
    page.js("location.hash = arguments[0]", other.id())
    page.shows(other)
    page.js("location.hash = 'nonsense'")
    page.until("document.querySelector('#toast').textContent.includes('in no known form')")
    assert page.checkers() == drawn(other)
    assert len(page.complaints()) == 1


def test_positions_that_short_ids_cannot_hold(page):
    """House rules of backgammon are kept in the address all the same."""
    position = OPENING.with_(rules={"no_hit_and_off": True})
    page.open(position.id("text").replace(" ", "%20"))
    page.until("document.querySelector('#board').dataset.position === arguments[0]",
               position.id("text"))
    assert page.id == position.id("text")


def test_page_headers(origin):
    for path, kind in (("/", "text/html"), ("/page/main.js", "text/javascript"),
                       ("/page/style.css", "text/css"), ("/page/icon.svg", "image/svg+xml")):
        with urllib.request.urlopen(origin + path) as answer:
            assert answer.headers["Content-Type"].startswith(kind)
            policy = answer.headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'; script-src 'self';")
            assert "http" not in policy and answer.headers["Cache-Control"] == "no-cache"


def test_a_token_comes_with_the_link_or_is_asked_for(chromium, both_nets):
    with Process("serve", "http", "--port", "0", "--nets", both_nets,
                 "--token", "open sesame", patience=120) as process:
        origin = process.line("stderr").split()[-1].rstrip("/")
        page = Page(chromium, origin)
        chromium.get("about:blank")
        chromium.get(f"{origin}/?token=open%20sesame#{OPENING.id()}")
        page.until("document.body.dataset.ready")
        page.shows(OPENING)
        assert "token" not in chromium.current_url
        assert page.complaints() == [] and page.asked() == {origin}
        page.js("sessionStorage.clear()")
        chromium.get("about:blank")
        chromium.get(f"{origin}/")
        page.find("#token").send_keys("open sesame\n")
        page.until("document.body.dataset.ready")
        assert page.checkers() == drawn(Position.start())
        assert len(page.complaints()) == 1  # the refusal before the token
        page.asked()
