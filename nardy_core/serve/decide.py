"""Decisions that all backends put to the engine: a play, a cube action, a resignation."""
from __future__ import annotations

from nardy_core.analysis import Candidate, Evaluation
from nardy_core.engine import Engine
from nardy_core.errors import UnsupportedError
from nardy_core.position import Position

# Passing a double costs half of what is at stake once it is taken.
_TAKE_FROM = -0.5


def best_play(engine: Engine, position: Position, level: int) -> Candidate:
    """The play the engine ranks first for the position's own dice."""
    return engine.analyse(position, level=level, top=1).best


def decide_cube(engine: Engine, position: Position, level: int) -> str:
    """The cube action of the side that is to decide, before the dice.

    No offer pending: "double" or "roll". An offer pending: "take", "drop" or "beaver" (redouble at
    once and keep the cube).

    The rule uses the cubeless chances and holds the cube dead: never double; take when the equity
    on the stakes after taking is no worse than passing (-1/2), whatever the score of a match;
    beaver when it is above 0 and the rules allow it.
    """
    if position.offer == "none":
        return "roll"
    worth = decider_equity(engine, position, level)
    if worth > 0.0 and position.beavers and position.offer != "raccooned":
        return "beaver"
    return "take" if worth >= _TAKE_FROM else "drop"


def accepts_resignation(engine: Engine, position: Position, points: int, level: int) -> bool:
    """Whether `position.decider` should accept that the other side resigns `points` (times the
    cube): whether playing on is worth no more, cubeless, in points."""
    return decider_equity(engine, position, level) <= points


def decider_equity(engine: Engine, position: Position, level: int) -> float:
    """Cubeless equity of `position.decider`."""
    equity = engine.evaluate(position, level).equity
    return equity if position.decider == "own" else -equity


def value_of(position: Position, evaluation: Evaluation, cubeful: bool) -> float:
    """What the chances of an evaluation are worth to its side: equity for money, the chance to win
    a match. Raises UnsupportedError for what the engine cannot tell."""
    if position.match_length:
        raise UnsupportedError("value: no match equities, ask for a money position")
    if cubeful:
        raise UnsupportedError("value: no cubeful equities, ask for cubeless ones")
    return evaluation.equity
