"""A question of a UBGI GUI at work in a thread, with limits and with better answers as it goes."""
from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Generator

from nardy_core.analysis import nested_of
from nardy_core.cube import CubeDecision
from nardy_core.cubeful import ranked_by_cube
from nardy_core.engine import Engine
from nardy_core.errors import Cancelled
from nardy_core.evaluator import Stop
from nardy_core.levels import ROLLERS, Level
from nardy_core.notation import format_play
from nardy_core.play import Play
from nardy_core.position import Position
from nardy_core.rollout import RolloutHandle
from nardy_core.rollout_result import RolloutResult
from nardy_core.serve.decide import action_of, best_play, decision

CANDIDATES = 5  # of a rollout
LOOK_SECONDS = 0.1  # between looks at a rollout


class Fault(Exception):
    """An answer `error`: its kind, see `ubgi`, and a text."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


@dataclasses.dataclass(frozen=True)
class Limits:
    depth: int | None = None
    movetime: int | None = None
    trials: int = 0

    @property
    def long(self) -> bool:
        return self.movetime is not None or self.trials > 0 or (self.depth or 0) > 3


@dataclasses.dataclass(frozen=True)
class Found:
    """An answer so far: a play or a cube action, both for a turn."""

    play: Play | None = None
    action: str = ""


class Search:
    """A question at work in a thread of its own; better answers follow one another."""

    def __init__(
        self, engine: Engine, position: Position, role: str, levels: list[Level], limits: Limits,
        seed: int, threads: int, cubeful: bool, tell: Callable[[str], object],
    ) -> None:
        self.engine, self.position, self.role = engine, position, role
        self.levels, self.limits, self.seed, self.threads = levels, limits, seed, threads
        # None: by the cube wherever it is part of the game.
        self.cubeful = None if cubeful else False
        self.found: Found | None = None
        self.stopped = Stop()
        self._tell = tell

    @property
    def long(self) -> bool:
        return self.limits.long or isinstance(self.levels[-1], str)

    def work(self) -> Found:
        if not self.limits.trials:
            steps = self._deepen()
        else:
            steps = self._roll_cube() if self.role == "cube" else self._rollout()
        with contextlib.closing(steps), contextlib.suppress(Cancelled):
            for found in steps:
                self.found = found
                if self.stopped.is_set():
                    break
        if self.found is None:
            raise Fault("state", "the search ended before it had an answer")
        return self.found

    def _deepen(self) -> Generator[Found, None, None]:
        began = time.monotonic()
        for level in self.levels:
            stop = self.stopped if level else None  # there is an answer in any case
            play, action = None, ""
            if self.role != "chequer":
                cube = self._cube(level, stop)
                action = _cube_word(cube)
                equity, chances = cube.best, nested_of(self.position.game, cube.probabilities)
            if self.role != "cube":
                best = best_play(self.engine, self.position, level, stop, self.cubeful)
                play, equity, chances = best.play, best.equity, best.evaluation.nested
            seen = f"depth {level + 1}" if isinstance(level, int) else (
                f"trials {ROLLERS[level].trials}")
            facts = [f"{seen} time_ms {1000 * (time.monotonic() - began):.0f}",
                     f"eq {equity:.4f}"]
            for key, name in (("pwin", "win"), ("pgammon", "win_gammon"),
                              ("pbg", "win_backgammon")):
                if chances:
                    facts.append(f"{key} {chances[name]:.4f}")
            self._inform(facts, play)
            yield Found(play, action)

    def _cube(self, level: Level, stop: Stop | None = None) -> CubeDecision:
        return decision(self.engine, self.position.with_(dice=None), level, stop)

    def _rollout(self) -> Generator[Found, None, None]:
        action = _cube_word(self._cube(self.levels[-1])) if self.role == "turn" else ""
        limit = self.limits.movetime
        plays = [candidate.play for candidate in self.engine.analyse(
            self.position, cubeful=self.cubeful, top=CANDIDATES).candidates]
        handle = self.engine.rollout(
            self.position, plays=plays, trials=self.limits.trials, seed=self.seed,
            threads=self.threads,
            cubeful=self.cubeful is None and ranked_by_cube(self.position),
            max_time=None if limit is None else max(limit, 1) / 1000)
        yield Found(plays[0], action)
        for result in self._results(handle):
            best = result.entries[0]
            self._inform([*_progress(result),
                          f"eq {best.equity:.4f} se {best.standard_error:.4f}"], best.play)
            yield Found(best.play, action)

    def _roll_cube(self) -> Generator[Found, None, None]:
        """Both lines, no double and double/take; where there is no cube to turn, the search."""
        asked = self.position.with_(dice=None)
        yield Found(action=_cube_word(self._cube(self.levels[-1])))
        if asked.offer not in ("none", "doubled"):
            raise Fault("unsupported", "rollouts of beavers")
        limit = self.limits.movetime
        handle = self.engine.rollout(
            asked.with_(offer="none"), trials=self.limits.trials, seed=self.seed,
            threads=self.threads, cubeful=True,
            max_time=None if limit is None else max(limit, 1) / 1000)
        for result in self._results(handle):
            found = result.decision
            equity = result.equity if found is None else found.best
            self._inform([*_progress(result), f"eq {equity:.4f} se {result.standard_error:.4f}"],
                         None)
            if found is not None:
                yield Found(action=_cube_word(dataclasses.replace(found, position=asked)))

    def _results(self, handle: RolloutHandle) -> Generator[RolloutResult, None, None]:
        """What a rollout knows, each time that it knows more, until its end or a stop."""
        known = 0
        try:
            while not self.stopped.is_set():
                running = handle.running
                result = handle.result
                if result and result.trials > known:
                    known = result.trials
                    yield result
                if not running:
                    handle.wait()  # raises what went wrong
                    break
                with contextlib.suppress(TimeoutError):
                    handle.wait(LOOK_SECONDS)
        finally:
            handle.stop()

    def _inform(self, facts: list[str], play: Play | None) -> None:
        words = f"info role {self.role} " + " ".join(facts)
        self._tell(f"{words} pv {payload(play)}" if play else words)


def _progress(result: RolloutResult) -> list[str]:
    return [f"trials {result.trials} time_ms {1000 * result.seconds:.0f}"]


def _cube_word(found: CubeDecision) -> str:
    action = action_of(found)
    return "nodouble" if action == "roll" else action


def payload(play: Play) -> str:
    return format_play(play.steps, "ubgi") or "pass"
