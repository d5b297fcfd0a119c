"""Long work: kept in a queue, followed by its events, stopped with what it has, kept on disk."""
from __future__ import annotations

import asyncio
import collections
import contextlib
import json
import logging
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

from nardy_core.files import write_text
from nardy_core.serve.http.answers import Document
from nardy_core.serve.http.pools import Conflict, Full, be_nice
from nardy_core.serve.http.work import Work

log = logging.getLogger("nardy.http")

SCHEMA = "nardy.job/1"
STATES = ("queued", "running", "done", "cancelled", "failed")
ENDED = STATES[2:]
KEPT = 500  # jobs that ended, the oldest are forgotten
EVENTS = 64  # of a job, the latest; each progress tells all that is known
SAVE_SECONDS = 10.0  # between checkpoints
MAX_FILE = 64 << 20

Maker = Callable[[Document, "Document | None"], Work]  # from a request and a checkpoint
Event = tuple[int, str, str]  # id, name, data as JSON


class Job:
    """One job. Its fields change in the event loop's thread only."""

    def __init__(
        self, id_: str, kind: str, request: Document, key: str | None = None,
        created: float | None = None,
    ) -> None:
        self.id, self.kind, self.request, self.key = id_, kind, request, key
        self.created = time.time() if created is None else created
        self.ended: float | None = None
        self.state, self.fraction = "queued", 0.0
        self.result: Document | None = None
        self.error: str | None = None
        self.checkpoint: Document | None = None
        self.work: Work | None = None
        self.cancelled = False
        self.events: collections.deque[Event] = collections.deque(maxlen=EVENTS)
        self.end = asyncio.Event()
        self._last = 0
        self._news = asyncio.Event()

    @property
    def over(self) -> bool:
        return self.state in ENDED

    def summary(self) -> Document:
        return {"id": self.id, "kind": self.kind, "state": self.state,
                "fraction": round(self.fraction, 4), "created": round(self.created, 3),
                "ended": None if self.ended is None else round(self.ended, 3)}

    def to_dict(self) -> Document:
        return {"schema": SCHEMA, **self.summary(), "request": self._shown(),
                "result": self.result, "error": self.error}

    def _shown(self) -> Document:
        """The request without the file it may have brought."""
        return {name: value for name, value in self.request.items() if name not in ("text", "data")}

    def saved(self) -> Document:
        """As it is kept in a file."""
        return {**self.to_dict(), "request": self.request, "key": self.key,
                "checkpoint": self.checkpoint}

    @classmethod
    def load(cls, data: Any) -> Job:
        """ValueError for what `saved` never gave."""
        if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
            raise ValueError("no job of this version")
        kinds: dict[str, Any] = {"id": str, "kind": str, "request": dict, "state": str,
                                 "created": (int, float)}
        for name, kind in kinds.items():
            if not isinstance(data.get(name), kind):
                raise ValueError(f"{name} is missing or none")
        if data["state"] not in STATES:
            raise ValueError(f"state {ascii(data['state'])[:40]} is unknown")
        for name in ("result", "checkpoint"):
            if not isinstance(data.get(name), (dict, type(None))):
                raise ValueError(f"{name} is no object")
        job = cls(data["id"], data["kind"], data["request"], data.get("key"), data["created"])
        job.state, job.result, job.error = data["state"], data.get("result"), data.get("error")
        job.ended, job.fraction = data.get("ended"), float(data.get("fraction") or 0.0)
        job.checkpoint = data.get("checkpoint")
        if not job.over:
            job.state = "queued"
        job.post("status", job.summary())
        if job.over:
            job.post("end", job.to_dict())
        return job

    # ---- events ---------------------------------------------------------------------------------

    def post(self, name: str, data: Document) -> None:
        # Numbers by the clock go on rising after a restart, whatever was told before it.
        self._last = max(self._last + 1, time.time_ns() // 1_000_000)
        self.events.append((self._last, name, json.dumps(data, separators=(",", ":"))))
        news, self._news = self._news, asyncio.Event()
        news.set()

    @property
    def last_event(self) -> int:
        return self._last

    async def follow(self, after: int) -> AsyncIterator[Event]:
        """Events with a higher number, to the end of the job."""
        while True:
            news = self._news
            for event in list(self.events):
                if event[0] > after:
                    after = event[0]
                    yield event
            if self.over and after >= self._last:
                return
            if news is self._news:
                await news.wait()


class Jobs:
    """All jobs of a server.

    makers : by kind, makes the work from a checked request
    workers, waiting : jobs at a time, and jobs that may wait for that
    folder : where they are kept; None = nowhere
    """

    def __init__(
        self, makers: Mapping[str, Maker], workers: int, waiting: int, folder: Path | None
    ) -> None:
        self.makers, self.places, self.workers = makers, workers + waiting, workers
        self.folder = folder
        self.all: dict[str, Job] = {}
        self._threads = ThreadPoolExecutor(
            workers, thread_name_prefix="job", initializer=be_nice)
        self._disk, self._creating = threading.Lock(), asyncio.Lock()
        self._closing = threading.Event()
        self._lock: IO[str] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def count(self, state: str) -> int:
        return sum(job.state == state for job in self.all.values())

    @property
    def inside(self) -> int:
        return sum(not job.over for job in self.all.values())

    # ---- life -----------------------------------------------------------------------------------

    def claim(self) -> None:
        """Make the folder this server's. Raises OSError where it cannot be used."""
        if self.folder is not None and self._lock is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(self.folder / "lock")

    def open(self) -> None:
        """Take up what an earlier server left, in the running event loop. Raises as `claim`."""
        self._loop = asyncio.get_running_loop()
        self.claim()
        if self.folder is None:
            return
        found = []
        for path in self.folder.glob("*.json"):
            try:
                if path.stat().st_size > MAX_FILE:
                    raise ValueError(f"more than {MAX_FILE} bytes")
                job = Job.load(json.loads(path.read_text(encoding="utf-8")))
                if f"{job.id}.json" != path.name:
                    raise ValueError("the name is that of another job")
                if not job.over:
                    job.work = self._make(job)
                found.append(job)
            except (OSError, ValueError, TypeError, RecursionError) as error:
                log.warning("%s: no job to go on with: %s", path, str(error)[:200])
        for job in sorted(found, key=lambda job: job.created):
            self.all[job.id] = job
            if not job.over:
                self._enqueue(job)

    async def close(self) -> None:
        """Stop all work, with a checkpoint of it."""
        self._closing.set()
        for job in list(self.all.values()):
            if not job.over and job.work:
                await asyncio.to_thread(job.work.stop)
        await asyncio.to_thread(self._threads.shutdown, True, cancel_futures=True)
        if self._lock:
            self._lock.close()

    # ---- what clients do ------------------------------------------------------------------------

    async def create(
        self, kind: str, request: Document, key: str | None = None
    ) -> tuple[Job, bool]:
        """(the job, whether it is new). Raises ValueError, Full, Conflict, OSError. Where it
        raises, or is cancelled itself, there is no job."""
        async with self._creating:
            for job in self.all.values():
                if key is not None and job.key == key:
                    if (job.kind, job.request) != (kind, request):
                        raise Conflict("the Idempotency-Key belongs to another request")
                    return job, False
            if self._closing.is_set() or self.inside >= self.places:
                raise Full("long", 30)
            job = Job(secrets.token_urlsafe(12), kind, request, key)
            job.work = await asyncio.to_thread(self._make, job)
            self.all[job.id] = job
            try:
                await asyncio.to_thread(self._save, job.saved())
                if not job.cancelled:  # by someone who saw it in the list
                    self._enqueue(job)
            except BaseException:
                self._drop(job)  # a save that is still under way leaves no file, either
                raise
            self._forget_old()
            return job, True

    async def cancel(self, job: Job) -> None:
        """Stop the job, if it has not ended; returns when it has."""
        if job.over:
            return
        job.cancelled = True
        if job.work:
            await asyncio.to_thread(job.work.stop)
        if job.state == "queued":
            self._ended(job, "cancelled", job.result, None)
            await asyncio.to_thread(self._keep, job.saved())
        await job.end.wait()

    async def forget(self, job: Job) -> None:
        """Cancel the job and drop all that is known of it."""
        await self.cancel(job)
        self._drop(job)

    # ---- the work -------------------------------------------------------------------------------

    def _make(self, job: Job) -> Work:
        if job.kind not in self.makers:
            raise ValueError(f"kind {ascii(job.kind)[:40]} is unknown")
        return self.makers[job.kind](job.request, job.checkpoint)

    def _enqueue(self, job: Job) -> None:
        job.post("status", job.summary())
        self._threads.submit(self._run, job)

    def _run(self, job: Job) -> None:
        """In a thread of the pool."""
        work = job.work
        if self._closing.is_set() or job.cancelled or work is None:
            return
        self._tell(self._started, job)
        saved = time.monotonic()

        def report(fraction: float, partial: Document | None) -> None:
            nonlocal saved
            self._tell(self._progress, job, fraction, partial)
            if time.monotonic() - saved > SAVE_SECONDS:
                saved = time.monotonic()
                self._keep({**job.saved(), "fraction": fraction, "result": partial,
                            "checkpoint": work.state()})

        state, result, error = "failed", None, None
        try:
            result, whole = work.run(report)
            state = "done" if whole else "cancelled"
        except Exception as failure:
            error = " ".join(f"{type(failure).__name__}: {failure}".split())
            log.error("job %s: %s", job.id, error, exc_info=failure)
        if self._closing.is_set() and state == "cancelled" and not job.cancelled:
            self._keep({**job.saved(), "state": "queued", "result": result,
                        "checkpoint": work.state()})
            return
        self._keep({**job.saved(), "state": state, "result": result, "error": error,
                    "ended": time.time(), "checkpoint": None,
                    "fraction": 1.0 if state == "done" else job.fraction})
        self._tell(self._ended, job, state, result, error)

    def _tell(self, what: Callable[..., None], *arguments: Any) -> None:
        assert self._loop is not None
        with contextlib.suppress(RuntimeError):  # the loop is gone
            self._loop.call_soon_threadsafe(what, *arguments)

    def _started(self, job: Job) -> None:
        if not job.over:
            job.state = "running"
            job.post("status", job.summary())

    def _progress(self, job: Job, fraction: float, partial: Document | None) -> None:
        if not job.over:
            job.fraction, job.result = fraction, partial
            job.post("progress", {"fraction": round(fraction, 4), "result": partial})

    def _ended(self, job: Job, state: str, result: Document | None, error: str | None) -> None:
        if job.over:
            return
        job.state, job.error, job.ended = state, error, time.time()
        job.result = result if result is not None else job.result
        job.work = job.checkpoint = None
        if state == "done":
            job.fraction = 1.0
        job.events.clear()  # the end tells all
        job.post("end", job.to_dict())
        job.end.set()

    # ---- the disk -------------------------------------------------------------------------------

    def _save(self, saved: Document) -> None:
        if self.folder is None:
            return
        path = self.folder / f"{saved['id']}.json"
        with self._disk:
            if saved["id"] not in self.all:
                return  # forgotten meanwhile
            write_text(path, json.dumps(saved))

    def _keep(self, saved: Document) -> None:
        """Save, or say why it cannot be saved: the work goes on."""
        try:
            self._save(saved)
        except OSError as error:
            log.error("job %s not kept: %s", saved["id"], error)

    def _drop(self, job: Job) -> None:
        with self._disk, contextlib.suppress(OSError):
            self.all.pop(job.id, None)
            if self.folder is not None:
                (self.folder / f"{job.id}.json").unlink(missing_ok=True)

    def _forget_old(self) -> None:
        ended = sorted((job for job in self.all.values() if job.over),
                       key=lambda job: job.ended or 0.0)
        for job in ended[:-KEPT]:
            self._drop(job)


def _locked(path: Path) -> IO[str]:
    """The lock of a folder. Raises OSError if another server has it."""
    file = open(path, "a", encoding="utf-8")  # noqa: SIM115 (kept open as long as the server runs)
    with contextlib.suppress(ImportError):
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            raise OSError(error.errno, "another server keeps its jobs here",
                          str(path.parent)) from None
    return file
