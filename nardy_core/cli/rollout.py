"""`nardy rollout`: play a position or candidates to the end many times."""
from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nardy_core.checks import printable
from nardy_core.cli.common import (
    OK,
    SOME_FAILED,
    Commands,
    Output,
    above_zero,
    at_least_one,
    command,
    complain,
    dice,
    each,
    engine_arguments,
    engine_of,
    filter_argument,
    lines_of,
    met_argument,
    number,
    position_argument,
    trials,
)
from nardy_core.cli.progress import BatchProgress, Progress, progress_argument

# Columns of CSV before the chances of the outcome classes.
COLUMNS = ("position", "play", "equity", "standard_error", "difference", "difference_error",
           "trials", "seed")

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from nardy_core.engine import Engine
    from nardy_core.position import Position
    from nardy_core.rollout import RolloutResult
    from nardy_core.rollout_store import RolloutStore


def add(commands: Commands) -> None:
    made = command(
        commands, "rollout",
        "Roll out a position, or with dice the candidates of the roll. "
        "Ctrl-C ends it with what is finished (exit code 130), a --job can go on from there.", run,
        position=False)
    position_argument(made, nargs="?")
    made.add_argument(
        "--batch", metavar="FILE",
        help="instead of POS: a file with a position, or a JSON object with position, dice, plays, "
             "top and id, on each line; answers come in its order")
    made.add_argument("--dice", type=dice, metavar="31",
                      help="roll out candidates of this roll (default: the position's own)")
    made.add_argument("--plays", metavar="LIST",
                      help='the candidates, with commas between: "8/5 6/5, 13/10 6/5"')
    made.add_argument("--top", type=at_least_one, metavar="K", help="the K best plays (default 5)")
    made.add_argument("--before-roll", action="store_true",
                      help="roll out the position itself although it has dice")
    made.add_argument("--trials", type=trials, default=1296, metavar="N",
                      help="games a candidate, rounded up to a multiple of 36 (default 1296)")
    made.add_argument("--se", type=above_zero, metavar="X",
                      help="stop when every standard error is at most X")
    made.add_argument("--jsd", type=above_zero, metavar="X",
                      help="stop when the best leads by X standard errors of the difference")
    made.add_argument("--max-time", type=above_zero, metavar="S",
                      help="stop after S seconds, once 36 trials of each candidate are played")
    made.add_argument("--truncate", type=number, default=0, metavar="N",
                      help="static evaluation after N plies (default 0: play to the end)")
    made.add_argument("--cubeful", action="store_true",
                      help="with the cube in play; without dice the cube decision")
    met_argument(made)
    made.add_argument("--ply", type=plies, default=0, metavar="N",
                      help="look-ahead of plays in the trials (default 0)")
    made.add_argument("--cube-ply", type=plies, metavar="N",
                      help="look-ahead of cube decisions (default: as plays)")
    made.add_argument("--late", type=at_least_one, metavar="K",
                      help="from ply K of a trial on the levels are:")
    made.add_argument("--late-ply", type=plies, default=0, metavar="N", help="(default 0)")
    made.add_argument("--late-cube-ply", type=plies, metavar="N", help="(default: as plays)")
    filter_argument(made)
    made.add_argument("--plain", action="store_true", help="no variance reduction")
    made.add_argument("--opening", action=argparse.BooleanOptionalAction, default=None,
                      help="the first roll is no double (default: so in a start position)")
    made.add_argument("--seed", type=number, default=1, metavar="N", help="of the dice (default 1)")
    made.add_argument("--job", metavar="DIR", help="keep what is computed in DIR/rollout.sums")
    made.add_argument("--resume", action="store_true",
                      help="go on from what the job has kept, if there is any")
    made.add_argument("--cluster", metavar="ADDRESS",
                      help="let the workers of a Dask scheduler do it: tcp://host:8786")
    made.add_argument("--cache", action=argparse.BooleanOptionalAction, default=None,
                      help="look into the cache of results, and keep them there (default: for "
                           "a --batch)")
    progress_argument(made)
    engine_arguments(made)


def plies(text: str) -> int:
    """Look-ahead inside trials: `--level` of other commands has rollers, too, which are none."""
    from nardy_core.levels import ROLLERS

    if text in ROLLERS:
        raise argparse.ArgumentTypeError(
            f"{text} is itself a rollout: plays and cubes inside one take a number of plies")
    return number(text)


def run(args: argparse.Namespace) -> int:
    if (args.position is None) == (args.batch is None):
        raise ValueError("rollout: give either a position or --batch")
    engine, job = engine_of(args), _job(args)
    if args.cluster is None:
        return _batch(args, engine, job) if args.batch else _each(args, engine, job)
    from nardy_core.cluster import Cluster

    with Cluster(args.cluster) as cluster:
        if args.batch:
            return _batch(args, engine, job, cluster)
        return _each(args, engine, job, cluster)


def _settings(args: argparse.Namespace) -> dict[str, Any]:
    return {"trials": args.trials, "seed": args.seed, "se": args.se, "jsd": args.jsd,
            "max_time": args.max_time, "truncate": args.truncate,
            "variance_reduction": not args.plain, "cubeful": args.cubeful, "met": args.met,
            "level": args.ply, "cube_level": args.cube_ply, "late": args.late,
            "late_level": args.late_ply, "late_cube_level": args.late_cube_ply}


def _each(
    args: argparse.Namespace, engine: Engine, job: RolloutStore | None,
    executor: Executor | None = None,
) -> int:
    plays = args.plays.split(",") if args.plays else None

    def work(position: Position, out: Output) -> None:
        if args.before_roll:
            position = position.with_(dice=None)
        bar = Progress(args.progress, args.lang)
        handle = engine.rollout(
            position, args.dice, plays=plays, top=args.top, opening=args.opening, store=job,
            executor=executor, cache=bool(args.cache), **_settings(args))
        try:
            for partial in handle:
                bar(partial)
        finally:  # interrupted or not, what is finished is shown
            bar.close()
            if result := handle.stop():
                out.add(result.to_dict(), result.text(args.lang), _rows(result))

    return each(args, "rollout", work)


def _batch(
    args: argparse.Namespace, engine: Engine, job: RolloutStore | None,
    executor: Executor | None = None,
) -> int:
    from nardy_core.rollout_batch import read_items

    if args.plays or args.dice or args.rules:
        raise ValueError("batch: plays, dice and rules are those of its lines")
    out, failed, answered = Output(args.format, "rollout", True, _columns()), [], 0
    bar = BatchProgress(args.progress)
    with open(args.batch, encoding="utf-8", errors="replace") as lines:
        try:
            for item, result, error in engine.rollout_many(
                    read_items(lines_of(lines, args.batch)), top=args.top, opening=args.opening,
                    store=job, before_roll=args.before_roll, executor=executor,
                    cache=args.cache is not False, progress=bar, **_settings(args)):
                answered += 1
                bar.answer(item, result, error)
                name = {"item": item.number, **({"id": item.name} if item.name else {})}
                if result:
                    out.add(name | result.to_dict(), f"{printable(item.name) or item.number}:\n"
                            f"{result.text(args.lang)}",
                            [{"item": item.number, "id": item.name} | row
                             for row in _rows(result)])
                else:
                    failed.append(item.number)
                    reason = " ".join(str(error).split())
                    if args.format != "text":
                        out.add(name | {"error": reason}, "",
                                [{"item": item.number, "id": item.name, "error": reason}])
                    complain(f"{args.batch} line {item.number}: {reason}")
        finally:
            bar.close()
            out.close()
    if failed:
        complain(f"{args.batch}: {len(failed)} of {answered} failed: lines "
                 + ", ".join(map(str, failed[:20])) + (" …" if len(failed) > 20 else ""))
    return SOME_FAILED if failed else OK


def _job(args: argparse.Namespace) -> RolloutStore | None:
    from nardy_core.rollout_store import NOTHING_YET, RolloutStore

    if args.job is None:
        if args.resume:
            raise ValueError("resume: give the --job to go on with")
        return None
    if args.position == "-":
        raise ValueError("job: takes one position or a --batch, not what stdin has")
    file = Path(args.job) / "rollout.sums"
    if not args.resume and file.exists() and file.stat().st_size > NOTHING_YET:
        raise ValueError(f"job: {file} exists, give --resume to go on with it")
    file.parent.mkdir(parents=True, exist_ok=True)
    return RolloutStore(file, single=not args.batch)


def _columns() -> list[str]:
    """Of the CSV of a batch: items of any game, and those that fail, have their place in it."""
    from nardy_core.evaluator import outcomes_of
    from nardy_core.position import GAMES

    classes = dict.fromkeys(name for game in GAMES for name in outcomes_of(game))
    return ["item", "id", *COLUMNS, *classes, "signature", "error"]


def _rows(result: RolloutResult) -> list[dict[str, object]]:
    return [{"position": result.position.id(),
             "play": e.play.notation if e.play else e.line or "",
             "equity": round(e.equity, 6), "standard_error": round(e.standard_error, 6),
             "difference": round(e.difference, 6),
             "difference_error": round(e.difference_error, 6), "trials": e.trials,
             "seed": result.seed, **e.probabilities.to_dict(), "signature": result.signature}
            for e in result.entries]
