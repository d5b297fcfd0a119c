"""What jobs do: work in a thread that tells how far it is, can be stopped, and taken up again."""
from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from nardy_core import formats
from nardy_core.engine import Engine
from nardy_core.match_analysis import analyse_match
from nardy_core.match_analysis.levels import match_level
from nardy_core.match_record import MatchRecord
from nardy_core.notation import match_play
from nardy_core.play import dice_of
from nardy_core.rollout import RolloutHandle, RolloutPlan
from nardy_core.serve.http.answers import Document, position_of
from nardy_core.serve.http.schemas import MatchJob, RolloutJob

TELL_SECONDS = 0.25  # between reports of a match

log = logging.getLogger("nardy.http")

Report = Callable[[float, "Document | None"], None]  # share done 0..1, what is known so far


class Work(Protocol):
    """One job's work. Made with a request that makes sense, or ValueError is raised there."""

    def run(self, report: Report) -> tuple[Document | None, bool]:
        """Work until the end or `stop`: (result so far, whether it is the whole answer)."""

    def stop(self) -> None:
        """Have `run` return soon; from any thread, at any time."""

    def state(self) -> Document | None:
        """All that is needed to go on later; None where there is nothing yet."""


class RolloutWork:
    """A rollout of a position or of candidates."""

    def __init__(
        self, engine: Engine, asked: RolloutJob, seconds: float, resume: Document | None = None
    ) -> None:
        position = position_of(asked.position)
        if asked.before_roll:
            position = position.with_(dice=None)
        if position.finished:
            raise ValueError("position: the game is over")
        engine.model(position)
        if asked.plays is not None and asked.top is not None:
            raise ValueError("plays, top: give either")
        dice = asked.dice or position.dice
        if asked.plays is not None or asked.top is not None:
            dice = dice_of(position, asked.dice)
        for play in asked.plays or ():
            match_play(position, dice_of(position, asked.dice), play)
        if asked.opening and dice:
            raise ValueError("opening: the roll is known, so nothing is left to exclude")
        limit = min(asked.max_time or seconds, seconds)
        plan: dict[str, Any] = {
            "trials": asked.trials, "seed": asked.seed, "se": asked.se, "jsd": asked.jsd,
            "max_time": limit, "truncate": asked.truncate,
            "variance_reduction": asked.variance_reduction, "cubeful": asked.cubeful,
            "met": asked.met, "efficiency": asked.efficiency, "level": asked.level,
            "late": asked.late, "late_level": asked.late_level}
        RolloutPlan(**plan)
        if position.offer != "none":
            raise ValueError("position: a double is offered; roll out the position before it")
        self._asked: dict[str, Any] = {
            **plan, "cube_level": asked.cube_level, "late_cube_level": asked.late_cube_level,
            "dice": dice, "plays": asked.plays, "top": asked.top, "opening": asked.opening}
        self._engine, self._position, self._resume = engine, position, resume
        self._handle: RolloutHandle | None = None
        self._lock, self._stopped = threading.Lock(), False

    def run(self, report: Report) -> tuple[Document | None, bool]:
        with self._lock:
            if self._stopped:
                return None, False
            try:
                handle = self._engine.rollout(self._position, **self._asked, resume=self._resume)
            except ValueError as error:
                if self._resume is None:
                    raise
                log.warning("begun anew: %s", error)  # other nets, or an older version's state
                handle = self._engine.rollout(self._position, **self._asked)
            self._handle = handle
        try:
            for partial in handle:
                report(handle.fraction, partial.to_dict())
        except RuntimeError:
            if not self._stopped:
                raise
        found = handle.result
        if found is None:
            return None, False
        return found.to_dict(), found.complete or found.reason == "max_time"

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            handle = self._handle
        if handle is not None:
            handle.stop()

    def state(self) -> Document | None:
        handle = self._handle
        return self._resume if handle is None else handle.state()


class MatchWork:
    """The analysis of a match. What was judged is in the engine's cache, so that another run does
    not judge it again: there is no other state."""

    def __init__(self, engine: Engine, asked: MatchJob, seconds: float) -> None:
        record = formats.read(asked.content(), strict=asked.strict, name=asked.name)
        if not isinstance(record, MatchRecord):
            raise ValueError("text: positions, not a match")
        if asked.level != "file":
            match_level(asked.level)
            engine.info(record.game)
        self._engine, self._asked, self._record, self._seconds = engine, asked, record, seconds
        self._flag, self._stopped = threading.Event(), False

    def run(self, report: Report) -> tuple[Document | None, bool]:
        told = time.monotonic()

        def progress(done: int, total: int) -> None:
            nonlocal told
            if time.monotonic() - told > TELL_SECONDS:
                told = time.monotonic()
                report(done / max(total, 1), None)

        timer = threading.Timer(self._seconds, self._flag.set)
        timer.daemon = True
        timer.start()
        try:
            found = analyse_match(
                self._record, level=self._asked.level, engine=self._engine, met=self._asked.met,
                progress=progress, stop=self._flag, name=self._asked.name or "")
        finally:
            timer.cancel()
        return found.to_dict(), found.complete or not self._stopped

    def stop(self) -> None:
        self._stopped = True
        self._flag.set()

    def state(self) -> Document | None:
        return None
