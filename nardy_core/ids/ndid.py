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

from nardy_core.ids import gnu
from nardy_core.ids._read import (
    by_player,
    check_board,
    cube_value,
    field_tokens,
    log2,
    no_resignation,
    number,
    place,
    read_list,
    shown,
    two_dice,
)
from nardy_core.position import BY_GAME, MAX_SCORE, Position, across, fill

_GAME = "long_nardy"
_OFFERS = {"D": "doubled", "B": "beavered", "R": "raccooned"}
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
    no_resignation("NDID", position)
    (black, white), scores, owner = by_player(position)
    cells = ["-"] * 25
    for point in range(1, 25):
        if white[point]:
            cells[point] = chr(ord("A") + white[point] - 1)
        if black[point]:
            cells[across(_GAME, point)] = chr(ord("a") + black[point] - 1)
    if position.offer != "none":
        dice = next(letter for letter, name in _OFFERS.items() if name == position.offer)
    else:
        dice = "{}{}".format(*(position.dice or (0, 0)))
    fields = [
        "".join(cells[1:]),
        log2(position.cube),
        0 if owner is None else 2 * owner - 1,
        2 * position.turn - 1,
        dice,
        scores[1],
        scores[0],
        int(position.crawford or position.jacoby + 2 * position.beavers),
        position.match_length,
        "-" if position.max_cube is None else log2(position.max_cube),
    ]
    if position.rules:
        fields.append(",".join(position.rules.tokens()))
    return "NDID=" + ":".join(map(str, fields))


def read(text: str, strict: bool) -> Position:
    fields = text[5:].split(":")
    if len(fields) > 11 or (strict and len(fields) < 10):
        raise ValueError(f"NDID: {len(fields)} fields instead of 10 or 11 in {shown(text)}")
    fields += _DEFAULTS[len(fields) :]
    if not strict:
        fields = [f or d for f, d in zip(fields, _DEFAULTS, strict=True)]
    told, rules = read_list("NDID field 11 (rules)", _GAME, fields[10])
    black, white = _read_ring(fields[0], rules.get("last_roll") == "equalize")
    owner = number("NDID field 3 (cube owner)", fields[2], -1, 1)
    turn = number("NDID field 4 (turn)", fields[3], -1, 1)
    if turn == 0:
        raise ValueError("NDID field 4 (turn): 0 is neither 1 nor -1")
    offer = _OFFERS.get(fields[4], "none")
    dice = None
    if offer == "none" and fields[4] != "00":
        dice = two_dice("NDID field 5 (dice)", fields[4])
    limit: int | None = BY_GAME  # not said, which only a forgiving reader takes
    if fields[9] == "-":
        limit = None
    elif fields[9] or strict:
        limit = cube_value("NDID field 10 (cube limit)", fields[9])
    length = number("NDID field 9 (match length)", fields[8], 0, MAX_SCORE)
    special = number("NDID field 8 (Crawford, money rules)", fields[7], 0,
                     1 if length and strict else 3)
    told = {"jacoby": not length and bool(special & 1),
            "beavers": not length and bool(special & 2), "max_cube": limit, **told}
    return place(
        "NDID",
        _GAME,
        (black, white),
        int(turn == 1),
        (
            number("NDID field 7 (score)", fields[6], 0, MAX_SCORE),
            number("NDID field 6 (score)", fields[5], 0, MAX_SCORE),
        ),
        None if owner == 0 else int(owner == 1),
        strict=strict,
        dice=dice,
        offer=offer,
        cube=cube_value("NDID field 2 (cube)", fields[1]),
        crawford=bool(length and special & 1),
        match_length=length,
        rules=rules,
        **told,
    )


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
