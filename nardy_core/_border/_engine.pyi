from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_core._border._tables import BearoffOne

PHASES: dict[str, int]

def kernel_sets() -> list[str]: ...
def feature_units(name: str) -> int: ...

class Net:
    @staticmethod
    def from_payload(payload: bytes) -> Net: ...
    @staticmethod
    def from_params(
        features: str,
        w1: npt.NDArray[np.float32],
        b1: npt.NDArray[np.float32],
        w2: npt.NDArray[np.float32],
        b2: npt.NDArray[np.float32],
        w3: npt.NDArray[np.float32],
        b3: npt.NDArray[np.float32],
        provenance: str = "",
    ) -> Net: ...
    def payload(self) -> bytes: ...
    @property
    def info(self) -> dict[str, Any]: ...

class Searcher: ...

class Evaluator:
    game: str
    kernels: str
    def __init__(
        self,
        game: str,
        nets: Mapping[str, Net],
        *,
        small: Mapping[str, Net] | None = None,
        bearoff: BearoffOne | None = None,
        options: Sequence[int] | None = None,
        points: Sequence[float] | None = None,
        keep: int = 0,
        within: float = 0.12,
        kernels: str | None = None,
    ) -> None: ...
    def evaluate(self, boards: npt.NDArray[np.uint32]) -> npt.NDArray[np.float32]: ...
    def choose(
        self, planes: npt.ArrayLike, dice: Sequence[int]
    ) -> tuple[
        npt.NDArray[np.uint32],
        npt.NDArray[np.uint32],
        npt.NDArray[np.float32],
        npt.NDArray[np.float32],
        npt.NDArray[np.bool_],
    ]: ...
    def lookahead(
        self, planes: npt.ArrayLike
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint32], npt.NDArray[np.float32]]: ...
    def bench_choose(
        self,
        boards: npt.NDArray[np.uint32],
        dice: npt.NDArray[np.uint32],
        repeat: int = 1,
    ) -> None: ...
