"""`nardy bench`: speeds of this machine, or the signature of how the engine plays."""
from __future__ import annotations

import argparse

from nardy_core.cli.common import (
    OK,
    Commands,
    Output,
    above_zero,
    command,
    engine_arguments,
    engine_of,
)


def add(commands: Commands) -> None:
    made = command(commands, "bench", "Speeds, or with --signature one hash of all play.", run,
                   position=False)
    made.add_argument("--signature", action="store_true",
                      help="hash over plays, evaluations and short rollouts on fixed positions")
    made.add_argument("--seconds", type=above_zero, default=0.5, metavar="S",
                      help="for each measurement (default 0.5)")
    made.add_argument("--kernels", metavar="NAME", help="kernel set, instead of the best")
    engine_arguments(made)


def measured(what: str, lang: str) -> str:
    """What `bench.speeds` calls a measurement, in words."""
    from nardy_core.terms import term

    name, _, level = what.partition(", level ")
    return term(name.replace(" ", "_"), lang, level=level)


def run(args: argparse.Namespace) -> int:
    from nardy_core import bench
    from nardy_core._version import __version__
    from nardy_core.analysis import align
    from nardy_core.terms import term

    engine = engine_of(args)
    about = {"version": __version__, "kernels": engine.kernels, "threads": engine.threads}
    out = Output(args.format, "bench", False)
    if args.signature:
        value = bench.signature(engine)
        games = bench.games_of(engine)
        out.add({**about, "games": games, "signature": value}, value, [{"signature": value}])
    else:
        found = bench.speeds(engine, args.seconds)
        rows = [{"game": game, "what": what, "per_second": round(rate)}
                for game, what, rate in found]
        table = [(term(game, args.lang), measured(what, args.lang),
                  term("a_second", args.lang, rate=f"{rate:,.0f}")) for game, what, rate in found]
        lines = [term("machine", args.lang, kernels=engine.kernels, threads=engine.threads),
                 *align(table, left=(0, 1))]
        out.add({**about, "speeds": rows}, "\n".join(lines), rows)
    out.close()
    return OK
