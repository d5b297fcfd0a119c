"""The same over one WebSocket, for GUIs: messages {"type", "id", "payload"}, answered by such."""
from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from nardy_core.serve.http import problems, schemas
from nardy_core.serve.http.jobs import Job
from nardy_core.serve.http.pools import Full
from nardy_core.serve.http.server import Server

PATH = "/v1/socket"
AT_ONCE = 64  # requests of one socket under way


class Message(BaseModel):
    """`id` is the client's, and comes back with every answer to the request."""

    model_config = ConfigDict(strict=True, extra="forbid")

    type: str = Field(max_length=40)
    id: int | str | None = None
    payload: dict[str, Any] = {}


def add(app: FastAPI, server: Server) -> None:
    """Put the route into the app."""

    async def socket(web: WebSocket) -> None:
        await web.accept()
        await Session(server, web).run()

    app.add_api_websocket_route(PATH, socket)


class Session:
    """One client. What it asked for and has not got is stopped when it goes."""

    def __init__(self, server: Server, web: WebSocket) -> None:
        self.server, self.web = server, web
        self._tasks: dict[asyncio.Task[None], Message] = {}
        self._jobs: dict[asyncio.Task[None], Job] = {}
        self._writing = asyncio.Lock()

    async def run(self) -> None:
        """Read until the client or the server goes."""
        closing = asyncio.create_task(self.server.closed.wait())
        reading = asyncio.create_task(self._read())
        try:
            await asyncio.wait((closing, reading), return_when=asyncio.FIRST_COMPLETED)
            if closing.done():
                with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                    await self.web.close(1001)
        finally:
            for task in (closing, reading, *self._tasks):
                task.cancel()
            await asyncio.gather(closing, reading, *self._tasks, return_exceptions=True)
            for job in self._jobs.values():
                await self.server.jobs.forget(job)

    async def _read(self) -> None:
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                received = await self.web.receive()
                if received["type"] == "websocket.disconnect":
                    return
                await self._take(received.get("text") or received.get("bytes") or "")

    async def _take(self, text: str | bytes) -> None:
        try:
            message = Message.model_validate(json.loads(text))
        except (ValueError, RecursionError) as error:
            _, about = problems.look_into(
                error if isinstance(error, ValidationError) else ValueError("body: no JSON"))
            await self._send("error", None, about)
            return
        if message.type == "cancel":
            await self._cancel(message)
        elif len(self._tasks) >= AT_ONCE:
            _, about = problems.look_into(Full("socket's", 1))
            await self._send("error", message.id, about)
        else:
            task = asyncio.create_task(self._answer(message))
            self._tasks[task] = message
            task.add_done_callback(lambda done: self._tasks.pop(done, None))

    async def _answer(self, message: Message) -> None:
        try:
            if message.type in schemas.JOBS:
                await self._follow(message)
                return
            if message.type not in schemas.CALLS:
                raise ValueError(f"type: {ascii(message.type)} is unknown")
            asked = schemas.CALLS[message.type].model_validate(message.payload)
            work = getattr(self.server.answers, message.type)
            await self._send("result", message.id, await self.server.run(work, asked))
        except Exception as error:
            await self._send("error", message.id, problems.look_into(error)[1])

    async def _follow(self, message: Message) -> None:
        """Start a job and tell of it until it ends."""
        asked = _JOB.validate_python({**message.payload, "kind": message.type})
        job, _ = await self.server.jobs.create(
            asked.kind, asked.model_dump(mode="json", exclude_unset=True))
        task = asyncio.current_task()
        assert task is not None
        self._jobs[task] = job
        async for _, name, data in job.follow(0):
            await self._send("result" if name == "end" else name, message.id, json.loads(data))
        del self._jobs[task]
        await self.server.jobs.forget(job)

    async def _cancel(self, message: Message) -> None:
        """Stop the request with the id in the payload. A rollout ends with what it has."""
        wanted = message.payload.get("id")
        found = [task for task, asked in self._tasks.items() if asked.id == wanted]
        for task in found:
            if job := self._jobs.get(task):
                await self.server.jobs.cancel(job)
            else:
                task.cancel()
                about = problems.described(409, "cancelled", "cancelled")
                await self._send("error", wanted, about)
        await self._send("result", message.id, {"cancelled": len(found)})

    async def _send(self, kind: str, id_: int | str | None, payload: Any) -> None:
        text = json.dumps({"type": kind, "id": id_, "payload": payload}, separators=(",", ":"))
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # the client is gone
            async with self._writing:
                await self.web.send_text(text)


_JOB: TypeAdapter[schemas.AnyJob] = TypeAdapter(schemas.AnyJob)
