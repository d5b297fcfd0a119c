"""HTTP and JSON: `nardy serve http`."""
from __future__ import annotations

import contextlib
import errno
import logging
import os
import socket
import sys
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn

from nardy_core.engine import Engine
from nardy_core.serve.http.app import create_app
from nardy_core.serve.http.settings import Settings
from nardy_core.serve.lines import on_signal

__all__ = ["Settings", "create_app", "serve"]

log = logging.getLogger("nardy.http")

# Seconds for which a thread may keep the interpreter while others want it. With Python's own 0.005
# the event loop starves: of 200 clients at once the slowest hundredth waited 3.5 s, now 0.3 s.
TURN = 0.0005
# Seconds for which a connection may idle. Closed sooner, it meets the next request of a client that
# was busy itself, whose answer is then lost.
IDLE = 75
GRACE = 5  # seconds for answers under way when the server is told to end


class _Uvicorn(uvicorn.Server):
    """Ends by itself on SIGINT and SIGTERM, at once on the second."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], object], app: Any) -> None:
        super().__init__(config)
        self._ready, self._app = ready, app

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        with on_signal(self.stop):
            yield

    def stop(self) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True
        self._app.state.server.closed.set()


class _Reporter(logging.Handler):
    """Tells the operator, a line each."""

    def __init__(self, report: Callable[[str], object]) -> None:
        super().__init__()
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        self._report(" ".join(record.getMessage().split()))


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises OSError that names the address."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        made = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise OSError(error.errno, error.strerror, f"{host}:{port}") from None
    try:
        if os.name == "posix":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(2048)
    except OSError as error:
        made.close()
        raise OSError(error.errno or errno.EIO, os.strerror(error.errno or errno.EIO),
                      f"{host}:{port}") from None
    return made


def serve(
    engine: Engine, settings: Settings | None = None, *,
    report: Callable[[str], object] | None = None,
) -> None:
    """Serve in this thread until SIGINT or SIGTERM. Raises OSError where it cannot listen, or
    where another server keeps its jobs.

    report : called with a line for the operator now and then
    """
    settings = settings or Settings()
    app = create_app(engine, settings)
    app.state.server.jobs.claim()
    if report:
        log.addHandler(_Reporter(report))
        log.propagate = False
    sys.setswitchinterval(TURN)
    with contextlib.closing(listen(settings.host, settings.port)) as made:
        port = made.getsockname()[1]
        host = f"[{settings.host}]" if ":" in settings.host else settings.host

        def ready() -> None:
            if report:
                report(f"listening on http://{host}:{port}/")

        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, date_header=False,
            proxy_headers=False, timeout_graceful_shutdown=GRACE,
            timeout_keep_alive=IDLE, ws_max_size=settings.file_body)
        _Uvicorn(config, ready, app).run(sockets=[made])
