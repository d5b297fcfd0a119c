"""What is fuzzed in Python: everything that reads what others have written.

A target takes bytes and returns whether they made sense. Anything but a ValueError of one printable
line, or what a protocol answers instead, is a finding; so is a reading that does not survive being
written and read again. The C core's own readers have targets in src_c/tests/fuzz_*.c.
"""
from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import logging
import os
import random
import re
import struct
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1])]  # where run.py has not put them

from fuzz.mutate import mutated  # noqa: E402 (this and the next: found by the line above)
from nardy_core import Engine, Position, formats, ids, rollout_store  # noqa: E402
from nardy_core.errors import NardyError  # noqa: E402
from nardy_core.match import MatchEquity  # noqa: E402
from nardy_core.match_record import MatchRecord  # noqa: E402
from nardy_core.notation import format_play, parse_play  # noqa: E402
from nardy_core.rollout_batch import read_items  # noqa: E402
from nardy_core.rollout_question import RolloutQuestion  # noqa: E402
from nardy_core.rollout_store import RolloutStore  # noqa: E402

SLOW = 5.0  # seconds of work an input may take at most


class Target(NamedTuple):
    """check : of one input; True if it made sense
    samples : inputs to begin with
    mutate : where mutating the bytes as they are would never get past a checksum
    """

    check: Callable[[bytes], bool]
    samples: Callable[[], list[bytes]]
    mutate: Callable[[random.Random, bytes], bytes] = mutated


def seeds(name: str) -> list[bytes]:
    """The lines of a file of seeds; `\\n` in a line is a line end."""
    lines = (HERE / "seeds" / f"{name}.txt").read_bytes().splitlines()
    return [line.replace(b"\\n", b"\n") for line in lines if line]


def one_line(text: str) -> None:
    assert text and "\n" not in text and text.isprintable(), repr(text)


@contextlib.contextmanager
def in_time() -> Iterator[None]:
    begun = time.process_time()
    yield
    assert time.process_time() - begun < SLOW, "too slow"


# ---- text: positions, plays, tables, lists of positions -----------------------------------------


def check_ids(data: bytes) -> bool:
    text = data.decode("utf-8", "replace")
    return _position(text, True) | _position(text, False) | _play(text)


def _position(text: str, strict: bool) -> bool:
    try:
        position = Position.parse(text, strict=strict)
    except ValueError as error:
        one_line(str(error))
        return False
    assert Position.parse(position.id("text")) == position
    for form in ids.FORMS:
        try:
            written = position.id(form)
        except ValueError as error:
            one_line(str(error))
            continue
        if form == "gnu-match":
            continue
        dialect = form if form.startswith("fibs") else None
        back = Position.parse(written, dialect=dialect, checkers=position.checkers)
        assert (back.own, back.opp) == (position.own, position.opp), form
        assert back.id(form) == written, form
    return True


def _play(text: str) -> bool:
    try:
        steps = parse_play(text)
    except ValueError as error:
        one_line(str(error))
        return False
    written = format_play(steps)
    assert format_play(parse_play(written)) == written
    return True


def check_met(data: bytes) -> bool:
    try:
        table = MatchEquity.read(data.decode("utf-8", "replace"))
    except ValueError as error:
        one_line(str(error))
        return False
    assert 0 <= table.swap().mwc(1, 2) <= 1
    assert MatchEquity.read(table.to_csv()).length == table.length
    return True


def check_items(data: bytes) -> bool:
    """A file of questions for rollouts."""
    errors = [item.error for item in read_items(data.decode("utf-8", "replace").split("\n"))]
    for error in errors:
        if error is not None:
            assert isinstance(error, (ValueError, RecursionError)), repr(error)
            one_line(str(error))
    return not any(errors)


# ---- match files --------------------------------------------------------------------------------


def check_formats(data: bytes) -> bool:
    with in_time():
        try:
            record = formats.read(data)
        except ValueError as error:
            one_line(str(error))
            record, well = getattr(error, "partial", None) or [], False
        else:
            well = True
        if record or well:
            assert formats.read(formats.dumps(record, "json")) == record
        if isinstance(record, MatchRecord):
            for game in record.games:
                assert game.final is not None and list(game.decisions(rolls=True)) is not None
            formats.dumps(record, "csv")
    return well


def format_samples() -> list[bytes]:
    """Those of golden/formats, with an .ogxm among them where gammonview is at hand."""
    golden = HERE.parent / "golden" / "formats"
    found = [path.read_bytes() for path in sorted(golden.iterdir()) if path.suffix != ".py"]
    record = formats.read(golden / "jellyfish.mat")
    found.append(formats.dumps(record, "json"))
    with contextlib.suppress(ValueError, RuntimeError):
        found.append(formats.dumps(record, "ogxm"))
    return found


def mutate_format(rng: random.Random, data: bytes) -> bytes:
    """Mostly the beginning, which is quicker. Of a .xg file the records, not what they are packed
    into."""
    if data.startswith(b"RGMH"):
        begin = 8232 + int.from_bytes(data[20:24], "little")
        with contextlib.suppress(zlib.error):  # where an earlier change was to what they lie in
            records = zlib.decompress(data[begin:])
            return data[:begin] + zlib.compress(mutated(rng, records), 1)
    if rng.random() < 0.9 and not data.startswith(b"OGXM"):
        data = data[:rng.choice((300, 600, 900))]
    return mutated(rng, data)


# ---- binary: nets, stores -----------------------------------------------------------------------


@functools.cache
def _folder() -> Path:
    holder = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    _holders.append(holder)
    return Path(holder.name)


_holders: list[tempfile.TemporaryDirectory[str]] = []


def check_net(data: bytes) -> bool:
    from nardy_core.nets import open_net

    path = _folder() / "a.net"
    path.write_bytes(data)
    try:
        net = open_net(path)
    except ValueError as error:
        one_line(str(error))
        return False
    assert net.info["outcomes"] in range(2, 9)
    return True


def net_samples() -> list[bytes]:
    from random_nets import random_nets

    from nardy_core.nets import save_net

    path = _folder() / "sample.net"
    save_net(random_nets()["race"], path)
    return [path.read_bytes(), path.read_bytes()[:300]]


@functools.cache
def _question() -> RolloutQuestion:
    from nardy_core.rollout_result import RolloutPlan

    position = Position.parse("x=6:2 o=6:2 turn=x")
    return RolloutQuestion(position, None, RolloutPlan(), (("race", "0"),), ())


def check_store(data: bytes) -> bool:
    """Whatever a store holds can be asked for, and it can be written to."""
    path = _folder() / "store"
    path.write_bytes(data)
    question = _question()
    try:
        store = RolloutStore(path)
        for asked in store.questions():
            store.extent(asked)
            with contextlib.suppress(ValueError):
                RolloutQuestion.from_dict(asked)
        store.unlike(question)
        for total in store.totals(question):
            assert total.row.shape == (question.length,) and isinstance(total.reason, str)
            assert all(x is None or isinstance(x, float) for x in (total.se, total.jsd))
        rows = list(store.rows(question))
        before = len(rows)
        last = rows[-1][0] + 1 if rows else 0
        if last < 1 << 40:
            import numpy as np

            store.add(question, last, np.zeros((1, question.length)))
            assert len(list(RolloutStore(path).rows(question))) == before + 1
    except (ValueError, NardyError) as error:
        one_line(str(error))
        return False
    return bool(store.questions())


def store_samples() -> list[bytes]:
    import numpy as np

    question, path = _question(), _folder() / "made"
    path.unlink(missing_ok=True)
    store = RolloutStore(path)
    rows = np.arange(3.0 * question.length).reshape(3, -1)
    store.add(question, 0, rows, seconds=1.5)
    store.add(question, 3, rows[:1])
    store.add_total(question, rollout_store.Total(4, 0.01, None, "trials", rows.sum(axis=0)))
    return [path.read_bytes()]


def mutate_store(rng: random.Random, data: bytes) -> bytes:
    """Half of the time the contents of records, packed again under right checksums."""
    if rng.random() < 0.5:
        return mutated(rng, data)
    at, out = 16, [data[:16]]
    while at + 20 <= len(data):
        kind, length = struct.unpack_from("<IQ", data, at + 4)
        content = data[at + 20:at + 20 + length]
        at += 20 + length + 8
        if rng.random() < 0.5:
            head = bytearray(content[:64])
            for _ in range(rng.randrange(4) if head else 0):
                head[rng.randrange(len(head))] = rng.choice((0, 1, 255, rng.randrange(256)))
            content = bytes(head) + content[64:]
            content = mutated(rng, content) if rng.random() < 0.5 else content
        if rng.random() < 0.1:
            kind = rng.randrange(5)
        out.append(rollout_store._record(kind, content))
    return b"".join(out)


# ---- protocols: lines and requests --------------------------------------------------------------


class Shallow(Engine):
    """An engine that looks no ply ahead and rolls out no more than it must, whatever is asked: what
    is fuzzed is the asking."""

    def evaluate(self, position, level=0, **more):
        return super().evaluate(position, min(level, 0), **more)

    def analyse(self, position, dice=None, *, level=0, **more):
        return super().analyse(position, dice, level=min(level, 0), **more)

    def analyse_many(self, *args, level=0, **more):
        return super().analyse_many(*args, level=min(level, 0), **more)

    def cube(self, position, level=0, *, exact=True, **more):
        return super().cube(position, min(level, 0), exact=False, **more)

    def rollout(self, position, dice=None, *, trials=36, threads=1, **more):
        return super().rollout(
            position, dice, **{**more, "trials": 36, "threads": 1, "truncate": 4})


@functools.cache
def _engine() -> Engine:
    from random_nets import random_nets

    return Shallow({game: random_nets(game) for game in ("backgammon", "long_nardy")}, threads=1)


def check_gnubg(data: bytes) -> bool:
    """A session of lines, as bytes from a socket; lines are told apart by the server's own code."""
    from nardy_core.serve import gnubg
    from nardy_core.serve.lines import lines

    session = gnubg.Session(_engine())
    well = False

    async def talk() -> None:
        nonlocal well
        reader = asyncio.StreamReader()
        reader.feed_data(data)
        reader.feed_eof()
        async for line in lines(reader, gnubg.MAX_LINE):
            if line is None:
                continue
            answer = session.answer(line)
            if session.closed:
                return
            assert answer.endswith("\n") and answer.isascii(), answer
            assert answer.count("\n") == 1 or answer.startswith("Interface: "), answer
            well = well or not answer.startswith("Error: ")

    with in_time():
        asyncio.run(talk())
    return well


def check_ubgi(data: bytes) -> bool:
    from nardy_core.serve import ubgi
    from nardy_core.serve.lines import lines

    written: list[str] = []

    async def talk() -> None:
        reader = asyncio.StreamReader()
        reader.feed_data(data)
        reader.feed_eof()
        engine = ubgi.Ubgi(_engine(), written.append)
        async for line in lines(reader, ubgi.MAX_LINE):
            await engine.receive(line)
            await engine.finish()
            if engine.over:
                return

    with in_time():
        asyncio.run(talk())
    for line in written:
        one_line(line)
        assert line.isascii()
    return any(not line.startswith("error") for line in written)


@functools.cache
def _app():
    from nardy_core.serve.http import Settings, create_app

    logging.disable(logging.CRITICAL)
    loop = asyncio.new_event_loop()
    app = create_app(_engine(), Settings(quick=1, long=1, queued=4, time_limit=60.0))
    loop.run_until_complete(_begin(app))
    return app, loop


async def _begin(app) -> None:
    app.state.server.open()


# As servers pass them on.
_HEADER = re.compile(rb"([!#-'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\x80-\xff]*)")


def _headers(lines: list[bytes], body: bytes | None) -> list[tuple[bytes, bytes]]:
    """Those of the lines that are some, and before them what every client sends."""
    told = [(found[1].lower(), found[2].strip()) for line in lines
            if (found := _HEADER.fullmatch(line))]
    own = {b"host": b"localhost", b"content-type": b"application/json"}
    if body is not None:
        own[b"content-length"] = str(len(body)).encode()
    return [*((name, own[name]) for name in own.keys() - dict(told).keys()), *told]


def check_http(data: bytes) -> bool:
    """First line: method and path; the rest is the body of a JSON request. Headers stand between
    them where an empty line ends them."""
    app, loop = _app()
    head, ended, body = data.partition(b"\n\n")
    if not ended:
        head, _, body = data.partition(b"\n")
    first, *lines = head.split(b"\n")
    method, _, target = first.decode("latin-1").partition(" ")
    if "/jobs" in target and method != "GET":
        method = "GET"  # jobs outlive their request: made and checked elsewhere
    path, _, query = target.partition("?")
    sent: list[dict] = []
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
        "method": method, "path": path, "raw_path": path.encode("latin-1"), "root_path": "",
        "query_string": query.encode("latin-1"), "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "headers": _headers(lines, body)}
    given = False

    async def receive() -> dict:
        nonlocal given
        if given:
            return {"type": "http.disconnect"}
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict) -> None:
        sent.append(message)

    with in_time():
        loop.run_until_complete(app(scope, receive, send))
    status = sent[0]["status"]
    text = b"".join(message.get("body", b"") for message in sent[1:])
    assert status != 500, text
    if status >= 400:
        about = json.loads(text)
        assert set(about) == {"code", "message", "where"}
        one_line(about["message"])
    return status == 200


def check_socket(data: bytes) -> bool:
    """A WebSocket: headers up to an empty line, where there is one; then a message a line. One with
    `!` for a first line goes as soon as it has sent them. Nothing of it is left in the server."""
    app, loop = _app()
    head, ended, rest = data.partition(b"\n\n")
    lines = head.split(b"\n") if ended else []
    messages = (rest if ended else data).split(b"\n")[:40]
    waits = messages[0] != b"!"
    scope = {
        "type": "websocket", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "ws",
        "path": "/v1/socket", "raw_path": b"/v1/socket", "root_path": "", "query_string": b"",
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "subprotocols": [],
        "headers": _headers(lines, None)}
    sent: list[dict] = []
    answers: list[dict] = []

    async def receive() -> dict:
        if not given:
            given.append(None)
            return {"type": "websocket.connect"}
        if len(given) <= len(messages):
            given.append(None)
            message = messages[len(given) - 2]
            try:
                return {"type": "websocket.receive", "text": message.decode()}
            except UnicodeDecodeError:
                return {"type": "websocket.receive", "bytes": message}
        while waits and len(over()) < len(messages):
            await asyncio.sleep(0.001)
        return {"type": "websocket.disconnect", "code": 1000}

    async def send(message: dict) -> None:
        sent.append(message)
        if message["type"] == "websocket.send":
            answers.append(json.loads(message["text"]))

    def over() -> list[dict]:
        return [answer for answer in answers if answer["type"] in ("result", "error")]

    given: list[None] = []
    with in_time():
        loop.run_until_complete(asyncio.wait_for(app(scope, receive, send), 60))
    if sent[0]["type"] != "websocket.accept":
        assert [message["type"] for message in sent] == ["websocket.close"], sent
        return False
    for answer in answers:
        assert set(answer) == {"type", "id", "payload"}, answer
        if answer["type"] == "error":
            assert set(answer["payload"]) == {"code", "message", "where"}, answer
            assert answer["payload"]["code"] != "internal", answer
            one_line(answer["payload"]["message"])
    assert app.state.server.jobs.inside == 0
    return any(answer["type"] == "result" for answer in answers)


def check_job(data: bytes) -> bool:
    """A job that an earlier server has left in a file."""
    from nardy_core.serve.http.jobs import Job

    try:
        job = Job.load(json.loads(data))
    except (ValueError, TypeError, RecursionError) as error:
        assert str(error)
        return False
    json.dumps(job.to_dict())
    return True


def met_samples() -> list[bytes]:
    folder = HERE.parents[1] / "nardy_core" / "data" / "met"
    return [(folder / "woolsey.csv").read_bytes(), *seeds("met")]


TARGETS = {
    "ids": Target(check_ids, lambda: seeds("ids")),
    "items": Target(check_items, lambda: seeds("items")),
    "met": Target(check_met, met_samples),
    "formats": Target(check_formats, format_samples, mutate_format),
    "net": Target(check_net, net_samples),
    "store": Target(check_store, store_samples, mutate_store),
    "gnubg": Target(check_gnubg, lambda: seeds("gnubg")),
    "ubgi": Target(check_ubgi, lambda: seeds("ubgi")),
    "http": Target(check_http, lambda: seeds("http")),
    "socket": Target(check_socket, lambda: seeds("socket")),
    "job": Target(check_job, lambda: seeds("job")),
}
