"""Writing .mat files: the plain dialect that every program reads.

Every step of a play is written out, with 25 for the bar and 0 for off. What the file does not have
a place for (comments, analysis, the rule a play broke) is left out.
"""
from __future__ import annotations

import re

from nardy_core.game_facts import FACTS
from nardy_core.match_record import Action, GameRecord, MatchRecord, apply
from nardy_core.position import Position

_VARIATIONS = {
    "nackgammon": "NackGammon", "hypergammon1": "1-Chequer Hypergammon",
    "hypergammon2": "2-Chequer Hypergammon", "hypergammon3": "3-Chequer Hypergammon",
    "long_nardy": "LongNardy",
}
_RIGHT = 33  # column of the second player's entries


def write(record: MatchRecord) -> str:
    """The match as text. ValueError for what the format cannot hold: games that begin in the middle
    or boards that were set."""
    lines = [f'; [{name} "{value}"]' for name, value in _tags(record)]
    lines += ["", f" {record.length} point match", ""]
    for number, game in enumerate(record.games, 1):
        lines += _game(record, game, number)
    return "\n".join(lines).lstrip("\n") + "\n"


def _tags(record: MatchRecord) -> list[tuple[str, str]]:
    tags = [(_clean(name), _clean(value)) for name, value in record.tags]
    if record.date:
        tags.append(("EventDate", _clean(record.date).replace("-", ".")))
    if record.start in _VARIATIONS:
        tags.append(("Variation", _VARIATIONS[record.start]))
    if record.length and record.game == "backgammon":
        tags.append(("Crawford", "On" if record.crawford else "Off"))
    if not record.length and (record.game == "backgammon" or record.jacoby or record.beavers):
        tags.append(("Jacoby", "On" if record.jacoby else "Off"))
        tags.append(("Beaver", "On" if record.beavers else "Off"))
    if record.max_cube is not None:
        tags.append(("CubeLimit", str(record.max_cube)))
    rules = [*record.rules.tokens()]
    if record.max_cube is None and not FACTS[record.game].cube_usual:
        rules.append("max_cube=none")  # no cube unless told
    if rules:
        tags.append(("Rules", ",".join(rules)))
    forfeits = [str(n) for n, game in enumerate(record.games, 1) if game.how == "forfeit"]
    if forfeits:
        tags.append(("Forfeit", " ".join(forfeits)))
    return tags


def _clean(text: str) -> str:
    """Printable, on one line, without the signs that end a tag."""
    return " ".join(re.sub(r'["\]\[]', "'", text).split())


def _name(record: MatchRecord, player: int) -> str:
    return _clean(record.players[player]).replace(":", ";") or f"Player {player + 1}"


def _game(record: MatchRecord, game: GameRecord, number: int) -> list[str]:
    standard = record.opening(game.score, crawford=game.crawford, player=game.start.turn)
    if (game.start.own, game.start.opp, game.start.cube) != (standard.own, standard.opp, 1):
        raise ValueError(f"game {number}: a .mat file cannot hold a game that begins elsewhere")
    left = f" {_name(record, 0)} : {game.score[0]}"
    lines = [f" Game {number}", f"{left:<31}  {_name(record, 1)} : {game.score[1]}"]
    rows: list[list[str]] = []
    position = game.start
    for action in game.actions:
        if action.kind != "resign":
            if not rows or rows[-1][1] or (action.player == 0 and rows[-1][0]):
                rows.append(["", ""])
            rows[-1][action.player] = _entry(position, action, number)
        position = apply(position, action)
    result = _result(record, game)
    # GNU Backgammon knows who has won by where this stands, beside the last entry or below it.
    beside = bool(result) and game.winner == 1 and bool(rows) and not rows[-1][1]
    if beside:
        rows[-1][1] = f" {result}"
    for n, (first, second) in enumerate(rows, 1):
        lines.append(f"{f'{n:3}) {first}':<{_RIGHT - 1}} {second}".rstrip())
    if result and not beside:
        lines.append(" " * (6 if game.winner == 0 else _RIGHT + 1) + result)
    return [*lines, ""]


def _result(record: MatchRecord, game: GameRecord) -> str:
    if game.winner is None:
        return ""
    end = "" if game.points == 1 else "s"
    match = " and the match" if _wins_match(record, game) else ""
    return f"Wins {game.points} point{end}{match}"


def _wins_match(record: MatchRecord, game: GameRecord) -> bool:
    return bool(record.length) and (
        game.winner is not None and game.score[game.winner] + game.points >= record.length)


def _entry(position: Position, action: Action, game: int) -> str:
    if action.dice and action.kind != "board":
        roll = f"{action.dice[0]}{action.dice[1]}:"
        steps = sorted(action.steps, reverse=True)
        return " ".join([roll, *(f"{a}/{b}{'*' if hit else ''}" for a, b, hit in steps)])
    value = position.cube
    if action.kind == "double":
        return f" Doubles => {2 * value}"
    if action.kind in ("beaver", "raccoon"):
        return f" {action.kind.title()}s => {value * (4 if action.kind == 'beaver' else 8)}"
    if action.kind in ("take", "drop"):
        return f" {action.kind.title()}s"
    raise ValueError(f"game {game}: a .mat file cannot hold a board that was set")
