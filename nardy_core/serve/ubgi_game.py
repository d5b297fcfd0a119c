"""What a UBGI engine knows of the game: put together command by command, read as one position."""
from __future__ import annotations

import dataclasses
from typing import Any

from nardy_core.ids import xgid
from nardy_core.position import USUAL, Position
from nardy_core.serve.lines import Refused, shown

VARIANTS = {"backgammon": "backgammon", "nackgammon": "nackgammon", "hypergammon": "hypergammon3",
            "hypergammon1": "hypergammon1", "hypergammon2": "hypergammon2",
            "longnardy": "long_nardy"}
OWNERS = {"center": None, "centre": None, "p0": 0, "p1": 1}
PLAYERS = {"p0": 0, "p1": 1}

# Forms of `position`: what the id must start with, and whether it is the board alone.
_HEADS = {"xgid": "XGID=", "ogid": "OGID=", "ndid": "NDID=", "ln": "LN:", "fibs": "board:",
          "text": "", "gnubgid": ""}


class UbgiGame:
    """Score and cube by absolute player, the board of the side on roll."""

    def __init__(self) -> None:
        self.variant = "backgammon"
        self.new_session(0)
        self.new_game()

    def new_session(
        self, length: int, *, jacoby: bool = USUAL, beavers: bool = USUAL, crawford: bool = True
    ) -> None:
        self.length, self.jacoby, self.beavers, self.crawford_rule = (
            length, jacoby, beavers, crawford)
        self._crawford: tuple[int, int] | None = None  # score of the Crawford game
        self.set_score(0, 0)

    def new_game(self) -> None:
        self._board = Position.start(VARIANTS[self.variant])
        self._told: bool | None = None  # the Crawford flag that came with a position
        self.turn, self.cube = 0, 1
        self.owner: int | None = None  # player
        self.dice: tuple[int, int] | None = None

    def set_score(self, zero: int, one: int) -> None:
        if self.length and max(zero, one) >= self.length:
            raise Refused(f"score: {max(zero, one)} ends a match to {self.length}")
        self.scores, self._told = (zero, one), None
        if self.length - 1 in self.scores and self._crawford is None:
            self._crawford = self.scores

    def set_cube(self, value: int, owner: int | None) -> None:
        # Complains about a value that no cube shows.
        self.position_with(cube=value, cube_owner="centre" if owner is None else "own")
        self.cube, self.owner = value, owner
        self._board = self._board.with_(offer="none")

    def set_dice(self, dice: tuple[int, int] | None) -> None:
        if dice:
            self._board = self._board.with_(offer="none", resigned=0)
        self.dice = dice

    def set_position(self, form: str, text: str) -> None:
        """Take over the board, and all else that the form carries."""
        if form in ("start", "startpos") and not text:
            self._board, self.dice = Position.start(VARIANTS[self.variant]), None
            return
        if form not in _HEADS:
            raise LookupError(form)
        head = _HEADS[form]
        if text[:len(head)].lower() != head.lower():
            text = head + text
        alone = form == "ln" or (form == "gnubgid" and ":" not in text)
        checkers = Position.start(VARIANTS[self.variant]).checkers
        found = Position.parse(
            text, checkers=checkers if form in ("gnubgid", "xgid", "ogid") else None)
        if alone:
            self._board, self.dice = found, None
            if ":" in text[len(head):] and form == "ln":  # it speaks of rules
                self.jacoby, self.beavers = found.jacoby, found.beavers
        else:
            self._take(found)

    def set_line(self, text: str) -> Position:
        """The position of a bare line."""
        if xgid.SHAPE.match(text):
            text = "XGID=" + text
        self._take(Position.parse(text))
        return self.position()

    def _take(self, found: Position) -> None:
        turn = found.turn
        self._board, self._told, self.turn, self.dice = found, found.crawford, turn, found.dice
        self.length, self.jacoby, self.beavers = found.match_length, found.jacoby, found.beavers
        self.scores = (found.score_opp, found.score_own) if turn else (
            found.score_own, found.score_opp)
        self.cube = found.cube
        self.owner = {"own": turn, "opp": 1 - turn}.get(found.cube_owner)

    def position(self) -> Position:
        """All of it. ValueError where commands contradict each other."""
        return self.position_with()

    def position_with(self, **changes: Any) -> Position:
        turn = self.turn
        owner = "centre" if self.owner is None else "own" if self.owner == turn else "opp"
        crawford = self._told
        if crawford is None:
            crawford = self.crawford_rule and bool(self.length) and self.scores == self._crawford
        fields: dict[str, Any] = {
            "turn": turn, "dice": self.dice, "cube": self.cube, "cube_owner": owner,
            "score_own": self.scores[turn], "score_opp": self.scores[1 - turn],
            "match_length": self.length, "crawford": crawford, "jacoby": self.jacoby,
            "beavers": self.beavers, **changes}
        return dataclasses.replace(self._board, **fields)


def is_position(line: str) -> bool:
    """A line that is a position in itself, as the draft has it."""
    head = line[:6].lower()
    return (head.startswith(("board:", "xgid=", "ogid=", "ndid="))
            or bool(xgid.SHAPE.match(line)))


def player(text: str) -> int:
    if text not in PLAYERS:
        raise Refused(f"{shown(text)} is not p0 or p1")
    return PLAYERS[text]
