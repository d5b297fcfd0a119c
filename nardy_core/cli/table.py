"""`nardy table`: match equity, take points, cube actions and windows, openings, bear-offs."""
from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from nardy_core.analysis import rounded
from nardy_core.cli.common import (
    Commands,
    Output,
    at_least_one,
    command,
    engine_arguments,
    engine_of,
    filter_argument,
    level_argument,
    met_argument,
    number,
    position_of,
    trials_or_none,
)
from nardy_core.cli.cube import share
from nardy_core.files import write_text
from nardy_core.levels import level_name
from nardy_core.terms import term

if TYPE_CHECKING:
    from nardy_core.match import MatchEquity
    from nardy_core.match_long import LongMatchEquity
    from nardy_core.position import Position
    from nardy_core.tables import Table

_GAMES = {"before": "pre_crawford", "now": "in_crawford", "over": "post_crawford"}


def add(commands: Commands) -> None:
    made = commands.add_parser(
        "table", help="Match equity and cube tables, bear-offs.", description="Tables.")
    tables = made.add_subparsers(dest="table", metavar="TABLE", required=True)

    met = command(tables, "met", "Chances to win a match from every score.", run_met,
                  position=False)
    take = command(tables, "take-points", "Take points and gammon values at every score.",
                   run_take_points, position=False)
    gammons = command(tables, "gammon-values",
                      "What gammons and backgammons are worth at every score and cube.",
                      run_gammon_values, position=False)
    gammons.add_argument("--cube", type=at_least_one, nargs="+", metavar="N",
                         help="cubes at which the game is played (default: 1, 2, 4 … up to the "
                              "first that wins the match)")
    for one in (met, take, gammons):
        met_argument(one)
        one.add_argument("--length", type=at_least_one, default=15, metavar="N",
                         help="points of the match, at most 64 (default 15)")
        _add_game(one)
        _add_long(one)
    for one in (take, gammons):
        one.add_argument("--began", choices=("own", "opp"),
                         help="who began the game: matters in long nardy where sides begin in turn")
    take.add_argument("--cube", type=at_least_one, default=1, metavar="N",
                      help="cube before the double (default 1)")
    _add_met(met)
    cube = command(tables, "cube", "Cube windows for money by the part of gammons.", run_cube,
                   position=False)
    cube.add_argument("--race", action="store_true", help="of races, by pip count")
    cube.add_argument("--jacoby", action="store_true", help="gammons count only after a double")
    _add_game(cube)
    _add_rules(cube)
    for one in (take, cube):
        for word, games in (("win", "wins"), ("lose", "losses")):
            one.add_argument(f"--{word}-gammons", type=shares, nargs="+", metavar="X",
                             help=f"parts of the {games} that are gammons; of long nardy mars, or "
                                  "mars, koks and home mars: 0.2,0.1,0")
    cube.add_argument("--efficiency", type=share, metavar="X",
                      help="cube efficiency 0..1 (default: that of positions with contact)")
    cube.add_argument("--pips", type=at_least_one, nargs="+", metavar="N",
                      help="pip counts of the side on roll, 66 to 200 (with --race; default 70, "
                           "75 … 150)")
    _add_plays(tables)
    bearoff = command(tables, "bearoff", "Rolls, chances and exact equities of a bear-off.",
                      run_bearoff, position=False)
    bearoff.add_argument("own", metavar="OWN",
                         help="six digits: checkers on points 1 to 6; or a position of both sides")
    bearoff.add_argument("opp", metavar="OPP", nargs="?", help="the other side's six digits")
    _add_game(bearoff)


def _add_game(made: argparse.ArgumentParser) -> None:
    made.add_argument("--game", choices=("backgammon", "long_nardy"),
                      help="whose table (default backgammon)")


def _add_rules(made: argparse.ArgumentParser) -> None:
    made.add_argument("--rules", default="", metavar="NAME",
                      help="of long nardy: pronardy (default), federation, masters, …; rules may "
                           "follow: masters,next_starter=winner")


def _add_long(made: argparse.ArgumentParser) -> None:
    """What a match equity table of long nardy is made from, besides the engine's first move."""
    _add_rules(made)
    made.add_argument("--doubling", action=argparse.BooleanOptionalAction, default=None,
                      help="long nardy with a doubling cube (default: as the rules have it; of "
                           "take points with one)")
    made.add_argument("--next-starter", choices=("roll", "winner", "alternate"),
                      help="who begins the next game of long nardy (default: as the rules have it)")


def shares(text: str) -> float | tuple[float, ...]:
    """One part of all games, or some between commas."""
    parts = tuple(map(share, text.split(",")))
    return parts if len(parts) > 1 else parts[0]


def _add_met(met: argparse.ArgumentParser) -> None:
    """Tables made here: of short nardy from the engine's openings, of long nardy from its rules."""
    met.add_argument("--compute", action="store_true",
                     help="make the table: from what the engine thinks of the openings and the "
                          "cube model; the first line, in JSON and with --write the source, "
                          "names nets, gammon rate and efficiency")
    met.add_argument("--write", metavar="FILE", help="also write it as a file that --met reads")
    level_argument(met, " for --compute")
    filter_argument(met)
    met.add_argument("--efficiency", type=share, metavar="X", help="of the cube, made tables only")
    engine_arguments(met)


def _add_plays(tables: Commands) -> None:
    """Those that ask the engine."""
    scores = command(tables, "scores", "Cube action of a position at every score.", run_scores)
    scores.add_argument("--length", type=at_least_one, default=13, metavar="N",
                        help="points of the match, at most 64 (default 13)")
    met_argument(scores)
    scores.add_argument("--efficiency", type=share, metavar="X",
                        help="cube efficiency 0..1, instead of that of the position's class")
    scores.add_argument("--exact", action=argparse.BooleanOptionalAction, default=None,
                        help="small bear-offs from the exact solver (default: if that is quick)")
    rolls = command(tables, "rolls", "What each roll of a position is worth, and its luck.",
                    run_rolls)
    openings = command(tables, "openings", "The best plays of every opening roll.", run_openings,
                       position=False)
    replies = command(tables, "replies", "The best replies to opening plays.", run_replies,
                      position=False)
    replies.add_argument("--plays", metavar="LIST",
                         help='opening plays, as "31 8/5 6/5, 21 13/11 6/5" (default: the best)')
    for made, top in ((openings, 3), (replies, 1)):
        made.add_argument("--start", default="start", metavar="POS",
                          help="start position, with its rules and score")
        made.add_argument("--top", type=at_least_one, default=top, metavar="K",
                          help=f"plays of each roll (default {top})")
        made.add_argument("--trials", type=trials_or_none, default=0, metavar="N",
                          help="roll the plays out so many times (default: no rollout)")
        made.add_argument("--seed", type=number, default=1, metavar="N", help="of the rollouts")
        made.add_argument("--save", metavar="FILE",
                          help="keep finished rolls there; where it exists, go on from it")
    for made in (scores, rolls, openings, replies):
        level_argument(made)
        if made is not scores:
            filter_argument(made)
        engine_arguments(made)


def _parse(text: str) -> Any:
    from nardy_core.position import Position

    return Position.parse(text)


def run_scores(args: argparse.Namespace) -> int:
    from nardy_core import tables
    from nardy_core.cube_inputs import met_of
    from nardy_core.tables_score import grid

    position, engine = position_of(args, args.position), engine_of(args)
    found = tables.cube_by_score(
        position, engine=engine, level=args.level, length=args.length, met=args.met,
        efficiency=args.efficiency, exact=args.exact)
    head = {"position": position.id(), "met": met_of(position, args.met).name, "level": args.level,
            "engine": engine.info(position.game).to_dict()}
    return write(args, found, head, grid(found, lang=args.lang))


def run_rolls(args: argparse.Namespace) -> int:
    from nardy_core import tables

    position, engine = position_of(args, args.position), engine_of(args)
    found = tables.rolls(position, engine, level=args.level)
    return write(args, found, {"position": position.id(), "level": args.level,
                               "engine": engine.info(position.game).to_dict()})


def run_openings(args: argparse.Namespace) -> int:
    from nardy_core import tables

    return _plays(args, tables.openings, {})


def run_replies(args: argparse.Namespace) -> int:
    from nardy_core import tables

    plays = None
    if args.plays is not None:
        pairs = [part.strip().partition(" ") for part in args.plays.split(",")]
        plays = {dice: play for dice, _, play in pairs}
        if len(plays) < len(pairs):
            raise ValueError("plays: two for one roll")
    return _plays(args, tables.replies, {"plays": plays})


def _plays(args: argparse.Namespace, make: Any, options: dict[str, Any]) -> int:
    start, engine = _parse(args.start), engine_of(args)
    shown = sys.stderr is not None and sys.stderr.isatty()

    def progress(done: int, total: int) -> None:
        if shown:
            end = "\n" if done == total else ""
            print(f"\r{done} of {total} rolls", end=end, file=sys.stderr, flush=True)

    found = make(engine, start=start, level=args.level, top=args.top, trials=args.trials,
                 seed=args.seed, save=args.save, progress=progress, **options)
    return write(args, found, {"start": start.id(), "level": args.level, "trials": args.trials,
                               "engine": engine.info(start.game).to_dict()})


def run_met(args: argparse.Namespace) -> int:
    from nardy_core import tables
    from nardy_core.match import opened

    if args.met and args.compute:
        raise ValueError("table met: --met names a table, so nothing is left to make")
    if args.game == "long_nardy":
        return _run_long_met(args)
    _only_long(args)
    if args.compute:
        from nardy_core.match_compute import engine_table

        met = engine_table(engine_of(args), level=args.level, efficiency=args.efficiency,
                           length=max(args.length, 2))
    else:
        met = opened(args.met)
    if args.write:
        write_text(args.write, met.to_csv())
    found = tables.match_equity(met, length=args.length)
    # What a made table stands on comes with it; of others the name is enough.
    text = f"{met.source}\n{found.text(args.lang)}" if args.compute else None
    return write(args, found, {"met": met.name, "source": met.source}, text)


def _only_long(args: argparse.Namespace) -> None:
    """Refuses what short nardy does not have."""
    for name in ("rules", "doubling", "next_starter"):
        if getattr(args, name, None) not in (None, ""):
            raise ValueError(f"table {args.table}: --{name.replace('_', '-')} is for long nardy")


def _long_start(args: argparse.Namespace) -> Position:
    from nardy_core import rules
    from nardy_core.position import Position

    return Position.start("long_nardy", **rules.preset("long_nardy", args.rules))


def _long_table(
    args: argparse.Namespace, *, doubling: bool | None = None, **options: Any
) -> LongMatchEquity:
    """By the rules asked for; `doubling` where nothing is said, None = as the rules have it."""
    from nardy_core import match_long

    if args.met:
        raise ValueError(f"table {args.table}: --met names a table of short nardy; that of long "
                         "nardy follows from its rules")
    start = _long_start(args)
    cube = start.max_cube != 1 if doubling is None else doubling
    return match_long.of_position(
        start, cube=cube if args.doubling is None else args.doubling,
        next_starter=args.next_starter, **options)


def _run_long_met(args: argparse.Namespace) -> int:
    from nardy_core import tables
    from nardy_core.match_long import FIRST

    if args.write:
        raise ValueError("table met: --write is for tables of short nardy")
    first: tuple[float, ...] = FIRST
    said = ""
    if args.compute:
        found = engine_of(args).evaluate(_long_start(args), args.level)
        first = tuple(found.probabilities.values())
        nets = ", ".join(f"{part} {short}" for part, short in found.engine.nets)
        said = f"nardy_core, nets {nets}, {level_name(args.level)} start; "
    efficiency = {} if args.efficiency is None else {"efficiency": args.efficiency}
    table = _long_table(args, first=first, **efficiency)
    half = len(first) // 2
    many = sum(first[1:half]) + sum(first[half + 1:])
    source = (f"{said}{table.name}: {100 * many:.2f} % more than oin, first mover wins "
              f"{100 * sum(first[:half]):.2f} %")
    if table.cube:
        source += f", cube model at efficiency {table.efficiency:g}"
    shown = tables.long_match_equity(table, length=args.length)
    text = f"{source}\n{shown.text(args.lang)}" if args.compute else None
    return write(args, shown, {
        "met": table.name, "source": source, "first": [round(chance, 6) for chance in table.first],
    }, text)


def _table_of_score(
    args: argparse.Namespace, doubling: bool | None = None
) -> MatchEquity | LongMatchEquity:
    from nardy_core.match import opened

    if args.game == "long_nardy":
        return _long_table(args, doubling=doubling)
    _only_long(args)
    return opened(args.met)


def run_take_points(args: argparse.Namespace) -> int:
    from nardy_core import tables

    met = _table_of_score(args, doubling=True)
    rates = {}
    for name in ("win_gammons", "lose_gammons"):
        given = getattr(args, name) or [0.0]
        if len(given) > 1:
            raise ValueError(f"{name}: one number for this table")
        rates[name] = given[0]
    found = tables.take_points(
        met, length=args.length, cube=args.cube, began=args.began, **rates)
    return write(args, found, {"met": met.name, "cube": args.cube, **_began(args), **rates})


def _began(args: argparse.Namespace) -> dict[str, str]:
    return {"began": args.began} if args.began else {}


def run_gammon_values(args: argparse.Namespace) -> int:
    from nardy_core import tables

    met = _table_of_score(args)
    found = tables.gammon_values(met, length=args.length, cubes=args.cube, began=args.began)
    said = tables.Table(
        {**found, "crawford": [game and term(_GAMES[game], args.lang)
                               for game in found["crawford"]]})
    return write(args, found, {"met": met.name, **_began(args)}, said.text(args.lang))


def run_cube(args: argparse.Namespace) -> int:
    from nardy_core import rules, tables
    from nardy_core.cube_inputs import CubeEfficiency

    long = args.game == "long_nardy"
    if not long:
        _only_long(args)
    if args.race:
        if args.jacoby or args.win_gammons or args.lose_gammons:
            raise ValueError("table cube: a race has no gammons")
        return write(args, tables.race_windows(
            *([args.pips] if args.pips else []), game=args.game or "backgammon"), {})
    if args.pips:
        raise ValueError("table cube: --pips goes with --race")
    rates = {name: getattr(args, name) for name in ("win_gammons", "lose_gammons")
             if getattr(args, name)}
    x = CubeEfficiency().contact if args.efficiency is None else args.efficiency
    start = _long_start(args) if long else None
    found = tables.cube_windows(**rates, efficiency=x, jacoby=args.jacoby, start=start)
    points = {} if start is None else {"points": rules.points(start.rules)[:4]}
    return write(args, found, {**points, "efficiency": x, "jacoby": args.jacoby})


def write(
    args: argparse.Namespace, table: Table, head: dict[str, object], text: str | None = None
) -> int:
    out = Output(args.format, "table", False)
    rows = [rounded(row) for row in table.rows()]
    out.add({"table": args.table, **head, "rows": rows},
            table.text(args.lang) if text is None else text, rows)
    out.close()
    return 0


def run_bearoff(args: argparse.Namespace) -> int:
    from nardy_core import tables
    from nardy_core.terms import column, outcome

    own, opp = args.own, args.opp
    if len(own) > 6 and not own.isdigit():
        position = _parse(own)
        found = tables.bearoff(position, opp, game=args.game)
        own, opp = ("".join(map(str, side[1:7])) for side in (position.own, position.opp))
    else:
        found = tables.bearoff(own, opp, game=args.game)
    chances = dict(found.probabilities or {})
    row = rounded({"own": own, "opp": opp, **next(found.table().rows())})
    shown = [(column(name, args.lang), value) for name, value in row.items() if value is not None]
    single = len(chances) // 2  # the classes above a single game, where they can come about
    shown += [(outcome(name, args.lang), round(chance, 6))
              for at, (name, chance) in enumerate(chances.items()) if at % single and chance]
    width = max(len(label) for label, _ in shown) + 2
    text = "\n".join(f"{label:<{width}}{value}" for label, value in shown)
    rolls = {"own_rolls": found.own.probabilities,
             "opp_rolls": None if found.opp is None else found.opp.probabilities,
             "probabilities": chances or None}
    out = Output(args.format, "table", False)
    out.add({"table": "bearoff", "rows": [row], **rolls}, text, [row])
    out.close()
    return 0
