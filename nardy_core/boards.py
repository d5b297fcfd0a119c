"""Many boards at once: the layouts that `Engine.evaluate_many` takes, as bit planes."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_core._border import _rules
from nardy_core.checks import one_of
from nardy_core.options import Options
from nardy_core.position import GAMES, Position

Planes = npt.NDArray[np.uint32]


def planes_of(
    boards: Any, game: str | None = None, rules: Options | None = None
) -> tuple[str, Planes, Sequence[Options]]:
    """(game, uint32 (n, 8) bit planes, rules of each) of boards in any of these layouts:

    - uint32 (n, 8): bit planes as `Position.board`, the side on roll first;
    - integers (n, 26): points as `Position.points`: 1..24 as the side on roll numbers them, own
      checkers positive, the other side's negative; [25] own bar, [0] the other side's bar (either
      sign); missing checkers are borne off;
    - a Position, an id, or an iterable of those.

    `game` names the game of arrays ("backgammon" unless given) and must agree with what positions
    and ids say; `rules` are those of arrays, the default ones unless given. Raises ValueError that
    names the first board that is wrong.
    """
    if rules is not None:
        if game not in (None, rules.game):
            raise ValueError(f"rules: options of {rules.game} for boards of {game}")
        game = rules.game
    if game is not None:
        one_of("game", game, GAMES)
    if isinstance(boards, np.ndarray):
        game = game or "backgammon"
        planes = _from_array(boards, game)
        return game, planes, [rules or Options(game)] * len(planes)
    if rules is not None:
        raise ValueError("rules: positions and ids come with their own")
    if isinstance(boards, (str, Position)):
        boards = [boards]
    return _from_positions(boards, game)


def _from_positions(
    boards: Iterable[Any], game: str | None
) -> tuple[str, Planes, Sequence[Options]]:
    rows, rules = [], []
    for number, item in enumerate(boards):
        try:
            position = item if isinstance(item, Position) else Position.parse(item)
            if position.checkers != 15:
                raise ValueError(f"{position.checkers} checkers a side, nets know 15")
            if game not in (None, position.game):
                raise ValueError(f"a position of {position.game} among those of {game}")
        except ValueError as error:
            raise ValueError(f"boards[{number}]: {error}") from None
        game = position.game
        rows.append(position.board)
        rules.append(position.rules)
    planes = np.stack(rows) if rows else np.empty((0, 8), np.uint32)
    return game or "backgammon", planes, rules


def _from_array(array: np.ndarray, game: str) -> Planes:
    if array.ndim == 1:
        array = array[np.newaxis]
    if array.ndim != 2 or array.dtype.kind not in "iu" or array.shape[1] not in (8, 26):
        raise ValueError(
            f"boards: expected integers (n, 8) or (n, 26), got {array.dtype} {array.shape}")
    if array.shape[1] == 26:
        planes = _from_points(array, game)
    elif array.dtype.kind == "i" and (array < 0).any():
        raise ValueError("boards: negative bit planes")
    else:
        planes = np.ascontiguousarray(array, dtype=np.uint32)
    bad = _rules.first_bad(game, planes)
    if bad >= 0:
        raise ValueError(f"boards[{bad}]: no board of {game} looks like that")
    return planes


def _from_points(points: np.ndarray, game: str) -> Planes:
    points = points.astype(np.int64)
    if len(points) and (np.abs(points).max() > 15 or points[:, 25].min() < 0):
        wrong = (np.abs(points) > 15).any(axis=1) | (points[:, 25] < 0)
        raise ValueError(f"boards[{int(wrong.argmax())}]: a number that counts no checkers")
    counts = np.zeros((2, len(points), 26), dtype=np.int64)
    counts[0, :, 1:] = np.maximum(points[:, 1:], 0)
    theirs = np.maximum(-points[:, 1:25], 0)
    counts[1, :, 1:25] = theirs[:, ::-1] if game == "backgammon" else np.roll(theirs, 12, axis=1)
    counts[1, :, 25] = np.abs(points[:, 0])
    counts[:, :, 0] = 15 - counts.sum(axis=2)
    if (counts[:, :, 0] < 0).any():
        bad = int((counts[:, :, 0] < 0).any(axis=0).argmax())
        raise ValueError(f"boards[{bad}]: more than 15 checkers on a side")
    slots = np.arange(26, dtype=np.int64)
    planes = [((counts >> k & 1) << slots).sum(axis=2) for k in range(4)]  # each (2, n)
    return np.ascontiguousarray(np.array(planes).transpose(2, 1, 0).reshape(-1, 8), dtype=np.uint32)
