"""What the lines of an analysis say, whoever wrote them: their level, and the cube in equity."""
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from nardy_core.cube_inputs import stakes_of
from nardy_core.position import Position

Plain = Mapping[str, Any]

_ROLLERS = ("xg roller", "xg roller+", "xg roller++")


def number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def plies_of(line: Plain) -> int | None:
    """Plies as GNU Backgammon counts them, one fewer than eXtreme Gammon, whose words a level
    without a number of `plies` is in ("3-ply", "3ply", "3-plis"); None for other levels."""
    plies = line.get("plies")
    if isinstance(plies, int):
        return plies
    counted = re.fullmatch(r"([1-9])[- ]?[^\d\W]+", str(line.get("level") or "").strip())
    return int(counted[1]) - 1 if counted else None


def roller_of(line: Plain) -> int | None:
    """1, 2, 3 for XG Roller, Roller+, Roller++, by its own name or as a truncated rollout."""
    word = str(line.get("level") or "").lower()
    if found := re.fullmatch(r"truncated([1-3])", word):
        return int(found[1])
    return _ROLLERS.index(word) + 1 if word in _ROLLERS else None


def cube_equities(cube: Plain, position: Position) -> tuple[float, float, float] | None:
    """(no double, double/take, double/pass) in equity; None where the data does not suffice. A file
    that has no worth of a pass means a pass, 1."""
    stay, take, drop = (cube.get(key) for key in ("no_double", "double_take", "double_pass"))
    if not number(stay) or not number(take):
        return None
    assert stay is not None and take is not None
    passed = float(drop) if number(drop) and drop is not None else None
    if cube.get("unit") == "mwc":
        stakes = _stakes(position)
        if stakes is None:
            return None
        stay, take = (stakes.equity(position.cube, v) for v in (stay, take))
        passed = None if passed is None else stakes.equity(position.cube, passed)
    return float(stay), float(take), 1.0 if passed is None else passed


def cubeless_equity(probabilities: Sequence[float], position: Position) -> float | None:
    """Of nested chances of the side on roll, with the cube out of play: equivalent to money."""
    stakes = _stakes(position)
    if stakes is None or len(probabilities) != 5:
        return None
    win, gammon, backgammon, lost_gammon, lost_backgammon = probabilities
    parts = (win - gammon, gammon - backgammon, backgammon)
    lost = (1 - win - lost_gammon, lost_gammon - lost_backgammon, lost_backgammon)
    value = sum(p * stakes.value(n * position.cube) for n, p in enumerate(parts, 1))
    value += sum(p * stakes.value(-n * position.cube) for n, p in enumerate(lost, 1))
    return float(stakes.equity(position.cube, value))


def _stakes(position: Position) -> Any:
    """What the game is worth, None beyond every match equity table."""
    try:
        return stakes_of(position)
    except ValueError:  # a score that no table reaches to
        return None
