"""Legal plays of a roll: what may be played, how it is written, what it leads to."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from nardy_core._border import _rules
from nardy_core.counts import across
from nardy_core.notation import Step, format_play, match_play
from nardy_core.options import Options
from nardy_core.position import Position

Dice = tuple[int, int]

ROLLS: tuple[Dice, ...] = tuple((a, b) for a in range(1, 7) for b in range(1, a + 1))
UNLIKE = tuple(roll for roll in ROLLS if roll[0] != roll[1])  # those that may begin a game


def ways(dice: Dice) -> int:
    """How many of the 36 throws make the roll."""
    return 1 if dice[0] == dice[1] else 2


class Play:
    """One way to play a roll. Immutable; equal when position, dice and result are.

    Where several orders of steps lead to one result, one of them is kept: it is legal as it stands.

    position : before the play, the mover on roll
    dice : higher first
    board : uint32[8] after the play, bit planes, the MOVER still first; read-only
    packed : the steps as the core has them: source | (die - 1) << 5, first step lowest
    """

    __slots__ = ("_notation", "_result", "_steps", "board", "dice", "packed", "position")

    position: Position
    dice: Dice
    board: np.ndarray
    packed: int
    _steps: tuple[Step, ...] | None
    _notation: str | None
    _result: Position | None

    def __init__(self, position: Position, dice: Dice, board: np.ndarray, packed: int) -> None:
        put = object.__setattr__
        put(self, "position", position)
        put(self, "dice", dice)
        put(self, "board", board)
        put(self, "packed", packed)
        for name in ("_steps", "_notation", "_result"):
            put(self, name, None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Play is immutable")

    @property
    def steps(self) -> tuple[Step, ...]:
        """(from, to, hit) of each die played, in the mover's numbers: 25 = bar, 0 = off."""
        found = self._steps
        if found is None:
            found = unpack(self.position, self.packed)
            object.__setattr__(self, "_steps", found)
        return found

    @property
    def notation(self) -> str:
        """The play as text, `8/5 6/5`, `bar/20*`, `6/off(2)`; "" for a pass."""
        found = self._notation
        if found is None:
            found = format_play(self.steps)
            object.__setattr__(self, "_notation", found)
        return found

    @property
    def result(self) -> Position:
        """The position after the play, the OTHER side on roll."""
        found = self._result
        if found is None:
            found = _result(self.position, self.steps)
            object.__setattr__(self, "_result", found)
        return found

    @property
    def is_pass(self) -> bool:
        """No die can be played."""
        return self.packed == 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Play):
            mine, others = (self.position, self.dice), (other.position, other.dice)
            return mine == others and bool((self.board == other.board).all())
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self.position, self.dice, self.board.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Play, (self.position, self.dice, self.board, self.packed)

    def __str__(self) -> str:
        return self.notation or "pass"

    def __repr__(self) -> str:
        return f"<Play {self.dice[0]}-{self.dice[1]}: {self}>"

    def _repr_svg_(self) -> str:
        from nardy_core.render import board_svg

        return board_svg(self.position.with_(dice=self.dice, offer="none"), arrows=self)


def legal_plays(position: Position, dice: Sequence[int]) -> list[Play]:
    """The distinct results of a roll, one Play each; a single pass if nothing can be played.

    Raises ValueError for impossible dice and for a finished game.
    """
    roll = _roll(position, dice)
    boards, packed, _ = _rules.results(
        position.game, position.board, roll, position.rules.codes)
    boards.flags.writeable = False
    return [Play(position, roll, boards[i], p) for i, p in enumerate(packed.tolist())]


def legal_sequences(position: Position, dice: Sequence[int]) -> list[tuple[Step, ...]]:
    """Every legal order of steps, each of the greatest possible length; [] for a pass.

    For boards on a screen: a step may be made if some sequence goes on with it. Different
    sequences may lead to the same result.
    """
    roll = _roll(position, dice)
    packed = _rules.sequences(position.game, position.board, roll, position.rules.codes)
    return [unpack(position, p) for p in packed.tolist()]


def perft(position: Position, depth: int) -> int:
    """Number of distinct results over the 21 rolls, then over each result's 21 rolls, and so on;
    a pass counts 1. depth 0..8. By the rule `opening=use_dice` a start position has 15 rolls."""
    game, board, codes = position.game, position.board, position.rules.codes
    if not (1 <= depth <= 8 and "opening" in position.rules and position.opens_unlike):
        return _rules.perft(game, board, depth, codes)
    return sum(_rules.perft(game, np.roll(result, 4), depth - 1, codes)
               for roll in combinations(range(1, 7), 2)
               for result in _rules.results(game, board, roll, codes)[0])


def dice_of(position: Position, dice: Sequence[int] | None) -> Dice:
    """The roll that is meant: the one given, or else the position's own."""
    if dice is None:
        dice = position.dice
    if dice is None:
        raise ValueError("dice: the position has no roll and none was given")
    if len(dice) != 2:
        raise ValueError(f"dice: {ascii(dice)[:40]} is not two numbers 1..6")
    return dice[0], dice[1]


def play_of(position: Position, dice: Dice, play: Play | str) -> Play:
    """The play, as Play or text, if it belongs to the position and the roll."""
    if isinstance(play, str):
        return match_play(position, dice, play)
    if (play.position, play.dice) != (position, tuple(sorted(dice, reverse=True))):
        raise ValueError(f"plays: {play} belongs to another position or roll")
    return play


def _roll(position: Position, dice: Sequence[int]) -> Dice:
    try:
        low, high = sorted(int(d) for d in dice)
    except (TypeError, ValueError):
        raise ValueError(f"dice: {ascii(dice)[:40]} is not two numbers 1..6") from None
    if not 1 <= low <= high <= 6:
        raise ValueError(f"dice: {high}-{low} is not two numbers 1..6")
    if position.finished:
        raise ValueError("position: the game is over, there is nothing to play")
    return high, low


# Why a step is refused, by the core's word for it.
REFUSALS = {
    "die not rolled": "a number that was not thrown",
    "no checker": "no checker there when its turn came",
    "bar": "a checker on the bar must enter first",
    "head": "too many checkers from the head",
    "not all home": "bearing off with checkers outside the home board",
    "overpay": "bearing off with too high a number while a higher point is held",
    "hit and off": "bearing off after hitting inside the home board",
    "occupied": "a point the other side holds",
    "bear-off forced": "a checker that must be borne off was not",
    "wall": "six points in a row with no opponent ahead",
    "more dice can be played": "more of the roll could be played",
    "larger die": "the larger number must be played",
}


def refusal(
    position: Position, dice: Sequence[int], step: Sequence[int],
    played: Iterable[Sequence[int]] = (),
) -> str | None:
    """Why the step (from, to), of one die, cannot go on a turn: a key of `REFUSALS`; None if it
    can.

    played : the steps of the turn before it, (from, to) each; ValueError if they are not legal
    """
    roll = _roll(position, dice)
    done: list[tuple[int, int]] = []
    for source, target in (pair[:2] for pair in played):
        die, reason = _die_of(position, roll, done, source, target)
        if reason:
            raise ValueError(f"played: {source}/{target}: {REFUSALS[reason]}")
        done.append((source, die))
    return _die_of(position, roll, done, step[0], step[1])[1]


def _die_of(
    position: Position, roll: Dice, done: Sequence[tuple[int, int]], source: int, target: int
) -> tuple[int, str | None]:
    """The die that makes the step, the smallest that can; or why none can."""
    found = (0, "die not rolled")
    if not 1 <= source <= 25:
        return 0, "no checker"
    for die in sorted(set(roll)):
        if max(source - die, 0) == target:
            reason = _rules.why(position.game, position.board, roll, done, source, die,
                                position.rules.codes)
            if reason == "ok":
                return die, None
            if found[1] == "die not rolled":
                found = die, reason
    return found


def unpack(position: Position, packed: int) -> tuple[Step, ...]:
    """The steps (from, to, hit) of a packed play made on the position."""
    blots = set()
    if position.game == "backgammon":
        blots = {across(position.game, n) for n in range(1, 25) if position.opp[n] == 1}
    steps = []
    while packed:
        source, die = packed & 31, (packed >> 5 & 7) + 1
        target = max(source - die, 0)
        steps.append((source, target, target in blots))
        blots.discard(target)
        packed >>= 8
    return tuple(steps)


def after_turn(position: Position) -> Position:
    """The position as the other side finds it, with the board as it was: cube, score and rules."""
    other = position.swap()
    if "second_player" in other.rules and not other.equalises:
        # Only while both heads are full can the board not tell who started.
        rules = {name: value for name, value in other.rules.items() if name != "second_player"}
        other = other.with_(rules=Options(other.game, rules))
    return other


def _result(position: Position, steps: Iterable[Step]) -> Position:
    own, opp = list(position.own), list(position.opp)
    for source, target, hit in steps:
        own[source] -= 1
        own[target] += 1
        if hit:
            opp[across(position.game, target)] -= 1
            opp[25] += 1
    # A legal play of a position that fits gives one that fits.
    return after_turn(position)._turned(own=tuple(opp), opp=tuple(own))
