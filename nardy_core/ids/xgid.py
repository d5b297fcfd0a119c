"""XGID, the position id of eXtreme Gammon.

`XGID=` and ten fields between colons: 26 characters (top player's bar, points 1..24 as the bottom
player sees them, bottom's bar; A..P = 1..16 checkers of the bottom player, a..p of the top, `-`
none); cube as a power of 2; its owner (1 bottom, 0 centre, -1 top); turn (1, -1; with an offer
pending the player who doubled first); dice (`00` none yet, `D` doubled, `B` beavered, `R`
raccooned, or two digits); score of bottom, of top; in a match 1 = Crawford game, in a money session
1 = Jacoby plus 2 = beavers; match length; highest cube as a power of 2 (0 = no cube; 10, which is
what programs write by default, is read and written as no limit). The cube is its value before the
offers pending. The bottom player is turn 1.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from nardy_core.checks import shown
from nardy_core.counts import fill
from nardy_core.ids._read import by_player, check_board, cube_value, log2, place
from nardy_core.ids._xg_fields import read_fields, write_fields
from nardy_core.position import Position

SHAPE = re.compile(r"[-A-Za-z]{26}:", re.ASCII)

_DEFAULTS = ("", "0", "0", "1", "00", "0", "0", "3", "0", "10")
_NO_LIMIT = "10"
_BOTTOM, _TOP = "-ABCDEFGHIJKLMNOP", "-abcdefghijklmnop"  # by number of checkers


def write(position: Position) -> str:
    fields = write_fields("XGID", position)
    (top, bottom), _, _ = by_player(position)
    cells = [_BOTTOM[count] for count in bottom]
    cells[0] = "-"
    for point in range(1, 26):
        if top[point]:
            cells[25 - point] = _TOP[top[point]]
    limit = _NO_LIMIT if position.max_cube is None else log2(position.max_cube)
    return "XGID=" + ":".join(map(str, ["".join(cells), *fields, limit]))


def read(text: str, strict: bool, checkers: int | None) -> Position:
    fields = (text[5:] if text[:5].upper() == "XGID=" else text).split(":")
    if strict and len(fields) != 10:
        raise ValueError(f"XGID: {len(fields)} fields instead of 10 in {shown(text)}")
    if not strict:
        fields = [f or d for f, d in zip_longest(fields[:10], _DEFAULTS)]
    size = 15 if checkers is None else checkers
    players = _read_board(fields[0], size)
    told = read_fields("XGID", fields, strict)
    limit = cube_value("XGID field 10 (cube limit)", fields[9])
    max_cube = None if limit == 1 << int(_NO_LIMIT) else limit
    return place("XGID", "backgammon", players, max_cube=max_cube, checkers=size, **told)


def _read_board(cells: str, checkers: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    where = "XGID field 1"
    if len(cells) != 26:
        raise ValueError(f"{where}: {len(cells)} characters instead of 26")
    bottom: dict[int, int] = {}
    top: dict[int, int] = {}
    for point, cell in enumerate(cells):
        if "A" <= cell <= "P" and point:
            bottom[point] = ord(cell) - ord("A") + 1
        elif "a" <= cell <= "p" and point < 25:
            top[25 - point] = ord(cell) - ord("a") + 1
        elif cell != "-":
            raise ValueError(f"{where}: {shown(cell)} at place {point} is not allowed there")
    sides = fill(top, checkers), fill(bottom, checkers)
    check_board(where, "backgammon", sides[1], sides[0], checkers, ("X", "O"))
    return sides
