"""OGID, the position id of OpenGammon.

Fields between colons: White's checkers, Black's checkers (one character a checker, sorted: 0..9,
a..p for places 0..25, q for borne off; White walks from 1 to 24 and has place 0 for a bar, Black
from 24 to 1 with 25 for a bar); cube as owner (W, B, N nobody, D dead), power of 2 and action
(N none, O offered, T taken, P passed); dice, lower first; colour of the player who ACTED last, so
the other is on roll, save with a double pending, where it is the doubler; state (IW, IB before the
opening roll of White, Black; C cube decision, D doubled, R rolled, G over); score of White, of
Black; match length with C in the Crawford game, L after it; number of the move; checkers a side
if not 15. White is turn 0, Black is turn 1.
"""

from __future__ import annotations

import re

from nardy_core.checks import shown
from nardy_core.counts import fill
from nardy_core.ids._read import (
    by_player,
    check_board,
    cube_value,
    log2,
    no_beaver,
    no_resignation,
    number,
    place,
    two_dice,
)
from nardy_core.position import MAX_SCORE, Position

SHAPE = re.compile(r"[0-9a-q]*:[0-9a-q]*:[WBND?][0-9]+[NOTP](?::|$)", re.ASCII)

_PLACES = "0123456789abcdefghijklmnopq"
_OFF = 26
_CUBE = re.compile(r"([WBND?])([0-9]{1,3})([NOTP])", re.ASCII)
_LENGTH = re.compile(r"([0-9]{1,5})([CLG]?)([0-9]{0,5})", re.ASCII)
_DEFAULTS = ("", "", "N0N", "", "W", "", "0", "0", "0", "0", "15")


def write(position: Position) -> str:
    no_beaver("OGID", position)
    no_resignation("OGID", position)
    (white, black), scores, owner = by_player(position)
    doubled = position.offer == "doubled"
    letter = "D" if position.max_cube == 1 else "N" if owner is None else "WB"[owner]
    acted = position.turn if doubled else 1 - position.turn
    state = "G" if position.finished else "D" if doubled else "R" if position.dice else "C"
    suffix = ""
    if position.crawford:
        suffix = "C"
    elif position.match_length and position.match_length - 1 in scores:
        suffix = "L"
    fields = [
        "".join(_PLACES[25 - n] * white[n] for n in range(25, 0, -1)),
        "".join(_PLACES[n] * black[n] for n in range(1, 26)),
        f"{letter}{log2(position.cube)}{'O' if doubled else 'N'}",
        "{1}{0}".format(*position.dice) if position.dice else "",
        "WB"[acted],
        state,
        str(scores[0]),
        str(scores[1]),
        f"{position.match_length}{suffix}",
        "0",
    ]
    if position.checkers != 15:
        fields.append(str(position.checkers))
    return ":".join(fields)


def read(text: str, strict: bool, checkers: int | None) -> Position:
    fields = (text[5:] if text[:5].upper() == "OGID=" else text).split(":")
    least = 5 if strict else 3
    if not least <= len(fields) <= 11:
        raise ValueError(f"OGID: {len(fields)} fields instead of {least} to 11 in {shown(text)}")
    fields += _DEFAULTS[len(fields) :]
    if not strict:
        fields = [f or d for f, d in zip(fields, _DEFAULTS, strict=True)]
    size = checkers or number("OGID field 11 (checkers)", fields[10], 1, 15)
    white = fill({25 - n: c for n, c in _places("OGID field 1", fields[0]).items()}, size)
    black = fill(_places("OGID field 2", fields[1]), size)
    check_board("OGID", "backgammon", white, black, size, ("White", "Black"))

    cube = _CUBE.fullmatch(fields[2])
    if not cube:
        raise ValueError(f"OGID field 3 (cube): {shown(fields[2])}")
    letter, power, action = cube.groups()
    if action == "P":
        raise ValueError("OGID field 3 (cube): a double was passed, the game is over")
    if fields[4] not in ("W", "B"):
        raise ValueError(f"OGID field 5 (colour): {shown(fields[4])} is neither W nor B")
    length = _LENGTH.fullmatch(fields[8])
    if not length:
        raise ValueError(f"OGID field 9 (match length): {shown(fields[8])}")
    dice = two_dice("OGID field 4 (dice)", fields[3]) if fields[3] else None
    acted = "WB".index(fields[4])
    turn = acted if action == "O" else 1 - acted
    if fields[5] in ("IW", "IB") and dice is None:
        turn = "WB".index(fields[5][1])
    value = cube_value("OGID field 3 (cube)", power)
    return place(
        "OGID",
        "backgammon",
        (white, black),
        turn,
        (
            number("OGID field 7 (score)", fields[6], 0, MAX_SCORE),
            number("OGID field 8 (score)", fields[7], 0, MAX_SCORE),
        ),
        "WB".index(letter) if letter in "WB" else None,
        strict=strict,
        dice=dice,
        cube=value,
        offer="doubled" if action == "O" else "none",
        match_length=number("OGID field 9 (match length)", length[1], 0, MAX_SCORE),
        crawford=length[2] == "C",
        max_cube=value if letter == "D" else None,
        checkers=size,
    )


def _places(where: str, text: str) -> dict[int, int]:
    counts: dict[int, int] = {}
    bar = 0 if where.endswith("1") else 25
    for letter in text:
        place_ = _PLACES.find(letter)
        if place_ < 0 or place_ == 25 - bar:
            raise ValueError(f"{where}: {shown(letter)} is no place for this side's checkers")
        if place_ != _OFF:
            counts[place_] = counts.get(place_, 0) + 1
    return counts
