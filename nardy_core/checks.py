"""What a value may be, refused in one line that names it, what it is and what it may be."""
from __future__ import annotations

import numbers
from collections.abc import Collection


def printable(text: str) -> str:
    """Foreign text as it is, but for what does not print, which is escaped."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def shown(text: object) -> str:
    """Foreign text as a short printable quotation."""
    words = str(text)
    return ascii(words if len(words) <= 40 else words[:37] + "...")


def one_of(name: str, value: object, allowed: Collection[str]) -> None:
    """ValueError for a value that is none of those allowed."""
    if value not in allowed:
        raise ValueError(f"{name}: {ascii(value)[:40]} is not one of {', '.join(allowed)}")


def whole(name: str, value: object, low: int, high: int) -> int:
    """The number as an int; ValueError for what is not whole, and beyond low and high."""
    if isinstance(value, bool) or not isinstance(value, (int, numbers.Integral)):
        raise ValueError(f"{name}: {ascii(value)[:40]} is not a whole number")
    number = int(value)
    if not low <= number <= high:
        raise ValueError(f"{name}: {ascii(number)[:40]} is not in {low}..{high}")
    return number


def power_of_two(name: str, value: object, high: int) -> int:
    """The number as an int; ValueError for what is no power of two from 1 to high."""
    number = whole(name, value, 1, high)
    if number & (number - 1):
        raise ValueError(f"{name}: {number} is not a power of two")
    return number
