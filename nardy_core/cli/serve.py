"""`nardy serve`: the engine behind other programs."""
from __future__ import annotations

import argparse

from nardy_core.cli.common import OK, Commands, complain, engine_arguments, engine_of, number


def add(commands: Commands) -> None:
    about = "Be the engine of other programs: gnubg's external player, or a UBGI engine."
    served = commands.add_parser("serve", help=about, description=about)
    kinds = served.add_subparsers(dest="kind", metavar="KIND", required=True)

    about = ("A server as gnubg's external players and gnubg's own `external` are. In gnubg: "
             "set player 1 external HOST:PORT. Ctrl-C ends it.")
    gnubg = kinds.add_parser("gnubg", help=about, description=about)
    gnubg.add_argument("--host", default="127.0.0.1", help="address to listen on (default: "
                       "127.0.0.1, which only this machine reaches)")
    gnubg.add_argument("--port", type=port, default=7733, metavar="N",
                       help="default 7733, 0 = any free one")
    gnubg.add_argument("--socket", metavar="PATH", help="a Unix socket instead of host and port")
    gnubg.add_argument("--ply", type=number, default=0, metavar="N",
                       help="plies of look-ahead (default 0)")
    engine_arguments(gnubg)
    gnubg.set_defaults(run=run_gnubg)

    about = "A UBGI engine on stdin and stdout."
    ubgi = kinds.add_parser("ubgi", help=about, description=about)
    ubgi.add_argument("--ply", type=number, default=0, metavar="N",
                      help="plies of look-ahead until told otherwise (default 0)")
    ubgi.add_argument("--draft", action="store_true",
                      help="answer `ubgi` with readyok, as draft 0.01 has it, not with ubgiok")
    engine_arguments(ubgi)
    ubgi.set_defaults(run=run_ubgi)


def port(text: str) -> int:
    value = number(text)
    if value > 65535:
        raise argparse.ArgumentTypeError(f"{value} is not in 0..65535")
    return value


def run_gnubg(args: argparse.Namespace) -> int:
    from nardy_core.engine import check_level
    from nardy_core.serve import gnubg

    check_level(args.ply)
    gnubg.serve(engine_of(args), host=args.host, port=args.port, path=args.socket, level=args.ply,
                report=complain)
    return OK


def run_ubgi(args: argparse.Namespace) -> int:
    from nardy_core.engine import check_level
    from nardy_core.serve import ubgi

    check_level(args.ply)
    ubgi.serve(engine_of(args), level=args.ply, draft=args.draft)
    return OK
