from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from nardy_core._border._engine import Evaluator

GAME: np.dtype[np.void]

_Player = (
    Evaluator
    | tuple[Evaluator, int]
    | None
    | Callable[[npt.NDArray[np.uint32], tuple[int, int]], npt.ArrayLike]
)

class Player:
    def __init__(self, who: _Player, referee: Evaluator) -> None: ...

def run(
    referee: Evaluator,
    first_player: _Player,
    second_player: _Player,
    luck: Evaluator | None,
    starts: npt.ArrayLike | Sequence[npt.ArrayLike],
    *,
    opening: bool,
    seed: int,
    first: int,
    pairs: int,
    threads: int = 1,
) -> npt.NDArray[np.void]: ...
