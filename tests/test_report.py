"""The report of a match and the cards of its errors: one page, sound, and seen by a browser."""

import dataclasses
import re
import sqlite3
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

from nardy_core import formats
from nardy_core.match_analysis import Definitions, analyse_match
from nardy_core.render.quiz import cards, write_apkg
from nardy_core.render.report import report_html

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def judged():
    return analyse_match(GOLDEN / "match_analysis" / "gnubg.sgf", level="file")


@pytest.fixture(scope="module")
def page(judged):
    return judged.html()


class Page(HTMLParser):
    """Elements, ids and references of a page; fails for tags that do not nest."""

    VOID = {"meta", "br", "link", "input", "img", "hr"}

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.tags = [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append((tag, found))
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "a":
            self.links.append(found["href"])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page_is_sound_and_needs_nothing_but_itself(judged, page):
    read = Page(page)
    assert len(set(read.ids)) == len(read.ids)
    assert read.links and all(link[1:] in read.ids for link in read.links if link[0] == "#")
    assert all(link.startswith("#") for link in read.links)
    outside = set(re.findall(r"https?://[^\s\"'<)]+", page))
    assert outside == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(src|@import|url\(h)", page)
    errors = [a for tag, a in read.tags if tag == "article"]
    assert len(errors) == len(judged.errors())
    games = [a for tag, a in read.tags if tag == "details"]
    assert len(games) == len(judged.record.games)


def test_page_says_what_the_figures_say(judged, page):
    assert "26.34" in page and "-12.70%" in page and "Kazaross-XG2" in page
    worst = judged.errors()[0]
    first = page[page.index('id="e1"'):page.index('id="e2"')]
    assert f"{-worst.lost:.3f}" in first and worst.done in first and worst.best in first
    arrows = re.findall(r'data-from="(\w+)" data-to="(\w+)"', first)
    steps = {(str(a), str(b)) for a, b, _ in worst.action.steps}
    assert steps < set(arrows)  # what was played, and what was better


@pytest.mark.parametrize(("lang", "words"), [
    ("en", ("Errors, the costliest first", "blunders")),
    ("ru", ("Ошибки, начиная с самых дорогих", "грубые ошибки")),
    ("uk", ("Помилки, починаючи з найдорожчих", "грубі помилки"))])
def test_languages(judged, lang, words):
    page = report_html(judged, lang=lang)
    assert f'<html lang="{lang}"' in page and all(word in page for word in words)


def test_themes(judged):
    assert 'data-theme="dark"' in report_html(judged, theme="dark")
    assert "data-theme=" not in report_html(judged).split("<style>")[0]
    with pytest.raises(ValueError, match="theme: 'pink' is not one of auto, light"):
        report_html(judged, theme="pink")
    with pytest.raises(ValueError, match="language: 'fr' is not one of en, ru, uk"):
        report_html(judged, lang="fr")


def test_what_a_file_says_is_escaped(judged):
    bad = '<script>alert("x")</script>'
    record = dataclasses.replace(judged.record, players=(bad, "B & Co"),
                                 tags=(("Event", bad),), date=bad)
    page = dataclasses.replace(judged, record=record, error=bad, name=bad).html()
    assert page.count("<script>") == 1 and "B &amp; Co" in page
    Page(page)


def test_money_and_an_unfinished_match():
    match = formats.read(GOLDEN / "formats" / "analysed.sgf")
    money = analyse_match(match, level="file", definitions=Definitions(sizes="gnubg"))
    page = money.html("ru")
    Page(page)
    assert "Счёт и эквити, очки" in page and "очень плохие" in page
    unfinished = dataclasses.replace(money, complete=False)
    assert "Разбор прерван" in unfinished.html("ru")


def test_nothing_wrong(judged):
    perfect = dataclasses.replace(judged, decisions=tuple(
        dataclasses.replace(d, lost=0.0, best=d.done) for d in judged.decisions))
    page = perfect.html()
    Page(page)
    assert "No errors worth a name." in page


def test_chromium_shows_it(page, tmp_path):
    """The script runs (it unhides the buttons) and nothing is fetched or complained of."""
    import os
    import shutil
    import subprocess

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        message = "chromium is missing, so nobody looked at the report (Debian: chromium)"
        if os.environ.get("NARDY_REQUIRE_PEERS") == "1":
            pytest.fail(message, pytrace=False)
        pytest.skip(message)
    target = tmp_path / "report.html"
    target.write_text(page, encoding="utf-8")
    done = subprocess.run(
        [program, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", f"file://{target}"],
        capture_output=True, text=True, timeout=180, check=True)
    assert '<div class="tools">' in done.stdout and '<div class="bar">' in done.stdout
    assert "CONSOLE" not in done.stderr, done.stderr
    assert done.stdout.count("<article") == page.count("<article")


# ---- cards -------------------------------------------------------------------------------------


def test_cards(judged):
    made = cards(judged, "en", "blunder")
    assert len(made) == len(judged.errors("blunder")) > 40
    first = made[0]
    worst = judged.errors()[0]
    assert "What is the play?" in first.question and worst.best not in first.question
    assert worst.best in first.answer and f"{-worst.lost:.3f}" in first.answer
    assert "data-from" not in first.question and "data-from" in first.answer
    assert first.tags == ("nardy", "play", "blunder")
    # The same position and roll is the same card, in any language and at any time.
    again = cards(judged, "ru", "blunder")
    assert [c.key for c in again] == [c.key for c in made] and len({c.key for c in made}) > 40
    kinds = {c.tags[1] for c in cards(judged)}
    assert {"play", "double", "drop"} <= kinds


def test_deck_for_anki(judged, tmp_path):
    made = cards(judged)[:5]
    write_apkg(made, tmp_path / "deck.apkg")
    assert [p.name for p in tmp_path.iterdir()] == ["deck.apkg"]
    with zipfile.ZipFile(tmp_path / "deck.apkg") as deck:
        name = next(n for n in deck.namelist() if n.startswith("collection"))
        (tmp_path / "collection").write_bytes(deck.read(name))
    with sqlite3.connect(tmp_path / "collection") as base:
        notes = base.execute("SELECT guid, flds FROM notes").fetchall()
        assert base.execute("SELECT count(*) FROM cards").fetchone() == (5,)
    assert {guid for guid, _ in notes} == {card.key for card in made}
    assert all("<svg" in fields for _, fields in notes)


def test_without_genanki(judged, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "genanki", None)
    with pytest.raises(RuntimeError, match=r'genanki is missing: pip install "nardy_core\[anki\]"'):
        write_apkg(cards(judged)[:1], tmp_path / "deck.apkg")
    assert not list(tmp_path.iterdir())


def test_long_nardy_has_its_own_classes():
    page = analyse_match(GOLDEN / "formats" / "long_nardy.mat", level=0).html()
    assert "<th>oin · mars · koks · home mars, %</th>" in page and "bg, %" not in page
    rows = re.findall(r"<td>([\d.]+ [\d.]+ [\d.]+ [\d.]+) – ([\d. ]+)</td>", page)
    assert len(rows) > 20
    for wins, losses in rows:
        assert sum(map(float, (wins + " " + losses).split())) == pytest.approx(100, abs=0.45)
