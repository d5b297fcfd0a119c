"""`nardy legal` and `nardy perft`: what may be played."""
from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from nardy_core._version import __version__
from nardy_core.cli.common import Commands, Output, command, dice, each, number, roll_of

if TYPE_CHECKING:
    from nardy_core.position import Position

MAX_DEPTH = 8


def add(commands: Commands) -> None:
    legal = command(commands, "legal", "All distinct results of a roll.", run_legal)
    legal.add_argument("--dice", type=dice, metavar="31", help="default: the position's own")
    perft = command(commands, "perft", "Count the plays of all rolls, depth by depth.", run_perft)
    perft.add_argument("--depth", type=number, required=True, metavar="N",
                       help="rolls to look ahead, 1 to 8")


def about(position: Position) -> dict[str, str]:
    """What answers: the rules alone, no nets."""
    return {"name": "nardy_core", "version": __version__, "game": position.game}


def run_legal(args: argparse.Namespace) -> int:
    from nardy_core.terms import term

    def work(position: Position, out: Output) -> None:
        roll = roll_of(args, position)
        plays = position.legal_plays(roll)
        data = {
            "position": position.id(), "engine": about(position), "dice": list(plays[0].dice),
            "plays": [{"play": p.notation, "steps": [list(s) for s in p.steps],
                       "result": p.result.id()} for p in plays]}
        text = "\n".join(p.notation or term("pass_turn", args.lang) for p in plays)
        rows = [{"position": position.id(), "dice": "{}{}".format(*p.dice), "play": p.notation,
                 "result": p.result.id()} for p in plays]
        out.add(data, text, rows)

    return each(args, "legal", work)


def run_perft(args: argparse.Namespace) -> int:
    from nardy_core.play import perft

    if not 1 <= args.depth <= MAX_DEPTH:
        raise ValueError(f"depth: {args.depth} is not 1..{MAX_DEPTH}")

    def work(position: Position, out: Output) -> None:
        counts = [perft(position, depth) for depth in range(1, args.depth + 1)]
        data = {"position": position.id(), "engine": about(position), "depth": args.depth,
                "counts": counts}
        text = "\n".join(f"{depth} {count}" for depth, count in enumerate(counts, 1))
        rows = [{"position": position.id(), "depth": depth, "count": count}
                for depth, count in enumerate(counts, 1)]
        out.add(data, text, rows)

    return each(args, "perft", work)
