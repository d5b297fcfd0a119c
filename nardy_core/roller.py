"""Rollers at work: truncated rollouts with fixed dice in place of look-ahead; see `levels`."""
from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nardy_core._border._rollout import MAX_SUBJECTS
from nardy_core.analysis import Analysis, Candidate, Evaluation, made
from nardy_core.cube import from_lines, from_values
from nardy_core.cube_inputs import CubeEfficiency, stakes_of
from nardy_core.cubeful import has_stakes, ranked_by_cube
from nardy_core.errors import Cancelled
from nardy_core.levels import Roller
from nardy_core.match import MatchEquity
from nardy_core.rollout_result import LINES, RolloutEntry

if TYPE_CHECKING:
    from nardy_core.cube import CubeDecision
    from nardy_core.engine import Engine
    from nardy_core.evaluator import Plan, Stop
    from nardy_core.play import Play
    from nardy_core.position import Position

SEED = 1  # of all rollers: the dice belong to the level
LOOK = 0.1  # seconds between looks at the stop flag

Table = MatchEquity | str | None
Efficiency = float | CubeEfficiency | None


def analyse(
    engine: Engine, position: Position, dice: tuple[int, int], roller: Roller, *,
    cubeful: bool | None = None, top: int | None = None, include: Sequence[Play] = (),
    met: Table = None, efficiency: Efficiency = None, plan: Plan | None = None,
    stop: Stop | None = None, threads: int | None = None,
) -> Analysis:
    """`Engine.analyse` with a roller as the level; `threads`: None = the engine's."""
    by_cube = ranked_by_cube(position) if cubeful is None else cubeful
    before = engine.analyse(
        position, dice, level=roller.plies, cubeful=by_cube, include=include, met=met,
        efficiency=efficiency, plan=plan, stop=stop)
    least = max(top or 1, 1)
    first = [c for rank, c in enumerate(before.candidates)
             if rank < least or c.play in include
             or (rank < roller.keep and -c.difference <= roller.within)]
    rolled: dict[Play, Evaluation] = {}

    def roll(candidates: Sequence[Candidate]) -> None:
        for at in range(0, len(candidates), MAX_SUBJECTS):
            for entry in _roll(
                    engine, position, dice, [c.play for c in candidates[at:at + MAX_SUBJECTS]],
                    roller, by_cube, met, efficiency, threads, stop):
                assert entry.play is not None
                rolled[entry.play] = _evaluation(engine, position, roller, entry, by_cube)

    roll(first)
    # Nobody who was left behind may be ahead of all that were rolled out.
    while left := [c for c in before.candidates if c.play not in rolled]:
        ahead = max(left, key=lambda c: c.equity)
        if ahead.equity <= max(map(_worth, rolled.values())):
            break
        roll([ahead])
    ranking = {c.play: rank for rank, c in enumerate(before.candidates)}
    rows = sorted(rolled.items(), key=lambda item: (-_worth(item[1]), ranking[item[0]]))
    rows += [(c.play, c.evaluation) for c in left]
    best = _worth(rows[0][1])
    candidates = tuple(
        Candidate(play, found, _worth(found) - best) for rank, (play, found) in enumerate(rows)
        if top is None or rank < top or play in include)
    return dataclasses.replace(before, level=roller.name, candidates=candidates)


def evaluate(
    engine: Engine, position: Position, roller: Roller, *, cubeful: bool = True,
    met: Table = None, efficiency: Efficiency = None, stop: Stop | None = None,
) -> Evaluation:
    """`Engine.evaluate` with a roller as the level."""
    if position.finished:
        return dataclasses.replace(engine.evaluate(position, cubeful=False), level=roller.name)
    plain = position.with_(dice=None, offer="none", resigned=0)
    entry, = _roll(engine, plain, None, None, roller, False, None, None, None, stop)
    found = dataclasses.replace(
        _evaluation(engine, plain, roller, entry, False), position=position)
    if not cubeful or not has_stakes(position):
        return found
    decision = decide(engine, plain, roller, met=met, efficiency=efficiency, stop=stop)
    return dataclasses.replace(found, cubeful=decision.best, mwc=decision.best_mwc,
                               standard_error=decision.standard_error)


def decide(
    engine: Engine, position: Position, roller: Roller, *, met: Table = None,
    efficiency: Efficiency = None, stop: Stop | None = None, threads: int | None = None,
) -> CubeDecision:
    """`Engine.cube` with a roller as the level: no double, and double and take, with the same
    dice."""
    entries = _roll(engine, position.with_(dice=None, offer="none", resigned=0), None, None,
                    roller, True, met, efficiency, threads, stop)
    stay, take = entries[0], None
    lines = {entry.line: entry for entry in entries}
    if set(lines) == set(LINES):
        stay, take = lines["no_double"], lines["double_take"]
        found = from_lines(position, [*stay.sound.values()], stay.equity, take.equity,
                           efficiency=efficiency, met=met)
    else:  # the side on roll may not double
        values: dict[str, float | None] = dict.fromkeys((
            "cubeless_doubled", "centre", "own", "opp", "take", "pass", "beaver", "beaver_pass",
            "raccoon", "raccoon_pass", "doubled"))
        stakes = stakes_of(position, met)
        values[position.cube_owner] = stakes.unequity(position.cube, stay.equity)
        found = from_values(position, [*stay.sound.values()], {
            **values, "cubeless": stakes.unequity(position.cube, stay.cubeless)},
            efficiency=efficiency, met=met)
    error = stay.standard_error
    if found.double is not None and found.double > found.no_double and take is not None:
        error = 0.0 if found.double == found.double_pass else take.standard_error
    return dataclasses.replace(
        found, level=roller.name, trials=stay.trials, standard_error=error,
        engine=engine.model(position).info)


def _roll(
    engine: Engine, position: Position, dice: tuple[int, int] | None,
    plays: Sequence[Play] | None, roller: Roller, cubeful: bool, met: Table,
    efficiency: Efficiency, threads: int | None, stop: Stop | None,
) -> tuple[RolloutEntry, ...]:
    """What the roller says of the plays, of both lines of a cube decision, or of a position."""
    handle = engine.rollout(
        position, dice, plays=plays, trials=roller.trials, seed=SEED, truncate=roller.truncate,
        level=roller.level, late=roller.late, late_level=roller.late_level, cubeful=cubeful,
        met=met, efficiency=efficiency, threads=threads)
    while True:
        try:
            return handle.wait(LOOK).entries
        except TimeoutError:
            if stop is not None and stop.is_set():
                handle.stop()
                raise Cancelled("rollout: stopped") from None


def _evaluation(
    engine: Engine, position: Position, roller: Roller, entry: RolloutEntry, cubeful: bool
) -> Evaluation:
    chances = tuple(entry.sound.values())
    found = made(position, "own", chances, roller.name, engine.model(position).info)
    return dataclasses.replace(
        found, cubeful=entry.equity if cubeful else None, mwc=entry.mwc if cubeful else None,
        trials=entry.trials, standard_error=entry.standard_error)


def _worth(found: Evaluation) -> float:
    return found.equity if found.cubeful is None else found.cubeful
