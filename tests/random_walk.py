"""Boards of random games as bit planes, straight from the generator."""
from __future__ import annotations

import numpy as np

from nardy_core._border import _rules


def swapped(board: np.ndarray) -> np.ndarray:
    """The same with the other side on roll."""
    return np.concatenate([board[4:], board[:4]])


def random_boards(game: str, n: int, seed: int, step: int = 1) -> list[np.ndarray]:
    """Boards of random play, every `step`th, the side to move first, none finished."""
    rng = np.random.default_rng(seed)
    out, board, ply = [], _rules.start(game), 0
    while len(out) < n:
        results, _, _ = _rules.results(game, board, rng.integers(1, 7, 2))
        board = swapped(results[rng.integers(len(results))])
        if _rules.outcome(game, board) >= 0:
            board = _rules.start(game)
        elif (ply := ply + 1) % step == 0:
            out.append(board)
    return out
