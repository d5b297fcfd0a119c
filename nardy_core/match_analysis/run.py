"""From a file to a judged match."""
from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from nardy_core.game_facts import FACTS
from nardy_core.levels import ROLLERS
from nardy_core.match import MatchEquity, opened
from nardy_core.match_analysis.definitions import Definitions
from nardy_core.match_analysis.judged import Judged, decisions_of, judge
from nardy_core.match_analysis.result import MatchAnalysis
from nardy_core.match_analysis.whole import is_whole
from nardy_core.match_record import Decision, MatchRecord

if TYPE_CHECKING:
    from nardy_core.engine import Engine
    from nardy_core.match_analysis.levels import Level

FILE = "file"  # the level that takes the file's own analysis
LOOK = 0.1  # seconds between looks at the stop flag
SAVED = 2.0  # seconds of work that may be lost when the process is killed

Source = MatchRecord | str | bytes | os.PathLike[str]
Place = tuple[int, int, str]  # game, number, kind
Progress = Callable[[int, int], object]


class Flag(Protocol):
    """What can ask for an end: a threading.Event, or the like."""

    def is_set(self) -> bool: ...


def analyse_match(
    source: Source, *, level: Level | int | str = "standard", engine: Engine | None = None,
    definitions: Definitions | None = None, met: MatchEquity | str | None = None,
    threads: int | None = None, progress: Progress | None = None, stop: Flag | None = None,
    cache: bool = True, strict: bool = False, name: str | None = None, error: str = "",
) -> MatchAnalysis:
    """Judge every decision of a match: checker plays, cube actions, decisions not to double, luck.

    source : a file, its bytes or text in any form of `nardy_core.formats`, or a MatchRecord
    level : "fast", "standard", "deep", "roller", "roller+", "roller++", or plies; see
        `nardy_core.match_analysis.levels`. "file" takes the analysis that the file brings along,
        and no engine
    engine : None makes one with the shipped nets
    definitions : what the figures mean; see `nardy_core.match_analysis.definitions`
    met : match equity table; Kazaross-XG2 by default, in long nardy one made for its rules
    threads : None = as many as the engine has
    progress : called with (decisions judged, all of them) from the calling thread
    stop : once it is set, the answer comes soon, with `complete` False if anything is missing
    cache : keep judgements in the cache directory and take those that are there
    strict : refuse plays against the rules and other oddities of the file
    name : what the result calls the file
    error : what went wrong in reading the rest of it

    The result does not depend on threads or cache. Raises what `formats.read` raises, and
    UnsupportedError where no nets know the game. Ctrl-C keeps in the cache what was judged.
    """
    record, called = _record(source, strict, name)
    name = called if name is None else name
    definitions = definitions or Definitions()
    table = None
    if record.length and (met is not None or not FACTS[record.game].met_from_rules):
        table = opened(met)
    own = judge(record, met=table)
    brought = any(d.lost is not None and not d.forced or d.luck is not None for d in own)
    common: dict[str, Any] = {
        "record": record, "definitions": definitions, "met": table,
        "name": name, "error": error}
    if level == FILE:
        if not brought:
            raise ValueError(f"{name}: no analysis in it, choose another level than {FILE}")
        return MatchAnalysis(decisions=own, engine=_program(own), **common)
    from nardy_core.match_analysis.levels import match_level

    chosen = match_level(level)
    if engine is None:
        from nardy_core.engine import Engine

        engine = Engine(threads=threads)
    work = _Work(record, chosen, engine, table, threads or engine.threads, cache)
    analyses, complete = work.run(progress, stop)
    return MatchAnalysis(
        decisions=_stopped(judge(record, analyses, met=table), complete),
        foreign=own if brought else (), level=chosen.name,
        engine=engine.info(record.game).to_dict(), complete=complete, **common)


def _record(source: Source, strict: bool, name: str | None) -> tuple[MatchRecord, str]:
    if isinstance(source, MatchRecord):
        return source, ""
    from nardy_core import formats

    found = formats.read(source, strict=strict, name=name)
    called = name or (Path(source).name if isinstance(source, (str, os.PathLike)) else "file")
    if not isinstance(found, MatchRecord):
        raise ValueError(f"{called}: positions, not a match")
    return found, called


def _program(judged: Sequence[Judged]) -> dict[str, Any]:
    name = next((str(d.analysis["program"]) for d in judged if d.analysis.get("program")), "?")
    return {"name": name}


def _stopped(judged: tuple[Judged, ...], complete: bool) -> tuple[Judged, ...]:
    if complete:
        return judged
    from dataclasses import replace

    return tuple(replace(d, reason="stopped") if d.reason == "not analysed" else d
                 for d in judged)


class _Work:
    """One match at one level."""

    def __init__(
        self, record: MatchRecord, level: Level, engine: Engine, met: MatchEquity | None,
        threads: int, cache: bool,
    ) -> None:
        from nardy_core.match_analysis.store import Judgements

        self.record, self.level, self.engine, self.met = record, level, engine, met
        self.threads = threads
        self.store = Judgements() if cache else None
        self.info = engine.info(record.game).to_dict()

    def run(
        self, progress: Progress | None, stop: Flag | None
    ) -> tuple[dict[Place, Mapping[str, Any]], bool]:
        """The analyses, and whether they are all there."""
        from nardy_core.evaluator import Stop

        places: dict[Place, Decision] = {}
        for game, number, decision in decisions_of(self.record):
            places[game, number, decision.action.kind] = decision
        found: dict[Place, Mapping[str, Any]] = {}
        flag, pool = Stop(), ThreadPoolExecutor(self.threads)
        try:
            keys = {place: self._key(decision) for place, decision in places.items()}
            if self.store:
                for place, key in keys.items():
                    kept = self.store.get(key)
                    if kept is not None and is_whole(places[place], kept):
                        found[place] = kept
            left = [place for place in places if place not in found]
            if not (stop and stop.is_set()):
                self._all(pool, left, places, keys, found, flag, progress, stop)
        finally:
            flag.set()
            pool.shutdown(wait=True, cancel_futures=True)
            if self.store:
                self.store.close()
        return {place: {**answer, "program": self._name()} if answer else answer
                for place, answer in found.items()}, len(found) == len(places)

    def _name(self) -> str:
        return f"{self.info['name']} {self.info['version']}"

    def _key(self, decision: Decision) -> bytes:
        import dataclasses

        from nardy_core.match_analysis.store import key_of

        action = decision.action
        met = None if self.met is None else self.met.digest
        level = dataclasses.asdict(self.level)
        level.pop("name")
        more = (action.player, action.points) if action.kind == "resign" else ()
        if isinstance(self.level.deeper, str):
            level["deeper"] = dataclasses.asdict(ROLLERS[self.level.deeper])
        return key_of(decision.position.id("text"), action.kind, action.dice, action.steps,
                      action.legal, level, self.info, met, *more)

    def _all(
        self, pool: ThreadPoolExecutor, left: list[Place], places: Mapping[Place, Decision],
        keys: Mapping[Place, bytes], found: dict[Place, Mapping[str, Any]], flag: Any,
        progress: Progress | None, stop: Flag | None,
    ) -> None:
        from nardy_core.match_analysis.assess import assess, luck_of

        total = len(places)
        if progress:
            progress(len(found), total)
        rolls = [place for place in left if places[place].action.dice]
        asked = [(places[p].position, places[p].action.dice or (1, 1), p[1] == 0) for p in rolls]
        lucks = dict(zip(rolls, luck_of(self.engine, asked, self.met), strict=True))
        waiting: dict[Future[dict[str, Any]], Place] = {
            pool.submit(assess, self.engine, places[place], self.level, self.met, flag): place
            for place in left}
        saved = time.monotonic()
        while waiting:
            done, _ = wait(waiting, timeout=LOOK, return_when=FIRST_COMPLETED)
            for future in done:
                place = waiting.pop(future)
                answer = future.result()
                if place in lucks:
                    answer["luck"] = round(lucks[place], 6)
                found[place] = answer
                if self.store:
                    self.store.put(keys[place], answer)
            if self.store and time.monotonic() - saved > SAVED:
                self.store.flush()
                saved = time.monotonic()
            if done and progress:
                progress(len(found), total)
            if stop and stop.is_set():
                return


