"""`nardy db`: the bear-off tables on this machine."""
from __future__ import annotations

import argparse
from typing import Any

from nardy_core.cli.common import IO, OK, Commands, Output, command, complain


def add(commands: Commands) -> None:
    made = command(commands, "db", "The exact tables: where they are, build them, verify their "
                   "checksums.", run, position=False)
    made.add_argument("action", choices=("info", "build", "verify"),
                      help="say where they are, build what is missing, check every byte")
    made.add_argument("table", nargs="?", choices=("bear-off", "long-race"), help="build: which "
                      "(default bear-off, which are built by themselves when first needed); "
                      "long-race takes 500 MB on disk, 2 GB of memory and a minute or more")
    made.add_argument("--points", type=int, choices=range(7, 13), metavar="N",
                      help="long-race: races on the points 1..N, 7 to 12 (default 12); each point "
                      "less is a third of the size")


def run(args: argparse.Namespace) -> int:
    from nardy_core import bearoff
    from nardy_core.analysis import align
    from nardy_core.terms import term

    long_race = args.table == "long-race"
    if args.table and args.action != "build" or args.points and not long_race:
        raise ValueError("db: a table goes with build, and --points with build long-race")
    if long_race:
        bearoff.build_long_race(args.points or 12)
    elif args.action == "build":
        bearoff.load()  # opens or builds each
    rows: list[dict[str, Any]] = []
    code = OK
    for name, path, check in bearoff.files():
        row: dict[str, Any] = {"table": name, "file": str(path), "bytes": 0, "state": "missing"}
        if path.exists():
            row |= {"bytes": path.stat().st_size, "state": "present"}
            if args.action == "verify":
                try:
                    check(path)
                    row["state"] = "good"
                except (OSError, ValueError) as error:
                    row["state"] = "damaged"
                    complain(str(error))
        # The long race is there for those who want it; the others belong to every installation.
        wanted = name == "long-race" if long_race else name != "long-race"
        if args.action != "info" and (row["state"] == "damaged" or
                                      wanted and row["state"] == "missing"):
            code = IO
        rows.append(row)
    out = Output(args.format, "db", False)
    text = "\n".join(align(
        [(row["table"], term(row["state"], args.lang),
          term("bytes", args.lang, count=f"{row['bytes']:,}"), row["file"]) for row in rows],
        left=(0, 1, 3)))
    out.add({"tables": rows}, text, rows)
    out.close()
    return code
