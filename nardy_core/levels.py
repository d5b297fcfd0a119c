"""Levels: how far a position is looked into. A number of plies, or a roller by name.

    0 … 4       plies of look-ahead as GNU Backgammon counts them: 0 = the static nets and tables
    roller      truncated rollouts with fixed dice: 144 games of 7 plies, plays at 0 plies
    roller+     576 games of 9 plies
    roller++    576 games of 9 plies, the first two of them played at 1 ply

A roller is an evaluator like any other: its answers are a function of position, settings and nets,
with the same bits on any number of threads. Luck is taken out of the games, the cube is in play
where the search would have it there, and the static value of the last position counts. The plays
of a roll are searched at `plies` first; those among the best `keep` and within `within` of the best
are rolled out with the same dice, and so is whatever was left behind ahead of them.
"""
from __future__ import annotations

import dataclasses
from typing import TypeAlias

from nardy_core.evaluator import MAX_PLIES

Level: TypeAlias = int | str


@dataclasses.dataclass(frozen=True, slots=True)
class Roller:
    """A level that rolls out.

    name : as people write it
    trials, truncate : games, and the plies of each
    level, late, late_level : plies of look-ahead of their decisions, and those from ply `late` on
    plies, keep, within : what is rolled out of the plays of a roll, see the module
    """

    name: str
    trials: int
    truncate: int
    level: int = 0
    late: int | None = None
    late_level: int = 0
    plies: int = 2
    keep: int = 4
    within: float = 0.10


ROLLERS = {roller.name: roller for roller in (
    Roller("roller", 144, 7),
    Roller("roller+", 576, 9),
    Roller("roller++", 576, 9, level=1, late=3))}

LEVELS: tuple[Level, ...] = (*range(MAX_PLIES + 1), *ROLLERS)


def check_level(level: Level) -> None:
    """Raises ValueError for what is no level."""
    if level not in LEVELS:
        raise ValueError(f"level: {ascii(level)[:40]} is not 0..{MAX_PLIES} or one of "
                         f"{', '.join(ROLLERS)}")


def level_name(level: Level) -> str:
    """As people read it: "2-ply", "roller+"."""
    return level if isinstance(level, str) else f"{level}-ply"


def level_of(text: str) -> Level:
    """A level as people write it: a number of plies or a name; what is neither stays text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else text
