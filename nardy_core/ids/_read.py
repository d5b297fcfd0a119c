"""Small checks shared by the readers."""

from __future__ import annotations

import re
from typing import Any

from nardy_core.checks import shown
from nardy_core.counts import board_error
from nardy_core.options import RULE_FIELDS, read_rules
from nardy_core.position import MAX_CUBE_LOG2, Position

_NUMBER = re.compile(r"[+-]?[0-9]{1,6}", re.ASCII)


def number(where: str, text: str, low: int, high: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{where}: {shown(text)} is not a number")
    value = int(text)
    if not low <= value <= high:
        raise ValueError(f"{where}: {value} is not in {low}..{high}")
    return value


def cube_value(where: str, text: str) -> int:
    """A cube value from its logarithm to base 2."""
    return 1 << number(where, text, 0, MAX_CUBE_LOG2)


def log2(value: int) -> int:
    return value.bit_length() - 1


def two_dice(where: str, text: str) -> tuple[int, int]:
    if len(text) != 2 or not all(c in "123456" for c in text):
        raise ValueError(f"{where}: {shown(text)} is not a roll")
    return int(text[0]), int(text[1])


def check_board(
    where: str,
    game: str,
    first: tuple[int, ...],
    second: tuple[int, ...],
    checkers: int,
    names: tuple[str, str],
    *,
    drawn: bool = False,
) -> None:
    """ValueError in the format's own names for the sides if the board is impossible, as that of
    a draw is but where the rules know one."""
    error = board_error(game, first, second, checkers, names, drawn=drawn)
    if error:
        raise ValueError(f"{where}: {error}")


def place(
    what: str,
    game: str,
    players: tuple[tuple[int, ...], tuple[int, ...]],
    turn: int,
    scores: tuple[int, int] = (0, 0),
    owner: int | None = None,
    *,
    strict: bool = True,
    **fields: Any,
) -> Position:
    """A Position from facts about absolute players 0 and 1; `owner` None = cube in the centre.

    strict=False drops a Crawford flag and a cube limit that contradict the rest.
    """
    if not strict:
        length = fields.get("match_length", 0)
        cube, offered = fields.get("cube", 1), fields.get("offer", "none") != "none"
        if not length or length - 1 not in scores or cube != 1 or owner is not None:
            fields["crawford"] = False
        limit = fields.get("max_cube")
        if limit and limit < (2 * cube if offered else cube):
            fields["max_cube"] = None
    try:
        return Position(
            game,
            players[turn],
            players[1 - turn],
            turn=turn,
            score_own=scores[turn],
            score_opp=scores[1 - turn],
            cube_owner="centre" if owner is None else ("own" if owner == turn else "opp"),
            **fields,
        )
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


def read_list(where: str, game: str, text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """`name=value,name=value` as fields of a position and rule options."""
    try:
        rules = read_rules(game, text)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return {name: rules.pop(name) for name in RULE_FIELDS if name in rules}, rules


def field_tokens(position: Position, usual: Position) -> list[str]:
    """`name=value` of the rules in fields of their own that differ from the usual ones."""
    tokens = [f"{name}={'on' if getattr(position, name) else 'off'}"
              for name in ("jacoby", "beavers") if getattr(position, name) != getattr(usual, name)]
    if position.max_cube != usual.max_cube:
        tokens.append(f"maxcube={position.max_cube or 'none'}")
    return tokens


def by_player(
    position: Position,
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, int], int | None]:
    """Counts and scores of absolute players (0, 1), and the player who owns the cube or None."""
    counts = (position.own, position.opp)
    scores = (position.score_own, position.score_opp)
    owner = {"own": position.turn, "opp": 1 - position.turn}.get(position.cube_owner)
    if position.turn == 0:
        return counts, scores, owner
    return counts[::-1], (scores[1], scores[0]), owner


def no_beaver(what: str, position: Position) -> None:
    if position.offer in ("beavered", "raccooned"):
        raise ValueError(f"{what} cannot hold the offer {position.offer}")


def no_resignation(what: str, position: Position) -> None:
    if position.resigned:
        raise ValueError(f"{what} cannot hold an offer to resign")
