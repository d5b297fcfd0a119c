"""What a target is, and what all of them hold an answer to."""
from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from fuzz.mutate import mutated

HERE = Path(__file__).parent
SLOW = 5.0  # seconds of work an input may take at most


class Target(NamedTuple):
    """check : of one input; True if it made sense
    samples : inputs to begin with
    mutate : where mutating the bytes as they are would never get past a checksum
    """

    check: Callable[[bytes], bool]
    samples: Callable[[], list[bytes]]
    mutate: Callable[[random.Random, bytes], bytes] = mutated


def seeds(name: str) -> list[bytes]:
    """The lines of a file of seeds; `\\n` in a line is a line end."""
    lines = (HERE / "seeds" / f"{name}.txt").read_bytes().splitlines()
    return [line.replace(b"\\n", b"\n") for line in lines if line]


def one_line(text: str) -> None:
    assert text and "\n" not in text and text.isprintable(), repr(text)


@contextlib.contextmanager
def in_time() -> Iterator[None]:
    begun = time.process_time()
    yield
    assert time.process_time() - begun < SLOW, "too slow"
