"""The figures of a match as text: one column a player, one row a figure."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nardy_core.analysis import align
from nardy_core.match_analysis.judged import Judged
from nardy_core.match_analysis.tally import FAULTS, Loss, Tally
from nardy_core.match_analysis.words import known, skill, word
from nardy_core.match_long import name_in
from nardy_core.match_record import MatchRecord

if TYPE_CHECKING:
    from nardy_core.match_analysis.result import MatchAnalysis

NAME_LENGTH = 24

Row = tuple[str, str, tuple[str, str]]  # key, label, a value for each player


def names_of(record: MatchRecord) -> tuple[str, str]:
    """What the players are called, also where the file does not say."""
    first, second = (" ".join(name.split())[:NAME_LENGTH] or f"Player {n}"
                     for n, name in enumerate(record.players, 1))
    return first, second


def heading(analysis: MatchAnalysis, lang: str) -> str:
    """ "Heron 3 – 8 Plover, match to 7"."""
    record = analysis.record
    first, second = names_of(record)
    kind = word("match_to", lang, length=record.length) if record.length else word("session", lang)
    score = record.score
    return f"{first} {score[0]} – {score[1]} {second}, {kind}"


def made_by(analysis: MatchAnalysis, lang: str) -> str:
    """Who judged, and how closely."""
    engine = analysis.engine
    name = " ".join(str(engine.get(key, "")) for key in ("name", "version")).strip() or "?"
    parts = [word("judged_by", lang, engine=name)]
    if analysis.level != "file":
        parts.append(word("level_is", lang, level=analysis.level))
    if analysis.met_name:
        parts.append(name_in(analysis.met_name, lang))
    return ", ".join(parts)


def figures(analysis: MatchAnalysis, lang: str) -> list[Row]:
    """The rows of the summary: key, label, values of both players as text."""
    return figures_of(analysis, analysis.players, lang)


def figures_of(
    analysis: MatchAnalysis, players: tuple[Tally, Tally], lang: str
) -> list[Row]:
    unit = "mwc" if analysis.record.length else "points"
    names = list(analysis.definitions.rates)
    rating = analysis.definitions.rating
    rows: list[Row] = []

    def add(key: str, label: str, shown: Callable[[Tally], str]) -> None:
        rows.append((key, label, (shown(players[0]), shown(players[1]))))

    def rated(name: str) -> Callable[[Tally], str]:
        return lambda t: number(t.rate(name))

    def counted(size: str) -> Callable[[Tally], str]:
        return lambda t: str(t.sizes[size].count)

    def at_fault(fault: str) -> Callable[[Tally], str]:
        return lambda t: _fault(t, fault, unit)

    for name in sorted(names, key=lambda n: n != rating):
        label = word(name, lang) if known(name) else name
        add(name, label, rated(name))
        if name == rating:
            add("plays", f"  {word('plays', lang)}",
                lambda t: number(t.play_ratings[rating].value))
            add("cube", f"  {word('cube', lang)}",
                lambda t: number(t.cube_ratings[rating].value))
            add("decisions", f"  {word('decisions', lang)}",
                lambda t: str(t.ratings[rating].decisions))
    add("lost", word("lost", lang), lambda t: f"{t.lost:.3f}")
    add("cost", word(f"lost_{unit}", lang), lambda t: cost(t.cost, unit))
    add("play_lost", f"  {word('play_lost', lang)}", lambda t: cost(t.plays.cost, unit))
    add("cube_lost", f"  {word('cube_lost', lang)}", lambda t: cost(t.cubes.cost, unit))
    for size in analysis.definitions.limits.names:
        label = word(f"size_{size}", lang) if known(f"size_{size}") else size
        add(f"size {size}", label, counted(size))
    for fault in FAULTS:
        if any(t.faults.get(fault, Loss()).count for t in players):
            add(fault, word(fault, lang), at_fault(fault))
    if any(t.rolls for t in players):
        add("luck", word("luck", lang), lambda t: f"{t.luck:+.3f}")
        add("luck_cost", word(f"luck_{unit}", lang), lambda t: cost(t.luck_cost, unit, sign=True))
        add("lucky", f"  {word('lucky', lang)}",
            lambda t: str(t.lucky["lucky"] + t.lucky["very lucky"]))
        add("unlucky", f"  {word('unlucky', lang)}",
            lambda t: str(t.lucky["unlucky"] + t.lucky["very unlucky"]))
    add("result", word("result", lang), lambda t: cost(t.result, unit, sign=True))
    if any(t.rolls for t in players):
        add("adjusted", word("adjusted", lang), lambda t: cost(t.luck_adjusted, unit, sign=True))
    if any(t.unjudged for t in players):
        add("unjudged", word("unjudged", lang), lambda t: str(t.unjudged))
    return rows


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def cost(value: float, unit: str, *, sign: bool = False) -> str:
    """A chance in percent, or points."""
    plus = "+" if sign else ""
    return f"{100 * value:{plus}.2f}%" if unit == "mwc" else f"{value:{plus}.3f}"


def _fault(tally: Tally, name: str, unit: str) -> str:
    found = tally.faults.get(name, Loss())
    return f"{found.count} ({cost(found.cost, unit)})" if found.count else "0"


def summary(analysis: MatchAnalysis, lang: str, errors: int) -> str:
    """The figures as text, with that many of the costliest errors below."""
    first, second = names_of(analysis.record)
    rows = [["", first, second]]
    rows += [[label, *values] for _, label, values in figures(analysis, lang)]
    rate = analysis.players[0].rate("pr"), analysis.players[1].rate("pr")
    rows.append([word("skill", lang), *(
        "–" if r is None else word(skill(r), lang) for r in rate)])
    lines = [heading(analysis, lang), made_by(analysis, lang), "", *align(rows, left=(0,))]
    if not analysis.complete:
        lines += ["", word("incomplete", lang)]
    worst = analysis.errors()[:errors]
    if worst:
        lines += ["", word("errors", lang), *align(
            [error_row(analysis, d, lang) for d in worst], left=(0, 1, 2, 3))]
    given = [d for d in analysis.resignations() if d.lost is not None]
    if given:
        lines += ["", word("resignations", lang), *align(
            [error_row(analysis, d, lang) for d in given], left=(0, 1, 2, 3))]
    return "\n".join(line.rstrip() for line in lines)


def error_row(analysis: MatchAnalysis, decision: Judged, lang: str) -> list[str]:
    record = analysis.record
    roll = "{}{}".format(*decision.action.dice) if decision.action.dice else ""
    name = names_of(record)[decision.player]
    unit = "mwc" if record.length else "points"
    return [f"{decision.game + 1}.{decision.number + 1}", name,
            f"{roll + ': ' if roll else ''}{action_word(decision, decision.done, lang)}",
            f"→ {action_word(decision, decision.best, lang)}", f"{-(decision.lost or 0.0):.3f}",
            cost(-(decision.cost or 0.0), unit)]


def action_word(decision: Judged, text: str, lang: str) -> str:
    """A play as text, a cube action as a word; a resignation with its points."""
    if decision.is_resignation and text != "play_on":
        return f"{word(text, lang)} ({decision.action.points * decision.position.cube})"
    if decision.is_cube or decision.is_resignation:
        return word(text, lang)
    return text or word("dance", lang)
