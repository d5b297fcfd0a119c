"""Schemathesis makes requests out of the OpenAPI document, right and wrong ones, and looks whether
the answers are what the document promises."""
from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from serving import Process

CONFIG = Path(__file__).with_name("schemathesis.toml")
PATIENCE = 900  # seconds


def test_nothing_is_found(tmp_path):
    if importlib.util.find_spec("schemathesis") is None:
        message = "schemathesis is missing, so HTTP was not tried: pip install schemathesis"
        if os.environ.get("NARDY_REQUIRE_PEERS") == "1":
            pytest.fail(message, pytrace=False)
        pytest.skip(message)
    # Jobs are short, so that streams of their events end. Calls may be long: the deepest rollers
    # are asked for, too, on a machine that does other work.
    with Process("serve", "http", "--port", "0", "--job-time", "0.5", "--time-limit", "300",
                 patience=60) as server:
        url = server.line("stderr").split()[-1]
        done = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "--no-color", "--config-file", str(CONFIG),
             "run", f"{url}openapi.json", "--max-examples", "10", "--seed", "1",
             "--request-timeout", "300"],
            cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        assert "Tested: " in done.stdout and server.process.poll() is None
