"""The errors of a match as cards to learn from: a question with a board, an answer with arrows."""
from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Sequence
from html import escape
from importlib import import_module
from pathlib import Path

from nardy_core.match_analysis.judged import Judged, text_id
from nardy_core.match_analysis.result import MatchAnalysis
from nardy_core.match_analysis.text import heading
from nardy_core.match_analysis.words import word
from nardy_core.render.report import Reporter
from nardy_core.render.svg import board_svg

CSS = """.card { font:17px/1.45 system-ui,sans-serif; text-align:center; color:#2b2622;
  background:#f6f3ed; } .card svg { max-width:100%; height:auto; } .soft { color:#756b61;
  font-size:.85em; } table { margin:.6em auto; border-collapse:collapse; font-size:.85em;
  font-variant-numeric:tabular-nums; } td, th { padding:.15em .6em; text-align:right;
  font-weight:400; } td:first-child { text-align:left; } .best td { color:#1d7358;
  font-weight:700; } .done td { color:#c2402f; font-weight:700; } .nightMode.card { color:#e4dfd6;
  background:#1d2023; }"""


@dataclasses.dataclass(frozen=True, slots=True)
class Card:
    """One question. key : the same for the same position and roll, whatever match it is from."""

    key: str
    question: str
    answer: str
    tags: tuple[str, ...]


def cards(analysis: MatchAnalysis, lang: str = "en", size: str = "") -> list[Card]:
    """A card for each error of at least a size (default: every one that has a name)."""
    reporter = Reporter(analysis, lang)
    return [_card(reporter, d, lang) for d in analysis.errors(size)]


def _card(reporter: Reporter, d: Judged, lang: str) -> Card:
    analysis = reporter.analysis
    asked = {"play": "play?", "no_double": "double?", "double": "double?"}.get(d.kind, "take?")
    roll = "{}-{}: ".format(*d.action.dice) if d.action.dice else ""
    board = board_svg(d.position, size=620, perspective=d.player, lang=lang,
                      names=analysis.record.players)
    question = f"<p>{roll}{escape(word(asked, lang))}</p>{board}"
    source = escape(f"{heading(analysis, lang)}; {word('game', lang, number=d.game + 1)}")
    rows = reporter.plays_of(d) if d.kind == "play" else reporter.cube_of(d)
    answer = (
        f"<p>{roll}<b>{escape(reporter.what(d, d.best))}</b></p>"
        f"{reporter.board(d) if d.kind == 'play' else board}"
        f"<table><tr>{reporter.heads(d)}</tr>{rows}</table>"
        f'<p class="soft">{escape(word("done", lang))}: {escape(reporter.what(d, d.done))} '
        f"({-(d.lost or 0):.3f})<br>{source}<br>{escape(text_id(d.position))}</p>")
    text = f"{text_id(d.position)} {d.action.dice} {asked}"
    return Card(hashlib.sha256(text.encode()).hexdigest()[:20], question, answer,
                ("nardy", d.kind, analysis.definitions.limits.of(d.lost or 0).replace(" ", "_")))


def write_apkg(
    made: Sequence[Card], path: str | os.PathLike[str], name: str = "nardy_core"
) -> None:
    """The cards as a deck for Anki. RuntimeError in one line if genanki is missing."""
    try:
        genanki = import_module("genanki")
    except ImportError:
        raise RuntimeError('genanki is missing: pip install "nardy_core[anki]"') from None
    model = genanki.Model(
        _number("model 1"), "nardy_core", fields=[{"name": "Question"}, {"name": "Answer"}],
        templates=[{"name": "Decision", "qfmt": "{{Question}}", "afmt": "{{Answer}}"}], css=CSS)
    deck = genanki.Deck(_number(f"deck {name}"), name)
    for card in made:
        deck.add_note(genanki.Note(
            model=model, fields=[card.question, card.answer], guid=card.key,
            tags=list(card.tags)))
    target = Path(path)
    waiting = target.with_name(f".{target.name}.part")
    try:
        genanki.Package(deck).write_to_file(str(waiting))
        waiting.replace(target)
    finally:
        waiting.unlink(missing_ok=True)


def _number(text: str) -> int:
    """An id as Anki wants it, always the same for the same text."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) | 1 << 30
