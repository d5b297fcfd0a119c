"""Seeded streams of short nardy positions with a roll each, from four kinds of positions."""

from itertools import islice

from twin import backgammon as twin


def roll(rng):
    return rng.randint(1, 6), rng.randint(1, 6)


def finished(mine, theirs, checkers=15):
    """The pair of tuples, everyone who is not on the board borne off."""
    for side in (mine, theirs):
        side[0] = checkers - sum(side[1:])
    return tuple(mine), tuple(theirs)


def random_play(rng, results=twin.results):
    """Games of random plays from the start positions, every position on the way."""
    variants = ["backgammon"] * 4 + ["nackgammon", "hypergammon3"]
    while True:
        position = twin.start(rng.choice(variants))
        while twin.outcome(position) is None:
            dice = roll(rng)
            yield position, dice
            position = twin.swap(rng.choice(sorted(results(position, *dice))))


def random_placement(rng):
    """Checkers thrown on the board, often few of them, sometimes on the bar."""
    while True:
        mine, theirs = [0] * 26, [0] * 26
        low, high = sorted(rng.sample(range(1, 26), 2))  # my checkers within a random stretch
        for side, other in ((mine, theirs), (theirs, mine)):
            for _ in range(rng.choice([rng.randint(1, 15), 15])):
                point = rng.randint(low, high) if side is mine else rng.randint(1, 24)
                if rng.random() < 0.05:
                    point = 25
                if point == 25 or not other[25 - point]:
                    side[point] += 1
        if any(mine) and any(theirs):
            yield finished(mine, theirs), roll(rng)


def lone_runner(rng):
    """One checker with both dice before it, the point of their sum closed, nobody else to move:
    either die or the larger."""
    mine, theirs = [0] * 26, [0] * 26
    dice = rng.sample(range(1, 7), 2)
    runner = rng.choice([25, *range(9, 25)])
    mine[runner] = 1
    mine[1] = rng.randint(0, 14)
    if runner > sum(dice) + 1:
        theirs[25 - runner + sum(dice)] = 2
    for _ in range(rng.randint(0, 5)):
        point = rng.randint(1, 23)
        if not theirs[point] and not mine[25 - point]:
            theirs[point] = rng.choice([1, 1, 2])
    theirs[25] = rng.randint(0, 1) if any(theirs) else 1
    return finished(mine, theirs), tuple(dice)


def block_heavy(rng):
    """Made points of two and three in front of each other, a few blots, checkers on the bar: plays
    that lose dice, the larger die, doubles that stop."""
    while True:
        mine, theirs = [0] * 26, [0] * 26
        if rng.random() < 0.1:
            yield lone_runner(rng)
            continue
        for side, other in ((mine, theirs), (theirs, mine)):
            left = 15
            side[25] = rng.choice([0, 0, 0, 1, 1, 2, 3])
            left -= side[25]
            base = rng.randint(1, 18)  # where the long block begins
            block = [p for p in range(base, base + 7) if rng.random() < 0.8]
            others = rng.sample(range(1, 25), 24)
            for point in block + others:
                if point > 24 or side[point] or other[25 - point]:
                    continue
                n = min(left, rng.choice([1, 2, 2, 2, 2, 3]))
                side[point] = n
                left -= n
                if left == 0 or rng.random() < 0.05:
                    break
        yield finished(mine, theirs), roll(rng)


def bear_off(rng):
    """My checkers in or near the home, their blots and points among them or gone."""
    while True:
        mine, theirs = [0] * 26, [0] * 26
        for _ in range(rng.randint(1, 15)):
            mine[rng.choice([1, 1, 2, 2, 3, 3, 4, 4, 5, 6])] += 1
        if rng.random() < 0.3:
            mine[rng.choice([7, 8, 9, 12, 25])] += 1
            mine[next(p for p in range(1, 7) if mine[p])] -= 1
        contact = rng.random() < 0.7
        for _ in range(rng.randint(1, 15)):
            point = rng.randint(17, 25) if contact and rng.random() < 0.3 else rng.randint(1, 8)
            if point == 25 or not mine[25 - point]:
                theirs[point] += 1
        if any(theirs):
            yield finished(mine, theirs), roll(rng)


SOURCES = {
    "random play": random_play,
    "random placement": random_placement,
    "block-heavy": block_heavy,
    "bear-off": bear_off,
}


def sample(name, rng, n, **options):
    return list(islice(SOURCES[name](rng, **options), n))
