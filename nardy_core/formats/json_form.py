"""Records as JSON with the schemas "nardy.match/1" and "nardy.positions/1": everything, losslessly.

A match has `players`, `length`, `start` and the other fields of `MatchRecord`; its `games` hold the
position they start from in the form "text", and `actions` with the fields of `Action` that are not
at their default. A play is written both ways: `steps` as [from, to, hit], which are read, and
`play` as text for people.
"""
from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Sequence
from typing import Any

from nardy_core.checks import shown
from nardy_core.formats.errors import MatchFileError
from nardy_core.match_record import Action, GameRecord, MatchRecord, PositionRecord, apply
from nardy_core.options import Options
from nardy_core.position import Position

MATCH, POSITIONS = "nardy.match/1", "nardy.positions/1"

_ACTION = {
    f.name: f.default for f in dataclasses.fields(Action) if f.name not in ("kind", "player")}
_MATCH = [f.name for f in dataclasses.fields(MatchRecord) if f.name not in ("games", "rules")]


def write(record: MatchRecord | Sequence[PositionRecord]) -> str:
    if isinstance(record, MatchRecord):
        document = match_data(record)
    else:
        document = {"schema": POSITIONS, "positions": [_position_data(p) for p in record]}
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def match_data(record: MatchRecord) -> dict[str, Any]:
    """The match as plain data."""
    data: dict[str, Any] = {"schema": MATCH}
    for name in _MATCH:
        data[name] = plain(getattr(record, name))
    data["rules"] = {name: plain(record.rules[name]) for name in record.rules}
    data["games"] = [_game_data(game) for game in record.games]
    return data


def plain(value: Any) -> Any:
    """Tuples as lists; numbers that JSON does not have (infinite luck) as None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def _game_data(game: GameRecord) -> dict[str, Any]:
    actions = []
    for action in game.actions:
        entry: dict[str, Any] = {"kind": action.kind, "player": action.player}
        if action.kind == "play":
            entry["play"] = action.notation
        for name, default in _ACTION.items():
            value = getattr(action, name)
            if value != default:
                entry[name] = plain(value)
        actions.append(entry)
    return {
        "start": game.start.id("text"), "score": list(game.score), "crawford": game.crawford,
        "winner": game.winner, "points": game.points, "how": game.how, "comment": game.comment,
        "tags": plain(game.tags), "warnings": plain(game.warnings), "actions": actions,
    }


def _position_data(record: PositionRecord) -> dict[str, Any]:
    return {
        "position": record.position.id("text"), "id": record.position.id(),
        "players": list(record.players), "comment": record.comment,
        "analysis": plain(record.analysis),
    }


# ---- reading ---------------------------------------------------------------------------------


def read(text: str, name: str = "match") -> MatchRecord | list[PositionRecord]:
    """ValueError in one line for anything but what `write` writes."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MatchFileError(f"{name}: not JSON: {error or 'nested too deeply'}") from None
    schema = data.get("schema") if isinstance(data, dict) else None
    where = name
    games: list[GameRecord] = []
    try:
        if schema == POSITIONS:
            return [_read_position(item) for item in data["positions"]]
        if schema != MATCH:
            raise ValueError(f"schema {shown(str(schema))} is neither {MATCH} nor {POSITIONS}")
        record = _read_match(data)
        try:
            for number, item in enumerate(data["games"], 1):
                where = f"{name} game {number}"
                games.append(_read_game(item))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            partial = dataclasses.replace(record, games=tuple(games))
            raise MatchFileError(f"{where}: {_words(error)}", partial) from None
        return dataclasses.replace(record, games=tuple(games))
    except MatchFileError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise MatchFileError(f"{where}: {_words(error)}") from None


def _words(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"the field {ascii(error.args[0])[:40]} is missing"
    return str(error) if isinstance(error, ValueError) else "a value of the wrong type"


def _typed(name: str, value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{name}: {shown(str(value))} is not of type {kind.__name__}")
    return value


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    return tuple((_typed("tag", a, str), _typed("tag", b, str)) for a, b in value)


def _texts(name: str, value: Any) -> tuple[str, ...]:
    return tuple(_typed(name, item, str) for item in _typed(name, value, list))


def _read_match(data: dict[str, Any]) -> MatchRecord:
    first, second = _texts("players", data["players"])
    start = _typed("start", data["start"], str)
    rules = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in data.get("rules", {}).items()}
    max_cube = data.get("max_cube")
    return MatchRecord(
        players=(first, second), length=_typed("length", data["length"], int), start=start,
        crawford=_typed("crawford", data["crawford"], bool),
        jacoby=_typed("jacoby", data["jacoby"], bool),
        beavers=_typed("beavers", data["beavers"], bool),
        max_cube=None if max_cube is None else _typed("max_cube", max_cube, int),
        rules=Options("long_nardy" if start == "long_nardy" else "backgammon", rules),
        date=_typed("date", data.get("date", ""), str), tags=_pairs(data.get("tags", [])),
        comment=_typed("comment", data.get("comment", ""), str),
        warnings=_texts("warnings", data.get("warnings", [])),
        source=_typed("source", data.get("source", ""), str))


def _read_game(data: dict[str, Any]) -> GameRecord:
    start = Position.parse(_typed("start", data["start"], str))
    position = start
    actions = []
    for item in data["actions"]:
        action = _read_action(item)
        position = apply(position, action)
        actions.append(action)
    winner = data.get("winner")
    return GameRecord(
        start=start, actions=tuple(actions),
        winner=None if winner is None else _typed("winner", winner, int),
        points=_typed("points", data.get("points", 0), int),
        how=_typed("how", data.get("how", "unfinished"), str),
        comment=_typed("comment", data.get("comment", ""), str),
        tags=_pairs(data.get("tags", [])), warnings=_texts("warnings", data.get("warnings", [])))


def _read_action(data: dict[str, Any]) -> Action:
    fields: dict[str, Any] = {}
    for name, default in _ACTION.items():
        value = data.get(name, default)
        if name in ("warning", "comment"):
            value = _typed(name, value, str)
        elif name == "legal":
            value = _typed(name, value, bool)
        elif name == "points":
            value = _typed(name, value, int)
        elif name == "analysis" and value is not None:
            value = _typed(name, value, dict)
        elif name == "dice" and value is not None:
            high, low = (_typed("dice", d, int) for d in value)
            if not 6 >= high >= low >= 1:
                raise ValueError(f"dice: {high}-{low} is not a roll, higher number first")
            value = (high, low)
        elif name == "steps":
            value = tuple(_read_step(step) for step in value)
        elif name == "board" and value is not None:
            own, opp = (tuple(_typed("board", n, int) for n in side) for side in value)
            value = (own, opp)
        fields[name] = value
    return Action(kind=_typed("kind", data["kind"], str),
                  player=_typed("player", data["player"], int), **fields)


def _read_step(step: Any) -> tuple[int, int, bool]:
    source, target, hit = step
    if not 25 >= _typed("step", source, int) > _typed("step", target, int) >= 0:
        raise ValueError(f"step: {source}/{target} does not go down")
    return source, target, _typed("hit", hit, bool)


def _read_position(data: dict[str, Any]) -> PositionRecord:
    first, second = _texts("players", data.get("players", ["", ""]))
    analysis = data.get("analysis")
    return PositionRecord(
        position=Position.parse(_typed("position", data["position"], str)),
        players=(first, second), comment=_typed("comment", data.get("comment", ""), str),
        analysis=None if analysis is None else _typed("analysis", analysis, dict))
