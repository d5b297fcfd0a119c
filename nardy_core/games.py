"""Whole games by all the rules a position carries: who starts, the opening dice, the last roll,
the cap on turns, who starts the next one. No cube.

>>> import random
>>> from nardy_core import Position, legal_plays
>>> from nardy_core.games import series
>>> chooser = random.Random(3)
>>> def anybody(position):
...     return chooser.choice(legal_plays(position, position.dice))
>>> games = series(Position.start("long_nardy", next_starter="winner"), (anybody, anybody), 2)
>>> games[1].starter == games[0].winner
True
"""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from nardy_core._border import _rules
from nardy_core.play import Play
from nardy_core.position import Position
from nardy_core.rules import loss_class, points

# Gets a position with the dice it has to play; gives one of its legal plays.
Player: TypeAlias = Callable[[Position], Play]

LIMIT = 32767  # turns, where the rules set none


@dataclasses.dataclass(frozen=True)
class Game:
    """A game that was played.

    starter, winner : players 0 and 1; winner is None for a draw
    points : what the winner gets, the cube at 1; 0 for a draw
    how : name of the outcome class for the winner; "draw" where the last roll equalised; "cut" by
        `max_turns`
    turns : of both players, the last roll included
    checkers : at the end, of player 0 and of player 1: 26 numbers by slot in his own numbers
    """

    starter: int
    winner: int | None
    points: int
    how: str
    turns: int
    checkers: tuple[tuple[int, ...], tuple[int, ...]]


def play_game(
    start: Position, players: Sequence[Player], rng: np.random.Generator,
    starter: int | None = None,
) -> Game:
    """One game from a start position, whose rules hold.

    players : two functions that are asked with a position whose dice are thrown, and answer with a
        Play of it
    rng : where the dice come from
    starter : who has the first turn; None = each throws a die, and the higher one has it. The first
        turn is played with the two dice thrown for it where `Position.opens_unlike`, else with new
        ones.

    Raises ValueError for a play that is not one of the position's.
    """
    rules = start.rules
    cap = rules.get("max_turns") or LIMIT
    roll = _unlike(rng)
    if starter is None:
        starter = int(roll[0] < roll[1])
    if not start.opens_unlike:
        roll = _throw(rng)
    position, player, turns = start, starter, 0
    while turns < cap:
        asked = position.with_(dice=roll)
        play = players[player](asked)
        if play.position != asked and play.position != position or set(play.dice) != set(roll):
            raise ValueError(f"games: {play} is no play of {asked}")
        turns += 1
        if not any(_counts(play.board, 0)[1:]):
            return _finished(start, play.board, starter, player, turns, rng)
        position, player, roll = play.result, 1 - player, _throw(rng)
    own, opp = tuple(position.own), tuple(position.opp)
    return Game(starter, None, 0, "cut", turns, (own, opp) if player == 0 else (opp, own))


def series(start: Position, players: Sequence[Player], games: int, *, seed: int = 1) -> list[Game]:
    """So many games one after another; who starts each is by the rule option `next_starter`: "roll"
    (also after a draw, and in short nardy), "winner" of the last, "alternate".

    start, players : as for `play_game`
    seed : of the dice of all games
    """
    rng = np.random.default_rng(seed)
    by = start.rules.get("next_starter", "roll")
    played: list[Game] = []
    starter = None
    for _ in range(games):
        played.append(play_game(start, players, rng, starter))
        if by == "winner":
            starter = played[-1].winner
        elif by == "alternate":
            starter = 1 - played[-1].starter
    return played


def last_roll(position: Position, dice: tuple[int, int]) -> tuple[int, tuple[int, ...]]:
    """What the second player makes of the roll that `last_roll=equalize` grants: (the points he
    loses, 0 = a draw; his checkers, 26 numbers). `position` is his, the other side has borne off
    everything. There is nothing to choose but the least loss."""
    worth = points(position.rules)
    boards = _rules.results(position.game, position.board, dice, position.rules.codes)[0]
    ends = [_counts(board, 0) for board in boards]
    losses = [0 if end[0] == position.checkers else -worth[loss_class(position.game, end)]
              for end in ends]
    least = min(range(len(ends)), key=losses.__getitem__)
    return losses[least], ends[least]


def _finished(
    start: Position, board: np.ndarray, starter: int, player: int, turns: int,
    rng: np.random.Generator,
) -> Game:
    """The player has borne off his last checker; `board` has him first."""
    own, opp = _counts(board, 0), _counts(board, 4)
    worth = points(start.rules)
    lost = -worth[loss_class(start.game, opp)]
    if start.equalises and player == starter:
        other = Position.from_planes(np.roll(board, 4), game=start.game, rules=start.rules)
        lost, opp = last_roll(other, _throw(rng))
        turns += 1
    checkers = (own, opp) if player == 0 else (opp, own)
    if lost == 0:
        return Game(starter, None, 0, "draw", turns, checkers)
    kind = loss_class(start.game, opp) - len(worth) // 2
    return Game(starter, player, lost, _rules.outcome_names(start.game)[kind], turns, checkers)


def _counts(board: np.ndarray, side: int) -> tuple[int, ...]:
    planes = board[side:side + 4].tolist()
    return tuple(sum((plane >> slot & 1) << k for k, plane in enumerate(planes))
                 for slot in range(26))


def _throw(rng: np.random.Generator) -> tuple[int, int]:
    one, two = rng.integers(1, 7, 2).tolist()
    return one, two


def _unlike(rng: np.random.Generator) -> tuple[int, int]:
    while (roll := _throw(rng))[0] == roll[1]:
        pass
    return roll
