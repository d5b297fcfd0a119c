"""Ids of long nardy: `NDID=` with everything, `LN:` with the board alone.

NDID has the shape of an XGID. `NDID=` and ten fields between colons: 24 characters, the points
1..24 of the ring in White's numbers (A..O = 1..15 white checkers, a..o black ones, `-` none;
missing checkers are borne off); cube as a power of 2; its owner (1 White, 0 centre, -1 Black);
turn (1, -1); dice (`00` none yet, `D` doubled, `B` beavered, `R` raccooned, or two digits); score
of White, of Black; in a match 1 = Crawford game, in a money session 1 = Jacoby plus 2 = beavers;
match length (0 = money); highest cube as a power of 2 (0 = no cube, `-` = no limit). An eleventh
field holds rule options that differ from the default, `name=value` joined by commas; rules that
have a field of their own may be named there, too, and win.
Start, White to roll: `NDID=-----------o-----------O:0:0:1:00:0:0:0:0:0`.

LN is built like a GNU position id: the side not on roll, then the side on roll, each in its own
numbers from 1 to 24, a one for every checker and a zero after each point: 78 bits, padded to 80,
low bit first, base64 without padding. Nothing about the first turn has to be stored: it is the one
with 15 checkers on the head. Under other rules than the default's a colon follows and what differs,
as in NDID's eleventh field: `LN:AACA/z8AAMD/Hw:maxcube=none,wall_rule=never`. Score, dice and where
the cube stands are not in it.

White is turn 1, Black is turn 0.
"""

from __future__ import annotations

import re

from nardy_core.checks import shown
from nardy_core.counts import across, fill
from nardy_core.ids import gnu
from nardy_core.ids._read import (
    by_player,
    check_board,
    cube_value,
    field_tokens,
    log2,
    place,
    read_list,
)
from nardy_core.ids._xg_fields import read_fields, write_fields
from nardy_core.position import BY_GAME, Position

_GAME = "long_nardy"
_DEFAULTS = ("", "0", "0", "1", "00", "0", "0", "0", "0", "", "")
_LN = re.compile(r"ln:([A-Za-z0-9+/]{14})(?::(.+))?", re.ASCII | re.IGNORECASE)


def write_board(position: Position) -> str:
    """`LN:` and 14 characters, the board; with a colon, rules that differ from the default."""
    number_ = gnu.unary((position.opp[1:25], position.own[1:25]))
    usual = Position(_GAME, position.own, position.opp, rules=position.rules)
    rules = field_tokens(position, usual) + position.rules.tokens()
    return ":".join(["LN", gnu.encode(number_, 10), *([",".join(rules)] if rules else [])])


def read_board(text: str) -> Position:
    found = _LN.fullmatch(text)
    if not found:
        raise ValueError(f"LN: {shown(text)} is not LN:, 14 base64 characters and, after a colon, "
                         "rules")
    fields, rules = read_list("LN", _GAME, found[2] or "")
    counts = gnu.from_unary("LN", gnu.decode("LN", found[1]), 2, 24)
    opp, own = (fill(dict(enumerate(side, 1)), 15) for side in counts)
    check_board("LN", _GAME, own, opp, 15, ("the side on roll", "the other side"),
                drawn=rules.get("last_roll") == "equalize")
    return place("LN", _GAME, (opp, own), 1, rules=rules, **fields)


def write(position: Position) -> str:
    fields = write_fields("NDID", position)
    (black, white), _, _ = by_player(position)
    cells = ["-"] * 25
    for point in range(1, 25):
        if white[point]:
            cells[point] = chr(ord("A") + white[point] - 1)
        if black[point]:
            cells[across(_GAME, point)] = chr(ord("a") + black[point] - 1)
    limit = "-" if position.max_cube is None else log2(position.max_cube)
    rules = [",".join(position.rules.tokens())] if position.rules else []
    return "NDID=" + ":".join(map(str, ["".join(cells[1:]), *fields, limit, *rules]))


def read(text: str, strict: bool) -> Position:
    fields = text[5:].split(":")
    if len(fields) > 11 or (strict and len(fields) < 10):
        raise ValueError(f"NDID: {len(fields)} fields instead of 10 or 11 in {shown(text)}")
    fields += _DEFAULTS[len(fields) :]
    if not strict:
        fields = [f or d for f, d in zip(fields, _DEFAULTS, strict=True)]
    named, rules = read_list("NDID field 11 (rules)", _GAME, fields[10])
    players = _read_ring(fields[0], rules.get("last_roll") == "equalize")
    told = read_fields("NDID", fields, strict)
    limit: int | None = BY_GAME  # not said, which only a forgiving reader takes
    if fields[9] == "-":
        limit = None
    elif fields[9] or strict:
        limit = cube_value("NDID field 10 (cube limit)", fields[9])
    return place("NDID", _GAME, players, rules=rules, **{**told, "max_cube": limit, **named})


def _read_ring(cells: str, drawn: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    where = "NDID field 1"
    if len(cells) != 24:
        raise ValueError(f"{where}: {len(cells)} characters instead of 24")
    white: dict[int, int] = {}
    black: dict[int, int] = {}
    for point, cell in enumerate(cells, 1):
        if "A" <= cell <= "O":
            white[point] = ord(cell) - ord("A") + 1
        elif "a" <= cell <= "o":
            black[across(_GAME, point)] = ord(cell) - ord("a") + 1
        elif cell != "-":
            raise ValueError(f"{where}: {shown(cell)} on point {point}")
    sides = fill(black, 15), fill(white, 15)
    check_board(where, _GAME, sides[1], sides[0], 15, ("White", "Black"), drawn=drawn)
    return sides
