"""GNU Backgammon's position id and match id.

Position id: a string of bits, first the player not on roll, then the player on roll; each in own
numbers, points 1..24 then bar, a one for every checker and a zero after each point; padded to 80
bits. Bytes are filled from the low bit up and written as base64 without padding, 14 characters.

Match id: 72 bits likewise, 12 characters; the fields are listed in `_FIELDS`. Player 1 is turn 1.
With a double pending the match id names both the player on roll (the doubler) and the one who has
to answer; a beaver is a double pending on a cube that the answering side already owns, raised once,
and a raccoon one that is raised twice.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence

from nardy_core.counts import fill
from nardy_core.ids._read import by_player, check_board, log2, place
from nardy_core.position import Position

SHAPE = re.compile(r"[A-Za-z0-9+/]{14}(?::[A-Za-z0-9+/]{12})?", re.ASCII)
# A position id with a character or two too few or too many, or one with such a match id.
NEARLY = re.compile(
    r"[A-Za-z0-9+/]{14}:[A-Za-z0-9+/]{1,20}|(?=\S*[A-Z])(?=\S*[0-9+/a-z])[A-Za-z0-9+/]{11,17}"
    r"(?::[A-Za-z0-9+/]{1,20})?", re.ASCII)  # fmt: skip

_FIELDS = (  # name, bits; the lowest bit first
    ("cube", 4),
    ("owner", 2),
    ("roll", 1),
    ("crawford", 1),
    ("state", 3),
    ("decider", 1),
    ("doubled", 1),
    ("resigned", 2),
    ("die1", 3),
    ("die2", 3),
    ("length", 15),
    ("score0", 15),
    ("score1", 15),
    ("no_jacoby", 1),
    ("spare", 5),
)
_CENTRE = 3
_PLAYING, _OVER = 1, 2


def encode(number: int, size: int) -> str:
    return base64.b64encode(number.to_bytes(size, "little")).decode().rstrip("=")


def decode(what: str, text: str) -> int:
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        raise ValueError(f"{what}: {text} is not base64") from None
    number = int.from_bytes(data, "little")
    if encode(number, len(data)) != text:
        raise ValueError(f"{what}: stray bits at the end of {text}")
    return number


def unary(sides: Sequence[Sequence[int]]) -> int:
    """Counts as ones closed by zeros, the first count in the lowest bits."""
    number = shift = 0
    for counts in sides:
        for count in counts:
            number |= ((1 << count) - 1) << shift
            shift += count + 1
    return number


def from_unary(what: str, number: int, sides: int, points: int) -> list[list[int]]:
    """Inverse of `unary`; ValueError if bits are left over."""
    found = []
    for _ in range(sides):
        counts = []
        for _ in range(points):
            ones = (~number & (number + 1)).bit_length() - 1
            counts.append(ones)
            number >>= ones + 1
        found.append(counts)
    if number:
        raise ValueError(f"{what}: more points than a board has")
    return found


def write_position(position: Position) -> str:
    """14 characters; the board and nothing else."""
    return encode(unary((position.opp[1:], position.own[1:])), 10)


def write_match(position: Position) -> str:
    """12 characters; everything but the board, beavers and the cube limit."""
    _, scores, owner = by_player(position)
    turn = position.turn
    raised = (
        ("beavered", "raccooned").index(position.offer) + 1
        if (position.offer in ("beavered", "raccooned"))
        else 0
    )
    cube = log2(position.cube) + raised
    if cube > 15:
        raise ValueError(f"GNU match id cannot hold a cube of 2^{cube}")
    if position.resigned > 3:
        raise ValueError(f"GNU match id cannot hold a resignation of {position.resigned} points")
    dice = position.dice or (0, 0)
    values = {
        "cube": cube,
        "owner": 1 - turn if raised else _CENTRE if owner is None else owner,
        "roll": turn,
        "crawford": position.crawford,
        "state": _OVER if position.finished else _PLAYING,
        "decider": turn if position.decider == "own" else 1 - turn,
        "doubled": position.offer != "none",
        "resigned": position.resigned,
        "die1": dice[0],
        "die2": dice[1],
        "length": position.match_length,
        "score0": scores[0],
        "score1": scores[1],
        "no_jacoby": not position.jacoby,
    }
    number = shift = 0
    for name, bits in _FIELDS:
        number |= int(values.get(name, 0)) << shift
        shift += bits
    return encode(number, 9)


def write(position: Position) -> str:
    """`PositionID:MatchID`."""
    return f"{write_position(position)}:{write_match(position)}"


def read(text: str, strict: bool, checkers: int | None) -> Position:
    """A position id, alone or with a match id (`SHAPE`)."""
    size = 15 if checkers is None else checkers
    board, _, match = text.partition(":")
    what = "GNU position id"
    counts = from_unary(what, decode(what, board), 2, 25)
    opp, own = (fill(dict(enumerate(side, 1)), size) for side in counts)
    check_board(what, "backgammon", own, opp, size, ("the side on roll", "the other side"))
    if not match:
        return place(what, "backgammon", (opp, own), 1, checkers=size)
    return _read_match(match, own, opp, size, strict)


def _read_match(
    text: str, own: tuple[int, ...], opp: tuple[int, ...], checkers: int, strict: bool
) -> Position:
    what = "GNU match id"
    number = decode(what, text)
    f = {}
    for name, bits in _FIELDS:
        f[name] = number & ((1 << bits) - 1)
        number >>= bits
    if f["spare"]:
        raise ValueError(f"{what}: stray bits at the end of {text}")
    if f["owner"] == 2:
        raise ValueError(f"{what}: cube owner 2 is not 0, 1 or 3")
    if f["state"] > 4:
        raise ValueError(f"{what}: game state {f['state']} is not in 0..4")
    dice = (f["die1"], f["die2"])
    if dice != (0, 0) and not all(1 <= d <= 6 for d in dice):
        raise ValueError(f"{what}: dice {dice[0]} and {dice[1]}")
    turn = f["roll"]
    owner = None if f["owner"] == _CENTRE else f["owner"]
    answers = f["decider"] != bool(f["resigned"])  # who faces the cube, resignation aside
    offer, cube = "none", f["cube"]
    if f["doubled"]:
        offer = "doubled"
        if owner == 1 - turn:
            offer, raised = ("beavered", 1) if answers == turn else ("raccooned", 2)
            cube -= raised
            if cube < 0:
                raise ValueError(f"{what}: a cube of 2^{f['cube']} cannot be {offer}")
            owner = turn if cube else None
        elif strict and answers == turn:
            raise ValueError(f"{what}: the player on roll is to answer his own double")
    elif strict and answers != turn:
        raise ValueError(f"{what}: player {int(answers)} decides while player {turn} is on roll")
    sides = (own, opp) if turn == 0 else (opp, own)
    return place(
        what,
        "backgammon",
        sides,
        turn,
        (f["score0"], f["score1"]),
        owner,
        strict=strict,
        offer=offer,
        cube=1 << cube,
        resigned=f["resigned"],
        dice=None if dice == (0, 0) else dice,
        match_length=f["length"],
        crawford=bool(f["crawford"]),
        jacoby=not f["no_jacoby"],
        checkers=checkers,
    )
