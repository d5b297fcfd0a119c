"""`nardy analyse`: match files judged."""
from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from nardy_core.cli.common import (
    OK,
    SOME_FAILED,
    Commands,
    command,
    complain,
    engine_arguments,
    engine_of,
    filter_argument,
    met_argument,
    number,
)
from nardy_core.cli.progress import MatchProgress, progress_argument

if TYPE_CHECKING:
    from nardy_core.match_analysis import Definitions, MatchAnalysis

LEVELS = ("fast", "standard", "deep", "roller", "roller+", "roller++", "0", "1", "2", "3", "4",
          "file")


def add(commands: Commands) -> None:
    made = command(
        commands, "analyse",
        "Judge every decision of match files: errors, PR, luck. Several files give a table of "
        "their players.", run, position=False)
    made.add_argument("files", metavar="FILE", nargs="+", help="a match in any form that is read")
    made.add_argument("--level", choices=LEVELS, default="standard", metavar="LEVEL",
                      help="fast, standard (default), deep, roller, roller+, roller++, plies 0 "
                           "to 4, or file: the analysis that the file brings along")
    made.add_argument("--ply", dest="level", choices=LEVELS[6:11], metavar="N",
                      help="the same as --level N")
    filter_argument(made)
    made.add_argument("--html", metavar="FILE", help="write a report of one match")
    made.add_argument("--out", metavar="FILE",
                      help="write everything: .json, .jsonl, .csv, .parquet, .html, .apkg (cards "
                           "for Anki), .sgf, .ogxm, .txt (as XG writes), .mat")
    made.add_argument("--errors", type=number, default=10, metavar="N",
                      help="errors listed as text (default 10)")
    made.add_argument("--rating", default="pr", metavar="NAME",
                      help="what players are ranked by: pr (default), gnubg, snowie")
    made.add_argument("--sizes", default="xg", metavar="NAME",
                      help="of errors: xg (default), gnubg, or limits of one's own: 0.02,0.08")
    met_argument(made)
    made.add_argument("--team", nargs="?", const="", metavar="NAMES",
                      help="the files are boards of a team match: who won more of them; NAMES of "
                           "one side, with commas (default: the players on the left)")
    made.add_argument("--strict", action="store_true",
                      help="refuse plays against the rules and other oddities")
    made.add_argument("--no-cache", action="store_true",
                      help="neither take nor keep earlier judgements")
    progress_argument(made)
    engine_arguments(made)


def run(args: argparse.Namespace) -> int:
    from nardy_core.formats import MatchFileError
    from nardy_core.match_analysis import files

    for path in filter(None, (args.html, args.out)):
        files.check(path)
    if args.html and len(args.files) > 1:
        raise ValueError(f"html: a report is of one match, not {len(args.files)}")
    definitions = definitions_of(args)
    engine = None if args.level == "file" else engine_of(args)
    found: list[MatchAnalysis] = []
    code = OK
    for path in args.files:
        try:
            analysis = judged(path, args, engine, definitions)
        except (MatchFileError, OSError, ValueError) as error:
            if len(args.files) == 1:
                raise
            code = SOME_FAILED
            complain(_line(path, error))
            continue
        if analysis.error:
            code = SOME_FAILED
        found.append(analysis)
    if found:
        write(args, found)
    return code


def _line(path: str, error: Exception) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or path}: {error.strerror}"
    return text


def definitions_of(args: argparse.Namespace) -> Definitions:
    from nardy_core.match_analysis import Definitions, Sizes

    sizes: str | Sizes = args.sizes
    if args.sizes[:1].isdigit() or args.sizes[:1] == ".":
        try:
            limits = [float(word) for word in args.sizes.split(",")]
        except ValueError:
            raise ValueError(f"sizes: {ascii(args.sizes)[:40]} is not limits like 0.02,0.08"
                             ) from None
        names = ["error", "blunder"] if len(limits) == 2 else [f"{v:g}" for v in limits]
        sizes = Sizes(tuple(zip(names, limits, strict=True)))
    return Definitions(rating=args.rating, sizes=sizes)


def judged(
    path: str, args: argparse.Namespace, engine: Any, definitions: Definitions
) -> MatchAnalysis:
    """The file's match, or the games before the place where the file goes wrong."""
    from pathlib import Path

    from nardy_core import formats
    from nardy_core.match_analysis import analyse_match
    from nardy_core.match_record import MatchRecord

    name, error = Path(path).name, ""
    try:
        record = formats.read(Path(path), strict=args.strict)
    except formats.MatchFileError as bad:
        if not isinstance(bad.partial, MatchRecord) or not bad.partial.games:
            raise
        record, error = bad.partial, str(bad)
        complain(f"{error}; the {len(record.games)} games before it are judged")
    if not isinstance(record, MatchRecord):
        raise ValueError(f"{name}: positions, not a match")
    for warning in formats.warnings(record):
        complain(f"{name}: warning: {warning}")
    bar = MatchProgress(name, args.progress)
    try:
        return analyse_match(
            record, level=args.level, engine=engine, definitions=definitions, met=args.met,
            threads=args.threads, progress=bar, cache=not args.no_cache, name=name, error=error)
    except KeyboardInterrupt:
        bar.close()
        if not args.no_cache:
            complain(f"{name}: what was judged is kept, the same command goes on from there")
        raise
    finally:
        bar.close()


# ---- output ---------------------------------------------------------------------------------


def write(args: argparse.Namespace, found: list[MatchAnalysis]) -> None:
    from nardy_core.match_analysis import files
    from nardy_core.match_analysis.several import players_of, table, team_match

    team = None
    if args.team is not None:
        side = {name.strip() for name in args.team.split(",")} if args.team else None
        team = team_match(found, side)
    if args.html:
        files.write(found[0], args.html, args.lang)
    if args.out:
        files.write(found, args.out, args.lang)
        for lost in files.dropped(found, args.out):
            complain(f"warning: left out, for which {args.out} has no place: {lost}")
    out = sys.stdout
    if args.format == "jsonl":
        out.write(files.jsonl_text(found))
    elif args.format == "csv":
        out.write(files.csv_text(found))
    elif args.format == "json":
        if len(args.files) == 1 and team is None:
            out.write(files.json_text(found))
            return
        import json

        data: dict[str, Any] = {
            "schema": "nardy.analyses/1", "matches": [a.to_dict() for a in found],
            "players": [row.to_dict() for row in players_of(found)]}
        if team is not None:
            data["team"] = team.to_dict()
        out.write(json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    else:
        if len(args.files) == 1:
            out.write(found[0].text(args.lang, errors=args.errors) + "\n")
        else:
            from nardy_core.match_analysis.text import heading

            for analysis in found:
                out.write(f"{analysis.name}: {heading(analysis, args.lang)}\n")
            out.write("\n" + table(found, args.lang) + "\n")
        if team is not None:
            out.write("\n" + team.text(args.lang) + "\n")
