"""Raw sums on disk: the format, files that are cut, damaged or none, and what belongs together."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import random
import struct
import time
import zlib

import numpy as np
import pytest
from random_nets import random_nets
from stores import LONG, OTHER, RACE, filled, kept

import nardy_core as nd
from nardy_core import rollout
from nardy_core.cube_inputs import CubeEfficiency
from nardy_core.errors import FileFormatError
from nardy_core.rollout import CHUNK, RolloutQuestion, RolloutStore
from nardy_core.rollout_begin import open_account
from nardy_core.rollout_question import unlike
from nardy_core.rollout_store import Total


@pytest.fixture(scope="module")
def engine():
    engine = nd.Engine({"backgammon": random_nets()}, threads=1)
    engine.rollout(RACE, trials=36).wait()  # tables are read
    return engine


# ---- files ------------------------------------------------------------------------------------


def test_cut_anywhere(engine, tmp_path):
    path, cut = tmp_path / "x.sums", tmp_path / "cut.sums"
    store, question, result = filled(engine, path)
    data, whole = path.read_bytes(), kept(path, question)
    for length in random.Random(3).sample(range(len(data)), 150):
        cut.write_bytes(data[:length])
        before = kept(cut, question)
        assert before.items() <= whole.items()
        if length % 5 == 0:  # going on, the torn end is gone
            again = engine.rollout(RACE, trials=result.trials, store=cut).wait()
            assert again.signature == result.signature
            assert RolloutStore(cut).damaged == 0 and kept(cut, question) == whole
    cut.write_bytes(data[:-1])
    assert kept(cut, question).items() < whole.items()


def test_long_nardy_goes_on_where_it_was_cut(tmp_path):
    engine = nd.Engine({"long_nardy": random_nets("long_nardy")}, threads=1)
    path, cut = tmp_path / "long.sums", tmp_path / "cut.sums"
    _, question, result = filled(engine, path, LONG, truncate=3)
    data, whole = path.read_bytes(), kept(path, question)
    assert len(whole) == 12
    for length in (len(data) // 2, len(data) - 1):
        cut.write_bytes(data[:length])
        assert 0 < len(kept(cut, question)) < 12
        again = engine.rollout(LONG, trials=result.trials, truncate=3, store=cut).wait()
        assert again.signature == result.signature and kept(cut, question) == whole
    otherwise = LONG.with_(rules={**LONG.rules, "scoring": "pronardy"})
    found = engine.rollout(otherwise, trials=CHUNK, truncate=3, store=cut)
    assert found.wait().signature != result.signature
    assert len(RolloutStore(cut).questions()) == 2 and kept(cut, question) == whole


def test_damage_anywhere(engine, tmp_path):
    """Bytes changed, cut out, put in or doubled: what is read is right, the rest is missing."""
    path, hurt = tmp_path / "x.sums", tmp_path / "hurt.sums"
    store, question, result = filled(engine, path)
    data, whole = path.read_bytes(), kept(path, question)
    rng, lost = random.Random(4), 0
    for round_ in range(400):
        bad = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 5))):
            at, length = rng.randrange(16, len(bad)), rng.choice((1, 4, 40, 400))
            what = rng.randrange(4)
            if what == 0:
                bad[at] ^= 1 << rng.randrange(8)
            elif what == 1:
                del bad[at:at + length]
            elif what == 2:
                bad[at:at] = rng.choice((rng.randbytes(length), b"\xa5REC" * length))
            else:
                bad[at:at] = bad[rng.randrange(len(bad)):][:length]
        hurt.write_bytes(bad)
        read = kept(hurt, question)
        assert read.items() <= whole.items()
        lost += len(read) < len(whole)
        if round_ % 10 == 0:
            again = engine.rollout(RACE, trials=result.trials, store=hurt).wait()
            assert again.signature == result.signature and kept(hurt, question) == whole
    assert lost > 100


def test_files_that_are_no_stores(engine, tmp_path):
    path = tmp_path / "x.sums"
    good = filled(engine, path)[0] and path.read_bytes()
    for data, text in [
        (b"x", "no store"), (b"NARDYBIN" * 9, "no store"), (good[1:], "no store"),
        (good[:8] + struct.pack("<II", 2, 0) + good[16:], "version 2"),
    ]:
        path.write_bytes(data)
        for create in (True, False):
            with pytest.raises(FileFormatError, match=f"x.sums: .*{text}"):
                RolloutStore(path, create=create)
        assert path.read_bytes() == data
    path.write_bytes(good[:7])
    with pytest.raises(FileFormatError):
        RolloutStore(path, create=False)
    assert RolloutStore(path).questions() == []  # begun, and never finished
    with pytest.raises(FileNotFoundError):
        RolloutStore(tmp_path / "none.sums", create=False)
    with pytest.raises(OSError):
        RolloutStore(tmp_path / "none" / "x.sums")
    store = filled(engine, path)[0]
    path.write_bytes(good[:60])
    with pytest.raises(FileFormatError, match="shorter"):
        store.refresh()


def test_junk_takes_no_long_time(tmp_path):
    path, rng = tmp_path / "junk.sums", random.Random(5)
    head = b"NARDYSUM" + struct.pack("<II", 1, 0)
    for junk in (b"\xa5REC" * 500_000, rng.randbytes(2_000_000), bytes(2_000_000)):
        path.write_bytes(head + junk)
        begun = time.process_time()
        assert RolloutStore(path).questions() == []
        assert time.process_time() - begun < 10


def records(data):
    """The records of a store as the format is written down, by other means than the reader's."""
    at = 16
    while at < len(data):
        mark, kind, length, check = struct.unpack_from("<4sIQI", data, at)
        assert mark == b"\xa5REC" and check == zlib.crc32(data[at:at + 16])
        content = data[at + 20:at + 20 + length]
        end = at + 20 + length + 8
        assert data[end - 8:end] == hashlib.blake2b(data[at:end - 8], digest_size=8).digest()
        yield kind, content
        at = end


def test_the_format_is_as_written_down(engine, tmp_path):
    path = tmp_path / "x.sums"
    store, question, result = filled(engine, path)
    store.add_total(question, Total(2, 0.5, None, "se", np.arange(question.length, dtype=float)))
    data = path.read_bytes()
    assert data[:16] == b"NARDYSUM\1\0\0\0\0\0\0\0"
    (kind, text), *rows, (last, total) = records(data)
    key = hashlib.blake2b(text, digest_size=16).digest()
    assert (kind, last) == (1, 3) and json.loads(text)["seed"] == 1
    assert RolloutQuestion.from_dict(json.loads(text)) == question
    sums = np.zeros(question.length)
    for number, (kind, content) in enumerate(rows):
        of, first, subjects, seconds, m, k = struct.unpack_from("<16sQQdII", content)
        assert (kind, of, subjects, k) == (2, key, 1, question.length) and seconds == 0.5
        assert (first, m) == [(0, 3), (3, 1), (4, 5), (9, 3)][number]
        for row in np.frombuffer(content[48:], "<f8").reshape(m, k):
            sums += row
    assert sums[0] == result.trials  # the first number of a row counts trials
    of, done, j, k = struct.unpack_from("<16sQII", total)
    assert (of, done, k) == (key, 2, question.length)
    assert json.loads(total[32:32 + j]) == {"se": 0.5, "jsd": None, "reason": "se"}
    assert (np.frombuffer(total[32 + j:], "<f8") == np.arange(k)).all()


def test_rows_without_numbers_are_none(tmp_path):
    """A record may hold together and still claim four thousand million chunks of nothing."""
    path, question = tmp_path / "x.sums", b'{"game":"backgammon"}'
    key = hashlib.blake2b(question, digest_size=16).digest()
    data = b"NARDYSUM" + struct.pack("<II", 1, 0)
    rows = struct.pack("<16sQQdII", key, 0, 1, 0.0, 2**32 - 1, 0)
    for kind, content in ((1, question), (2, rows)):
        head = struct.pack("<4sIQ", b"\xa5REC", kind, len(content))
        record = head + struct.pack("<I", zlib.crc32(head)) + content
        data += record + hashlib.blake2b(record, digest_size=8).digest()
    path.write_bytes(data)
    store = RolloutStore(path)
    assert store.questions() == [{"game": "backgammon"}]
    assert store.extent({"game": "backgammon"}) == (0, 0.0)


# ---- what belongs together --------------------------------------------------------------------


def test_unlike_settings_are_refused_by_name(engine, tmp_path):
    path = tmp_path / "x.sums"
    filled(engine, path)
    engine.rollout(OTHER, trials=CHUNK, store=path).wait()  # the same settings, another position
    engine.rollout(nd.Position.start(), trials=CHUNK, store=path).wait()  # without opening doubles
    before = path.read_bytes()
    for settings, text in [
        ({"seed": 2}, "seed is 1, asked is 2"),
        ({"truncate": 4}, "truncate is 0, asked is 4"),
        ({"variance_reduction": False}, "variance_reduction is True, asked is False"),
    ]:
        with pytest.raises(ValueError, match=f"x.sums: .*{text}"):
            engine.rollout(OTHER, store=path, **settings)
    others = nd.Engine({"backgammon": random_nets(seed=2)})
    with pytest.raises(ValueError, match=r"nets\.contact is [0-9a-f]+, asked is [0-9a-f]+$"):
        others.rollout(RACE, store=path)
    single = RolloutStore(path, single=True)
    with pytest.raises(ValueError, match="position is x=7:1,6:1"):
        engine.rollout(GONE, store=single)
    assert path.read_bytes() == before
    assert engine.rollout(RACE, trials=CHUNK, store=single).wait().trials == CHUNK


WIDE = ("w=1:1,3:2,5:1,7:2,9:1,11:2,13:1,15:1,17:1,19:2,21:1 "
        "b=2:1,4:2,6:1,8:2,10:1,12:2,14:1,16:1,18:1,20:2,22:1 turn=w")

SHORT = ("x=24:2,13:4,11:1,8:3,6:5 o=24:2,13:4,10:1,8:3,6:5 turn=x dice=31 beavers=off jacoby=off "
         "cube=2:x")


@pytest.mark.parametrize(("there", "asked", "shown"), [
    (f"{WIDE} dice=53", f"{WIDE} dice=64", ("dice=53", "dice=64")),
    (f"{WIDE} scoring=masters", f"{WIDE} scoring=federation", ("masters", "federation")),
    (WIDE, f"{WIDE} scoring=federation", ("turn=w", "scoring=federation")),
    (f"{SHORT} score=1-2/7", f"{SHORT} score=1-3/7", ("1-2/7", "1-3/7")),
])
def test_what_differs_in_positions_is_shown(there, asked, shown):
    """However much they have in common before and behind it."""
    texts = [nd.Position.parse(text).id("text") for text in (there, asked)]
    said = unlike({"position": texts[0]}, {"position": texts[1]})
    old, new = said.removeprefix("position is ").split(", asked is ")
    assert old != new and shown[0] in old and shown[1] in new
    assert old.strip("…") in texts[0] and new.strip("…") in texts[1]
    assert max(map(len, (old, new))) < len(texts[0]) / 2


def test_what_differs_in_lists_and_long_values_is_shown():
    plays = [f"{n}/{n - 3} {n}/{n - 1}" for n in range(24, 4, -1)]
    said = unlike({"plays": plays[:8]}, {"plays": plays[:9]})
    assert repr(plays[8]) in said and plays[0] not in said
    old, new = said.removeprefix("plays is ").split(", asked is ")
    assert old.endswith("]") and new.endswith("]") and new.startswith("…")
    assert unlike({"seed": "1"}, {"seed": 1}) == "seed is '1', asked is 1"
    for common in ("", "b" * 500, "ab\n" * 300, "one " * 200):
        for one, other in (("1", "2"), ("x" * 400, "y" * 300), ("", "more"), ("\n", "")):
            for values in ((common + one + common, common + other + common),
                           (common + one, common + other), (one + common, other + common)):
                said = unlike({"name": values[0]}, {"name": values[1]})
                old, new = said.removeprefix("name is ").split(", asked is ")
                assert old != new and len(said) < 240 and said.isprintable()


GONE = nd.Position.parse("x=1:1,2:1 o=1:2,2:2,5:1 turn=x")


def test_merging(engine, tmp_path):
    whole = engine.rollout(RACE, trials=20 * CHUNK).wait()
    one, question, _ = filled(engine, tmp_path / "one.sums")
    other = RolloutStore(tmp_path / "other.sums")
    rows = {c: row for c, _, row in filled(engine, tmp_path / "all.sums")[0].rows(question)}
    longer = RolloutStore(tmp_path / "longer.sums")
    engine.rollout(RACE, trials=20 * CHUNK, store=longer).wait()
    more = {c: row for c, _, row in longer.rows(question)}
    for c in (19, 10, 11, 12, 17, 13, 18, 15, 14, 16):
        other.add(question, c, more[c][np.newaxis])
    engine.rollout(OTHER, trials=CHUNK, store=other).wait()
    assert one.merge(other) == 9 and one.merge(other) == 0
    assert len(one.questions()) == 2 and one.extent(question.to_dict())[0] == 20
    merged = engine.rollout(RACE, trials=20 * CHUNK, store=one)
    assert merged.wait().signature == whole.signature and one.merge(longer) == 0
    wrong = RolloutStore(tmp_path / "wrong.sums")
    wrong.add(question, 5, rows[5][np.newaxis] + 1)
    with pytest.raises(FileFormatError, match="chunk 5 .* other sums"):
        one.merge(wrong)
    wrong.add(question, 5, rows[5][np.newaxis])
    with pytest.raises(FileFormatError, match="chunk 5 is there twice"):
        list(wrong.rows(question))


def test_jobs_at_the_command_line(engine, tmp_path, capsys):
    from nardy_core.cli import main

    jobs = []
    for name, settings in (("a", {}), ("b", {}), ("c", {"seed": 2})):
        (tmp_path / name).mkdir()
        filled(engine, tmp_path / name / "rollout.sums", OTHER if name == "b" else RACE, **settings)
        jobs.append(str(tmp_path / name))
    new = str(tmp_path / "new")
    assert main(["job", "merge", new, *jobs[:2]]) == 0
    assert "24 chunks" in capsys.readouterr().out
    assert main(["job", "info", new, "--format", "jsonl"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [data["trials"] for data in found] == [12 * CHUNK] * 2
    assert {data["question"]["position"] for data in found} == {p.id("text") for p in (RACE, OTHER)}
    before = (tmp_path / "new" / "rollout.sums").read_bytes()
    assert main(["job", "merge", new, jobs[2]]) == 2
    assert "seed is 1, asked is 2" in capsys.readouterr().err
    assert (tmp_path / "new" / "rollout.sums").read_bytes() == before
    assert main(["job", "info", str(tmp_path / "none")]) == 3
    (tmp_path / "c" / "rollout.sums").write_bytes(before[:700] + b"x" + before[701:])
    assert main(["job", "info", jobs[2]]) == 0
    assert "damaged bytes" in capsys.readouterr().err


def test_stopping_rules_go_on_as_they_would_have(engine, tmp_path):
    """Rows are gone through again, so a rule stops a rollout where it always does."""
    path = tmp_path / "x.sums"
    longer = engine.rollout(RACE, trials=100 * CHUNK, store=path).wait()
    rule = {"trials": 10**6, "se": 2 * longer.standard_error}
    stopped = engine.rollout(RACE, **rule).wait()
    assert stopped.reason == "se" and stopped.trials < longer.trials
    again = engine.rollout(RACE, **rule, store=path).wait()
    assert again.signature == stopped.signature and again.reason == "se"
    # A total says nothing about what a rule would have made of the way to it.
    handle = engine.rollout(RACE, trials=100 * CHUNK)
    handle.wait()
    handle.save(tmp_path / "total.sums")
    again = engine.rollout(RACE, **rule, store=tmp_path / "total.sums").wait()
    assert again.signature == stopped.signature


def test_a_cache_answers_without_work(engine, tmp_path, monkeypatch):
    path = tmp_path / "cache.sums"
    rules = [{"trials": 10 * CHUNK}, {"trials": 10**6, "se": 0.05}, {"trials": 20 * CHUNK}]
    found = [engine.rollout(RACE, **rule, cache=path).wait() for rule in rules]
    assert [len(RolloutStore(path).questions()), len(kept(path, found_question(engine)))] == [1, 0]
    worked = []
    monkeypatch.setattr(rollout, "run_chunks", lambda *a, **k: worked.append(a))
    for rule, result in zip(rules, found, strict=True):
        again = engine.rollout(RACE, **rule, cache=path).wait()
        assert again.signature == result.signature and again.entries == result.entries
        assert again.reason == result.reason
    assert not worked
    with pytest.raises(TypeError):
        engine.rollout(OTHER, trials=CHUNK, cache=path).wait()  # this one has to be worked for
    assert len(worked) == 1


def test_what_a_cache_gives_is_kept_in_the_job(engine, tmp_path, monkeypatch):
    """A job is whole: who goes on with it, or merges it, has no such cache."""
    cache = tmp_path / "cache.sums"
    found = engine.rollout(RACE, trials=10 * CHUNK, cache=cache).wait()
    longer = engine.rollout(RACE, trials=15 * CHUNK).wait()
    monkeypatch.setattr(rollout, "run_chunks", None)
    job, question = tmp_path / "job.sums", found_question(engine)
    for _ in range(2):  # the second time the job has it itself
        again = engine.rollout(RACE, trials=10 * CHUNK, cache=cache, store=job).wait()
        assert again.signature == found.signature
    assert len(RolloutStore(job).totals(question)) == 1
    assert RolloutStore(job).extent(question.to_dict())[0] == 10
    cache.unlink()
    assert engine.rollout(RACE, trials=10 * CHUNK, store=job).wait().signature == found.signature
    merged = RolloutStore(tmp_path / "merged.sums")
    assert merged.merge(RolloutStore(job)) == 10 and merged.merge(RolloutStore(job)) == 0
    monkeypatch.undo()
    worked, real = [], rollout.run_chunks
    monkeypatch.setattr(rollout, "run_chunks", lambda q, m, first, count, **more: (
        worked.extend(range(first, first + count)), real(q, m, first, count, **more))[1])
    more = engine.rollout(RACE, trials=15 * CHUNK, store=merged).wait()
    assert more.signature == longer.signature and worked == list(range(10, 15))
    assert merged.chunks(question) == 15 and merged.chunks(question, 12) == 12
    # Where a job has later chunks only, those before them come all the same; what it has, not.
    late = RolloutStore(tmp_path / "late.sums")
    row = next(row for c, _, row in filled(engine, tmp_path / "all.sums")[0].rows(question))
    late.add(question, 40, np.stack([row] * 12))
    engine.rollout(RACE, trials=10 * CHUNK, cache=cache).wait()
    engine.rollout(RACE, trials=10 * CHUNK, cache=cache, store=late).wait()
    assert late.chunks(question) == 22 and late.chunks(question, 10) == 10
    engine.rollout(RACE, trials=10 * CHUNK, cache=cache, store=tmp_path / "all.sums").wait()
    assert not RolloutStore(tmp_path / "all.sums").totals(question)


def test_a_cache_that_cannot_be_used_is_told_of(engine, tmp_path, monkeypatch, capsys):
    wanted = engine.rollout(RACE, trials=CHUNK).wait().signature
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("NARDY_CACHE", str(tmp_path / "file"))
    assert engine.rollout(RACE, trials=CHUNK, cache=True).wait().signature == wanted
    answer, = engine.rollout_many([RACE], trials=CHUNK, cache=True)
    assert answer.result.signature == wanted
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and said[0].startswith("nardy_core: rollouts not cached: ")
    assert str(tmp_path / "file") in said[0]
    (tmp_path / "rollouts.sums").write_text("no such store, but longer than its head")
    monkeypatch.setenv("NARDY_CACHE", str(tmp_path))
    answer, = engine.rollout_many([RACE], trials=CHUNK, cache=True)
    assert answer.result.signature == wanted
    assert f"{tmp_path / 'rollouts.sums'}: no store of rollouts" in capsys.readouterr().err
    # One that goes bad in the middle of the work.
    store = RolloutStore(tmp_path / "cache.sums")
    engine.rollout(RACE, trials=CHUNK, cache=store).wait()
    (tmp_path / "cache.sums").write_bytes((tmp_path / "cache.sums").read_bytes()[:100])
    for _ in range(2):
        assert engine.rollout(RACE, trials=CHUNK, cache=store).wait().signature == wanted
    assert capsys.readouterr().err.count("became shorter") == 1


def test_sums_of_other_efficiencies_are_refused_by_name(engine, tmp_path, monkeypatch):
    """What a cube was worth to the players is part of the question: sums that another version made
    with other defaults, or with a number, are another rollout."""
    path = tmp_path / "x.sums"
    settings = {"trials": CHUNK, "cubeful": True, "truncate": 3, "store": path}
    kept = engine.rollout(RACE, **settings)
    assert kept.wait().to_dict()["efficiencies"] == dataclasses.asdict(CubeEfficiency())
    asked = kept.question.to_dict()
    with pytest.raises(ValueError, match=r"x.sums: .*efficiency is None, asked is 0.5"):
        engine.rollout(RACE, **settings, efficiency=0.5)
    state = kept.state()
    # A version with another default for bear-offs.
    others = {**dataclasses.asdict(CubeEfficiency()), "bearoff": 0.6}
    monkeypatch.setattr(CubeEfficiency, "parts", lambda _: others)
    was = f"efficiencies.bearoff is {CubeEfficiency().bearoff}, asked is 0.6"
    with pytest.raises(ValueError, match=f"x.sums: .*{was}"):
        engine.rollout(RACE, **settings)
    with pytest.raises(ValueError, match=f"reads otherwise: {was}"):
        RolloutQuestion.from_dict(asked)
    with pytest.raises(ValueError, match=was):
        engine.rollout(RACE, trials=CHUNK, cubeful=True, truncate=3, resume=state)
    plain = engine.rollout(RACE, trials=CHUNK, truncate=3)  # no cube, no efficiency
    assert plain.question.to_dict()["efficiencies"] is None


def found_question(engine):
    return open_account(engine, RACE, None, rollout.RolloutPlan()).question


def test_cached_where_the_user_keeps_such_files(engine, tmp_path, monkeypatch):
    monkeypatch.setenv("NARDY_CACHE", str(tmp_path / "cache"))
    engine.rollout(RACE, trials=CHUNK, cache=True).wait()
    assert len(RolloutStore(tmp_path / "cache" / "rollouts.sums").questions()) == 1


def test_questions_travel(engine):
    opening = nd.Position.start(dice=(3, 1))
    for position, settings in [
        (RACE, {}), (opening, {"top": 3}), (opening, {"plays": ["8/5 6/5"]}),
        (nd.Position.start(), {}),
    ]:
        plan = rollout.RolloutPlan(1000, seed=7, truncate=3, jsd=2.0)
        question = open_account(engine, position, None, plan, **settings).question
        again = RolloutQuestion.from_dict(json.loads(question.text))
        assert again == question and again.key == question.key and again.piece == question.piece
        assert (again.boards == question.boards).all()
        data = question.to_dict()
        for bad in ({}, {**data, "position": 3}, {**data, "method": 0}, {**data, "dice": [1]},
                    {**data, "plays": ["1/2"]}, {**data, "more": 1}, {**data, "seed": "1"},
                    {**data, "nets": []}, {k: v for k, v in data.items() if k != "truncate"}):
            with pytest.raises(ValueError):
                RolloutQuestion.from_dict(bad)
