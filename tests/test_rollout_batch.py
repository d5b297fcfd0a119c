"""Rollouts of many positions: an answer for each, in order, and nothing computed twice."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from random_nets import keep_random_nets, random_nets

import nardy_core as nd
from nardy_core import rollout_batch, rollout_question, rollout_workers
from nardy_core.cli import main
from nardy_core.rollout import CHUNK, RolloutStore
from nardy_core.rollout_batch import read_items

ROOT = Path(__file__).resolve().parent.parent
RACES = [f"x=2:{n},3:2,6:1,7:1 o=2:1,3:1,4:2,7:1,8:1 turn=x" for n in range(1, 7)]
LONG = "w=6:4,3:3,1:5 b=24:2,10:5,5:8 turn=w"
OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
LINES = [
    RACES[0], "", "# no item", json.dumps({"id": "two", "position": RACES[1]}), "x=99",
    json.dumps({"id": "dice", "position": RACES[2], "dice": [2, 1], "top": 2}),
    json.dumps({"position": OPENING, "plays": ["8/5 6/5", "24/21 24/23"]}),
    json.dumps({"id": "bad", "position": RACES[0], "dice": [7, 1]}), RACES[0], "{",
    json.dumps({"id": "other", "position": RACES[0], "trials": 3}), OPENING,
]
BAD = [5, 8, 10, 11]


@pytest.fixture(scope="module")
def engine():
    return nd.Engine({"backgammon": random_nets()}, threads=2)


@pytest.fixture
def worked(monkeypatch):
    """Chunks that were computed, as they are."""
    done, real = [], rollout_workers.run_chunks

    def counted(question, model, first, count, **more):
        done.extend((question.key, chunk) for chunk in range(first, first + count))
        return real(question, model, first, count, **more)

    monkeypatch.setattr(rollout_workers, "run_chunks", counted)
    return done


def test_answers_are_those_of_single_rollouts(engine, worked, tmp_path):
    settings = {"trials": 4 * CHUNK, "truncate": 3}
    found = list(engine.rollout_many(read_items(LINES), **settings, top=2))
    assert [answer.item.number for answer in found] == [1, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    assert [a.item.number for a in found if a.error] == BAD
    assert len(worked) == len(set(worked)) == 4 * 5  # the first and the ninth are one
    for item, result, error in found:
        if not error:
            single = engine.rollout(
                item.position, item.dice, plays=item.plays, **settings,
                top=item.top or (2 if item.number == 12 else None)).wait()
            assert result.signature == single.signature and result.entries == single.entries
    ids = [str(a.error) for a in found if a.error]
    assert "x=99" in ids[0] or "99" in ids[0]
    assert "trials" in ids[3]
    by_ids = list(engine.rollout_many([RACES[0], nd.Position.parse(RACES[1]), "x"], **settings))
    assert [a.result and a.result.signature for a in by_ids] == [
        found[0].result.signature, found[1].result.signature, None]


def test_nothing_is_computed_twice(engine, worked, tmp_path):
    settings = {"trials": 4 * CHUNK, "truncate": 3}
    first = engine.rollout_many(read_items(LINES), **settings, store=tmp_path / "x.sums",
                                cache=tmp_path / "cache.sums")
    kept = [next(first) for _ in range(4)]
    first.close()  # as an interruption does
    # What was under way when it stopped has to be done again, at most a piece of each thread.
    store = RolloutStore(tmp_path / "x.sums")
    before = len(worked)
    lacking = 4 * 5 - sum(store.extent(question)[0] for question in store.questions())
    again = list(engine.rollout_many(read_items(LINES), **settings, store=tmp_path / "x.sums"))
    assert len(set(worked)) == 4 * 5 and len(worked) - before == lacking <= 4 * 5 - 4 * 3
    for old, new in zip(kept, again, strict=False):
        assert (old.result and old.result.signature) == (new.result and new.result.signature)
    list(engine.rollout_many(RACES, **settings, cache=tmp_path / "cache.sums"))
    count = len(worked)
    with ThreadPoolExecutor(3) as pool:
        cached = list(engine.rollout_many(
            RACES, **settings, cache=tmp_path / "cache.sums", executor=pool))
    assert len(worked) == count and all(answer.result.complete for answer in cached)


def test_stopping_rules_stop_each(engine):
    rule = {"trials": 10**6, "se": 0.05}
    for answer in engine.rollout_many(RACES[:3], **rule):
        single = engine.rollout(answer.item.position, **rule).wait()
        assert answer.result.reason == "se" and answer.result.signature == single.signature


def test_a_store_that_fails_ends_it(engine, monkeypatch, tmp_path):
    store = RolloutStore(tmp_path / "x.sums")
    monkeypatch.setattr(store, "add", lambda *a: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        list(engine.rollout_many(RACES, trials=CHUNK, store=store))
    # Unlike settings are said of each item: another one may be of another game.
    engine.rollout(nd.Position.parse(RACES[0]), trials=CHUNK, store=tmp_path / "y.sums").wait()
    answers = list(engine.rollout_many(RACES[:2], seed=2, store=tmp_path / "y.sums"))
    assert all("seed is 1, asked is 2" in str(answer.error) for answer in answers)


# ---- the command ------------------------------------------------------------------------------


@pytest.fixture
def words(tmp_path):
    keep_random_nets(tmp_path)
    (tmp_path / "items").write_text("\n".join(LINES))
    return ["rollout", "--batch", str(tmp_path / "items"), "--nets", str(tmp_path), "--trials",
            str(2 * CHUNK), "--truncate", "2", "--no-cache"]


def test_command(words, tmp_path, capsys):
    assert main([*words, "--format", "jsonl"]) == 1
    out, err = capsys.readouterr()
    found = [json.loads(line) for line in out.splitlines()]
    assert [data["item"] for data in found if "error" in data] == BAD
    assert {d["item"]: d["id"] for d in found if "id" in d} == {
        4: "two", 6: "dice", 8: "bad", 11: "other"}
    assert all(d["trials"] == 72 and d["schema"] == "nardy.rollout/1" and d["signature"]
               for d in found if "error" not in d)
    assert err.splitlines()[-1].endswith("4 of 10 failed: lines 5, 8, 10, 11")
    assert len(err.splitlines()) == 5 and "line 8: dice" in err
    assert main([*words, "--format", "jsonl", "--job", str(tmp_path / "job")]) == 1
    assert capsys.readouterr().out == out
    assert main([*words, "--format", "jsonl", "--job", str(tmp_path / "job")]) == 2
    assert "--resume" in capsys.readouterr().err
    assert main([*words, "--format", "jsonl", "--job", str(tmp_path / "job"), "--resume"]) == 1
    assert capsys.readouterr().out == out
    assert main([*words, "--format", "csv"]) == 1
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["item"] for row in rows if row["item"] in "67"] == ["6", "6", "7", "7"]
    assert main([*words, "start"]) == main([*words, "--plays", "8/5 6/5"]) == 2
    assert main(["rollout"]) == 2 and main(["rollout", "--batch", str(tmp_path / "none")]) == 3


def test_csv_takes_both_games_and_what_fails(words, tmp_path, capsys):
    """Columns are those of all games, whichever comes first; a line that fails has its row."""
    keep_random_nets(tmp_path, "long_nardy")
    lines = [RACES[0], "x=99", LONG, "w=24:15", RACES[1]]
    found = []
    for order in (lines, lines[::-1]):
        (tmp_path / "items").write_text("\n".join(order))
        assert main([*words, "--format", "csv"]) == 1
        out, err = capsys.readouterr()
        assert "2 of 5 failed" in err
        rows = list(csv.DictReader(io.StringIO(out)))
        assert [row["item"] for row in rows] == list("12345")
        for row, line in zip(rows, order, strict=True):
            assert bool(row["error"]) == (line in ("x=99", "w=24:15"))
            assert bool(row["signature"]) == bool(row["equity"]) != bool(row["error"])
            assert bool(row["win_koks"]) == (line == LONG)
            assert bool(row["win_backgammon"]) == (line in RACES)
        found.append(out.splitlines()[0])
    assert found[0] == found[1] and len(set(found[0].split(","))) == found[0].count(",") + 1


def test_a_batch_answered_by_the_cache_is_in_its_job(words, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("NARDY_CACHE", str(tmp_path / "cache"))
    words.remove("--no-cache")
    job = tmp_path / "season"
    assert main(words) == 1
    out = capsys.readouterr().out
    assert main([*words, "--job", str(job)]) == 1
    assert capsys.readouterr().out == out
    assert main(["job", "info", str(job), "--format", "jsonl"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [data["trials"] for data in told] == [2 * CHUNK] * 5
    assert main(["job", "merge", str(tmp_path / "both"), str(job)]) == 0
    assert capsys.readouterr().out.startswith("10 chunks added")
    assert main([*words, "--job", str(tmp_path / "both"), "--no-cache", "--resume"]) == 1
    assert capsys.readouterr().out == out
    # Where there can be no cache all is answered all the same.
    monkeypatch.setenv("NARDY_CACHE", str(tmp_path / "items" / "below"))
    assert main(words) == 1
    shown = capsys.readouterr()
    assert shown.out == out and "rollouts not cached" in shown.err


def test_progress_as_json_lines(words, tmp_path, capsys, monkeypatch):
    """Of items at work and of answers; errors stand in their place."""
    monkeypatch.setattr(rollout_question, "PIECE_SECONDS", 1e-9)
    words[words.index("--trials") + 1] = str(5 * CHUNK)
    assert main([*words, "--progress", "json", "--format", "jsonl"]) == 1
    out, err = capsys.readouterr()
    found = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
    assert {line["schema"] for line in found} == {"nardy.rollout-progress/1"}
    answers = [json.loads(line) for line in out.splitlines()]
    told = {line["item"]: line for line in found}  # the last one of each
    assert told.keys() == {answer["item"] for answer in answers}
    for answer in answers:
        last = told[answer["item"]]
        assert last.get("error") == answer.get("error") and last.get("id") == answer.get("id")
        if "error" not in answer:
            assert last["trials"] == last["of"] == answer["trials"] == 5 * CHUNK
            assert last["candidates"][0]["equity"] == pytest.approx(answer["equity"], abs=1e-6)
    assert any(line.get("trials", 5 * CHUNK) < 5 * CHUNK for line in found)
    assert (found[-1]["answered"], found[-1]["failed"]) == (len(answers), len(BAD))
    assert main([*words, "--progress", "json", "--quiet", "--format", "jsonl"]) == 1
    assert not [line for line in capsys.readouterr().err.splitlines() if line.startswith("{")]


def test_interrupted(words, tmp_path):
    """Ctrl-C ends it with what is answered, and the job goes on from there."""
    (tmp_path / "items").write_text("\n".join(RACES * 50 + [OPENING]))
    words[words.index("--trials") + 1] = "100000000"
    command = [sys.executable, "-m", "nardy_core", *words, "--job", str(tmp_path / "job")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    sums = tmp_path / "job" / "rollout.sums"
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as run:
        while not sums.exists() or sums.stat().st_size < 5000:
            assert run.poll() is None
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=120)
    assert run.returncode == 130 and err == "nardy: interrupted\n" and out == ""
    assert RolloutStore(sums).damaged == 0 and RolloutStore(sums).questions()


def test_a_terminal_does_not_obey_an_id(words, tmp_path, capsys):
    (tmp_path / "items").write_text(json.dumps({"id": "a\x1b[31m\nb", "position": "start"}))
    assert main(words) == 0
    out = capsys.readouterr().out
    assert out.startswith("a\\x1b[31m\\nb:\n") and "\x1b" not in out


def test_junk_lines_are_errors_of_their_own():
    broken = next(iter(read_items(['{"position']))).error
    assert str(broken).startswith("no JSON object: ")
    junk = ["[]", "{}", '{"position": 3}', '{"position": "start", "dice": [1]}', "\x00", "{" * 9999,
            '{"position": "start", "plays": "8/5"}', '{"position": "start", "top": 0}',
            '{"position": "start", "dice": [1.0, 2]}', '["position"]', "\ud800", '{"id": {}}']
    for item in read_items(junk):
        assert isinstance(item.error, ValueError | RecursionError) and item.position is None
    assert [item.number for item in read_items(["", "start"])] == [2]
    assert rollout_batch.KEYS[1] == "position"
