"""Fields 2 to 9 of an XGID, which NDID has too: cube, turn, dice, score, rules, match length.

Cube as a power of 2; its owner (1, 0 centre, -1); turn (1, -1); dice (`00` none yet, `D` doubled,
`B` beavered, `R` raccooned, or two digits); score of player 1, of player 0; in a match 1 = Crawford
game, in a money session 1 = Jacoby plus 2 = beavers; match length. Owner and turn are 1 for player
1, who is XGID's bottom player and NDID's White.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nardy_core.ids._read import (
    by_player,
    cube_value,
    log2,
    no_resignation,
    number,
    two_dice,
)
from nardy_core.position import MAX_SCORE, Position

_OFFERS = {"D": "doubled", "B": "beavered", "R": "raccooned"}


def write_fields(form: str, position: Position) -> list[object]:
    """The eight fields; ValueError for what `form` cannot hold."""
    no_resignation(form, position)
    _, scores, owner = by_player(position)
    if position.offer != "none":
        dice = next(letter for letter, name in _OFFERS.items() if name == position.offer)
    else:
        dice = "{}{}".format(*(position.dice or (0, 0)))
    return [
        log2(position.cube),
        0 if owner is None else 2 * owner - 1,
        2 * position.turn - 1,
        dice,
        scores[1],
        scores[0],
        int(position.crawford or position.jacoby + 2 * position.beavers),
        position.match_length,
    ]


def read_fields(form: str, fields: Sequence[str], strict: bool) -> dict[str, Any]:
    """Keywords of `place`, from all fields of an id of that form, the board before them."""
    owner = number(f"{form} field 3 (cube owner)", fields[2], -1, 1)
    turn = number(f"{form} field 4 (turn)", fields[3], -1, 1)
    if turn == 0:
        raise ValueError(f"{form} field 4 (turn): 0 is neither 1 nor -1")
    offer = _OFFERS.get(fields[4], "none")
    dice = None
    if offer == "none" and fields[4] != "00":
        dice = two_dice(f"{form} field 5 (dice)", fields[4])
    length = number(f"{form} field 9 (match length)", fields[8], 0, MAX_SCORE)
    special = number(f"{form} field 8 (Crawford, money rules)", fields[7], 0,
                     1 if length and strict else 3)
    return {
        "turn": int(turn == 1),
        "scores": (number(f"{form} field 7 (score)", fields[6], 0, MAX_SCORE),
                   number(f"{form} field 6 (score)", fields[5], 0, MAX_SCORE)),
        "owner": None if owner == 0 else int(owner == 1),
        "strict": strict,
        "dice": dice,
        "offer": offer,
        "cube": cube_value(f"{form} field 2 (cube)", fields[1]),
        "match_length": length,
        "crawford": bool(length and special & 1),
        "jacoby": bool(not length and special & 1),
        "beavers": bool(not length and special & 2),
    }
