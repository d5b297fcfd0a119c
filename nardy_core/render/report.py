"""The report of a judged match: one HTML page that needs nothing but itself.

Summary, the course of the match, the errors as boards with what was played and what was better, the
costliest first, and the games move by move. English, Russian or Ukrainian; light, dark and on
paper.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from nardy_core._version import __version__
from nardy_core.checks import one_of
from nardy_core.match_analysis.definitions import luck_name
from nardy_core.match_analysis.judged import Judged, text_id
from nardy_core.match_analysis.result import MatchAnalysis
from nardy_core.match_analysis.text import (
    action_word,
    cost,
    figures,
    figures_of,
    made_by,
    names_of,
    number,
)
from nardy_core.match_analysis.words import known, skill, word
from nardy_core.notation import parse_play
from nardy_core.render.report_chart import curve_svg
from nardy_core.render.report_style import SCRIPT, STYLE
from nardy_core.render.svg import board_svg
from nardy_core.terms import LANGUAGES, term

THEMES = ("auto", "light", "dark")
CANDIDATES = 5  # listed below a board, with what was played


def report_html(analysis: MatchAnalysis, *, lang: str = "en", theme: str = "auto") -> str:
    """The page. theme : "auto" follows the reader's system until the reader chooses; "light",
    "dark". ValueError for an unknown theme or language."""
    one_of("theme", theme, THEMES)
    one_of("language", lang, LANGUAGES)
    return Reporter(analysis, lang).page(theme)


class Reporter:
    def __init__(self, analysis: MatchAnalysis, lang: str) -> None:
        self.analysis, self.lang = analysis, lang
        self.record = analysis.record
        self.names = names_of(self.record)
        self.unit = "mwc" if self.record.length else "points"
        self.errors = analysis.errors()
        self.limits = analysis.definitions.limits
        self.worst = self.limits.names[-1]
        # By (game, number, kind), so that a roll and the cube decision before it stay apart.
        self.anchors = {(d.game, d.number, d.kind): f"e{n}" for n, d in enumerate(self.errors, 1)}
        self.given = [d for d in analysis.resignations()
                      if d.lost is not None and self.limits.of(d.lost)]
        self.anchors |= {(d.game, d.number, d.kind): f"r{n}" for n, d in enumerate(self.given, 1)}

    def w(self, key: str, **values: object) -> str:
        return escape(word(key, self.lang, **values))

    # ---- the page ----

    def page(self, theme: str) -> str:
        first, second = (escape(name) for name in self.names)
        title = f"{first} – {second}"
        chosen = "" if theme == "auto" else f' data-theme="{theme}"'
        parts = [self.head(), self.players(), self.curve(), self.figures(), self.mistakes(),
                 self.resignations(), self.games(), self.meanings()]
        return "\n".join([
            f'<!DOCTYPE html>\n<html lang="{self.lang}"{chosen}><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            f'<meta name="generator" content="nardy_core {__version__}">',
            f"<title>{title}</title>\n<style>{STYLE}</style></head>\n<body><main>",
            *filter(None, parts), f"</main>\n<script>{SCRIPT}</script>\n</body></html>", ""])

    def head(self) -> str:
        record, (first, second) = self.record, map(escape, self.names)
        own, opp = record.score
        kind = (self.w("match_to", length=record.length) if record.length else self.w("session"))
        facts = [kind, *(escape(record.tag(name)) for name in ("Event", "Round", "Site")
                         if record.tag(name)), escape(record.date)]
        if record.length:
            winner = record.winner
            facts.append(self.w("unfinished") if winner is None
                         else self.w("winner", name=self.names[winner]))
        notes = [escape(self.analysis.error)] if self.analysis.error else []
        if not self.analysis.complete:
            notes.append(self.w("incomplete"))
        return "".join([
            f'<div class="tools" hidden><button id="theme" title="{self.w("theme")}">◐</button>'
            f'<button id="quiz" aria-pressed="false">{self.w("quiz")}</button>'
            f'<button id="print">{self.w("print")}</button></div>',
            f"<h1>{first}<b>{own}–{opp}</b>{second}</h1>",
            f'<p class="sub">{" · ".join(filter(None, facts))}</p>',
            f'<p class="sub">{escape(made_by(self.analysis, self.lang))}</p>',
            *(f'<p class="note">{note}</p>' for note in notes)])

    def players(self) -> str:
        cards = []
        rating = self.analysis.definitions.rating
        for player, tally in enumerate(self.analysis.players):
            pr = tally.rate("pr")
            level = self.w(skill(pr)) if pr is not None else ""
            label = self.w(rating) if known(rating) else escape(rating)
            facts = [
                (self.w(f"lost_{self.unit}"), cost(tally.cost, self.unit)),
                *((self.size_word(n), str(tally.sizes[n].count)) for n in self.limits.names)]
            if tally.rolls:
                facts += [(self.w(f"luck_{self.unit}"),
                           cost(tally.luck_cost, self.unit, sign=True)),
                          (self.w("adjusted"), cost(tally.luck_adjusted, self.unit, sign=True))]
            items = "".join(f"<li>{label_} <b>{value}</b></li>" for label_, value in facts)
            cards.append(
                f'<section class="card player p{player}"><h3>{escape(self.names[player])}'
                f"<span>{level}</span></h3>"
                f'<div class="rate">{number(tally.rate(rating))}<small>{label}</small></div>'
                f'<ul class="facts">{items}</ul></section>')
        return f'<div class="players">{"".join(cards)}</div>'

    def size_word(self, name: str) -> str:
        return self.w(f"size_{name}") if known(f"size_{name}") else escape(name)

    def curve(self) -> str:
        links = {}
        for d in reversed(self.errors):  # of two at one place the costlier one stays
            links[d.game, d.number] = (
                self.anchors[d.game, d.number, d.kind],
                "fault" if self.limits.of(d.lost or 0) == self.worst else "error",
                f"{self.names[d.player]}: {self.what(d, d.done)} → {self.what(d, d.best)} "
                f"({-(d.lost or 0):.3f})")
        svg = curve_svg(self.analysis, links)
        if not svg:
            return ""
        return f'<h2>{self.w(f"curve_{self.unit}")}</h2><div class="card curve scroll">{svg}</div>'

    def figures(self) -> str:
        rows = figures(self.analysis, self.lang)
        foreign = self.analysis.foreign_players
        others = {key: values for key, _, values in
                  figures_of(self.analysis, foreign, self.lang)} if foreign else {}
        head = "".join(f"<th>{escape(name)}</th>" for name in self.names)
        if foreign:
            program = self.analysis.program or "?"
            head += "".join(f"<th>{escape(name)}<br>{self.w('by_file', program=program)}</th>"
                            for name in self.names)
        body = []
        for key, label, values in rows:
            kind = "part" if label.startswith(" ") else "main" if key == (
                self.analysis.definitions.rating) else ""
            cells = "".join(f"<td>{escape(v)}</td>" for v in values)
            if foreign:
                cells += "".join(f"<td>{escape(v)}</td>" for v in others.get(key, ("", "")))
            body.append(f'<tr class="{kind}"><th scope="row">{escape(label.strip())}</th>{cells}'
                        "</tr>")
        return (f'<h2>{self.w("summary")}</h2><div class="card figures scroll"><table><thead><tr>'
                f'<th></th>{head}</tr></thead><tbody>{"".join(body)}</tbody></table></div>')

    # ---- errors ----

    def mistakes(self) -> str:
        if not self.errors:
            return f'<h2>{self.w("errors")}</h2><p>{self.w("no_errors")}</p>'
        everybody = [("player", "", self.w("all")), *(("player", str(p), escape(name))
                                           for p, name in enumerate(self.names))]
        kinds = [("kind", "", self.w("all")), ("kind", "play", self.w("plays")),
                 ("kind", "cube", self.w("cube"))]
        bars = "".join(
            '<div class="bar" hidden>' + "".join(
                f'<button data-group="{group}" data-value="{value}" '
                f'aria-pressed="{"false" if value else "true"}">{label}</button>'
                for group, value, label in buttons) + "</div>"
            for buttons in (everybody, kinds))
        cards = "".join(self.mistake(n, d) for n, d in enumerate(self.errors, 1))
        return f'<h2>{self.w("errors")}</h2>{bars}<div class="errors">{cards}</div>'

    def resignations(self) -> str:
        """Those that gave or left away something; the games have all of them."""
        cards = "".join(self.mistake(n, d) for n, d in enumerate(self.given, 1))
        return (f'<h2>{self.w("resignations")}</h2><div class="errors">{cards}</div>'
                if cards else "")

    def what(self, decision: Judged, text: str) -> str:
        return action_word(decision, text, self.lang)

    def mistake(self, n: int, d: Judged) -> str:
        blunder = " blunder" if self.limits.of(d.lost or 0) == self.worst else ""
        fault = f"{self.w(d.fault)} · " if d.fault else ""
        roll = "{}-{}: ".format(*d.action.dice) if d.action.dice else ""
        price = cost(-(d.cost or 0), self.unit) if d.cost is not None else ""
        anchor = self.anchors[d.game, d.number, d.kind]
        rows = (self.plays_of(d) if d.kind == "play" else self.cube_of(d) if d.is_cube
                else self.resignation_of(d))
        return (
            f'<article class="card error{blunder}" id="{anchor}" data-player="{d.player}" '
            f'data-kind="{"cube" if d.is_cube else d.kind}">'
            f'<header><div><p class="who">{n}. {escape(self.names[d.player])}</p>'
            f'<p class="where">{fault}<a href="#{self.place(d)}">'
            f'{self.w("game", number=d.game + 1)}, {self.w("number")} {self.turn(d)}</a></p></div>'
            f'<p class="loss">{-(d.lost or 0):.3f}<small>{price}</small></p></header>'
            f'<div class="board">{self.board(d)}</div>'
            f'<p class="verdict">{roll}<s>{escape(self.what(d, d.done))}</s> → '
            f'<b class="best">{escape(self.what(d, d.best))}</b></p>'
            f'<div class="scroll"><table><thead><tr>{self.heads(d)}</tr></thead>'
            f"<tbody>{rows}</tbody></table></div>"
            f'<p class="id">{escape(self.one_level(d))} {escape(text_id(d.position))}</p>'
            "</article>")

    def one_level(self, d: Judged) -> str:
        """The level that all lines below the board have, "" if they differ."""
        levels = {d.level}
        if d.kind == "play":
            candidates = list(d.analysis.get("candidates") or ())
            shown = [c for n, c in enumerate(candidates)
                     if n < CANDIDATES or n == d.analysis.get("played")]
            levels = {str(c.get("level") or "") for c in shown}
        return levels.pop() if len(levels) == 1 else ""

    def heads(self, d: Judged) -> str:
        """Titles of the columns of candidates or cube lines."""
        classes = ("win", "gammons", "backgammons") if d.position.game == "backgammon" else (
            "oin", "mars", "koks", "home_mars")
        chances = " · ".join(self.w(key) for key in classes)
        first = "" if d.is_resignation else self.w("play" if d.kind == "play" else "cube")
        words = [first, self.w("equity"), "", "" if d.is_resignation else f"{chances}, %"]
        if not self.one_level(d):
            words.insert(3, self.w("level"))
        return "".join(f"<th>{text}</th>" for text in words)

    def board(self, d: Judged) -> str:
        position = d.position
        arrows = fault = None
        if d.kind == "play":
            fault = d.action.steps
            arrows = self.best_steps(d)
        svg = board_svg(position, size=640, perspective=d.player, arrows=arrows, fault=fault,
                        names=self.record.players, lang=self.lang, captions=False)
        return self.caption(d, 1 - d.player) + svg + self.caption(d, d.player)

    def caption(self, d: Judged, player: int) -> str:
        """A side's name, score and pips, above or below the board."""
        own = player == d.position.turn
        pips = d.position.pips[0 if own else 1]
        score = d.position.score_own if own else d.position.score_opp
        points = f"<b>{score}</b>" if self.record.length else ""
        return (f'<p class="cap s{player}">{points}<span>{escape(self.names[player])}</span>'
                f"<span>{escape(term('pips', self.lang))} {pips}</span></p>")

    def best_steps(self, d: Judged) -> Sequence[tuple[int, int, bool]] | None:
        """The steps of the best play, die by die."""
        for play in d.position.legal_plays(d.action.dice):
            if play.notation == d.best:
                return play.steps
        try:
            return parse_play(d.best)
        except ValueError:
            return None

    def plays_of(self, d: Judged) -> str:
        candidates = list(d.analysis.get("candidates") or ())
        played = d.analysis.get("played")
        shown = [n for n in range(len(candidates)) if n < CANDIDATES or n == played]
        rows = []
        best = candidates[0].get("equity") if candidates else None
        for n in shown:
            item = candidates[n]
            equity = item.get("equity")
            if not isinstance(equity, (int, float)) or not isinstance(best, (int, float)):
                continue
            kind = "best" if n == 0 else "done" if n == played else ""
            behind = f"{equity - best:+.3f}" if n else ""
            rows.append(
                f'<tr class="{kind}"><td>{n + 1}. '
                f'{escape(str(item.get("play") or word("dance", self.lang)))}</td>'
                f"<td>{equity:+.3f}</td><td>{behind}</td>"
                + ("" if self.one_level(d) else f"<td>{escape(str(item.get('level') or ''))}</td>")
                + f"<td>{_chances(item)}</td></tr>")
        return "".join(rows)

    def resignation_of(self, d: Judged) -> str:
        """What was done and what it would have been worth to play on."""
        rows = []
        for kind, key, value in (("best", "play_on", d.best_equity), ("done", d.done, d.equity)):
            behind = f"{(value or 0) - (d.best_equity or 0):+.3f}" if kind == "done" else ""
            rows.append(f'<tr class="{kind}"><td>{escape(self.what(d, key))}</td>'
                        f"<td>{value or 0:+.3f}</td><td>{behind}</td><td></td></tr>")
        return "".join(rows)

    def cube_of(self, d: Judged) -> str:
        if d.cube is None:
            return ""
        stay, take, drop = d.cube
        double = min(take, drop)
        best = max(stay, double)
        right = "no_double" if stay >= double else "double_take" if take <= drop else "double_pass"
        done = {"no_double": "no_double", "take": "double_take", "drop": "double_pass",
                "double": "double_take" if take <= drop else "double_pass"}.get(d.kind, "")
        rows, chances = [], _chances(d.analysis.get("cube") or {})
        for key, value in zip(("no_double", "double_take", "double_pass"), d.cube, strict=True):
            kind = "best" if key == right else "done" if key == done else ""
            behind = f"{value - best:+.3f}" if key != right else ""
            rows.append(f'<tr class="{kind}"><td>{self.w(key)}</td><td>{value:+.3f}</td>'
                        f"<td>{behind}</td>{'' if self.one_level(d) else '<td></td>'}"
                        f"<td>{chances}</td></tr>")
            chances = ""
        return "".join(rows)

    # ---- games ----

    def turn(self, d: Judged) -> int:
        """The number of the line in a record of two columns."""
        return self.lines[d.game][d.number]

    @property
    def lines(self) -> list[list[int]]:
        found = getattr(self, "_lines", None)
        if found is None:
            found = self._lines = [_line_numbers([a.player for a in game.actions])
                                   for game in self.record.games]
        return found

    def place(self, d: Judged) -> str:
        return f"g{d.game + 1}m{self.turn(d)}"

    def games(self) -> str:
        return f'<h2>{self.w("games")}</h2>' + "".join(
            self.game(n) for n in range(len(self.record.games)))

    def game(self, n: int) -> str:
        game = self.record.games[n]
        rating = self.analysis.definitions.rating
        rates = " · ".join(
            f"{escape(name)} {number(t.rate(rating))}"
            for name, t in zip(self.names, self.analysis.games[n], strict=True))
        result = self.w("unfinished") if game.winner is None else self.w(
            "wins", name=self.names[game.winner], points=game.points)
        if game.crawford:
            result += f" · {self.w('in_crawford')}"
        by_place: dict[int, list[Judged]] = {}
        for d in self.analysis.decisions:
            if d.game == n:
                by_place.setdefault(d.number, []).append(d)
        rows: dict[int, list[str]] = {}
        for number_, action in enumerate(game.actions):
            cells = rows.setdefault(self.lines[n][number_], ["", ""])
            cells[action.player] += self.cell(n, number_, by_place.get(number_, []))
        body = "".join(
            f'<tr id="g{n + 1}m{line}"><td>{line}</td><td>{left}</td><td>{right}</td></tr>'
            for line, (left, right) in sorted(rows.items()))
        head = "".join(f"<th>{escape(name)}</th>" for name in self.names)
        return (
            f'<details class="card game"><summary><b>{self.w("game", number=n + 1)}</b>'
            f"<span>{game.score[0]}–{game.score[1]}</span><span>{result}</span>"
            f"<span>{self.w(rating) if known(rating) else escape(rating)}: {rates}</span>"
            "</summary>"
            f'<div class="moves scroll"><table><thead><tr><th></th>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div></details>")

    def cell(self, game: int, number_: int, decisions: Sequence[Judged]) -> str:
        action = self.record.games[game].actions[number_]
        if not decisions:
            key = action.kind if known(action.kind) else "board"
            return f"<span>{self.w(key)}</span>"
        parts = []
        for d in decisions:
            wrong = (d.game, d.number, d.kind) in self.anchors
            if d.kind == "accept":
                if wrong:
                    parts.append(self.linked(d, f"{self.names[d.player]}: {self.what(d, d.done)}"))
                continue
            if d.kind == "no_double":
                if wrong:
                    parts.append(self.linked(d, f"{word('no_double', self.lang)}?"))
                continue
            luck = luck_name(d.luck) if d.luck is not None else ""
            mark = ""
            if luck:
                up = d.luck is not None and d.luck > 0
                signs = ("++" if up else "−−") if luck.startswith("very") else "+" if up else "−"
                title = luck if luck.startswith("very") else f"one_{luck}"
                mark = (f'<small class="{"lk" if up else "ul"}" '
                        f'title="{self.w(title)} {d.luck:+.3f}">{signs}</small>')
            roll = f'<span class="roll">{"{}{}".format(*d.action.dice)}</span>' if (
                d.action.dice) else ""
            text = self.what(d, d.done) if d.kind != "roll" else ""
            parts.append(roll + (self.linked(d, text) if wrong else f"<span>{escape(text)}</span>")
                         + mark)
        return " ".join(parts)

    def linked(self, d: Judged, text: str) -> str:
        kind = "blu" if self.limits.of(d.lost or 0) == self.worst else "err"
        anchor = self.anchors[d.game, d.number, d.kind]
        return (f'<a class="{kind}" href="#{anchor}">{escape(text)}'
                f"<small>{-(d.lost or 0):.3f}</small></a>")

    # ---- what it means ----

    def meanings(self) -> str:
        sizes = ", ".join(f"{word(f'size_{n}', self.lang) if known(f'size_{n}') else n} "
                          f"{'≥' if self.limits.inclusive else '>'} {limit:g}"
                          for n, limit in self.limits.limits)
        lines = [self.w(f"about_{name}") for name in self.analysis.definitions.rates
                 if known(f"about_{name}")]
        lines += [self.w("about_sizes", sizes=sizes), self.w("about_luck")]
        if self.analysis.resignations():
            lines.append(self.w("about_resignations"))
        return (f'<h2>{self.w("definitions")}</h2><div class="means">'
                + "".join(f"<p>{line}</p>" for line in lines) + "</div>")


def _chances(item: Mapping[str, Any]) -> str:
    """ "52.1 14.3 0.6 – 47.9 12.5 0.5", wins and losses; of long nardy each class by itself."""
    if outcomes := item.get("outcomes"):
        each = [f"{100 * value:.1f}" for value in outcomes.values()]
        half = len(each) // 2
        return " ".join(each[:half]) + " – " + " ".join(each[half:])
    values = item.get("probabilities")
    if not isinstance(values, (list, tuple)) or len(values) != 5:
        return ""
    win, gammon, backgammon, lost_gammon, lost_backgammon = (100 * v for v in values)
    return (f"{win:.1f} {gammon:.1f} {backgammon:.1f} – "
            f"{100 - win:.1f} {lost_gammon:.1f} {lost_backgammon:.1f}")


def _line_numbers(players: Sequence[int]) -> list[int]:
    """The line of each action in two columns, the first player's left."""
    out, line, column = [], 1, -1
    for player in players:
        if player <= column:
            line += 1
        column = player
        out.append(line)
    return out
