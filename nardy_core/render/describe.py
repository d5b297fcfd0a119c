"""A position in words, for screen readers and plain logs, in English, Russian and Ukrainian."""

from __future__ import annotations

from collections.abc import Sequence

from nardy_core.position import Position
from nardy_core.render.view import BAR, OFF, View, view_of
from nardy_core.terms import term


def describe(position: Position, *, names: Sequence[str] | None = None, lang: str = "en") -> str:
    """The whole position in a few sentences: each side's checkers in its own numbers, pips, cube,
    score. `names` are those of players 0 and 1. Raises ValueError for an unknown `lang`.
    """
    return description(view_of(position, None, names, lang))


def headline(view: View) -> str:
    """ "Long nardy. On roll: White, 3-1"."""
    turn = term("on_roll", view.lang, name=view.names[view.mover])
    if view.dice:
        turn += f", {view.dice[0]}-{view.dice[1]}"
    return f"{term(view.variant, view.lang)}. {'; '.join([turn, *offers(view)])}"


def offers(view: View) -> list[str]:
    """The offers pending, in words."""
    words = []
    if view.offered:
        words.append(term("cube_offered", view.lang, value=view.offered))
    if view.resigned:
        player, points = view.resigned
        words.append(term("resigns", view.lang, name=view.names[player], points=points))
    return words


def description(view: View) -> str:
    """`headline`, then one sentence a side, then cube, match and score."""
    sentences = [headline(view), _side(view, view.mover), _side(view, 1 - view.mover)]
    if view.cube_shown:
        sentences.append(cube_words(view))
    sentences.append(view.match_words())
    if view.match_length:
        names, scores = view.names, view.scores
        pairs = ", ".join(f"{names[player]} {scores[player]}" for player in (1, 0))
        sentences.append(f"{term('score', view.lang)}: {pairs}")
    return ". ".join(text[0].upper() + text[1:] for text in sentences if text) + "."


def cube_words(view: View) -> str:
    """ "cube 2, owner: White" or "cube 1 in the centre"."""
    if view.cube_owner is None:
        return term("cube_centre", view.lang, value=view.cube)
    name = view.names[view.cube_owner]
    return term("cube_owned", view.lang, value=view.cube, name=name)


def _side(view: View, player: int) -> str:
    counts, lang = view.counts[player], view.lang
    parts = []
    if counts[BAR]:
        parts.append(term("n_on_bar", lang, count=counts[BAR]))
    for number in range(24, OFF, -1):
        if counts[number]:
            parts.append(term("n_on_point", lang, count=counts[number], point=number))
    if counts[OFF]:
        parts.append(term("n_off", lang, count=counts[OFF]))
    where = ", ".join(parts) or term("no_checkers", lang)
    own = term("own_points", lang)
    return f"{view.names[player]} ({own}): {where}; {term('pips', lang)}: {view.pips(player)}"
