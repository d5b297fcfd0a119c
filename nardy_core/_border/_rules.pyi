from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

OPTION_NAMES: tuple[str, ...]
OPTION_LIMITS: tuple[int, ...]

class Scratch:
    def __init__(self, depth: int = 1) -> None: ...

def start(game: str, variant: str = "") -> npt.NDArray[np.uint32]: ...
def results(
    game: str, planes: npt.ArrayLike, dice: Sequence[int], options: Sequence[int] | None = None
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], int]: ...
def sequences(
    game: str, planes: npt.ArrayLike, dice: Sequence[int], options: Sequence[int] | None = None
) -> npt.NDArray[np.uint32]: ...
def why(
    game: str,
    planes: npt.ArrayLike,
    dice: Sequence[int],
    played_steps: Sequence[tuple[int, int]],
    source: int,
    die: int,
    options: Sequence[int] | None = None,
) -> str: ...
def step(game: str, planes: npt.ArrayLike, source: int, die: int) -> npt.NDArray[np.uint32]: ...
def outcome(game: str, planes: npt.ArrayLike) -> int: ...
def phase(game: str, planes: npt.ArrayLike) -> int: ...
def outcome_names(game: str) -> tuple[str, ...]: ...
def points(game: str) -> tuple[int, ...]: ...
def perft(
    game: str, planes: npt.ArrayLike, depth: int, options: Sequence[int] | None = None
) -> int: ...
def bench_generate(
    game: str,
    boards: npt.NDArray[np.uint32],
    dice: npt.NDArray[np.uint32],
    repeat: int = 1,
    options: Sequence[int] | None = None,
) -> int: ...
