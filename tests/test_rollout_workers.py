"""Rollouts by executors of all kinds: the bits of the serial rollout, whoever does the work."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)

import pytest
from random_nets import random_nets

import nardy_core as nd
from nardy_core import match_compute, rollout_question, rollout_workers
from nardy_core.cube import CubeEfficiency
from nardy_core.rollout import CHUNK, RolloutQuestion, RolloutStore
from nardy_core.rollout_sums import run_chunks
from nardy_core.rollout_workers import Lacking, work

OPENING = nd.Position.start(dice=(3, 1))
SETTINGS = {"top": 2, "trials": 12 * CHUNK, "truncate": 3}


@pytest.fixture(scope="module")
def engine():
    return nd.Engine({"backgammon": random_nets()}, threads=2)


@pytest.fixture(scope="module")
def serial(engine):
    return engine.rollout(OPENING, **SETTINGS, threads=1).wait()


@pytest.fixture
def small(monkeypatch):
    """Pieces of a chunk or two."""
    monkeypatch.setattr(rollout_question, "PIECE_SECONDS", 0.01)


class Odd(Executor):
    """Works off in this thread, in odd order, and loses the pieces it is told to."""

    workers = 3

    def __init__(self, lose=lambda number, first: None):
        self.lose, self.number, self.queue = lose, 0, []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self.queue.append((future, fn, args, self.lose(self.number, args[1])))
        self.number += 1
        threading.Timer(0.01, self._do_last).start()
        return future

    def _do_last(self):
        future, fn, args, error = self.queue.pop()
        if not future.set_running_or_notify_cancel():
            return
        try:
            if error:
                raise error
            future.set_result(fn(*args))
        except Exception as fault:
            future.set_exception(fault)


@pytest.mark.parametrize("kind", ["threads", "fork", "spawn"])
def test_same_bits_by_pools(engine, serial, small, tmp_path, kind):
    if kind == "threads":
        pool = ThreadPoolExecutor(3)
    else:
        pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(kind))
    with pool:
        seen = []
        handle = engine.rollout(OPENING, **SETTINGS, executor=pool, store=tmp_path / "x.sums",
                                progress=seen.append)
        assert list(handle)[-1].signature == serial.signature
        assert handle.result.entries == serial.entries and seen
        assert handle.extend(14 * CHUNK).wait().trials == 14 * CHUNK
    store = RolloutStore(tmp_path / "x.sums")
    assert store.extent(handle.question.to_dict())[0] == 14


def test_same_bits_of_long_nardy_by_processes(small, tmp_path):
    engine = nd.Engine({"long_nardy": random_nets("long_nardy")}, threads=2)
    start = nd.Position.start("long_nardy", dice=(3, 3), scoring="masters", wall_check="turn")
    serial = engine.rollout(start, **SETTINGS, threads=1).wait()
    assert len(serial.entries) == 2 and serial.trials == 12 * CHUNK
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        handle = engine.rollout(start, **SETTINGS, executor=pool, store=tmp_path / "x.sums")
        assert handle.wait().signature == serial.signature
    assert handle.result.entries == serial.entries
    store = RolloutStore(tmp_path / "x.sums")
    assert store.extent(handle.question.to_dict())[0] == 12
    again = engine.rollout(start, **SETTINGS, store=store)  # the store has all of it
    assert again.wait().signature == serial.signature


def test_same_bits_in_any_order_and_after_losses(engine, serial, small):
    assert engine.rollout(OPENING, **SETTINGS, executor=Odd()).wait().signature == serial.signature
    times = dict.fromkeys(range(12), 0)

    def lose(number, first):
        times[first] += 1
        return OSError("lost") if times[first] < rollout_workers.TRIES - first % 4 else None

    odd = Odd(lose)
    assert engine.rollout(OPENING, **SETTINGS, executor=odd).wait().signature == serial.signature
    assert odd.number == sum(times.values()) > 12
    gone = Odd(lambda number, first: OSError("the worker went away"))
    with pytest.raises(OSError, match="went away"):
        engine.rollout(OPENING, **SETTINGS, executor=gone).wait()
    assert gone.number >= rollout_workers.TRIES
    broken = Odd(lambda number, first: BrokenExecutor("no more") if number > 2 else None)
    handle = engine.rollout(OPENING, **SETTINGS, executor=broken)
    with pytest.raises(BrokenExecutor):
        handle.wait()
    assert handle.extend(12 * CHUNK) and handle.running


def test_a_stopping_rule_stops_where_it_always_does(engine, small):
    rule = {"top": 2, "trials": 10**6, "truncate": 2, "jsd": 1e-9}
    serial = engine.rollout(OPENING, **rule).wait()
    with ThreadPoolExecutor(3) as pool:
        by_pool = engine.rollout(OPENING, **rule, executor=pool).wait()
    assert by_pool.reason == "jsd" and by_pool.signature == serial.signature
    with ThreadPoolExecutor(3) as pool:
        limited = engine.rollout(
            OPENING, top=2, truncate=2, trials=10**8, max_time=0.2, executor=pool).wait()
    assert limited.reason == "max_time" and limited.trials >= CHUNK


def test_stopping_does_not_wait_for_pieces(engine, monkeypatch):
    """Two pieces at work, held up until the stop has come back; two that wait for a worker."""
    begun, futures = threading.Semaphore(0), []
    all_out, go_on = threading.Event(), threading.Event()

    def held(*args, stop, **more):
        begun.release()
        assert go_on.wait(300)
        return run_chunks(*args, stop=stop, **more)

    class Watching(ThreadPoolExecutor):
        def submit(self, fn, /, *args):
            futures.append(super().submit(fn, *args))
            if len(futures) == 4:
                all_out.set()
            return futures[-1]

    monkeypatch.setattr(rollout_workers, "run_chunks", held)
    with Watching(2) as pool:
        handle = engine.rollout(OPENING, top=8, trials=10**7, executor=pool)
        assert begun.acquire(timeout=300) and begun.acquire(timeout=300) and all_out.wait(300)
        handle.stop()
        assert not handle.running
        at_work = [future for future in futures if not future.cancelled()]
        assert len(futures) == 4 and len(at_work) == 2 and all(f.running() for f in at_work)
        go_on.set()
    # Those at work were told to end, too.
    assert [len(future.result()[0]) for future in at_work] == [0, 0]


def test_a_process_that_dies_loses_nothing(engine, serial, small, tmp_path):
    path = tmp_path / "x.sums"
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        victim = pool.submit(os.getpid).result()
        more = {**SETTINGS, "trials": 10**7}  # so that it is at work when the process dies
        handle = engine.rollout(OPENING, **more, executor=pool, store=path)
        for partial in handle:
            if partial.trials >= 2 * CHUNK:
                break
        os.kill(victim, signal.SIGKILL)
        with pytest.raises(BrokenExecutor):
            handle.wait()
    assert RolloutStore(path).extent(handle.question.to_dict())[0] >= 2
    with ThreadPoolExecutor(2) as pool:
        again = engine.rollout(OPENING, **SETTINGS, executor=pool, store=path).wait()
    assert again.signature == serial.signature


def test_nets_travel_by_hash(engine, serial, monkeypatch):
    monkeypatch.setattr(rollout_workers, "_nets", {})
    rollout_workers._asked.cache_clear()
    rollout_workers._engine.cache_clear()
    question = engine.rollout(OPENING, top=2, trials=CHUNK, truncate=3).question
    contents = {net.info["hash"]: net.payload() for net in random_nets().values()}
    lacking = work(question.text, 0, 1, question.all)
    assert isinstance(lacking, Lacking) and set(lacking.nets) == set(contents)
    wrong = dict(zip(contents, reversed(contents.values()), strict=True))
    with pytest.raises(ValueError, match="came where"):
        work(question.text, 0, 1, question.all, wrong)
    for name, payload in contents.items():
        with pytest.raises(ValueError):
            work(question.text, 0, 1, question.all, {name: payload[:-1] + b"x"})
    rows, seconds = work(question.text, 0, 1, question.all, contents)
    assert rows.shape == (1, question.length) and seconds > 0
    assert not isinstance(work(question.text, 1, 1, question.all), Lacking)  # it remembers
    shipped = nd.Engine().rollout(OPENING, top=1, trials=CHUNK, truncate=1).question
    assert not isinstance(work(shipped.text, 0, 1, shipped.all), Lacking)  # has those anyway


def test_own_tables_travel_and_are_kept(engine, small, tmp_path):
    """A match equity table that does not ship goes with the question: to processes, into stores and
    from one to the other, with all its bits; another table is another question."""
    table = match_compute.engine_table(engine, length=3)
    match = OPENING.with_(match_length=5, score_own=1, score_opp=2)
    asked = {**SETTINGS, "trials": 4 * CHUNK, "cubeful": True, "met": table, "efficiency":
             CubeEfficiency(contact=0.8)}
    serial = engine.rollout(match, **asked, store=tmp_path / "a.sums")
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        other = engine.rollout(match, **asked, executor=pool).wait()
    assert other.signature == serial.wait().signature
    question = RolloutQuestion.from_dict(json.loads(serial.question.text))
    assert question.key == serial.question.key
    assert question.match_equity.digest == table.digest
    RolloutStore(tmp_path / "b.sums").merge(RolloutStore(tmp_path / "a.sums"))
    assert RolloutStore(tmp_path / "b.sums").extent(serial.question.to_dict())[0] == 4
    with pytest.raises(ValueError, match="holds another rollout: met is .*asked is woolsey"):
        engine.rollout(match, **{**asked, "met": "woolsey"}, store=tmp_path / "b.sums")
    data = json.loads(serial.question.text)
    data["met"]["rows"][0][1] += 1e-9
    with pytest.raises(ValueError, match="not those it was saved with"):
        RolloutQuestion.from_dict(data)


def test_workers_of_another_version_say_so(engine, serial, small):
    class Older(Odd):
        def submit(self, fn, /, question, *args):
            return super().submit(fn, question.replace('"method":', '"method":9'), *args)

    with pytest.raises(ValueError, match="method"):
        engine.rollout(OPENING, **SETTINGS, executor=Older()).wait()
