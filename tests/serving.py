"""Servers and engines for the tests of the backends."""
from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path

from nardy_core import Engine, Position
from nardy_core.serve import gnubg

ROOT = Path(__file__).resolve().parent.parent


class Recorder(Engine):
    """An engine that keeps the positions it is asked about."""

    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)
        self.asked: list[Position] = []

    def evaluate(self, position, level=0, **settings):
        self.asked.append(position)
        return super().evaluate(position, level, **settings)

    def cube(self, position, level=0, **settings):
        self.asked.append(position)
        return super().cube(position, level, **settings)

    def analyse(self, position, dice=None, **settings):
        self.asked.append(position)
        return super().analyse(position, dice, **settings)


@contextlib.contextmanager
def listening(engine, **settings):
    """A gnubg server in a thread of its own, listening."""
    ready = threading.Event()
    server = gnubg.Server(engine, report=lambda line: ready.set(), **{"port": 0, **settings})
    loops, failures = [], []

    async def run():
        loops.append(asyncio.get_running_loop())
        await server.run()

    def work():
        try:
            asyncio.run(run())
        except BaseException as error:
            failures.append(error)
            ready.set()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert ready.wait(30)
        if failures:
            raise failures[0]
        yield server
    finally:
        if not failures:
            loops[0].call_soon_threadsafe(server.stop)
        thread.join(30)
        assert not thread.is_alive()


class Process:
    """A `nardy` command at the other end of pipes; nothing is waited for longer than `patience`."""

    def __init__(self, *words, patience=30):
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self.patience = patience
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nardy_core", *map(str, words)], env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._lines = {stream: queue.Queue() for stream in ("stdout", "stderr")}
        for stream, into in self._lines.items():
            threading.Thread(target=self._pour, args=(getattr(self.process, stream), into),
                             daemon=True).start()

    @staticmethod
    def _pour(stream, into):
        for line in stream:
            into.put(line.decode("utf-8").rstrip("\n"))
        into.put(None)

    def send(self, *lines):
        for line in lines:
            data = line if isinstance(line, bytes) else line.encode()
            self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def line(self, stream="stdout"):
        """The next line, None at the end."""
        return self._lines[stream].get(timeout=self.patience)

    def until(self, *starts):
        """Lines up to the first that starts with one of these, that one included."""
        found = []
        while True:
            line = self.line()
            assert line is not None, found
            found.append(line)
            if line.startswith(starts):
                return found

    def end(self):
        """Exit code, once the process has ended by itself."""
        self.process.stdin.close()
        return self.process.wait(self.patience)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
