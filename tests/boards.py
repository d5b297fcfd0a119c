"""Boards of both games that pictures and texts are made of."""
from __future__ import annotations

import random

from nardy_core.counts import fill
from nardy_core.position import Position

START = {24: 2, 13: 5, 8: 3, 6: 5}


def position(own, opp, game="backgammon", checkers=15, **fields):
    counts = fill(own, checkers), fill(opp, checkers)
    return Position(game, *counts, checkers=checkers, **fields)


POSITIONS = {
    "opening": position(START, START, dice=(3, 1), match_length=7, score_own=2, score_opp=3),
    "black_owns_cube": position(
        {25: 1, 24: 1, 13: 3, 8: 3, 7: 1, 6: 4, 5: 2},
        {24: 2, 13: 4, 8: 2, 6: 4, 4: 2, 3: 1},
        turn=0,
        dice=(6, 4),
        cube=2,
        cube_owner="own",
        match_length=11,
        score_own=4,
        score_opp=9,
    ),
    "bearing_off": position(
        {6: 2, 5: 4, 4: 3, 2: 2}, {25: 2, 6: 7, 4: 2, 1: 1}, cube=16, cube_owner="opp"
    ),
    "doubled": position(START, {24: 2, 13: 5, 8: 3, 6: 5}, turn=0, offer="doubled"),
    "crawford": position(
        START, START, dice=(6, 5), match_length=5, score_own=4, score_opp=1, crawford=True
    ),
    "long_start": position({24: 15}, {24: 15}, "long_nardy", dice=(6, 6)),
    "long_middle": position(
        {24: 7, 18: 1, 17: 2, 16: 1, 14: 2, 11: 1, 9: 1},
        {24: 6, 22: 2, 20: 1, 19: 1, 17: 1, 16: 1, 8: 1, 3: 2},
        "long_nardy",
        turn=0,
        dice=(5, 2),
    ),
    "long_race": position(
        {6: 3, 4: 4, 1: 2},
        {9: 1, 8: 1, 5: 3, 3: 4},
        "long_nardy",
        rules={"scoring": "federation"},
        max_cube=None,
    ),
}


def random_positions(count, seed):
    """Crowded, thin, stacked and half borne-off boards of both games."""
    draw = random.Random(seed)
    while count:
        game = draw.choice(["backgammon", "long_nardy"])
        free = list(range(1, 25))
        draw.shuffle(free)
        sides = []
        for _ in range(2):
            left, side = draw.choice([15, 15, draw.randint(1, 15)]), {}
            if game == "backgammon" and draw.random() < 0.4:
                side[25] = draw.randint(1, min(left, 7))
                left -= side[25]
            while left and free:
                number = free.pop()
                side[number] = draw.randint(1, min(left, draw.choice([2, 3, 15])))
                left -= side[number]
            sides.append(side)
        shifted = {n: c for n, c in sides[1].items() if n == 25}
        for n, c in sides[1].items():
            if n != 25:
                # the other side's number for the same place, from the rules of each game
                shifted[25 - n if game == "backgammon" else (n + 11) % 24 + 1] = c
        yield position(
            sides[0],
            shifted,
            game,
            turn=draw.randint(0, 1),
            dice=draw.choice([None, (draw.randint(1, 6), draw.randint(1, 6))]),
        )
        count -= 1


RANDOM = list(random_positions(150, seed=1))


def walk(count, seed):
    """Positions with dice out of random games of short nardy, either player on roll."""
    draw = random.Random(seed)
    place = Position.start()
    for _ in range(count):
        dice = draw.randint(1, 6), draw.randint(1, 6)
        yield place.with_(dice=dice)
        place = draw.choice(place.legal_plays(dice)).result
        if place.finished:
            place = Position.start(turn=draw.randint(0, 1))


def by_player(pos):
    return {pos.turn: pos.own, 1 - pos.turn: pos.opp}
