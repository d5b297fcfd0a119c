"""Time to a standard error of 0.005 in rollouts of the opening, of three engines in turn.

    python benchmarks/peers/rollouts.py [--trials 360] [--rounds 3] [--gnubg gnubg] [--sage PYTHON]
                                        [--write]

Cubeless, plays by a static evaluation, to the end, luck removed, one thread. Each round runs every
program once, with a seed of its own, so that all meet the same machine; processor time of rounds is
added up and variances averaged. Needed of GNU Backgammon: the program `gnubg`; of Open Sage: a
Python that has `bgsage` (`python -m venv V && V/bin/pip install bgsage`, then --sage V/bin/python).
One that is missing is left out and named. --write puts the table into rollouts.md.

nardy_core and gnubg begin without doubles; Sage does not know of that rule and begins with any
roll.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nardy_core as nd

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import page

PAGE = Path(page.__file__).with_name("rollouts.md")
ERROR = 0.005
SETTINGS = """\
set threads 1
set output digits 6
new session
set board 4HPwATDgc/ABMA
set turn 0
set rollout trials {trials}
set rollout seed {seed}
set rollout varredn on
set rollout initial on
set rollout cubeful off
set rollout quasirandom on
set rollout truncation enable off
set rollout late enable off
set rollout limit enable off
set rollout chequerplay plies 0
set rollout chequerplay cubeful off
"""
SAGE = """\
import sys, time
import bgsage
trials, seed = map(int, sys.argv[1:])
engine = bgsage.create_analyzer(
    "rollout", cubeful=False, n_trials=trials, parallel_threads=1, seed=seed)
strategy = engine._analyzer._rollout_strategy
begun = time.process_time()
found = strategy.evaluate_board(bgsage.STARTING_BOARD, bgsage.STARTING_BOARD)
print(time.process_time() - begun, found["scalar_vr_equity"], found["scalar_vr_se"])
"""


def ours(trials: int, seed: int) -> tuple[float, float, float]:
    """Processor seconds, equity of the side on roll, standard error."""
    engine = nd.Engine(threads=1)
    engine.rollout(nd.Position.start(), trials=36, truncate=2).wait()  # nets and tables are read
    begun = time.process_time()
    found = engine.rollout(nd.Position.start(), trials=trials, seed=seed).wait()
    return time.process_time() - begun, found.equity, found.standard_error


def run_gnubg(program: str, script: str) -> tuple[float, str]:
    """Processor seconds of the whole process, and what it said; it shows results to terminals."""
    with tempfile.TemporaryDirectory() as home:
        file = Path(home) / "script.py"
        file.write_text(f"import gnubg\nfor line in {script!r}.splitlines():\n"
                        "    gnubg.command(line)\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ours, theirs = pty.openpty()
        with subprocess.Popen([program, "-t", "-q", "-r", "-p", str(file)],
                              stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                              env={**os.environ, "HOME": home, "TERM": "dumb"}):
            os.close(theirs)
            said = b""
            try:
                while block := os.read(ours, 4096):
                    said += block
            except OSError:  # the other end is closed
                pass
        os.close(ours)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            said.decode(errors="replace"))


def gnubg(program: str, trials: int, seed: int) -> tuple[float, float, float]:
    settings = SETTINGS.format(trials=trials, seed=seed)
    idle, _ = run_gnubg(program, settings)
    seconds, said = run_gnubg(program, settings + "rollout\n")
    shown = re.findall(r"Current Position:[^:]*?CL +([+-][\d.]+)[^:]*?CL +([\d.]+)\]", said)
    if not shown:
        raise SystemExit(f"gnubg: no result in {said[-500:]!r}")
    return seconds - idle, float(shown[-1][0]), float(shown[-1][1])  # the last is the final one


def sage(python: str, trials: int, seed: int) -> tuple[float, float, float]:
    said = subprocess.run([python, "-c", SAGE, str(trials), str(seed)], check=True, text=True,
                          capture_output=True).stdout.split()
    seconds, equity, error = map(float, said)
    return seconds, -equity, error  # it values what the side not on roll has


def number_in(text: str) -> str:
    """A version as a program says it: its first two numbers."""
    return ".".join((re.findall(r"\d+", text) + ["", ""])[:2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=360, help="of a round (default 360)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--gnubg", default="gnubg")
    parser.add_argument("--sage", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    args = parser.parse_args()
    load = os.getloadavg()[0]

    programs = {"nardy_core": lambda seed: ours(args.trials, seed)}
    program = shutil.which(args.gnubg, path=os.environ["PATH"] + os.pathsep + "/usr/games")
    if program:
        said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
        programs[f"GNU Backgammon {number_in(said)}"] = lambda seed: gnubg(
            program, args.trials, seed)
    else:
        print("without gnubg: no such program")
    known = subprocess.run([args.sage, "-c", "import bgsage, importlib.metadata as m; "
                            "print(m.version('bgsage'))"], capture_output=True, text=True)
    if known.returncode == 0:
        programs[f"Open Sage {number_in(known.stdout)}"] = lambda seed: sage(
            args.sage, args.trials, seed)
    else:
        print(f"without Open Sage: {args.sage} has no bgsage")

    rows: dict[str, list[tuple[float, float, float]]] = {name: [] for name in programs}
    for seed in range(1, args.rounds + 1):
        for name, run in programs.items():
            rows[name].append(run(seed))
            print(f"round {seed}  {name:20} {rows[name][-1][0]:8.2f} s  equity "
                  f"{rows[name][-1][1]:+.4f} ± {rows[name][-1][2]:.4f}", flush=True)
    lines, first = [], 0.0
    for name, found in rows.items():
        trials = args.trials * len(found)
        seconds = sum(row[0] for row in found) / trials
        variance = args.trials * sum(row[2] ** 2 for row in found) / len(found)
        cost = seconds * variance / ERROR**2
        first = first or cost
        equity, error = sum(row[1] for row in found) / len(found), (variance / trials) ** 0.5
        lines.append([name, f"{equity:+.3f} ± {error:.3f}", f"{variance**0.5:.3f}",
                      f"{1e3 * seconds:.2f}", f"{cost:.3g}", f"{cost / first:.1f}"])
    text = page.circumstances(
        f"python benchmarks/peers/rollouts.py --trials {args.trials} --rounds {args.rounds}", load)
    text += page.table(["", "equity", "sd", "ms a trial", "s to 5m", "of ours"], lines)
    print(text)
    if args.write:
        page.fill(PAGE, "peers", text)


if __name__ == "__main__":
    main()
