"""Records of matches as immutable values: who played, what was thrown, decided and won.

A record knows nothing of files; `nardy_core.formats` reads and writes them. Players are 0 and 1, as
the absolute players of `Position.turn`: player 0 stands in the left column of a .mat file and is
White (O) of GNU Backgammon, player 1 in the right one. In long nardy player 1 is White.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from nardy_core.checks import one_of
from nardy_core.notation import Step, format_play, play_steps
from nardy_core.options import Options
from nardy_core.position import START_NAMES, USUAL, Position, money_rule

KINDS = ("play", "roll", "no_double", "double", "beaver", "raccoon", "take", "drop", "resign",
         "board")
ENDS = ("played out", "drop", "resignation", "forfeit", "unfinished")

Side = tuple[int, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing that a player did.

    kind : of `KINDS`. "roll" is a throw that was not played any more; "no_double" is not kept in
        games, see `GameRecord.decisions`; "board" sets the board, for games that were not kept
        move by move
    player : who did it, 0 or 1
    dice : the throw of a play or roll, higher number first
    steps : of a play, (from, to, hit) in the player's numbers; empty for a pass. Those of a legal
        play are the engine's, die by die; those of an illegal one are as written
    points : of a resignation, times the cube; 0 when the file does not say
    board : of a "board", 26 counts of the player and of the other side, each in its own numbers
    legal : False if a rule was broken. The play stands all the same
    warning : the rule that was broken, or whatever else is odd about the entry
    comment : what somebody wrote about it
    analysis : what another program wrote about it, as plain data, see `nardy_core.formats`
    """

    kind: str
    player: int
    dice: tuple[int, int] | None = None
    steps: tuple[Step, ...] = ()
    points: int = 0
    board: tuple[Side, Side] | None = None
    legal: bool = True
    warning: str = ""
    comment: str = ""
    analysis: Mapping[str, Any] | None = dataclasses.field(default=None, hash=False)

    def __post_init__(self) -> None:
        one_of("action", self.kind, KINDS)
        if self.player not in (0, 1):
            raise ValueError(f"action: player {ascii(self.player)[:40]} is not 0 or 1")
        if self.kind in ("play", "roll") and self.dice is None:
            raise ValueError(f"action: a {self.kind} without dice")

    @property
    def notation(self) -> str:
        """The play as text (`8/5 6/5`), "" for a pass and for what is not a play."""
        return format_play(self.steps)

    def __str__(self) -> str:
        roll = f"{self.dice[0]}-{self.dice[1]}" if self.dice else ""
        if self.kind == "play":
            return f"{roll}: {self.notation or 'pass'}"
        return f"{self.kind} {roll}".strip()


@dataclasses.dataclass(frozen=True, slots=True)
class Decision:
    """A position as the player saw it before deciding, with dice or offer, and the action that he
    decided on."""

    position: Position
    action: Action


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord:
    """One game.

    start : position before the first throw with the first player on roll: score, Crawford, rules
    actions : what happened, in order
    winner : 0, 1, or None while nobody has won
    points : points won, cube included, as the file has them
    how : of `ENDS`
    comment, tags : words about the game; tags are (name, value) pairs
    warnings : what is odd about the game as a whole
    """

    start: Position
    actions: tuple[Action, ...] = ()
    winner: int | None = None
    points: int = 0
    how: str = "unfinished"
    comment: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        one_of("game", self.how, ENDS)
        if self.winner not in (0, 1, None):
            raise ValueError(f"game: winner {ascii(self.winner)[:40]} is not 0, 1 or None")

    @property
    def score(self) -> tuple[int, int]:
        """Points of players 0 and 1 before the game."""
        return scores(self.start)

    @property
    def crawford(self) -> bool:
        """It is the Crawford game of its match."""
        return self.start.crawford

    @property
    def final(self) -> Position:
        """The position after the last action."""
        position = self.start
        for action in self.actions:
            position = apply(position, action)
        return position

    def decisions(self, *, rolls: bool = False) -> Iterator[Decision]:
        """Each decision with the position before it.

        rolls=True adds the decisions not to double, as actions of kind "no_double", wherever a cube
        could have been turned and was not.
        """
        position = self.start
        for number, action in enumerate(self.actions):
            before = facing(position, action)
            if rolls and number and action.kind in ("play", "roll") and may_double(before):
                analysis = action.analysis and action.analysis.get("cube")
                yield Decision(
                    before.with_(dice=None),
                    Action(kind="no_double", player=action.player,
                           analysis={"cube": analysis} if analysis else None))
            yield Decision(before, action)
            position = apply(position, action)

    __iter__ = decisions


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecord:
    """A match or a money session.

    players : names of players 0 and 1
    length : points to be won, 0 for a money session
    start : name of the start position, see `Position.start`
    crawford, jacoby, beavers, max_cube : as in `Position`; crawford = the rule is on
    rules : rule options of the game that differ from their defaults
    date : "YYYY-MM-DD", shorter if less is known, "" if nothing
    tags : (name, value) pairs of whatever else the file says: event, site, ratings
    games : GameRecord of each game, in order
    comment, warnings : words about the match, and what is odd about it as a whole
    source : the format it was read from
    """

    players: tuple[str, str]
    length: int = 0
    start: str = "backgammon"
    crawford: bool = True
    jacoby: bool = USUAL
    beavers: bool = USUAL
    max_cube: int | None = None
    rules: Options = Options("backgammon")
    date: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    games: tuple[GameRecord, ...] = ()
    comment: str = ""
    warnings: tuple[str, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        one_of("match: start", self.start, START_NAMES)
        if self.rules.game != self.game:
            object.__setattr__(self, "rules", Options(self.game, self.rules))
        for name in ("jacoby", "beavers"):
            object.__setattr__(
                self, name, money_rule(self.game, self.length, getattr(self, name)))

    @property
    def game(self) -> str:
        """ "backgammon" or "long_nardy"."""
        return "long_nardy" if self.start == "long_nardy" else "backgammon"

    @property
    def score(self) -> tuple[int, int]:
        """Points of players 0 and 1 after the last game; a match ends at its length."""
        if not self.games:
            return 0, 0
        last = self.games[-1]
        score = list(last.score)
        if last.winner is not None:
            score[last.winner] += last.points
            if self.length:
                score[last.winner] = min(score[last.winner], self.length)
        return score[0], score[1]

    @property
    def winner(self) -> int | None:
        """Who has won the match; None in a money session."""
        for player, points in enumerate(self.score):
            if self.length and points >= self.length:
                return player
        return None

    def tag(self, name: str, default: str = "") -> str:
        """The value of the first tag of that name; `default` where there is none."""
        return next((value for key, value in self.tags if key == name), default)

    def opening(
        self, score: tuple[int, int], *, crawford: bool = False, player: int = 0
    ) -> Position:
        """The start position of a game, `player` on roll.

        score : points of players 0 and 1; ValueError if the match is over at them
        crawford : it is the Crawford game
        """
        return Position.start(
            self.start, turn=player, score_own=score[player], score_opp=score[1 - player],
            match_length=self.length, crawford=crawford, jacoby=self.jacoby,
            beavers=self.beavers, max_cube=self.max_cube, **dict(self.rules))

    def decisions(self, *, rolls: bool = False) -> Iterator[tuple[int, Decision]]:
        """(game number from 0, decision) of all games, see `GameRecord.decisions`."""
        for number, game in enumerate(self.games):
            for decision in game.decisions(rolls=rolls):
                yield number, decision

    def bare(self) -> MatchRecord:
        """What was played and nothing that was written about it: for comparing records."""
        games = tuple(
            dataclasses.replace(
                game, comment="", tags=(), warnings=(),
                actions=tuple(
                    dataclasses.replace(a, comment="", warning="", analysis=None)
                    for a in game.actions))
            for game in self.games)
        return dataclasses.replace(
            self, games=games, tags=(), comment="", warnings=(), source="", date="")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PositionRecord:
    """A single position from a file.

    players : names of players 0 and 1, "" where the file says nothing
    comment, analysis : what somebody and what another program wrote about it, as in `Action`
    """

    position: Position
    players: tuple[str, str] = ("", "")
    comment: str = ""
    analysis: Mapping[str, Any] | None = dataclasses.field(default=None, hash=False)


# ---- what an action does to a position ------------------------------------------------------


def scores(position: Position) -> tuple[int, int]:
    """Points of players 0 and 1."""
    if position.turn == 0:
        return position.score_own, position.score_opp
    return position.score_opp, position.score_own


def may_double(position: Position) -> bool:
    """The side on roll may turn the cube before it throws, and the cube is not dead for it."""
    limit = position.max_cube
    length = position.match_length
    return (
        position.offer == "none"
        and position.cube_owner != "opp"
        and not position.crawford
        and (limit is None or 2 * position.cube <= limit)
        and (not length or position.score_own + position.cube < length)
    )


def facing(position: Position, action: Action) -> Position:
    """The position as the player of the action sees it when deciding."""
    if action.kind in ("play", "roll", "double", "board") and action.player != position.turn:
        position = position.swap()
    if action.kind in ("play", "roll"):
        return position.with_(dice=action.dice, offer="none")
    if action.kind == "resign":  # perhaps after a throw
        return position
    return position if position.dice is None else position.with_(dice=None)


def apply(position: Position, action: Action) -> Position:
    """The position after an action, the next player on roll. ValueError if that is impossible."""
    before = facing(position, action)
    kind = action.kind
    if kind == "play":
        return play_steps(before, action.steps)
    if kind == "double":
        return before.with_(offer="doubled")
    if kind == "beaver":
        return before.with_(offer="beavered")
    if kind == "raccoon":
        return before.with_(offer="raccooned")
    if kind == "take":
        raised = {"doubled": 2, "beavered": 4, "raccooned": 8}.get(before.offer)
        if raised is None:
            raise ValueError("take: no cube was offered")
        return before.with_(cube=raised * before.cube, cube_owner="opp", offer="none")
    if kind == "board" and action.board:
        own, opp = action.board
        before = before.with_(own=own, opp=opp)
        return before.swap() if action.dice else before
    return before  # a roll, a drop or a resignation leave the board as it is


def at_stake(position: Position) -> int:
    """Points for which the pending offer may be dropped; without an offer, the cube."""
    return position.cube * {"beavered": 2, "raccooned": 4}.get(position.offer, 1)

