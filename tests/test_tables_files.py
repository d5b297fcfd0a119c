"""Bear-off tables on disk: built once, shared, mended after damage, and where they are kept."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from nardy_core import bearoff as face
from nardy_core import cache
from nardy_core._border import _tables, errors
from nardy_core.tables import bearoff

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.usefixtures("own_cache")

ASK = (
    "from nardy_core.tables import bearoff; a = bearoff('111111', '111111');"
    "print(a.equities.centred.hex(), a.own.mean.hex())"
)


def start(directory, code=ASK):
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        text=True,
        encoding="utf-8",
        env={**os.environ, "NARDY_CACHE": str(directory), "PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def ask(directory, code=ASK):
    process = start(directory, code)
    out, said = process.communicate()
    assert process.returncode == 0, said
    return out, said.splitlines()


@pytest.fixture(scope="module")
def told(own_cache):
    e = bearoff("111111", "111111")
    return f"{e.equities.centred.hex()} {e.own.mean.hex()}\n"


def files(directory):
    return sorted(path.name for path in directory.iterdir())


FILES = ["bearoff_one_1.ndb", "bearoff_two_1.ndb"]


def test_built_once_by_several_processes(tmp_path, told):
    directory = tmp_path / "new" / "cache"
    crowd = [start(directory) for _ in range(3)]
    for process in crowd:
        out, said = process.communicate()
        assert (process.returncode, out) == (0, told), said
        assert said.count("\n") <= 1
    assert files(directory) == FILES
    before = [(directory / name).stat().st_mtime_ns for name in FILES]
    assert ask(directory) == (told, [])
    assert before == [(directory / name).stat().st_mtime_ns for name in FILES]


def test_threads_share_one_set(monkeypatch):
    monkeypatch.setattr(face, "_shared", face._Shared())
    found = []
    threads = [threading.Thread(target=lambda: found.append(face.bearoff_tables()))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(tables is found[0] for tables in found)


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def cut(path):
    path.write_bytes(path.read_bytes()[:-1000])


def empty(path):
    path.write_bytes(b"")


def other(path):
    path.write_bytes(b"something else entirely\n" * 10)


@pytest.mark.parametrize("name", FILES)
def test_damage_is_noticed_and_mended(tmp_path, capfd, monkeypatch, told, name):
    monkeypatch.setenv("NARDY_CACHE", str(tmp_path))
    face.load()
    whole = (tmp_path / name).read_bytes()
    capfd.readouterr()
    for damage in (flip, cut, empty, other) if "one" in name else (flip, cut):
        damage(tmp_path / name)
        kind = _tables.BearoffOne if "one" in name else _tables.BearoffTwo
        with pytest.raises(errors.FileFormatError, match=name):
            kind.open(tmp_path / name)
        face.load()
        said = capfd.readouterr().err
        assert said.count("\n") == 1 and "again" in said and name in said
        assert (tmp_path / name).read_bytes() == whole
        assert files(tmp_path) == FILES


def test_no_place_to_write(tmp_path, told):
    (tmp_path / "file").write_text("in the way")
    out, said = ask(tmp_path / "file" / "cache")
    assert out == told and len(said) == 2
    assert "not kept" in said[0] and "building" in said[1]


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on file sizes to set there")
def test_full_disk_leaves_nothing_behind(tmp_path, told):
    limit = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000_000, 10_000_000));"
    )
    out, said = ask(tmp_path, limit + ASK)
    assert out == told and len(said) == 2
    assert "building" in said[0] and "not kept" in said[1]
    assert files(tmp_path) == ["bearoff_one_1.ndb"]  # of 6 MB; the other one has 27


def test_errors_of_files(tmp_path, one_sided):
    with pytest.raises(errors.FileError, match="none"):
        _tables.BearoffOne.open(tmp_path / "none")
    with pytest.raises(OSError, match="input/output"):
        one_sided.save(tmp_path / "none" / "x")
    with pytest.raises(errors.NardyError):
        _tables.BearoffOne.open(tmp_path)


@pytest.mark.parametrize(
    ("platform", "variables", "tail"),
    [
        ("linux", {}, ".cache/nardy_core"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, ".cache/nardy_core"),
        ("linux", {"XDG_CACHE_HOME": "/x/y"}, "/x/y/nardy_core"),
        ("darwin", {}, "Library/Caches/nardy_core"),
        ("win32", {}, "AppData/Local/nardy_core"),
        ("win32", {"LOCALAPPDATA": "/data"}, "/data/nardy_core"),
        ("linux", {"NARDY_CACHE": "/chosen"}, "/chosen"),
    ],
)
def test_where_the_cache_is(monkeypatch, platform, variables, tail):
    for name in ("NARDY_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert cache.directory().as_posix().endswith(tail)
