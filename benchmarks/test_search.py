"""Look-ahead over 200 middle-game positions, one core:
`pytest --benchmark-only benchmarks/test_search.py`.

Each round is one position, so the median is that of the positions.
"""

import itertools

import pytest

from nardy_core import Engine


@pytest.mark.parametrize("cubeful", [False, True])
@pytest.mark.parametrize(("level", "count"), [(0, 200), (1, 200), (2, 200), (3, 20)])
def test_choice(benchmark, engine, sample, level, count, cubeful):
    positions = sample["backgammon"]
    turn = itertools.cycle(positions[:: len(positions) // count])
    benchmark.pedantic(
        lambda place: engine.analyse(place, level=level, top=1, cubeful=cubeful),
        setup=lambda: ((next(turn),), {}), rounds=count)


@pytest.mark.parametrize(("level", "count"), [("roller", 8), ("roller+", 8), ("roller++", 2)])
def test_roller(benchmark, engine, sample, level, count):
    positions = sample["backgammon"]
    turn = itertools.cycle(positions[:: len(positions) // count])
    benchmark.pedantic(lambda place: engine.analyse(place, level=level, top=1),
                       setup=lambda: ((next(turn),), {}), rounds=count)


@pytest.mark.parametrize(("level", "count"), [(0, 200), (1, 100), (2, 50), (3, 5)])
def test_long_nardy_choice(benchmark, engine, sample, level, count):
    positions = sample["long_nardy"]
    turn = itertools.cycle(positions[:: len(positions) // count])
    benchmark.pedantic(
        lambda place: engine.analyse(place, level=level, top=1),
        setup=lambda: ((next(turn),), {}), rounds=count)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_evaluation(benchmark, engine, sample, game, level):
    turn = itertools.cycle(sample[game])
    benchmark.pedantic(
        lambda place: engine.evaluate(place, level, cubeful=False),
        setup=lambda: ((next(turn),), {}), rounds=len(sample[game]))


@pytest.mark.parametrize("threads", [1, 2])
def test_batch(benchmark, sample, threads):
    shared, positions = Engine(threads=threads), sample["backgammon"][::8]
    shared.analyse_many(positions[:2], level=0)
    benchmark.extra_info["positions"] = len(positions)
    benchmark.pedantic(lambda: shared.analyse_many(positions, level=2), rounds=3)
