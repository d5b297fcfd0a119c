"""The clients of the guide, each run as it stands there against its server, at another address."""
from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from random_nets import keep_random_nets
from serving import ROOT, Process, listening

from nardy_core import Engine, Position, match_play

GUIDE = Path(ROOT) / "nardy_core" / "docs" / "plug-into-your-gui.md"
CLIENTS = dict(re.findall(r"^## (\w+)\n.*?^```python\n(.*?)^```", GUIDE.read_text(), re.M | re.S))
ROLL = Position.start(dice=(3, 1))


@pytest.fixture(scope="module")
def nets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nets")
    keep_random_nets(folder)
    for path in (ROOT / "nardy_core" / "data").glob("long_nardy-*.net"):
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.fixture(scope="module")
def engine(nets):
    return Engine(nets, threads=1)


@pytest.fixture(scope="module")
def web(nets):
    """The address of a server, host and port."""
    with Process("serve", "http", "--port", "0", "--nets", nets, patience=60) as server:
        yield server.line("stderr").split("//")[1].rstrip("/")


def said(name, *changes):
    """What the client prints, with its address changed."""
    code = CLIENTS[name]
    for old, new in changes:
        assert code.count(old) == 1, old
        code = code.replace(old, new)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_every_client_is_short_and_tested():
    assert set(CLIENTS) == {"HTTP", "Jobs", "WebSocket", "wildbg", "UBGI", "gnubg"}
    for name, code in CLIENTS.items():
        assert len([line for line in code.splitlines() if line.strip()]) <= 20, name


def test_http(web, engine):
    *plays, verdict = said("HTTP", ("127.0.0.1:8080", web))
    place = Position.start("long_nardy", dice=(6, 3))
    best = engine.analyse(place, top=3).candidates
    assert plays == [f"{c.play} {round(c.equity, 6)}" for c in best]
    assert verdict.split()[0] in ("roll", "double") and "ouble" in verdict


def test_jobs(web, engine):
    lines = said("Jobs", ("127.0.0.1:8080", web))
    whole = engine.rollout(Position.start(), (2, 1), top=2, trials=144, seed=1).wait()
    assert lines[-2:] == [f"{e.play} {round(e.equity, 6)} ± {round(e.standard_error, 6)}"
                          for e in whole.entries]


def test_web_socket(web):
    lines = said("WebSocket", ("127.0.0.1:8080", web))
    assert "0 result" in lines and lines.count("1 result") == 1 and "1 status" in lines


def test_wildbg(web, engine):
    play, cube = said("wildbg", ("127.0.0.1:8080", web))
    best = engine.analyse(ROLL.with_(beavers=False)).best
    steps = [{"from": a, "to": b} for a, b, _ in best.play.steps]
    assert play == f"{steps} {round(best.evaluation.win, 6)}"
    assert cube.startswith("{'double': ")


def test_ubgi(nets, engine):
    command = [sys.executable, "-m", "nardy_core", "serve", "ubgi", "--nets", str(nets)]
    answer, cube = said("UBGI", ('["nardy", "serve", "ubgi"]', repr(command)))
    place = Position.start(dice=(6, 1))
    assert match_play(place, (6, 1), answer.removeprefix("bestmove ")) == (
        engine.analyse(place, level=1).best.play)
    assert cube in ("bestcube double", "bestcube nodouble")


def test_gnubg(engine):
    with listening(engine) as server:
        (line,) = said("gnubg", ("7733", str(server.port)))
    play, rest = line.split("   cube: ")
    assert match_play(ROLL, (3, 1), play.removeprefix("3-1: ")) == engine.analyse(ROLL).best.play
    assert rest.split()[0] in ("roll", "double") and "%" in rest
