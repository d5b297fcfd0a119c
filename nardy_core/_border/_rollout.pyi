import numpy as np
import numpy.typing as npt

from nardy_core._border._engine import Evaluator, Stop

CHUNK: int
MAX_SUBJECTS: int
METHOD: int
SUMS: np.dtype[np.void]

def processors() -> int: ...
def row_length(n: int) -> int: ...
def read_row(
    row: npt.NDArray[np.float64], n: int
) -> tuple[npt.NDArray[np.void], npt.NDArray[np.float64]]: ...

def run(
    play: Evaluator,
    luck: Evaluator | None,
    boards: npt.NDArray[np.uint32],
    first: int,
    count: int,
    *,
    seed: int = 1,
    truncate: int = 0,
    opening: bool = False,
    threads: int = 1,
    stop: Stop | None = None,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]: ...
