"""Matches as GNU Backgammon saves them (.sgf): one game tree for each game.

White (W, O) is player 0, Black (B, X) player 1. The analysis is kept as it stands, see
`sgf_analysis`; GS, the statistics of a game, are among the tags of the game.
"""
from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from nardy_core.checks import shown
from nardy_core.counts import fill
from nardy_core.formats import sgf_analysis, sgf_tree
from nardy_core.formats.errors import MatchFileError
from nardy_core.match_record import Action, GameRecord, MatchRecord, apply
from nardy_core.position import Position
from nardy_core.recorder import Recorder

# Properties of a game's first node that are words about the match, with their names as tags.
TAGS = {"PC": "Site", "EV": "Event", "RO": "Round", "WR": "Player 1 Elo", "BR": "Player 2 Elo",
        "AN": "Annotator"}

_PLAY = re.compile(r"([1-6])([1-6])([a-z]*)")
_RESULT = re.compile(r"([WB])\+(\d{1,6})R?", re.ASCII)
_CUBE = {"double", "take", "drop", "resign"}
_VARIANTS = {"nackgammon": "nackgammon", "hypergammon1": "hypergammon1",
             "hypergammon2": "hypergammon2", "hypergammon3": "hypergammon3"}


def looks_like(text: str) -> bool:
    return bool(re.match(r"\s*\(\s*;", text)) and bool(re.search(r"\bFF\s*\[|\bGM\s*\[", text))


def read(text: str, name: str = "match", *, strict: bool = False) -> MatchRecord:
    """The match in the text. MatchFileError names the line of what cannot be read."""
    games, bad = sgf_tree.parse(text, name)
    if bad and games:
        games.pop()  # the game that the file breaks off in
    reader = _Reader(name, strict)
    for k, game in enumerate(games):
        try:
            reader.game(game, games[k + 1] if k + 1 < len(games) else None)
        except MatchFileError as error:
            raise MatchFileError(str(error), reader.record) from None
        except ValueError as error:
            line = game.lines[0] if game.lines else 1
            raise MatchFileError(f"{name} line {line}: {error}", reader.record) from None
    if bad:
        raise MatchFileError(str(bad), reader.record)
    if not reader.record:
        raise MatchFileError(f"{name} line 1: no game in it")
    return reader.record


def _first(node: Mapping[str, list[str]], key: str, default: str = "") -> str:
    values = node.get(key)
    return values[0] if values else default


class _Reader:
    def __init__(self, name: str, strict: bool) -> None:
        self.name, self.strict = name, strict
        self.record: MatchRecord | None = None
        self.program = ""

    def game(self, game: sgf_tree.GameTree, following: sgf_tree.GameTree | None) -> None:
        if not game.nodes:
            raise ValueError("a game without nodes")
        root = game.nodes[0]
        if _first(root, "GM", "6") != "6":
            raise ValueError(f"the game is number {shown(_first(root, 'GM'))}, not 6, backgammon")
        info = _match_info(root)
        rules = [word.strip().lower() for value in root.get("RU", []) for word in value.split(":")]
        if self.record is None:
            self.record = self._match(root, info["length"], rules)
        elif info["length"] != self.record.length:
            raise ValueError(f"a game of a match to {info['length']}, not {self.record.length}")
        recorder = Recorder(
            self.record.opening((info["ws"], info["bs"]), crawford="crawfordgame" in rules),
            strict=self.strict)
        recorder.comment = _first(root, "GC")
        if recorder.start.crawford and any(g.crawford for g in self.record.games):
            recorder.warnings.append("called the Crawford game, which has been played")
        told = self.record.score
        if self.record.games and told != (info["ws"], info["bs"]):
            recorder.warnings.append(f"the score is {info['ws']}-{info['bs']}, but "
                                     f"{told[0]}-{told[1]} by the games before")
        recorder = self._nodes(game, recorder)
        built = self._finish(root, info, recorder, following)
        self.record = dataclasses.replace(self.record, games=(*self.record.games, built))

    def _match(
        self, root: Mapping[str, list[str]], length: int, rules: list[str]
    ) -> MatchRecord:
        self.program = _first(root, "AP").replace(":", " ")
        tags = tuple((name, root[key][0]) for key, name in TAGS.items() if root.get(key))
        start = next((_VARIANTS[word] for word in rules if word in _VARIANTS), "backgammon")
        return MatchRecord(
            players=(_first(root, "PW"), _first(root, "PB")), length=length, start=start,
            crawford="crawford" in rules if length > 1 else True, jacoby="jacoby" in rules,
            date=_first(root, "DT"), tags=tags, source="sgf")

    def _nodes(self, game: sgf_tree.GameTree, recorder: Recorder) -> Recorder:
        waiting: tuple[int, tuple[int, int]] | None = None  # a roll of which no play came yet
        for node, line in zip(game.nodes, game.lines, strict=True):
            try:
                if any(key in node for key in ("AE", "AW", "AB", "CV", "CP")):
                    recorder = self._set_up(node, recorder)
                if "DI" in node and "W" not in node and "B" not in node:
                    waiting = _player(_first(node, "PL"), recorder), _dice(_first(node, "DI"))
                for player, key in enumerate("WB"):
                    if key not in node:
                        continue
                    value = _first(node, key)
                    if waiting and not (waiting[0] == player and value[:1].isdigit()):
                        recorder.play(*waiting, ())
                    waiting = None
                    self._act(recorder, player, value, node)
            except ValueError as error:
                raise MatchFileError(f"{self.name} line {line}: {error}") from None
        if waiting and not recorder.over:
            recorder.roll(*waiting)
        return recorder

    def _set_up(self, node: Mapping[str, list[str]], recorder: Recorder) -> Recorder:
        position = recorder.position
        player = _player(_first(node, "PL"), recorder)
        if player != position.turn:
            position = position.swap()
        sides = {player: list(position.own), 1 - player: list(position.opp)}
        for value in node.get("AE", []):
            for letter in _letters(value):
                for who, side in sides.items():
                    if letter != "y":
                        side[sgf_analysis.point(letter, who)] = 0
                    else:
                        side[25] = 0
        for who, key in enumerate(("AW", "AB")):
            for value in node.get(key, []):
                for letter in _letters(value):
                    slot = sgf_analysis.point(letter, who)
                    if slot:
                        sides[who][slot] += 1
        own, opp = (fill(dict(enumerate(sides[who][1:], 1)), position.checkers)
                    for who in (player, 1 - player))
        changes: dict[str, Any] = {"own": own, "opp": opp}
        if "CV" in node:
            changes["cube"] = _number("cube", _first(node, "CV"), 1 << 40)
        if "CP" in node:
            owner = {"w": 0, "b": 1}.get(_first(node, "CP").lower())
            changes["cube_owner"] = (
                "centre" if owner is None else "own" if owner == player else "opp")
        if not recorder.actions:
            fresh = Recorder(position.with_(**changes), strict=recorder.strict)
            fresh.warnings, fresh.comment = recorder.warnings, recorder.comment
            return fresh
        if "cube" in changes or "cube_owner" in changes:
            raise ValueError("the cube is set in the middle of a game")
        recorder.board(player, own, opp)
        return recorder

    def _act(
        self, recorder: Recorder, player: int, value: str, node: Mapping[str, list[str]]
    ) -> None:
        found = _PLAY.fullmatch(value)
        position = recorder.position if recorder.position.turn == player else None
        if position is None and found and not recorder.actions:
            position = recorder.position.swap()
        more: dict[str, Any] = {
            "comment": _first(node, "C"),
            "analysis": sgf_analysis.read_node(
                node, position or recorder.position, player, self.program)}
        if found:
            steps = sgf_analysis.read_steps(found[3], player)
            recorder.play(player, (int(found[1]), int(found[2])), steps, **more)
        elif value == "double":
            recorder.double(player, **more)
        elif value == "take":
            recorder.take(player, **more)
        elif value == "drop":
            recorder.drop(player, **more)
        elif value == "resign":
            recorder.resign(player, **more)
        else:
            raise ValueError(f"{shown(value)} is neither a play nor one of {', '.join(_CUBE)}")

    def _finish(
        self, root: Mapping[str, list[str]], info: Mapping[str, int], recorder: Recorder,
        following: sgf_tree.GameTree | None,
    ) -> GameRecord:
        winner = points = None
        if found := _RESULT.fullmatch(_first(root, "RE").strip()):
            winner, points = "WB".index(found[1]), int(found[2])
        elif following and following.nodes:
            after = _match_info(following.nodes[0])
            gained = [after["ws"] - info["ws"], after["bs"] - info["bs"]]
            if sorted(gained)[0] == 0 < max(gained):
                winner, points = gained.index(max(gained)), max(gained)
        how = "forfeit" if _first(root, "ND") == "forfeit" else None
        return recorder.finish(
            winner, points, how, tags=[("GS", value) for value in root.get("GS", [])])


def _number(what: str, text: str, high: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 12 and int(text) <= high):
        raise ValueError(f"{what}: {shown(text)} is not a whole number up to {high}")
    return int(text)


def _match_info(root: Mapping[str, list[str]]) -> dict[str, int]:
    info = {"length": 0, "ws": 0, "bs": 0}
    for value in root.get("MI", []):
        key, _, text = value.partition(":")
        if key in info:
            info[key] = _number(f"MI {key}", text, 32767)
    return info


def _dice(text: str) -> tuple[int, int]:
    if not re.fullmatch(r"[1-6]{2}", text):
        raise ValueError(f"dice: {shown(text)} is not a roll")
    return int(text[0]), int(text[1])


def _player(text: str, recorder: Recorder) -> int:
    return {"W": 0, "B": 1}.get(text[:1].upper(), recorder.position.turn)


def _letters(value: str) -> str:
    """`a`, or the points of a range `a:y`."""
    if re.fullmatch(r"[a-y]:[a-y]", value):
        return "".join(chr(c) for c in range(ord(value[0]), ord(value[2]) + 1))
    if not re.fullmatch(r"[a-y]", value):
        raise ValueError(f"board: {shown(value)} is not a point a..y")
    return value


# ---- writing ---------------------------------------------------------------------------------


def write(record: MatchRecord) -> str:
    """The match with what analysis it has. ValueError for long nardy, which SGF does not know."""
    if record.game != "backgammon":
        raise ValueError("an .sgf file can hold backgammon only")
    return "".join(_write_game(record, game, n) for n, game in enumerate(record.games))


def _application(record: MatchRecord) -> str:
    """Whose analysis it is; ours if there is none."""
    from nardy_core._version import __version__

    programs = {action.analysis.get("program") for game in record.games
                for action in game.actions if action.analysis}
    if len(programs) == 1 and (program := programs.pop()):
        name, _, version = str(program).rpartition(" ")
        return f"{name}:{version}" if name else version
    return f"nardy_core:{__version__}"


def _write_game(record: MatchRecord, game: GameRecord, number: int) -> str:
    text = sgf_tree.escaped
    out = [f"(;FF[4]GM[6]CA[UTF-8]AP{text(_application(record))}MI[length:{record.length}]"
           f"[game:{number}][ws:{game.score[0]}][bs:{game.score[1]}]"
           f"PW{text(record.players[0])}PB{text(record.players[1])}"]
    if record.date:
        out.append(f"DT{text(record.date)}")
    for key, name in TAGS.items():
        if record.tag(name):
            out.append(f"{key}{text(record.tag(name))}")
    rules = []
    if record.crawford and record.length > 1:
        rules.append("Crawford")
    if game.crawford:
        rules.append("CrawfordGame")
    if record.jacoby and not record.length:
        rules.append("Jacoby")
    if record.start != "backgammon":
        rules.append(record.start.capitalize())
    if rules:
        out.append(f"RU[{':'.join(rules)}]")
    if game.winner is not None:
        given_up = "R" if game.how in ("resignation", "forfeit") else ""
        out.append(f"RE[{'WB'[game.winner]}+{game.points}{given_up}]")
    if game.how == "forfeit":
        out.append("ND[forfeit]")  # a property of our own
    if game.comment:
        out.append(f"GC{text(game.comment)}")
    statistics = [value for name, value in game.tags if name == "GS"]
    if statistics:
        out.append("GS" + "".join(map(text, statistics)))
    return "".join(out) + "\n" + "\n".join(_write_nodes(record, game)) + ")\n"


def _write_nodes(record: MatchRecord, game: GameRecord) -> list[str]:
    nodes = []
    position = game.start
    plain = record.opening(game.score, crawford=game.crawford, player=position.turn)
    if (position.own, position.opp) != (plain.own, plain.opp):
        nodes.append(_set(position))
    elif (position.cube, position.cube_owner) != (1, "centre"):
        nodes.append(";" + _set_cube(position))
    for action in game.actions:
        node = _node(position, action)
        position = apply(position, action)
        if action.kind == "board":
            node = _set(position)
        if node:
            nodes.append(node + (f"C{sgf_tree.escaped(action.comment)}" if action.comment else ""))
    return nodes


def _node(position: Position, action: Action) -> str:
    colour = "WB"[action.player]
    more = sgf_analysis.write_node(action.analysis, action.player, position)
    if action.kind == "play" and action.dice:
        letters = sgf_analysis.write_steps(action.steps, action.player)
        return f";{colour}[{action.dice[0]}{action.dice[1]}{letters}]{more}"
    if action.kind == "roll" and action.dice:
        return f";PL[{colour}]DI[{action.dice[0]}{action.dice[1]}]"
    value = {"beaver": "double", "raccoon": "double"}.get(action.kind, action.kind)
    return f";{colour}[{value}]{more}" if value in ("double", "take", "drop") else ""


def _set(position: Position) -> str:
    sides = {position.turn: position.own, 1 - position.turn: position.opp}
    out = f";PL[{'WB'[position.turn]}]AE[a:y]"
    for who, key in enumerate(("AW", "AB")):
        points = [sgf_analysis.letter(slot, who) for slot in range(1, 26)
                  for _ in range(sides[who][slot])]
        if points:
            out += key + "".join(f"[{p}]" for p in points)
    return out + (_set_cube(position) if position.cube > 1 else "")


def _set_cube(position: Position) -> str:
    owner = {"own": position.turn, "opp": 1 - position.turn}.get(position.cube_owner)
    return f"CV[{position.cube}]CP[{'c' if owner is None else 'wb'[owner]}]"
