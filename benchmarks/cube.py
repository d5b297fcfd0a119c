"""Cube efficiencies fitted by class of position, and cube decisions judged by rollouts.

    python benchmarks/cube.py fit      roll out the positions of cube_fit.csv, print the fit
    python benchmarks/cube.py judge    ask gnubg and our engine about the positions of cube_set.csv,
                                       roll these out, print mean errors
    python benchmarks/cube.py rollers  ask our engine at plies and as rollers about the same, with
                                       what the files hold and the processor time of a decision

Both files lie beside this one and hold what was rolled out; with --kept the figures come from them
without new rollouts. Positions came from 0-ply games of the engine with itself, cube and score
drawn at random, and stay as they are; none is in both files. Rollouts are cubeful, plays at 0-ply,
with variance reduction, to the end of the game, so that no opinion of the cube model ends them;
cubes are turned and taken at 1-ply, since at 0-ply such decisions are the worst of all. Those of
cube_set.csv are done in passes, after each of which, and at Ctrl-C, the file is written; the user's
cache of rollouts keeps them, so that a run that was cut short goes on and has lost little. After
the first pass only those positions go on whose double or take is not settled by CLEAR standard
errors, and those at which the two at 2-ply act unlike, which get MANY times as many trials: all
that tells the two apart is there.

How efficiencies are fitted: a rollout gives a position's cubeless chances and its cubeful equities
with the cube in the centre and after double and take. The model puts these between its dead and
live limits, E = dead + x (live - dead), so x is the slope of a straight line through nought, fitted
by least squares weighted with the standard errors. Bear-offs take exact values from the two-sided
table in place of rollouts: all pairs of positions of three to six checkers, every 97th of them.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[1]),
                    str(Path(__file__).resolve().parents[1] / "tests" / "peers"),
                    str(Path(__file__).resolve().parents[1] / "tests")]

import numpy as np

from nardy_core import Engine, Position, cube
from nardy_core._border import _tables
from nardy_core.bearoff import bearoff_tables
from nardy_core.evaluator import phases_of
from nardy_core.levels import level_name, level_of

HERE = Path(__file__).resolve().parent
CHANCES = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")
ROLLED = (*CHANCES, "no_double", "no_double_error", "double_take", "double_take_error")
FIT, SET = HERE / "cube_fit.csv", HERE / "cube_set.csv"
BEAROFF, RACE, CONTACT = 1, 2, 3  # phases of a board
FIT_TRIALS = {RACE: 288, CONTACT: 144}
PASSES, PASS, MANY, CLEAR, CUBE_LEVEL = 18, 144, 4, 3.0, 1  # of cube_set.csv
OURS, THEIRS = "nardy_core 2-ply", "gnubg 2-ply"
SCORES = [(5, 5), (3, 7), (7, 3), (4, 2), (2, 4), (9, 9)]


# ---- positions ----------------------------------------------------------------------------------


def boards(engine, rng, low, high, wanted, each=2):
    """Boards before the roll of 0-ply games, with cubeless equity within low .. high and of a
    wanted phase; at most `each` of a game."""
    while True:
        position, found = Position.start(jacoby=False, beavers=False), []
        for _ in range(120):
            dice = rng.randrange(1, 7), rng.randrange(1, 7)
            position = engine.analyse(position, dice, top=1).best.play.result
            if position.finished:
                break
            if int(phases_of("backgammon", position.board[np.newaxis])[0]) not in wanted:
                continue
            if low <= engine.evaluate(position).equity <= high:
                found.append(position.with_(dice=None, turn=1))
        # Of races the longest comes first.
        yield from found[:1] if wanted == (RACE,) else rng.sample(found, min(each, len(found)))


def fit_positions(engine):
    """60 races, 240 positions with contact, a third of these with the cube on the side on roll."""
    rng = random.Random(680)
    races = boards(engine, rng, -0.5, 0.9, (RACE,))
    found = [next(races) for _ in range(60)]
    contacts = boards(engine, rng, -0.3, 0.95, (CONTACT,), each=1)
    for n in range(240):
        value, owner = (2, "own") if n % 3 == 2 else (1, "centre")
        found.append(next(contacts).with_(cube=value, cube_owner=owner))
    return list(dict.fromkeys(found))  # some of the first plies occur twice


def set_positions(engine):
    """200 for money, 100 at match scores, between a clear pass of a double and no thought of it."""
    rng = random.Random(300)
    source = boards(engine, rng, 0.2, 1.0, (CONTACT, RACE), each=1)
    found = []
    for n in range(300):
        board = next(source)
        value, owner = rng.choice([(1, "centre"), (1, "centre"), (2, "own")])
        if n < 200:
            found.append(board.with_(cube=value, cube_owner=owner))
        else:
            own, opp = SCORES[n % len(SCORES)]
            length = max(own, opp)
            found.append(board.with_(match_length=length, score_own=length - own,
                                     score_opp=length - opp))
    return found


# ---- rollouts -----------------------------------------------------------------------------------


def read(path):
    if not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def positions_of(path, make, engine):
    """Those of the file, made where there is none."""
    rows = read(path)
    return [Position.parse(row["position"]) for row in rows] if rows else make(engine)


def lines_of(result):
    return [next(e for e in result.entries if e.line == line)
            for line in ("no_double", "double_take")]


def row_of(result):
    """As in the file."""
    stay, take = lines_of(result)
    numbers = [*stay.nested.values(), stay.equity, stay.standard_error, take.equity,
               take.standard_error]
    return {"position": result.position.id("xgid"), "trials": result.trials,
            **{name: f"{value:.5f}" for name, value in zip(ROLLED, numbers, strict=True)}}


def write(path, engine, results):
    plan = results[0].plan
    efficiencies = ", ".join(f"{k} {v:g}" for k, v in plan.efficiencies.items())
    with path.open("w") as file:
        file.write(f"# python benchmarks/cube.py; {engine.info()}; seed {plan.seed}, plays at "
                   f"{plan.level}-ply, cubes at {plan.cube_level}-ply, to the end of the game; "
                   f"{efficiencies}\n")
        writer = csv.DictWriter(file, ("position", "trials", *ROLLED), lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(row_of, results))


def roll(engine, position, trials):
    return engine.rollout(position, cubeful=True, trials=trials, seed=1, cache=True,
                          cube_level=CUBE_LEVEL).wait()


def clear(result):
    """Its double and its take are settled."""
    stay, take = lines_of(result)
    if take.equity < 1:
        gap, error = stay.equity - take.equity, math.hypot(stay.standard_error, take.standard_error)
    else:
        gap, error = stay.equity - 1, stay.standard_error
    return (abs(gap) >= CLEAR * error
            and abs(take.equity - 1) >= CLEAR * take.standard_error)


def counted(things, name):
    for n, thing in enumerate(things, 1):
        print(f"\r{name} {n} of {len(things)}", end="", file=sys.stderr, flush=True)
        yield thing
    print(file=sys.stderr)


# ---- the fit ------------------------------------------------------------------------------------


def slope(samples):
    """x and its standard error from (dead, live, value, standard error of the value)."""
    numbers = np.array(samples, dtype=float)
    width, gain = numbers[:, 1] - numbers[:, 0], numbers[:, 2] - numbers[:, 0]
    weight = 1 / (numbers[:, 3] ** 2 + 0.02**2)  # a model's own error beside that of the trials
    x = (weight * width * gain).sum() / (weight * width**2).sum()
    rest = gain - x * width
    error = math.sqrt((weight * rest**2).mean() / (weight * width**2).sum())
    return x, error


def samples_of(row):
    """The two lines of a rolled out position, per unit of cube."""
    position = Position.parse(row["position"])
    decision = cube.decide(position, clean(row), exact=False)
    for name in ("no_double", "double_take"):
        line = decision.lines[name]
        yield line.dead, line.live, float(row[name]), float(row[f"{name}_error"])


def clean(row):
    """Chances without the little excursions below nought that variance reduction makes."""
    win, gammon, back, lost, lost_back = (min(max(float(row[n]), 0.0), 1.0) for n in CHANCES)
    gammon, lost = min(gammon, win), min(lost, 1 - win)
    return [win, gammon, min(back, gammon), lost, min(lost_back, lost)]


def phase_of(position):
    return int(phases_of("backgammon", position.board[np.newaxis])[0])


def race_fit(rows):
    """Intercept and slope of x in pips of the side on roll, by least squares."""
    left, right = [], []
    for row in rows:
        pips = Position.parse(row["position"]).pips[0]
        for dead, live, value, error in samples_of(row):
            root = math.sqrt(1 / (error**2 + 0.02**2)) * (live - dead)
            left.append([root, root * pips])
            right.append(root * (value - dead) / (live - dead) if live != dead else 0.0)
    found, *_ = np.linalg.lstsq(np.array(left), np.array(right), rcond=None)
    return found


def exact_samples():
    """Bear-offs of three to six checkers a side: dead, live and exact, no error."""
    two = bearoff_tables().two
    counts = _tables.counts_of_index(np.arange(924))
    large = [i for i in range(1, 924) if counts[i].sum() >= 3]
    pairs = [(x, y) for x in large for y in large][::97]
    values = two.equities(*np.array(pairs).T)
    start = Position.start(jacoby=False, beavers=False)
    for cubeless, own, centred, opponent in values.tolist():
        p = (1 + cubeless) / 2
        for owner, value in (("own", own), ("centre", centred), ("opp", opponent)):
            line = cube.decide(start.with_(cube_owner=owner), [p, 0, 0, 1 - p, 0, 0],
                               exact=False).lines["no_double"]
            yield line.dead, line.live, value, 0.0


def fit(rows):
    """By class: (x, standard error); the race also as intercept and slope in pips."""
    by_phase = {phase: [row for row in rows if phase_of(Position.parse(row["position"])) == phase]
                for phase in (CONTACT, RACE, BEAROFF)}
    found = {"contact": slope([s for row in by_phase[CONTACT] for s in samples_of(row)]),
             "race": slope([s for row in by_phase[RACE] for s in samples_of(row)]),
             "bearoff": slope(list(exact_samples()))}
    return found, race_fit(by_phase[RACE])


def run_fit(arguments):
    if not arguments.kept:
        engine = Engine(threads=arguments.threads)
        positions = positions_of(FIT, fit_positions, engine)
        write(FIT, engine, [roll(engine, p, FIT_TRIALS[phase_of(p)])
                            for p in counted(positions, "position")])
    rows = read(FIT)
    found, line = fit(rows)
    for name, (x, error) in found.items():
        print(f"{name:<8} {x:.4f} ± {error:.4f}")
    positions = [Position.parse(row["position"]) for row in rows]
    pips = [p.pips[0] for p in positions if phase_of(p) == RACE]
    print(f"race     {line[0]:.4f} + {line[1]:.5f} x pips, {min(pips)} to {max(pips)} pips")


# ---- the judgement ------------------------------------------------------------------------------


def errors(row, no_double, double_take, double_pass):
    """What the decisions that three equities make cost by the rollout: of the double, of the
    take."""
    stay, take = float(row["no_double"]), float(row["double_take"])
    doubled = min(take, double_pass)
    best = max(stay, doubled)
    chosen = doubled if min(double_take, double_pass) > no_double else stay
    answered = take if double_take < double_pass else double_pass
    return best - chosen, answered - doubled


def run_judge(arguments):
    import shutil

    import cube_decisions as peer

    engine = Engine(threads=arguments.threads)
    positions = positions_of(SET, set_positions, engine)
    answers = {}
    for level in (0, 1, 2):
        decisions = [engine.cube(p, level, exact=False) for p in positions]
        answers[f"nardy_core {level}-ply"] = [
            (d.no_double, d.double_take, d.double_pass) for d in decisions]
    chances = [engine.evaluate(p, 2, cubeful=False).probabilities for p in positions]
    decisions = [cube.decide(p, c, exact=False) for p, c in zip(positions, chances, strict=True)]
    answers["2-ply in the model"] = [
        (d.no_double, d.double_take, d.double_pass) for d in decisions]
    gnubg = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
    for level in (0, 2):
        if gnubg:
            found = peer.ask(gnubg, positions, level)
            answers[f"gnubg {level}-ply"] = [tuple(a["found"][1:4]) for a in found]
    if not arguments.kept:
        if THEIRS not in answers:
            sys.exit("gnubg is missing")
        apart = [peer.action(*a) != peer.action(*b)
                 for a, b in zip(answers[OURS], answers[THEIRS], strict=True)]
        known = [None] * len(positions)
        for done in range(1, PASSES + 1):
            order = sorted(range(len(positions)), key=lambda n: not apart[n])
            try:
                for n in counted(order, f"pass {done} of {PASSES}:"):
                    trials = done * PASS * (MANY if apart[n] else 1)
                    if apart[n] or known[n] is None or not clear(known[n]):
                        known[n] = roll(engine, positions[n], trials)
            finally:  # Ctrl-C, too, keeps what is done
                if all(known):
                    write(SET, engine, known)
    judged(read(SET), answers)


def run_rollers(arguments):
    engine, rows = Engine(threads=arguments.threads), read(SET)
    positions, answers = [Position.parse(row["position"]) for row in rows], {}
    for level in map(level_of, arguments.levels.split(",")):
        name = f"nardy_core {level_name(level)}"
        began = time.process_time()
        decisions = [engine.cube(p, level, exact=False) for p in counted(positions, name)]
        spent = (time.process_time() - began) / len(rows)
        answers[name] = [(d.no_double, d.double_take, d.double_pass) for d in decisions]
        print(f"{name:<20} {1000 * spent:8.1f} ms of processor time a decision")
    judged(rows, answers, against=OURS)


def judged(rows, answers, against=THEIRS):
    """A line for each player, and what the others of ours cost less than one of them."""
    print(f"{len(rows)} positions        double    take    both         wrong  |no double|  |take|")
    paid = {}
    for name, equities in answers.items():
        costs = np.array([errors(row, *e) for row, e in zip(rows, equities, strict=True)])
        off = np.array([[abs(e[0] - float(row["no_double"])), abs(e[1] - float(row["double_take"]))]
                        for row, e in zip(rows, equities, strict=True)])
        spread = costs.sum(axis=1).std() / math.sqrt(len(rows))
        paid[name] = costs.sum(axis=1)
        print(f"{name:<18} {1000 * costs[:, 0].mean():8.2f} {1000 * costs[:, 1].mean():7.2f}"
              f" {1000 * costs.sum(axis=1).mean():7.2f} ± {1000 * spread:.2f}"
              f" {(costs > 0).sum():5d} {1000 * off[:, 0].mean():9.1f}"
              f" {1000 * off[:, 1].mean():11.1f}")
    for name in paid if against == OURS else (OURS,):
        if against not in paid or name == against:
            continue
        apart = 1000 * (paid[name] - paid[against])
        spread = apart.std() / math.sqrt(len(rows))
        print(f"{name} less {against}: {apart.mean():+.2f} ± {spread:.2f},"
              f" unlike at {(apart != 0).sum()} positions")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("fit", "judge", "rollers"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--levels", default="2,3,roller", help="of `rollers` (default %(default)s)")
    parser.add_argument("--kept", action="store_true",
                        help="take what the files hold, without more rollouts")
    arguments = parser.parse_args()
    {"fit": run_fit, "judge": run_judge, "rollers": run_rollers}[arguments.what](arguments)


if __name__ == "__main__":
    main()
