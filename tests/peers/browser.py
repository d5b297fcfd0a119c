"""A real Chromium before the page of a real server: Debian's chromium and chromedriver, driven by
Selenium, which is told where both are and so never looks for any itself."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import time
from urllib.parse import unquote, urlsplit

import pytest

from nardy_core import Position

PATIENCE = 60  # seconds for anything to appear
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--lang=en",
)
SIZES = {"wide": (1440, 900), "tablet": (820, 1180), "narrow": (390, 844)}

# Timers of the page run at once: engines need no time to be looked at.
HURRY = """
{
    const wait = window.setTimeout;
    window.setTimeout = (what, time, ...more) => wait(what, Math.min(time ?? 0, 5), ...more);
}
"""

SIDES = ("black", "white")  # players 0 and 1
MINUS = str.maketrans("−", "-")


def drawn(position: Position) -> dict[str, dict[str, int]]:
    """`Page.checkers` of a position, from the rules' side of things."""
    sides = {position.turn: position.own, 1 - position.turn: position.opp}
    return {
        SIDES[player]: {
            ("bar" if n == 25 else "off" if n == 0 else str(n)): count
            for n, count in enumerate(counts)
            if count
        }
        for player, counts in sides.items()
    }


def number(text: str) -> float:
    """A figure of the page, which has true minus signs."""
    return float(text.translate(MINUS))


def programs() -> tuple[str, str]:
    """Paths of chromium and chromedriver. Without them, or without Selenium: a failure where peers
    are required (NARDY_REQUIRE_PEERS=1), a skipped test otherwise."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    missing = [
        name for name, path in (("chromium", browser), ("chromedriver", driver)) if path is None
    ]
    try:
        import selenium  # noqa: F401 (is it there?)
    except ImportError:
        missing.append("selenium")
    if missing or browser is None or driver is None:
        why = f"{' and '.join(missing)} not found"
        if os.environ.get("NARDY_REQUIRE_PEERS") == "1":
            pytest.fail(f"{why}, and NARDY_REQUIRE_PEERS=1")
        pytest.skip(f"the board in a real browser is not tested: {why}")
    return browser, driver


@contextlib.contextmanager
def chromium():
    """A browser with an empty profile."""
    browser, driver = programs()
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    with tempfile.TemporaryDirectory(prefix="nardy-browser-", ignore_cleanup_errors=True) as folder:
        options = Options()
        options.binary_location = browser
        for flag in (*FLAGS, f"--user-data-dir={folder}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        made = webdriver.Chrome(options=options, service=Service(driver))
        made.set_script_timeout(PATIENCE)
        try:
            made.get("about:blank")
            made.get_log("performance")  # what the browser's own first page asked for
            yield made
        finally:
            made.quit()


class Page:
    """The board in a browser, as a reader uses it."""

    def __init__(self, driver, origin: str) -> None:
        self.driver, self.origin = driver, origin
        self.hurry: str | None = None

    # ---- opening and looking

    def open(self, position: str = "", *, size: str = "wide", dark: bool = False,
             hurried: bool = False, forget: bool = True) -> Page:
        """Load the page anew; `forget` what it stored, `hurried` lets no timer wait."""
        width, height = SIZES[size]
        cdp = self.driver.execute_cdp_cmd
        cdp("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "narrow"})
        cdp("Emulation.setTouchEmulationEnabled", {"enabled": size == "narrow"})
        cdp("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if hurried else ""}]})
        if self.hurry:
            cdp("Page.removeScriptToEvaluateOnNewDocument", {"identifier": self.hurry})
            self.hurry = None
        if hurried:
            self.hurry = cdp("Page.addScriptToEvaluateOnNewDocument",
                             {"source": HURRY})["identifier"]
        self.driver.get("about:blank")
        if forget:
            cdp("Storage.clearDataForOrigin", {"origin": self.origin, "storageTypes": "all"})
        self.driver.get(f"{self.origin}/{'#' + position if position else ''}")
        if forget:
            self.js("sessionStorage.clear(); localStorage.clear()")
        self.until("document.body.dataset.ready")
        return self

    def js(self, source: str, *arguments):
        return self.driver.execute_script(source, *arguments)

    def run(self, source: str, *arguments):
        """The result of an asynchronous function's body."""
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; const given = [...arguments];"
            f"(async () => {{ {source} }})().then((value) => done({{value}}),"
            " (error) => done({error: String(error.stack)}))", *arguments)
        assert "error" not in found, found["error"]
        return found.get("value")

    def until(self, expression: str, *arguments):
        """Wait until a JavaScript expression holds; its value."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if found := self.js(f"return {expression}", *arguments):
                return found
            time.sleep(0.02)
        said = self.js("return [document.querySelector('#status')?.textContent,"
                       " document.querySelector('#panel')?.innerText,"
                       " document.querySelector('#toast')?.textContent]")
        raise AssertionError(f"never: {expression} {arguments}; {said}; "
                             f"{self.driver.get_log('browser')}")

    def text(self, selector: str) -> str:
        return self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def texts(self, selector: str) -> list[str]:
        return self.js("return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)",
                       selector)

    def find(self, selector: str):
        self.until("document.querySelector(arguments[0])", selector)
        return self.driver.find_element("css selector", selector)

    # ---- doing

    def type_id(self, text: str) -> None:
        """Into the field for ids, in place of what is there, and Enter."""
        self.click("#id")
        self.press(text + "\n")

    def click(self, selector: str) -> None:
        """With the pointer, once the page is still."""
        self.still()
        self.find(selector).click()

    def press(self, keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver, duration=0).send_keys(keys).perform()

    def hover(self, selector: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        self.still()
        ActionChains(self.driver, duration=0).move_to_element(self.find(selector)).perform()

    def still(self) -> None:
        """No checker travels and nothing is asked of the server."""
        self.run("const still = () => document.getAnimations().length === 0;"
                 "await new Promise((done) => { const look = () => still() ? done() :"
                 " requestAnimationFrame(look); requestAnimationFrame(look); })")

    def spot(self, place: int | str, owner: str = "") -> str:
        """Selector of a place on the board."""
        return f'[data-place="{place}"]' + (f'[data-owner="{owner}"]' if owner else "")

    def drag(self, source: str, target: str) -> None:
        """One checker from place to place, by mouse."""
        from selenium.webdriver.common.action_chains import ActionChains

        self.still()
        ActionChains(self.driver, duration=20).drag_and_drop(
            self.find(source), self.find(target)).perform()
        self.still()

    def swipe(self, source: str, target: str) -> None:
        """The same by finger."""
        self.still()
        middle = ("const box = document.querySelector(arguments[0]).getBoundingClientRect();"
                  "return [box.x + box.width / 2, box.y + box.height / 2]")
        (x0, y0), (x1, y1) = self.js(middle, source), self.js(middle, target)
        touch = self.driver.execute_cdp_cmd
        touch("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [
            {"x": x0, "y": y0}]})
        for n in range(1, 6):
            touch("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [
                {"x": x0 + (x1 - x0) * n / 5, "y": y0 + (y1 - y0) * n / 5}]})
        touch("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        self.still()

    # ---- what is shown

    @property
    def id(self) -> str:
        """The position that the address restores."""
        return unquote(urlsplit(self.driver.current_url).fragment)

    def shows(self, position: Position) -> None:
        """Wait until the board shows a position and the address restores it."""
        self.until("document.querySelector('#board').dataset.position === arguments[0]",
                   position.id("text"))
        self.until("decodeURIComponent(location.hash.slice(1)) === arguments[0]", position.id())
        self.still()

    def checkers(self) -> dict[str, dict[str, int]]:
        """{side: {point or "bar" or "off": count}} of the drawn board."""
        return self.js("""
            const found = {white: {}, black: {}};
            for (const group of document.querySelectorAll("#board [data-count]")) {
                const side = group.dataset.side ?? group.parentNode.dataset.side;
                found[side][group.dataset.point] = Number(group.dataset.count);
            }
            return found;""")

    def arrows(self) -> list[tuple[str, str]]:
        found = self.js("return [...document.querySelectorAll('#board [data-from]')]"
                        ".map(e => [e.dataset.from, e.dataset.to])")
        return [tuple(pair) for pair in found]

    # ---- what must never be

    def complaints(self) -> list[str]:
        """Console errors and warnings since last asked; a refused request is the page's to tell."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING")]

    def asked(self) -> set[str]:
        """Origins of all requests since last asked."""
        found = set()
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = urlsplit(message["params"]["request"]["url"])
                if url.scheme not in ("data", "about"):
                    found.add(f"{url.scheme}://{url.netloc}")
        return found
