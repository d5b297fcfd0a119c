"""`nardy duel`: two players, pairs of games with the same dice and the seats exchanged."""
from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING

from nardy_core.cli.common import (
    OK,
    Commands,
    Output,
    at_least_one,
    command,
    number,
)

if TYPE_CHECKING:
    from nardy_core.duel import Duel, Player
    from nardy_core.evaluator import Evaluator
    from nardy_core.position import Position

GAMES = ("backgammon", "long_nardy")


def add(commands: Commands) -> None:
    made = command(commands, "duel", "Play two players against each other: every dice sequence "
                   "twice with the seats exchanged, results less the luck of the dice.", run,
                   position=False)
    for name in ("first", "second"):
        made.add_argument(name, metavar=name.upper(),
                          help="a folder with net files, shipped, or random; @N adds plies of "
                               "search: shipped@1")
    made.add_argument("--game", choices=GAMES, default=GAMES[0],
                      help="what is played (default backgammon)")
    made.add_argument("--rules", metavar="NAME", help="of long nardy: pronardy (default), "
                      "federation, masters, hrapgame, wikipedia; rules may follow: "
                      "masters,wall_rule=never; without a cube")
    made.add_argument("--pairs", type=at_least_one, default=500, metavar="N",
                      help="pairs of games (default 500)")
    made.add_argument("--plain", action="store_true", help="do not estimate the luck of the dice")
    made.add_argument("--seed", type=number, default=1, metavar="N", help="of the dice (default 1)")
    made.add_argument("--threads", type=at_least_one, metavar="N", help="default: all processors")


def run(args: argparse.Namespace) -> int:
    from nardy_core.duel import duel
    from nardy_core.position import Position
    from nardy_core.rollout import processors
    from nardy_core.rules import preset

    start = Position.start(args.game, **preset(args.game, args.rules or ""))
    (first, engine), (second, other) = (player(name, start)
                                        for name in (args.first, args.second))
    luck = engine or other
    if luck is None:
        raise ValueError("duel: one of the players must be an engine")
    shown = not args.plain and sys.stderr.isatty()

    def progress(done: Duel) -> None:
        if shown:
            sys.stderr.write(f"\r{done.pairs} of {args.pairs} pairs  {words(done, True)}\x1b[K")
            sys.stderr.flush()

    try:
        games = duel(first, second, pairs=args.pairs, luck=None if args.plain else luck,
                     referee=luck, seed=args.seed, opening=start.opens_unlike,
                     threads=args.threads or processors(), progress=progress)
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
    report(args, games)
    return OK


def player(name: str, start: Position) -> tuple[Player, Evaluator | None]:
    """Who plays, and what can judge luck as he would, if he is an engine."""
    if name == "random":
        return None, None
    from nardy_core.engine import Engine

    found = re.fullmatch(r"(.*)@([0-9])", name)
    folder, plies = (found[1], int(found[2])) if found else (name, 0)
    engine = Engine(None if folder == "shipped" else folder)
    model = engine.model(start)
    return (model.ahead if plies else model.static, plies), model.search


def words(games: Duel, adjusted: bool) -> str:
    points, error = games.adjusted if adjusted else games.raw
    return f"{points:+.4f} ± {error:.4f}"


def counted(classes: dict[str, int], lang: str) -> str:
    from nardy_core.terms import outcome

    return "  ".join(f"{outcome(name, lang)} {n}" for name, n in classes.items())


def report(args: argparse.Namespace, games: Duel) -> None:
    import numpy as np

    from nardy_core.evaluator import outcomes_of
    from nardy_core.terms import game_name, term

    names = outcomes_of(args.game)
    classes = dict(zip(names, map(int, games.classes), strict=True))
    begun = games.first_mover
    counts = np.bincount(begun[begun >= 0], minlength=len(names))
    first = dict(zip(names, map(int, counts), strict=True))
    edge, edge_error = games.first_mover_points
    share, share_error = games.first_mover_wins
    (raw, raw_error), (adjusted, error) = games.raw, games.adjusted
    data = {
        "game": args.game, "first": args.first, "second": args.second, "seed": args.seed,
        "pairs": games.pairs, "points": raw, "standard_error": raw_error, "wins": games.wins,
        "classes": classes, "plies": float(games.plies.mean()),
        "first_mover_points": edge, "first_mover_error": edge_error, "first_mover_wins": share,
        "first_mover_wins_error": share_error, "first_mover_classes": first,
    }
    lang = args.lang
    rows = [(term("points_a_game", lang), words(games, False))]
    if not args.plain:
        data |= {"adjusted": adjusted, "adjusted_error": error}
        rows.append((term("without_luck", lang), words(games, True)))
    rows.append((term("wins", lang), f"{100 * games.wins:.2f}%  {counted(classes, lang)}"))
    rows.append((term("first_mover", lang),
                 f"{edge:+.4f} ± {edge_error:.4f}, {term('wins', lang)} {100 * share:.2f} ± "
                 f"{100 * share_error:.2f}%  {counted(first, lang)}"))
    width = max(len(label) for label, _ in rows)
    lines = [term("games_played", lang, first=args.first, second=args.second,
                  count=2 * games.pairs, game=game_name(args.game, lang)),
             *(f"{label:<{width}}  {row}" for label, row in rows)]
    out = Output(args.format, "duel", False)
    out.add(data, "\n".join(lines), [{
        **data, "classes": "/".join(map(str, classes.values())),
        "first_mover_classes": "/".join(map(str, first.values()))}])
    out.close()
