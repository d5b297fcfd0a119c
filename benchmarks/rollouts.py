"""What each means against variance in rollouts is worth: variance times processor time.

    python benchmarks/rollouts.py [PART…] [--write] [--trials N] [--seeds N]

Measures all parts, or those named; --write puts their tables into rollouts.md.

    modes      the shipped settings: cubeless, truncated, cubeful, at a match score, long nardy;
               `s to 5m` is the processor time to a standard error of 0.005; times are the least of
               five turns
    levers     estimates of luck for cubeless trials of --position, to the end and truncated;
               times are the least of five turns
    spread     whether standard errors are honest: what many rollouts say of theirs, and how far
               their results lie apart
    threads    the same rollout by one and by two threads, and halves of it by two processes that
               share nothing, on the clock, the least of five turns
    interrupt  the time from Ctrl-C to the end of `nardy rollout` with what was finished, by
               threads, in deep plays, and with a Dask cluster of this machine if that is installed
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import multiprocessing
import os
import select
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import page

import nardy_core as nd
from nardy_core._border._rollout import CHUNK, Trials, read_row
from nardy_core.evaluator import Evaluator

PAGE = Path(__file__).resolve().with_name("rollouts.md")
ERROR = 0.005
TURNS = 5
INTERRUPTS = 6
MIDDLE = "XGID=-B---BB-C-a-dCb--c-eAA--A-:0:0:1:00:0:0:0:0:10"
SHORT_RACE = "x=6:1,7:1,3:2,2:2 o=8:1,7:1,4:2,3:1,1:1 turn=x"
ENGINES: dict[str, nd.Engine] = {}


def to_error(sd: float, seconds: float) -> float:
    """Seconds to a standard error of ERROR, at so many a trial."""
    return seconds * (sd / ERROR) ** 2


# ---- parts: each a table ----------------------------------------------------------------------


def levers(args: argparse.Namespace) -> str:
    position = nd.Position.parse(args.position)
    model = nd.Engine(threads=1).model(position)
    nets = dict(model.nets)
    big = {"contact": nets["contact"], "race": nets["race"]}
    small = {"contact": nets["small"]}

    def luck(sift: int | dict[str, int] = 0, keep: int = 1, within: float = 0.0) -> Evaluator:
        return model.make(big, small=small, keep=keep, within=within, sift=sift)

    estimates: list[tuple[str, Evaluator | None]] = [
        ("nothing (plain)", None),
        ("the small net alone", model.make({"contact": nets["small"], "race": nets["race"]})),
        ("small net chooses replies, playing net values the 21", luck()),
        *((f"the same after a sieve of {n}", luck(n)) for n in (12, 8, 6, 4)),
        ("**sieve of 8, of 1 in races (shipped)**", model.luck),
        ("sieve of 8, two replies for the playing net", luck(8, 2, 0.1)),
        ("sieve of 8, all of them for the playing net", model.make(big, sift=8)),
        ("small net, replies for the playing net as in plays", model.search),
        ("everything by the playing net", model.static),
    ]
    chunks = max(args.trials // CHUNK // TURNS, 1)
    sums: dict[tuple[str, int], np.ndarray] = {}
    least: dict[tuple[str, int], float] = {}
    for turn in range(TURNS):  # all of them in each, so that what disturbs one disturbs all
        for name, evaluator in estimates:
            for truncate in (0, 11):
                play = Trials(model.search, evaluator, position.board[None], seed=1,
                              truncate=truncate, opening=position.opens_unlike)
                began = time.process_time()
                made, _ = play.run(turn * chunks, chunks)
                seconds = (time.process_time() - began) / (chunks * CHUNK)
                key = name, truncate
                sums[key] = sums.get(key, 0) + made.sum(axis=0)
                least[key] = min(least.get(key, math.inf), seconds)
    rows, n = [], TURNS * chunks * CHUNK
    for name, _ in estimates:
        rows.append([name])
        for truncate in (0, 11):
            raw, _ = read_row(sums[name, truncate], 1)
            spread = (raw["value_sq"][0] - raw["value"][0] ** 2 / n) / (n - 1)
            seconds = least[name, truncate]
            rows[-1] += [f"{spread ** 0.5:.3f}", f"{1e3 * seconds:.2f}",
                         f"{to_error(spread ** 0.5, seconds):.2f}"]
    return page.table(["luck estimated by", "sd", "ms a trial", "s to 5m", "truncated at 11: sd",
                       "ms", "s to 5m"], rows)


def modes(args: argparse.Namespace) -> str:
    engine = nd.Engine(threads=1)
    start = nd.Position.start()
    asked: list[tuple[str, nd.Position, dict]] = [
        ("cubeless", start, {}),
        ("cubeless, truncated at 11", start, {"truncate": 11}),
        ("cubeful money, cube at 2 with the opponent", start.with_(cube=2, cube_owner="opp"),
         {"cubeful": True}),
        ("cubeful money, no double and double/take", start, {"cubeful": True}),
        ("cubeful, match to 7, both lines", start.with_(match_length=7), {"cubeful": True}),
    ]
    for i, (name, position, settings) in enumerate(asked):
        asked[i] = name, position, {**settings, "opening": True}
    long = nd.Position.start("long_nardy")
    asked += [("long nardy", long, {}), ("long nardy, truncated at 11", long, {"truncate": 11})]
    taken = [float("inf")] * len(asked)
    for _ in range(TURNS):  # all of them in each, so that what disturbs one disturbs all
        for i, (_, position, settings) in enumerate(asked):
            began = time.process_time()
            part = engine.rollout(position, trials=args.trials // 4, **settings).wait()
            seconds = (time.process_time() - began) / len(part.entries) / part.trials
            taken[i] = min(taken[i], seconds)
    first = {position.game: seconds for (_, position, _), seconds in
             reversed(list(zip(asked, taken, strict=True)))}  # cubeless, to the end
    rows: list[list[str]] = []
    for (name, position, settings), seconds in zip(asked, taken, strict=True):
        found = engine.rollout(position, trials=args.trials, **settings).wait()
        sd = found.entries[0].standard_error * found.trials**0.5
        rows.append([name, f"{sd:.3f}", f"{1e3 * seconds:.2f}",
                     f"{seconds / first[position.game]:.2f}", f"{to_error(sd, seconds):.2f}"])
    return page.table(["start position", "sd", "ms a trial and line", "of cubeless", "s to 5m"],
                      rows)


def spread(args: argparse.Namespace) -> str:
    engine, rows = nd.Engine(), []
    asked = [(args.position, args.trials // 4, 0), (args.position, args.trials // 4, 11),
             (MIDDLE, 4 * CHUNK, 7), (MIDDLE, 4 * CHUNK, 3),
             *((SHORT_RACE, chunks * CHUNK, 0) for chunks in (4, 18, 36))]
    for position, trials, truncate in asked:
        seeds = args.seeds if truncate or position == SHORT_RACE else args.seeds * 3 // 5
        found = [engine.rollout(nd.Position.parse(position), trials=trials, seed=seed,
                                truncate=truncate).wait() for seed in range(seeds)]
        apart = statistics.stdev(result.equity for result in found)
        said = statistics.fmean(result.standard_error**2 for result in found) ** 0.5
        name = {MIDDLE: "middle game", SHORT_RACE: "short race"}.get(position, position)
        rows.append([f"{name}, {f'truncated at {truncate}' if truncate else 'to the end'}",
                     str(seeds), str(trials), f"{said:.5f}", f"{apart:.5f}",
                     f"{apart / said:.2f} ± {(2 * seeds) ** -0.5:.2f}"])
    return page.table(["position", "rollouts", "trials each", "standard error said",
                       "results lie apart by", "of what was said"], rows)


def half(settings: dict, trials: int, seed: int) -> None:
    """What one process plays. An engine of its own, made once in the process."""
    engine = ENGINES.setdefault("own", nd.Engine(threads=1))
    engine.rollout(nd.Position.start(), trials=trials, seed=seed, **settings).wait()


def threads(args: argparse.Namespace) -> str:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        return by_threads(args, pool)


def by_threads(args: argparse.Namespace, pool: ProcessPoolExecutor) -> str:
    rows = []
    for name, settings in (("0-ply plays", {}), ("1-ply plays, truncated at 7",
                                                 {"level": 1, "truncate": 7})):
        taken = {1: float("inf"), 2: float("inf"), "halves": float("inf")}
        for _ in range(TURNS):
            for trials in (CHUNK, args.trials // 2):  # once so that both processes have begun
                began = time.monotonic()
                list(pool.map(half, [settings] * 2, [trials] * 2, (1, 2)))
            taken["halves"] = min(taken["halves"], time.monotonic() - began)
            for count in (1, 2):
                engine = nd.Engine(threads=count)
                engine.rollout(nd.Position.start(), trials=CHUNK,
                               **{**settings, "truncate": 2}).wait()
                began = time.monotonic()
                engine.rollout(nd.Position.start(), trials=args.trials, **settings).wait()
                taken[count] = min(taken[count], time.monotonic() - began)
        rows.append([name, *(f"{seconds:.2f}" for seconds in taken.values()),
                     *(f"{taken[1] / taken[how]:.2f}" for how in (2, "halves"))])
    return page.table(["start position", "one thread, s", "two, s", "two processes, half each, s",
                       "two threads: times as fast", "two processes"], rows)


# ---- how soon an interrupt is answered ----------------------------------------------------------


@contextlib.contextmanager
def dask() -> Iterator[str]:
    """The address of a scheduler of this machine with one worker."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with tempfile.TemporaryDirectory() as folder:
        run = [sys.executable, "-m", "dask"]
        quiet: dict = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder,
                       "env": {**os.environ, "PYTHONPATH": str(PAGE.parent.parent)}}
        started = [
            subprocess.Popen([*run, "scheduler", "--host", "127.0.0.1", "--port",
                              address.rsplit(":")[-1], "--no-dashboard"], **quiet),
            subprocess.Popen([*run, "worker", address, "--nthreads", "1", "--no-nanny",
                              "--no-dashboard", "--local-directory", folder], **quiet)]
        try:
            yield address
        finally:
            for process in started:
                process.kill()
                process.wait()


def interrupted(words: list[str], wait: float) -> tuple[float, float]:
    """Seconds from Ctrl-C to the result on stdout, and to the end of the process."""
    run = subprocess.Popen(
        [sys.executable, "-m", "nardy_core", "rollout", nd.Position.start().id(), "--trials",
         "10000000", "--progress", "json", "--format", "json", *words], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT,
                                                                 signal.default_int_handler))
    assert run.stdout and run.stderr
    if not run.stderr.readline():
        raise SystemExit(f"nardy rollout {' '.join(words)}: ended by itself")
    time.sleep(wait)
    begun = time.monotonic()
    run.send_signal(signal.SIGINT)
    select.select([run.stdout], [], [])
    shown = time.monotonic() - begun
    text, _ = run.communicate()
    ended = time.monotonic() - begun
    result = json.loads(text)
    if run.returncode != 130 or result["trials"] < CHUNK:
        raise SystemExit(f"nardy rollout {' '.join(words)}: exit code {run.returncode}")
    return shown, ended


def interrupt(args: argparse.Namespace) -> str:
    with contextlib.ExitStack() as stack:
        asked = [("0-ply plays to the end", []),
                 ("2-ply plays, truncated at 1", ["--ply", "2", "--truncate", "1"])]
        if find_spec("distributed"):
            asked.append(("by a Dask cluster", ["--cluster", stack.enter_context(dask())]))
        rows = []
        for name, words in asked:
            # At moments spread over the slices of work.
            found = [interrupted(words, 0.05 + 0.5 * k / INTERRUPTS) for k in range(INTERRUPTS)]
            rows.append([name, *(f"{pick(times):.3f}" for times in zip(*found, strict=True)
                                 for pick in (statistics.median, max))])
            print(*rows[-1], file=sys.stderr, flush=True)
    return page.table(["Ctrl-C during", "result shown: median, s", "longest", "process ended: "
                       "median, s", "longest"], rows)


PARTS = {"modes": modes, "levers": levers, "spread": spread, "threads": threads,
         "interrupt": interrupt}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    parser.add_argument("--position", default="start")
    parser.add_argument("--trials", type=int, default=1296)
    parser.add_argument("--seeds", type=int, default=100)
    args = parser.parse_args()
    if unknown := set(args.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    for name in args.parts or PARTS:
        load = os.getloadavg()[0]
        table = PARTS[name](args)
        changed = "".join(f" --{key} {value}" for key in ("position", "trials", "seeds")
                          if (value := getattr(args, key)) != parser.get_default(key))
        text = page.circumstances(f"python benchmarks/rollouts.py {name}{changed}", load) + table
        print(text, flush=True)
        if args.write:
            page.fill(PAGE, name, text)


if __name__ == "__main__":
    main()
