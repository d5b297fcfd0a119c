"""Rollouts by a Dask cluster on this machine: workers die and join, the bits stay."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from random_nets import keep_random_nets, random_nets

import nardy_core as nd
from nardy_core import rollout_question
from nardy_core.cli import main
from nardy_core.cluster import Cluster
from nardy_core.rollout import CHUNK, RolloutStore

ROOT = Path(__file__).resolve().parent.parent
OPENING = nd.Position.start(dice=(3, 1))
SETTINGS = {"top": 2, "trials": 40 * CHUNK, "truncate": 3}


def test_nobody_there(monkeypatch):
    if importlib.util.find_spec("distributed"):
        monkeypatch.setattr("nardy_core.cluster.CONNECT_SECONDS", 0.2)
        with pytest.raises(OSError, match="no scheduler at tcp://127.0.0.1:9"):
            Cluster("tcp://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(RuntimeError, match=r"nardy_core\[distributed\]"):
        Cluster("tcp://127.0.0.1:9")


class Dask:
    """A scheduler on this machine and its workers, each a process."""

    def __init__(self, folder):
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT),
                            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "100"}
        self.folder, self.processes = folder, []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        self.start("scheduler", "--host", "127.0.0.1", "--port", self.address.rsplit(":")[-1],
                   "--no-dashboard")

    def start(self, *words):
        log = open(self.folder / f"{len(self.processes)}.log", "w")  # noqa: SIM115 (the process writes to it until it ends)
        self.processes.append(subprocess.Popen(
            [sys.executable, "-m", "dask", *words], env=self.environment, stdout=log, stderr=log,
            cwd=self.folder))
        log.close()
        return self.processes[-1]

    def worker(self):
        return self.start("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                          "--local-directory", str(self.folder))


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    if not importlib.util.find_spec("distributed"):
        if os.environ.get("NARDY_REQUIRE_PEERS"):
            pytest.fail("distributed is not installed")
        pytest.skip("distributed is not installed: pip install nardy_core[distributed]")
    dask = Dask(tmp_path_factory.mktemp("dask"))
    yield dask
    for process in dask.processes:
        process.kill()
        process.wait()


def workers(cluster, count):
    while cluster.workers != count:
        time.sleep(0.1)


def test_same_bits_while_workers_die_and_join(dask, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(rollout_question, "PIECE_SECONDS", 0.03)
    engine = nd.Engine({"backgammon": random_nets()}, threads=1)
    serial = engine.rollout(OPENING, **SETTINGS).wait()
    first = dask.worker()
    dask.worker()
    with Cluster(dask.address) as cluster:
        while len(cluster._client.nthreads()) != 2:
            time.sleep(0.1)
        store, killed = tmp_path / "x.sums", False
        handle = engine.rollout(OPENING, **SETTINGS, executor=cluster, store=store)
        for partial in handle:
            if not killed and partial.trials < serial.trials:
                first.kill()
                first.wait()
                dask.worker()
                killed = True
        assert killed and handle.result.signature == serial.signature
        assert handle.result.entries == serial.entries
        assert RolloutStore(store).extent(handle.question.to_dict())[0] == 40
        # Stopping does not wait for what the workers do.
        handle = engine.rollout(OPENING, top=2, trials=10**8, executor=cluster)
        next(iter(handle))
        handle.stop()
        assert handle.result.trials >= CHUNK
        assert handle.extend(handle.result.trials + CHUNK).wait().complete
        many = list(engine.rollout_many(
            [OPENING] * 3 + [OPENING.with_(dice=(2, 1))], top=2, trials=4 * CHUNK, truncate=3,
            executor=cluster))
        assert len({answer.result.signature for answer in many}) == 2

    keep_random_nets(tmp_path)
    words = ["rollout", OPENING.id(), "--top", "2", "--trials", str(40 * CHUNK), "--truncate", "3",
             "--nets", str(tmp_path), "--format", "json", "--cluster", dask.address]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["signature"] == serial.signature


def test_an_interrupt_shows_what_is_done_and_leaves_the_cluster(dask):
    with Cluster(dask.address) as cluster:
        while not cluster._client.nthreads():
            time.sleep(0.1)
    run = subprocess.Popen(
        [sys.executable, "-m", "nardy_core", "rollout", OPENING.id(), "--top", "2", "--trials",
         "10000000", "--progress", "json", "--format", "json", "--cluster", dask.address],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dask.environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    assert json.loads(run.stderr.readline())["trials"] >= CHUNK
    run.send_signal(signal.SIGINT)
    out, messages = run.communicate()
    assert run.returncode == 130 and "interrupted" in messages
    assert json.loads(out)["trials"] >= CHUNK
    with Cluster(dask.address) as cluster:
        again = nd.Engine(threads=1).rollout(OPENING, **SETTINGS | {"trials": CHUNK},
                                             executor=cluster).wait()
    assert again.trials == CHUNK


def test_the_lines_of_long_rollouts_md(dask, tmp_path, monkeypatch, capsys):
    text = (ROOT / "nardy_core/docs/long-rollouts.md").read_text()
    (block,) = re.findall(r"```sh\n(.*?)```", text, re.S)
    scheduler, worker, rollout = (
        shlex.split(line.partition("#")[0].replace("tcp://HOST:8786", dask.address))
        for line in block.splitlines())
    assert scheduler == ["dask", "scheduler"]  # as the fixture has started it
    assert worker[0] == "dask" and worker[-2] == "--nworkers"
    dask.start(*worker[1:-1], "1", "--no-dashboard", "--local-directory", str(tmp_path))
    changed = {"POS": OPENING.id(), "1000000": "72"}
    monkeypatch.chdir(tmp_path)
    assert main([*(changed.get(word, word) for word in rollout[1:]), "--truncate", "3",
                 "--format", "json"]) == 0
    serial = nd.Engine(threads=1).rollout(OPENING, trials=72, truncate=3).wait()
    assert json.loads(capsys.readouterr().out)["signature"] == serial.signature
    assert RolloutStore(tmp_path / "big" / "rollout.sums").questions()
