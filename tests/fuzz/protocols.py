"""Protocols that are fuzzed: lines from a socket or a pipe, requests, messages."""
from __future__ import annotations

import asyncio
import functools
import json
import logging
import re

from fuzz.target import in_time, one_line
from nardy_core import Engine


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
