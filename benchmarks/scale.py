"""What more of everything costs: scale.md and its figures.

    python benchmarks/scale.py [NAME…]      measures all curves, or those named, and writes the page

CPU seconds of one core, except for clients, which are seconds on the clock. What was
measured is kept in scale/figures.json, so that a curve can be measured again alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import chart
import numpy as np
from http_load import load, serving
from page import machine

import nardy_core as nd
from nardy_core import bench
from nardy_core._border import _rules
from nardy_core.evaluator import swapped
from nardy_core.position import GAMES

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "scale"
Curve = dict[str, list[tuple[float, float]]]

ROLL = nd.Position.start().with_(dice=(2, 1))


def cpu(work: Callable[[], object], repeats: int = 1) -> float:
    """The least CPU seconds of some runs."""
    found = []
    for _ in range(repeats):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


def rolled_out(engine: nd.Engine, position: nd.Position, trials: int, **settings):
    return engine.rollout(position, trials=trials, **settings).wait()


def trials(engine: nd.Engine) -> Curve:
    """Seconds of a rollout, and thousandths of its standard error."""
    seconds, errors = [], []
    for count in (36, 72, 144, 288, 576, 1152):
        done = []
        seconds.append((count, cpu(
            lambda count=count, done=done: done.append(
                rolled_out(engine, ROLL, count, top=1, truncate=11)), 3)))
        if count > 72:  # below there is no error to speak of
            errors.append((count, 1e3 * done[0].entries[0].standard_error))
    return {"CPU seconds": seconds, "standard error x 1000": errors}


def plies(engine: nd.Engine) -> Curve:
    found: Curve = {}
    for game in GAMES:
        game_played = bench.game_of(engine, game)
        positions = game_played[6:30:3]
        engine.analyse(game_played[5], level=1, top=1)  # everything is in place
        for cubeful in (False, True) if game == "backgammon" else (False,):
            name = game.replace("_", " ") + (", cube in play" if cubeful else "")
            found[name] = []
            for level, few in ((0, 8), (1, 8), (2, 4), (3, 1)):
                seconds = cpu(lambda level=level, few=few, positions=positions, cubeful=cubeful: [
                    engine.analyse(p, level=level, top=1, cubeful=cubeful)
                    for p in positions[:few]])  # once: searches remember what they have seen
                found[name].append((level, 1e3 * seconds / few))
    return found


def candidates(engine: nd.Engine) -> Curve:
    """A rollout of more plays of a roll; one chunk of trials."""
    found = []
    for top in (1, 2, 4, 8, 15):
        found.append((top, 1e3 * cpu(
            lambda top=top: rolled_out(engine, ROLL, 36, top=top, truncate=7), 4)))
    return {"36 trials of 7 plies": found}


def threads(engine: nd.Engine) -> Curve:
    """CPU seconds of the same work, all threads together, against one thread."""
    found: Curve = {"rollout": [], "2-ply choices, a batch": []}
    positions = bench.game_of(engine, "backgammon")[6:38]
    for count in (1, 2, 4, 8):
        many = nd.Engine(threads=count)
        many.analyse(ROLL)
        found["rollout"].append((count, cpu(
            lambda many=many: rolled_out(many, ROLL, 288, top=1, truncate=11), 3)))
        found["2-ply choices, a batch"].append((count, cpu(
            lambda many=many: many.analyse_many(positions, level=2))))
    return {name: [(count, seconds / line[0][1]) for count, seconds in line]
            for name, line in found.items()}


def batch(engine: nd.Engine) -> Curve:
    found: Curve = {}
    for game in GAMES:
        positions = bench.game_of(engine, game)
        boards = swapped(np.concatenate(
            [_rules.results(game, p.board, p.dice, p.rules.codes)[0] for p in positions]))
        static = engine.model(nd.Position.start(game)).static
        for name, call in ((f"{game.replace('_', ' ')}, evaluate_many",
                            lambda some, game=game: engine.evaluate_many(some, game=game)),
                           (f"{game.replace('_', ' ')}, the core alone", static.evaluate)):
            found[name] = []
            for size in (1, 3, 10, 30, 100, 300, 1000):
                times = 3000 // size
                some = np.ascontiguousarray(boards[:size])
                seconds = cpu(lambda call=call, some=some, times=times: [
                    call(some) for _ in range(times)], 3)
                found[name].append((size, 1e6 * seconds / (times * size)))
    return found


def positions(engine: nd.Engine) -> Curve:
    """`nardy moves -`: CPU milliseconds of the process for each position of its input."""
    places = [p.id() for p in bench.game_of(engine, "backgammon")]
    found = []
    for count in (1, 3, 10, 30, 100, 300, 1000):
        lines = "\n".join((places * 20)[:count]) + "\n"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "nardy_core", "moves", "-", "--threads", "1",
                        "--format", "jsonl"], input=lines, text=True, stdout=subprocess.DEVNULL,
                       check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        found.append((count, 1e3 * used / count))
    return {"0-ply plays, JSON lines": found}


def clients(engine: nd.Engine) -> Curve:
    rates, waits = [], []
    with serving() as port:
        asyncio.run(load(port, 8, 200))  # warm
        for count in (1, 2, 4, 8, 16, 32, 64):
            times, _, seconds = asyncio.run(load(port, count, 600))
            rates.append((count, len(times) / seconds))
            waits.append((count, 1e3 * sorted(times)[len(times) // 2]))
    return {"answers a second": rates, "median, ms": waits}


# name: (measure, heading, x, y, logarithmic axes, where it bends and why)
CURVES = {
    "trials": (trials, "Trials of a rollout", "trials", "", (True, True), """
One play of 2-1 in the opening, truncated at 11 plies. Cost is a straight line: chunks of 36 trials
are independent, and nothing is kept between them.
The error falls with the square root: half the error is four times the cost. A rollout
of few trials still pays for a whole chunk, which is where the line begins."""),
    "plies": (plies, "Plies of look-ahead", "plies", "ms a choice", (False, True), """
From 0 to 1 ply the 21 rolls of the reply come in, from 1 to 2 as many again, which would be a
factor of some hundreds each time; filters keep it at three to seven: few candidates go deeper, and
a sieve and a small net preselect the replies inside. From 2 to 3 it is five, since fewer candidates
get there and the same replies turn up under several of them. The cube in play adds the more the
deeper, up to nine tenths at 3: each place of the cube has its own best plays."""),
    "candidates": (candidates, "Candidates of a rollout", "plays of 2-1 in the opening", "ms",
                   (False, False), """
A straight line through the origin, nearly: every candidate plays its own games with the same
dice. What all share, the dice and the sums, is nothing beside it. Candidates that fall out by
`--jsd` stop costing at once."""),
    "threads": (threads, "Threads", "threads", "CPU time against one",
                (False, False), """
A flat line is the best there is: threads share nothing but the counter that hands out work. Here
the second one added a tenth to rollouts, as each core reads the nets into its own cache. What lies
below 1 is the machine, which others use as well: a quarter and more is noise in this curve. On the
clock that is a straight line up to the number of processors and then a flat one; how much faster
two threads are on two cores stands in [rollouts](rollouts.md#threads). A batch of searches
ends with its longest position, a rollout with its longest trial, so small work bends earlier."""),
    "batch": (batch, "Positions in a call", "positions in a call", "µs a position",
              (True, True), """
A call from Python costs some 50 to 80 µs whatever it holds, a call of the core alone 2; the one
is gone at some hundred positions, the other at ten. From 12 positions on the second layer works on
whole blocks; beyond a hundred only the caches matter."""),
    "positions": (positions, "Positions in a file", "positions", "CPU ms a position",
                  (True, True), """
The start of Python, numpy and the nets takes half a second, which is all there is to see below
ten positions. From some hundred on the line flattens: reading the id, the choice with the cube in
play, and writing all candidates as JSON. So one process with a file, or a server, not a process a
position."""),
    "clients": (clients, "Clients of `nardy serve http`", "clients", "", (True, True), """
One client alone already keeps the server busy most of the time, as it asks again at once; from
two on the answers a second stay level within the noise and the wait grows with the number of
clients: a queue, and nothing is lost. Clients here share the processors with the server, and with
whatever else the machine does: on a quiet one answers come some three times as fast."""),
}


def rows(curve: Curve, x: str, y: str) -> Iterable[str]:
    """A table: one row a line of the chart, in units of y, "" where the lines have their own."""
    places = sorted({point[0] for line in curve.values() for point in line})
    heading = f"{x}; {y}" if y else x
    yield f"| {heading} | " + " | ".join(f"{place:g}" for place in places) + " |"
    yield "|---" * (len(places) + 1) + "|"
    for name, line in curve.items():
        known = dict(line)
        yield f"| {name} | " + " | ".join(
            f"{known[place]:.3g}" if place in known else "" for place in places) + " |"


def page(kept: dict) -> str:
    loads = kept.get("load", {})
    if loads.keys() == kept["curves"].keys():
        low, high = min(loads.values()), max(loads.values())
        work = (f", load average\n{low:.1f} to {high:.1f} before the curves; where it is above 1, "
                "absolute figures are too large.")
    else:  # some are from before loads were kept
        work = (" that had other\nwork to do as well, so absolute figures are two to three times "
                "those of a quiet one.")
    out = ["# What more of everything costs", "",
           f"Made by `python benchmarks/scale.py` on {kept['machine']}{work}",
           "CPU time of one core except for clients, which are on the clock. A tenth is noise,",
           "more where it says so. Kernels are the best the machine has.",
           "What a cluster makes of it: [cluster.md](cluster.md).", ""]
    for name, (_, heading, x, y, _, why) in CURVES.items():
        if name in kept["curves"]:
            out += [f"## {heading}", "", *rows(kept["curves"][name], x, y), "",
                    f"![{heading}](scale/{name}.svg)", "", why.strip(), ""]
    return "\n".join(out)


def drawn(name: str, curve: Curve) -> str:
    _, heading, x, y, (log_x, log_y), _ = CURVES[name]
    return chart.svg(heading.replace("`", ""), x, y, curve, log_x=log_x, log_y=log_y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CURVES))
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(CURVES)
    if unknown:
        parser.error(f"no such curve: {', '.join(sorted(unknown))}")
    FOLDER.mkdir(exist_ok=True)
    file = FOLDER / "figures.json"
    kept = json.loads(file.read_text()) if file.exists() else {"curves": {}}
    kept["machine"] = machine()
    engine = nd.Engine(threads=1)
    for name in arguments.names or CURVES:
        kept.setdefault("load", {})[name] = round(os.getloadavg()[0], 1)
        kept["curves"][name] = CURVES[name][0](engine)
        print(name, kept["curves"][name], flush=True)
        file.write_text(json.dumps(kept, indent=1) + "\n")
        (FOLDER / f"{name}.svg").write_text(drawn(name, kept["curves"][name]))
    (HERE / "scale.md").write_text(page(kept))


if __name__ == "__main__":
    main()
