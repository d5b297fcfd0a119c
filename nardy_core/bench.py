"""How fast the engine is here, and a signature of how it plays."""
from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from nardy_core._border import _rules
from nardy_core.bearoff import bearoff
from nardy_core.boards import Planes
from nardy_core.engine import Engine
from nardy_core.errors import UnsupportedError
from nardy_core.evaluator import Evaluator, swapped
from nardy_core.play import legal_plays, perft
from nardy_core.position import GAMES, Position

MOVES = 60  # of the game that the positions are taken from
_BEAROFF = "BgAAMAAAAAAAAA"  # two checkers each on the two-point
_FEW = 6  # positions of it that are looked at closely


def games_of(engine: Engine) -> list[str]:
    """The games that the engine has nets for."""
    found = []
    for game in GAMES:
        try:
            engine.info(game)
        except UnsupportedError:
            continue
        found.append(game)
    return found


def rolls(count: int) -> list[tuple[int, int]]:
    """A fixed sequence of rolls, every one of the 36 about equally often."""
    state, found = 2463534242, []
    for _ in range(count):
        state ^= state << 13 & 0xFFFFFFFF  # xorshift of 32 bits
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        found.append((1 + (state >> 8) % 6, 1 + (state >> 16) % 6))
    return found


def game_of(engine: Engine, game: str) -> list[Position]:
    """Positions of one game that the engine plays at level 0 with fixed dice, MOVES at most, with a
    cube in play."""
    position, seen = Position.start(game, max_cube=None), []
    for roll in rolls(MOVES):
        if position.finished:
            break
        seen.append(position.with_(dice=roll))
        position = engine.analyse(position, roll, top=1).best.result
    return seen


def signature(engine: Engine) -> str:
    """One hash over plays, evaluations, searches, cube decisions and short rollouts of every game
    that the engine has nets for. The same on any kernel set and any number of threads."""
    total = hashlib.blake2b(digest_size=8)
    for game in GAMES:
        start = Position.start(game)
        total.update(f"{game} {[perft(start, depth) for depth in (1, 2)]}".encode())
    for game in games_of(engine):
        positions = game_of(engine, game)
        for position in positions:
            for play in legal_plays(position, position.dice or (1, 1)):
                total.update(play.board.astype("<u4").tobytes() + play.notation.encode())
        boards = np.stack([p.board for p in positions])
        total.update(engine.evaluate_many(boards, game=game).astype("<f4").tobytes())
        few = positions[:: max(len(positions) // _FEW, 1)][:_FEW]
        deeper = engine.evaluate_many(few, level=1, game=game)
        total.update(deeper.astype("<f4").tobytes())
        for found in engine.analyse_many(few, level=2, top=3):
            choices = [(str(c.play), c.level, c.equity) for c in found.candidates]
            total.update(f"{choices}".encode())
        for position in few:
            if not position.finished and position.max_cube != 1:
                decision = engine.cube(position.with_(dice=None))
                values = [(name, line.equity) for name, line in decision.lines.items()]
                total.update(f"{decision.action} {values}".encode())
        for position in few[:2]:
            rolled = engine.rollout(position, top=2, trials=72, truncate=6).wait()
            total.update(rolled.signature.encode())
            if position.max_cube != 1:
                cubed = engine.rollout(position.with_(dice=None), trials=72, truncate=6,
                                       cubeful=True).wait()
                total.update(cubed.signature.encode())
    return total.hexdigest()


def speeds(engine: Engine, seconds: float = 0.5) -> list[tuple[str, str, float]]:
    """(game, what, how many a second) of the engine's basic work, each measured for `seconds`.

    Plays and evaluations are those of one thread; rollouts use the engine's threads.
    """
    found: list[tuple[str, str, float]] = []

    def measure(game: str, what: str, work: Callable[[], int]) -> None:
        found.append((game, what, _rate(work, seconds)))

    for game in GAMES:
        boards, dice = random_rolls(game)
        measure(game, "legal results", partial(_rules.bench_generate, game, boards, dice, 10))
    for game in games_of(engine):
        model = engine.model(Position.start(game))
        positions = game_of(engine, game)
        boards = np.stack([p.board for p in positions])
        dice = np.array([p.dice for p in positions], dtype=np.uint32)
        after = np.concatenate([_rules.results(game, p.board, p.dice or (1, 1), p.rules.codes)[0]
                                for p in positions])
        measure(game, "evaluations, level 0", partial(_evaluated, model.static, swapped(after)))
        for level in (1, 2):
            measure(game, f"evaluations, level {level}",
                    partial(_looked_ahead, model.ahead, boards[::level], level))
        measure(game, "rolls decided, level 0", partial(_decided, model.search, boards, dice))
        for level in (1, 2):
            measure(game, f"rolls decided, level {level}", partial(
                _searched, model.ahead, boards[::level], dice[::level], level))
        doubled = [p.with_(dice=None) for p in positions if p.max_cube != 1]
        if doubled:
            measure(game, "cube decisions, level 0", partial(_doubled, engine, doubled))
        rolled = engine.rollout(
            Position.start(game), trials=10**9, max_time=max(seconds, 0.05)).wait()
        found.append((game, "rollout trials", rolled.trials / rolled.seconds))
    measure("backgammon", "exact bearoffs", partial(_borne_off, Position.parse(_BEAROFF)))
    return found


def _doubled(engine: Engine, positions: Sequence[Position]) -> int:
    for position in positions:
        engine.cube(position)
    return len(positions)


def _borne_off(position: Position) -> int:
    for _ in range(100):
        bearoff(position)
    return 100


def _evaluated(evaluator: Evaluator, boards: Planes) -> int:
    return len(evaluator.evaluate(boards))


def _looked_ahead(evaluator: Evaluator, boards: Planes, level: int) -> int:
    return len(evaluator.evaluate_many(np.ascontiguousarray(boards), level))


def _decided(evaluator: Evaluator, boards: Planes, dice: Planes) -> int:
    evaluator.bench_choose(boards, dice)
    return len(boards)


def _searched(evaluator: Evaluator, boards: Planes, dice: Planes, level: int) -> int:
    return len(evaluator.choose_many(np.ascontiguousarray(boards), dice, level)[1])


def random_rolls(game: str) -> tuple[Planes, Planes]:
    """Boards (400, 8) and dice (400, 2) of games played at random, always the same."""
    position, boards, dice = Position.start(game), [], []
    for turn, roll in enumerate(rolls(400)):
        if position.finished:
            position = Position.start(game)
        boards.append(position.board)
        dice.append(roll)
        plays = legal_plays(position, roll)
        position = plays[(turn * 7919) % len(plays)].result
    return np.stack(boards), np.array(dice, dtype=np.uint32)


def _rate(work: Callable[[], int], seconds: float) -> float:
    work()
    begun, done = time.perf_counter(), 0
    while (spent := time.perf_counter() - begun) < seconds:
        done += work()
    return done / spent
