from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from nardy_core._border._engine import Evaluator, Plan, Stop
from nardy_core._border._tables import BearoffTwo
from nardy_core._border._value import Stakes

CHUNK: int
MAX_SUBJECTS: int
METHOD: int
SUMS: np.dtype[np.void]

def explained(
    seed: int, chunks: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]: ...
def processors() -> int: ...
def row_length(n: int) -> int: ...
def read_row(
    row: npt.NDArray[np.float64], n: int
) -> tuple[npt.NDArray[np.void], npt.NDArray[np.float64]]: ...

class Trials:
    n: int
    def __init__(
        self,
        play: Evaluator,
        luck: Evaluator | None,
        boards: npt.NDArray[np.uint32],
        *,
        seed: int = 1,
        truncate: int = 0,
        opening: bool = False,
        level: tuple[int, int] = (0, 0),
        late: int | None = None,
        late_level: tuple[int, int] = (0, 0),
        search: Plan | None = None,
        stakes: Stakes | None = None,
        cubes: Sequence[tuple[int, int, bool]] | None = None,
        efficiency: Mapping[str, float] | None = None,
        two: BearoffTwo | None = None,
    ) -> None: ...
    def run(
        self,
        first: int,
        count: int = 1,
        *,
        active: npt.ArrayLike | None = None,
        threads: int = 1,
        stop: Stop | None = None,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]: ...
