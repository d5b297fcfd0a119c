"""Tables of plays: openings and replies, and what each roll of a position is worth."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from nardy_core.checks import shown
from nardy_core.cube_inputs import CubeEfficiency
from nardy_core.cubeful import ranked_by_cube
from nardy_core.errors import FileFormatError
from nardy_core.files import read_bytes
from nardy_core.levels import Level
from nardy_core.notation import match_play
from nardy_core.play import ROLLS, UNLIKE, ways
from nardy_core.position import Position
from nardy_core.rollout_question import unlike
from nardy_core.table import Table, table_of

if TYPE_CHECKING:
    from nardy_core.engine import Engine

_KEPT = ("play", "equity", "difference", "level", "standard_error")
_DIGITS = 6
_MOST = 64 << 20  # bytes of a file that keeps rolls

Done = Callable[[int, int], object]  # told (finished, all) after each roll
Rows = list[list[Any]]


def openings(
    engine: Engine | None = None,
    *,
    start: Position | None = None,
    level: Level = 0,
    top: int = 3,
    trials: int = 0,
    seed: int = 1,
    save: str | os.PathLike[str] | None = None,
    progress: Done | None = None,
) -> Table:
    """The best plays of the first roll of a game, for each roll that it can be.

    start : a start position and its rules; None = that of backgammon for money
    level : what judges the plays, as for `Engine.analyse`
    top : so many plays of each roll
    trials : above 0, the plays are rolled out so many times, in the order that gives; like the
        search, with the cube in play but for long nardy for points
    seed : of the rollouts
    save : a file that keeps every finished roll; where it exists the table goes on from it
    progress : called with (finished, all) rolls

    Columns: dice, rank, play, equity, difference (to the best of the roll), level, standard_error
    (None without a rollout). ValueError if `save` belongs to other settings, nets or cube
    efficiencies, FileFormatError (a ValueError) if it is no file of a table or damaged, OSError if
    it cannot be written.
    """
    position = (start or Position.start()).with_(dice=None)
    work = _Judge(engine, level, top, trials, seed)
    rolls = UNLIKE if position.opens_unlike else ROLLS
    question = {"table": "openings", "start": position.id(), **work.settings(position)}
    tasks = {_word(roll): (lambda roll=roll: work(position, roll)) for roll in rolls}
    found = _kept(save, question, tasks, progress)
    rows = ([dice, *row] for dice, kept in found.items() for row in kept)
    return table_of(("dice", "rank", *_KEPT), rows)


def replies(
    engine: Engine | None = None,
    *,
    start: Position | None = None,
    plays: Mapping[str, str] | None = None,
    level: Level = 0,
    top: int = 1,
    trials: int = 0,
    seed: int = 1,
    save: str | os.PathLike[str] | None = None,
    progress: Done | None = None,
) -> Table:
    """The best replies to opening plays, for each of the 21 rolls.

    plays : opening roll to opening play, as {"31": "8/5 6/5"}; None = the engine's best play of
        every roll at `level`
    Other arguments as for `openings`.

    Columns: opening, opening_play, dice, rank, play, equity (of the side that replies),
    difference, level, standard_error.
    """
    position = (start or Position.start()).with_(dice=None)
    work = _Judge(engine, level, top, trials, seed)
    if plays is None:
        rolls = UNLIKE if position.opens_unlike else ROLLS
        first = {roll: work.best(position, roll) for roll in rolls}
    else:
        pairs = {_roll(dice): play for dice, play in plays.items()}
        if len(pairs) < len(plays):
            raise ValueError("plays: two for one roll")
        first = {roll: match_play(position, roll, play) for roll, play in pairs.items()}
    tasks = {}
    for roll, play in first.items():
        for answer in ROLLS:
            tasks[f"{_word(roll)} {play.notation} {_word(answer)}"] = (
                lambda play=play, answer=answer: work(play.result, answer)
            )
    question = {"table": "replies", "start": position.id(), **work.settings(position),
                "plays": {_word(roll): play.notation for roll, play in first.items()}}
    found = _kept(save, question, tasks, progress)

    def rows() -> Iterator[Sequence[Any]]:
        for key, kept in found.items():
            opening, _, rest = key.partition(" ")
            play, _, dice = rest.rpartition(" ")
            for row in kept:
                yield opening, play, dice, *row

    return table_of(("opening", "opening_play", "dice", "rank", *_KEPT), rows())


def rolls(position: Position, engine: Engine | None = None, *, level: Level = 0) -> Table:
    """What each roll is worth to the side on roll: its best play, its equity, its luck.

    level : what judges the plays, as for `Engine.analyse`

    Columns, the luckiest roll first: dice, ways (out of 36; a first roll of unlike dice out of
    30), play, equity, luck (equity less the mean over all rolls, the position's own at level + 1),
    level. Equities are in units of the present cube.
    """
    if position.finished:
        raise ValueError("rolls: the game is over")
    work = _Judge(engine, level, 1, 0, 1)
    before = position.with_(dice=None, offer="none", resigned=0)
    possible = UNLIKE if before.opens_unlike else ROLLS
    found = []
    for roll in possible:
        _, play, equity, _, reached, _ = work(before, roll)[0]
        found.append((_word(roll), ways(roll), play, equity, reached))
    mean = sum(count * equity for _, count, _, equity, _ in found) / sum(row[1] for row in found)
    found.sort(key=lambda row: (-row[3], row[0]))
    return table_of(
        ("dice", "ways", "play", "equity", "luck", "level"),
        ((dice, count, play, equity, equity - mean, reached)
         for dice, count, play, equity, reached in found),
    )


def _word(roll: tuple[int, int]) -> str:
    return f"{max(roll)}{min(roll)}"


def _roll(dice: str) -> tuple[int, int]:
    if len(dice) != 2 or any(c not in "123456" for c in dice):
        raise ValueError(f"dice: {ascii(dice)[:40]} is not a roll like 31")
    return int(max(dice)), int(min(dice))


class _Judge:
    """Ranks the plays of a roll by search, or by a rollout of those that search puts first."""

    def __init__(
        self, engine: Engine | None, level: Level, top: int, trials: int, seed: int
    ) -> None:
        if engine is None:
            from nardy_core.engine import Engine

            engine = Engine()
        if top < 1 or trials < 0:
            raise ValueError(f"top, trials: {top} and {trials} are not counts")
        self.engine, self.level, self.top, self.trials, self.seed = engine, level, top, trials, seed

    def settings(self, position: Position) -> dict[str, Any]:
        """All that the rows depend on, beside the position."""
        return {"level": self.level, "top": self.top, "trials": self.trials, "seed": self.seed,
                "efficiencies": CubeEfficiency().parts() if ranked_by_cube(position) else None,
                "engine": self.engine.info(position.game).to_dict()}

    def best(self, position: Position, roll: tuple[int, int]) -> Any:
        return self.engine.analyse(position, roll, level=self.level, top=1).best.play

    def __call__(self, position: Position, roll: tuple[int, int]) -> Rows:
        """Rows of rank, play, equity, difference, level, standard error."""
        found = self.engine.analyse(position, roll, level=self.level, top=self.top)
        if not self.trials:
            return [[rank, c.play.notation, round(c.equity, _DIGITS), round(c.difference, _DIGITS),
                     c.level, None] for rank, c in enumerate(found.candidates, 1)]
        plays = [c.play for c in found.candidates]
        result = self.engine.rollout(
            position, roll, plays=plays, trials=self.trials, seed=self.seed,
            cubeful=ranked_by_cube(position)).wait()
        return [[rank, e.play.notation if e.play else "", round(e.equity, _DIGITS),
                 round(e.difference, _DIGITS), self.level, round(e.standard_error, _DIGITS)]
                for rank, e in enumerate(result.entries, 1)]


# ---- files that a long table goes on from -------------------------------------------------------


def _kept(
    save: str | os.PathLike[str] | None,
    question: dict[str, Any],
    tasks: Mapping[str, Callable[[], Rows]],
    progress: Done | None,
) -> dict[str, Rows]:
    """Results of all tasks by name, in their order: those that the file has, and the others done
    now and written there, a line each, as soon as they are known."""
    path = None if save is None else Path(save)
    found = {} if path is None else _read(path, question)
    for name, task in tasks.items():
        if name not in found:
            found[name] = task()
            if path is not None:
                _append(path, {"task": name, "rows": found[name]})
        if progress is not None:
            progress(len(found.keys() & tasks.keys()), len(tasks))
    return {name: found[name] for name in tasks}


def _read(path: Path, question: dict[str, Any]) -> dict[str, Rows]:
    """What a file has kept; begins it where there is none. A last line that was cut short when the
    machine stopped is taken off."""
    asked = json.loads(json.dumps(question))
    data = read_bytes(path, _MOST) if path.exists() else b""
    whole = data[: data.rfind(b"\n") + 1]
    if not whole and json.dumps(asked).encode().startswith(data):
        path.write_bytes(b"")
        _append(path, asked)
        return {}
    try:
        head, *lines = [json.loads(line) for line in whole.split(b"\n")[:-1]] or [None]
    except (ValueError, RecursionError):
        head, lines = None, []
    if not isinstance(head, dict) or "table" not in head:
        raise FileFormatError(f"{path}: it is not a table's file")
    if head != asked:
        raise ValueError(f"{path}: it was made with other settings{_where(head, asked)}")
    found: dict[str, Rows] = {}
    for number, line in enumerate(lines, 2):
        task, rows = (line.get(key) if isinstance(line, dict) else None for key in ("task", "rows"))
        if not isinstance(task, str) or not _are_rows(rows):
            raise FileFormatError(f"{path}: it is damaged in line {number}, {shown(line)}")
        found[task] = rows
    if len(whole) < len(data):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return found


def _are_rows(rows: Any) -> TypeGuard[Rows]:
    """Are they what a `_Judge` gives: at least one, ranked from 1 on?"""
    if not isinstance(rows, list) or not rows:
        return False
    for rank, row in enumerate(rows, 1):
        if not isinstance(row, list) or len(row) != 1 + len(_KEPT):
            return False
        found, play, equity, difference, level, error = row
        if type(found) is not int or found != rank or not isinstance(play, str):
            return False
        if not (_is_number(equity) and _is_number(difference)):
            return False
        if not (level is None or isinstance(level, str) or type(level) is int):
            return False
        if error is not None and not _is_number(error):
            return False
    return True


def _is_number(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _where(there: Any, asked: Mapping[str, Any]) -> str:
    """The first setting in which they differ."""
    difference = unlike(there, asked) if isinstance(there, dict) else ""
    return f": {difference}" if difference else ""


def _append(path: Path, line: Mapping[str, Any]) -> None:
    with path.open("ab") as file:
        file.write(json.dumps(line).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
