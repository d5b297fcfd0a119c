"""Errors as every client sees them: one line of JSON with `code`, `message` and `where`."""
from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException as StarletteException
from starlette.responses import Response
from starlette.routing import Match

from nardy_core.checks import printable
from nardy_core.errors import UnsupportedError
from nardy_core.serve.http.pools import Conflict, Full, TooLong
from nardy_core.serve.http.schemas import Problem

TRY_AGAIN = 10  # seconds, where nobody knows better

log = logging.getLogger("nardy.http")

CODES = {400: "bad_request", 401: "unauthorized", 403: "forbidden", 404: "not_found",
         405: "method_not_allowed", 408: "too_slow", 409: "conflict", 413: "too_large",
         421: "misdirected", 422: "bad_input", 500: "internal", 503: "busy"}

ABOUT = {400: "not HTTP that can be read", 401: "the token is missing or wrong",
         403: "a page of another origin", 404: "there is no such thing",
         408: "the request did not come in time", 409: "at odds with an earlier request",
         413: "more than the server takes", 421: "another name than this server's",
         422: "makes no sense", 500: "a fault of the server",
         503: "busy, or it took too long; Retry-After says when to come again"}

# What any call may be answered instead of what was asked for.
ALWAYS = (400, 401, 403, 408, 413, 421, 422, 500, 503)


def documented(*more: int) -> dict[int | str, dict[str, Any]]:
    """`responses` of a route: the errors it may give."""
    found: dict[int | str, dict[str, Any]] = {}
    for status in sorted({*ALWAYS, *more}):
        found[status] = {"model": Problem, "description": ABOUT[status]}
    found[503]["headers"] = {"Retry-After": {"schema": {"type": "integer"},
                                             "description": "seconds"}}
    return found


def described(status: int, message: str, code: str | None = None,
              where: str | None = None) -> dict[str, str | None]:
    """An error as a `Problem`."""
    return {"code": code or CODES.get(status, "error"),
            "message": printable(" ".join(message.split())), "where": where}


def problem(
    status: int, message: str, *, code: str | None = None, where: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """An error as a response."""
    body = json.dumps(described(status, message, code, where)) + "\n"
    return Response(body, status, dict(headers or {}), "application/json")


def missing(message: str) -> HTTPException:
    """To be raised."""
    return HTTPException(404, message)


def look_into(error: Exception) -> tuple[int, dict[str, str | None]]:
    """Status and description of an exception of the work."""
    if isinstance(error, Full):
        return 503, described(503, str(error))
    if isinstance(error, TooLong):
        return 503, described(503, str(error), "too_long")
    if isinstance(error, Conflict):
        return 409, described(409, str(error), where="Idempotency-Key")
    if isinstance(error, (RequestValidationError, ValidationError)):
        return 422, described(422, *_invalid(error.errors()[0]))
    if isinstance(error, UnsupportedError) and not isinstance(error, ValueError):
        return 422, described(422, str(error), "unsupported")
    if isinstance(error, ValueError):
        head, _, rest = str(error).partition(": ")
        where = head if rest and len(head) <= 40 else None
        return 422, described(422, str(error), where=where)
    log.error("%s: %s", type(error).__name__, error, exc_info=error)
    return 500, described(500, f"{type(error).__name__}: {error}")


def _invalid(first: Mapping[str, Any]) -> tuple[str, None, str]:
    """(message, no code, where) of what does not fit the schema."""
    if first["type"] == "json_invalid":
        return f"body: no JSON: {first.get('ctx', {}).get('error', '')}", None, "body"
    where = ".".join(str(part) for part in first["loc"] if part not in _PLACES) or "body"
    return f"{where}: {first['msg']}", None, where


_PLACES = ("body", "query", "path", "header", "as_id", "as_fields")


def install(app: FastAPI) -> None:
    """Have all errors of the app answered in this shape."""

    async def failed(request: Request, error: Exception) -> Response:
        status, about = look_into(error)
        after = error.retry_after if isinstance(error, Full) else TRY_AGAIN
        return Response(json.dumps(about) + "\n", status, media_type="application/json",
                        headers={"Retry-After": str(after)} if status == 503 else None)

    async def told(request: Request, error: Exception) -> Response:
        assert isinstance(error, StarletteException)
        message = str(error.detail)
        if error.status_code == 404 and message == "Not Found":
            path = request.scope["path"]  # request.url cannot do with any query
            message = f"{ascii(path[:200])[1:-1]}: there is no such path"
        headers = dict(error.headers or {})
        if error.status_code == 405:  # of all routes of the path, not of the first alone
            headers["Allow"] = ", ".join(sorted({
                method for route in app.routes if route.matches(request.scope)[0] != Match.NONE
                for method in getattr(route, "methods", None) or ()}))
        return problem(error.status_code, message, headers=headers)

    app.add_exception_handler(StarletteException, told)
    for kind in (RequestValidationError, Full, TooLong, Conflict, ValueError, RuntimeError,
                 OSError):
        app.add_exception_handler(kind, failed)
