"""Decisions of the engine's own games with the candidates rolled out: the yardstick of its nets.

    python benchmarks/decisions.py make FILE --game GAME [--nets DIR] [--decisions N] [--first 0]
    python benchmarks/decisions.py extend FILE --by DIR [--nets DIR] [--ply 0 1]
    python benchmarks/decisions.py score FILE [--nets DIR …] [--ply 0 1] [--part PART] [--every N]

A decision is a function of the nets and of its number: a game of the engine against itself with one
play in ten taken at random among the good ones, left at a random moment; in backgammon every second
game begins with an invented board as self-play uses them (back games, late contact, many checkers
sent back). Its candidates are all results within WINDOW of the static best, eight at most. Each
gets `base` chunks of 36 trials with common dice, plays at 0-ply, the static value after `truncate`
plies; those that are not 2.5 standard errors of the difference behind the best then go on to
`more`. `make` appends to the file, and goes on where it ends. `extend` rolls out what the nets
choose and nobody thought of, with the same dice.

Even numbers are for choices made in training (part `tune`), odd ones are never looked at then
(`held`). `score` tells the mean loss, of all decisions and by kind. A choice that was not rolled
out costs as much as the worst that was. `score` with several nets gives the paired difference of
each to the first.
"""

import argparse
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nardy_core import Engine, Position
from nardy_core._border import _rules, _train
from nardy_core._border._rollout import CHUNK, Trials
from nardy_core.models import Model
from nardy_core.play import legal_plays


@dataclass(frozen=True)
class Work:
    """How the candidates of a game's decisions are rolled out. Chosen by what a standard error of
    the difference costs: removing luck gains sixfold in backgammon and nothing in long nardy."""

    truncate: int
    base: int  # chunks of 36 trials
    more: int
    luck: bool  # subtracted
    staged: bool  # every second game begins with an invented board


WORK = {
    "backgammon": Work(12, 4, 12, True, True),
    "long_nardy": Work(12, 36, 108, False, False),
}
WINDOW, MOST = 0.1, 8
BEHIND = 2.5  # standard errors
EQUITY = 19  # of the raw sums of a board
STAGED = {"seed": 2026, "lam": 0.0, "lam_staged": 0.0, "lookahead": False, "explore": 0.1,
          "window": 0.1, "siblings": 1, "stray": 0.0, "second": 0.0, "labelled": 1.0,
          "scrambled": 0.0,
          "staged": 1.0, "max_plies": 1}


def swapped(boards: Any) -> Any:
    return np.ascontiguousarray(np.concatenate([boards[..., 4:], boards[..., :4]], axis=-1))


def first(game: str, model: Model, rng: Any) -> Any:
    """The start of a game, or an invented board after one play."""
    if not WORK[game].staged or rng.integers(2):
        return _rules.start(game)
    samples, _ = _train.selfplay(model.search, STAGED, 2026, int(rng.integers(1 << 40)), 1)
    return samples["board"][0] if len(samples) else _rules.start(game)


def decision(game: str, model: Model, number: int) -> tuple[Any, Any, Any]:
    """(board, dice, boards of the candidates with the mover first)."""
    rng = np.random.default_rng([2026, number])
    while True:
        board, moment = first(game, model, rng), rng.integers(80)
        for ply in range(200):
            if _rules.phase(game, board) < 2:
                break
            dice: Any = rng.integers(1, 7, 2)
            boards, _, equity, _, _ = model.static.choose(board, dice)
            good = boards[equity > equity[0] - WINDOW][:MOST]
            if ply >= moment and len(good) > 1:
                return board, dice, good
            board = swapped(good[rng.integers(len(good)) if rng.random() < 0.1 else 0])


def sums(trials: Trials, n: int, first: int, count: int, active: Any) -> Any:
    rows, _ = trials.run(first, count, active=active)
    return rows.sum(axis=0)


def rolled_out(work: Work, model: Model, boards: Any, seed: int) -> tuple[Any, Any, Any]:
    """Equities for the mover, standard errors of the difference to the best, trials."""
    n = len(boards)
    trials = Trials(model.search, model.luck if work.luck else None, swapped(boards), seed=seed,
                    truncate=work.truncate)
    raw = sums(trials, n, 0, work.base, None)

    def read(raw: Any, count: int) -> tuple[Any, Any]:
        side = raw[: len(raw) - n * n].reshape(n, -1)
        mean = side[:, EQUITY] / count
        covariance = raw[len(raw) - n * n:].reshape(n, n) / count - np.outer(mean, mean)
        return -mean, covariance

    def errors(covariance: Any, best: int, count: int) -> Any:
        spread = np.diag(covariance) + covariance[best, best] - 2 * covariance[best]
        return np.sqrt(np.maximum(spread, 0) / count)

    equity, covariance = read(raw, work.base * CHUNK)
    best = int(equity.argmax())
    error = errors(covariance, best, work.base * CHUNK)
    close = equity >= equity[best] - BEHIND * error
    made = np.full(n, work.base * CHUNK)
    if close.sum() > 1:
        raw = raw + sums(trials, n, work.base, work.more - work.base, close)
        more, covariance = read(raw, work.more * CHUNK)
        # Those left behind keep their distance from the best at the time.
        equity = np.where(close, more, more[best] - (equity[best] - equity))
        error = np.where(close, errors(covariance, best, work.more * CHUNK), error)
        made[close] = work.more * CHUNK
    return equity, error, made


def kind(position: Position) -> str:
    """What sort of decision it is, by the board alone: the first of these that fits."""
    if _rules.phase(position.game, position.board) < 3:
        return "race"
    sides = [counts[1:] for counts in (position.own, position.opp)]  # without those borne off
    if any(sum(side) < 15 for side in sides):
        return "late contact"
    if position.game == "backgammon":
        if any(side[24] for side in sides):
            return "on the bar"
        if any(sum(n > 1 for n in side[18:24]) > 1 for side in sides):
            return "back game"
    return "middle game"


def opened(path: Path, mode: str) -> Any:
    return gzip.open(path, mode + "t") if path.suffix == ".gz" else open(path, mode)


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with opened(path, "r") as file:
        for line in file:
            yield json.loads(line)


def make(args: argparse.Namespace) -> None:
    game, work = args.game, WORK[args.game]
    model = Engine(args.nets[0], threads=1).model(Position.start(game))
    done = sum(1 for _ in lines(args.file)) if args.file.exists() else 0
    for number in range(args.first + done, args.first + args.decisions):
        board, dice, boards = decision(game, model, number)
        equity, error, trials = rolled_out(work, model, boards, number + 1)
        position = Position.from_planes(board, game=game)
        names = {play.board.tobytes(): play.notation for play in legal_plays(position, dice)}
        order = np.argsort(-equity)
        with opened(args.file, "a") as file:
            form = "ndid" if game == "long_nardy" else "xgid"
            file.write(json.dumps({
                "number": number, "position": position.id(form), "dice": dice.tolist(),
                "plays": [[names[boards[i].tobytes()], round(float(equity[i]), 4),
                           round(float(error[i]), 4), int(trials[i])] for i in order],
            }, separators=(",", ":")) + "\n")


def extend(args: argparse.Namespace) -> None:
    """Roll out the choices of the nets `--by` that are not in the file, paired with its best."""
    engine, chooser = Engine(args.nets[0], threads=1), Engine(args.by)
    kept = []
    for d in lines(args.file):
        position = Position.parse(d["position"])
        plays = {play.notation: play.board for play in legal_plays(position, d["dice"])}
        for ply in args.ply:
            best = chooser.analyse(
                position, d["dice"], level=ply, cubeful=False, top=1).candidates[0].play
            if best.notation in [p[0] for p in d["plays"]]:
                continue
            boards = np.stack([plays[d["plays"][0][0]], best.board])
            equity, error, trials = rolled_out(
                WORK[position.game], engine.model(position), boards, d["number"] + 1)
            behind = d["plays"][0][1] + float(equity[1] - equity[0])
            d["plays"].append([best.notation, round(behind, 4), round(float(error.max()), 4),
                               int(trials[1])])
            d["plays"].sort(key=lambda p: -p[1])
        kept.append(json.dumps(d, separators=(",", ":")) + "\n")
    with opened(args.file, "w") as file:
        file.writelines(kept)


def score(args: argparse.Namespace) -> None:
    asked = [d for d in lines(args.file)
             if args.part is None or (d["number"] % 2 == 0) == (args.part == "tune")][::args.every]
    positions = [Position.parse(d["position"]) for d in asked]
    kinds = [kind(position) for position in positions]
    for ply in args.ply:
        first: Any = None
        for nets in args.nets:
            best = Engine(nets).analyse_many(
                positions, [d["dice"] for d in asked], level=ply, cubeful=False)
            loss, others = np.zeros(len(asked)), 0
            for n, (d, found) in enumerate(zip(asked, best, strict=True)):
                values = {p[0]: p[1] for p in d["plays"]}
                play = found.best.play.notation
                others += play not in values
                loss[n] = d["plays"][0][1] - values.get(play, d["plays"][-1][1])
            root = len(loss) ** 0.5
            text = (f"{nets or 'shipped'}: {ply}-ply {loss.mean():.4f} ± {loss.std() / root:.4f} "
                    f"points a decision, {len(loss)} decisions, {np.mean(loss == 0):.1%} the best, "
                    f"{others} not rolled out")
            if first is None:
                first = loss
            else:
                more = loss - first
                text += f"; {more.mean():+.4f} ± {more.std() / root:.4f}"
            print(text, flush=True)
            for name in sorted({*kinds}):
                part = loss[[k == name for k in kinds]]
                print(f"    {name}: {part.mean():.4f} ± {part.std() / len(part) ** 0.5:.4f}, "
                      f"{len(part)} decisions", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", choices=("make", "extend", "score"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--game", choices=WORK, default="backgammon",
                        help="make: default backgammon")
    parser.add_argument("--nets", nargs="+", default=[None],
                        help="folders of net files; default: those shipped")
    parser.add_argument("--by", help="extend: folder of the nets whose choices are added")
    parser.add_argument("--decisions", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--ply", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--part", choices=("tune", "held"))
    parser.add_argument("--every", type=int, default=1, help="score: every n-th decision")
    args = parser.parse_args()
    {"make": make, "extend": extend, "score": score}[args.work](args)


if __name__ == "__main__":
    main()
