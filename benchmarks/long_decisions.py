"""Decisions of long nardy with the candidates rolled out: the yardstick of its nets.

    python benchmarks/long_decisions.py make FILE [--nets DIR] [--decisions 1000] [--first 0]
    python benchmarks/long_decisions.py extend FILE --by DIR [--nets DIR] [--ply 0 1]
    python benchmarks/long_decisions.py score FILE [--nets DIR] [--ply 0 1] [--part tune|held]

A decision is a function of the nets and of its number: a game of the engine against itself with one
play in ten taken at random among the good ones, left at a random moment. Its candidates are all
results within 0.1 of the static best, eight at most. Each gets 1,296 trials with common dice, plays
at 0-ply, the static value after 12 plies; those that are not 2.5 standard errors of the difference
behind the best then go on to 3,888. `make` appends to the file, and goes on where it ends. `extend`
rolls out what the nets choose and nobody thought of, with the same dice.

Even numbers are for choices made in training (`tune`), odd ones have never been looked at (`held`).
A choice that was not rolled out costs as much as the worst that was.
"""

import argparse
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nardy_core import Engine, Position
from nardy_core._border import _rules
from nardy_core._border._rollout import CHUNK, Trials
from nardy_core.engine import Model
from nardy_core.play import legal_plays

GAME = "long_nardy"
WINDOW, MOST, TRUNCATE = 0.1, 8, 12
BASE, MORE = 36, 108  # chunks of 36 trials
BEHIND = 2.5  # standard errors
EQUITY, SQUARES = 19, 20  # of the raw sums of a board: value and its square


def swapped(boards: Any) -> Any:
    return np.ascontiguousarray(np.concatenate([boards[..., 4:], boards[..., :4]], axis=-1))


def decision(model: Model, number: int) -> tuple[Any, Any, Any]:
    """(board, dice, boards of the candidates with the mover first)."""
    rng = np.random.default_rng([2026, number])
    while True:
        board, moment = _rules.start(GAME), rng.integers(80)
        for ply in range(200):
            if _rules.phase(GAME, board) < 2:
                break
            dice = rng.integers(1, 7, 2)
            boards, _, equity, _, _ = model.static.choose(board, dice)
            good = boards[equity > equity[0] - WINDOW][:MOST]
            if ply >= moment and len(good) > 1:
                return board, dice, good
            board = swapped(good[rng.integers(len(good)) if rng.random() < 0.1 else 0])


def sums(trials: Trials, n: int, first: int, count: int, active: Any) -> Any:
    rows, _ = trials.run(first, count, active=active)
    return rows.sum(axis=0)


def rolled_out(model: Model, boards: Any, seed: int) -> tuple[Any, Any, Any]:
    """Equities for the mover, standard errors of the difference to the best, trials."""
    n = len(boards)
    trials = Trials(model.search, None, swapped(boards), seed=seed, truncate=TRUNCATE)
    raw = sums(trials, n, 0, BASE, None)

    def read(raw: Any, count: int) -> tuple[Any, Any]:
        side = raw[: len(raw) - n * n].reshape(n, -1)
        mean = side[:, EQUITY] / count
        covariance = raw[len(raw) - n * n:].reshape(n, n) / count - np.outer(mean, mean)
        return -mean, covariance

    def errors(covariance: Any, best: int, count: int) -> Any:
        spread = np.diag(covariance) + covariance[best, best] - 2 * covariance[best]
        return np.sqrt(np.maximum(spread, 0) / count)

    equity, covariance = read(raw, BASE * CHUNK)
    best = int(equity.argmax())
    error = errors(covariance, best, BASE * CHUNK)
    close = equity >= equity[best] - BEHIND * error
    made = np.full(n, BASE * CHUNK)
    if close.sum() > 1:
        raw = raw + sums(trials, n, BASE, MORE - BASE, close)
        more, covariance = read(raw, MORE * CHUNK)
        # Those left behind keep their distance from the best at the time.
        equity = np.where(close, more, more[best] - (equity[best] - equity))
        error = np.where(close, errors(covariance, best, MORE * CHUNK), error)
        made[close] = MORE * CHUNK
    return equity, error, made


def opened(path: Path, mode: str) -> Any:
    return gzip.open(path, mode + "t") if path.suffix == ".gz" else open(path, mode)


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with opened(path, "r") as file:
        for line in file:
            yield json.loads(line)


def make(args: argparse.Namespace) -> None:
    model = Engine(args.nets, threads=1).model(Position.start(GAME))
    done = sum(1 for _ in lines(args.file)) if args.file.exists() else 0
    for number in range(args.first + done, args.first + args.decisions):
        board, dice, boards = decision(model, number)
        equity, error, trials = rolled_out(model, boards, number + 1)
        position = Position.from_planes(board, game=GAME)
        names = {play.board.tobytes(): play.notation for play in legal_plays(position, dice)}
        order = np.argsort(-equity)
        with opened(args.file, "a") as file:
            file.write(json.dumps({
                "number": number, "position": position.id("ndid"), "dice": dice.tolist(),
                "plays": [[names[boards[i].tobytes()], round(float(equity[i]), 4),
                           round(float(error[i]), 4), int(trials[i])] for i in order],
            }, separators=(",", ":")) + "\n")


def extend(args: argparse.Namespace) -> None:
    """Roll out the choices of the nets `--by` that are not in the file, paired with its best."""
    model, chooser = Engine(args.nets, threads=1).model(Position.start(GAME)), Engine(args.by)
    kept = []
    for d in lines(args.file):
        position = Position.parse(d["position"])
        plays = {play.notation: play.board for play in legal_plays(position, d["dice"])}
        for ply in args.ply:
            best = chooser.analyse(position, d["dice"], level=ply, top=1).candidates[0].play
            if best.notation in [p[0] for p in d["plays"]]:
                continue
            boards = np.stack([plays[d["plays"][0][0]], best.board])
            equity, error, trials = rolled_out(model, boards, d["number"] + 1)
            behind = d["plays"][0][1] + float(equity[1] - equity[0])
            d["plays"].append([best.notation, round(behind, 4), round(float(error.max()), 4),
                               int(trials[1])])
            d["plays"].sort(key=lambda p: -p[1])
        kept.append(json.dumps(d, separators=(",", ":")) + "\n")
    with opened(args.file, "w") as file:
        file.writelines(kept)


def score(args: argparse.Namespace) -> None:
    engine = Engine(args.nets)
    asked = [d for d in lines(args.file)
             if args.part is None or (d["number"] % 2 == 0) == (args.part == "tune")]
    for ply in args.ply:
        loss, others = [], 0
        for d in asked:
            position, values = Position.parse(d["position"]), {p[0]: p[1] for p in d["plays"]}
            best = engine.analyse(position, d["dice"], level=ply, top=1).candidates[0].play
            others += best.notation not in values
            loss.append(d["plays"][0][1] - values.get(best.notation, d["plays"][-1][1]))
        mean, spread = np.mean(loss), np.std(loss) / len(loss) ** 0.5
        print(f"{ply}-ply {mean:.4f} ± {spread:.4f} points a decision, {len(loss)} decisions, "
              f"{np.mean(np.array(loss) == 0):.1%} the best, {others} not rolled out")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", choices=("make", "extend", "score"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--nets", help="folder of net files; default: those shipped")
    parser.add_argument("--by", help="extend: folder of the nets whose choices are added")
    parser.add_argument("--decisions", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--ply", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--part", choices=("tune", "held"))
    args = parser.parse_args()
    {"make": make, "extend": extend, "score": score}[args.work](args)


if __name__ == "__main__":
    main()
