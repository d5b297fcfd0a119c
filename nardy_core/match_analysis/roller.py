"""Close and costly decisions settled by truncated rollouts with the cube in play.

The dice come from a fixed seed and the trials end by a rule that looks at them alone, so the same
decision gets the same numbers every time.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nardy_core.cube import CubeDecision, from_lines
from nardy_core.engine import Engine
from nardy_core.errors import Cancelled
from nardy_core.evaluator import Stop
from nardy_core.match import DEFAULT, MatchEquity
from nardy_core.match_analysis.levels import ROLLER
from nardy_core.play import Play
from nardy_core.position import Position
from nardy_core.rollout import RolloutHandle
from nardy_core.rollout_result import RolloutEntry, RolloutResult

TRIALS, TRUNCATE, APART = 720, 10, 3.0  # most trials; plies; standard errors that settle it
ROLLED, WITHIN = 4, 0.10  # candidates that are rolled out
LOOK = 0.1  # seconds between looks at the stop flag

Plain = dict[str, Any]
Ranked = tuple[float, Play, Plain]


def rolled_plays(
    engine: Engine, position: Position, dice: tuple[int, int] | None, played: Play,
    found: list[Ranked], met: MatchEquity | str | None, stop: Stop | None,
) -> list[Ranked]:
    """The ranking again: the best candidates and the play that was made by rollout, the rest after
    them as they were."""
    best = found[0][0]
    chosen = [play for worth, play, _ in found[:ROLLED] if best - worth <= WITHIN]
    chosen += [played] if played not in chosen else []
    if len(chosen) < 2:
        chosen.append(found[1][1] if found[0][1] == played else found[0][1])
    handle = engine.rollout(
        position, dice, plays=chosen, trials=TRIALS, truncate=TRUNCATE, jsd=APART, cubeful=True,
        met=_name(met), threads=1)
    result = _waited(handle, stop)
    rows: list[Ranked] = []
    for entry in result.entries:
        assert entry.play is not None
        before = next(item for _, play, item in found if play == entry.play)
        item = {**before, **_numbers(entry), "equity": round(entry.equity, 6)}
        item.pop("plies", None)
        rows.append((entry.equity, entry.play, item))
    rows.sort(key=lambda row: (-row[0], row[1].packed))
    return rows + [row for row in found if row[1] not in chosen]


def rolled_cube(
    engine: Engine, position: Position, before: CubeDecision, met: MatchEquity | str | None,
    stop: Stop | None,
) -> Plain:
    """The cube decision by rollout."""
    from nardy_core.match_analysis.assess import cube_data

    handle = engine.rollout(
        position.with_(dice=None), trials=TRIALS, truncate=TRUNCATE, jsd=APART, cubeful=True,
        met=_name(met), threads=1)
    lines = {entry.line: entry for entry in _waited(handle, stop).entries}
    if set(lines) != {"no_double", "double_take"}:  # the cube cannot be turned
        return {**cube_data(before), "level": f"{before.level}-ply"}
    stay, take = lines["no_double"], lines["double_take"]
    decision = from_lines(
        position, _sound(stay.probabilities), stay.equity, take.equity, met=met)
    return {**cube_data(decision), **_numbers(stay)}


def _waited(handle: RolloutHandle, stop: Stop | None) -> RolloutResult:
    while True:
        try:
            return handle.wait(LOOK)
        except TimeoutError:
            if stop is not None and stop.is_set():
                handle.stop()
                raise Cancelled("rollout: stopped") from None


def _numbers(entry: RolloutEntry) -> Plain:
    """What a rollout changes in a candidate or a cube decision."""
    from nardy_core.match_analysis.assess import chances_data

    return {
        "level": ROLLER, "cubeless": round(entry.cubeless, 6),
        "rollout": {"trials": entry.trials, "standard_error": round(entry.standard_error, 6)},
        **chances_data(entry.position.game, _sound(entry.probabilities))}


def _sound(chances: Mapping[str, float]) -> dict[str, float]:
    """Chances that add up to 1; with the luck taken out some may have come out below 0."""
    raised = {name: max(value, 0.0) for name, value in chances.items()}
    whole = sum(raised.values())
    return {name: value / whole for name, value in raised.items()}


def _name(met: MatchEquity | str | None) -> str | None:
    """Rollouts take a table by its name or file."""
    if isinstance(met, MatchEquity):
        if met.name != MatchEquity.open(DEFAULT).name:
            raise ValueError(f"met: rollouts cannot use the table {met.name}, choose another level")
        return None
    return met
