"""A short run of every fuzz target; tests/fuzz/README.md has the long ones."""
from __future__ import annotations

import pytest
from fuzz.run import mutations
from fuzz.targets import TARGETS

COUNT = 400


@pytest.mark.parametrize("name", TARGETS)
def test_mutations(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where a finding is left
    well, _ = mutations(name, COUNT, seed=2)
    # They neither all miss nor all destroy.
    assert COUNT // 50 <= well <= COUNT
