"""What a score makes of a game: the chances that a take needs, and what gammons are worth there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from nardy_core._border import _rules, _value

# The part of the wins (or losses) that are gammons, or a part for each class above a single game.
Parts = float | Sequence[float]


def parts_of(name: str, parts: Parts, kinds: int) -> tuple[float, ...]:
    """Parts of the single games and of `kinds` classes above them; a number stands for the first
    of these alone. ValueError, with the `name`, for what are none."""
    given = [float(parts)] if isinstance(parts, (int, float)) else [float(part) for part in parts]
    if len(given) > kinds:
        raise ValueError(f"{name}: {len(given)} parts, more than {kinds}")
    for rate in given:
        if not 0 <= rate <= 1:
            raise ValueError(f"{name}: {rate} is not a rate between 0 and 1")
    if sum(given) > 1 + 1e-9:
        raise ValueError(f"{name}: {', '.join(map(str, given))} are more than all games")
    return (max(1 - sum(given), 0.0), *given, *[0.0] * (kinds - len(given)))


def take_points(
    stakes: _value.Stakes, points: Sequence[int], cube: int, won: Sequence[float],
    lost: Sequence[float],
) -> Mapping[str, float]:
    """Chances to win with which own, doubled from `cube` to twice that, may take, by name: "dead"
    with a cube that is never turned again, "live" with one that both sides use perfectly.

    points : of a win of each class
    won, lost : the parts of own's wins and losses that are of each class
    """
    win, lose = (
        sum(part * stakes.value(sign * 2 * cube * worth)
            for part, worth in zip(parts, points, strict=True))
        for sign, parts in ((1, won), (-1, lost)))
    dead = (stakes.value(-cube * points[0]) - lose) / (win - lose)
    live = _value.Model(stakes, (*won, *lost), cube).windows(1)["take"]
    return MappingProxyType({"dead": dead, "live": math.nan if live is None else live})


def gammon_values(game: str, stakes: _value.Stakes, cube: int) -> Mapping[str, float]:
    """What each class above a single game is worth beyond it, won and lost, in units of the swing
    between winning and losing a single one."""
    names = _rules.outcome_names(game)
    half = len(names) // 2
    return MappingProxyType({
        name: stakes.gammon_value(cube, at < half, at % half)
        for at, name in enumerate(names) if at % half})
