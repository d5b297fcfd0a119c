"""`nardy cube`: what to do with the cube."""
from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from nardy_core.analysis import rounded
from nardy_core.cli.common import (
    Commands,
    Output,
    command,
    each,
    engine_arguments,
    engine_of,
    level_argument,
    met_argument,
)

if TYPE_CHECKING:
    from nardy_core.cube import CubeDecision
    from nardy_core.position import Position


def add(commands: Commands) -> None:
    made = command(commands, "cube", "Cube action before the roll.", run)
    level_argument(made)
    made.add_argument("--owners", action="store_true",
                      help="also with the cube in the centre, own, and the opponent's")
    met_argument(made)
    made.add_argument("--efficiency", type=share, metavar="X",
                      help="cube efficiency 0..1, instead of that of the position's class")
    made.add_argument("--no-exact", action="store_true",
                      help="take small bear-offs from the cube model, too")
    engine_arguments(made)


def share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{ascii(text)[:40]} is not a number between 0 and 1")
    return value


def run(args: argparse.Namespace) -> int:
    engine = engine_of(args)
    options: dict[str, Any] = {
        "met": args.met, "efficiency": args.efficiency, "exact": not args.no_exact}

    def work(position: Position, out: Output) -> None:
        found = engine.cube(position, args.level, **options)
        shown = {position.cube_owner: found}
        data = {"position": position.id(), **rounded(found.to_dict())}
        text = found.text(args.lang)
        if args.owners:
            shown = engine.cube_owners(position, args.level, **options)
            data["owners"] = {owner: rounded(other.to_dict()) for owner, other in shown.items()}
            text = "\n\n".join(other.text(args.lang) for other in shown.values())
        out.add(data, text, [row(position, owner, other) for owner, other in shown.items()])

    return each(args, "cube", work)


def row(position: Position, owner: str, found: CubeDecision) -> dict[str, object]:
    plain = rounded(found.to_dict())
    names = ("no_double", "double_take", "double_pass", "beaver", "cubeless", "cubeless_doubled",
             "take_point", "double_point", "redouble_point", "cash_point", "too_good_point")
    return {"position": position.id(), "level": found.level, "owner": owner,
            "action": found.action, "verdict": found.verdict,
            **{name: plain[name] for name in names},
            "mwc_no_double": (plain["mwc"] or {}).get("no_double"),
            "mwc_double_take": (plain["mwc"] or {}).get("double_take"),
            "mwc_double_pass": (plain["mwc"] or {}).get("double_pass")}
