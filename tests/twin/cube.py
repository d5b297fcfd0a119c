"""The cube by plain recursion, for checks: slow, obvious, and in nobody's debt.

A payoff is any function of (points won by A, negative if lost) with the cube counted in. All values
are A's. Owners are "centre", "A", "B".
"""

import functools
import itertools
import math

import numpy as np

ROLLS = [(a, b, 1 if a == b else 2) for a in range(1, 7) for b in range(a, 7)]


# ---- stakes -------------------------------------------------------------------------------------


def money(cap=math.inf):
    return lambda points: max(-cap, min(cap, points))


def match(before, after, a_needs, b_needs, crawford="before"):
    """before(a, b), after(n) = chance of the trailer; crawford: before, now, over."""

    def payoff(points):
        a = a_needs - max(points, 0)
        b = b_needs + min(points, 0)
        if a <= 0:
            return 1.0
        if b <= 0:
            return 0.0
        if crawford == "before" or min(a, b) > 1:
            return before(a, b)
        return after(a) if b == 1 else 1 - after(b)

    return payoff


# ---- bear-off of a few checkers -----------------------------------------------------------------


def one_die(home, die):
    """All homes after one die; homes are counts of points 1..6."""
    found = set()
    for point in range(1, 7):
        if not home[point - 1]:
            continue
        after = list(home)
        after[point - 1] -= 1
        if point > die:
            after[point - die - 1] += 1
        elif point < die and any(home[point:]):
            continue  # a checker from a higher point comes first
        found.add(tuple(after))
    return found or {home}


@functools.cache
def results(home, a, b):
    orders = [(a,) * 4] if a == b else [(a, b), (b, a)]
    found = set()
    for order in orders:
        homes = {home}
        for die in order:
            homes = set().union(*(one_die(h, die) for h in homes))
        found |= homes
    return sorted(found)


class Bearoff:
    """Best play and cube action to the end of a bear-off without gammons.

    max_cube limits doubling (1 = none); beavers are turned as often as `beavers` says: 0, 1 or 2
    (raccoons).
    """

    def __init__(self, payoff, max_cube=math.inf, beavers=0):
        self.payoff = payoff
        self.max_cube = max_cube
        self.beavers = beavers
        self.roll = functools.cache(self.roll)

    def roll(self, mover, a, b, cube, owner):
        """Value with `mover` about to roll."""
        better = max if mover == "A" else min
        total = 0.0
        for d1, d2, weight in ROLLS:
            homes = results(a if mover == "A" else b, d1, d2)
            if mover == "A":
                total += weight * better(self.turn("B", home, b, cube, owner) for home in homes)
            else:
                total += weight * better(self.turn("A", a, home, cube, owner) for home in homes)
        return total / 36

    def turn(self, mover, a, b, cube, owner):
        """Value with `mover` to double or roll."""
        if not any(a):
            return self.payoff(cube)
        if not any(b):
            return self.payoff(-cube)
        stay = self.roll(mover, a, b, cube, owner)
        if owner not in ("centre", mover) or 2 * cube > self.max_cube:
            return stay
        doubled = self.doubled(mover, a, b, cube)
        return max(stay, doubled) if mover == "A" else min(stay, doubled)

    def doubled(self, mover, a, b, cube):
        """Value of `mover` doubling from `cube`, answered in the best way."""
        return self.answer(mover, mover, a, b, cube, self.beavers)

    def answer(self, doubler, turner, a, b, cube, left):
        """`turner` has just turned the cube from `cube`; whoever takes in the end, the side that
        was doubled first owns it."""
        taker = "B" if doubler == "A" else "A"
        sign = 1 if turner == "A" else -1
        choices = [self.payoff(sign * cube), self.roll(doubler, a, b, 2 * cube, taker)]
        if left and 4 * cube <= self.max_cube:
            other = "B" if turner == "A" else "A"
            choices.append(self.answer(doubler, other, a, b, 2 * cube, left - 1))
        return min(choices) if turner == "A" else max(choices)


# ---- the two limits of the cube model -----------------------------------------------------------


def one_roll(payoff, chances, cube):
    """Value of a game that the next roll decides: chances[points]."""
    return sum(chance * payoff(points * cube) for points, chance in chances.items())


def walk(payoff, wins, losses, cube, levels, steps=120, jacoby=False):
    """Value at each p = i / steps of a game in which p moves one step up or down at a time and
    either side may double before each step: the live cube as a plain game.

    wins, losses : {points: part}; `levels` cubes above the present one can be turned
    Returns {owner: values} for "centre", "A", "B".
    """

    def ends(value, turned):
        parts = []
        for sign, mix in ((-1, losses), (1, wins)):
            if jacoby and not turned:
                mix = {1: 1.0}
            parts.append(sum(part * payoff(sign * k * value) for k, part in mix.items()))
        return parts

    def settle(low, high, a_stop, b_stop):
        """Fixed point of stepping, where A may take a_stop(p) and B may take b_stop(p)."""
        values = np.linspace(low, high, steps + 1)
        hurry = 2 / (1 + np.sin(np.pi / steps))  # over-relaxation: only the way there differs
        for _ in range(20 * steps):
            before = values.copy()
            for inner, left, right in (
                (slice(1, -1, 2), slice(0, -2, 2), slice(2, None, 2)),
                (slice(2, -1, 2), slice(1, -2, 2), slice(3, None, 2)),
            ):
                mean = (values[left] + values[right]) / 2
                new = values[inner] + hurry * (mean - values[inner])
                if a_stop is not None:
                    new = np.maximum(new, a_stop[inner])
                if b_stop is not None:
                    new = np.minimum(new, b_stop[inner])
                values[inner] = new
            if np.abs(before - values).max() < 1e-12:
                return values
        raise ArithmeticError("the walk did not settle")

    higher = None
    for level in range(levels, -1, -1):
        value = cube * 2**level
        a_stop = b_stop = None
        if higher is not None:
            a_stop = np.minimum(higher["B"], payoff(value))
            b_stop = np.maximum(higher["A"], payoff(-value))
        low, high = ends(value, True)
        now = {"A": settle(low, high, a_stop, None), "B": settle(low, high, None, b_stop)}
        if level == 0:
            now["centre"] = settle(*ends(value, False), a_stop, b_stop)
        higher = now
    return higher


def homes(checkers):
    """All homes of up to so many checkers, at least one."""
    return [
        counts
        for counts in itertools.product(range(checkers + 1), repeat=6)
        if 1 <= sum(counts) <= checkers
    ]


def forced(payoff, wins, losses, cube, levels):
    """The live cube of the text-books: every player who may cashes at his point, even where playing
    on would be worth more. {owner: [(p, value), …]} for "centre", "A", "B"."""

    def ends(value):
        return [
            sum(part * payoff(sign * k * value) for k, part in mix.items())
            for sign, mix in ((-1, losses), (1, wins))
        ]

    def where(curve, value):
        for (p0, v0), (p1, v1) in itertools.pairwise(curve):
            if v0 <= value <= v1 and v1 > v0:
                return p0 + (p1 - p0) * (value - v0) / (v1 - v0)
        return 1.0 if value > curve[-1][1] else 0.0

    higher = None
    for level in range(levels, -1, -1):
        value = cube * 2**level
        low, high = ends(value)
        a, b = [], []
        if higher is not None:
            a = [(where(higher["B"], payoff(value)), payoff(value))]
            b = [(where(higher["A"], payoff(-value)), payoff(-value))]
        higher = {
            owner: [(0.0, low), *points, (1.0, high)]
            for owner, points in (("centre", b + a), ("A", a), ("B", b))
        }
    return higher
