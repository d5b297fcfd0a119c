"""The engine's boards and packed plays as the plain counts and steps of the twins."""

import numpy as np


def to_planes(mine, theirs):
    """Two lists of 26 counts -> eight uint32 words, bit s of word k being bit k of a count."""
    words = [
        sum((n >> k & 1) << slot for slot, n in enumerate(side))
        for side in (mine, theirs)
        for k in range(4)
    ]
    return np.array(words, dtype=np.uint32)


def to_counts(planes):
    """(n, 8) words -> list of n pairs of 26-tuples."""
    bits = np.asarray(planes).reshape(-1, 2, 4, 1) >> np.arange(26, dtype=np.uint32) & 1
    counts = (bits * np.array([1, 2, 4, 8]).reshape(4, 1)).sum(axis=2)
    return [tuple(map(tuple, pair)) for pair in counts.tolist()]


def to_steps(play):
    """Packed play -> tuple of (source, die)."""
    packed = [int(play) >> shift & 255 for shift in (0, 8, 16, 24)]
    return tuple((byte & 31, (byte >> 5) + 1) for byte in packed if byte)
