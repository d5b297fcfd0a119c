"""What the engine says about decisions, as plain data of the form that `nardy_core.formats` has.

Plays are compared as `Engine.analyse` ranks them with the cube in play: by cubeful equity,
equivalent to money in a match.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nardy_core import roller
from nardy_core._border import _value
from nardy_core.analysis import Candidate, Evaluation, nested_of
from nardy_core.cube import CubeDecision, CubeEfficiency, is_exact, stakes_of
from nardy_core.engine import Engine
from nardy_core.evaluator import Stop, flip, phases_of, swapped
from nardy_core.levels import ROLLERS, level_name
from nardy_core.levels import Level as Reached
from nardy_core.match import MatchEquity
from nardy_core.match_analysis.judged import EQUAL, stakes_at
from nardy_core.match_analysis.levels import Level
from nardy_core.match_analysis.resignations import offered
from nardy_core.match_record import Decision
from nardy_core.notation import play_steps
from nardy_core.play import ROLLS, Play, after_turn, ways
from nardy_core.position import Position

LISTED = 10  # candidates kept for each roll

_WAYS = np.array([ways(roll) for roll in ROLLS])

Plain = dict[str, Any]


def assess(
    engine: Engine, decision: Decision, level: Level, met: MatchEquity | str | None = None,
    stop: Stop | None = None,
) -> Plain:
    """The analysis of one decision. {} where there is nothing to decide."""
    action = decision.action
    if action.kind == "play":
        if not action.legal:
            return {}
        return _plays(engine, decision, level, met, stop)
    if action.kind in ("no_double", "double", "take", "drop", "beaver"):
        return {"cube": _cube(engine, decision, level, met, stop)}
    if action.kind == "resign":
        return _resign(engine, decision, level, met, stop)
    return {}


# ---- plays -----------------------------------------------------------------------------------


def _plays(
    engine: Engine, decision: Decision, level: Level, met: MatchEquity | str | None,
    stop: Stop | None,
) -> Plain:
    position, action = decision.position, decision.action
    plays = position.legal_plays(action.dice)
    if len(plays) == 1:
        return {"choices": 1}
    played = next((play for play in plays if sorted(play.steps) == sorted(action.steps)), None)
    if played is None:
        after = play_steps(position, action.steps)
        played = next(play for play in plays if play.result == after)
    found = _ranked(engine, position, level.plies, [played], met, stop)
    if level.deeper is not None and _worth_more(found, played, level):
        first = [play for _, play, _ in found[:1]]
        found = _ranked(engine, position, level.deeper, [played, *first], met, stop)
    at = next(n for n, (_, play, _) in enumerate(found) if play == played)
    kept = [n for n in range(len(found)) if n < LISTED or n == at]
    return {
        "choices": len(plays), "played": kept.index(at),
        "counts": max(w for w, _, _ in found) - min(w for w, _, _ in found) > EQUAL,
        "candidates": [found[n][2] for n in kept]}


_Ranked = tuple[float, Play, Plain]  # cubeful equity, play, candidate


def _ranked(
    engine: Engine, position: Position, level: Reached, include: list[Play],
    met: MatchEquity | str | None, stop: Stop | None,
) -> list[_Ranked]:
    """(cubeful equity, play, candidate), those at the level asked for first, the best first."""
    if isinstance(level, str):  # decisions share out the threads
        assert position.dice is not None
        analysis = roller.analyse(engine, position, position.dice, ROLLERS[level], cubeful=True,
                                  include=include, met=met, stop=stop, threads=1)
    else:
        analysis = engine.analyse(
            position, level=level, cubeful=True, include=include, met=met, stop=stop)
    return [(c.equity, c.play, _candidate(c)) for c in analysis.candidates]


def _worth_more(found: list[_Ranked], played: Play, level: Level) -> bool:
    """Whether the ranking is close, or what was played costly."""
    best, second = found[0][0], found[1][0]
    done = next(worth for worth, play, _ in found if play == played)
    return best - second < level.close or best - done >= level.costly


def _candidate(candidate: Candidate) -> Plain:
    play = candidate.play
    out: Plain = {
        "play": play.notation, "steps": [[a, b] for a, b, _ in play.steps],
        "equity": round(candidate.equity, 6), "cubeless": round(candidate.cubeless, 6),
        "cubeful": True,
        **_level(candidate.level, candidate.evaluation)}
    out.update(chances_data(play.position.game, candidate.evaluation.probabilities))
    return out


def _level(level: Reached | None, found: Evaluation | CubeDecision) -> Plain:
    if level is None:
        return {"level": "exact", "plies": 0}
    if isinstance(level, int):
        return {"level": level_name(level), "plies": level}
    error = found.standard_error or 0.0
    return {"level": level,
            "rollout": {"trials": found.trials, "standard_error": round(error, 6)}}


def chances_data(game: str, probabilities: Mapping[str, float]) -> Plain:
    nested = nested_of(game, probabilities)
    if nested is None:
        return {"outcomes": {name: round(p, 6) for name, p in probabilities.items()}}
    return {"probabilities": [round(p, 6) for p in nested.values()]}


# ---- the cube --------------------------------------------------------------------------------


def _decided(
    engine: Engine, position: Position, level: Reached, met: MatchEquity | str | None,
    stop: Stop | None,
) -> CubeDecision:
    if isinstance(level, str) and not is_exact(position):  # decisions share out the threads
        return roller.decide(engine, position, ROLLERS[level], met=met, stop=stop, threads=1)
    return engine.cube(position, level, met=met, stop=stop)


def _cube(
    engine: Engine, decision: Decision, level: Level, met: MatchEquity | str | None,
    stop: Stop | None,
) -> Plain:
    position = decision.position.with_(offer="none")
    found = _decided(engine, position, level.plies, met, stop)
    double = found.double
    if level.deeper is not None and not found.exact and double is not None:
        answers = [v for v in (found.double_take, found.double_pass) if v is not None]
        asked = decision.action.kind in ("no_double", "double")
        gap = abs(found.no_double - double) if asked else max(answers) - min(answers)
        done = {"no_double": found.no_double, "double": double, "take": -answers[0],
                "drop": -answers[-1]}.get(decision.action.kind, 0.0)
        best = found.best if asked else -min(answers)
        if gap < 5 * level.close or best - done >= level.costly:
            found = _decided(engine, position, level.deeper, met, stop)
    return {**cube_data(found), **_level(found.level, found)}


def cube_data(found: CubeDecision) -> Plain:
    """A cube decision as plain data, without its level."""
    out: Plain = {
        "no_double": found.no_double, "double_take": found.double_take,
        "double_pass": found.double_pass, "unit": "equity", "cubeless": found.cubeless,
        "cubeful": True}
    if found.beaver is not None:
        out["beaver"] = found.beaver
    out = {key: round(v, 6) if isinstance(v, float) else v for key, v in out.items()}
    return {**out, **chances_data(found.position.game, found.probabilities)}


# ---- resignations ----------------------------------------------------------------------------


def _resign(
    engine: Engine, decision: Decision, level: Level, met: MatchEquity | str | None,
    stop: Stop | None,
) -> Plain:
    """What playing on is worth to the player who resigned, again and deeper if the resignation was
    costly to either side."""
    position, action = decision.position, decision.action
    stakes = stakes_at(position, met)
    if stakes is None or action.points == 0:
        return {}
    given = offered(position, action, stakes)
    found = _play_on(engine, decision, level.plies, met, stop)
    if level.deeper is not None and abs(found["play_on"] - given) >= level.costly:
        found = _play_on(engine, decision, level.deeper, met, stop)
    return {"resign": {**found, "lost": round(found["play_on"] - given, 6)}}


def _play_on(
    engine: Engine, decision: Decision, level: Reached, met: MatchEquity | str | None,
    stop: Stop | None,
) -> Plain:
    """With the best play of the throw if there was one, and the best cube action otherwise."""
    position, action = decision.position, decision.action
    sign = 1 if action.player == position.turn else -1
    if position.dice:
        worth, _, candidate = _ranked(engine, position, level, [], met, stop)[0]
        kept = [key for key in ("level", "plies", "rollout") if key in candidate]
        return {"play_on": round(sign * worth, 6), **{key: candidate[key] for key in kept}}
    found = _decided(engine, position.with_(offer="none"), level, met, stop)
    worth = found.best if position.offer == "none" or found.double is None else found.double
    return {"play_on": round(sign * worth, 6), **_level(found.level, found)}


# ---- luck ------------------------------------------------------------------------------------


def luck_of(
    engine: Engine, asked: Sequence[tuple[Position, tuple[int, int], bool]],
    met: MatchEquity | str | None = None,
) -> list[float]:
    """The luck of throws: cubeful equity of the best play less the average over all throws.

    asked : (position before the throw, the throw, the game's first), all of one game and rules

    Everything at level 0. The first throw of short nardy decides who begins as well, so there the
    average is over both sides beginning.
    """
    plain = [position.with_(dice=None, offer="none") for position, _, _ in asked]
    openings = [first and position.opens_unlike
                for position, (_, _, first) in zip(plain, asked, strict=True)]
    sides = plain + [p.swap() for p, opening in zip(plain, openings, strict=True) if opening]
    worths = iter(_worths(engine, sides, met)) if sides else iter(())
    own = [next(worths) for _ in plain]
    out = []
    unlike = _WAYS == 2
    for position, (_, roll, _), opening, values in zip(plain, asked, openings, own, strict=True):
        stakes = stakes_of(position, met)
        mine = values[ROLLS.index((max(roll), min(roll)))]
        if opening:
            theirs = next(worths)
            turned = 1 - theirs if position.match_length else -theirs
            average = (values[unlike].mean() + turned[unlike].mean()) / 2
        else:
            average = float((values * _WAYS).sum()) / 36
        cube = position.cube
        out.append(stakes.equity(cube, float(mine)) - stakes.equity(cube, float(average)))
    return out


def _worths(
    engine: Engine, positions: Sequence[Position], met: MatchEquity | str | None
) -> list[npt.NDArray[np.float64]]:
    """What each of the 21 rolls is worth to the side on roll: a chance to win, or points."""
    model = engine.model(positions[0])
    game, count = positions[0].game, len(ROLLS)
    boards = np.repeat(np.stack([p.board for p in positions]), count, axis=0)
    dice = np.tile(np.array(ROLLS, dtype=np.uint32), (len(positions), 1))
    choices, _ = model.static.choose_many(boards, dice, 0, threads=engine.threads)
    after = swapped(np.ascontiguousarray(choices["board"][:, 0]))
    chances = flip(choices["probability"][:, 0, :len(model.points)])
    phases, pips = phases_of(game, after), pip_counts(after)
    parameters = CubeEfficiency().parts()
    out = []
    for n, position in enumerate(positions):
        turned = after_turn(position)
        stakes, owner = stakes_of(turned, met), turned.cube_owner
        values = np.empty(count)
        for k in range(count):
            row = n * count + k
            model_ = _value.Model(stakes, chances[row].tolist(), position.cube)
            x = _value.efficiency(parameters, int(phases[row]), int(pips[row]))
            values[k] = _best(model_.values(owner, x), owner)
        out.append(1 - values if position.match_length else -values)
    return out


def _best(values: Mapping[str, float | None], owner: str) -> float:
    """Value after the best cube action of both sides."""
    stay = values[owner]
    assert stay is not None
    answers = [v for v in (values["take"], values["pass"]) if v is not None]
    if owner == "opp" or len(answers) < 2:
        return stay
    return max(stay, min(answers))


def pip_counts(boards: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    """Pips (n,) of the side on roll of boards (n, 8)."""
    total = np.zeros(len(boards), dtype=np.int64)
    for slot in range(1, 26):
        for plane in range(4):
            total += (boards[:, plane] >> slot & 1).astype(np.int64) * (slot << plane)
    return total
