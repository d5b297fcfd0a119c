"""`nardy convert`: match and position files from one format to another."""
from __future__ import annotations

import argparse

from nardy_core.cli.common import OK, SOME_FAILED, Commands, command, complain


def add(commands: Commands) -> None:
    made = command(
        commands, "convert",
        "Read a match or position file and write it in another format. What is read is recognised "
        "by what it holds, what is written follows from the ending of OUT: .mat, .sgf, .json, "
        ".csv, .ids, .ogxm. What OUT has no place for is named. `nardy analyse FILE --level file "
        "--out OUT` makes reports, tables and cards of the analysis that a file holds.", run,
        position=False, formats=False)
    made.add_argument("source", metavar="IN", help="the file to read")
    made.add_argument("target", metavar="OUT", help="the file to write")
    made.add_argument("--form", choices=("mat", "sgf", "json", "csv", "ids", "ogxm", "xgtext"),
                      help="what to write, whatever the ending: xgtext is text as eXtreme Gammon "
                           "exports it")
    made.add_argument("--strict", action="store_true",
                      help="refuse plays against the rules and other oddities")
    made.add_argument("--partial", action="store_true",
                      help="of a file that goes wrong, write the games before that place")


def run(args: argparse.Namespace) -> int:
    from pathlib import Path

    from nardy_core import formats

    form = args.form or formats.writes(args.target)
    code = OK
    try:
        record = formats.read(Path(args.source), strict=args.strict)
    except formats.MatchFileError as error:
        # A match keeps its games, a file of positions is a list of them.
        if not args.partial or not getattr(error.partial, "games", error.partial):
            raise
        complain(str(error))
        record, code = error.partial, SOME_FAILED
    for warning in formats.warnings(record):
        complain(f"warning: {warning}")
    for lost in formats.dropped(record, form):
        complain(f"warning: left out, for which {form} has no place: {lost}")
    formats.write(record, args.target, form)
    return code
