"""Rollouts in every company: Python threads, forked children, an interrupt from the keyboard."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from random_nets import random_nets

import nardy_core as nd

OPENING = nd.Position.start(dice=(3, 1))
SETTINGS = {"top": 2, "trials": 72, "truncate": 4}


@pytest.fixture(scope="module")
def engine():
    return nd.Engine({"backgammon": random_nets()}, threads=2)


@pytest.fixture(scope="module")
def signature(engine):
    return engine.rollout(OPENING, **SETTINGS).wait().signature


def test_in_python_threads(engine, signature):
    found = []

    def work():
        found.append(engine.rollout(OPENING, **SETTINGS).wait().signature)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [signature] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_after_a_fork(engine, signature):
    """A child forked from a process that has rolled out, and while it does."""
    busy = engine.rollout(OPENING, trials=10**7)
    try:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                said = engine.rollout(OPENING, **SETTINGS).wait().signature
                os.write(write, said.encode())
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            assert pipe.read() == signature
        assert os.waitpid(child, 0)[1] == 0
    finally:
        busy.stop()


def test_interrupt_keeps_what_is_done():
    """Ctrl-C during deep plays, where a single trial takes long: the answer comes at once."""
    program = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import nardy_core as nd
handle = nd.Engine(threads=1).rollout(nd.Position.start(), trials=10**7)
while handle.result is None:
    time.sleep(0.01)
print("begun", flush=True)
try:
    handle.wait()
except KeyboardInterrupt:
    print(handle.result.trials, handle.result.reason, flush=True)
"""
    run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    assert run.stdout.readline().strip() == "begun"
    time.sleep(0.2)
    run.send_signal(signal.SIGINT)
    trials, reason = run.stdout.readline().split()
    assert int(trials) >= 36 and reason == "stopped"
    assert run.wait(timeout=60) == 0


def test_stop_does_not_wait_for_deep_plays(engine):
    handle = engine.rollout(OPENING, trials=10**6, level=3)
    time.sleep(0.3)
    begun = time.process_time()
    handle.stop()
    assert time.process_time() - begun < 0.5  # of processor time: others may be at work, too
    assert not handle.running
