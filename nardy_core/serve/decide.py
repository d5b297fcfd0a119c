"""Decisions that all backends put to the engine: a play, a cube action, a resignation."""
from __future__ import annotations

from nardy_core import cube
from nardy_core.analysis import Candidate, Evaluation
from nardy_core.cube import CubeDecision
from nardy_core.engine import Engine
from nardy_core.evaluator import Stop
from nardy_core.levels import Level
from nardy_core.position import Position

_ANSWERS = {"T": "take", "T=P": "take", "P": "drop", "beaver": "beaver"}
_TIE = 1e-6  # equities closer than this are equal but for rounding


def best_play(
    engine: Engine, position: Position, level: Level, stop: Stop | None = None,
    cubeful: bool | None = None,
) -> Candidate:
    """The play the engine ranks first for the position's own dice; `cubeful` as for
    `Engine.analyse`. Cancelled if stopped."""
    return engine.analyse(position, level=level, cubeful=cubeful, top=1, stop=stop).best


def decision(
    engine: Engine, position: Position, level: Level, stop: Stop | None = None
) -> CubeDecision:
    """The cube decision from the engine's chances at a level, dice not counted. Cancelled if
    stopped."""
    if position.offer in ("beavered", "raccooned"):  # there is one, whether or not rules have them
        raccoons = position.offer == "raccooned" or position.rules["raccoons"]
        position = position.with_(beavers=True, rules={**position.rules, "raccoons": raccoons})
    return engine.cube(position, level, stop=stop)


def decide_cube(
    engine: Engine, position: Position, level: Level, stop: Stop | None = None
) -> str:
    """The cube action of the side that is to decide, before the dice; see `action_of`."""
    return action_of(decision(engine, position, level, stop))


def action_of(found: CubeDecision) -> str:
    """What the side that is to decide does with the cube.

    No offer pending: "double" or "roll", roll where either is right. An offer pending: "take",
    "drop" or "beaver" (redouble at once and keep the cube), take where dropping is no better.
    """
    offer = found.position.offer
    action, _, answer = found.action.partition("/")
    if offer == "none":
        return "double" if action == "D" else "roll"
    if offer == "doubled":
        return _ANSWERS[answer]
    worth = {name: line.equity for name, line in found.lines.items()}
    if offer == "raccooned":  # opp decides
        return "take" if worth["raccoon"] <= worth["raccoon_pass"] + _TIE else "drop"
    choices = {"take": worth["beaver"], "drop": worth["beaver_pass"]}
    if "raccoon" in worth:
        choices["beaver"] = min(worth["raccoon"], worth["raccoon_pass"])
    return max(choices, key=lambda name: choices[name])


def accepts_resignation(
    engine: Engine, position: Position, points: int, level: Level, stop: Stop | None = None
) -> bool:
    """Whether `position.decider` should accept that the other side resigns `points` (times the
    cube): whether playing on, with the best cube action by both sides, is worth no more."""
    found = decision(engine, position, level, stop)
    stakes = cube.stakes_of(position)
    won = points * position.cube
    if position.decider == "own":
        return found.best <= stakes.equity(position.cube, stakes.value(won)) + _TIE
    doubled = found.best if found.double is None else found.double
    return doubled >= stakes.equity(position.cube, stakes.value(-won)) - _TIE


def value_of(
    position: Position, evaluation: Evaluation, cubeful: bool, found: CubeDecision | None = None
) -> float:
    """What the chances of an evaluation are worth to its side: equity in units of the cube for
    money, the chance to win a match; cubeful with the best cube action by both sides, of the
    decision `found` by a search or else as the cube model sees it in the chances."""
    own = evaluation if evaluation.side == "own" else evaluation.flip()
    found = found or cube.decide(position, own.probabilities)
    if cubeful:
        doubled = found.double if position.offer != "none" else None
        equity = found.best if doubled is None else doubled
    else:
        equity = found.cubeless if position.match_length else own.equity
    if not position.match_length:
        return equity if own is evaluation else -equity
    chance = cube.stakes_of(position).unequity(position.cube, equity)
    return chance if own is evaluation else 1.0 - chance
