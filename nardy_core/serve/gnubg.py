"""The engine as GNU Backgammon's external player, and as the server `external` that gnubg offers.

In gnubg: `set player 1 external localhost:7733` (or the path of a Unix socket), while

    nardy serve gnubg --port 7733

runs. Everything else that talks to gnubg's own `external` can talk to this server, too. A client
writes a line and reads lines. Words may be in any case, NUL bytes count as nothing, lines are
ASCII of at most 4096 bytes.

| request | answer |
|---|---|
| `board:…` with dice | the play, every step written out: `8/5 6/5`; an empty line for none |
| `board:…` without dice | `roll` or `double` |
| `board:…` with a double pending | `take`, `drop` or `beaver`, from the side doubled |
| `board:… resignation N` | `accept` or `reject` the other side's offer to lose N points, 1..3 |
| `evaluation fibsboard board:…` | six numbers for the side that decides, before the dice: chances |
| | to win, win a gammon, win a backgammon, lose a gammon, lose a backgammon, and the value: |
| | equity for money, the chance to win a match |
| `version`, `help` | four lines, one line |
| `set debug on` or `off`, `set interface new` or `old` | one line |
| `exit`, `quit` | closes the connection |
| anything else | `Error: ` and what is wrong; the connection stays |

After a board may follow `jacobyrule on|off`, `crawfordrule on|off`, `beavers on|off` (all are on by
default) and, in an evaluation, `plies N`, `cubeless`, `cubeful`, `cube on|off` (default: 0 plies,
cubeless), `noise F` (standard deviation of a disturbance that only depends on the position; whole
numbers are ten-thousandths), and `prune` or `deterministic` with or without on|off, which change
nothing here. More plies than the engine has are as many as it has. Cube actions and values are
those of `nardy_core.cube`; a beaver that gnubg does not allow and asks about again becomes a take.

Boards are read as gnubg writes them, see `nardy_core.ids.fibs`: the sides' order depends on the
request.
"""
from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import os
import random
import re
import socket
import stat
from collections.abc import Callable

from nardy_core._version import __version__
from nardy_core.analysis import Evaluation, made
from nardy_core.engine import MAX_LEVEL, Engine
from nardy_core.evaluator import Stop
from nardy_core.ids import fibs
from nardy_core.levels import Level
from nardy_core.notation import format_play
from nardy_core.position import Position
from nardy_core.serve.decide import (
    accepts_resignation,
    best_play,
    decide_cube,
    decision,
    value_of,
)
from nardy_core.serve.lines import Refused, lines, on_signal, shown

MAX_LINE = 4096
NOISE_UNIT = 10_000  # of noise told as a whole number

_BOARD = re.compile(r"board:[^:]*:[^:]*(?::[-+]?[0-9]+){50}(?=\s|$)", re.IGNORECASE | re.ASCII)
_BOOLEANS = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}
_HELP = "\tversion, set, board:... [resignation N], evaluation fibsboard board:..., exit\n"


class Session:
    """One client's requests and answers, without any network.

    level : plies of look-ahead for plays and cube actions
    `closed` is true after `exit`. `stop` ends a search at work, which raises Cancelled.
    """

    def __init__(self, engine: Engine, level: Level = 0) -> None:
        self.engine, self.level = engine, level
        self.closed = self.debug = False
        self.stop = Stop()
        self._first: str | None = None  # name that comes first where no cube is offered
        self._beavered: str | None = None  # the last line, where the answer was a beaver

    def answer(self, line: str) -> str:
        """The answer to a request, line ends included. Never raises for what a client can write."""
        try:
            return self._answer(line.strip())
        except (ValueError, RuntimeError) as error:
            return f"Error: {error}\n"

    def _answer(self, line: str) -> str:
        if not line:
            raise Refused("no command given")
        if line[:6].lower() == "board:":
            return self._decide(line)
        word, *rest = line.split(None, 1)
        command = word.lower()
        if command == "evaluation":
            return self._evaluate(rest[0] if rest else "")
        words = rest[0].lower().split() if rest else []
        if command == "set":
            return self._set(words)
        if command in ("version", "help", "exit", "quit"):
            _end(words)
            if command == "version":
                return ("Interface: 2\nRFBF: 0\nEngine: 1.00\n"
                        f"Software: nardy_core {__version__}\n")
            if command == "help":
                return _HELP
            self.closed = True
            return ""
        raise Refused(f"syntax error, unexpected {shown(word)}")

    def _set(self, words: list[str]) -> str:
        what = words.pop(0) if words else ""
        if what == "debug":
            value = _boolean(words)
            _end(words)
            self.debug = value
            return f"Debug output {'ON' if self.debug else 'OFF'}\n"
        if what == "interface":
            age = words.pop(0) if words else ""
            if age not in ("new", "old"):
                raise Refused(f"syntax error, unexpected {shown(age)}, expecting new or old")
            _end(words)
            return f"New interface {'ON' if age == 'new' else 'OFF'}\n"
        raise Refused(f"syntax error, unexpected {shown(what)}, expecting debug or interface")

    # ---- boards ---------------------------------------------------------------------------------

    def _decide(self, line: str) -> str:
        asked = _Question(line)
        position = self._position(asked)
        if asked.resignation:
            accepted = accepts_resignation(
                self.engine, position, asked.resignation, self.level, self.stop)
            return "accept\n" if accepted else "reject\n"
        if position.dice:
            play = best_play(self.engine, position, self.level, self.stop).play
            return format_play(play.steps, "ubgi") + "\n"
        action = decide_cube(self.engine, position, self.level, self.stop)
        # gnubg asks again where a beaver is one too many.
        if action == "beaver" and line == self._beavered:
            action = "take"
        self._beavered = line if action == "beaver" else None
        return action + "\n"

    def _position(self, asked: _Question) -> Position:
        """The position of a board line.

        A cube owned by the side off roll that is offered all the same is a beaver or an answer to
        one. Only the order of the names tells them apart: it is turned where the side off roll is
        to decide.
        """
        fields = asked.board.split(":")
        doubled, may_one, may_zero = (int(fields[n]) != 0 for n in (40, 38, 39))
        offer = "none"
        if doubled and may_one != may_zero and may_one == (int(fields[32]) < 0):
            offer = "raccooned" if self._first not in (None, fields[1]) else "beavered"
            fields[38:41] = "1", "1", "0"
            if offer == "raccooned":
                fields[1], fields[2], fields[4], fields[5] = (fields[n] for n in (2, 1, 5, 4))
        elif not doubled:
            self._first = fields[1]
        position = fibs.read(":".join(fields), strict=False, dialect="fibs-gnubg")
        changes: dict[str, object] = {}
        if offer != "none":
            # What the cube was before its owner turned it, and before the other side did.
            cube = max(position.cube >> (1 if offer == "beavered" else 2), 1)
            changes.update(cube=cube, cube_owner="centre" if cube == 1 else "own", offer=offer)
        if not position.match_length:
            changes.update(jacoby=asked.jacoby, beavers=asked.beavers)
        if not asked.crawford:
            changes["crawford"] = False
        position = position.with_(**changes)
        if position.finished:
            raise Refused("the game is over")
        return position

    def _evaluate(self, text: str) -> str:
        word, _, rest = text.partition(" ")
        if word.lower() != "fibsboard":
            raise Refused(f"syntax error, unexpected {shown(word)}, expecting fibsboard")
        asked = _Question(rest.strip(), evaluation=True)
        position = self._position(asked)
        level, searched = min(asked.plies, MAX_LEVEL), None
        found = self.engine.evaluate(position, level, cubeful=False, stop=self.stop)
        if asked.cubeful and level and not asked.noise:
            searched = decision(self.engine, position, level, self.stop)
        if position.decider == "opp":
            found = found.flip()
        if asked.noise:
            found = _disturbed(found, asked.noise)
        value = value_of(position, found, asked.cubeful, searched)
        numbers = [*(found.nested or {}).values(), value]
        return " ".join(f"{number:.6f}" for number in numbers) + "\n"


class _Question:
    """A board and the options behind it."""

    def __init__(self, text: str, evaluation: bool = False) -> None:
        found = _BOARD.match(text)
        if not found:
            raise Refused(f"badly formed board {shown(text)}")
        self.board = "".join(c if " " <= c <= "~" else "?" for c in found.group())
        self.jacoby = self.crawford = self.beavers = True
        self.cubeful, self.plies, self.noise, self.resignation = False, 0, 0.0, 0
        words = text[found.end():].lower().split()
        while words:
            self._option(words.pop(0), words, evaluation)

    def _option(self, name: str, words: list[str], evaluation: bool) -> None:
        if name in ("jacobyrule", "crawfordrule", "beavers"):
            setattr(self, name.removesuffix("rule"), _boolean(words))
        elif name == "resignation":
            self.resignation = int(_number(words, 0, 3))
        elif evaluation and name == "plies":
            self.plies = int(_number(words, 0, 99))
        elif evaluation and name == "noise":
            whole = bool(words) and words[0].isdigit()
            self.noise = _number(words, 0, 1e6) / (NOISE_UNIT if whole else 1)
        elif evaluation and name == "cube":
            self.cubeful = _boolean(words)
        elif evaluation and name in ("cubeful", "cubeless"):
            self.cubeful = name == "cubeful"
        elif evaluation and name in ("prune", "deterministic"):
            if words and words[0] in _BOOLEANS:
                words.pop(0)
        else:
            raise Refused(f"syntax error, unexpected {shown(name)}")


def _end(words: list[str]) -> None:
    if words:
        raise Refused(f"syntax error, unexpected {shown(words[0])}, expecting the end of the line")


def _boolean(words: list[str]) -> bool:
    value = words.pop(0) if words else ""
    if value not in _BOOLEANS:
        raise Refused(f"syntax error, unexpected {shown(value)}, expecting on or off")
    return _BOOLEANS[value]


def _number(words: list[str], low: float, high: float) -> float:
    text = words.pop(0) if words else ""
    if not re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{0,9})?", text, re.ASCII):
        raise Refused(f"syntax error, unexpected {shown(text)}, expecting a number")
    if not low <= float(text) <= high:
        raise Refused(f"{text} is not in {low:g}..{high:g}")
    return float(text)


def _disturbed(found: Evaluation, size: float) -> Evaluation:
    """The evaluation with normal noise on the customary five, the same for the same position."""
    seed = hashlib.blake2b(found.position.board.astype("<u4").tobytes(), digest_size=8).digest()
    draw = random.Random(int.from_bytes(seed, "little"))
    win, gammon, backgammon, lost_gammon, lost_backgammon = (
        value + draw.gauss(0.0, size) for value in (found.nested or {}).values())

    def within(value: float, most: float) -> float:
        return min(max(value, 0.0), most)

    win = within(win, 1.0)
    gammon, lost_gammon = within(gammon, win), within(lost_gammon, 1.0 - win)
    backgammon = within(backgammon, gammon)
    lost_backgammon = within(lost_backgammon, lost_gammon)
    classes = (win - gammon, gammon - backgammon, backgammon, 1.0 - win - lost_gammon,
               lost_gammon - lost_backgammon, lost_backgammon)
    return made(found.position, found.side, classes, found.level, found.engine)


# ---- network ------------------------------------------------------------------------------------


class Server:
    """Listens on TCP (loopback unless told otherwise) or on a Unix socket, for any number of
    clients at a time.

    path : of a Unix socket; without it `host` and `port` count (0 = any free port)
    report : called with a line for the operator now and then
    """

    def __init__(
        self, engine: Engine, *, host: str = "127.0.0.1", port: int = 7733,
        path: str | None = None, level: Level = 0, report: Callable[[str], object] | None = None,
    ) -> None:
        self.engine, self.level = engine, level
        self.host, self.port, self.path = host, port, path
        self._report = report or (lambda line: None)
        self._clients: set[asyncio.Task[None]] = set()
        self._over: asyncio.Event | None = None

    @property
    def address(self) -> str:
        """As gnubg wants it: HOST:PORT or a path."""
        return self.path or f"{self.host}:{self.port}"

    async def run(self) -> None:
        """Serve until SIGINT, SIGTERM or `stop`. Raises OSError where it cannot listen."""
        self._over = asyncio.Event()
        if self.path:
            _free(self.path)
            server = await asyncio.start_unix_server(self._client, self.path)
        else:
            server = await asyncio.start_server(self._client, self.host, self.port)
            self.port = server.sockets[0].getsockname()[1]
        try:
            with on_signal(self.stop):
                self._report(f"listening on {self.address}")
                await self._over.wait()
        finally:
            server.close()
            for client in self._clients:
                client.cancel()
            await asyncio.gather(*self._clients, return_exceptions=True)
            if self.path:
                with contextlib.suppress(OSError):
                    os.unlink(self.path)

    def stop(self) -> None:
        """End `run`; from its own thread."""
        if self._over:
            self._over.set()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        session = Session(self.engine, self.level)
        loop = asyncio.get_running_loop()
        try:
            async for line in lines(reader, MAX_LINE):
                if line is None:
                    answer = f"Error: a line of more than {MAX_LINE} bytes\n"
                else:
                    answer = await loop.run_in_executor(None, session.answer, line)
                if session.debug:
                    self._report(f"{shown(line or '')} -> {shown(answer.strip())}")
                writer.write(answer.encode("ascii", "replace"))
                await writer.drain()
                if session.closed:
                    break
        except (ConnectionError, asyncio.CancelledError):
            pass  # gone, or to go
        finally:
            session.stop.set()
            self._clients.discard(task)
            writer.close()


def _free(path: str) -> None:
    """Remove a socket that nobody listens on any more. OSError for one in use."""
    try:
        if not stat.S_ISSOCK(os.stat(path).st_mode):
            raise FileExistsError(errno.EEXIST, "exists and is no socket", path)
    except FileNotFoundError:
        return
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
        else:
            raise OSError(errno.EADDRINUSE, "another server listens here", path)


def serve(
    engine: Engine, *, host: str = "127.0.0.1", port: int = 7733, path: str | None = None,
    level: Level = 0, report: Callable[[str], object] | None = None,
) -> None:
    """Run a `Server` in this thread until SIGINT or SIGTERM."""
    engine.info()  # nets are there before the first client is
    asyncio.run(Server(engine, host=host, port=port, path=path, level=level, report=report).run())
