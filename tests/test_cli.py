"""The `nardy` command: answers in every format, one-line errors, exit codes, interruption."""
from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from random_nets import keep_random_nets

from nardy_core import Engine, Position, bearoff
from nardy_core.render import board_svg, board_text
from nardy_core.rollout import RolloutQuestion, RolloutStore

ROOT = Path(__file__).resolve().parent.parent
OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
RACE = "x=2:2,3:2,6:1,7:1 o=2:1,3:1,4:2,7:1,8:1 turn=x"


@pytest.fixture(scope="module")
def nets(tmp_path_factory):
    """A folder of nets with random weights."""
    folder = tmp_path_factory.mktemp("nets")
    keep_random_nets(folder)
    return keep_random_nets(folder, "long_nardy")


def process(*words, **settings):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen([sys.executable, "-m", "nardy_core", *words], env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            encoding="utf-8", **settings)


def only_line(text):
    assert text.endswith("\n") and text.count("\n") == 1 and "Traceback" not in text
    return text.strip()


# ---- answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["ru", "uk"])
@pytest.mark.parametrize(("words", "names"), [
    (("eval", "start:long_nardy"), "ply"),
    (("moves", "start:long_nardy", "--dice", "31", "--board"), "ply X O"),
    (("moves", OPENING, "--top", "2"), "ply"),
    (("rollout", "start:long_nardy:federation", "--cubeful", "--trials", "36", "--truncate", "2",
      "--plain", "--late", "1", "--max-time", "1000"), "ply SIGNATURE"),
    (("rollout", OPENING, "--top", "2", "--trials", "36", "--truncate", "1"), "ply SIGNATURE"),
    (("cube", "start:long_nardy"), ""),
    (("cube", "start:long_nardy:federation", "--owners"), ""),
    (("table", "scores", "start:long_nardy:federation", "--length", "2"), "ACTION"),
    (("table", "rolls", "start:long_nardy"), ""),
    (("table", "openings", "--start", "start:long_nardy:federation", "--top", "1"), ""),
    (("table", "replies", "--start", "start:long_nardy", "--plays", "21 24/21"), ""),
    (("duel", "NETS", "random", "--game", "long_nardy", "--pairs", "2"), "NETS random"),
    (("bench", "--seconds", "0.001"), "KERNELS"),
    (("diagram", "start:long_nardy"), "NDID X O"),
])
def test_languages(nardy, nets, words, names, lang):
    """No English is left in text, and the numbers are those of the English text."""
    words = tuple(nets if word == "NETS" else word for word in words)
    more = ("--nets", nets, "--threads", "1") if words[0] not in ("duel", "diagram") else ()
    code, out, _ = nardy(*words, *more, "--lang", lang)
    english = nardy(*words, *more)[1]
    assert code == 0 and len(out.splitlines()) == len(english.splitlines())
    if words[0] != "bench":
        numbers = re.compile(r"[-+]?[0-9]+\.[0-9]+")
        assert numbers.findall(out) == numbers.findall(english)
    known = {*names.split(), Engine(nets).kernels, nets}
    if "ACTION" in known:
        known |= {"ND", "D", "TG", "OD", "T", "P"}
    for word in sorted(known, key=len, reverse=True):
        out = out.replace(word, " ")
    if "SIGNATURE" in known:
        out = re.sub(r"[0-9a-f]{16}", " ", out)
    if "NDID" in known:
        out = out.partition("\n")[2]
    assert not re.findall(r"[A-Za-z]{2,}", out)


@pytest.mark.parametrize("words", [
    ("table", "met", "--length", "2"),
    ("table", "met", "--game", "long_nardy", "--rules", "federation", "--length", "2"),
    ("table", "take-points", "--length", "3"),
    ("table", "cube", "--win-gammons", "0.2", "--lose-gammons", "0.1"),
    ("table", "cube", "--race", "--pips", "100"),
    ("table", "bearoff", "000002", "000011"),
    ("db", "info"),
])
@pytest.mark.parametrize("lang", ["ru", "uk"])
def test_tables_in_other_languages(nardy, words, lang):
    code, out, _ = nardy(*words, "--lang", lang)
    assert code == 0 and re.findall(r"[\u0400-\u04ff]{3,}", out)
    rest = re.sub(r"EPC|D/[TP]|(one|two)-sided|long-race|/.*ndb", " ", out)
    assert not re.findall(r"[A-Za-z]{2,}", rest)


def test_positions_by_rule_sets(nardy, nets):
    """`--rules` and `start:long_nardy:NAME` for every command that takes positions."""
    paid = {"pronardy": (1, 2, 3, 4), "federation": (1, 2, 2, 2), "masters": (1, 2, 2, 3)}
    for name, points in paid.items():
        for words in (("start:long_nardy", "--rules", name), (f"start:long_nardy:{name}",)):
            data = json.loads(nardy("eval", *words, "--nets", nets, "--format", "json")[1])
            chances = list(data["probabilities"].values())
            value = sum(worth * (won - lost) for worth, won, lost in
                        zip(points, chances[:4], chances[4:], strict=True))
            assert data["equity"]["cubeless"] == pytest.approx(value, abs=1e-5)
    blocked = "w=24:15 b=24:14,4:1 turn=w"
    for rules, plays in (("pronardy", {"24/18"}), ("wikipedia", {"24/18"}),
                         ("masters", {"24/22 24/18", "24/20(2)"})):
        out = nardy("legal", blocked, "--dice", "22", "--rules", rules)[1]
        assert set(out.splitlines()) == plays
    assert nardy("legal", blocked, "--dice", "44", "--rules", "wikipedia")[1] == "24/20\n"
    assert nardy("legal", blocked, "--dice", "44")[1] == "24/20(2)\n"
    out = nardy("perft", "start:long_nardy", "--rules", "federation", "--depth", 3)[1]
    assert out == "1 15\n2 330\n3 22228\n"
    out = nardy("cube", "start:long_nardy", "--rules", "masters", "--nets", nets)[1]
    assert "No cube in play: these rules have none" in out
    out = nardy("cube", "start:long_nardy:federation", "--nets", nets)[1]
    assert "double, pass" in out
    out = nardy("rollout", "start:long_nardy", "--rules", "federation", "--cubeful", "--trials", 36,
                "--truncate", 2, "--nets", nets, "--format", "json")[1]
    assert json.loads(out)["position"].endswith("-:scoring=federation,opening=use_dice")
    out = nardy("diagram", "start:long_nardy", "--rules", "federation")[1]
    assert "opening=use_dice" in out and "[1]" in out
    assert "[1]" not in nardy("diagram", "start:long_nardy")[1]
    code, _, err = nardy("eval", "start", "--rules", "federation", "--nets", nets)
    assert code == 2 and "'federation' is not one of standard" in only_line(err)
    code, _, err = nardy("table", "scores", "start:long_nardy", "--nets", nets)
    assert code == 2 and "none is in play" in only_line(err)


def test_legal(nardy):
    code, out, err = nardy("legal", OPENING)
    assert (code, err) == (0, "") and len(out.splitlines()) == 16 and "8/5 6/5\n" in out
    code, out, _ = nardy("legal", "start:long_nardy", "--dice", "6,1", "--format", "json")
    data = json.loads(out)
    assert data["schema"] == "nardy.legal/1" and data["dice"] == [6, 1]
    for play in data["plays"]:
        assert play.keys() >= {"play", "steps", "result"} and Position.parse(play["result"])
    shut = Position.from_points([0, 0, *[0] * 17, *[-2] * 6, 1]).id()
    assert nardy("legal", shut, "--dice", "66", "--lang", "en")[1] == "no legal play\n"


def test_perft(nardy):
    code, out, _ = nardy("perft", "start", "--depth", 2, "--format", "json")
    data = json.loads(out)
    assert code == 0 and data["counts"] == [int(line.split()[1]) for line in nardy(
        "perft", "start", "--depth", 2)[1].splitlines()]
    assert nardy("perft", "start", "--depth", 0)[0] == 2


def test_eval(nardy, nets):
    code, out, _ = nardy("eval", RACE, "--nets", nets, "--format", "json", "--ply", 1)
    data = json.loads(out)
    assert code == 0 and data["schema"] == "nardy.eval/1" and data["level"] == 1
    assert data["engine"]["nets"].keys() == {"contact", "race", "small"}
    assert sum(data["probabilities"].values()) == pytest.approx(1, abs=1e-5)
    expected = Engine(nets).evaluate(Position.parse(RACE), 1)
    assert data["equity"] == {
        "cubeless": round(expected.equity, 6), "cubeful": round(expected.cubeful, 6)}
    text = nardy("eval", RACE, "--nets", nets, "--ply", 1, "--board", "--lang", "uk")[1]
    assert "виграш" in text and f"{expected.equity:+.4f}" in text and "┌" in text


def test_moves(nardy, nets):
    code, out, _ = nardy("moves", OPENING, "--nets", nets, "--format", "json", "--top", 4)
    data = json.loads(out)
    assert code == 0 and len(data["candidates"]) == 4 and data["level"] == 0
    for candidate in data["candidates"]:
        assert candidate.keys() >= {"play", "result", "equity", "difference", "level",
                                    "probabilities"}
    text = nardy("moves", OPENING, "--nets", nets, "--lang", "ru")[1]
    assert len(text.splitlines()) == 17 and data["candidates"][0]["play"] in text.splitlines()[1]


def test_rollout(nardy, nets):
    words = ("rollout", RACE, "--nets", nets, "--trials", 72, "--seed", 5)
    code, out, err = nardy(*words, "--format", "json")
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert data.keys() >= {"equity", "standard_error", "probabilities", "trials", "seed",
                           "signature"} and data["trials"] == 72 and data["seed"] == 5
    assert data["signature"] in nardy(*words, "--threads", 3)[1]
    assert data["signature"] not in nardy(*words, "--plain")[1]
    code, out, _ = nardy("rollout", OPENING, "--nets", nets, "--plays", "8/5 6/5, 24/21 24/23",
                         "--trials", 36, "--truncate", 3, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0 and {row["play"] for row in rows} == {"8/5 6/5", "24/23 24/21"}
    whole = nardy("rollout", OPENING, "--before-roll", "--nets", nets, "--trials", 36,
                  "--truncate", 2, "--format", "json")[1]
    assert "candidates" not in json.loads(whole)


def test_rollout_job(nardy, nets, tmp_path):
    words = ("rollout", RACE, "--nets", nets, "--format", "json", "--trials")
    whole = json.loads(nardy(*words, 180)[1])
    job = ("--job", tmp_path / "job")
    assert json.loads(nardy(*words, 72, *job)[1])["trials"] == 72
    code, out, err = nardy(*words, 180, *job)
    assert code == 2 and "--resume" in only_line(err)
    assert json.loads(nardy(*words, 180, *job, "--resume")[1])["signature"] == whole["signature"]
    assert nardy("rollout", "-", "--job", "x")[0] == nardy("rollout", RACE, "--resume")[0] == 2
    new = ("--job", tmp_path / "new", "--resume")  # there is nothing yet to go on from: begins
    assert json.loads(nardy(*words, 180, *new)[1])["signature"] == whole["signature"]


def test_diagram(nardy, tmp_path):
    code, out, _ = nardy("diagram", OPENING, "--ascii")
    assert code == 0 and out.startswith(OPENING) and out.isascii()
    svg = tmp_path / "x.svg"
    assert nardy("diagram", OPENING, "-o", svg, "--play", "8/5 6/5")[:2] == (0, "")
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")
    assert nardy("diagram", OPENING, "-o", svg, "--bare", "--below", "black")[0] == 0
    bare = board_svg(Position.parse(OPENING), captions=False, perspective=0)
    assert svg.read_text(encoding="utf-8") == bare
    assert nardy("diagram", OPENING, "--below", "black")[1] == (
        board_text(Position.parse(OPENING), perspective=0, ids=[OPENING]) + "\n")
    page = tmp_path / "x.html"
    assert nardy("diagram", "start:long_nardy", "-o", page, "--lang", "ru")[0] == 0
    assert "<svg" in page.read_text(encoding="utf-8")
    assert nardy("diagram", OPENING, "-o", tmp_path / "x.gif")[0] == 2
    assert nardy("diagram", OPENING, "-o", tmp_path / "none" / "x.svg")[0] == 3


def test_duel(nardy, nets, tmp_path):
    words = ("duel", nets, "random", "--pairs", 3, "--seed", 5)
    code, text, _ = nardy(*words)
    assert code == 0 and "6 games of backgammon" in text and "without luck" in text
    found = json.loads(nardy(*words, "--format", "json", "--threads", 2)[1])
    assert found["pairs"] == 3 and sum(found["classes"].values()) == 6
    points = (1, 2, 3, -1, -2, -3)
    total = sum(a * b for a, b in zip(points, found["classes"].values(), strict=True))
    assert found["points"] == pytest.approx(total / 6)
    plain = json.loads(nardy(*words, "--plain", "--format", "json")[1])
    assert plain["points"] == found["points"] and "adjusted" not in plain
    begun = plain["first_mover_classes"]
    assert "first mover" in text and sum(begun.values()) == 6
    total = sum(a * b for a, b in zip(points, begun.values(), strict=True))
    assert plain["first_mover_points"] == pytest.approx(total / 6)
    assert plain["first_mover_wins"] == pytest.approx(sum(list(begun.values())[:3]) / 6)
    deep = json.loads(nardy("duel", f"{nets}@1", nets, "--pairs", 1, "--format", "json")[1])
    assert deep["adjusted"] != deep["points"]
    for net in Path(nets).glob("backgammon-*"):
        shutil.copy(net, tmp_path)
    wrong_game = (tmp_path, "random", "--game", "long_nardy")
    for bad in (("random", "random"), wrong_game, (nets, nets + "@9")):
        code, text, error = nardy("duel", *bad, "--pairs", 1)
        assert code in (2, 4) and not text and only_line(error)


def test_bench(nardy, nets):
    code, first, _ = nardy("bench", "--signature", "--nets", nets)
    assert code == 0 and len(only_line(first)) == 16
    data = json.loads(nardy("bench", "--signature", "--nets", nets, "--threads", 3, "--kernels",
                            "baseline", "--format", "json")[1])
    assert data["signature"] == first.strip() and data["kernels"] == "baseline"
    code, out, _ = nardy("bench", "--nets", nets, "--seconds", 0.01, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0 and all(float(row["per_second"]) > 0 for row in rows)
    assert {row["game"] for row in rows} == {"backgammon", "long_nardy"}


def test_db(nardy):
    assert nardy("db", "build")[0] == 0
    code, out, _ = nardy("db", "verify", "--format", "json")
    tables = json.loads(out)["tables"]
    assert code == 0 and [t["state"] for t in tables[:2]] == ["good", "good"]
    assert all(Path(t["file"]).stat().st_size == t["bytes"] for t in tables[:2])


def test_db_long_race(nardy, tmp_path, monkeypatch):
    monkeypatch.setenv("NARDY_CACHE", str(tmp_path))
    nets = keep_random_nets(tmp_path / "nets", "long_nardy")
    position = "w=8:2,2:1,1:12 b=7:2,1:13 turn=w"
    assert nardy("db", "build")[0] == 0  # or the first answer would say that it builds them
    asked = ("eval", position, "--long-race", "--nets", nets, "--format", "json")
    code, _, err = nardy(*asked)
    assert code == 3 and "nardy db build long-race" in only_line(err)
    code, out, _ = nardy("db", "build", "long-race", "--points", 8, "--format", "json")
    last = json.loads(out)["tables"][-1]
    assert code == 0 and (last["table"], last["state"]) == ("long-race", "present")
    code, out, _ = nardy(*asked)
    answer = json.loads(out)
    assert code == 0 and "long race 8" in answer["engine"]["tables"]
    board = Position.parse(position).board[None]
    wanted = bearoff.long_race().outcomes(board)[0]
    assert list(answer["probabilities"].values())[:8] == pytest.approx(wanted.tolist(), abs=1e-6)
    for words in (("db", "verify", "long-race"), ("db", "build", "--points", 8)):
        assert nardy(*words)[0] == 2


def test_db_finds_damage(nardy, tmp_path, monkeypatch):
    monkeypatch.setenv("NARDY_CACHE", str(tmp_path))
    code, out, err = nardy("db", "verify")
    assert code == 3 and out.count("missing") == 3
    name = json.loads(nardy("db", "info", "--format", "json")[1])["tables"][0]["file"]
    Path(name).write_bytes(b"no table at all")
    code, out, err = nardy("db", "verify")
    assert code == 3 and "damaged" in out and name in only_line(err)


def test_duel_under_federation_rules(nardy):
    words = ("duel", "shipped", "random", "--game", "long_nardy", "--pairs", 20, "--plain")
    code, out, _ = nardy(*words, "--rules", "federation", "--format", "json")
    points = json.loads(out)
    classes = points["classes"]
    assert code == 0 and sum(classes.values()) == 40
    worth = {"oin": 1, "mars": 2, "koks": 2, "home_mars": 2}
    total = sum((1 if name.startswith("win") else -1) * worth[name.split("_", 1)[1]] * n
                for name, n in classes.items())
    assert points["points"] == pytest.approx(total / 40)
    assert json.loads(nardy(*words, "--format", "json")[1])["points"] > points["points"]
    assert nardy(*words, "--rules", "paris")[0] == 2


def test_train(nardy, tmp_path):
    words = ("train", "--recipe", "backgammon", "--dir", tmp_path, "--scale", 0.0001)
    code, out, err = nardy(*words, "--hours", 1e-9)
    assert code == 0 and out.strip() == str(tmp_path / "nets") and "generation" not in err
    assert nardy("train", "--recipe", "chess", "--dir", tmp_path)[0] == 2


# ---- many positions ---------------------------------------------------------------------------


def test_stdin(nardy, nets):
    lines = f"{OPENING}\n\n# a comment\n{RACE}\n"
    code, out, _ = nardy("eval", "-", "--nets", nets, "--format", "json", stdin=lines)
    assert code == 0 and [d["schema"] for d in json.loads(out)] == ["nardy.eval/1"] * 2
    code, out, _ = nardy("eval", "-", "--nets", nets, "--format", "jsonl", stdin=lines)
    assert code == 0 and len([json.loads(line) for line in out.splitlines()]) == 2
    code, out, _ = nardy("eval", "-", "--nets", nets, "--format", "csv", stdin=lines)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0 and len(rows) == 2 and Position.parse(rows[0]["position"])
    assert json.loads(nardy("eval", "-", "--nets", nets, "--format", "json")[1]) == []


def test_wrong_lines_are_passed_over(nardy, nets):
    code, out, err = nardy("moves", "-", "--nets", nets, "--format", "json", "--top", 1,
                           stdin=f"junk\n{OPENING}\nstart\n")
    assert code == 1 and len(json.loads(out)) == 1
    first, second = err.splitlines()
    assert first.startswith("nardy: line 1: position: 'junk'")
    assert second == "nardy: line 3: dice: the position has no roll, give --dice"


# ---- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("words", "text"), [
    (("legal", "junk", "--dice", "31"), "'junk' is in no known form"),
    (("legal", OPENING.replace("E", "P"), "--dice", "31"), "XGID field 1"),
    (("legal", "start"), "--dice"),
    (("legal", "start", "--dice", "71"), "'71' is not a roll"),
    (("legal", "\x00", "--dice", "31"), "position"),
    (("perft", "start", "--depth", "9"), "depth: 9"),
    (("perft", "start", "--depth", "-1"), "'-1'"),
    (("eval", "start", "--ply", "9"), "level: 9"),
    (("rollout", OPENING, "--top", "3", "--plays", "8/4"), "either plays or top"),
    (("rollout", OPENING, "--plays", "13/8"), "'13/8' is not legal with 3-1"),
    (("rollout", OPENING, "--se", "0"), "--se"),
    (("diagram", OPENING, "-o", "x.svg", "--theme", "none"), "none"),
    (("nothing",), "nothing"),
    ((), "COMMAND"),
])
def test_bad_input_is_one_line(nardy, nets, words, text):
    extra = ("--nets", nets) if words and words[0] in ("eval", "rollout") else ()
    code, out, err = nardy(*words, *extra)
    assert code == 2 and out == "" and text in only_line(err)


@pytest.mark.parametrize("words", [
    ("eval", "start:hypergammon3"), ("moves", "start:hypergammon3", "--dice", "31"),
    ("rollout", "start:hypergammon3", "--dice", "31", "--trials", 36),
    ("cube", "start:hypergammon3"),
])
def test_games_without_a_net(nardy, nets, words):
    code, out, err = nardy(*words, "--nets", nets)
    assert code == 4 and out == "" and "no net knows games with 3 checkers" in only_line(err)
    if words[0] == "eval":
        code, out, err = nardy("eval", "-", "--nets", nets, stdin=f"{words[1]}\nstart\n")
        assert code == 1 and out.count("0-ply") == 1 and "line 1: engine: no net" in only_line(err)


def test_missing_and_damaged_nets(nardy, tmp_path):
    code, out, err = nardy("eval", "start", "--nets", tmp_path)
    assert code == 4 and "has no contact net of backgammon" in only_line(err)
    (tmp_path / "backgammon-contact.net").write_bytes(b"NARDYBIN and no more")
    code, out, err = nardy("eval", "start", "--nets", tmp_path)
    assert code == 3 and "backgammon-contact.net" in only_line(err)


def test_unexpected_errors_have_no_traceback(nardy, monkeypatch):
    monkeypatch.delenv("NARDY_DEBUG", raising=False)
    monkeypatch.setattr(Position, "parse", lambda text: 1 / 0)
    code, out, err = nardy("legal", "start")
    assert code == 4 and only_line(err) == "nardy: ZeroDivisionError: division by zero"


def test_help_and_version(nardy):
    code, out, _ = nardy("--help")
    assert code == 0
    for name in ("legal", "perft", "eval", "moves", "rollout", "diagram", "bench", "train", "db"):
        assert f"\n    {name}" in out
        assert nardy(name, "--help")[0] == 0
    assert nardy("--version")[1].startswith("nardy ")


# ---- as a process -----------------------------------------------------------------------------


def test_interruption_keeps_what_is_done(nets, tmp_path):
    run = process("rollout", OPENING, "--top", "2", "--trials", "100000000", "--truncate", "2",
                  "--nets", nets, "--format", "json", "--job", str(tmp_path))
    sums = tmp_path / "rollout.sums"
    while not sums.exists() or sums.stat().st_size < 1500:
        assert run.poll() is None, run.communicate()
        time.sleep(0.02)
    begun = time.monotonic()
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    waited = time.monotonic() - begun
    data = json.loads(out)
    assert run.returncode == 130 and err == "nardy: interrupted\n"
    assert data["trials"] >= 36 and data["complete"] is False and data["reason"] == "stopped"
    kept, = RolloutStore(tmp_path / "rollout.sums").questions()
    rows = RolloutStore(tmp_path / "rollout.sums").rows(RolloutQuestion.from_dict(kept))
    assert len(list(rows)) * 36 == data["trials"]
    assert waited < 5  # half a second where the machine has nothing else to do


def test_a_closed_pipe_is_quiet(nets):
    run = process("eval", "-", "--nets", nets, "--format", "jsonl", stdin=subprocess.PIPE)
    run.stdin.write("start\n")
    run.stdin.flush()
    assert json.loads(run.stdout.readline())["schema"] == "nardy.eval/1"
    run.stdout.close()
    try:
        run.stdin.write("start\n" * 2000)
        run.stdin.close()
    except BrokenPipeError:
        pass
    assert run.wait(timeout=60) == 0 and run.stderr.read() == ""
    run.stderr.close()


def test_module_is_the_command():
    run = process("perft", "start", "--depth", "1")
    out, err = run.communicate(timeout=60)
    assert (run.returncode, err) == (0, "") and out.split()[0] == "1"


def test_csv_has_one_kind_of_rows(nardy):
    code, out, err = nardy("eval", "-", "--format", "csv", stdin="start\nstart:long_nardy\nstart\n")
    assert code == 1 and len(out.splitlines()) == 3
    assert err == ("nardy: line 2: csv: other columns than the first answer has, as of another "
                   "game; --format jsonl takes all\n")


def test_a_number_that_is_too_large_is_told_the_range(nardy):
    most, beyond = "is not in 1..1000000000000", "9" * 20
    for words, says in ((("rollout", "start", "--trials", beyond), most),
                        (("rollout", "start", "--trials", 10**12 + 1), most),
                        (("rollout", "start", "--trials", "9" * 5000), most),
                        (("table", "openings", "--trials", beyond), most),
                        (("rollout", "start", "--top", "0"), "is not in 1..999999999999999"),
                        (("rollout", "start", "--trials", "many"), "not a whole number")):
        code, out, err = nardy(*words)
        assert (code, out) == (2, "") and says in err and err.count("\n") == 1


def test_a_line_that_does_not_end_is_refused(nardy, tmp_path):
    """Before its end is read, which /dev/zero does not have."""
    file = tmp_path / "many.txt"
    file.write_text("# comment\n" + "x" * (1 << 21) + "\n")
    for path, line in ((file, 2), ("/dev/zero", 1)):
        assert nardy("rollout", "--batch", path, "--trials", 36) == (
            2, "", f"nardy: {path} line {line}: more than 1048576 characters\n")
    assert nardy("eval", "-", stdin="x" * (1 << 21)) == (
        2, "", "nardy: stdin line 1: more than 1048576 characters\n")
