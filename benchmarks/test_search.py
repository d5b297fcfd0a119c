"""Look-ahead over 200 middle-game positions, one core:
`pytest --benchmark-only benchmarks/test_search.py`.

Each round is one position, so the median is that of the positions.
"""

import itertools

import pytest

from nardy_core import Engine, Position
from nardy_core.bench import rolls


@pytest.fixture(scope="module")
def engine():
    return Engine(threads=1)


def middle_game(engine, count):
    """Positions of games at level 0, moves 6 to 34."""
    found, place, move = [], Position.start(), 0
    for roll in rolls(4000):
        if place.finished:
            place, move = Position.start(), 0
        if 5 < move < 35:
            found.append(place.with_(dice=roll))
            if len(found) == count:
                break
        place, move = engine.analyse(place, roll, top=1).best.result, move + 1
    return found


@pytest.fixture(scope="module")
def sample(engine):
    return middle_game(engine, 200)


@pytest.mark.parametrize("cubeful", [False, True])
@pytest.mark.parametrize(("level", "count"), [(0, 200), (1, 200), (2, 200), (3, 20)])
def test_choice(benchmark, engine, sample, level, count, cubeful):
    turn = itertools.cycle(sample[:: len(sample) // count])
    benchmark.pedantic(
        lambda place: engine.analyse(place, level=level, top=1, cubeful=cubeful),
        setup=lambda: ((next(turn),), {}), rounds=count)


@pytest.mark.parametrize(("level", "count"), [("roller", 8), ("roller+", 8), ("roller++", 2)])
def test_roller(benchmark, engine, sample, level, count):
    turn = itertools.cycle(sample[:: len(sample) // count])
    benchmark.pedantic(lambda place: engine.analyse(place, level=level, top=1),
                       setup=lambda: ((next(turn),), {}), rounds=count)


@pytest.mark.parametrize("level", [1, 2])
def test_evaluation(benchmark, engine, sample, level):
    turn = itertools.cycle(sample)
    benchmark.pedantic(
        lambda place: engine.evaluate(place, level, cubeful=False),
        setup=lambda: ((next(turn),), {}), rounds=len(sample))


@pytest.mark.parametrize("threads", [1, 2])
def test_batch(benchmark, sample, threads):
    shared = Engine(threads=threads)
    shared.analyse_many(sample[:2], level=0)
    benchmark.pedantic(lambda: shared.analyse_many(sample, level=2), rounds=1)
