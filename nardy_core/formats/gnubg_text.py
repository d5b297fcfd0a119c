"""Matches as GNU Backgammon exports them as text, move by move, with its analysis.

The program writes a file for each game; a text with several games, one after the other, is read as
well. The ids beside the boards give the position the game begins from and are held against the
plays. O is player 0. Analysis is read where it is printed as equity.
"""
from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

from nardy_core.checks import shown
from nardy_core.formats.errors import MatchFileError
from nardy_core.match_record import GameRecord, MatchRecord
from nardy_core.notation import format_play, parse_play
from nardy_core.position import Position
from nardy_core.recorder import Recorder

MAX_LINE = 400
MAX_GAMES = 1000
MAX_CANDIDATES = 1000

_N = r"([+-]?\d{1,4}\.\d{1,9})"
_POSITION = re.compile(r"GNU Backgammon  Position ID: (\S{14})", re.ASCII)
_MATCH = re.compile(r"\s+Match ID   : (\S{12})\s*$", re.ASCII)
_NAME = re.compile(r"-\+\s{1,9}([OX]): (.{1,64}?)(?: \(Cube: \d{1,9}\))?\s*$", re.ASCII)
_ACTION = re.compile(
    r"\* (.{1,64}?) (moves (.{1,128}?)|cannot move|doubles|accepts|rejects|beavers|raccoons"
    r"|redoubles|resigns\b.{0,40})\s*$")
_BLOCK = re.compile(r"Move number \d{1,6}:\s")
_ROLL = re.compile(rf"Rolled ([1-6])([1-6])(?: \({_N}\))?:\s*$", re.ASCII)
_PLAY = re.compile(
    rf"(\*?)\s{{1,8}}(\d{{1,4}}\.|\?\? )\s?(Cube(?:ful|less) (\d{{1,2}})-ply|Rollout)"
    rf"\s+(\S.{{0,60}}?)\s+"
    rf"Eq\.:\s*{_N}(?: \(\s*{_N}\))?\s*$", re.ASCII)
_CHANCES = re.compile(rf"\s{{2,9}}{_N} {_N} {_N} - {_N} {_N} {_N}\s*$", re.ASCII)
_CUBELESS = re.compile(rf"(\d{{1,2}})-ply cubeless equity {_N}", re.ASCII)
_CUBE_LINE = re.compile(rf"\d\. (No double|Double, pass|Double, take)\s+{_N}", re.ASCII)
_WINS = re.compile(r"(.{1,64}?) wins (\d{1,6}) points?\s*$", re.ASCII)
_LINES = {"No double": "no_double", "Double, pass": "double_pass", "Double, take": "double_take"}


def looks_like(text: str) -> bool:
    return "GNU Backgammon  Position ID:" in text and bool(
        re.search(r"^Move number \d", text, re.M))


def read(text: str, name: str = "match", *, strict: bool = False) -> MatchRecord:
    """The match in the text. MatchFileError names the line of what cannot be read."""
    return _Reader(name, strict).read(text)


@dataclasses.dataclass(slots=True)
class _Block:
    """What the text says about one action."""

    line: int
    position: str = ""
    match: str = ""
    action: str = ""
    who: str = ""
    play: str = ""
    dice: tuple[int, int] | None = None
    analysis: dict[str, Any] = dataclasses.field(default_factory=dict)


class _Reader:
    def __init__(self, name: str, strict: bool) -> None:
        self.name, self.strict = name, strict
        self.players = ["", ""]
        self.program = ""
        self.record: MatchRecord | None = None

    def read(self, text: str) -> MatchRecord:
        found = re.search(r"by GNU Backgammon (\S{1,40})", text[-4000:])
        self.program = f"GNU Backgammon {found[1]}" if found else "GNU Backgammon"
        line = 1
        try:
            for blocks, winner, points in self._games(text):
                line = blocks[0].line if blocks else line
                self._game(blocks, winner, points)
        except MatchFileError as error:
            raise MatchFileError(str(error), self.record) from None
        except ValueError as error:
            raise MatchFileError(f"{self.name} line {line}: {error}", self.record) from None
        if self.record is None:
            raise MatchFileError(f"{self.name} line 1: no game in it")
        return self.record

    def _games(self, text: str) -> Iterator[tuple[list[_Block], str, int]]:
        """(blocks, winner's name or "", points) of each game."""
        blocks: list[_Block] = []
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > MAX_LINE:
                raise MatchFileError(f"{self.name} line {number}: {len(line)} characters, more "
                                     f"than {MAX_LINE}")
            if line.startswith("The score (after") and blocks:
                yield blocks, "", 0
                blocks = []
            if _BLOCK.match(line):
                blocks.append(_Block(number))
            elif blocks and (won := _WINS.match(line)):
                yield blocks, won[1], int(won[2])
                blocks = []
            elif blocks:
                self._line(line, blocks[-1])
        if blocks:
            yield blocks, "", 0

    def _line(self, line: str, block: _Block) -> None:
        if found := _POSITION.search(line):
            block.position = found[1]
        elif found := _MATCH.match(line):
            block.match = found[1]
        elif found := _NAME.search(line):
            self.players["OX".index(found[1])] = found[2]
        elif found := _ACTION.match(line):
            block.who, block.action, block.play = found[1], found[2].split()[0], found[3] or ""
        elif found := _ROLL.match(line):
            block.dice = int(found[1]), int(found[2])
            if found[3]:
                block.analysis["luck"] = float(found[3])
        elif found := _PLAY.match(line):
            _add_candidate(block, found)
        elif found := _CHANCES.match(line):
            _add_chances(block, [float(n) for n in found.groups()])
        elif found := _CUBELESS.match(line):
            plies = int(found[1])
            block.analysis["cube"] = {
                "cubeless": float(found[2]), "level": f"{plies}-ply", "plies": plies,
                "unit": "equity"}
        elif "cube" in block.analysis and (found := _CUBE_LINE.match(line)):
            block.analysis["cube"][_LINES[found[1]]] = float(found[2])

    def _game(self, blocks: list[_Block], winner: str, points: int) -> None:
        start = self._position(blocks[0])
        start = start.with_(dice=None, offer="none", resigned=0)
        if self.record is None:
            self.record = MatchRecord(
                players=(self.players[0], self.players[1]), length=start.match_length,
                jacoby=start.jacoby, beavers=start.beavers, source="gnubgtext")
        elif len(self.record.games) >= MAX_GAMES:
            raise ValueError(f"more than {MAX_GAMES} games")
        elif start.match_length != self.record.length:
            raise ValueError(f"a game of a match to {start.match_length}, not "
                             f"{self.record.length}")
        start = self._rules(start)
        recorder = Recorder(start, strict=self.strict)
        for block in blocks:
            try:
                self._act(recorder, block)
            except ValueError as error:
                raise MatchFileError(f"{self.name} line {block.line}: {error}") from None
        won = self._player(winner) if winner else None
        built: GameRecord = recorder.finish(won, points or None)
        self.record = dataclasses.replace(self.record, games=(*self.record.games, built))

    def _position(self, block: _Block) -> Position:
        if not block.position or not block.match:
            raise ValueError("a move without its ids")
        return Position.parse(f"{block.position}:{block.match}")

    def _rules(self, start: Position) -> Position:
        assert self.record is not None
        return start.with_(beavers=self.record.beavers, jacoby=self.record.jacoby)

    def _player(self, name: str) -> int:
        if name not in self.players:
            raise ValueError(f"{shown(name)} is neither of the players")
        return self.players.index(name)

    def _act(self, recorder: Recorder, block: _Block) -> None:
        if not block.action:
            if block is not None and recorder.actions and block.dice is None:
                return  # a game that breaks off before a decision
            raise ValueError("a move without what was done")
        position = self._position(block)
        player = self._player(block.who)
        told = position if position.turn == recorder.position.turn else position.swap()
        if recorder.actions and (told.own, told.opp) != (
                recorder.position.own, recorder.position.opp):
            raise ValueError("the board is not the one that the moves before it lead to")
        more: dict[str, Any] = {}
        if block.analysis:
            more["analysis"] = {**block.analysis, "program": self.program}
        if block.action in ("moves", "cannot"):
            dice = position.dice or block.dice
            if dice is None:
                raise ValueError("a play without dice")
            steps = parse_play(block.play) if block.action == "moves" else []
            recorder.play(player, dice, steps, **more)
        elif block.action in ("doubles", "beavers", "raccoons", "redoubles"):
            recorder.double(player, **more)
        elif block.action == "accepts":
            recorder.take(player)
        elif block.action == "rejects":
            recorder.drop(player)
        else:
            recorder.resign(player)


def _add_candidate(block: _Block, found: re.Match[str]) -> None:
    candidates = block.analysis.setdefault("candidates", [])
    if len(candidates) >= MAX_CANDIDATES:
        return
    steps = parse_play(found[5])
    if found[1]:
        block.analysis["played"] = len(candidates)
    item: dict[str, Any] = {
        "play": format_play(steps), "steps": [[a, b] for a, b, _ in steps],
        "equity": float(found[6])}
    if found[4]:
        item.update(level=f"{int(found[4])}-ply", plies=int(found[4]),
                    cubeful=found[3].startswith("Cubeful"))
    else:
        item["level"] = "rollout"
    candidates.append(item)


def _add_chances(block: _Block, numbers: list[float]) -> None:
    win, gammon, backgammon, _, lost_gammon, lost_backgammon = numbers
    values = [win, gammon, backgammon, lost_gammon, lost_backgammon]
    candidates = block.analysis.get("candidates")
    if candidates:
        candidates[-1].setdefault("probabilities", values)
    elif "cube" in block.analysis:
        block.analysis["cube"].setdefault("probabilities", values)
