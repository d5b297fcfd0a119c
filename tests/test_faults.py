"""What the system refuses, in Python: memory, space, time that jumps, signals. The core's own
allocations and file operations fail one after the other in src_c/tests/test_faults.c."""
from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from random_nets import keep_random_nets, random_nets

import nardy_core as nd
from nardy_core import formats, rollout_store
from nardy_core.files import write_bytes

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = Path(__file__).parent / "golden" / "formats"
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")


def run(*words, before="", **settings):
    """The command with these words in a process of its own, after some Python."""
    code = f"import sys\n{before}\nfrom nardy_core.cli import main\nsys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, **settings)


def one_line(text):
    assert text.startswith("nardy: ") and text.endswith("\n") and text.count("\n") == 1, text


# ---- space --------------------------------------------------------------------------------------

LIMIT = ("import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
         "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))")


@linux
@pytest.mark.parametrize("words", [
    ("convert", GOLDEN / "jellyfish.mat", "out.json"),
    ("table", "met", "--write", "out.csv"),
    ("diagram", "start", "-o", "out.svg"),
])
def test_a_full_disk_leaves_the_old_file(words, tmp_path):
    old = tmp_path / words[-1]
    old.write_bytes(b"old")
    ended = run(*words, before=LIMIT, cwd=tmp_path)
    assert ended.returncode == 3
    one_line(ended.stderr)
    assert old.name in ended.stderr and ".tmp" not in ended.stderr
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(old.name, b"old")]


@linux
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_takes_nothing(unbuffered):
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "nardy_core", "perft", "start", "--depth", "1"], stdout=full,
            stderr=subprocess.PIPE, text=True, timeout=300, env={
                **os.environ, "PYTHONPATH": os.pathsep.join(sys.path),
                "PYTHONUNBUFFERED": unbuffered})
    assert ended.returncode == 3
    one_line(ended.stderr)


def test_files_keep_their_links_and_modes(tmp_path):
    target, link = tmp_path / "a", tmp_path / "b"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_bytes(link, b"new")
    assert link.is_symlink() and target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640
    record = formats.read(GOLDEN / "jellyfish.mat")
    formats.write(record, os.devnull, "json")  # no regular file: written to as it is
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    with pytest.raises(OSError, match="absent"):
        write_bytes(tmp_path / "absent" / "a", b"x")


def test_writes_that_take_a_part():
    class Narrow:
        def __init__(self):
            self.got = b""

        def write(self, data):
            self.got += bytes(data[:3])
            return min(3, len(data))

        def read(self, length):
            part, self.got = self.got[:min(length, 2)], self.got[min(length, 2):]
            return part

    file = Narrow()
    rollout_store._write(file, b"0123456789")
    assert file.got == b"0123456789"
    assert rollout_store._read(file, 7) == b"0123456" and rollout_store._read(file, 9) == b"789"


# ---- memory -------------------------------------------------------------------------------------


@linux
@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer needs all the address space")
def test_no_memory_is_an_exception():
    """Of the core, which asks for a hundred megabytes when there are fifty."""
    code = """
import resource
from nardy_core._border._long_race import LongRace
from nardy_core._border._tables import BearoffOne
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (20 << 20), used + (20 << 20)))
for build in (BearoffOne.build, lambda: LongRace.build(9)):
    try:
        build()
    except (MemoryError, RuntimeError) as error:  # the second where there is no thread to be had
        print(type(error).__name__)
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split()[0] == "MemoryError" and len(ended.stdout.split()) == 2


# ---- time ---------------------------------------------------------------------------------------


def test_clocks_that_jump(monkeypatch):
    """Whoever sets the machine's clock neither ends a rollout nor makes it endless."""
    engine = nd.Engine({"backgammon": random_nets()}, threads=1)
    jumps = iter(range(1, 10**9))
    monkeypatch.setattr(time, "time", lambda: 1.7e9 + (-1) ** next(jumps) * 86400.0)
    position = nd.Position.parse("x=2:2,3:2,6:1,7:1 o=2:1,3:1,4:2,7:1,8:1 turn=x")
    ended = engine.rollout(position, trials=72, max_time=3600.0).wait()
    assert ended.trials == 72 and ended.complete
    limited = engine.rollout(position, trials=10**9, max_time=0.05).wait()
    assert limited.reason == "max_time" and limited.trials >= 36


def test_clocks_are_asked_for_dates_alone():
    """time.time() tells when something was; how long anything takes is told by steady clocks."""
    found = {path.relative_to(ROOT / "nardy_core").as_posix()
             for path in (ROOT / "nardy_core").rglob("*.py*") if path.suffix in (".py", ".pyx")
             if "time.time()" in path.read_text("utf-8")}
    assert found == {"serve/http/jobs.py"}


# ---- signals ------------------------------------------------------------------------------------


@linux
def test_signals_at_random_moments(tmp_path):
    """A rollout that is interrupted keeps what it has, whenever that is, and a second one goes on
    to the sums of one that nobody disturbed."""
    nets = keep_random_nets(tmp_path / "nets")
    words = ["rollout", "x=2:2,3:2,6:1,7:1 o=2:1,3:1,4:2,7:1,8:1 turn=x", "--trials", "3600",
             "--nets", nets, "--threads", "2", "--format", "json"]
    whole = run(*words, "--job", tmp_path / "whole")
    assert whole.returncode == 0, whole.stderr
    rng = random.Random(6)
    job = tmp_path / "job"
    sums = job / "rollout.sums"

    def job_words():
        return ["--job", str(job), *(["--resume"] if sums.exists() else [])]

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        started = subprocess.Popen(
            [sys.executable, "-m", "nardy_core", *map(str, words), *job_words()],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        for _ in range(3000):  # until it is at work
            if sums.exists() or started.poll() is not None:
                break
            time.sleep(0.01)
        time.sleep(rng.random() / 5)
        started.send_signal(number)
        out, err = started.communicate(timeout=300)
        assert started.returncode in (0, 130, -number), err
        assert "Traceback" not in err, err
    again = run(*words, *job_words())
    assert (again.stdout, again.returncode) == (whole.stdout, 0), again.stderr
