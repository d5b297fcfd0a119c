"""Arrows that show a play: each step from the checker that moves to the place where it lands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import hypot

from nardy_core.render.layout import BAR_STACK, MIDDLE_Y, RADIUS, STACK, Layout
from nardy_core.render.view import BAR, OFF

SHAFT, HEAD, HEAD_LENGTH = 3.5, 10.5, 20  # half widths and length of an arrow
NUDGES = (0, 9, -9, 18)  # sideways, for steps between the same two centres

Point = tuple[float, float]


@dataclass(frozen=True)
class Arrow:
    """One step of a play as a quadratic curve in drawing units, with the numbers of the mover."""

    source: int  # 25 = bar
    target: int  # 0 = off
    hit: bool
    start: Point
    bend: Point  # control point of the curve
    tip: Point

    def outline(self) -> list[tuple[str, list[Point]]]:
        """The arrow as one closed shape: path commands with their points, first of all the tip.

        "A" is the half circle around the start.
        """
        first = _direction(self.start, self.bend)
        last = _direction(self.bend, self.tip)
        whole = _direction(self.start, self.tip)
        base = _along(self.tip, last, -HEAD_LENGTH)
        return [
            ("M", [self.tip]),
            ("L", [_beside(base, last, HEAD)]),
            ("L", [_beside(base, last, SHAFT)]),
            ("Q", [_beside(self.bend, whole, SHAFT), _beside(self.start, first, SHAFT)]),
            ("A", [_beside(self.start, first, -SHAFT)]),
            ("Q", [_beside(self.bend, whole, -SHAFT), _beside(base, last, -SHAFT)]),
            ("L", [_beside(base, last, -HEAD)]),
        ]


def play_arrows(layout: Layout, steps: Iterable[Sequence[int]]) -> list[Arrow]:
    """The arrows of a play on the position before it.

    `steps` are (from, to) or (from, to, hit) in the mover's own numbers; without `hit` a lone
    opposing checker in backgammon is hit. Raises ValueError for a step that does not go forward
    and where the mover has no checker to move.
    """
    view = layout.view
    counts = list(view.counts[view.mover])
    standing = [layout.opponent_on(number) for number in range(26)]
    used: dict[tuple[Point, Point], int] = {}
    arrows = []
    for (source, target), group in groupby(map(_step, steps), key=lambda step: step[:2]):
        run = list(group)
        if not OFF <= target < source <= BAR:
            raise ValueError(f"arrows: {source}/{target} is not a step")
        if counts[source] < len(run):
            raise ValueError(f"arrows: no checker on {source} for {source}/{target}")
        counts[source] -= len(run)
        # of checkers that go the same way the lowest lands lowest, so their arrows do not cross
        for index, (_, _, given) in enumerate(run):
            lone = standing[target] == 1 and not view.is_long
            hit = lone if given is None else given
            if hit:
                standing[target] = 0
            slots = counts[source] + index, counts[target]
            start = layout.checker(view.mover, source, slots[0])
            tip = layout.checker(view.mover, target, slots[1])
            counts[target] += 1
            nudge = NUDGES[min(used.get((start, tip), 0), len(NUDGES) - 1)]
            used[start, tip] = used.get((start, tip), 0) + 1
            clear = (
                _bears_number(source, view.counts[view.mover][source], slots[0]),
                _bears_number(target, view.counts[view.mover][target], slots[1]),
            )
            arrows.append(_arrow(source, target, hit, start, tip, nudge, clear))
    return arrows


def _step(step: Sequence[int]) -> tuple[int, int, bool | None]:
    return int(step[0]), max(int(step[1]), OFF), bool(step[2]) if len(step) > 2 else None


def _bears_number(number: int, count: int, slot: int) -> bool:
    """The checker drawn for `slot` carries the number of a stack too high to draw."""
    if number == OFF:
        return False
    most = BAR_STACK if number == BAR else STACK
    return count > most and slot >= most - 1


def _arrow(
    source: int,
    target: int,
    hit: bool,
    start: Point,
    tip: Point,
    nudge: int,
    clear: tuple[bool, bool],
) -> Arrow:
    wide = abs(tip[0] - start[0]) >= abs(tip[1] - start[1])
    shift = (0, nudge) if wide else (nudge, 0)
    start, tip = (start[0] + shift[0], start[1] + shift[1]), (tip[0] + shift[0], tip[1] + shift[1])
    bend = ((start[0] + tip[0]) / 2, (start[1] + tip[1]) / 2)
    if (start[1] < MIDDLE_Y) == (tip[1] < MIDDLE_Y):
        # steps along one side of the board bend towards its middle, over the stacks between
        bow = min(70.0, 0.22 * abs(tip[0] - start[0]))
        bend = (bend[0], bend[1] + (bow if start[1] < MIDDLE_Y else -bow))
    if clear[0]:
        start = _along(start, _direction(start, bend), RADIUS - 2)
    if clear[1]:
        tip = _along(tip, _direction(bend, tip), 2 - RADIUS)
    return Arrow(source, target, hit, start, bend, tip)


def _direction(start: Point, end: Point) -> Point:
    x, y = end[0] - start[0], end[1] - start[1]
    length = hypot(x, y) or 1.0
    return x / length, y / length


def _along(point: Point, direction: Point, by: float) -> Point:
    return point[0] + direction[0] * by, point[1] + direction[1] * by


def _beside(point: Point, direction: Point, by: float) -> Point:
    return point[0] - direction[1] * by, point[1] + direction[0] * by
