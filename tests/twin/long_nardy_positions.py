"""Seeded streams of long nardy positions with a roll each, from five kinds of positions.

Random play hardly ever meets the wall rule, so one stream plays to build walls and one sets
them up.
"""

from itertools import islice

from twin import long_nardy as twin
from twin.backgammon_positions import roll


def longest_block(position, side):
    """Longest run of points held by `side` on the other side's path."""
    best = run = 0
    for point in twin.PATHS[1 - side]:
        run = run + 1 if position[0][point] * twin.SIGN[side] > 0 else 0
        best = max(best, run)
    return best


def random_play(rng, options=twin.DEFAULT):
    """Games of random plays from the start."""
    while True:
        position = twin.start()
        while twin.outcome(position) is None:
            dice = roll(rng)
            yield position, dice
            position = twin.swap(rng.choice(sorted(twin.results(position, *dice, options))))


def block_heavy(rng, options=twin.DEFAULT):
    """Games in which both sides lengthen their blocks most of the time; where a block of five or
    more stands, two rolls are asked."""
    while True:
        position = twin.start()
        while twin.outcome(position) is None:
            dice = roll(rng)
            yield position, dice
            side = position[2]
            if longest_block(position, side) >= 5:
                yield position, roll(rng)
            choices = sorted(twin.results(position, *dice, options))
            rng.shuffle(choices)
            if rng.random() < 0.8:
                choices.sort(key=lambda p: -longest_block(p, side))
            position = twin.swap(choices[0])


def illegal_walls(position, options):
    return any(
        not twin.wall_allowed(position, first, side, options.wall_rule)
        for side in (0, 1)
        for first in twin.walls(position[0], side)
    )


def random_placement(rng, options=twin.DEFAULT):
    """Checkers thrown on free points, many or few on the head; no walls that may not stand."""
    while True:
        turn = rng.randint(0, 1)
        ring, off = [0] * 25, (0, 0)
        for side in (0, 1):
            head = rng.choice([0, 1, 3, 6, 9, 13])
            ring[twin.PATHS[side][0]] = twin.SIGN[side] * head
            while abs(sum(n for n in ring if n * twin.SIGN[side] > 0)) < 15:
                point = twin.PATHS[side][min(rng.randint(0, 30), 23)]
                if point != twin.PATHS[1 - side][0] and ring[point] * twin.SIGN[side] >= 0:
                    ring[point] += twin.SIGN[side]
        position = tuple(ring), off, turn
        if not illegal_walls(position, options):
            yield position, roll(rng)


def walls(rng, options=twin.DEFAULT):
    """Five points of a wall and a roll that can fill the sixth, the enemy mostly all behind it."""
    while True:
        turn = rng.randint(0, 1)
        path, enemy, sign = twin.PATHS[turn], twin.PATHS[1 - turn], twin.SIGN[turn]
        first = rng.randint(1, 18)
        gap = enemy[rng.randint(first, first + 5)]
        die = rng.randint(1, 6)
        source = twin.PLACE[turn][gap] - die
        ring = [0] * 25
        for point in enemy[first : first + 6]:
            ring[point] = 0 if point == gap else sign
        if source < 0 or path[source] == enemy[0]:
            continue
        ring[path[source]] += sign
        reach = first - 1 if rng.random() < 0.8 else 23  # how far the enemy has come
        for side, last in ((turn, 23), (1 - turn, reach)):
            walk, mark = twin.PATHS[side], twin.SIGN[side]
            while left := 15 - sum(mark * n for n in ring if mark * n > 0):
                point = walk[rng.choice([0, rng.randint(0, last)])]
                if mark * ring[point] >= 0 and point not in (gap, twin.PATHS[1 - side][0]):
                    ring[point] += mark * rng.randint(1, min(left, 4))
                elif mark * ring[walk[0]] < 0:
                    break  # the head is taken
            if left:
                break
        position = tuple(ring), (0, 0), turn
        if not left and not illegal_walls(position, options):
            yield position, (die, rng.randint(1, 6))


def bear_off(rng, options=twin.DEFAULT):
    """Everyone in or just before the home, some borne off."""
    while True:
        sides = []
        for _ in range(2):
            own = [0] * 26
            for _ in range(rng.randint(1, 15)):
                own[rng.randint(1, 6)] += 1
            if rng.random() < 0.4:
                own[0] = 0
                for _ in range(15 - sum(own)):
                    own[rng.randint(1, 6)] += 1
                own[next(p for p in range(1, 7) if own[p])] -= 1
                own[rng.choice([7, 8, 10, 12])] += 1
            own[0] = 15 - sum(own)
            sides.append(own)
        yield twin.from_counts(*sides, turn=rng.randint(0, 1)), roll(rng)


SOURCES = {
    "random play": random_play,
    "random placement": random_placement,
    "block-heavy": block_heavy,
    "walls": walls,
    "bear-off": bear_off,
}


def sample(name, rng, n, options=twin.DEFAULT):
    return list(islice(SOURCES[name](rng, options), n))
