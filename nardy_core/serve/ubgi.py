r"""A UBGI engine (Universal Backgammon Interface) on stdin and stdout: `nardy serve ubgi`.

A GUI starts the process, writes commands and reads answers, a line each. All three dialects in use
work at the same time.

| command | dialect | answer |
|---|---|---|
| `ubgi` | all | `id …`, `proto 0.2`, `option …`, `key …`, `ubgiok` (draft: `readyok`) |
| `isready` | 0.1 0.2 | `readyok`, during a search, too |
| `setoption name N value V` | 0.1 | |
| `set K V`, `get K`, `keys` | 0.2 | nothing, `value K V`, `key …` for each |
| `newgame` | 0.1 0.2 | the start of the variant, cube in the centre, no dice, p0 on roll |
| `newsession type money [jacoby on\|off] [beavers on\|off]` | 0.1 | score 0 0 |
| `newsession type match length N [crawford on\|off]` | 0.1 | score 0 0 |
| `setscore P0 P1`, `setturn p0\|p1` | 0.1 | |
| `setcube value N owner center\|p0\|p1` | 0.1 | |
| `position FORM ID` | 0.1 0.2 | FORM: gnubgid, xgid, ogid, fibs, ndid, ln, text, start |
| `dice A B`, `dice none` | 0.1 0.2 | |
| `go [role] [chequer\|cube\|turn] [LIMITS]` | 0.1 0.2 | `info …`, then the answer, see below |
| `stop` | all | ends a search, which answers at once with what it has |
| a FIBS board, XGID, OGID or NDID | draft | the play, `roll`, `double`, `take`, `drop`, `beaver` |
| `quit` | all | ends the engine |

`go` is `go chequer` when it names no role. The answers are `bestmove 24/18 13/11` (`bar`, `off`;
`bestmove pass` if nothing can be played), `bestcube nodouble` or `double` (with an offer pending
`take`, `drop`, `beaver`), and `bestturn cube=nodouble move=24/18 13/11` (dialect 0.1: with
`moveid=ID` before the move). A bare board is answered with the play alone, an empty line if there
is none. Cube actions are those of `nardy_core.cube`. Plays are ranked, and
rolled out, with the cube in play at the score of the match (long nardy for points: without one);
`EvalMode` cubeless ranks them by equity for money without a cube.

LIMITS: `depth N` plies, the mover's own play counted as the first, as 0.2 has it: depth 1 is what
gnubg calls 0-ply; `movetime MS`; `trials N` games of a rollout of the five best plays, or of the
lines of a cube decision (beavers are not rolled out). `nodes N` is
refused as unsupported: a search is made of whole plies. Searches that may be long, those with
`movetime` or `trials`, refuse another `go` (`search_in_progress`); behind a plain one the next
waits.

A bare position id or LN changes the board (LN: and the rules) and takes the dice away; others bring
dice, cube, score and turn with them. The board is that of the side on roll, and `setturn` says
which player that is; p1 is the bottom player of XGID and gnubg's player 1. In a match with the
Crawford rule the first score of a session with a side one point short is that of the Crawford game.

Errors are `error CODE text`. Codes: bad_command, bad_value, bad_state, unsupported; from the first
command on that only dialect 0.1 has: unknown_command, bad_argument, missing_context,
unsupported_feature, search_in_progress. With `--draft` they are `sorry text`.
"""
from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable

from nardy_core._version import __version__
from nardy_core.engine import MAX_LEVEL, Engine
from nardy_core.errors import UnsupportedError
from nardy_core.levels import Level
from nardy_core.position import Position
from nardy_core.serve.lines import lines, on_signal, shown
from nardy_core.serve.ubgi_game import OWNERS, UbgiGame, is_position, player
from nardy_core.serve.ubgi_options import OFF, UbgiOptions
from nardy_core.serve.ubgi_search import Fault, Found, Limits, Search, payload

MAX_LINE = 4096
MAX_MOVETIME = 1_000_000_000  # ms
ROLES = ("chequer", "cube", "turn")

_CODES = {  # kind: of dialect 0.2, of 0.1
    "command": ("bad_command", "unknown_command"),
    "value": ("bad_value", "bad_argument"),
    "state": ("bad_state", "missing_context"),
    "unsupported": ("unsupported", "unsupported_feature"),
    "busy": ("bad_state", "search_in_progress"),
}
_ONLY_01 = ("setoption", "newsession", "setscore", "setcube", "setturn")


class Ubgi:
    """The protocol without its pipes: lines come in by `receive`, answers go out by `write`.

    level : plies of look-ahead as gnubg counts them, or a roller, until an option says otherwise
    draft : answer as draft 0.01 wherever the dialects differ
    `over` is true after `quit`. To be used in a running event loop.
    """

    def __init__(
        self, engine: Engine, write: Callable[[str], object], *, level: Level = 0,
        draft: bool = False,
    ) -> None:
        self.engine, self.draft, self.over = engine, draft, False
        self.game = UbgiGame()
        self.options = UbgiOptions(level, engine.threads)
        self._write = write
        self._old = False  # dialect 0.1
        self._search: Search | None = None
        self._answering: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()

    async def receive(self, line: str | None) -> None:
        """One line, None for one that was too long. Returns while a search goes on."""
        if line is None:
            self._complain(Fault("command", f"a line of more than {MAX_LINE} bytes"))
            return
        line = line.strip()
        try:
            if is_position(line):
                await self._ready_to_search()
                position = self.game.set_line(line)
                role = "chequer" if position.dice else "cube"
                self._start(position, role, Limits(trials=self.options.number("engine.trials")),
                            bare=True)
            elif line:
                await self._command(*line.split())
        except Fault as fault:
            self._complain(fault)
        except UnsupportedError as error:
            self._complain(Fault("unsupported", str(error)))
        except ValueError as error:
            self._complain(Fault("value", str(error)))

    async def finish(self) -> None:
        """Wait for the search at work."""
        if self._answering:
            await self._answering

    async def close(self) -> None:
        """End the search at work without an answer."""
        if self._search and self._answering:
            self._search.stopped.set()
            self._answering.cancel()
            await asyncio.gather(self._answering, return_exceptions=True)

    # ---- commands -------------------------------------------------------------------------------

    async def _command(self, word: str, *words: str) -> None:
        args = list(words)
        if word == "go":
            await self._go(args)
            return
        if word in ("ubgi", "isready", "newgame", "keys", "stop", "quit"):
            _none_left(args)
        if word in _ONLY_01:
            self._old = True
        handler = self._HANDLERS.get(word)
        if handler is None:
            raise Fault("command", f"{shown(word)} is no command")
        handler(self, args)

    def _ubgi(self, args: list[str]) -> None:
        for line in ("id name nardy_core", "id author the nardy_core authors",
                     f"id version {__version__}"):
            self._write(line)
        if self.draft:
            self._write("readyok")
            return
        for line in ("proto 0.2", *self.options.lines("0.1"), *self.options.lines("0.2"),
                     "ubgiok"):
            self._write(line)

    def _isready(self, args: list[str]) -> None:
        self._write("readyok")

    def _newgame(self, args: list[str]) -> None:
        self.game.new_game()

    def _keys(self, args: list[str]) -> None:
        for line in self.options.lines("0.2"):
            self._write(line)

    def _stop(self, args: list[str]) -> None:
        if self._search:
            self._search.stopped.set()
            self._wake.set()

    def _quit(self, args: list[str]) -> None:
        self.over = True

    def _get(self, args: list[str]) -> None:
        name = _next(args, "get KEY")
        _none_left(args)
        option = self.options.find(name)
        if option is None:
            raise Fault("unsupported", f"{shown(name)} is no key")
        self._write(f"value {option.key} {self.options.show(option)}")

    def _set(self, args: list[str]) -> None:
        name = _next(args, "set KEY VALUE")
        self._put(name, " ".join(args))

    def _setoption(self, args: list[str]) -> None:
        _word(args, "name")
        name = _next(args, "a name")
        _word(args, "value")
        self._put(name, " ".join(args))

    def _put(self, name: str, value: str) -> None:
        option = self.options.find(name)
        if option is None:
            raise Fault("unsupported", f"{shown(name)} is no option")
        self.options.set(option, value)
        if option.key == "game.variant":
            self.game.variant = str(self.options.values["game.variant"])
            self.game.new_game()

    def _newsession(self, args: list[str]) -> None:
        _word(args, "type")
        kind = _next(args, "money or match")
        flags: dict[str, bool] = {}
        length = 0
        while args:
            name = args.pop(0)
            if name == "length" and kind == "match":
                length = _number(args, name, 1, 32767)
            elif name in ("jacoby", "beavers", "crawford"):
                flags[name] = _switch(args, name)
            else:
                raise Fault("value", f"{shown(name)} is no part of a {shown(kind)} session")
        if kind not in ("money", "match") or (kind == "match") != (length > 0):
            raise Fault("value", "a session is type money, or type match length N")
        self.game.new_session(length, **flags)

    def _setscore(self, args: list[str]) -> None:
        zero, one = (_number(args, "score", 0, 32767) for _ in range(2))
        _none_left(args)
        self.game.set_score(zero, one)

    def _setcube(self, args: list[str]) -> None:
        _word(args, "value")
        value = _number(args, "cube", 1, 1 << 30)
        _word(args, "owner")
        owner = _next(args, "an owner")
        _none_left(args)
        if owner not in OWNERS:
            raise Fault("value", f"owner: {shown(owner)} is not center, p0 or p1")
        self.game.set_cube(value, OWNERS[owner])

    def _setturn(self, args: list[str]) -> None:
        turn = player(_next(args, "p0 or p1"))
        _none_left(args)
        self.game.turn = turn

    def _position(self, args: list[str]) -> None:
        form = _next(args, "position FORM ID")
        try:
            self.game.set_position(form, " ".join(args))
        except LookupError:
            raise Fault("unsupported", f"positions as {shown(form)}") from None

    def _dice(self, args: list[str]) -> None:
        if args == ["none"]:
            self.game.set_dice(None)
            return
        first, second = (_number(args, "dice", 1, 6) for _ in range(2))
        _none_left(args)
        self.game.set_dice((first, second))

    _HANDLERS: dict[str, Callable[[Ubgi, list[str]], None]] = {
        "ubgi": _ubgi, "isready": _isready, "newgame": _newgame, "keys": _keys, "stop": _stop,
        "quit": _quit, "get": _get, "set": _set, "setoption": _setoption,
        "newsession": _newsession, "setscore": _setscore, "setcube": _setcube,
        "setturn": _setturn, "position": _position, "dice": _dice}

    # ---- searching ------------------------------------------------------------------------------

    async def _go(self, args: list[str]) -> None:
        role = "chequer"
        if args and args[0] == "role":
            args.pop(0)
            self._old = True
            role = _next(args, "a role")
        elif args and args[0] not in ("depth", "movetime", "nodes", "trials"):
            role = args.pop(0)
        if role not in ROLES:
            raise Fault("unsupported", f"go {shown(role)}")
        told: dict[str, int] = {}
        while args:
            name = args.pop(0)
            if name not in ("depth", "movetime", "nodes", "trials"):
                raise Fault("value", f"{shown(name)} is no limit")
            low = 0 if name == "movetime" else 1
            told[name] = _number(args, name, low, MAX_MOVETIME)
        if "nodes" in told:
            raise Fault("unsupported", "go nodes: depth, movetime or trials limit a search")
        if "trials" not in told and role != "cube":
            told["trials"] = self.options.number("engine.trials")
        limits = Limits(**told)
        await self._ready_to_search()
        try:
            position = self.game.position()
        except ValueError as error:
            raise Fault("state", str(error)) from None
        if role != "cube" and not position.dice:
            raise Fault("state", "no dice")
        if role == "cube":
            position = position.with_(dice=None)
        self._start(position, role, limits)

    async def _ready_to_search(self) -> None:
        if self._search and self._search.long:
            raise Fault("busy", "a search is at work")
        await self.finish()

    def _start(self, position: Position, role: str, limits: Limits, bare: bool = False) -> None:
        if position.finished:
            raise Fault("state", "the game is over")
        try:
            self.engine.model(position)
        except ValueError as error:  # of a kind that no net knows
            raise Fault("unsupported", str(error)) from None
        deepest = self.options.number("engine.level")
        if limits.depth is not None:
            deepest = min(limits.depth - 1, MAX_LEVEL)
        elif limits.movetime is not None:
            deepest = MAX_LEVEL
        loop = asyncio.get_running_loop()

        def tell(line: str) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is gone
                loop.call_soon_threadsafe(self._info, search, line)

        levels: list[Level] = list(range(deepest + 1))
        roller = str(self.options.values["engine.roller"])
        if roller != OFF and limits.depth is None and limits.movetime is None:
            levels.append(roller)
        search = Search(self.engine, position, role, levels, limits,
                        self.options.number("engine.seed"),
                        self.options.number("engine.threads"),
                        self.options.values["engine.evalmode"] == "cubeful", tell)
        self._search = search
        self._wake.clear()
        self._answering = asyncio.create_task(self._answer(search, bare))

    def _info(self, search: Search, line: str) -> None:
        if search is self._search and not self.draft:
            self._write(line)

    async def _answer(self, search: Search, bare: bool) -> None:
        """Wait for the end, the time or `stop`, and write the answer."""
        work = asyncio.ensure_future(asyncio.to_thread(search.work))
        work.add_done_callback(lambda done: done.cancelled() or done.exception())
        woken = asyncio.ensure_future(self._wake.wait())
        limit = search.limits.movetime
        try:
            await asyncio.wait(
                (work, woken), timeout=None if limit is None else limit / 1000,
                return_when=asyncio.FIRST_COMPLETED)
            search.stopped.set()
            self._write_answer(search, await work, bare)
        except Fault as fault:
            self._complain(fault)
        except Exception as error:
            self._complain(Fault("state", " ".join(str(error).split())))
        finally:
            woken.cancel()
            self._search = None

    def _write_answer(self, search: Search, found: Found, bare: bool) -> None:
        move = payload(found.play) if found.play else ""
        if bare:
            action = "roll" if found.action == "nodouble" else found.action
            self._write(action or ("" if move == "pass" else move))
        elif search.role == "cube":
            self._write(f"bestcube {found.action}")
        elif search.role == "turn":
            moveid = f" moveid={_move_id(found)}" if self._old else ""
            self._write(f"bestturn cube={found.action}{moveid} move={move}")
        else:
            if self.options.values["engine.moveid"]:
                self._write(f"bestmoveid {_move_id(found)}")
            self._write(f"bestmove {move}")

    def _complain(self, fault: Fault) -> None:
        if self.draft:
            self._write(f"sorry {fault}")
        else:
            self._write(f"error {_CODES[fault.kind][self._old]} {fault}")


def _move_id(found: Found) -> str:
    assert found.play is not None
    result = found.play.result
    return result.id("gnu-position" if result.game == "backgammon" else "ln")


def _next(args: list[str], what: str) -> str:
    if not args:
        raise Fault("command", f"expected: {what}")
    return args.pop(0)


def _word(args: list[str], word: str) -> None:
    if _next(args, word) != word:
        raise Fault("command", f"expected: {word}")


def _none_left(args: list[str]) -> None:
    if args:
        raise Fault("command", f"{shown(args[0])} is too much")


def _number(args: list[str], name: str, low: int, high: int) -> int:
    text = _next(args, f"{name} and a number")
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and low <= int(text) <= high):
        raise Fault("value", f"{name}: {shown(text)} is not in {low}..{high}")
    return int(text)


def _switch(args: list[str], name: str) -> bool:
    text = _next(args, f"{name} on|off")
    if text not in ("on", "off"):
        raise Fault("value", f"{name}: {shown(text)} is not on or off")
    return text == "on"


# ---- pipes --------------------------------------------------------------------------------------


async def run(engine: Engine, *, level: Level = 0, draft: bool = False) -> None:
    """Serve stdin and stdout until `quit`, SIGINT, SIGTERM or the end of the input, which lets a
    search at work finish."""
    reader = asyncio.StreamReader()
    _feed(reader)

    def write(line: str) -> None:
        try:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
        except BrokenPipeError:  # the GUI is gone
            reading.cancel()

    ubgi = Ubgi(engine, write, level=level, draft=draft)

    async def read() -> None:
        async for line in lines(reader, MAX_LINE):
            await ubgi.receive(line)
            if ubgi.over:
                return
        await ubgi.finish()

    reading = asyncio.create_task(read())
    with on_signal(reading.cancel):
        try:
            await reading
        except asyncio.CancelledError:
            pass
        finally:
            await ubgi.close()


def _feed(reader: asyncio.StreamReader) -> None:
    """Pour stdin into the reader from a thread: not every stdin can be waited for otherwise, and
    one that is closed late must not hold up the exit."""
    loop = asyncio.get_running_loop()
    source = sys.stdin.fileno()

    def pour() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is gone
            while data := os.read(source, 1 << 16):
                loop.call_soon_threadsafe(reader.feed_data, data)
            loop.call_soon_threadsafe(reader.feed_eof)

    threading.Thread(target=pour, daemon=True).start()


def serve(engine: Engine, *, level: Level = 0, draft: bool = False) -> None:
    """`run` in this thread."""
    asyncio.run(run(engine, level=level, draft=draft))
