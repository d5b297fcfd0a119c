"""`nardy serve`: the engine behind other programs, and a board in the browser."""
from __future__ import annotations

import argparse
import os
import threading
from pathlib import Path

from nardy_core.cache import directory
from nardy_core.cli.common import (
    OK,
    Commands,
    above_zero,
    at_least_one,
    complain,
    engine_arguments,
    engine_of,
    filter_argument,
    level_argument,
    number,
)


def add(commands: Commands) -> None:
    about = ("Be the engine of other programs: over HTTP with a board in the browser, as gnubg's "
             "external player, or as a UBGI engine.")
    served = commands.add_parser("serve", help=about, description=about)
    kinds = served.add_subparsers(dest="kind", metavar="KIND", required=True)

    about = ("HTTP and JSON with a board at / for the browser; needs the extra [server]. "
             "Ctrl-C ends it, its jobs go on when it is started again.")
    http = kinds.add_parser("http", help=about, description=about)
    http.add_argument("--host", default="127.0.0.1", help="address to listen on (default: "
                      "127.0.0.1, which only this machine reaches)")
    http.add_argument("--port", type=port, default=8080, metavar="N",
                      help="default 8080, 0 = any free one")
    http.add_argument("--open", action="store_true", help="open the board in the browser")
    level_argument(http, " where a call does not say")
    filter_argument(http)
    http.add_argument("--token", metavar="WORD", help="calls must bring it as `Authorization: "
                      "Bearer WORD` or ?token=WORD (default: $NARDY_TOKEN, if set)")
    http.add_argument("--allow-host", action="append", default=[], metavar="NAME",
                      help="another name this server is called by (may be repeated)")
    http.add_argument("--cors", action="append", default=[], metavar="ORIGIN",
                      help="pages of this origin may call, as https://example.org, or * "
                      "(may be repeated; default: only the server's own page)")
    http.add_argument("--quick", type=at_least_one, metavar="N",
                      help="calls worked on at a time (default: processors)")
    http.add_argument("--waiting", type=number, default=256, metavar="N",
                      help="calls that may wait, the next is answered 503 (default 256)")
    http.add_argument("--time-limit", type=above_zero, default=30.0, metavar="S",
                      help="seconds for a call (default 30)")
    http.add_argument("--long", type=at_least_one, default=1, metavar="N",
                      help="jobs at a time, each on all --threads (default 1)")
    http.add_argument("--queued", type=number, default=256, metavar="N",
                      help="jobs that may wait, the next is answered 503 (default 256)")
    http.add_argument("--job-time", type=above_zero, default=86400.0, metavar="S",
                      help="seconds of work for a job (default 86400)")
    http.add_argument("--jobs", metavar="DIR", help="where jobs are kept (default: jobs-PORT in "
                      "the cache directory; with --port 0 they end with the server)")
    engine_arguments(http)
    http.set_defaults(run=run_http)

    about = ("A server as gnubg's external players and gnubg's own `external` are. In gnubg: "
             "set player 1 external HOST:PORT. Ctrl-C ends it.")
    gnubg = kinds.add_parser("gnubg", help=about, description=about)
    gnubg.add_argument("--host", default="127.0.0.1", help="address to listen on (default: "
                       "127.0.0.1, which only this machine reaches)")
    gnubg.add_argument("--port", type=port, default=7733, metavar="N",
                       help="default 7733, 0 = any free one")
    gnubg.add_argument("--socket", metavar="PATH", help="a Unix socket instead of host and port")
    level_argument(gnubg)
    filter_argument(gnubg)
    engine_arguments(gnubg)
    gnubg.set_defaults(run=run_gnubg)

    about = "A UBGI engine on stdin and stdout."
    ubgi = kinds.add_parser("ubgi", help=about, description=about)
    level_argument(ubgi, " until told otherwise")
    filter_argument(ubgi)
    ubgi.add_argument("--draft", action="store_true",
                      help="answer `ubgi` with readyok, as draft 0.01 has it, not with ubgiok")
    engine_arguments(ubgi)
    ubgi.set_defaults(run=run_ubgi)


def port(text: str) -> int:
    value = number(text)
    if value > 65535:
        raise argparse.ArgumentTypeError(f"{value} is not in 0..65535")
    return value


def run_http(args: argparse.Namespace) -> int:
    from nardy_core.levels import check_level

    check_level(args.level)
    try:
        from nardy_core.serve import http
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("nardy_core"):
            raise
        raise ValueError(f"serve http: {error.name} is missing: "
                         'pip install "nardy_core[server]"') from None
    engine = engine_of(args)
    settings = http.Settings(
        host=args.host, port=args.port, level=args.level, hosts=tuple(args.allow_host),
        origins=tuple(args.cors), token=args.token or os.environ.get("NARDY_TOKEN") or None,
        quick=args.quick or engine.threads, waiting=args.waiting, time_limit=args.time_limit,
        long=args.long, queued=args.queued, job_time=args.job_time, jobs=_jobs_folder(args))
    if not settings.is_loopback and settings.token is None:
        complain(f"warning: everybody who reaches {args.host} may use this server; "
                 "--token asks for a word")

    def ready(line: str) -> None:
        complain(line)
        if args.open and line.startswith("listening on "):
            from urllib.parse import quote

            token = f"?token={quote(settings.token, safe='')}" if settings.token else ""
            # Apart: some browsers return when they are closed, and want the page before that.
            threading.Thread(
                target=_browse, args=(line.split()[-1] + token,), daemon=True).start()

    http.serve(engine, settings, report=ready)
    return OK


def _browse(address: str) -> None:
    import webbrowser

    if not webbrowser.open(address):
        complain("warning: --open: no browser was opened")


def _jobs_folder(args: argparse.Namespace) -> Path | None:
    if args.jobs:
        return Path(args.jobs)
    return directory() / f"jobs-{args.port}" if args.port else None


def run_gnubg(args: argparse.Namespace) -> int:
    from nardy_core.levels import check_level
    from nardy_core.serve import gnubg

    check_level(args.level)
    gnubg.serve(engine_of(args), host=args.host, port=args.port, path=args.socket, level=args.level,
                report=complain)
    return OK


def run_ubgi(args: argparse.Namespace) -> int:
    from nardy_core.levels import check_level
    from nardy_core.serve import ubgi

    check_level(args.level)
    ubgi.serve(engine_of(args), level=args.level, draft=args.draft)
    return OK
