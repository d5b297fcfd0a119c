"""One side's checkers by name."""
from __future__ import annotations


def side(*, bar: int = 0, off: int | None = None, **points: int) -> tuple[int, ...]:
    """26 counts: side(p24=2, p3=1, bar=1). Of fifteen, what is not named is off."""
    counts = [0] * 26
    counts[25] = bar
    for name, count in points.items():
        counts[int(name.removeprefix("p"))] += count
    counts[0] = 15 - sum(counts)
    assert counts[0] >= 0 and off in (None, counts[0])
    return tuple(counts)
