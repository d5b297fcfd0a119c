"""Inputs made from samples by cutting, copying, swapping digits and putting in telling words."""
from __future__ import annotations

import random

WORDS = [b"Doubles => 2", b"Takes", b"Drops", b"Wins 2 points", b"Losses 1 point", b"bar/20*",
         b"\n", b"Game 2", b"  1) ", b"66:", b"????", b":", b"[", b"]", b"(", b";", b"\\", b"\x00",
         b"\xff", b"99999999999", b"(9)", b"{", b'"', b"-1", b"1e999", b"\t", b"\r", b"Resigns"]


def mutated(rng: random.Random, data: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        at = rng.randrange(len(out) + 1)
        move = rng.randrange(6)
        if move == 0:
            out[at:at + rng.randrange(1, 40)] = b""
        elif move == 1:
            out[at:at] = rng.choice(WORDS)
        elif move == 2 and at < len(out):
            out[at] = rng.randrange(256)
        elif move == 3:
            other = rng.randrange(len(out) + 1)
            out[at:at] = out[other:other + rng.randrange(60)]
        elif move == 4 and at < len(out) and chr(out[at]).isdigit():
            out[at] = ord(rng.choice("0123456789"))
        elif move == 5 and rng.random() < 0.1:
            del out[at:]
    return bytes(out)
