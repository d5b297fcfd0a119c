"""Checkers by slot: the 26 counts of a side, what can be a board of a game, and its bit planes."""
from __future__ import annotations

from collections.abc import Mapping, Sequence

OWED = 1 << 31  # in the first plane of a side that is owed a last roll: the core's ND_OWED


def across(game: str, point: int) -> int:
    """Number 1..24 by which the other side calls this side's `point` (its own inverse)."""
    if game == "backgammon":
        return 25 - point
    return point - 12 if point > 12 else point + 12


def fill(points: Mapping[int, int], checkers: int) -> tuple[int, ...]:
    """The 26 counts of a side from {slot 1..25: count}; checkers not named are borne off.

    The count on slot 0 comes out negative when there are more checkers than the game has.
    """
    counts = [0] * 26
    for slot, count in points.items():
        counts[slot] += count
    counts[0] = checkers - sum(counts[1:])
    return tuple(counts)


def board_error(
    game: str,
    own: Sequence[int],
    opp: Sequence[int],
    checkers: int,
    names: tuple[str, str] = ("own", "opp"),
    *,
    drawn: bool = False,
) -> str | None:
    """Why two sides' counts cannot be a board of the game, in one line, or None if they can.

    drawn : a game may end with no checkers left, as a last roll has it
    """
    for name, side in zip(names, (own, opp), strict=True):
        if len(side) != 26:
            return f"{len(side)} counts for {name} instead of 26"
        if min(side[1:]) < 0:
            return f"negative count for {name} on point {side.index(min(side[1:]), 1)}"
        board = sum(side[1:])
        if side[0] < 0 or board > checkers:
            points = ", ".join("bar" if n == 25 else str(n) for n in range(25, 0, -1) if side[n])
            return f"{board} checkers for {name} on points {points}, more than {checkers}"
        if board + side[0] != checkers:
            return f"{board} checkers for {name} and {side[0]} off do not make {checkers}"
        if game == "long_nardy" and side[25]:
            return f"{name} has a checker on the bar, which long nardy does not have"
    for point in range(1, 25):
        if own[point] and opp[across(game, point)]:
            return f"both sides on {names[0]}'s point {point}"
    if own[0] == checkers and opp[0] == checkers and not drawn:
        return "both sides have borne off all their checkers"
    return None


def planes_of(side: Sequence[int]) -> list[int]:
    """The four bit planes of a side's counts: bit s of plane k is bit k of the count on slot s."""
    planes = [0] * 4
    for slot, count in enumerate(side):
        if count:
            for k in range(4):
                planes[k] |= (count >> k & 1) << slot
    return planes


def counts_of(planes: Sequence[int]) -> list[int]:
    """The 26 counts of a side's four bit planes."""
    a, b, c, d = planes  # spelled out, which is quicker by far
    return [(a >> n & 1) + (b >> n & 1) * 2 + (c >> n & 1) * 4 + (d >> n & 1) * 8
            for n in range(26)]
