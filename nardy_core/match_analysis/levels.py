"""How closely decisions are looked at.

    fast      0 plies; what is close or costly there, 2
    standard  2 plies; what is close or costly there, 3
    deep      3 plies; what is close or costly there, 4
    roller, roller+, roller++
              2 plies; what is close or costly there, truncated rollouts with the cube as
              `nardy_core.levels` has them
    0 … 4     that many plies for everything

Plies count as GNU Backgammon counts them. A decision is close when another play or cube action is
within `close` of the best, and costly when what was done lost `costly` or more. The best and what
was done are always compared at the same level.
"""
from __future__ import annotations

import dataclasses

from nardy_core.engine import MAX_LEVEL
from nardy_core.levels import ROLLERS

CLOSE, COSTLY = 0.01, 0.06


@dataclasses.dataclass(frozen=True, slots=True)
class Level:
    """How closely a match is looked at.

    name : of `LEVELS`, or the number of plies
    plies : for every decision
    deeper : plies for close and costly ones, or a roller by name; None = no more than that
    close, costly : what counts as that, in equity
    """

    name: str
    plies: int
    deeper: int | str | None = None
    close: float = CLOSE
    costly: float = COSTLY


LEVELS = {
    level.name: level for level in (
        Level("fast", 0, 2), Level("standard", 2, 3), Level("deep", 3, 4),
        *(Level(name, 2, name) for name in ROLLERS))
}


def match_level(level: Level | int | str) -> Level:
    """A level by name or number of plies. ValueError for what is none."""
    if isinstance(level, Level):
        return level
    if isinstance(level, str) and level in LEVELS:
        return LEVELS[level]
    plies = int(level) if isinstance(level, int) or level in "01234" and level else -1
    if 0 <= plies <= MAX_LEVEL:
        return Level(str(plies), plies)
    raise ValueError(f"level: {ascii(level)[:40]} is neither 0..{MAX_LEVEL} nor one of "
                     f"{', '.join(LEVELS)}")
