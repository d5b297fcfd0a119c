"""`nardy db`: the bear-off tables on this machine."""
from __future__ import annotations

import argparse

from nardy_core.cli.common import IO, OK, Commands, Output, command, complain


def add(commands: Commands) -> None:
    made = command(commands, "db", "The exact bear-off tables: where they are, build them, "
                   "verify their checksums.", run, position=False)
    made.add_argument("action", choices=("info", "build", "verify"))


def run(args: argparse.Namespace) -> int:
    from nardy_core import bearoff

    if args.action == "build":
        bearoff.load()  # opens or builds each
    rows, code = [], OK
    for name, path, check in bearoff.files():
        row = {"table": name, "file": str(path), "bytes": 0, "state": "missing"}
        if path.exists():
            row |= {"bytes": path.stat().st_size, "state": "present"}
            if args.action == "verify":
                try:
                    check(path)
                    row["state"] = "good"
                except (OSError, ValueError) as error:
                    row["state"] = "damaged"
                    complain(str(error))
        if args.action != "info" and row["state"] not in ("good", "present"):
            code = IO
        rows.append(row)
    out = Output(args.format, "db", False)
    text = "\n".join("{table:<10} {state:<8} {bytes:>12,} bytes  {file}".format(**row)
                     for row in rows)
    out.add({"tables": rows}, text, rows)
    out.close()
    return code
