"""Rollouts in every company: Python threads, forked children, an interrupt from the keyboard."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

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
                for ask in (busy.stop, busy.wait):  # its threads are the parent's
                    with pytest.raises(RuntimeError, match="forked from"):
                        ask()
                os.write(write, said.encode())
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            assert pipe.read() == signature
        assert os.waitpid(child, 0)[1] == 0
    finally:
        busy.stop()


@pytest.mark.parametrize("level", [0, 2])
def test_interrupt_keeps_what_is_done(level):
    """Ctrl-C, also during deep plays, where trials take long. It comes when the main thread has
    been seen to wait, however slow the machine. How soon the core ends is counted in
    src_c/tests/test_rollout.c."""
    program = f"""
import signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import nardy_core as nd
from random_nets import random_nets
engine = nd.Engine({{"backgammon": random_nets()}}, threads=1)
handle = engine.rollout(nd.Position.start(), trials=10**7, level={level}, late=1)
while handle.result is None:
    time.sleep(0.01)

def watch(main=threading.get_ident()):
    inside = {{nd.RolloutHandle.wait.__code__, threading.Condition.wait.__code__}}
    codes = set()
    while not inside <= codes:
        codes, frame = set(), sys._current_frames()[main]
        while frame:
            codes.add(frame.f_code)
            frame = frame.f_back
        time.sleep(0.01)
    print("waits", flush=True)

threading.Thread(target=watch).start()
try:
    handle.wait()
except KeyboardInterrupt:
    print(handle.result.trials, handle.result.reason, handle.running, flush=True)
"""
    run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
                           cwd=Path(__file__).parent)
    assert run.stdout is not None
    assert run.stdout.readline().strip() == "waits"
    run.send_signal(signal.SIGINT)
    trials, reason, running = run.stdout.readline().split()
    assert int(trials) >= 36 and (reason, running) == ("stopped", "False")
    assert run.wait(timeout=300) == 0


def test_stop_does_not_wait_for_deep_plays(engine):
    """A single trial would take minutes here."""
    handle = engine.rollout(OPENING, trials=10**6, level=3)
    assert handle.stop() is None and not handle.running
    with pytest.raises(RuntimeError, match="before the first 36 trials"):
        handle.wait()
