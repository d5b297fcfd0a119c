"""`nardy eval` and `nardy moves`: one position, ranked plays."""
from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from nardy_core.cli.common import (
    Commands,
    Output,
    at_least_one,
    command,
    dice,
    each,
    engine_arguments,
    engine_of,
    filter_argument,
    level_argument,
    roll_of,
)

if TYPE_CHECKING:
    from nardy_core.position import Position


def add(commands: Commands) -> None:
    one = command(commands, "eval", "Chances and equity of the side on roll.", run_eval)
    moves = command(commands, "moves", "The plays of a roll, best first.", run_moves)
    moves.add_argument("--dice", type=dice, metavar="31", help="default: the position's own")
    moves.add_argument("--top", type=at_least_one, metavar="K", help="list no more than K plays")
    moves.add_argument("--cubeless", action="store_true",
                       help="rank by equity for money without a cube, not with it at the score")
    filter_argument(moves)
    for made in (one, moves):
        level_argument(made)
        made.add_argument("--board", action="store_true", help="show the board, too (text only)")
        engine_arguments(made)


def run_eval(args: argparse.Namespace) -> int:
    engine = engine_of(args)

    def work(position: Position, out: Output) -> None:
        found = engine.evaluate(position, args.level)
        text = found.text(args.lang)
        if args.board:
            text = f"{_board(position, args.lang)}\n\n{text}"
        row = {"position": position.id(), "level": found.level,
               "equity": round(found.equity, 6),
               "cubeful": "" if found.cubeful is None else round(found.cubeful, 6),
               "mwc": "" if found.mwc is None else round(found.mwc, 6),
               **found.probabilities.to_dict()}
        out.add(found.to_dict(), text, [row])

    return each(args, "eval", work)


def run_moves(args: argparse.Namespace) -> int:
    engine = engine_of(args)

    def work(position: Position, out: Output) -> None:
        roll = roll_of(args, position)
        found = engine.analyse(position, roll, level=args.level, top=args.top,
                               cubeful=False if args.cubeless else None)
        rows = [{"position": position.id(), "dice": "{}{}".format(*found.dice), "rank": rank,
                 "play": c.play.notation, "result": c.result.id(), "equity": round(c.equity, 6),
                 "difference": round(c.difference, 6), "cubeless": round(c.cubeless, 6),
                 "mwc": "" if c.mwc is None else round(c.mwc, 6), "level": c.level,
                 **c.probabilities.to_dict()} for rank, c in enumerate(found.candidates, 1)]
        out.add(found.to_dict(), found.text(args.lang, board=args.board), rows)

    return each(args, "moves", work)


def _board(position: Position, lang: str) -> str:
    from nardy_core.render import board_text

    return board_text(position, lang=lang)
