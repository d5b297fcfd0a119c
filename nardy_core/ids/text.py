"""The readable form: one line that holds everything, for both games.

    x=24:2,13:5,8:3,6:5 o=24:2,13:5,8:3,6:5 turn=x dice=31
    w=24:14,4:1 b=24:15 turn=b cube=2:w score=3-1/7 wall_check=turn

`x` and `o` are the sides of backgammon, `w` and `b` those of long nardy; x and w are turn 1. Each
side is counted in its own numbers, `point:count`, high points first, `bar` for the bar; checkers
not named are borne off (`off:n` may say so). Then, when they differ from the default:

| token | meaning |
|---|---|
| `dice=31` | roll |
| `cube=4:x` | cube, and its owner |
| `offer=doubled` | also `beavered`, `raccooned` |
| `resign=1` | points at which a resignation is offered |
| `score=3-1/7` | points of x or w, of o or b, and the match length; `score=3-1` for money |
| `crawford` | this is the Crawford game |
| `jacoby=off`, `beavers=off` | money rules; off in long nardy unless `on` |
| `maxcube=64` | highest cube, 1 = no cube, `none` = no limit; long nardy has no cube unless told |
| `rules=federation` | a rule set by name; read only, rules are written out one by one |
| `checkers=3` | checkers a side |
| `name=value` | rule option |

Read as well: `white`, `black` for w, b; `dice=3,1`; `white-off=2`, `black-off=2`; `first`; rule
options by their other names, with `resign=1` an offer and `resign=position` a rule, `cube=2:w` a
cube and `cube=on` a rule.
"""

from __future__ import annotations

import re
from typing import Any

from nardy_core.checks import shown
from nardy_core.counts import fill
from nardy_core.ids._read import (
    by_player,
    check_board,
    field_tokens,
    number,
    place,
    two_dice,
)
from nardy_core.options import RULE_FIELDS, read_rule, rule_name
from nardy_core.position import (
    BY_GAME,
    MAX_CUBE_LOG2,
    MAX_SCORE,
    OFFERS,
    USUAL,
    Position,
)
from nardy_core.rules import preset

SHAPE = re.compile(r"(?:x|o|w|b|white|black)=", re.ASCII | re.IGNORECASE)

_LETTERS = {"backgammon": ("o", "x"), "long_nardy": ("b", "w")}  # turn 0, turn 1
_ALIASES = {"white": "w", "black": "b", "white-off": "w-off", "black-off": "b-off"}
_SCORE = re.compile(r"([0-9]{1,5})-([0-9]{1,5})(?:/([0-9]{1,5}))?", re.ASCII)
_DIGITS = re.compile(r"[0-9]{1,77}", re.ASCII)  # enough for 2^255


def write(position: Position) -> str:
    counts, scores, owner = by_player(position)
    letters = _LETTERS[position.game]
    tokens = [f"{letters[p]}={_side(counts[p])}" for p in (1, 0)]
    tokens.append(f"turn={letters[position.turn]}")
    if position.dice:
        tokens.append("dice={}{}".format(*position.dice))
    if position.cube != 1 or owner is not None:
        tokens.append(f"cube={position.cube}" + ("" if owner is None else f":{letters[owner]}"))
    if position.offer != "none":
        tokens.append(f"offer={position.offer}")
    if position.resigned:
        tokens.append(f"resign={position.resigned}")
    if position.match_length or any(scores):
        length = f"/{position.match_length}" if position.match_length else ""
        tokens.append(f"score={scores[1]}-{scores[0]}{length}")
    if position.crawford:
        tokens.append("crawford")
    tokens += field_tokens(
        position, position.with_(max_cube=BY_GAME, jacoby=USUAL, beavers=USUAL))
    if position.checkers != 15:
        tokens.append(f"checkers={position.checkers}")
    return " ".join(tokens + position.rules.tokens())


def _side(counts: tuple[int, ...]) -> str:
    return ",".join(f"{'bar' if n == 25 else n}:{counts[n]}" for n in range(25, 0, -1) if counts[n])


def read(text: str, strict: bool) -> Position:
    tokens = _tokens(text)
    game = "backgammon" if "x" in tokens or "o" in tokens else "long_nardy"
    zero, one = letters = _LETTERS[game]
    size = number("text, checkers", tokens.pop("checkers", "15"), 1, 15)
    sides = []
    for letter in letters:
        if letter not in tokens:
            raise ValueError(f"text: no checkers of {letter} in {shown(text)}")
        off = tokens.pop(f"{letter}-off", None)
        sides.append(_counts(letter, tokens.pop(letter), off, size))
    turn = tokens.pop("turn", None if strict else one)
    if (
        turn is None
        or turn[:1].lower() not in letters
        or turn.lower() not in (*letters, "white", "black")
    ):
        raise ValueError(f"text: turn is {shown(turn)}, not {one} or {zero}")
    player = letters.index(turn[:1].lower())
    if "first" in tokens:
        tokens.pop("first")
        if game != "long_nardy" or sides[player][24] != 15:
            raise ValueError("text: first, but the head does not hold all 15 checkers")
    dice = tokens.pop("dice", None)
    cube, _, owner = tokens.pop("cube", "1").partition(":")
    if owner and owner.lower() not in letters:
        raise ValueError(f"text: cube owner {shown(owner)} is not {one} or {zero}")
    offer = tokens.pop("offer", "none")
    if offer not in OFFERS:
        raise ValueError(f"text: offer {shown(offer)} is not one of {', '.join(OFFERS)}")
    score = _SCORE.fullmatch(tokens.pop("score", "0-0"))
    if not score:
        raise ValueError("text: score is not A-B or A-B/LENGTH")
    fields: dict[str, Any] = {
        "dice": two_dice("text, dice", dice.replace(",", "")) if dice is not None else None,
        "cube": _power("cube", cube),
        "offer": offer,
        "resigned": number("text, resign", tokens.pop("resign", "0"), 0, MAX_SCORE),
        "match_length": number("text, match length", score[3] or "0", 0, MAX_SCORE),
        "crawford": _flag("crawford", tokens.pop("crawford", "off")),
        "checkers": size,
    }
    rules = _rules(game, tokens)
    fields |= {name: rules.pop(name) for name in RULE_FIELDS if name in rules}
    check_board("text", game, sides[1], sides[0], size, (one, zero),
                drawn=rules.get("last_roll") == "equalize")
    points = tuple(number("text, score", score[k], 0, MAX_SCORE) for k in (2, 1))
    return place(
        "text",
        game,
        (sides[0], sides[1]),
        player,
        (points[0], points[1]),
        letters.index(owner.lower()) if owner else None,
        strict=strict,
        rules=rules,
        **fields,
    )


def _rules(game: str, tokens: dict[str, str]) -> dict[str, Any]:
    """What is left of the tokens: a rule set, and rules that win over it."""
    named = preset(game, tokens.pop("rules")) if "rules" in tokens else {}
    rules: dict[str, Any] = {}
    for other, word in tokens.items():
        if rule_name(game, other) is None:
            raise ValueError(f"text: unknown token {shown(other)}")
        name, value = read_rule(game, other, word)
        if name in rules:
            raise ValueError(f"text: {name} twice")
        rules[name] = value
    return named | rules


def _tokens(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for token in text.split():
        key, equals, value = token.partition("=")
        key = key.lower()
        key = _ALIASES.get(key, key)
        if not equals and key not in ("first", "crawford"):
            raise ValueError(f"text: {shown(token)} is not name=value")
        if key == "resign" and not value.isdigit():
            key = "resignation"
        if key == "cube" and value.lower() in ("on", "off"):
            key, value = "maxcube", "none" if value.lower() == "on" else "1"
        if key in found:
            raise ValueError(f"text: {shown(key)} twice")
        found[key] = value if equals else "on"
    return found


def _counts(name: str, text: str, off: str | None, checkers: int) -> tuple[int, ...]:
    where = f"text, side {name}"
    counts: dict[int, int] = {}
    for entry in text.split(",") if text else ():
        point, colon, count = entry.partition(":")
        if not colon:
            raise ValueError(f"{where}: {shown(entry)} is not point:count")
        if point.lower() == "off" and off is None:
            off = count
            continue
        slot = 25 if point.lower() == "bar" else number(where, point, 1, 25)
        if slot in counts:
            raise ValueError(f"{where}: point {slot} twice")
        counts[slot] = number(where, count, 1, 99)
    side = fill(counts, checkers)
    if off is not None and number(f"{where}, off", off, 0, 15) != side[0]:
        raise ValueError(f"{where}: {sum(side[1:])} checkers and {off} off do not make {checkers}")
    return side


def _power(name: str, text: str) -> int:
    if not _DIGITS.fullmatch(text) or int(text) > 1 << MAX_CUBE_LOG2:
        raise ValueError(f"text: {name} is {shown(text)}, not a cube value")
    return int(text)


def _flag(name: str, text: str) -> bool:
    if text not in ("on", "off"):
        raise ValueError(f"text: {name} is {shown(text)}, not on or off")
    return text == "on"
