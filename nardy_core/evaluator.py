"""The engine room of static evaluation, for the trainer and for those who bring their own nets."""

import numpy as np
import numpy.typing as npt

from nardy_core._border import _rules
from nardy_core._border._engine import Evaluator, Net, kernel_sets
from nardy_core._border._tables import BearoffOne

__all__ = ["BearoffOne", "Evaluator", "Net", "kernel_sets", "phases_of", "points_of"]


def phases_of(game: str, boards: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
    """Phases (n,) of boards (n, 8): 0 over, 1 bear-off, 2 race, 3 contact."""
    return _rules.phases(game, np.ascontiguousarray(boards))


def points_of(game: str) -> tuple[int, ...]:
    """Points of each outcome class for the side asked about."""
    return _rules.points(game)
