"""Features and nets: each kernel set, a batch of the results of a game's rolls and one position.

Lines of features alone are counted by `make count` (`*_fill`) and timed by `make floor`; there is
no way to them from Python, nor should there be.
"""

import pytest

from nardy_core import Engine
from nardy_core._border._net import kernel_sets


@pytest.mark.parametrize("kernels", kernel_sets())
def test_playing_net(benchmark, results, game, kernels):
    evaluator = Engine(threads=1, kernels=kernels).model(start(game)).static
    boards = results[game][:1200]
    benchmark.extra_info["positions"] = len(boards)
    benchmark(evaluator.evaluate, boards)


@pytest.mark.parametrize("part", ["small", "race"])
def test_other_net(benchmark, engine, results, game, part):
    """The small and the race net asked about the same positions: what they cost."""
    model = engine.model(start(game))
    net = dict(model.nets)[part]
    evaluator = model.make({"contact": net, "race": net})
    boards = results[game][:1200]
    benchmark.extra_info["positions"] = len(boards)
    benchmark(evaluator.evaluate, boards)


@pytest.mark.parametrize("size", [1, 10, 100, 1000])
def test_evaluate_many(benchmark, engine, results, game, size):
    boards = results[game][:size]
    benchmark.extra_info["positions"] = len(boards)
    benchmark(engine.evaluate_many, boards, game=game)


def test_evaluate(benchmark, engine, own_game, game):
    """One position from Python: what a call costs."""
    benchmark(engine.evaluate, own_game[game][20], cubeful=False)


def start(game):
    from nardy_core import Position

    return Position.start(game)
