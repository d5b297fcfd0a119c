"""Jobs over HTTP: create, look, follow by server-sent events, cancel, forget."""
from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import FastAPI, Header, Path, Request
from starlette.responses import Response, StreamingResponse

from nardy_core.serve.http import problems, schemas
from nardy_core.serve.http.jobs import Job
from nardy_core.serve.http.server import Server, dumped

HEARTBEAT = 5.0  # seconds of silence after which a stream says that it is still there
STREAM_SECONDS = 3600.0  # after which a stream ends, to be taken up again

Id = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{16}$", examples=["Zq3kX0bJ1v5aT9Lm"])]
Key = Annotated[str | None, Header(
    alias="Idempotency-Key", pattern="^[!-~]{1,200}$",
    description="the same key and request give the same job")]
Seen = Annotated[str | None, Header(
    alias="Last-Event-ID", pattern="^[0-9]{1,18}$", description="go on after this event")]


def add(app: FastAPI, server: Server) -> None:
    """Put the routes into the app."""
    jobs = server.jobs

    def find(id_: str) -> Job:
        if id_ not in jobs.all:
            raise problems.missing(f"there is no job {id_}")
        return jobs.all[id_]

    async def create(asked: schemas.AnyJob, key: Key = None) -> Response:
        request = asked.model_dump(mode="json", exclude_unset=True)
        job, new = await jobs.create(asked.kind, request, key)
        answer = dumped(job.to_dict())
        answer.status_code = 202 if new else 200
        answer.headers["Location"] = f"/v1/jobs/{job.id}"
        return answer

    async def listed() -> Response:
        found = sorted(jobs.all.values(), key=lambda job: job.created)
        return dumped({"schema": "nardy.jobs/1", "jobs": [job.summary() for job in found]})

    async def look(id: Id) -> Response:
        return dumped(find(id).to_dict())

    async def cancel(id: Id) -> Response:
        job = find(id)
        await jobs.cancel(job)
        return dumped(job.to_dict())

    async def forget(id: Id) -> Response:
        job = find(id)
        await jobs.forget(job)
        return dumped(job.to_dict())

    async def events(request: Request, id: Id, seen: Seen = None) -> Response:
        job = find(id)
        after = int(seen or 0)
        if job.over and after >= job.last_event:
            return Response(status_code=204)  # which tells a browser not to come again
        return StreamingResponse(
            _stream(server, job, after), media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})

    about: dict[str, Any] = {"model": schemas.JobAnswer, "description": "the job"}
    where = {"Location": {"schema": {"type": "string"}, "description": "of the job"}}
    stream = {"description": "events `status`, `progress`, `end`, each with a JSON object",
              "content": {"text/event-stream": {"schema": {  # of one event
                  "type": "object", "required": ["id", "event", "data"], "properties": {
                      name: {"type": "string"} for name in ("id", "event", "data")}}}}}
    routes: tuple[tuple[str, str, Any, str, dict[int, dict[str, Any] | None]], ...] = (
        ("/v1/jobs", "POST", create, "Start a rollout or the analysis of a match",
         {202: {**about, "headers": where},
          200: {**about, "description": "the job of the same key", "headers": where}, 409: None}),
        ("/v1/jobs", "GET", listed, "All jobs",
         {200: {"model": schemas.JobListAnswer, "description": "oldest first"}}),
        ("/v1/jobs/{id}", "GET", look, "A job and its result so far", {200: about, 404: None}),
        ("/v1/jobs/{id}/cancel", "POST", cancel, "Stop a job; what it has found is kept",
         {200: about, 404: None}),
        ("/v1/jobs/{id}", "DELETE", forget,
         "Stop a job and forget it; the answer is the last that is heard of it",
         {200: about, 404: None}),
        ("/v1/jobs/{id}/events", "GET", events, "Follow a job",
         {200: stream, 204: {"description": "all has been told"}, 404: None}),
    )
    for path, method, call, summary, answers in routes:
        errors = [status for status, answer in answers.items() if answer is None]
        told: dict[int | str, dict[str, Any]] = {
            **{status: answer for status, answer in answers.items() if answer},
            **problems.documented(*errors)}
        app.add_api_route(
            path, call, methods=[method], summary=summary, responses=told, tags=["jobs"],
            response_class=Response, name=f"{call.__name__}_job",
            status_code=min(status for status in answers if answers[status]))


async def _stream(server: Server, job: Job, after: int) -> AsyncIterator[bytes]:
    """Events as a browser's EventSource wants them, until the job or the server ends."""
    yield b"retry: 1000\n\n"
    until = asyncio.get_running_loop().time() + STREAM_SECONDS
    events = job.follow(after)
    coming = asyncio.ensure_future(anext(events))
    closing = asyncio.ensure_future(server.closed.wait())
    try:
        while asyncio.get_running_loop().time() < until:
            await asyncio.wait((coming, closing), timeout=HEARTBEAT,
                               return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                try:
                    number, name, data = coming.result()
                except StopAsyncIteration:
                    return
                yield f"id: {number}\nevent: {name}\ndata: {data}\n\n".encode()
                coming = asyncio.ensure_future(anext(events))
            elif closing.done():
                return
            else:
                yield b": still there\n\n"
    finally:
        for task in (coming, closing):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration):
                await task
