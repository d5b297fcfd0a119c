"""What each means against variance in rollouts is worth: variance times processor time.

    python benchmarks/rollouts.py levers [--position ID] [--trials N]
    python benchmarks/rollouts.py modes
    python benchmarks/rollouts.py spread [--trials N] [--seeds N] [--truncate N]

`levers` compares estimates of luck for cubeless trials of one position, played to the end and
truncated; `modes` the shipped settings: cubeless, cubeful, truncated, at a match score. The last
column is the time to a standard error of 0.005. `spread` asks whether standard errors are honest:
what many rollouts say of theirs, and how far their results lie apart.
"""

from __future__ import annotations

import argparse
import time

import nardy_core as nd
from nardy_core._border._rollout import CHUNK, Trials, read_row
from nardy_core.evaluator import Evaluator

ERROR = 0.005


def say(name: str, sd: float, seconds: float, trials: int) -> None:
    cost = seconds / trials
    print(f"{name:44} {sd:7.4f} {1e3 * cost:9.3f} {1e3 * cost * sd * sd:9.4f} "
          f"{cost * (sd / ERROR) ** 2:8.2f}", flush=True)


def heading(title: str) -> None:
    print(f"\n{title:44} {'sd':>7} {'ms/trial':>9} {'var x ms':>9} {'s to 5m':>8}")


def levers(position: nd.Position, trials: int) -> None:
    model = nd.Engine(threads=1).model(position)
    nets = dict(model.nets)
    big = {"contact": nets["contact"], "race": nets["race"]}
    small = {"contact": nets["small"]}

    def luck(**how: object) -> Evaluator:
        return model.make(big, small=small, **how)

    estimates: list[tuple[str, Evaluator | None]] = [
        ("plain", None),
        ("small net alone", model.make({"contact": nets["small"], "race": nets["race"]})),
        ("small net chooses, playing net values it", luck(keep=1, within=0.0)),
        ("sieve 12, small net, playing net", luck(keep=1, within=0.0, sift=12)),
        ("sieve 8, small net, playing net (shipped)", luck(keep=1, within=0.0, sift=8)),
        ("sieve 6, small net, playing net", luck(keep=1, within=0.0, sift=6)),
        ("sieve 4, small net, playing net", luck(keep=1, within=0.0, sift=4)),
        ("sieve 8, two for the playing net", luck(keep=2, within=0.1, sift=8)),
        ("four for the playing net (as plays)", model.search),
        ("everything by the playing net", model.static),
    ]
    for truncate in (0, 11):
        heading(f"truncated at {truncate}" if truncate else "to the end")
        for name, evaluator in estimates:
            few = 4 if evaluator is model.static else 1
            chunks = max(trials // CHUNK // few, 2) * (4 if evaluator is None else 1)
            play = Trials(model.search, evaluator, position.board[None], seed=1,
                          truncate=truncate, opening=position.opens_unlike)
            began = time.process_time()
            rows, _ = play.run(0, chunks)
            seconds = time.process_time() - began
            sums, _ = read_row(rows.sum(axis=0), 1)
            n, total, squares = chunks * CHUNK, sums["value"][0], sums["value_sq"][0]
            say(name, ((squares - total * total / n) / (n - 1)) ** 0.5, seconds, n)


def modes(trials: int) -> None:
    engine = nd.Engine(threads=1)
    start = nd.Position.start()
    asked = [
        ("cubeless", start, {}),
        ("cubeless, truncated at 11", start, {"truncate": 11}),
        ("cubeful money, opponent's cube", start.with_(cube=2, cube_owner="opp"),
         {"cubeful": True}),
        ("cubeful money, both lines", start, {"cubeful": True}),
        ("cubeful, 7 points, both lines", start.with_(match_length=7), {"cubeful": True}),
    ]
    heading("start position; times are a line's")
    for name, position, settings in asked:
        began = time.process_time()
        found = engine.rollout(position, trials=trials, opening=True, **settings).wait()
        lines = len(found.entries)
        seconds = (time.process_time() - began) / lines
        say(name, found.entries[0].standard_error * found.trials**0.5, seconds, found.trials)


def spread(position: nd.Position, trials: int, seeds: int, truncate: int) -> None:
    engine = nd.Engine()
    found = [engine.rollout(position, trials=trials, seed=seed, truncate=truncate).wait()
             for seed in range(seeds)]
    means = [result.equity for result in found]
    middle = sum(means) / seeds
    apart = (sum((mean - middle) ** 2 for mean in means) / (seeds - 1)) ** 0.5
    said = (sum(result.standard_error**2 for result in found) / seeds) ** 0.5
    print(f"{seeds} rollouts of {trials} trials: standard errors said {said:.5f}, "
          f"results lie apart by {apart:.5f}, {apart / said:.3f} ± {(2 * seeds) ** -0.5:.3f} of it")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("levers", "modes", "spread"))
    parser.add_argument("--position", default="start")
    parser.add_argument("--trials", type=int, default=720)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--truncate", type=int, default=0)
    args = parser.parse_args()
    if args.what == "levers":
        levers(nd.Position.parse(args.position), args.trials)
    elif args.what == "spread":
        spread(nd.Position.parse(args.position), args.trials, args.seeds, args.truncate)
    else:
        modes(args.trials)


if __name__ == "__main__":
    main()
