"""UBGI: the public check sequence, all dialects, context, searches that are stopped."""
from __future__ import annotations

import asyncio
import signal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_nets import keep_random_nets, random_nets
from serving import Process, Recorder

from nardy_core import Position, match_play, roller
from nardy_core.engine import MAX_LEVEL
from nardy_core.levels import ROLLERS, Roller
from nardy_core.serve import ubgi
from nardy_core.serve.decide import decide_cube
from nardy_core.serve.ubgi_game import UbgiGame

START = "4HPwATDgc/ABMA"
OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
RACE = "XGID=-CBBBB-A------------baebb-:0:0:1:31:0:0:0:0:10"  # short games, fast rollouts

ENGINE = Recorder({"backgammon": random_nets()}, threads=1)


@pytest.fixture(scope="module")
def nets(tmp_path_factory):
    return keep_random_nets(tmp_path_factory.mktemp("nets"))


@pytest.fixture
def process(nets):
    with Process("serve", "ubgi", "--nets", nets) as made:
        yield made


def talk(*commands, **settings_):
    """What the commands are answered, `info` lines left out; each search is waited for."""
    written = []

    async def run():
        engine = ubgi.Ubgi(ENGINE, written.append, **settings_)
        for command in commands:
            await engine.receive(command)
            await engine.finish()

    asyncio.run(run())
    return [line for line in written if not line.startswith("info ")]


def asked(*commands):
    """The position that the last command made the engine look at."""
    answers = talk(*commands)
    assert not [line for line in answers if line.startswith("error")], answers
    return ENGINE.asked[-1]


# ---- the public check --------------------------------------------------------------------------


def test_the_public_check_sequence(process):
    """What the dueller of the protocol's authors sends, and what it looks for in the answers."""
    process.send("ubgi")
    hello = process.until("ubgiok", "readyok")
    assert hello[-1] == "ubgiok" and hello[0].startswith("id name ")
    assert {"proto 0.2"} < set(hello) and any(line.startswith("id author ") for line in hello)
    keys = [line for line in hello if line.startswith("key ")]
    assert any(line.startswith("key engine.ply int 1..") for line in keys)
    assert any(line.startswith("key game.variant enum backgammon|") for line in keys)
    for name in ("Threads", "Seed", "Deterministic", "EvalMode", "Variant", "Level"):
        assert any(line.startswith(f"option name {name} type ") for line in hello)
    for command in ("", "newgame", "set game.variant backgammon", "set engine.seed 7"):
        process.send(*([command] if command else []), "isready")
        assert process.line() == "readyok"
    for identifier, dice, must in [
        (START, (6, 1), ""), ("Np7BQSCYZ/AAWA", (5, 3), "bar"), ("/z0AADDeaxsAAA", (5, 5), "off"),
        ("t02oASACAAAAAA", (5, 1), ""),
    ]:
        place = Position.parse(identifier).with_(dice=dice)
        for go in ("go chequer", "go", "go role chequer"):
            process.send(f"position gnubgid {identifier}", "dice {} {}".format(*dice), go)
            lines = process.until("bestmove", "error")
            assert all(line.startswith("info ") for line in lines[:-1])
            move = lines[-1].removeprefix("bestmove ")
            assert "*" not in move and "(" not in move and must in move
            points = [point for step in move.split() for point in step.split("/")]
            assert "25" not in points and "0" not in points
            assert match_play(place, dice, move) == ENGINE.analyse(place, dice).best.play
    process.send("quit")
    assert process.end() == 0 and process.line() is None and process.line("stderr") is None


def test_junk_is_answered_and_survived(process):
    junk = ["foo", "go role fly", "go sideways", "position", "position gnubgid", "dice 7 1",
            "dice 1", "setoption", "setoption name Speed value 9", "set engine.ply 99", "set",
            "get", "get speed", "position gnubgid !!!", "setscore a b", "setcube value 3 owner p0",
            "setcube value 2 owner me", "setturn p2", "newsession type cash",
            "newsession type match", "ubgi now", "position xgid XGID=abc", "board:1:2",
            "XGID=" + "z" * 30, b"\xff\xfe\x00\x01", b"x" * 10_000, "go depth 0", "go movetime",
            "go trials x", "isready?"]
    for line in junk:
        process.send(line)
        answer = process.line()
        assert answer.startswith("error ") and answer.isascii() and len(answer) < 250, (
            line, answer)
    process.send("", "  ", "stop", "isready")
    assert process.line() == "readyok"
    process.send("newgame", "dice 3 1", "go")
    assert process.until("bestmove", "error")[-1].startswith("bestmove ")
    assert process.end() == 0  # the end of the input, without quit


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.sampled_from([
    "ubgi", "isready", "newgame", "go", "role", "chequer", "cube", "turn", "position", "gnubgid",
    START, "xgid", OPENING, "ndid", "start", "dice", "6", "1", "none", "set", "get", "engine.ply",
    "engine.level", "game.variant", "hypergammon", "longnardy", "setoption", "name", "value",
    "Level", "newsession", "type", "match", "length", "money", "jacoby", "on", "setscore",
    "setcube", "owner", "p0", "p1", "center", "setturn", "stop", "keys", "depth", "nodes", "é"]),
    max_size=6).map(" ".join), max_size=12))
def test_any_words_in_any_order(commands):
    for line in talk(*commands):
        assert line.split(" ")[0] in {
            "id", "proto", "option", "key", "ubgiok", "readyok", "value", "bestmove", "bestcube",
            "bestturn", "error"} or commands and OPENING in commands, line


# ---- dialects ----------------------------------------------------------------------------------


def test_codes_of_errors():
    cases = [("foo", "bad_command", "unknown_command"),
             ("dice 0 7", "bad_value", "bad_argument"),
             ("set engine.ply 77", "bad_value", "bad_argument"),
             ("set engine.speed 1", "unsupported", "unsupported_feature"),
             ("position braille x", "unsupported", "unsupported_feature"),
             ("position gnubgid 4HPwATDgc/ABM", "bad_value", "bad_argument"),
             ("go chequer", "bad_state", "missing_context"),
             ("go nodes 1000", "unsupported", "unsupported_feature"),
             ("go depth 1 nodes 1000", "unsupported", "unsupported_feature")]
    for line, new, old in cases:
        assert talk(line)[0].split()[:2] == ["error", new]
        assert talk("setturn p0", line)[0].split()[:2] == ["error", old]
    assert talk("set game.variant hypergammon", "dice 2 1", "go")[0].startswith(
        "error unsupported engine: no net")
    over = Position.start().with_(own=(15, *[0] * 25)).id("gnu-position")
    assert talk(f"position gnubgid {over}", "dice 2 1", "go")[0].startswith("error bad_state")
    assert talk("newsession type match length 3", "setscore 3 0")[0].startswith(
        "error bad_argument")
    assert talk("newsession type match length 3", "setcube value 2 owner p0", "setscore 2 0",
                "dice 2 1", "go")[0].startswith("error missing_context crawford")


def test_options_under_both_names():
    assert talk("get engine.ply", "setoption name Level value 1", "get engine.ply",
                "get engine.level", "set engine.ply 1", "get Level") == [
        "value engine.ply 1", "value engine.ply 2", "value engine.level 1",
        "value engine.level 0"]
    assert talk("set engine.threads 3", "setoption name seed value 99", "get engine.seed",
                "get Threads", "set engine.deterministic true", "get engine.deterministic") == [
        "value engine.seed 99", "value engine.threads 3", "value engine.deterministic true"]
    keys = talk("keys")
    hello = talk("ubgi")
    assert keys == [line for line in hello if line.startswith("key ")] and len(keys) > 5
    for line in keys:
        name, kind, domain, *rest = line.split()[1:]
        assert talk(f"get {name}")[0].startswith(f"value {name} ")
        assert kind in ("int", "enum", "bool") and (kind == "bool" or rest)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_levels(level):
    place = Position.parse(OPENING)
    best = ENGINE.analyse(place, level=level).best.play
    for setting in ([f"set engine.ply {level + 1}", "go"], [f"set engine.level {level}", "go"],
                    [f"go depth {level + 1}"], [f"go role chequer depth {level + 1}"]):
        answer = talk(f"position xgid {OPENING}", *setting)[-1]
        assert match_play(place, (3, 1), answer.removeprefix("bestmove ")) == best


def test_roller(monkeypatch):
    """After the plies come the rollouts, by option or from the start."""
    monkeypatch.setitem(ROLLERS, "roller", Roller("roller", 36, 3))
    rolled, analyse = [], roller.analyse

    def spy(*args, **settings_):
        rolled.append(analyse(*args, **settings_))
        return rolled[-1]

    monkeypatch.setattr(roller, "analyse", spy)
    for told in (talk(f"position xgid {RACE}", "set engine.roller roller", "get Roller", "go"),
                 talk("get engine.roller", f"position xgid {RACE}", "go", level="roller")):
        assert "value engine.roller roller" in told
        best = rolled.pop().best.play
        assert match_play(Position.parse(RACE), (3, 1), told[-1].removeprefix("bestmove ")) == best
    talk("set engine.roller roller", f"position xgid {RACE}", "go depth 2", "set engine.roller off",
         "go")
    assert not rolled
    assert talk("set engine.roller wide")[0].startswith("error bad_value")


def test_no_deeper_than_it_goes():
    place = Position.from_points([0, *[0] * 6, 1, 1, *[0] * 7, -1, -1, *[0] * 8], dice=(2, 1))
    told = talk(f"position xgid {place.id('xgid')}", "go depth 50")
    best = ENGINE.analyse(place, level=MAX_LEVEL).best
    assert match_play(place, (2, 1), told[-1].removeprefix("bestmove ")) == best.play


def test_bare_boards_of_the_draft():
    place = Position.parse(OPENING)
    best = ENGINE.analyse(place).best.play
    for line in (OPENING, OPENING.removeprefix("XGID="), place.id("fibs"), place.id("fibs-gnubg")):
        for draft in (False, True):
            (answer,) = talk(line, draft=draft)
            assert match_play(place, (3, 1), answer) == best
    cube = place.with_(dice=None)
    action = decide_cube(ENGINE, cube, 0)
    assert talk(cube.id("xgid")) == [action]
    offered = cube.with_(offer="doubled", jacoby=True, beavers=True)
    assert talk(offered.id("fibs-gnubg")) == [decide_cube(ENGINE, offered, 0)]
    shut = Position.from_points([0, 0, *[0] * 17, *[-2] * 6, 1]).with_(dice=(6, 6))
    assert talk(shut.id("xgid")) == [""]
    assert talk(f"position xgid {shut.id('xgid')}", "go") == ["bestmove pass"]
    assert talk("ubgi", draft=True)[-1] == "readyok" and "ubgiok" not in talk("ubgi", draft=True)
    assert talk("hello", draft=True)[0].startswith("sorry ")


# ---- context -------------------------------------------------------------------------------------


def test_score_cube_and_turn_by_player():
    money = asked("newgame", "dice 3 1", "go")
    assert money == Position.start(turn=0, dice=(3, 1))
    session = ["newsession type match length 7 crawford on", "setscore 2 5",
               "setcube value 2 owner p1", "newgame", "setcube value 2 owner p1"]
    zero = asked(*session, "setturn p0", f"position gnubgid {START}", "dice 6 2", "go")
    assert (zero.match_length, zero.score_own, zero.score_opp, zero.cube, zero.cube_owner) == (
        7, 2, 5, 2, "opp")
    one = asked(*session, f"position gnubgid {START}", "dice 6 2", "setturn p1", "go")
    assert (one.score_own, one.score_opp, one.cube_owner, one.turn) == (5, 2, "own", 1)
    plain = asked("newsession type money jacoby off beavers off", "dice 6 2", "go")
    assert (plain.jacoby, plain.beavers, plain.match_length) == (False, False, 0)


def test_the_crawford_game_is_the_first_with_a_side_one_short():
    session = ["newsession type match length 3", "setscore 2 0", "newgame", "dice 3 1"]
    assert asked(*session, "go").crawford
    after = asked(*session, "setscore 2 1", "newgame", "dice 3 1", "go")
    assert (after.crawford, after.score_own, after.score_opp) == (False, 2, 1)
    without = [session[0] + " crawford off", *session[1:]]
    assert not asked(*without, "go").crawford


def test_a_full_id_brings_everything():
    place = Position.parse(OPENING).with_(
        match_length=9, score_own=3, score_opp=8, crawford=True, jacoby=False, beavers=False,
        turn=0, dice=(5, 2))
    for form, text in (("xgid", place.id("xgid")), ("xgid", place.id("xgid").removeprefix("XGID=")),
                       ("gnubgid", place.id("gnu")), ("ogid", place.id("ogid")),
                       ("fibs", place.id("fibs-gnubg")), ("text", place.id("text"))):
        assert asked(f"position {form} {text}", "go").with_(max_cube=None) == place, form
    # A bare board leaves the rest alone, but the dice are gone.
    assert talk(f"position xgid {place.id('xgid')}", f"position gnubgid {START}", "go")[0] == (
        "error bad_state no dice")
    kept = asked(f"position xgid {place.id('xgid')}", f"position gnubgid {START}", "dice 5 2", "go")
    assert (kept.score_opp, kept.crawford) == (8, True)
    assert kept.own == Position.start().own


def test_cube_and_turn_roles():
    place = Position.parse(OPENING)
    cube = place.with_(dice=None)
    word = {"roll": "nodouble"}.get(decide_cube(ENGINE, cube, 0), "double")
    at = f"position xgid {OPENING}"
    assert talk(at, "go cube") == talk(at, "go role cube") == [f"bestcube {word}"]
    move = talk(at, "go")[0].removeprefix("bestmove ")
    assert talk(at, "go turn") == [f"bestturn cube={word} move={move}"]
    (answer,) = talk(at, "go role turn")
    head, after = answer.split(" move=")
    assert after == move
    result = match_play(place, (3, 1), move).result
    assert head == f"bestturn cube={word} moveid={result.id('gnu-position')}"
    assert talk(at, "set engine.moveid true", "go") == [
        f"bestmoveid {result.id('gnu-position')}", f"bestmove {move}"]
    offered = cube.with_(offer="doubled")
    assert talk(f"position xgid {offered.id('xgid')}", "go cube") == [
        f"bestcube {decide_cube(ENGINE, offered, 0)}"]


def test_variants():
    assert asked("set game.variant nackgammon", "dice 2 1", "go").own == (
        Position.start("nackgammon").own)
    assert asked("setoption name Variant value backgammon", "dice 2 1", "go").own == (
        Position.start().own)
    assert talk("set game.variant chess")[0].startswith("error bad_value")
    # Without nets for a game the answer says so.
    for lines in (["set game.variant longnardy", "newgame", "dice 6 5", "go"],
                  [f"position ndid {Position.start('long_nardy', dice=(4, 3)).id('ndid')}", "go"],
                  [Position.start("long_nardy", dice=(4, 3)).id("ndid")]):
        (answer,) = talk(*lines)
        assert answer.startswith("error unsupported nets: ") and "long_nardy" in answer


def test_long_nardy(monkeypatch):
    monkeypatch.setitem(globals(), "ENGINE", Recorder(
        {"long_nardy": random_nets("long_nardy")}, threads=1))
    place = Position.start("long_nardy", turn=0, dice=(6, 5))
    (answer,) = talk("set game.variant longnardy", "newgame", "dice 6 5", "go")
    best = ENGINE.analyse(place).best.play
    assert match_play(place, (6, 5), answer.removeprefix("bestmove ")) == best
    later = best.result.with_(dice=(4, 3))
    reply = ENGINE.analyse(later).best.play
    for lines in ([f"position ndid {later.id('ndid')}", "go"],
                  [f"position ln {later.id('ln')}", "dice 4 3", f"setturn p{later.turn}", "go"]):
        (answer,) = talk(*lines)
        assert match_play(later, (4, 3), answer.removeprefix("bestmove ")) == reply
    assert match_play(later, (4, 3), talk(later.id("ndid"))[0]) == reply
    assert talk(f"position ndid {later.id('ndid')}", "go role turn")[0].startswith("bestturn cube=")


def test_plays_are_ranked_with_the_cube_or_without():
    place, apart = Position.parse(OPENING).with_(match_length=5, score_own=3, jacoby=False,
                                                 beavers=False), 0
    for high in range(1, 7):
        for dice in ((high, low) for low in range(1, high + 1)):
            asked_ = place.with_(dice=dice)
            best = [ENGINE.analyse(asked_, cubeful=by_cube).best.play for by_cube in (True, False)]
            apart += best[0] != best[1]
            at = f"position xgid {asked_.id('xgid')}"
            for setting, play in (((), best[0]), (("set engine.evalmode cubeless",), best[1])):
                answer = talk(at, *setting, "go")[-1]
                assert match_play(asked_, dice, answer.removeprefix("bestmove ")) == play
    assert apart  # the two ways do not always agree
    assert talk("get EvalMode") == ["value engine.evalmode cubeful"]


# ---- searches ------------------------------------------------------------------------------------


def infos(lines):
    found = []
    for line in lines:
        words = line.split(" pv ")[0].split()[1:]
        found.append(dict(zip(words[::2], words[1::2], strict=True)))
    return found


def test_stop_ends_a_rollout_with_an_answer(process):
    place = Position.parse(RACE)
    process.send(f"position xgid {RACE}", "go trials 5000000")
    process.until("info ")
    process.send("isready")
    process.until("readyok")
    process.send("go", RACE)
    refused = process.until("error")[-1:] + process.until("error")[-1:]
    assert [line.split()[:2] for line in refused] == [["error", "bad_state"]] * 2
    process.send("setturn p0", "go")
    assert process.until("error")[-1].startswith("error search_in_progress ")
    process.send("stop")
    answer = process.until("bestmove", "error")[-1]
    assert match_play(place, (3, 1), answer.removeprefix("bestmove "))
    process.send("isready")
    assert process.line() == "readyok"  # nothing comes after the answer
    process.send("stop", "isready")
    assert process.line() == "readyok"
    process.send("go depth 1")
    assert process.until("bestmove", "error")[-1].startswith("bestmove ")


def test_stop_ends_a_deep_search_with_what_is_known(process):
    process.send(f"position xgid {OPENING}", "go depth 5")
    told = process.until("info ")
    process.send("go")
    *more, refused = process.until("error", "bestmove")
    assert refused.startswith("error bad_state ")
    process.send("stop")
    *rest, answer = process.until("bestmove", "error")
    depth = len(infos([*told, *more, *rest]))
    assert depth < 5
    place = Position.parse(OPENING)
    assert match_play(place, (3, 1), answer.removeprefix("bestmove ")) == (
        ENGINE.analyse(place, level=depth - 1, top=1).best.play)


def test_stop_need_not_wait_for_a_rollout(process):
    """Before its first games are over the answer is the static choice."""
    process.send(f"position xgid {OPENING}", "go trials 5000000", "stop")
    place = Position.parse(OPENING)
    answer = process.until("bestmove", "error")[-1].removeprefix("bestmove ")
    assert match_play(place, (3, 1), answer) == ENGINE.analyse(place).best.play


def test_a_rollout_that_ends_by_itself(process):
    place, equities = Position.parse(RACE), []
    process.send("set engine.seed 5", f"position xgid {RACE}")
    for mode in ("cubeful", "cubeless"):
        process.send(f"setoption name EvalMode value {mode}", "go trials 72")
        *told, answer = process.until("bestmove", "error")
        last = infos(told)[-1]
        plays = [c.play for c in ENGINE.analyse(
            place, cubeful=mode == "cubeful", top=5).candidates]
        result = ENGINE.rollout(
            place, plays=plays, trials=72, seed=5, cubeful=mode == "cubeful").wait()
        assert (last["trials"], last["role"]) == ("72", "chequer")
        assert float(last["eq"]) == pytest.approx(result.entries[0].equity, abs=1e-4)
        assert match_play(place, (3, 1), answer.removeprefix("bestmove ")) == (
            result.entries[0].play)
        equities.append(last["eq"])
    assert equities[0] != equities[1]


@pytest.mark.parametrize("offer", ["none", "doubled"])
def test_a_rollout_of_a_cube_decision(process, offer):
    """What the two lines of the same rollout say, for the side that is asked."""
    place = Position.parse(RACE).with_(dice=None)
    asked = place.with_(offer=offer)
    process.send("set engine.seed 5", f"position xgid {asked.id('xgid')}", "go cube trials 72")
    *told, answer = process.until("bestcube", "error")
    last = infos(told)[-1]
    found = ENGINE.rollout(place, trials=72, seed=5, cubeful=True).wait().decision
    assert (last["trials"], last["role"]) == ("72", "cube")
    assert float(last["eq"]) == pytest.approx(found.best, abs=1e-4)
    doubles, taken = found.best > found.no_double, found.double_take <= found.double_pass
    assert answer.split()[1] == (
        ("double" if doubles else "nodouble") if offer == "none" else "take" if taken else "drop")


def test_movetime(process):
    process.send(f"position xgid {RACE}", "go movetime 100000")  # ends sooner: nothing deeper
    *told, answer = process.until("bestmove", "error")
    depths = [int(info["depth"]) for info in infos(told)]
    assert depths == list(range(1, len(depths) + 1)) and len(depths) >= 2
    assert answer.removeprefix("bestmove ") == told[-1].split(" pv ")[1]
    process.send("go trials 5000000 movetime 300")
    assert process.until("bestmove", "error")[-1].startswith("bestmove ")
    process.send("go movetime 0")
    assert process.until("bestmove", "error")[-1].startswith("bestmove ")


def test_info_lines_say_what_the_engine_says(process):
    process.send(f"position xgid {OPENING}", "go")
    told, answer = process.until("bestmove", "error")
    (info,) = infos([told])
    best = ENGINE.analyse(Position.parse(OPENING)).best
    nested = best.evaluation.nested
    for key, value in (("eq", best.equity), ("pwin", nested["win"]),
                       ("pgammon", nested["win_gammon"]), ("pbg", nested["win_backgammon"])):
        assert float(info[key]) == pytest.approx(value, abs=1e-4)
    assert info["depth"] == "1" and int(info["time_ms"]) >= 0


def test_commands_piped_at_once_are_answered_in_turn(process):
    process.send(f"position xgid {RACE}", "go", "go cube", "position start", "dice 6 1", "go")
    answers = [process.until("best", "error")[-1].split()[0] for _ in range(3)]
    assert answers == ["bestmove", "bestcube", "bestmove"]
    process.send(f"position xgid {RACE}", "go trials 72")
    process.process.stdin.close()  # what is asked is still answered
    assert process.until("bestmove", "error")[-1].startswith("bestmove ")
    assert process.process.wait(30) == 0


@pytest.mark.parametrize("ending", ["quit", signal.SIGINT, signal.SIGTERM])
def test_it_ends_in_the_middle_of_a_search(process, ending):
    process.send(f"position xgid {RACE}", "go trials 5000000")
    process.until("info ")
    if ending == "quit":
        process.send("quit")
    else:
        process.process.send_signal(ending)
    assert process.process.wait(30) == 0
    assert process.line("stderr") is None


def test_a_bare_board_of_long_nardy_comes_with_its_rules():
    game = UbgiGame()
    game.set_position("ln", "LN:AACA/z8AAMD/Hw:jacoby=on,maxcube=none,wall_rule=never")
    found = game.position()
    assert found == Position.start(
        "long_nardy", turn=0, jacoby=True, cube="on", wall_rule="never")
    assert game.position_with(turn=1).id("ln") == (
        "LN:AACA/z8AAMD/Hw:jacoby=on,maxcube=none,wall_rule=never")


def test_money_rules_of_a_session_are_those_of_its_game_unless_named():
    game = UbgiGame()
    assert game.position().jacoby and game.position().beavers
    game.variant = "longnardy"
    game.new_game()
    assert not game.position().jacoby and not game.position().beavers
    game.new_session(0, jacoby=True)
    assert game.position().jacoby and not game.position().beavers
