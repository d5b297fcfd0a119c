"""The `nardy` command.

Data goes to stdout, messages to stderr; JSON and CSV are always English with dots as decimal signs.
Exit codes: 0 ok, 1 some items failed, 2 usage or bad input, 3 input or output, 4 engine,
130 interrupted.
"""
from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from typing import NoReturn

from nardy_core.cli import (
    analyse,
    bench,
    convert,
    cube,
    db,
    diagram,
    duel,
    evaluate,
    job,
    legal,
    rollout,
    serve,
    table,
    train,
)
from nardy_core.cli.common import ENGINE, INPUT, INTERRUPTED, IO, Parser, complain

GROUPS = (legal, evaluate, cube, rollout, job, analyse, diagram, table, convert, duel, bench, serve,
          train, db)


def parser() -> Parser:
    from nardy_core._version import __version__

    top = Parser(prog="nardy", description="Analysis of short nardy (backgammon) and long nardy.")
    top.add_argument("--version", action="version", version=f"nardy {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for group in GROUPS:
        group.add(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    args = None
    try:
        args = parser().parse_args(argv)
        code: int = args.run(args)
        sys.stdout.flush()
        return code
    except SystemExit as leave:  # from argparse: --help, --version, usage errors
        return leave.code if isinstance(leave.code, int) else INPUT
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _write_no_more()  # the reader has seen enough
        return 0
    except Exception as error:
        if os.environ.get("NARDY_DEBUG"):
            raise
        complain(_words(error))
        return _code(error)


def command() -> NoReturn:
    """The process of the command: runs it and ends."""
    code = main()
    if code == INTERRUPTED and "distributed" in sys.modules and not _at_work():
        # Taking down the modules of a cluster's client takes half a second and more, which
        # whoever pressed Ctrl-C would wait for. The cluster has been left by now.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _write_no_more()  # told and in the code by now; Python would end with another
    sys.exit(code)


def _write_no_more() -> None:
    """What is left in the buffers of standard output goes nowhere, not even at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _at_work() -> bool:
    """Has this process threads or children that its end has to wait for?"""
    import multiprocessing

    waited_for = [t for t in threading.enumerate()
                  if not t.daemon and t is not threading.main_thread()]
    return bool(waited_for or multiprocessing.active_children())


def _words(error: Exception) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, (ValueError, OSError, RuntimeError)) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _code(error: Exception) -> int:
    from nardy_core.errors import FileFormatError, UnsupportedError

    if isinstance(error, (OSError, FileFormatError)):
        return IO
    bad_input = isinstance(error, ValueError) and not isinstance(error, UnsupportedError)
    return INPUT if bad_input else ENGINE
