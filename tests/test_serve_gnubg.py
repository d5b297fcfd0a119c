"""The server behind gnubg's external players: requests, answers, connections."""
from __future__ import annotations

import contextlib
import signal
import socket
import stat
import threading

import pytest
from boards import walk
from hypothesis import given, settings
from hypothesis import strategies as st
from random_nets import keep_random_nets, random_nets
from serving import Process, Recorder, listening

from nardy_core import Position, cube, match_play
from nardy_core.counts import fill
from nardy_core.engine import MAX_LEVEL
from nardy_core.match import MatchEquity
from nardy_core.serve import gnubg
from nardy_core.serve.decide import decide_cube

# Player 1 (positive) to play 3-1 from the start; the same before the roll; player 0 has doubled.
ROLLED = ("board:Ann:Ben:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:"
          "3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1")
START = ROLLED.replace(":3:1:3:1:", ":0:0:0:0:")
DOUBLED = START.replace("Ann:Ben", "Ben:Ann").replace(":1:0:0:0:0:1:1:1:0:", ":-1:0:0:0:0:1:1:1:1:")

ONE_LEFT = {1: 1}  # bears off with every roll
HOME = {6: 3, 5: 3, 4: 3, 3: 2, 2: 2, 1: 2}  # none off: loses a gammon to it


@pytest.fixture(scope="module")
def engine():
    return Recorder({"backgammon": random_nets()}, threads=1)


@pytest.fixture
def session(engine):
    engine.asked.clear()
    return gnubg.Session(engine)


def position(own, opp, **fields):
    return Position("backgammon", fill(own, 15), fill(opp, 15), **fields)


# ---- plays -----------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0, 1])
def test_plays_are_the_engines_own(engine, level):
    session = gnubg.Session(engine, level)
    seen = set()
    for place in walk(60 if level == 0 else 15, seed=level):
        answer = session.answer(place.id("fibs-gnubg") + "\n")
        assert answer.endswith("\n") and answer.count("\n") == 1 and "*" not in answer
        best = engine.analyse(place, level=level).best.play
        assert match_play(place, place.dice, answer) == best
        seen.add((place.turn, best.is_pass))
    assert {(0, False), (1, False)} <= seen


def test_every_step_is_written_out(session):
    dance = position({25: 1, 1: 14}, dict.fromkeys(range(1, 7), 2) | {7: 3}, dice=(6, 5))
    assert session.answer(dance.id("fibs-gnubg")) == "\n"
    double = position({3: 4}, {24: 1}, dice=(1, 1))
    words = session.answer(double.id("fibs-gnubg")).split()
    assert len(words) == 4 and all("/" in word and "(" not in word for word in words)


def test_scores_go_by_player(session, engine):
    for line, own, opp in [
        (START.replace("Ben:0:0:0", "Ben:7:2:4"), 4, 2),  # player 1 on roll, second score
        (START.replace("Ben:0:0:0", "Ben:7:2:4").replace(":1:0:0:0:0:", ":-1:0:0:0:0:"), 2, 4),
    ]:
        assert session.answer(line.replace(":0:0:0:0:1:1:1:0:", ":6:2:6:2:1:1:1:0:"))[0] != "E"
        asked = engine.asked[-1]
        assert (asked.score_own, asked.score_opp, asked.match_length) == (own, opp, 7)
    # With a double pending names and scores are turned, and the doubler is on roll.
    assert session.answer(DOUBLED.replace("Ann:0:0:0", "Ann:7:4:2"))[0] != "E"
    asked = engine.asked[-1]
    assert (asked.turn, asked.score_own, asked.score_opp) == (0, 2, 4)
    assert asked.offer == "doubled" and asked.decider == "opp"


def test_crawford_and_jacoby(session, engine):
    last = START.replace("Ben:0:0:0", "Ben:5:4:0")
    for line, crawford in [(last[:-1] + "0", True), (last, False),
                           (last[:-1] + "0 crawfordrule off", False),
                           (last[:-3] + "1:1", False)]:
        session.answer(line.replace(":0:0:0:0:1:1:1:0:", ":6:2:6:2:1:1:1:0:"))
        assert engine.asked[-1].crawford is crawford, line
    for words, jacoby, beavers in [("", True, True), (" JACOBYRULE Off", False, True),
                                   (" jacobyrule on beavers off", True, False)]:
        session.answer(ROLLED + words)
        assert (engine.asked[-1].jacoby, engine.asked[-1].beavers) == (jacoby, beavers)


# ---- cube and resignations ---------------------------------------------------------------------


def test_cube_answers_are_those_of_decide_cube(session, engine):
    assert session.answer(START) == decide_cube(engine, Position.parse(START), 0) + "\n"
    assert session.answer(START.upper()) == session.answer(START)
    for place in walk(40, seed=5):
        offered = place.with_(dice=None, offer="doubled")
        answer = session.answer(offered.id("fibs-gnubg"))
        assert answer == decide_cube(engine, offered, 0) + "\n"
        assert answer in ("take\n", "drop\n", "beaver\n")


def test_sure_takes_and_drops(session):
    won = position(ONE_LEFT, HOME, offer="doubled")
    assert session.answer(won.id("fibs-gnubg")) == "drop\n"
    # The doubler is off with 6 rolls of 36, else the side doubled is.
    lost = position({6: 1, 5: 1}, ONE_LEFT, offer="doubled", turn=0)
    assert session.answer(lost.id("fibs-gnubg") + " beavers off") == "take\n"
    assert session.answer(lost.id("fibs-gnubg")) == "beaver\n"
    # One roll for both: 34, 26 and 6 of 36 bear off.
    for own, action, answer in (({3: 1, 1: 1}, "double\n", "drop\n"),
                                ({2: 2}, "double\n", "take\n"),
                                ({6: 1, 5: 1}, "roll\n", "beaver\n")):
        last = position(own, ONE_LEFT, turn=0)
        assert session.answer(last.id("fibs-gnubg")) == action
        assert session.answer(last.with_(offer="doubled").id("fibs-gnubg")) == answer
    too_good = position(ONE_LEFT, HOME).id("fibs-gnubg")
    assert session.answer(too_good + " jacobyrule off") == "roll\n"
    # In a match nobody beavers.
    match = lost.with_(match_length=5, jacoby=False, beavers=False)
    assert session.answer(match.id("fibs-gnubg")) == "take\n"


def test_a_beaver_that_is_asked_again_is_a_take(session):
    lost = position({6: 1, 5: 1}, ONE_LEFT, offer="doubled").id("fibs-gnubg")
    assert [session.answer(lost) for _ in range(3)] == ["beaver\n", "take\n", "beaver\n"]


def test_beavers_and_raccoons_of_the_other_side(session, engine):
    """Player 1 doubled and was beavered: he is to decide, names are not turned, the cube is at 2
    and player 0's. A raccoon of player 0 against player 1's beaver comes with names turned."""
    session.answer(ROLLED)
    beavered = START.replace(":1:0:0:0:0:1:1:1:0:", ":1:0:0:0:0:2:0:1:1:")
    assert session.answer(beavered)[0] != "E"
    asked = engine.asked[-1]
    assert (asked.turn, asked.offer, asked.cube, asked.cube_owner) == (1, "beavered", 1, "centre")
    assert asked.decider == "own"
    raccooned = DOUBLED.replace(":-1:0:0:0:0:1:1:1:1:", ":-1:0:0:0:0:4:1:0:1:")
    raccooned = raccooned.replace("Ann:0:0:0", "Ann:0:8:3")  # player 1 has won 8 points
    assert session.answer(raccooned) in ("take\n", "drop\n")
    asked = engine.asked[-1]
    assert (asked.turn, asked.offer, asked.cube, asked.cube_owner) == (0, "raccooned", 1, "centre")
    assert (asked.decider, asked.score_own, asked.score_opp) == ("opp", 3, 8)
    for line in (beavered, raccooned):
        assert session.answer(line + " beavers off") in ("take\n", "drop\n", "beaver\n")
    higher = beavered.replace(":0:0:0:0:2:0:1:1:", ":0:0:0:0:8:0:1:1:")
    session.answer(higher)
    asked = engine.asked[-1]
    assert (asked.offer, asked.cube, asked.cube_owner) == ("beavered", 4, "own")


def test_resignations(session):
    """Who bears off at once against fifteen checkers wins exactly two points."""
    for place in (position(ONE_LEFT, HOME), position(ONE_LEFT, HOME, turn=0)):
        line = place.id("fibs-gnubg")
        answers = [session.answer(f"{line} resignation {n} jacobyrule off") for n in (1, 2, 3)]
        assert answers == ["reject\n", "accept\n", "accept\n"]
        assert session.answer(f"{line} resignation 1") == "accept\n"  # no gammons, cube unturned
        # Two points away one point is not enough, and two are the match.
        match = place.with_(match_length=3, score_own=1).id("fibs-gnubg")
        answers = [session.answer(f"{match} resignation {n}") for n in (1, 2)]
        assert answers == ["reject\n", "accept\n"]
        assert session.answer(f"{line} resignation 0") == session.answer(line)
    assert session.answer(START + " resignation 4") == "Error: 4 is not in 0..3\n"


# ---- evaluation --------------------------------------------------------------------------------


def numbers(answer):
    assert answer.endswith("\n") and not answer.startswith("Error"), answer
    words = answer.split()
    assert all(len(word.split(".")[1]) == 6 for word in words)
    return [float(word) for word in words]


def test_evaluation(session, engine):
    for place in walk(20, seed=9):
        for level in (0, 1):
            line = f"evaluation fibsboard {place.id('fibs-gnubg')} plies {level} prune cubeless"
            expected = engine.evaluate(place, level)
            got = numbers(session.answer(line))
            assert got[:5] == pytest.approx(list(expected.nested.values()), abs=1e-6)
            assert got[5] == pytest.approx(expected.equity, abs=1e-6)
    line = f"EVALUATION FIBSBOARD {START.upper()} PLIES 0 CUBE OFF PRUNE ON DETERMINISTIC OFF"
    assert numbers(session.answer(line)) == numbers(session.answer(f"evaluation fibsboard {START}"))
    race = Position.from_points([0, *[0] * 6, 1, 1, *[0] * 7, -1, -1, *[0] * 8])
    deep = f"evaluation fibsboard {race.id('fibs-gnubg')} plies 50"  # as deep as it goes
    assert numbers(session.answer(deep))[0] == pytest.approx(
        engine.evaluate(race, MAX_LEVEL).win, abs=1e-6)


def test_evaluation_of_a_certain_win(session):
    line = position(ONE_LEFT, HOME).id("fibs-gnubg")
    won = numbers(session.answer(f"evaluation fibsboard {line} jacobyrule off"))
    assert won == pytest.approx([1, 1, 0, 0, 0, 2])
    doubled = position(ONE_LEFT, HOME, offer="doubled").id("fibs-gnubg")
    assert numbers(session.answer(f"evaluation fibsboard {doubled}")) == pytest.approx(
        [0, 0, 0, 1, 0, -2])
    for score, chance in ((1, 1), (0, MatchEquity.open().mwc(1, 3))):
        match = position(ONE_LEFT, HOME, match_length=3, score_own=score).id("fibs-gnubg")
        for words in ("", " cubeful"):
            assert numbers(session.answer(f"evaluation fibsboard {match}{words}"))[5] == (
                pytest.approx(chance, abs=1e-6))


def test_values_are_those_of_the_cube_decision(session, engine):
    for place in walk(12, seed=4):
        money = place.with_(dice=None, cube=2, cube_owner="opp")
        match = place.with_(dice=None, match_length=7, score_own=2, score_opp=5)
        for each in (money, match):
            found = cube.decide(each, engine.evaluate(each).probabilities)
            line = f"evaluation fibsboard {each.id('fibs-gnubg')}"
            value = numbers(session.answer(f"{line} cubeful"))[5]
            expected = found.best
            if each.match_length:
                expected = cube.stakes_of(each).unequity(each.cube, expected)
            assert value == pytest.approx(expected, abs=1e-6)
            assert numbers(session.answer(line))[5] != value


def test_values_of_a_search_are_those_of_the_cube_decision_at_its_level(session, engine):
    apart = 0.0
    for place in walk(4, seed=6):
        money = place.with_(dice=None, cube=2, cube_owner="opp")
        match = place.with_(dice=None, match_length=7, score_own=2, score_opp=5)
        for each in (place.with_(dice=None), money, match):
            found = engine.cube(each, 1)
            line = f"evaluation fibsboard {each.id('fibs-gnubg')} plies 1 cubeful"
            expected = found.best
            if each.match_length:
                expected = cube.stakes_of(each).unequity(each.cube, expected)
            assert numbers(session.answer(line))[5] == pytest.approx(expected, abs=1e-6)
            static = cube.decide(each, engine.evaluate(each, 1).probabilities).best
            apart = max(apart, abs(static - found.best))
    assert apart > 1e-3  # the cube model on the chances of a search is not a search


def test_noise_depends_on_the_position_alone(session):
    plain = numbers(session.answer(f"evaluation fibsboard {START}"))
    noisy = [numbers(session.answer(f"evaluation fibsboard {START} noise {n}"))
             for n in ("200", "0.02", "200 deterministic", "0")]
    assert noisy[0] == noisy[1] == noisy[2] != plain and noisy[3] == plain
    win, gammon, backgammon, lost_gammon, lost_backgammon, value = noisy[0]
    assert 0 <= backgammon <= gammon <= win and 0 <= lost_backgammon <= lost_gammon <= 1 - win
    assert value == pytest.approx(
        2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon, abs=1e-5)
    extreme = numbers(session.answer(f"evaluation fibsboard {START} noise 5.0"))
    assert all(0 <= p <= 1 for p in extreme[:5])


# ---- other requests ------------------------------------------------------------------------------


def test_version_help_and_settings(session):
    for word in ("version", "VERSION", "Version  "):
        lines = session.answer(word).splitlines()
        assert [line.split(": ")[0] for line in lines] == [
            "Interface", "RFBF", "Engine", "Software"]
    assert session.answer("help").count("\n") == 1
    assert session.answer("set debug on") == "Debug output ON\n" and session.debug
    assert session.answer("SET DEBUG OFF") == "Debug output OFF\n" and not session.debug
    assert session.answer("set interface new") == "New interface ON\n"
    assert session.answer("set interface old") == "New interface OFF\n"
    assert not session.closed
    assert session.answer("Exit") == "" and session.closed


@pytest.mark.parametrize("line", [
    "", "  ", "foo bar", "version 2", "exit now", "set", "set debug", "set debug maybe",
    "set debug on now", "set interface", "set interface older", "set foo on", "evaluation",
    "evaluation foo", "evaluation fibsboard", "evaluation fibsboard foo", "board", "board:1",
    "board:" + "x" * 3000, "boardx", START + " foo", START + ":0", START[:-2], START + "x",
    START + " plies 2", START + " resignation", START + " resignation -1",
    START + " jacobyrule 1", START.replace(":5:", ":16:"), START.replace("-5", "5", 1),
    START.replace("Ben:0:0:0", "Ben:5:5:0"), START.replace(":0:0:0:0:1:1", ":7:1:7:1:1:1"),
    START.replace(":0:0:0:0:1:1", ":0:0:0:0:3:1"), ROLLED.replace(":3:1:", ":99999999999999:1:"),
    f"evaluation fibsboard {START} plies", f"evaluation fibsboard {START} plies x",
    f"evaluation fibsboard {START} plies -1", f"evaluation fibsboard {START} noise x",
    f"evaluation fibsboard {START} cubeful off", f"evaluation fibsboard {START} cube",
    position(ONE_LEFT, HOME).legal_plays((6, 1))[0].result.id("fibs-gnubg"),
])
def test_what_makes_no_sense_is_an_error(session, line):
    answer = session.answer(line)
    assert answer.startswith("Error: ") and answer.endswith("\n") and answer.count("\n") == 1
    assert answer.isascii() and len(answer) < 200
    assert session.answer(ROLLED)[0].isdigit()


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from([
    ROLLED, START, DOUBLED, "evaluation", "fibsboard", "plies", "1", "cubeful", "noise", "set",
    "debug", "on", "resignation", "beavers", "jacobyrule", ":", "board:", "\0", "é"]),
    max_size=6).map(" ".join)))
def test_nothing_written_to_it_upsets_a_session(line):
    answer = gnubg.Session(ENGINE).answer(line)
    assert answer == "" or answer.endswith("\n")


ENGINE = Recorder({"backgammon": random_nets()}, threads=1)


# ---- connections ---------------------------------------------------------------------------------


@contextlib.contextmanager
def client(server):
    if server.path:
        made = socket.socket(socket.AF_UNIX)
        made.connect(server.path)
    else:
        made = socket.create_connection((server.host, server.port))
    made.settimeout(30)
    with made, made.makefile("rb") as answers:
        yield made, answers


def test_clients_at_a_time_over_tcp(engine):
    with listening(engine) as server:
        assert server.host == "127.0.0.1" and server.address == f"127.0.0.1:{server.port}"
        with client(server) as (one, first), client(server) as (two, second):
            one.sendall(ROLLED.encode()[:70])  # a line in pieces
            two.sendall(START.encode() + b"\r\n\0" + b"version\n")
            assert second.readline() in (b"roll\n", b"double\n")
            assert [second.readline() for _ in range(4)][0] == b"Interface: 2\n"
            one.sendall(ROLLED.encode()[70:] + b"\n\0")
            assert first.readline()[:1].isdigit()
            one.sendall(b"quit\n")
            assert first.readline() == b""
            two.sendall(b"\0help\n")
            assert second.readline().startswith(b"\t")
        with client(server) as (_, _):
            pass  # comes and goes
        with client(server) as (again, answers):
            again.sendall(b"set debug on\n")
            assert answers.readline() == b"Debug output ON\n"


def test_long_lines_and_strange_bytes(engine):
    with listening(engine) as server, client(server) as (one, answers):
        one.sendall(b"y" * 4097 + b"\n" + b"x" * 300_000 + b"\nversion\n")
        for _ in range(2):
            assert answers.readline() == b"Error: a line of more than 4096 bytes\n"
        assert answers.readline() == b"Interface: 2\n"
        for _ in range(3):
            answers.readline()
        one.sendall(b"\xff\xfe \x07\n")
        assert answers.readline().startswith(b"Error: syntax error")
        one.sendall(ROLLED.replace("Ann", "Оля").encode() + b"\n")
        assert answers.readline()[:1].isdigit()


def test_many_clients_get_the_same_answers(engine):
    places = list(walk(12, seed=3))
    expected = [gnubg.Session(engine).answer(p.id("fibs-gnubg")) for p in places]
    found = [[] for _ in range(6)]

    def play(into):
        with client(server) as (one, answers):
            for place in places:
                one.sendall(place.id("fibs-gnubg").encode() + b"\n\0")
                into.append(answers.readline().decode())

    with listening(engine) as server:
        threads = [threading.Thread(target=play, args=(into,)) for into in found]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert found == [expected] * 6


def test_unix_socket(engine, tmp_path):
    path = tmp_path / "engine"
    with listening(engine, path=str(path)) as server:
        assert server.address == str(path) and stat.S_ISSOCK(path.stat().st_mode)
        with client(server) as (one, answers):
            one.sendall(START.encode() + b"\n")
            assert answers.readline() in (b"roll\n", b"double\n")
        with pytest.raises(OSError, match="another server"), listening(engine, path=str(path)):
            pass
    assert not path.exists()
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()  # what a server that was killed leaves behind
    with listening(engine, path=str(path)) as server, client(server):
        pass
    path.write_text("mine")
    with pytest.raises(OSError, match="no socket"), listening(engine, path=str(path)):
        pass
    assert path.read_text() == "mine"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_cleanly(tmp_path, number):
    nets, path = keep_random_nets(tmp_path), tmp_path / "here"
    with Process("serve", "gnubg", "--socket", path, "--nets", nets) as made:
        assert made.line("stderr") == f"nardy: listening on {path}"
        one = socket.socket(socket.AF_UNIX)
        one.connect(str(path))
        one.settimeout(30)
        one.sendall(b"version\n")
        assert one.recv(100).startswith(b"Interface")
        made.process.send_signal(number)
        assert made.process.wait(30) == 0 and not path.exists()
        while data := one.recv(100):
            assert b"Software" in data
        one.close()
        assert made.line("stderr") is None and made.line() is None


def test_a_taken_port_is_an_error_of_one_line(tmp_path):
    nets = keep_random_nets(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with Process("serve", "gnubg", "--port", port, "--nets", nets) as made:
            assert made.end() == 3
            assert "in use" in made.line("stderr") and made.line("stderr") is None
    with Process("serve", "gnubg", "--port", "65536") as made:
        assert made.end() == 2
