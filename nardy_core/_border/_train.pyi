from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_core._border._engine import Evaluator

PARAMETERS: tuple[str, ...]
SAMPLE: np.dtype[np.void]

def samples(
    boards: npt.ArrayLike,
    targets: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
) -> npt.NDArray[np.void]: ...

class Fit:
    def __init__(self, features: str, h1: int, h2: int, outcomes: int, seed: int = 0) -> None: ...
    @property
    def features(self) -> str: ...
    @property
    def shape(self) -> tuple[int, int, int, int]: ...
    @property
    def steps(self) -> int: ...
    @property
    def kernels(self) -> str: ...
    def use_kernels(self, name: str) -> None: ...
    def params(self, average: bool = True) -> dict[str, npt.NDArray[np.float32]]: ...
    def set_params(self, params: Mapping[str, npt.ArrayLike]) -> None: ...
    def widen(self, h1: int, noise: float = 0.002, seed: int = 0) -> Fit: ...
    def narrow(self, h1: int, boards: npt.ArrayLike) -> Fit: ...
    def predict(self, boards: npt.ArrayLike, average: bool = True) -> npt.NDArray[np.float32]: ...
    def state(self) -> bytes: ...
    def load_state(self, state: bytes) -> None: ...
    def run(
        self,
        samples: npt.NDArray[np.void],
        points: npt.ArrayLike,
        steps: int,
        *,
        first: int = 0,
        batch: int = 528,
        lr: Sequence[float] = (1.4e-3, 2e-5),
        schedule: str = "cosine",
        ema: float = 0.999,
        difference: float = 12.0,
        seed: int = 0,
        threads: int = 0,
        progress: Callable[[int, dict[str, float]], object] | None = None,
    ) -> dict[str, float]: ...

def selfplay(
    evaluator: Evaluator,
    plan: dict[str, Any],
    seed: int,
    first: int,
    games: int,
    threads: int = 1,
) -> tuple[npt.NDArray[np.void], dict[str, float]]: ...
