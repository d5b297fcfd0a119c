"""The real GNU Backgammon as client and as server: matches against the engine, and the same
requests put to both. gnubg_player.py plays more."""

import random
import socket
import time

import pytest
from boards import walk
from random_nets import random_nets

from nardy_core import Engine, Position, cube
from nardy_core.analysis import EngineInfo, made
from nardy_core.serve import gnubg
from nardy_core.serve.decide import value_of
from peers import gnubg_player
from peers.cube_decisions import GNUBG

INFO = EngineInfo("", "backgammon", ())


@pytest.fixture(scope="module")
def path():
    return gnubg_player.program()


@pytest.fixture(scope="module")
def engine():
    return Engine({"backgammon": random_nets()}, threads=1)


RUNS = {
    "player 0, TCP, match at an uneven score": {
        "seat": 0, "length": 5, "score": (1, 3), "seed": 3},
    "player 1, Unix socket, match": {"seat": 1, "length": 3, "unix": True, "seed": 4, "level": 1},
    "player 0, Unix socket, money": {"seat": 0, "games": 2, "unix": True, "seed": 5},
    "player 1, TCP, money": {"seat": 1, "games": 2, "seed": 6},
}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_matches_in_both_seats(path, engine, tmp_path, run):
    record, heard = gnubg_player.play(path, engine, tmp_path, **run)
    wrong, seen = gnubg_player.faults(record, engine, run["seat"], run.get("level", 0), heard)
    assert wrong == []
    assert seen["ours play"] > 20 and seen["theirs play"] > 20 and len(heard) > 20
    if "length" in run:
        assert record.winner is not None and record.length == run["length"]
        assert record.games[0].score == run.get("score", (0, 0))
    else:
        assert len(record.games) >= run["games"]
        assert all(game.winner is not None for game in record.games[:run["games"]])


def test_bad_answers_would_be_noticed(path, engine, tmp_path, monkeypatch):
    """gnubg takes an illegal play for a pass and says nothing: the record has to tell."""
    answer = gnubg.Session.answer

    def lame(session, line):
        found = answer(session, line)
        return "24/1\n" if "/" in found and random.Random(line).random() < 0.1 else found

    monkeypatch.setattr(gnubg.Session, "answer", lame)
    record, heard = gnubg_player.play(path, engine, tmp_path, seat=1, games=1)
    wrong, _ = gnubg_player.faults(record, engine, 1, 0, heard)
    assert any("there was a play" in line for line in wrong)


@pytest.fixture
def server(path, tmp_path):
    """gnubg's own server: ask(line) -> answer."""
    address = str(tmp_path / "gnubg")
    process = gnubg_player.start(path, f"""\
set evaluation chequer evaluation plies 0
set evaluation cube evaluation plies 0
external {address}
""", tmp_path)
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(30)
    for _ in range(300):
        try:
            connection.connect(address)
            break
        except OSError:
            assert process.poll() is None
            time.sleep(0.1)
    answers = connection.makefile("r", encoding="ascii")

    def ask(line, lines=1):
        connection.sendall(line.encode() + b"\n")
        return "".join(answers.readline() for _ in range(lines))

    yield ask
    connection.close()
    answers.close()
    process.kill()
    process.communicate()


def shape(answer):
    """What kind of answer it is, without what an engine may think differently about."""
    text = answer.strip()
    if text.startswith("Error: "):
        return "error"
    for words in (("roll", "double"), ("take", "drop", "beaver"), ("accept", "reject")):
        if text in words:
            return words
    words = text.split()
    if len(words) == 6 and all(word.lstrip("-").replace(".", "", 1).isdigit() for word in words):
        return [len(word.split(".")[1]) for word in words]
    if all("/" in word for word in words):
        return "play" if words else "no play"
    return [line.split(":")[0] for line in answer.splitlines()]


def test_both_servers_answer_alike(server, engine):
    ours = gnubg.Session(engine)
    lines = []
    for place in walk(30, seed=11):
        board = place.id("fibs-gnubg")
        lines += [board, board + " jacobyrule off", place.with_(dice=None).id("fibs-gnubg"),
                  place.with_(dice=None, offer="doubled").id("fibs-gnubg") + " beavers on",
                  f"evaluation fibsboard {board} plies 0 cubeful prune",
                  f"EVALUATION FIBSBOARD {board} PLIES 0 CUBELESS NOISE 0"]
    board = Position.start().id("fibs-gnubg")
    lines += ["version", "help", "VERSION", "set debug on", "set debug off", "set interface new",
              "set interface old", board.upper(), board + " resignation 2", "foo", "", "set",
              "set debug maybe", "version x", "board:1", board + " foo", board + " resignation",
              "evaluation", f"evaluation fibsboard {board} plies", board + " resignation 0",
              f"evaluation fibsboard {board} cube yes prune off deterministic on"]
    for line in lines:
        mine = ours.answer(line)
        theirs = server(line, mine.count("\n"))
        if line.lower() == "help":
            assert mine[0] == theirs[0] == "\t"
        else:
            assert shape(mine) == shape(theirs) and mine.count("\n") == theirs.count("\n"), (
                line, mine, theirs)


def test_values_for_the_same_chances(server):
    """The sixth number of gnubg's answers against ours, given its own first five."""
    draw, apart = random.Random(5), {}
    for place in walk(40, seed=11):
        place = place.with_(dice=None)
        scores = [draw.randint(0, 5) for _ in range(2)]
        cases = {"centre": place, "own": place.with_(cube=2, cube_owner="own"),
                 "opp": place.with_(cube=2, cube_owner="opp"),
                 "match": place.with_(match_length=7, score_own=scores[0], score_opp=scores[1])}
        for kind, each in cases.items():
            request = f"evaluation fibsboard {each.id('fibs-gnubg')} plies 0"
            for words in ("cubeless", "cubeful"):
                *five, value = map(float, server(f"{request} {words}").split())
                chances = made(each, "own", cube.exclusive("backgammon", five), 0, INFO)
                found = cube.decide(each, chances.probabilities, efficiency=GNUBG)
                ours = value_of(each, chances, words == "cubeful", found)
                apart.setdefault((kind, words), []).append(abs(ours - value))
    # Money is the same model to the last digit written. In a match the live cube is not quite
    # theirs; scores taken for each other would be off by whole games.
    for (kind, words), found in apart.items():
        print(kind, words, max(found), sum(found) / len(found))
        if (kind, words) == ("match", "cubeful"):
            assert max(found) < 0.01 and sum(found) / len(found) < 0.001
        else:
            assert max(found) < 4e-6
