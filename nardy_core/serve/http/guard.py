"""What stands before the app: who may call, how much, and in what time. Counts what is answered."""
from __future__ import annotations

import asyncio
import hmac
import time
from urllib.parse import parse_qs, urlsplit

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nardy_core.serve.http.metrics import Metrics
from nardy_core.serve.http.problems import problem
from nardy_core.serve.http.settings import Settings

OPEN = ("/", "/health")  # and what lies below PAGE: no token needed
PAGE = "/page/"
FILES = ("/v1/jobs", "/v1/convert/match")  # where a match file may come
BODY_SECONDS = 20.0  # for a request to arrive

_HEADERS = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer")]


class Guard:
    """ASGI middleware around the whole app."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self.app, self.settings, self.metrics = app, settings, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            headers = _headers(scope)
            if self._stranger(scope, headers):
                await receive()
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self.app(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun, status = time.perf_counter(), 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        headers = _headers(scope)
        refused = self._stranger(scope, headers)
        if refused is None:
            body = await self._body(scope, headers, receive)
            if isinstance(body, Response):
                refused = body
            else:
                receive = _again(body, receive)
        try:
            await (refused or self.app)(scope, receive, noting)
        finally:
            route = getattr(scope.get("route"), "path", None) or "other"
            self.metrics.answered(route, status, time.perf_counter() - begun)

    # ---- who ------------------------------------------------------------------------------------

    def _stranger(self, scope: Scope, headers: dict[bytes, str]) -> Response | None:
        """The refusal of a caller who may not call."""
        host = headers.get(b"host", "")
        name = _name(host)
        if name is None or not self.settings.may_be_called(name):
            return problem(421, f"Host {ascii(host)[:60]} is not a name of this server",
                           where="host")
        origin = headers.get(b"origin")
        if origin is not None and not self._may_come_from(origin, host):
            return problem(403, f"pages of {ascii(origin)[:60]} may not call this server",
                           where="origin")
        if self.settings.token is not None and not self._is_open(scope):
            shown = headers.get(b"authorization", "")
            kind, _, token = shown.partition(" ")
            if kind.lower() != "bearer":  # what EventSource and WebSocket of a page can do
                query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
                token = (query.get("token") or [""])[-1]
            if not hmac.compare_digest(token.encode(), self.settings.token.encode()):
                return problem(401, "the token is missing or wrong", where="authorization",
                               headers={"WWW-Authenticate": "Bearer"})
        return None

    def _may_come_from(self, origin: str, host: str) -> bool:
        if origin in self.settings.origins or "*" in self.settings.origins:
            return True
        try:
            return urlsplit(origin).netloc.lower() == host.lower()
        except ValueError:  # no address, "http://["
            return False

    def _is_open(self, scope: Scope) -> bool:
        path = scope["path"]
        return path in OPEN or path.startswith(PAGE) or scope.get("method") == "OPTIONS"

    # ---- how much -------------------------------------------------------------------------------

    async def _body(
        self, scope: Scope, headers: dict[bytes, str], receive: Receive
    ) -> bytes | Response | None:
        """The whole body, None where there is none, or a refusal."""
        told = headers.get(b"content-length")
        if told is None and b"transfer-encoding" not in headers:
            return None
        limit = self.settings.file_body if scope["path"] in FILES else self.settings.body
        large = problem(413, f"a request of more than {limit} bytes", where="body",
                        headers={"Connection": "close"})
        if told is not None and not (
                told.isascii() and told.isdigit() and len(told) <= 12 and int(told) <= limit):
            return large
        parts, size = [], 0
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return b""  # gone
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > limit:
                        return large
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            return problem(408, f"the request did not arrive within {BODY_SECONDS:g} s",
                           where="body", headers={"Connection": "close"})


def _headers(scope: Scope) -> dict[bytes, str]:
    return {name: value.decode("latin-1") for name, value in scope["headers"]}


def _name(host: str) -> str | None:
    """A Host header without its port; None if it is none."""
    try:
        found = urlsplit(f"//{host}")
        return found.hostname if not (found.path or found.query or found.username) else None
    except ValueError:
        return None


def _again(body: bytes | None, receive: Receive) -> Receive:
    """`receive` that gives the body that was read, then goes on."""
    if body is None:
        return receive
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
