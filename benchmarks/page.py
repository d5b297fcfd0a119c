"""Places in documents that benchmarks fill: between `<!-- NAME -->` and `<!-- end of NAME -->`."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import nardy_core as nd


def fill(path: Path, name: str, text: str) -> None:
    """Put the text into the place of that name."""
    whole = path.read_text()
    before, begin, rest = whole.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- end of {name} -->\n")
    if not begin or not end:
        raise SystemExit(f"{path}: has no place for {name}: <!-- {name} -->")
    path.write_text(before + begin + text.rstrip("\n") + "\n" + end + after)


def table(headings: list[str], rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(cells)} |" for cells in (headings, *rows)]
    return "\n".join([lines[0], "|---" * len(headings) + "|", *lines[1:]]) + "\n"


def machine() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
        model = next(line.split(":")[1].strip() for line in text.splitlines()
                     if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"{len(os.sched_getaffinity(0))} cores of {model.replace('(R)', '')}"


def circumstances(command: str, load: float) -> str:
    """The line above a table: from which command, on what, with which nets."""
    nets = nd.Engine(threads=1).info().nets
    return (f"`{command}` on {machine()}, load average {load:.1f} when it began; nets "
            f"{', '.join(f'{part} {name}' for part, name in nets)}.\n\n")
