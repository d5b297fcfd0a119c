"""What a value may be, refused in one line that names it, what it is and what it may be."""
from __future__ import annotations

from collections.abc import Collection

import numpy as np


def printable(text: str) -> str:
    """Foreign text as it is, but for what does not print, which is escaped."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def one_of(name: str, value: object, allowed: Collection[str]) -> None:
    """ValueError for a value that is none of those allowed."""
    if value not in allowed:
        raise ValueError(f"{name}: {ascii(value)[:40]} is not one of {', '.join(allowed)}")


def whole(name: str, value: object, low: int, high: int) -> int:
    """The number as an int; ValueError for what is not whole, and beyond low and high."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{name}: {ascii(value)[:40]} is not a whole number")
    if not low <= value <= high:
        raise ValueError(f"{name}: {ascii(int(value))[:40]} is not in {low}..{high}")
    return int(value)


def power_of_two(name: str, value: object, high: int) -> int:
    """The number as an int; ValueError for what is no power of two from 1 to high."""
    number = whole(name, value, 1, high)
    if number & (number - 1):
        raise ValueError(f"{name}: {number} is not a power of two")
    return number
