"""Writing down a game as it is told: every action is checked against the rules, and kept."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any

from nardy_core._border import _rules
from nardy_core.match_record import Action, GameRecord, apply, at_stake, facing, scores
from nardy_core.notation import Step, play_steps
from nardy_core.play import REFUSALS, Play
from nardy_core.position import Position
from nardy_core.rules import points

MAX_ACTIONS = 10_000  # of a game


def legal_play(
    position: Position, after: Position, dice: tuple[int, int], steps: Sequence[Step]
) -> Play | None:
    """The legal play that written steps mean, or None; `after` is where they lead as they stand.
    Hits need not be written.

    A move over both dice may be written in one step; where it could hit in passing or not, the
    hits that are written decide.
    """
    plays = position.legal_plays(dice)
    planes = after.board.tobytes()
    own = planes[16:]  # the other side's planes come first, but not in the board of a play
    board = own + planes[:16]
    moved = [p for p in plays if p.board[:4].tobytes() == own]
    exact = [p for p in moved if p.board.tobytes() == board]
    if all(source - target in dice for source, target, _ in steps):
        return exact[0] if exact else None
    hits = sum(hit for _, _, hit in steps)
    told = [p for p in moved if sum(hit for _, _, hit in p.steps) == hits]
    for found in (told, exact, moved):
        if len(found) == 1:
            return found[0]
    return None


def broken_rule(position: Position, dice: tuple[int, int], steps: Sequence[Step]) -> str:
    """Which rule the written steps break, in a few words."""
    if not steps:
        return REFUSALS["more dice can be played"]
    whole = [_dice_of(position, dice, step) for step in steps]
    if any(not way for way in whole):
        return REFUSALS["die not rolled"]
    parts = [part for way in whole for part in way]
    furthest, reason = -1, "die not rolled"
    if len(parts) <= 4:
        for order in set(permutations(parts)):
            for n, (source, die) in enumerate(order):
                found = _rules.why(position.game, position.board, dice, order[:n], source, die,
                                   position.rules.codes)
                if found != "ok":
                    if n > furthest:
                        furthest, reason = n, found
                    break
            else:
                return REFUSALS["more dice can be played"]
    return REFUSALS.get(reason, reason)


def _dice_of(position: Position, dice: tuple[int, int], step: Step) -> list[tuple[int, int]]:
    """(source, die) of each die that a written step takes; [] if no dice of the roll make it."""
    source, target, _ = step
    pips = source - target
    high, low = max(dice), min(dice)
    for die in (low, high):
        if pips == die or (target == 0 and pips < die):
            return [(source, die)]
    if high == low:
        if pips % low == 0 and pips // low <= 4:
            return [(source - k * low, low) for k in range(pips // low)]
    elif pips == high + low:
        # The stop in between is on a point that is not held, if there is one.
        for first, second in ((high, low), (low, high)):
            if position.game != "backgammon" or position.opp[25 - (source - first)] < 2:
                return [(source, first), (source - first, second)]
        return [(source, high), (source - high, low)]
    return []


class Recorder:
    """Builds a `GameRecord` action by action.

    A play against the rules is kept as it was played, with a warning that names the rule;
    strict=True refuses it. What cannot be put on a board at all raises ValueError, always.

    start : position before the first throw, the first player on roll

    In all methods `more` is a comment or an analysis, as fields of `Action`. ValueError for what
    the player cannot do at that point.
    """

    def __init__(self, start: Position, *, strict: bool = False) -> None:
        self.start = self.position = start
        self.strict = strict
        self.actions: list[Action] = []
        self.warnings: list[str] = []
        self.comment = ""
        self._moved = False

    @property
    def over(self) -> bool:
        """No more decisions are to be made: played out, dropped or resigned."""
        return bool(self.actions) and (
            self.position.finished or self.actions[-1].kind in ("drop", "resign"))

    def play(
        self, player: int, dice: tuple[int, int], steps: Iterable[Step], **more: Any
    ) -> Action:
        """A roll and what was played of it; no steps is a pass."""
        roll = (max(dice), min(dice))
        before = self._turn(player, Action(kind="play", player=player, dice=roll))
        written = tuple(sorted(steps, reverse=True))
        after = play_steps(before, written)
        found = legal_play(before, after, roll, written)
        warning = more.pop("warning", "")
        if found is not None:
            action = Action(kind="play", player=player, dice=roll, steps=found.steps,
                            warning=warning, **more)
        else:
            rule = broken_rule(before, roll, written)
            action = Action(kind="play", player=player, dice=roll, steps=written, legal=False,
                            warning="; ".join(filter(None, (f"illegal play: {rule}", warning))),
                            **more)
        exact = found is None or all(a - b in roll for a, b, _ in written)
        return self._add(action, after if exact else None)

    def roll(self, player: int, dice: tuple[int, int], **more: Any) -> Action:
        """A throw that was not played any more."""
        action = Action(kind="roll", player=player, dice=(max(dice), min(dice)), **more)
        self._turn(player, action)
        return self._add(action)

    def double(self, player: int, **more: Any) -> Action:
        """A double; in answer to a double, a beaver or a raccoon."""
        offer = self.position.offer
        if offer != "none":
            kind = {"doubled": "beaver", "beavered": "raccoon"}.get(offer)
            expected = 1 - self.position.turn if offer == "doubled" else self.position.turn
            if kind is None or player != expected:
                raise ValueError(f"double: player {player} cannot redouble here")
            if self.position.match_length:
                raise ValueError(f"double: a {kind} in a match")
            return self._add(Action(kind=kind, player=player, **more))
        action = Action(kind="double", player=player, **more)
        before = self._turn(player, action)
        if before.crawford:
            action = self._odd(action, "a double in the Crawford game")
            self._restart(crawford=False)
        elif before.max_cube is not None and 2 * before.cube > before.max_cube:
            action = self._odd(action, f"a double above the limit of {before.max_cube}")
            self._restart(max_cube=None)
        return self._add(action)

    def take(self, player: int, **more: Any) -> Action:
        """The double before it is taken."""
        self._answer(player, "take")
        return self._add(Action(kind="take", player=player, **more))

    def drop(self, player: int, **more: Any) -> Action:
        """The double before it is passed, and the game over."""
        self._answer(player, "drop")
        return self._add(Action(kind="drop", player=player, **more))

    def resign(self, player: int, points: int = 0, **more: Any) -> Action:
        """A resignation that was accepted; points times the cube."""
        return self._add(Action(kind="resign", player=player, points=points, **more))

    def board(
        self, player: int, own: Sequence[int], opp: Sequence[int],
        dice: tuple[int, int] | None = None, **more: Any
    ) -> Action:
        """The board as it is from now on; with dice, as the player has left it after a play. `own`
        and `opp` are 26 counts of the player and of the other, each in his own numbers."""
        return self._add(Action(kind="board", player=player, dice=dice,
                                board=(tuple(own), tuple(opp)), **more))

    def finish(
        self, winner: int | None = None, points: int | None = None, how: str | None = None,
        tags: Iterable[tuple[str, str]] = (),
    ) -> GameRecord:
        """The record. What is not told is worked out: who has borne off has won, who dropped has
        lost; a game that somebody won without either was resigned.

        winner, points, how, tags : as in `GameRecord`; ValueError where they contradict the game
        """
        told, final = winner, self.position
        last = self.actions[-1] if self.actions else None
        if last and last.kind == "drop":
            winner, how = 1 - last.player, "drop"
            self._expect(points, at_stake(final), "the drop")
            points = at_stake(final) if points is None else points
        elif final.finished and self.actions:
            winner = final.turn if final.own[0] == final.checkers else 1 - final.turn
            how = "played out"
            worth = _worth(final)
            self._expect(points, worth, "the board")
            points = worth if points is None else points
        elif last and last.kind == "resign" and (last.points or winner is not None):
            winner, how = 1 - last.player, how or "resignation"
            if points is None:
                points = last.points * final.cube
        elif winner is None:
            how = how or "unfinished"
        else:
            if points is None:
                points = final.cube
                self._warn(f"the points are not recorded: {points} taken, a single game")
            factor = self._factor(winner, points)
            how = how or ("resignation" if factor else "forfeit")
            if how == "resignation":
                self.resign(1 - winner, factor)
        if told is not None and winner is not None and told != winner:
            self._warn(f"the file gives the game to player {told}, but player {winner} won it")
        return GameRecord(
            start=self.start, actions=tuple(self.actions), winner=winner,
            points=(points or 0) if winner is not None else 0, how=how or "unfinished",
            comment=self.comment, tags=tuple(tags), warnings=tuple(self.warnings))

    # ---- the parts ----

    def _turn(self, player: int, action: Action) -> Position:
        """The position the player faces; out of turn, the other side has passed in silence."""
        position = self.position
        if position.offer in ("beavered", "raccooned") and action.kind in ("play", "roll"):
            # GNU Backgammon's .mat does not write that a beaver was taken.
            self.take(position.turn if position.decider == "own" else 1 - position.turn)
        elif position.offer != "none":
            raise ValueError(f"{action.kind}: the double has not been answered")
        if self.over:
            raise ValueError(f"{action.kind}: the game is over")
        if player != self.position.turn:
            if not self._moved:  # who starts is known by who moves first
                self.start = self.start.swap()
                self.position = self.position.swap()
            else:
                self._warn(f"action {len(self.actions) + 1}: player {player} out of turn")
        return facing(self.position, action)

    def _answer(self, player: int, what: str) -> None:
        position = self.position
        if position.offer == "none":
            raise ValueError(f"{what}: no cube was offered")
        if (player == position.turn) != (position.decider == "own"):
            raise ValueError(f"{what}: by player {player}, who offered the cube")

    def _add(self, action: Action, after: Position | None = None) -> Action:
        if self.over:
            raise ValueError(f"{action.kind}: the game is over")
        if len(self.actions) >= MAX_ACTIONS:
            raise ValueError(f"game: more than {MAX_ACTIONS} actions")
        if self.strict and not action.legal:
            raise ValueError(action.warning)
        self.position = after or apply(self.position, action)
        self.actions.append(action)
        self._moved = True
        return action

    def _odd(self, action: Action, why: str) -> Action:
        warning = "; ".join(filter(None, (f"illegal: {why}", action.warning)))
        action = dataclasses.replace(action, legal=False, warning=warning)
        if self.strict:
            raise ValueError(warning)
        return action

    def _restart(self, **changes: Any) -> None:
        self.start = self.start.with_(**changes)
        self.position = self.position.with_(**changes)

    def _expect(self, told: int | None, worth: int, by: str) -> None:
        if told is not None and told != worth:
            left = [self.start.match_length - score for score in scores(self.start)]
            if self.start.match_length and told < worth and told in left:
                return  # points beyond the end of the match were cut
            self._warn(f"{told} points in the file, {worth} by {by}")

    def _factor(self, winner: int, points: int) -> int:
        """Which resignation is worth the points: 1, 2, ... or 0 if none can be."""
        cube, highest = self.position.cube, _highest(self.position)
        factor, rest = divmod(points, cube)
        if rest and self.start.match_length:  # points beyond the end of a match may have been cut
            rest = points - (self.start.match_length - scores(self.start)[winner])
            factor += 1
        return factor if not rest and 1 <= factor <= highest else 0

    def _warn(self, text: str) -> None:
        if self.strict:
            raise ValueError(text)
        self.warnings.append(text)


def _worth(final: Position) -> int:
    """Points of a finished game, cube, Jacoby rule and cap on stakes included."""
    outcome = _rules.outcome(final.game, final.board)
    all_ = points(final.rules)
    single = final.jacoby and final.cube_owner == "centre"  # nobody has doubled
    worth = abs(all_[0 if single else outcome]) * final.cube
    cap = None if final.match_length else final.rules["stake_cap"]
    return worth if cap is None else min(worth, cap)


def _highest(position: Position) -> int:
    return max(points(position.rules))


