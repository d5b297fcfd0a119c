"""Rollouts whose processes are killed and whose disks are full: nothing that was kept is lost, and
the end has the bits of an undisturbed rollout."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from random_nets import keep_random_nets, random_nets
from stores import RACE, filled, kept

import nardy_core as nd
from nardy_core import rollout
from nardy_core.rollout import CHUNK, RolloutQuestion, RolloutStore

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def engine():
    engine = nd.Engine({"backgammon": random_nets()}, threads=1)
    engine.rollout(RACE, trials=36).wait()  # tables are read
    return engine


@pytest.fixture
def often(monkeypatch):
    """Every few chunks are kept."""
    monkeypatch.setattr(rollout, "SLICE_SECONDS", 0.0)


def child(work):
    """A process that does the work and ends with what that returns as exit code."""
    process = os.fork()
    if process == 0:
        code = 99
        try:
            code = work()
        finally:
            os._exit(code)
    return process


def exit_code(process):
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


# ---- what happens to processes ----------------------------------------------------------------


def size_of(path):
    return path.stat().st_size if path.exists() else 0


def test_killed_at_a_hundred_moments(engine, tmp_path, often):
    path, chunks = tmp_path / "x.sums", 5000
    whole = engine.rollout(RACE, trials=CHUNK * chunks)
    signature = whole.wait().signature
    rng, before, cut_short = random.Random(1), {}, 0
    for round_ in range(100):
        process = child(
            lambda: engine.rollout(RACE, trials=CHUNK * chunks, store=path).wait() and 0
        )
        enough = size_of(path) + rng.randrange(1000) if round_ % 4 else 0
        while size_of(path) < enough:  # else at any moment, even before it began
            assert os.waitpid(process, os.WNOHANG) == (0, 0), "ended before it was killed"
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.005))
        os.kill(process, signal.SIGKILL)
        cut_short += exit_code(process) == -signal.SIGKILL
        if size_of(path) >= 16:
            now = kept(path, whole.question)
            assert now.items() >= before.items()
            before = now
    assert cut_short > 90 and 50 < len(before) < chunks
    again = engine.rollout(RACE, trials=CHUNK * chunks, store=path).wait()
    assert again.signature == signature and again.entries == whole.result.entries
    assert RolloutStore(path).damaged == 0
    assert len(kept(path, whole.question)) == chunks


@pytest.fixture
def nardy(tmp_path):
    """The words of a command that rolls out and keeps that in the job, and what to run it with."""
    keep_random_nets(tmp_path)
    words = [sys.executable, "-m", "nardy_core", "rollout", RACE.id("text"), "--format", "json",
             "--nets", str(tmp_path), "--job", str(tmp_path / "job")]
    settings = {"env": {**os.environ, "PYTHONPATH": str(ROOT)}, "stdout": subprocess.PIPE,
                "stderr": subprocess.PIPE, "text": True}
    return words, settings


def test_a_killed_command_goes_on(nardy, tmp_path):
    words, settings = nardy
    path = tmp_path / "job" / "rollout.sums"
    with subprocess.Popen([*words, "--trials", "1000000000"], **settings) as process:
        while size_of(path) < 3000:
            assert process.poll() is None
            time.sleep(0.02)
        process.kill()
    first, = RolloutStore(path).questions()
    chunks = len(kept(path, RolloutQuestion.from_dict(first)))
    words += ["--trials", str((chunks + 10) * CHUNK)]
    resumed = subprocess.run([*words, "--resume"], **settings)
    whole = subprocess.run([word if word != str(tmp_path / "job") else word + "2"
                            for word in words], **settings)
    assert resumed.returncode == whole.returncode == 0 and resumed.stdout == whole.stdout
    assert json.loads(whole.stdout)["trials"] == (chunks + 10) * CHUNK


@pytest.mark.parametrize("kept", [None, 0, 1, 15, 16])
@pytest.mark.parametrize("resume", [True, False])
def test_a_job_that_holds_nothing_yet_can_begin(tmp_path, kept, resume):
    """The command may have been killed, or the disk full, at any byte of the file's head."""
    words = [sys.executable, "-m", "nardy_core", "rollout", RACE.id(), "--trials", "36", "--quiet"]
    whole = subprocess.run(words, capture_output=True, text=True, check=True)
    job = tmp_path / "job"
    RolloutStore(tmp_path / "other")
    if kept is not None:
        job.mkdir()
        (job / "rollout.sums").write_bytes((tmp_path / "other").read_bytes()[:kept])
    made = subprocess.run([*words, "--job", str(job)] + ["--resume"] * resume,
                          capture_output=True, text=True, check=False)
    assert (made.returncode, made.stdout) == (0, whole.stdout), made.stderr
    again = subprocess.run([*words, "--job", str(job)], capture_output=True, text=True, check=False)
    assert again.returncode == 2 and "give --resume" in again.stderr


def test_two_processes_on_one_store(engine, tmp_path, often):
    path, trials = tmp_path / "x.sums", CHUNK * 300
    whole = engine.rollout(RACE, trials=trials)
    signature = whole.wait().signature

    def work():
        return engine.rollout(RACE, trials=trials, store=path).wait().signature != signature

    assert [exit_code(process) for process in [child(work), child(work)]] == [0, 0]
    store = RolloutStore(path)
    assert store.damaged == 0 and store.extent(whole.question.to_dict())[0] == 300
    assert engine.rollout(RACE, trials=trials, store=path).wait().signature == signature


def test_after_a_fork(engine, tmp_path):
    store, question, result = filled(engine, tmp_path / "x.sums")

    def work():
        more = engine.rollout(RACE, trials=CHUNK * 20, store=store).wait()
        return more.trials != CHUNK * 20

    assert exit_code(child(work)) == 0
    store.refresh()
    assert store.extent(question.to_dict())[0] == 20


# ---- what happens to the disk -----------------------------------------------------------------


def test_a_full_disk(engine, tmp_path, often):
    trials = CHUNK * 60
    whole = engine.rollout(RACE, trials=trials)
    signature = whole.wait().signature
    filled(engine, tmp_path / "sample.sums")
    for room in random.Random(2).sample(range(17, 10000), 12):
        path = tmp_path / f"{room}.sums"

        def work(path=path, room=room):
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            handle = engine.rollout(RACE, trials=trials, store=path)
            try:
                handle.wait()
            except OSError:
                known = handle.result  # what was computed is there all the same
                return 0 if known and known.trials >= CHUNK else 1
            return 2

        assert exit_code(child(work)) == 0
        assert path.stat().st_size <= room and RolloutStore(path).damaged == 0
        before = kept(path, whole.question)
        assert engine.rollout(RACE, trials=trials, store=path).wait().signature == signature
        assert kept(path, whole.question).items() >= before.items()


def test_a_full_disk_at_the_command_line(nardy):
    words, settings = nardy
    words += ["--trials", "360"]
    full = subprocess.run(words, **settings, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_FSIZE, (700, 700)))
    assert full.returncode == 3 and full.stderr.count("\n") == 1
    assert "rollout.sums: File too large" in full.stderr
    assert json.loads(full.stdout)["trials"] >= CHUNK
    resumed = subprocess.run([*words, "--resume"], **settings)
    assert resumed.returncode == 0 and json.loads(resumed.stdout)["trials"] == 360
