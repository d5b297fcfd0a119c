"""Short nardy (backgammon), written a second time: slow, short and plain.

Nothing here is shared with the engine. A position is a pair (mine, theirs) of tuples of 26 counts,
each side in its own numbers: [0] borne off, [1]..[24] points, [25] bar; `mine` is to move. My point
n is their point 25 - n. A step is (source point, die); a play is a tuple of steps in order.
"""

import base64
from dataclasses import dataclass
from functools import lru_cache

ROLLS = [(a, b) for a in range(1, 7) for b in range(a, 7)]  # 11 12 .. 16 22 .. 66

STARTS = {
    "backgammon": {24: 2, 13: 5, 8: 3, 6: 5},
    "nackgammon": {24: 2, 23: 2, 13: 4, 8: 3, 6: 4},
    "hypergammon3": {24: 1, 23: 1, 22: 1},
    "hypergammon2": {24: 1, 23: 1},
    "hypergammon1": {24: 1},
}

OUTCOMES = [
    "win single",
    "win gammon",
    "win backgammon",
    "lose single",
    "lose gammon",
    "lose backgammon",
]


@dataclass(frozen=True)
class Options:
    no_hit_and_off: bool = False
    larger_die: bool = True


DEFAULT = Options()


def start(name="backgammon"):
    side = tuple(STARTS[name].get(point, 0) for point in range(26))
    return side, side


def swap(position):
    mine, theirs = position
    return theirs, mine


def from_gnu_id(text, checkers=15):
    """Position of a GNU id: per side and point, ones for checkers and a closing zero, low bits
    first, the side that is not to move first. Checkers missing from `checkers` are borne off."""
    number = int.from_bytes(base64.b64decode(text + "=="), "little")
    sides = []
    for _ in range(2):
        side = [0] * 26
        for point in range(1, 26):
            while number & 1:
                side[point] += 1
                number >>= 1
            number >>= 1
        side[0] = checkers - sum(side)
        sides.append(tuple(side))
    return sides[1], sides[0]


def to_gnu_id(position):
    bits = "".join("1" * side[point] + "0" for side in swap(position) for point in range(1, 26))
    number = int(bits[::-1], 2)
    return base64.b64encode(number.to_bytes(10, "little")).decode().rstrip("=")


def may_bear_off(mine, source, die):
    """Everyone home, and the die exact or nobody above the point."""
    if any(mine[7:]):
        return False
    return source == die or not any(mine[source + 1 :])


def steps(state, die, options):
    """All legal single steps: (source, next state). A state is (mine, theirs, hitters); hitters are
    the points of the checkers that hit in my home this turn and so may not be borne off."""
    mine, theirs, hitters = state
    sources = [25] if mine[25] else [n for n in range(24, 0, -1) if mine[n]]
    for source in sources:
        target = max(source - die, 0)
        if target and theirs[25 - target] >= 2:
            continue
        if not target and not may_bear_off(mine, source, die):
            continue
        new_mine, new_theirs = list(mine), list(theirs)
        new_mine[source] -= 1
        new_mine[target] += 1
        hit = target and theirs[25 - target] == 1
        if hit:
            new_theirs[25 - target] -= 1
            new_theirs[25] += 1
        after = tuple(new_mine), tuple(new_theirs)
        # Of several checkers on the source a hitter or another one may be the one that moves.
        if mine[source] > hitters.count(source):
            marked = options.no_hit_and_off and hit and target <= 6
            yield source, (*after, tuple(sorted(hitters + ((target,) if marked else ()))))
        if source in hitters and target:
            moved = list(hitters)
            moved[moved.index(source)] = target
            yield source, (*after, tuple(sorted(moved)))


def layers(position, order, options, with_steps):
    """What can be reached with the first 0, 1, 2 … dice of `order`, as sets of (steps, state)."""
    layer = {((), (*position, ()))}
    found = [layer]
    for die in order:
        layer = {
            ((*played, (source, die)) if with_steps else (), after)
            for played, state in layer
            if state[0][0] < sum(state[0])
            for source, after in steps(state, die, options)
        }
        found.append(layer)
    return found


def legal(position, d1, d2, options=DEFAULT, with_steps=False):
    """(dice played, set of (steps, state)): as many dice as possible; of two dice of which only one
    can be played, the larger."""
    orders = [(d1,) * 4] if d1 == d2 else [(max(d1, d2), min(d1, d2)), (min(d1, d2), max(d1, d2))]
    found = [layers(position, order, options, with_steps) for order in orders]
    most = max(k for order in found for k, layer in enumerate(order) if layer)
    if most == 1 and options.larger_die:  # the order that starts with the larger die comes first
        return 1, next(order[1] for order in found if order[1])
    return most, set().union(*(order[most] for order in found))


@lru_cache(maxsize=1 << 15)
def results(position, d1, d2, options=DEFAULT):
    """Distinct positions after the roll, `mine` still the side that played."""
    return frozenset(state[:2] for _, state in legal(position, d1, d2, options)[1])


def dice_played(position, d1, d2, options=DEFAULT):
    return legal(position, d1, d2, options)[0]


def sequences(position, d1, d2, options=DEFAULT):
    """All legal plays as ordered steps, with the position each leads to."""
    return {played: state[:2] for played, state in legal(position, d1, d2, options, True)[1]}


def replay(position, play, options=DEFAULT):
    """Position after the steps taken one by one, or ValueError at one that is not legal."""
    states = {(*position, ())}
    for source, die in play:
        states = {
            after
            for state in states
            for point, after in steps(state, die, options)
            if point == source
        }
        if not states:
            raise ValueError(f"{source} with a {die} is not legal")
    return next(iter(states))[:2]


def outcome(position):
    """Index into OUTCOMES for the side to move, None while the game goes on."""
    for offset, (winner, loser) in ((0, position), (3, swap(position))):
        if winner[0] == sum(winner):
            if loser[0]:
                return offset
            return offset + (2 if any(loser[19:]) else 1)
    return None


def perft(position, depth, options=DEFAULT):
    """Distinct results counted over the 21 rolls, unweighted, `depth` turns deep."""
    if depth == 0 or outcome(position) is not None:
        return 1
    if depth == 1:
        return sum(len(results(position, *roll, options)) for roll in ROLLS)
    return sum(
        perft(swap(result), depth - 1, options)
        for roll in ROLLS
        for result in results(position, *roll, options)
    )
