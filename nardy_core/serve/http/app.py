"""The web application: routes to the answers, behind the guard."""
from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any

from fastapi import FastAPI, Query
from fastapi.routing import APIRoute
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response

from nardy_core._version import __version__
from nardy_core.engine import Engine
from nardy_core.serve.http import job_routes, page, problems, schemas, web_socket, wildbg
from nardy_core.serve.http.guard import Guard
from nardy_core.serve.http.metrics import CONTENT_TYPE
from nardy_core.serve.http.server import Server, dumped
from nardy_core.serve.http.settings import Settings

ABOUT = """\
Analysis of short nardy (backgammon) and long nardy. A position is an id (XGID, GNU, OGID, FIBS
board, NDID, text, `start`, `start:long_nardy`) or an object with its fields. Equities and chances
are those of the side on roll. Every error is one line: `{"code": …, "message": …, "where": …}`.
"""


def create_app(engine: Engine, settings: Settings | None = None) -> FastAPI:
    """The ASGI application, to be run by `serve` or by a server of one's own."""
    settings = settings or Settings()
    server = Server(engine, settings)

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        server.open()
        try:
            yield
        finally:
            await server.close()

    middleware = [Middleware(Guard, settings, server.metrics)]
    if settings.origins:
        middleware.append(Middleware(
            CORSMiddleware, allow_origins=list(settings.origins), allow_methods=["*"],
            allow_headers=["*"], expose_headers=["Location", "Retry-After"]))
    app = FastAPI(
        title="nardy_core", version=__version__, description=ABOUT, docs_url=None, redoc_url=None,
        lifespan=life, middleware=middleware, separate_input_output_schemas=False,
        generate_unique_id_function=_name, redirect_slashes=False)
    app.state.server = server
    problems.install(app)
    _quick_calls(app, server)
    _wildbg(app, server)
    job_routes.add(app, server)
    web_socket.add(app, server)
    _housekeeping(app, server)
    return app


def _name(route: APIRoute) -> str:
    return route.name


# ---- quick calls --------------------------------------------------------------------------------

QUICK: tuple[tuple[str, type[schemas.Answer], str], ...] = (
    ("evaluate", schemas.EvaluateAnswer, "The chances of the side on roll, before it rolls"),
    ("moves", schemas.MovesAnswer, "The plays of a roll, best first"),
    ("cube", schemas.CubeAnswer, "Whether to double, and whether to take it"),
    ("legal", schemas.LegalAnswer, "All distinct plays of a roll"),
    ("why", schemas.WhyAnswer, "Whether a step may be made, and if not, why"),
    ("rolls", schemas.RollsAnswer, "Dice by dice: the best play of each roll"),
    ("convert", schemas.ConvertAnswer, "A position in every form, and field by field"),
    ("convert_match", schemas.ConvertMatchAnswer, "A match file in another form"),
)


def _quick_calls(app: FastAPI, server: Server) -> None:
    for name, answer, about in QUICK:
        call = _quick(server, getattr(server.answers, name), schemas.CALLS[name])
        app.add_api_route(
            f"/v1/{name.replace('_', '/')}", call, name=name,
            methods=["POST"], summary=about, response_class=Response, tags=["quick"],
            responses={200: {"model": answer, "description": about}, **problems.documented()})

    drawn: dict[int | str, dict[str, Any]] = {
        200: {"description": "the picture", "content": {
            "image/svg+xml": {"schema": {"type": "string"}},
            "text/plain": {"schema": {"type": "string"}}}}, **problems.documented()}

    async def diagram(asked: schemas.DiagramRequest) -> Response:
        kind = "image/svg+xml" if asked.format == "svg" else "text/plain"
        picture = await server.run(server.answers.diagram, asked)
        return Response(picture.encode("utf-8", "replace"), media_type=kind)

    app.add_api_route("/v1/diagram", diagram, methods=["POST"], response_class=Response,
                      summary="The board as SVG or text", tags=["quick"], responses=drawn)


def _quick(
    server: Server, work: Callable[[Any, Any], Any], asked: type[schemas.Request]
) -> Callable[..., Awaitable[Response]]:
    # FastAPI reads the annotations, which differ from call to call and are set below.
    async def call(asked):  # type: ignore[no-untyped-def]
        return await server.run(lambda asked, stop: dumped(work(asked, stop)), asked)

    call.__annotations__ = {"asked": asked, "return": Response}
    return call


def _wildbg(app: FastAPI, server: Server) -> None:
    level = server.settings.level

    async def move(asked: Annotated[wildbg.Rolled, Query()]) -> Response:
        return await server.run(
            lambda asked, stop: dumped(wildbg.moves(server.engine, level, asked, stop)), asked)

    async def value(asked: Annotated[wildbg.Asked, Query()]) -> Response:
        return await server.run(
            lambda asked, stop: dumped(wildbg.value(server.engine, level, asked, stop)), asked)

    for path, call, answer, about in (
            ("/move", move, wildbg.Moves, "wildbg: all plays of a roll, best first"),
            ("/eval", value, wildbg.Valued, "wildbg: chances and cube action before the roll")):
        app.add_api_route(path, call, name=path[1:], methods=["GET"], summary=about,
                          response_class=Response, tags=["wildbg"], responses={
                              200: {"model": answer, "description": about},
                              **problems.documented()})


# ---- the server itself --------------------------------------------------------------------------


def _housekeeping(app: FastAPI, server: Server) -> None:
    async def health() -> Response:
        status = "closing" if server.closed.is_set() else "ok"
        return dumped({"status": status, "version": __version__})

    async def info() -> Response:
        return dumped(server.answers.info())

    async def metrics() -> Response:
        return Response(server.metrics.text(), media_type=CONTENT_TYPE)

    app.add_api_route("/health", health, methods=["GET"], summary="Whether the server is well",
                      response_class=Response, tags=["server"], responses={
                          200: {"model": schemas.HealthAnswer, "description": "it is"},
                          **problems.documented()})
    app.add_api_route("/v1/info", info, methods=["GET"], summary="Levels, nets, forms, limits",
                      response_class=Response, tags=["server"], responses={
                          200: {"model": schemas.InfoAnswer,
                                "description": "what the server offers"},
                          **problems.documented()})
    app.add_api_route("/metrics", metrics, methods=["GET"], summary="Counters, for Prometheus",
                      response_class=Response, tags=["server"], responses={
                          200: {"description": "Prometheus text format",
                                "content": {"text/plain": {"schema": {"type": "string"}}}},
                          **problems.documented()})
    page.add(app)
