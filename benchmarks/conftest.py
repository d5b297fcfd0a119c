"""What the suites share: engines of one thread and positions of the engine's own games.

`pytest --benchmark-only benchmarks` runs all of them; `-k NAME` some, `--benchmark-json FILE`
keeps the figures. A benchmark of a batch says in `extra_info` how many units a round has.
"""

import numpy as np
import pytest
from middle_games import middle_game

from nardy_core import Engine, bench
from nardy_core._border import _rules
from nardy_core.evaluator import swapped
from nardy_core.position import GAMES


@pytest.fixture(scope="session")
def engine():
    return Engine(threads=1)


@pytest.fixture(params=GAMES)
def game(request):
    return request.param


@pytest.fixture(scope="session")
def random_rolls():
    """(boards, dice) of games played at random, by game."""
    return {game: bench.random_rolls(game) for game in GAMES}


@pytest.fixture(scope="session")
def own_game(engine):
    """Positions with their dice of one game that the engine plays, by game."""
    return {game: bench.game_of(engine, game) for game in GAMES}


@pytest.fixture(scope="session")
def results(own_game):
    """(n, 8) all results of those rolls, the other side on roll, by game."""
    return {game: swapped(np.concatenate(
                [_rules.results(game, p.board, p.dice, p.rules.codes)[0] for p in positions]))
            for game, positions in own_game.items()}


@pytest.fixture(scope="session")
def sample(engine):
    """200 positions with dice of games at level 0, moves 6 to 34, by game."""
    return {game: middle_game(engine, game) for game in GAMES}
