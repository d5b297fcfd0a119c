"""Tests of interruption need the keyboard's signal, which a shell takes from what it runs in the
background: here and in every program started from here it works as at a terminal."""

import io
import signal
import sys

import pytest

from nardy_core._border import _tables
from nardy_core.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def nardy(capsys, monkeypatch):
    """Run a command in this process: (exit code, stdout, stderr)."""

    def run(*words, stdin=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory):
    """An empty folder for tables and caches, for all tests of a module."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("NARDY_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def one_sided():
    """The one-sided bear-off table."""
    return _tables.BearoffOne.build()
