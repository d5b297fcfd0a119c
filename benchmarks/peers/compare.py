"""nardy_core and its peers in one run: same positions, same core, speed and strength side by side.

    python benchmarks/peers/compare.py [--decisions FILE] [--write]

Peers live in an environment of their own, build/peers, made at the first run
(gnubg-nn, bgsage, open-spiel); gnubg, the program, takes part where it is installed, by the Python
inside it. Each engine is a process that measures its own CPU time around the calls, all on one
core, one thread. The work is cut into rounds of fresh positions, as some peers remember what they
were asked; in a round every engine has its turn at the same positions. A figure is that of all
rounds, a ratio the median of the rounds' with the smallest and the largest.

--decisions: rolled-out decisions, a JSON line each with `board`, `dice` and `moves`, a list of all
results best first, {"b": board, "eq": cubeless equity}; boards as in worker.py. mEMG is the mean
loss of the engine's choices x 1000. Such a set is not part of this project.
--write: the table to table.md beside this, and into README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import nardy_core as nd
from nardy_core import bench

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGES = ("gnubg-nn", "bgsage", "open-spiel", "numpy")
ROUNDS = 5
ERROR = 0.005  # of a rollout

# task: (what, unit, positions a round); a unit of "ms" is time, else a rate
TASKS = {
    "generate": ("legal results of a roll, a Python call each", "rolls/s", 200),
    "static": ("static evaluation, in a batch where there is such a call", "positions/s", 400),
    "choose_0": ("0-ply choice, a Python call each", "rolls/s", 80),
    "choose_1": ("1-ply choice, cubeless", "ms", 12),
    "choose_2": ("2-ply choice, cubeless", "ms", 4),
    "rollout": (f"rollout to the end, luck removed, to a standard error of {ERROR}", "s", 1),
}
ENGINES = {"nardy_core": "nardy_core", "gnubg-nn": "gnubg-nn", "sage": "Open Sage",
           "gnubg": "GNU Backgammon", "openspiel": "OpenSpiel"}
LEVELS = {0: 1, 1: 2, 2: 8}  # every how many decisions, by plies


def environment() -> Path:
    folder = ROOT / "build" / "peers"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    return python


class Peer:
    def __init__(self, name: str, sample: Path, python: Path) -> None:
        self.name = name
        ask, self.ask = os.pipe()
        self.told, tell = os.pipe()
        extra = {"PEER_IN": str(ask), "PEER_OUT": str(tell)}
        if name == "gnubg":
            command = ["gnubg", "-t", "-q", "-p", str(HERE / "worker.py")]
            extra |= {"PEER_ENGINE": name, "PEER_SAMPLE": str(sample)}
        else:
            own = sys.executable if name == "nardy_core" else str(python)
            command = [own, str(HERE / "worker.py"), name, str(sample)]
        self.process = subprocess.Popen(
            command, env=os.environ | extra, pass_fds=(ask, tell), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL)
        os.close(ask)
        os.close(tell)
        self.ask, self.told = os.fdopen(self.ask, "w"), os.fdopen(self.told)
        self.answer()

    def answer(self):
        line = self.told.readline()
        if not line:
            raise SystemExit(f"{self.name} ended: {self.process.wait()}")
        return json.loads(line)

    def do(self, task: str, first: int, end: int):
        self.ask.write(json.dumps([task, first, end]) + "\n")
        self.ask.flush()
        return self.answer()

    def close(self) -> None:
        self.ask.close()
        self.process.wait(30)


def numbers(position: nd.Position) -> list[int]:
    points = position.points
    return [-points[0], *points[1:]]


def middle_games(engine: nd.Engine, count: int) -> list[dict]:
    """Decisions of games at 0-ply: the board, the dice, the board after the choice."""
    found, position = [], nd.Position.start()
    for roll in bench.rolls(4 * count):
        if position.finished:
            position = nd.Position.start()
        result = engine.analyse(position, roll, top=1).best.result
        if position != nd.Position.start() and not result.finished:
            found.append({"board": numbers(position), "dice": roll,
                          "after": numbers(result.swap())})
        if len(found) == count:
            break
        position = result
    return found


def speeds(peers: list[Peer]) -> dict[str, dict[str, list[float]]]:
    """{task: {engine: cost of a unit in each round}}"""
    found: dict[str, dict[str, list[float]]] = {}
    for task, (_, _, size) in TASKS.items():
        for turn in range(ROUNDS):
            for peer in peers:
                answer = peer.do(task, turn * size, turn * size + size)
                if answer is None:
                    continue
                seconds, units, answers = answer
                cost = seconds / units
                if task == "rollout":  # seconds to the standard error
                    cost *= statistics.fmean(sd * sd for sd in answers) / ERROR**2
                found.setdefault(task, {}).setdefault(peer.name, []).append(cost)
    return found


def cell(costs: list[float] | None, ours: list[float], unit: str) -> str:
    if costs is None:
        return ""
    mean = statistics.fmean(costs)
    text = {"ms": f"{1e3 * mean:.3g} ms", "s": f"{float(f'{mean:.2g}'):g} s"}.get(
        unit, f"{1 / mean:,.0f}")
    if costs is ours:
        return text
    ratios = sorted(theirs / own for theirs, own in zip(costs, ours, strict=True))
    return (f"{text} ({statistics.median(ratios):.3g} x; "
            f"{ratios[0]:.3g} to {ratios[-1]:.3g})")


def losses(peer: Peer, plies: int, decisions: list[dict]) -> list[float] | None:
    answer = peer.do(f"choose_{plies}", 0, len(decisions))
    if answer is None or answer[2] is None:
        return None
    found = []
    for decision, chosen in zip(decisions, answer[2], strict=True):
        worth = {tuple(move["b"]): move["eq"] for move in decision["moves"]}
        if tuple(chosen) not in worth:
            raise SystemExit(f"{peer.name} plays {chosen} from {decision['board']}, "
                             f"{decision['dice']}, which is no result of that roll")
        found.append(1e3 * (decision["moves"][0]["eq"] - worth[tuple(chosen)]))
    return found


def strength(path: str, folder: Path, python: Path, names: list[str]) -> list[str]:
    """Rows of the table: mEMG at each level."""
    with open(path) as file:
        everything = [json.loads(line) for line in file]
    rows = []
    for plies, every in LEVELS.items():
        decisions = everything[::every]
        sample = folder / f"decisions{plies}.json"
        sample.write_text(json.dumps([{**d, "after": d["moves"][0]["b"]} for d in decisions]))
        cells = []
        for name in names:
            found = None
            if name not in ("gnubg", "openspiel"):
                peer = Peer(name, sample, python)
                found = losses(peer, plies, decisions)
                peer.close()
            cells.append("" if found is None else
                         f"{statistics.fmean(found):.2f} ± "
                         f"{statistics.stdev(found) / len(found)**0.5:.2f}")
        rows.append(f"| {plies}-ply loss a decision x 1000, {len(decisions):,} rolled-out "
                    f"decisions | {' | '.join(cells)} |")
    return rows


def table(found: dict, rows: list[str], names: list[str]) -> str:
    lines = ["| one core, one thread, CPU time | " + " | ".join(ENGINES[n] for n in names) + " |",
             "|---" * (len(names) + 1) + "|"]
    for task, (what, unit, _) in TASKS.items():
        costs = found[task]
        ours = costs["nardy_core"]
        cells = [cell(costs.get(name), ours, unit) for name in names]
        title = what if unit in ("ms", "s") else f"{what}, {unit}"
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines + rows) + "\n"


def into_readme(text: str) -> None:
    readme = ROOT / "README.md"
    before, mark, rest = readme.read_text().partition("<!-- peers -->\n")
    if not mark:
        raise SystemExit("README.md has no place for the table: <!-- peers -->")
    after = rest.partition("<!-- end of peers -->\n")
    readme.write_text(before + mark + text + after[1] + after[2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decisions", metavar="FILE",
                        help="rolled-out decisions to judge choices by")
    parser.add_argument("--write", action="store_true", help="table.md and README.md")
    arguments = parser.parse_args()
    python = environment()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    names = [name for name in ENGINES if name != "gnubg" or shutil.which("gnubg")]
    with tempfile.TemporaryDirectory() as folder:
        sample = Path(folder) / "sample.json"
        sample.write_text(json.dumps(middle_games(
            nd.Engine(threads=1), ROUNDS * max(size for _, _, size in TASKS.values()))))
        peers = [Peer(name, sample, python) for name in names]
        found = speeds(peers)
        for peer in peers:
            peer.close()
        print(table(found, [], names), file=sys.stderr)
        rows = strength(arguments.decisions, Path(folder), python, names) \
            if arguments.decisions else []
    text = table(found, rows, names)
    print(text, end="")
    if arguments.write:
        (HERE / "table.md").write_text(text)
        into_readme(text)


if __name__ == "__main__":
    main()
