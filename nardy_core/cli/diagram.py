"""`nardy diagram`: a picture of a position."""
from __future__ import annotations

import argparse
import sys
from html import escape
from pathlib import Path

from nardy_core.cli.common import (
    OK,
    Commands,
    at_least_one,
    command,
    position_of,
    roll_of,
)
from nardy_core.files import write_text
from nardy_core.terms import LANGUAGES

KINDS = (".svg", ".txt", ".html")
PLAYERS = ("black", "white")  # 0 and 1


def add(commands: Commands) -> None:
    made = command(commands, "diagram", "Draw a position as SVG, text or an HTML page.", run,
                   formats=False)
    made.add_argument("-o", "--output", metavar="FILE",
                      help=f"{', '.join(KINDS)}; without it, text on stdout")
    made.add_argument("--play", metavar="PLAY", help='draw a play of its roll: "8/5 6/5"')
    made.add_argument("--size", type=at_least_one, default=720, metavar="N", help="width of SVG")
    made.add_argument("--theme", default="light", metavar="NAME", help="of SVG (default light)")
    made.add_argument("--mirrored", action="store_true", help="the home board on the left (SVG)")
    made.add_argument("--below", choices=PLAYERS, help="who sits below (default: who is on roll)")
    made.add_argument("--bare", action="store_true", help="nothing beside the board (SVG)")
    made.add_argument("--ascii", action="store_true", help="text without line-drawing characters")
    made.add_argument("--lang", choices=LANGUAGES, default="en", help="of its words")
    made.set_defaults(dice=None)


def run(args: argparse.Namespace) -> int:
    from nardy_core.notation import match_play
    from nardy_core.render import board_svg, board_text, describe

    position = position_of(args, args.position)
    kind = Path(args.output).suffix.lower() if args.output else ".txt"
    if kind not in KINDS:
        raise ValueError(f"output: {ascii(args.output)[:60]} ends with none of {', '.join(KINDS)}")
    seat = PLAYERS.index(args.below) if args.below else None
    if kind == ".txt":
        text = board_text(position, unicode=not args.ascii, lang=args.lang, perspective=seat,
                          ids=[position.id()]) + "\n"
    else:
        play = None
        if args.play:
            play = match_play(position, roll_of(args, position), args.play)
        text = board_svg(position, size=args.size, theme=args.theme, mirrored=args.mirrored,
                         arrows=play, lang=args.lang, perspective=seat, captions=not args.bare)
        if kind == ".html":
            title = escape(describe(position, lang=args.lang))
            text = (f'<!DOCTYPE html>\n<html lang="{args.lang}"><head><meta charset="utf-8">'
                    f"<title>{title}</title></head>\n<body>\n{text}\n"
                    f"<p>{escape(position.id())}</p>\n</body></html>\n")
    if args.output:
        write_text(args.output, text)
    else:
        sys.stdout.write(text)
    return OK
