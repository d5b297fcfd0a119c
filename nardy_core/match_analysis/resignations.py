"""Resignations judged: the points that were given up against what the position was worth.

A resignation that was accepted is two decisions, as in eXtreme Gammon: of the player who gives up,
and of the one who accepts. What the one gives away the other gets, so at most one of them is wrong.
No rating and no sum of errors counts either: GNU Backgammon leaves them out of its statistics, and
they say little about how somebody plays.
"""
from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from nardy_core._border import _value
from nardy_core.match_record import Action
from nardy_core.position import Position

KINDS = ("resign", "accept")
FAULTS = ("resigned too much", "accepted too little")

Plain = Mapping[str, Any]


def offered(position: Position, action: Action, stakes: _value.Stakes) -> float:
    """What the resignation leaves the player who resigns: equity in units of the cube. `stakes` are
    those of the side on roll."""
    points = action.points * position.cube
    if action.player == position.turn:
        return stakes.equity(position.cube, stakes.value(-points))
    return -stakes.equity(position.cube, stakes.value(points))


def resignation(
    position: Position, action: Action, analysis: Plain, stakes: _value.Stakes | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields of the two `Judged`: of who resigned, and of who accepted it.

    analysis : `play_on`, the equity of playing on for the player who resigns; or `lost`, what he
        gave away by resigning, negative where accepting it was wrong
    """
    first: dict[str, Any] = {"done": "resign"}
    second: dict[str, Any] = {"done": "accept"}
    play_on, lost = (analysis.get(key) for key in ("play_on", "lost"))
    known = any(isinstance(v, (int, float)) and math.isfinite(v) for v in (play_on, lost))
    if stakes is None or not known or action.points == 0:
        return {**first, "reason": "not analysed"}, {**second, "reason": "not analysed"}
    given = offered(position, action, stakes)
    if not isinstance(play_on, (int, float)):
        assert lost is not None
        play_on = given + lost
    level = str(analysis.get("level") or "")
    out = []
    for fields, done, other in ((first, given, float(play_on)), (second, -given, -float(play_on))):
        best = max(done, other)
        out.append({
            **fields, "best": fields["done"] if done >= other else "play_on", "equity": done,
            "best_equity": best, "lost": best - done, "level": level, "done_level": level})
    return out[0], out[1]
