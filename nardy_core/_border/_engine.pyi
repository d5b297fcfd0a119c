from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from nardy_core._border._long_race import LongRace
from nardy_core._border._net import Net
from nardy_core._border._tables import BearoffOne, BearoffTwo
from nardy_core._border._value import Stakes

OWNERS: tuple[str, ...]
PHASES: dict[str, int]
MAX_PLIES: int
CHOICE: np.dtype[np.void]

_Filter: TypeAlias = tuple[int, float]
_ByPhase: TypeAlias = _Filter | Mapping[str, _Filter]

class Searcher: ...

class Stop:
    def set(self) -> None: ...
    def is_set(self) -> bool: ...

class CubeSetting:
    stakes: Stakes
    def __init__(
        self,
        stakes: Stakes,
        cube: float,
        owner: str,
        efficiency: Mapping[str, float],
        two: BearoffTwo | None = None,
    ) -> None: ...

class Plan:
    def __init__(
        self,
        *,
        select: _ByPhase | None = None,
        promote: Sequence[_ByPhase] = (),
        tree_select: Sequence[_Filter] = (),
        tree_promote: Sequence[_Filter] = (),
        tree_cubeful: _Filter | None = None,
        cache: int | None = None,
    ) -> None: ...

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
        race: LongRace | None = None,
        options: Sequence[int] | None = None,
        points: Sequence[float] | None = None,
        keep: int = 0,
        within: float = 0.12,
        sift: int | Mapping[str, int] = 0,
        kernels: str | None = None,
    ) -> None: ...
    @property
    def points(self) -> tuple[float, ...]: ...
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
    def evaluate_nply(
        self,
        planes: npt.ArrayLike,
        plies: int,
        plan: Plan | None = None,
        stop: Stop | None = None,
    ) -> npt.NDArray[np.float32]: ...
    def choose_nply(
        self,
        planes: npt.ArrayLike,
        dice: Sequence[int],
        plies: int,
        plan: Plan | None = None,
        stop: Stop | None = None,
        *,
        least: int = 1,
        cube: CubeSetting | None = None,
    ) -> npt.NDArray[np.void]: ...
    def evaluate_many(
        self,
        boards: npt.NDArray[np.uint32],
        plies: int = 0,
        plan: Plan | None = None,
        *,
        threads: int = 1,
        stop: Stop | None = None,
    ) -> npt.NDArray[np.float32]: ...
    def choose_many(
        self,
        boards: npt.NDArray[np.uint32],
        dice: npt.ArrayLike,
        plies: int = 0,
        plan: Plan | None = None,
        *,
        cubes: Sequence[CubeSetting] | None = None,
        top: int = 1,
        least: int = 1,
        threads: int = 1,
        stop: Stop | None = None,
    ) -> tuple[npt.NDArray[np.void], npt.NDArray[np.int32]]: ...
    def evaluate_cubeful(
        self,
        planes: npt.ArrayLike,
        plies: int,
        cube: CubeSetting,
        plan: Plan | None = None,
        stop: Stop | None = None,
    ) -> tuple[npt.NDArray[np.float32], dict[str, float | None]]: ...
    def judge(
        self,
        planes: npt.ArrayLike,
        plies: int,
        plan: Plan | None = None,
        stop: Stop | None = None,
        *,
        cube: CubeSetting | None = None,
    ) -> tuple[npt.NDArray[np.float32], float]: ...
    def bench_choose(
        self,
        boards: npt.NDArray[np.uint32],
        dice: npt.NDArray[np.uint32],
        repeat: int = 1,
    ) -> None: ...
