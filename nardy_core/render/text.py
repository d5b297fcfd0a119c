"""The board in letters, in the layout known from gnubg's terminal.

X is player 1 (White of long nardy), O is player 0 (Black); five checkers of a stack are drawn, a
higher count stands as a number on the innermost line. The cube lies left of the board: at the top,
in the middle or at the bottom.
"""

from __future__ import annotations

from collections.abc import Sequence

from nardy_core.position import Position
from nardy_core.render.describe import offers
from nardy_core.render.view import BAR, OFF, View, view_of
from nardy_core.terms import term

LETTERS = "OX"  # of players 0 and 1
ROWS = 5  # checkers drawn of a stack


def board_text(
    position: Position,
    *,
    perspective: int | None = None,
    unicode: bool = True,
    names: Sequence[str] | None = None,
    lang: str = "en",
    ids: Sequence[str] = (),
) -> str:
    """The position as thirteen lines of text (more with `ids`), without a final newline.

    perspective : the player (0 or 1) who sits below, None for the side on roll; point numbers are
        always those of the side on roll
    unicode : False draws the frame in ASCII (words follow `lang`)
    names : of players 0 and 1, instead of Black and White
    lang : "en", "ru" or "uk"
    ids : lines to set above the board

    Raises ValueError for an unknown perspective or language.
    """
    view = view_of(position, perspective, names, lang)
    frame = tuple("─┌┐└┘┬┴│" if unicode else "-++++--|")
    dash, top_left, top_right, low_left, low_right, top_tee, low_tee, wall = frame
    notes = _notes(view, "►" if unicode else ">")
    margin = _margin(view)

    body = [_row(view, True, row, wall) for row in range(ROWS)]
    middle = f"{wall}{'':18}{wall}{'':3}{wall}{'':18}{wall}"
    body.append(f"{'':3}{middle}" if view.is_long else middle)
    body += [_row(view, False, row, wall) for row in reversed(range(ROWS))]

    pad = "   " if view.is_long else ""
    lines = [pad + _border(view, range(13, 25), dash, top_left, top_tee, top_right)]
    lines += body
    lines.append(pad + _border(view, range(12, 0, -1), dash, low_left, low_tee, low_right))
    width = max(len(line) for line in lines)
    lines = [
        f"{left}{line:<{width}}  {note}".rstrip()
        for left, line, note in zip(margin, lines, notes, strict=True)
    ]
    return "\n".join([*ids, *lines])


def _border(view: View, places: range, dash: str, left: str, tee: str, right: str) -> str:
    def half(part: range) -> str:
        return "".join(f"{view.label(place):{dash}>3}" for place in part)[1:] + dash

    bar = tee + dash * 3 + tee
    return f"{left}{half(places[:6])}{bar}{half(places[6:])}{right}"


def _cell(player: int, count: int, row: int) -> str:
    """What stands `row` checkers away from the edge in a stack of `count`."""
    if row == ROWS - 1 and count > ROWS:
        return f"{count:2} "
    return f" {LETTERS[player]} " if row < count else "   "


def _row(view: View, upper: bool, row: int, wall: str) -> str:
    player = view.top if upper else view.bottom
    places = range(13, 25) if upper else range(12, 0, -1)
    cells = []
    for place in places:
        there = view.on_place(place)
        cells.append(_cell(*there, row) if there else "   ")
    left, right = "".join(cells[:6]), "".join(cells[6:])
    bar = _cell(player, view.counts[player][BAR], row)
    off = _cell(player, view.counts[player][OFF], row)
    if not view.is_long:
        return f"{wall}{left}{wall}{bar}{wall}{right}{wall}{off}"
    # on the ring of long nardy the two sides leave at opposite corners
    before, after = (off, "   ") if upper else ("   ", off)
    return f"{before}{wall}{left}{wall}{bar}{wall}{right}{wall}{after}"


def _margin(view: View) -> list[str]:
    """The thirteen fields left of the board, with the cube in one of them."""
    if not view.cube_shown:
        return [" "] * 13
    cube = f"[{view.cube}]"
    width = max(len(cube), 3) + 2
    fields = [" " * width] * 13
    line = {None: 6, view.top: 1, view.bottom: 11}[view.cube_owner]
    fields[line] = f" {cube} ".ljust(width)
    return fields


def _notes(view: View, arrow: str) -> list[str]:
    """The thirteen notes right of the board: each side's from its edge inwards, match between."""
    notes = [""] * 13
    for player, step, line in ((view.top, 1, 0), (view.bottom, -1, 12)):
        facts = [f"{LETTERS[player]}: {view.names[player]}"]
        facts.append(f"{term('pips', view.lang)} {view.pips(player)}")
        if view.match_length:
            facts.append(f"{term('score', view.lang)} {view.scores[player]}")
        if player == view.mover:
            roll = f"{view.dice[0]}-{view.dice[1]}" if view.dice else None
            word = term("rolled", view.lang, dice=roll) if roll else term("to_roll", view.lang)
            facts.append(f"{arrow} {', '.join(offers(view)) or word}")
        for fact in facts:
            notes[line] = fact
            line += step
    notes[6] = view.match_words()
    return notes
