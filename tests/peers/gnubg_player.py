"""Matches of the real GNU Backgammon against the engine as its external player.

    python tests/peers/gnubg_player.py [--matches 20] [--length 7] [--games 20]
                                         [--ply 0] [--nets DIR] [--seed 1]

Needs `gnubg` (Debian: gnubg). Matches and money games are played in both seats, over TCP and a Unix
socket in turn. What gnubg exports is read back and looked through decision by decision: nobody has
passed who could play, every play is legal, and each of the engine's plays and cube actions is what
its own analysis of the position says. Prints figures; exit code 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from unittest import mock

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[n]) for n in (1, 2)]

from serving import listening

from nardy_core import Engine, formats
from nardy_core.serve import gnubg
from nardy_core.serve.decide import decide_cube

PATIENCE = 300  # seconds for one run of gnubg
TURNS = 250  # more than any game takes

SETTINGS = """\
set rng mersenne
set seed {seed}
set confirm new off
set confirm save off
set display off
set automatic roll on
set automatic doubles 0
set beavers 3
set jacoby on
set player {theirs} gnubg
set player {theirs} chequer evaluation plies 0
set player {theirs} cube evaluation plies 0
set player {theirs} name Gnubg
set player {ours} name Nardy
set player {ours} external {address}
"""


def program():
    """Path of gnubg. Without it: a failure where peers are required (NARDY_REQUIRE_PEERS=1),
    elsewhere a skipped test that says what to install."""
    found = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
    if found is None:
        import pytest

        message = "gnubg is missing, so nothing was played against it: install gnubg"
        if os.environ.get("NARDY_REQUIRE_PEERS") == "1":
            pytest.fail(message, pytrace=False)
        pytest.skip(message)
    return found


def start(path, commands, folder):
    """gnubg at work on a file of commands, with nothing of its user's."""
    file = Path(folder) / "commands"
    file.write_text(commands)
    return subprocess.Popen(
        [path, "-t", "-q", "-r", "-c", str(file)], stdin=subprocess.PIPE, cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        env={**os.environ, "HOME": str(folder), "LC_ALL": "C"})


@contextlib.contextmanager
def overheard():
    """Requests and answers of all sessions, as they come: (request, answer)."""
    heard, answer = [], gnubg.Session.answer

    def listen(session, line):
        found = answer(session, line)
        heard.append((line, found))
        return found

    with mock.patch.object(gnubg.Session, "answer", listen):
        yield heard


def play(path, engine, folder, *, seat, level=0, length=0, games=1, score=(0, 0), unix=False,
         seed=1):
    """Play one match, or money games (length 0). Returns (record, requests and answers)."""
    settings = {"path": str(Path(folder) / "engine")} if unix else {}
    out = Path(folder) / "played.mat"
    out.unlink(missing_ok=True)
    with overheard() as heard, listening(engine, level=level, **settings) as server:
        commands = SETTINGS.format(
            ours=seat, theirs=1 - seat, seed=seed, address=server.address)
        if length:
            commands += f"new match {length}\n"
            games = 2 * length
            if any(score):
                commands += "set score {} {}\n".format(*score)
        else:
            commands += "new session\n"
        commands += "play\n" * TURNS + ("new game\n" + "play\n" * TURNS) * (games - 1)
        commands += f'export match mat "{out}"\n'
        process = start(path, commands, folder)
        with process:
            try:
                said, _ = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
    if not out.exists():
        raise AssertionError(f"gnubg exported nothing: {said[-2000:]}")
    return formats.read(out), heard


CRAWFORD = "illegal: a double in the Crawford game"


def left_out(heard):
    """Scores (player 0, player 1) at which gnubg says that the Crawford game is over. It leaves
    that game out at times when a drop led to it and `new game` follows, playing itself, too."""
    boards = [request.split(":") for request, _ in heard if request.startswith("board:")]
    return {(int(board[4]), int(board[5])) for board in boards
            if board[40] == "0" and board[51] == "1"}


def crawford_told(heard):
    """Whether gnubg says that it is the Crawford game, by score (player 0, player 1). At times its
    own export has it otherwise: after a game that a drop ended."""
    boards = [request.split(":") for request, _ in heard if request.startswith("board:")]
    return {(int(board[4]), int(board[5])): board[52].split()[0] == "0" for board in boards
            if board[40] == "0" and board[3] != "0"}


def faults(record, engine, seat, level, heard):
    """What is wrong with a match, in words, and how many decisions of each kind were looked at."""
    wrong, seen = [], Counter()
    for request, answer in heard:
        if answer.startswith("Error"):
            wrong.append(f"{request!r} was answered {answer!r}")
    over, crawford = left_out(heard), crawford_told(heard)
    for line in formats.warnings(record):
        game = re.match(r"game ([0-9]+)", line)
        told = game and record.games[int(game[1]) - 1].score in over
        if not (told and line.endswith(CRAWFORD)):
            wrong.append(line)
    for number, (position, action) in ((n, (d.position, d.action))
                                       for n, d in record.decisions(rolls=True)):
        who = "ours" if action.player == seat else "theirs"
        where = f"game {number + 1}, {position.id()}, {who}: {action}"
        seen[f"{who} {action.kind}"] += 1
        if action.warning == CRAWFORD and record.games[number].score in over:
            seen["Crawford games that gnubg left out"] += 1
        elif not action.legal or action.warning:
            wrong.append(f"{where}: {action.warning}")
        if action.kind == "play":
            seen[f"{who} pass"] += not action.steps
            (only, *more) = position.legal_plays()
            if not action.steps and (more or not only.is_pass):
                wrong.append(f"{where}: there was a play")
        if action.player != seat:
            continue
        told = crawford.get(record.games[number].score, position.crawford)
        position = position.with_(crawford=told)
        if action.kind == "play":
            best = engine.analyse(position, level=level).best.play
            if sorted(best.steps) != sorted(action.steps):
                wrong.append(f"{where}: the engine plays {best}")
        elif action.kind in ("no_double", "double", "take", "drop", "beaver", "raccoon"):
            word = {"no_double": "roll", "raccoon": "beaver"}.get(action.kind, action.kind)
            decided = decide_cube(engine, position, level)
            if decided != word:
                wrong.append(f"{where}: the engine would {decided}")
    return wrong, seen


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--length", type=int, default=7)
    parser.add_argument("--games", type=int, default=20, help="of money, in each seat")
    parser.add_argument("--ply", type=int, default=0)
    parser.add_argument("--nets", help="folder of nets instead of those shipped")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    path, engine = program(), Engine(arguments.nets)
    failed, seen, requests, began = 0, Counter(), 0, time.monotonic()
    won = [0, 0]
    runs = [{"length": arguments.length, "seat": n % 2, "unix": n % 4 > 1}
            for n in range(arguments.matches)]
    if arguments.games:
        runs += [{"games": arguments.games, "seat": n, "unix": n == 1} for n in (0, 1)]
    for n, run in enumerate(runs):
        with tempfile.TemporaryDirectory() as folder:
            record, heard = play(
                path, engine, folder, level=arguments.ply, seed=arguments.seed + n, **run)
        wrong, counted = faults(record, engine, run["seat"], arguments.ply, heard)
        if run.get("length"):
            if record.winner is None:
                wrong.append("the match was not finished")
            else:
                won[record.winner == run["seat"]] += 1
        for line in wrong:
            print(f"run {n + 1}: {line}")
        failed += len(wrong)
        seen += counted
        requests += len(heard)
    print(f"{len(runs)} runs, {requests} requests, matches won {won[1]}, lost {won[0]}, "
          f"{failed} faults, {time.monotonic() - began:.0f} s")
    for kind, count in sorted(seen.items()):
        print(f"  {kind}: {count}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
