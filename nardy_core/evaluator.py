"""Evaluation and search in bulk, for those who work with arrays: nets, evaluators, move filters,
phases, points.

`Engine` is the comfortable way in; the trainer and tools that bring their own nets start here.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_core._border import _rules
from nardy_core._border._engine import (
    MAX_PLIES,
    CubeSetting,
    Evaluator,
    Plan,
    Stop,
)
from nardy_core._border._long_race import LongRace
from nardy_core._border._net import Net, kernel_sets
from nardy_core._border._tables import BearoffOne

__all__ = [
    "MAX_PLIES", "BearoffOne", "CubeSetting", "Evaluator", "LongRace", "Net", "Plan", "Stop",
    "default_points", "equities", "flip", "kernel_sets", "outcomes_of", "phases_of", "swapped",
]


def phases_of(game: str, boards: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
    """Phases (n,) of boards (n, 8): 0 over, 1 bear-off, 2 race, 3 contact."""
    return _rules.phases(game, np.ascontiguousarray(boards))


def default_points(game: str) -> tuple[int, ...]:
    """Default value of each outcome class for the side to move."""
    return _rules.points(game)


def outcomes_of(game: str) -> tuple[str, ...]:
    """Names of the exclusive outcome classes: wins of rising value, then losses likewise."""
    return _rules.outcome_names(game)


def flip(probabilities: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Probabilities (..., outcomes) as the other side sees them."""
    return np.roll(probabilities, probabilities.shape[-1] // 2, axis=-1)


def swapped(boards: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Boards (n, 8) with the other side on roll."""
    return np.ascontiguousarray(np.roll(boards, 4, axis=1))


def equities(probabilities: npt.NDArray[Any], points: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Dot products (...,) with the points, added in class order: the same bits everywhere."""
    total = np.zeros(probabilities.shape[:-1], dtype=np.float64)
    for c, value in enumerate(points):
        total += probabilities[..., c].astype(np.float64) * value
    return total
