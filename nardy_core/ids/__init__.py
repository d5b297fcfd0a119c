"""Positions as text: recognising a form, reading it, writing it.

All but the bare boards carry the absolute player on roll, dice, cube, score, match length and
whether it is the Crawford game. Besides that:

| form | game | carries |
|---|---|---|
| "gnu" | backgammon | `PositionID:MatchID`: Jacoby, all offers, resignation up to 3 points |
| "gnu-position" | backgammon | the board alone |
| "gnu-match" | backgammon | everything in "gnu" but the board; not readable alone |
| "xgid" | backgammon | Jacoby, beavers, all offers, cube limit (2^10 stands for none) |
| "ogid" | backgammon | a plain double, checkers a side, that no cube is in play |
| "fibs", "fibs-gnubg" | backgammon | a plain double, checkers a side |
| "ndid" | long nardy | Jacoby, beavers, all offers, cube limit, rule options |
| "ln" | long nardy | the board, and the rules where they are not the default's |
| "text" | both | everything |

Also read: `start`, `start:NAME`, `start:NAME:RULES` (a rule set of `nardy_core.rules`, as in
`start:long_nardy:federation`), and lines like `white=24:13,18:2 black=24:15 turn=W dice=3,1`.
What a form does not carry is dropped and comes back as the default of `Position`; a value that
the form has a place for but cannot hold (a beaver in a FIBS board, a cube of 2^16 in a match id)
is an error. The original cube owner of a beavered cube is not in a match id: a cube that was 1 is
read as centred before the double, a higher one as the doubler's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from nardy_core.checks import one_of, shown
from nardy_core.ids import fibs, gnu, ndid, ogid, text, xgid

if TYPE_CHECKING:
    from nardy_core.position import Position

MAX_LENGTH = 1024  # of an id
MAX_TEXT = 32768  # of text that an id is to be found in (strict=False)

_WRITERS: dict[str, tuple[tuple[str, ...], Callable[[Position], str]]] = {
    "gnu": (("backgammon",), gnu.write),
    "gnu-position": (("backgammon",), gnu.write_position),
    "gnu-match": (("backgammon",), gnu.write_match),
    "xgid": (("backgammon",), xgid.write),
    "ogid": (("backgammon",), ogid.write),
    "fibs": (("backgammon",), fibs.write_plain),
    "fibs-gnubg": (("backgammon",), fibs.write_gnubg),
    "ndid": (("long_nardy",), ndid.write),
    "ln": (("long_nardy",), ndid.write_board),
    "text": (("backgammon", "long_nardy"), text.write),
}
FORMS = tuple(_WRITERS)


def write(position: Position, form: str | None = None) -> str:
    """The position in a form of `FORMS` (None: "xgid" or "ndid", by game)."""
    if form is None:
        form = "xgid" if position.game == "backgammon" else "ndid"
    one_of("id", form, _WRITERS)
    games, writer = _WRITERS[form]
    if position.game not in games:
        fit = ", ".join(f for f in FORMS if position.game in _WRITERS[f][0])
        raise ValueError(f"id: {form} cannot hold {position.game}, use {fit}")
    return writer(position)


def parse(
    source: str, *, strict: bool = True, dialect: str | None = None, checkers: int | None = None
) -> Position:
    """Read a position in any form above; see `Position.parse`.

    source : the text
    dialect : "fibs" or "fibs-gnubg", None = guess (see `nardy_core.ids.fibs`)
    checkers : a side, for forms that do not say; None = 15
    """
    if not isinstance(source, str):
        raise ValueError(f"position: expected text, got {type(source).__name__}")
    limit = MAX_LENGTH if strict else MAX_TEXT
    if len(source) > limit:
        raise ValueError(f"position: {len(source)} characters, more than {limit}")
    if dialect not in (None, "fibs", "fibs-gnubg"):
        raise ValueError(f"dialect: {shown(dialect)} is not fibs or fibs-gnubg")
    found = source.strip()
    if not strict:
        found = _locate(found)
    if not found:
        raise ValueError("position: empty text")
    if not found.isascii():
        bad = next(c for c in found if not c.isascii())
        raise ValueError(f"position: non-ASCII character {ascii(bad)} in {shown(found)}")

    head = found[:6].lower()
    if head.startswith("start"):
        return _start(found)
    if head.startswith("xgid="):
        return xgid.read(found, strict, checkers)
    if head.startswith("ogid=") or ogid.SHAPE.match(found):
        return ogid.read(found, strict, checkers)
    if head.startswith("board:"):
        return fibs.read(found, strict, dialect)
    if head.startswith("ndid="):
        return ndid.read(found, strict)
    if head.startswith("ln:"):
        return ndid.read_board(found)
    if text.SHAPE.match(found):
        return text.read(found, strict)
    if gnu.SHAPE.fullmatch(found):
        return gnu.read(found, strict, checkers)
    if xgid.SHAPE.match(found):
        if strict:
            raise ValueError(f"XGID: the prefix XGID= is missing in {shown(found)}")
        return xgid.read(found, strict, checkers)
    if gnu.NEARLY.fullmatch(found):
        board, _, match = found.partition(":")
        name, size, part = ("match", 12, match) if len(board) == 14 else ("position", 14, board)
        raise ValueError(f"GNU {name} id: {len(part)} characters, not {size}, in {shown(found)}")
    raise ValueError(f"position: {shown(found)} is in no known form")


def _start(found: str) -> Position:
    from nardy_core import rules
    from nardy_core.position import Position

    words = found[5:].split(":")
    if words[0] or len(words) > 3 or words[2:] == [""]:
        raise ValueError(f"position: {shown(found)} is not start, start:NAME or start:NAME:RULES")
    start = Position.start((words[1] if len(words) > 1 else "") or "backgammon")
    return rules.under(start, words[2]) if len(words) == 3 else start


# Where an id sits in pasted text, most telling form first. A position id and a match id may be
# labelled and apart, as gnubg and BGBlitz print them.
_RULES = r"(?:[-\w=,]|\([\d,-]*\))*"
_IN_TEXT = (
    re.compile(r"XGID=[-A-Za-z]{26}(?::[-\w]*){0,9}", re.ASCII | re.IGNORECASE),
    re.compile(rf"NDID=[-A-Oa-o]{{24}}(?::{_RULES}){{0,10}}", re.ASCII | re.IGNORECASE),
    re.compile(r"OGID=[\w:?]+", re.ASCII | re.IGNORECASE),
    re.compile(r"board:[^:\n]*:[^:\n]*(?::[-\d]+){50}", re.ASCII | re.IGNORECASE),
    re.compile(rf"\bLN:[A-Za-z0-9+/]{{14}}(?![A-Za-z0-9+/])(?::(?=\w+=){_RULES})?", re.ASCII),
    re.compile(r"(?<![-A-Pa-p])[-A-Pa-p]{26}(?::[-\w]*){1,9}", re.ASCII),
)
_GNU_LABELS = re.compile(
    r"Position[ -]ID\s*:\s*([A-Za-z0-9+/]{14})(?![A-Za-z0-9+/])"
    r"(?:\s+Match[ -]ID\s*:\s*([A-Za-z0-9+/]{12})(?![A-Za-z0-9+/]))?",
    re.ASCII,
)
_GNU_BARE = re.compile(
    r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{14}:[A-Za-z0-9+/]{12}(?![A-Za-z0-9+/])", re.ASCII
)


def _locate(source: str) -> str:
    for pattern in _IN_TEXT:
        found = pattern.search(source)
        if found:
            return found.group()
    found = _GNU_LABELS.search(source)
    if found:
        return ":".join(part for part in found.groups() if part)
    found = _GNU_BARE.search(source)
    return found.group() if found else source.strip(" \t\r\n\"'`<>()[]")
