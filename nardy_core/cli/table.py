"""`nardy table`: match equity, take points, cube windows, bear-offs."""
from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from nardy_core.analysis import rounded
from nardy_core.cli.common import Commands, Output, at_least_one, command
from nardy_core.cli.cube import share

if TYPE_CHECKING:
    from nardy_core.tables import Table


def add(commands: Commands) -> None:
    made = commands.add_parser(
        "table", help="Match equity and cube tables, bear-offs.", description="Tables.")
    tables = made.add_subparsers(dest="table", metavar="TABLE", required=True)

    met = command(tables, "met", "Chances to win a match from every score.", run_met,
                  position=False)
    take = command(tables, "take-points", "Take points and gammon values at every score.",
                   run_take_points, position=False)
    for one in (met, take):
        one.add_argument("--met", metavar="NAME|FILE", help="default: kazaross-xg2")
        one.add_argument("--length", type=at_least_one, default=15, metavar="N",
                         help="points of the match, at most 64 (default 15)")
    take.add_argument("--cube", type=at_least_one, default=1, metavar="N",
                      help="cube before the double (default 1)")
    cube = command(tables, "cube", "Cube windows for money by the part of gammons.", run_cube,
                   position=False)
    cube.add_argument("--race", action="store_true", help="of races, by pip count")
    cube.add_argument("--jacoby", action="store_true")
    for one in (take, cube):
        one.add_argument("--win-gammons", type=share, nargs="+", metavar="X",
                         help="parts of the wins that are gammons")
        one.add_argument("--lose-gammons", type=share, nargs="+", metavar="X",
                         help="parts of the losses that are gammons")
    cube.add_argument("--efficiency", type=share, default=0.68, metavar="X",
                      help="cube efficiency 0..1 (default 0.68)")
    cube.add_argument("--pips", type=at_least_one, nargs="+", metavar="N",
                      help="pip counts of the side on roll (with --race)")
    bearoff = command(tables, "bearoff", "Rolls, chances and exact equities of a bear-off.",
                      run_bearoff, position=False)
    bearoff.add_argument("own", metavar="OWN", help="six digits: checkers on points 1 to 6")
    bearoff.add_argument("opp", metavar="OPP", nargs="?", help="the other side's")


def run_met(args: argparse.Namespace) -> int:
    from nardy_core import tables
    from nardy_core.match import MatchEquity

    met = MatchEquity.open(args.met) if args.met else MatchEquity.open()
    return write(args, tables.match_equity(met, length=args.length), {"met": met.name})


def run_take_points(args: argparse.Namespace) -> int:
    from nardy_core import tables
    from nardy_core.match import MatchEquity

    met = MatchEquity.open(args.met) if args.met else MatchEquity.open()
    rates = {}
    for name in ("win_gammons", "lose_gammons"):
        given = getattr(args, name) or [0.0]
        if len(given) > 1:
            raise ValueError(f"{name}: one number for this table")
        rates[name] = given[0]
    found = tables.take_points(met, length=args.length, cube=args.cube, **rates)
    return write(args, found, {"met": met.name, "cube": args.cube, **rates})


def run_cube(args: argparse.Namespace) -> int:
    from nardy_core import tables

    if args.race:
        if args.jacoby or args.win_gammons or args.lose_gammons:
            raise ValueError("table cube: a race has no gammons")
        return write(args, tables.race_windows(*([args.pips] if args.pips else [])), {})
    if args.pips:
        raise ValueError("table cube: --pips goes with --race")
    rates = {name: getattr(args, name) for name in ("win_gammons", "lose_gammons")
             if getattr(args, name)}
    found = tables.cube_windows(**rates, efficiency=args.efficiency, jacoby=args.jacoby)
    return write(args, found, {"efficiency": args.efficiency, "jacoby": args.jacoby})


def write(args: argparse.Namespace, table: Table, head: dict[str, object]) -> int:
    out = Output(args.format, "table", False)
    rows = [rounded(row) for row in table.rows()]
    out.add({"table": args.table, **head, "rows": rows}, str(table), rows)
    out.close()
    return 0


def run_bearoff(args: argparse.Namespace) -> int:
    from nardy_core import tables

    found = tables.bearoff(args.own, args.opp)
    row: dict[str, object] = {"own": args.own, "opp": args.opp}
    for name, side in (("own", found.own), ("opp", found.opp)):
        for word in ("mean", "deviation", "epc"):
            row[f"{name}_{word}"] = None if side is None else getattr(side, word)
    chances = found.probabilities
    row["win"] = None if chances is None else chances["win_single"] + chances["win_gammon"]
    exact = found.equities
    for name in ("cubeless", "own", "centred", "opponent", "double_take"):
        row[f"equity_{name}"] = None if exact is None else getattr(exact, name)
    row["action"] = None if exact is None else exact.action()
    row = rounded(row)
    text = "\n".join(f"{name:<20}{value}" for name, value in row.items() if value is not None)
    rolls = {"own_rolls": found.own.probabilities,
             "opp_rolls": None if found.opp is None else found.opp.probabilities}
    out = Output(args.format, "table", False)
    out.add({"table": "bearoff", "rows": [row], **rolls}, text, [row])
    out.close()
    return 0
