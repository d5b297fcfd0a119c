"""`GET /move` and `GET /eval` as wildbg's HTTP API has them, for programs written for it."""
from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from nardy_core.analysis import DIGITS, Evaluation
from nardy_core.cube import decide
from nardy_core.engine import Engine
from nardy_core.evaluator import Stop
from nardy_core.match import MAX_NEEDS
from nardy_core.position import Position

Checkers = Annotated[int, Field(ge=-15, le=15)]


class Asked(BaseModel):
    """Checkers of the side on roll are positive and move from 24 to 1; p25 is its bar, p0
    (negative) the other side's. Checkers not named are borne off."""

    p0: Annotated[int, Field(ge=-15, le=0)] = 0
    p1: Checkers = 0
    p2: Checkers = 0
    p3: Checkers = 0
    p4: Checkers = 0
    p5: Checkers = 0
    p6: Checkers = 0
    p7: Checkers = 0
    p8: Checkers = 0
    p9: Checkers = 0
    p10: Checkers = 0
    p11: Checkers = 0
    p12: Checkers = 0
    p13: Checkers = 0
    p14: Checkers = 0
    p15: Checkers = 0
    p16: Checkers = 0
    p17: Checkers = 0
    p18: Checkers = 0
    p19: Checkers = 0
    p20: Checkers = 0
    p21: Checkers = 0
    p22: Checkers = 0
    p23: Checkers = 0
    p24: Checkers = 0
    p25: Annotated[int, Field(ge=0, le=15)] = 0


class Rolled(Asked):
    """A position, a roll, and how many points each side needs to win the match."""

    die1: Annotated[int, Field(ge=1, le=6)]
    die2: Annotated[int, Field(ge=1, le=6)]
    x_away: Annotated[int, Field(ge=0, le=MAX_NEEDS)] = Field(
        default=0, description="points the side on roll needs; 0 = money game")
    o_away: Annotated[int, Field(ge=0, le=MAX_NEEDS)] = 0


class Probabilities(BaseModel):
    win: float
    winG: float
    winBg: float
    loseG: float
    loseBg: float


class Part(BaseModel):
    """`from` 25 is the bar, `to` 0 is off."""

    source: int = Field(alias="from")
    to: int


class Ranked(BaseModel):
    play: list[Part]
    probabilities: Probabilities


class Moves(BaseModel):
    moves: list[Ranked]


class CubeAction(BaseModel):
    double: bool
    accept: bool


class Valued(BaseModel):
    cube: CubeAction
    probabilities: Probabilities


def position_of(asked: Asked, **fields: Any) -> Position:
    points = [getattr(asked, f"p{n}") for n in range(26)]
    position = Position.from_points(points, beavers=False, **fields)
    if position.finished:
        raise ValueError("position: the game is over")
    return position


def moves(engine: Engine, level: Any, asked: Rolled, stop: Stop) -> dict[str, Any]:
    """All plays, best first."""
    needs = asked.x_away, asked.o_away
    if 0 in needs and any(needs):
        raise ValueError("x_away, o_away: either both are 0 (a money game) or none")
    length = max(needs)
    position = position_of(
        asked, match_length=length, score_own=length - needs[0], score_opp=length - needs[1])
    found = engine.analyse(position, (asked.die1, asked.die2), level=level, stop=stop)
    return {"moves": [
        {"play": [{"from": source, "to": target} for source, target, _ in candidate.play.steps],
         "probabilities": chances(candidate.evaluation)} for candidate in found.candidates]}


def value(engine: Engine, level: Any, asked: Asked, stop: Stop) -> dict[str, Any]:
    """Chances before the roll, and the cube for money."""
    position = position_of(asked)
    found = engine.evaluate(position, level, stop=stop)
    action, _, answer = decide(position, found.probabilities, exact=False).action.partition("/")
    return {"cube": {"double": action == "D", "accept": answer != "P"},
            "probabilities": chances(found)}


def chances(found: Evaluation) -> dict[str, float]:
    assert found.nested is not None
    return {name: round(number, DIGITS) for name, number in
            zip(Probabilities.model_fields, found.nested.values(), strict=True)}
