"""The board at `/`: files of the package, told to the browser as a page that asks nobody else."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

from nardy_core import terms
from nardy_core.serve.http.guard import PAGE

FOLDER = Path(__file__).parent.parent / "page"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Cache-Control": "no-cache",  # ask whether it is still the same: versions do not mix
}


class _Files(StaticFiles):
    def file_response(self, *args: Any, **settings: Any) -> Response:
        response = super().file_response(*args, **settings)
        response.headers.update(HEADERS)
        return response


def add(app: FastAPI) -> None:
    """Put the page into the app."""
    async def page() -> Response:
        return FileResponse(FOLDER / "index.html", headers=HEADERS)

    words = f"export const TERMS = {json.dumps(dict(terms.table()), ensure_ascii=False)};\n"

    async def words_of_games() -> Response:
        return Response(words, headers=HEADERS, media_type="text/javascript")

    app.add_api_route("/", page, methods=["GET"], include_in_schema=False)
    app.add_api_route(f"{PAGE}terms.js", words_of_games, methods=["GET"], include_in_schema=False)
    app.mount(PAGE.rstrip("/"), _Files(directory=FOLDER), name="page")
