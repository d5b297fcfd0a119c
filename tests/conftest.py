"""Tests of interruption need the keyboard's signal, which a shell takes from what it runs in the
background: here and in every program started from here it works as at a terminal."""

import io
import signal
import sys

import pytest

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
