"""`nardy train`: self-play and fitting by a recipe, in a folder that keeps where it stands."""
from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from nardy_core.cli.common import (
    INTERRUPTED,
    OK,
    Commands,
    above_zero,
    at_least_one,
    command,
    complain,
)


def add(commands: Commands) -> None:
    made = command(commands, "train", "Train nets by a recipe. Started again on the same folder, "
                   "it goes on where it was.", run, position=False, formats=False)
    made.add_argument("--recipe", required=True, metavar="NAME", help="name of a recipe: a game")
    made.add_argument("--rules", default="", metavar="NAME",
                      help="rule set whose plays and points self-play has, of long nardy "
                           "pronardy (default), federation, masters, hrapgame, wikipedia; rules "
                           "may follow: masters,wall_rule=never; opening dice, last roll and cube "
                           "are left as they are")
    made.add_argument("--dir", required=True, metavar="DIR", help="checkpoints, labels and nets")
    made.add_argument("--nets", metavar="DIR", help="begin with the nets in this folder, at the "
                      "recipe's last stage, instead of from nothing; `shipped` = those in use")
    made.add_argument("--threads", type=at_least_one, default=1, metavar="N",
                      help="that play and fit (default 1)")
    made.add_argument("--hours", type=above_zero, metavar="H",
                      help="begin no new generation after so long")
    made.add_argument("--stages", type=at_least_one, metavar="N",
                      help="end after the first N stages of the recipe (default: all)")
    made.add_argument("--scale", type=above_zero, default=1.0, metavar="X",
                      help="size of labels and steps (default 1; 0.001 is a trial)")


def run(args: argparse.Namespace) -> int:
    from nardy_core.bearoff import bearoff_tables
    from nardy_core.nets import load_nets
    from nardy_core.train import loop, recipe

    made = recipe.by_name(args.recipe, args.scale, args.rules)
    until = time.monotonic() + 3600 * args.hours if args.hours else None
    folder = Path(args.dir)
    nets = None
    if args.nets:
        nets = load_nets(made.game, None if args.nets == "shipped" else args.nets)
    try:
        campaign = loop.Campaign(made, folder, bearoff=bearoff_tables().one, nets=nets,
                                 threads=args.threads,
                                 report=lambda line: print(line, file=sys.stderr, flush=True))
        campaign.run(until, args.stages)
    except KeyboardInterrupt:
        complain(f"interrupted; the same command goes on from the last generation in {folder}")
        return INTERRUPTED
    print(folder / "nets")
    return OK
