"""The one-sided bear-off table against GNU Backgammon's, entry by entry.

The file is Debian's gnubg-data. After a header of 40 bytes it holds one record of 8 bytes a
position (offset, length and first roll of the distribution for all checkers, length and first roll
of the one for the first checker), then 16-bit probabilities in units of 1/65535. Positions are
ordered as ours are.
"""

import os
import struct
from pathlib import Path

import numpy as np
import pytest

DATABASE = Path("/usr/share/gnubg/gnubg_os0.bd")
HEADER, POSITIONS, FULL = 40, 54264, 38760


@pytest.fixture(scope="module")
def database():
    if not DATABASE.exists():
        if os.environ.get("NARDY_REQUIRE_PEERS"):
            pytest.fail(f"{DATABASE} is missing: install gnubg-data")
        pytest.skip(f"{DATABASE} is not here (Debian: gnubg-data)")
    data = DATABASE.read_bytes()
    assert data.startswith(b"gnubg-OS-06-15-1-1-0")
    return data


def distributions(data, index):
    """Probabilities of 0, 1, 2, … rolls for all checkers and for the first one."""
    at, *shape = struct.unpack_from("<I4B", data, HEADER + 8 * index)
    at = HEADER + 8 * POSITIONS + 2 * at
    for length, first in (shape[:2], shape[2:]):
        p = np.zeros(64)
        p[first : first + length] = np.frombuffer(data, "<u2", length, at) / 65535
        at += 2 * length
        yield p


def test_ten_thousand_entries(database, one_sided):
    rolls = np.arange(64)
    means, worst, tied = 0.0, 0.0, 0
    chosen = np.random.default_rng(2025).choice(POSITIONS, 10_000, replace=False)
    for index in chosen.tolist():
        theirs = list(distributions(database, index))
        ours = [one_sided.rolls(index), one_sided.first_rolls(index)]
        if index < FULL:  # a checker is off: what they store for the first one is of no use
            del theirs[1], ours[1]
        for a, b in zip(ours, theirs, strict=True):
            difference = np.pad(a, (0, 64 - len(a))) - b
            means = max(means, abs(difference @ rolls))
            worst = max(worst, np.abs(difference).max())
            tied += np.abs(difference).max() > 1e-4
    # Their probabilities are rounded to 1.5e-5, and so are those they were made from. Where two
    # plays have nearly the same mean the choice is open, and with it the distribution.
    assert means < 2e-4
    assert worst < 4e-3 and tied < 50
