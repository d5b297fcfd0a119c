"""The generator: all results of the rolls of random games, and perft."""

from nardy_core import Position
from nardy_core._border import _rules
from nardy_core.play import legal_plays, perft


def test_generator(benchmark, random_rolls, game):
    boards, dice = random_rolls[game]
    benchmark.extra_info["rolls"] = len(boards)
    benchmark.extra_info["results"] = _rules.bench_generate(game, boards, dice, 1)
    benchmark(_rules.bench_generate, game, boards, dice, 1)


def test_one_roll_from_python(benchmark, game):
    benchmark(legal_plays, Position.start(game), (3, 1))


def test_perft(benchmark):
    benchmark.pedantic(perft, (Position.start(), 2), rounds=5)
