"""Short nardy with one checker a side, the other fourteen off: all its positions can be listed, and
what the engine plays leads from one to another."""

from __future__ import annotations

import numpy as np

ROLLS = [(a, b) for a in range(1, 7) for b in range(a, 7)]
WEIGHTS = np.array([1 if a == b else 2 for a, b in ROLLS]) / 36
# The slots of the side on roll and of the other, each counted its own way.
STATES = [(own, opp) for own in range(1, 26) for opp in range(1, 26) if own + opp != 25]
INDEX = {state: i for i, state in enumerate(STATES)}


def slot_of(planes):
    """Where the only checker on the board stands; 0 = it is off."""
    return (int(planes[0] | planes[1] | planes[2] | planes[3]) & ~1).bit_length() - 1


def following(evaluator, lone):
    """(STATES, ROLLS) int: the index of the state after the play that the evaluator chooses, seen
    from the other side; -1 = the game is won. `lone` makes the position of a state."""
    found = np.zeros((len(STATES), len(ROLLS)), dtype=int)
    for (own, opp), i in INDEX.items():
        planes = lone(own, opp).board
        for r, roll in enumerate(ROLLS):
            after = evaluator.choose(planes, roll)[0][0]
            mine, other = slot_of(after[:4]), slot_of(after[4:])
            found[i, r] = INDEX[other, mine] if mine > 0 else -1
    return found
