"""Positions and decisions as text in the form that eXtreme Gammon exports, in English.

Each part begins with an XGID and holds the drawing, the score, and the candidates of a roll or the
three lines of a cube decision. Plies are counted as that program counts them, one more than here.
"""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nardy_core.formats.analysis_lines import cube_equities, plies_of, roller_of
from nardy_core.match_record import MatchRecord, PositionRecord
from nardy_core.position import Position

_SIDES = "OX"  # players 0 and 1
_WIDTH = 42


def write(record: MatchRecord | Sequence[PositionRecord]) -> str:
    """A match, decision by decision, or positions. ValueError for long nardy, and where a position
    does not fit into an XGID."""
    records = list(_decisions(record)) if isinstance(record, MatchRecord) else record
    return "\n".join(_part(r) for r in records)


def _decisions(match: MatchRecord) -> Iterator[PositionRecord]:
    """Plays, and doubles given or not given; an answer to a double says nothing more."""
    for _, decision in match.decisions(rolls=True):
        action = decision.action
        if action.kind not in ("play", "no_double", "double"):
            continue
        position = decision.position.with_(offer="none")
        analysis = dict(action.analysis or {})
        if action.kind == "play":
            analysis.pop("cube", None)
        elif "cube" not in analysis:
            continue
        yield PositionRecord(position=position, players=match.players, comment=action.comment,
                             analysis=analysis)


def _part(record: PositionRecord) -> str:
    position = record.position
    if position.game != "backgammon":
        raise ValueError("text in XG's form is for backgammon only")
    analysis = record.analysis or {}
    side = _SIDES[position.turn]
    todo = f"{side} to play {position.dice[0]}{position.dice[1]}" if position.dice else (
        f"{side} on roll, cube action")
    lines = [position.id("xgid"), "", *_heading(position, record.players), *_board(position),
             *_below(position), todo, ""]
    if analysis.get("candidates") and position.dice:
        lines += _candidates(analysis["candidates"])
    elif analysis.get("cube") and not position.dice:
        lines += _cube(position, analysis["cube"])
    if record.comment:
        lines += [_one_line(record.comment), ""]
    program = _one_line(str(analysis.get("program") or "")) or "nardy_core"
    return "\n".join([*lines, re.sub("^(eXtreme Gammon) (?=[0-9])", r"\1 Version: ", program), ""])


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _heading(position: Position, players: tuple[str, str]) -> list[str]:
    names = [_one_line(name) or f"Player {n}" for n, name in enumerate(players, 1)]
    lines = [f"X:{names[1]}   O:{names[0]}"]
    own, opp = _points(position)
    if position.match_length:
        lines.append(f"Score is X:{own} O:{opp} {position.match_length} pt.(s) match.")
    else:
        rules = [name for name, on in (("Jacoby", position.jacoby), ("Beaver", position.beavers))
                 if on]
        words = f", {','.join(rules)}" if rules else ""
        lines.append(f"Score is X:{own} O:{opp}. Unlimited Game{words}")
    return lines


def _points(position: Position) -> tuple[int, int]:
    """Scores of X and O."""
    scores = position.score_own, position.score_opp
    return scores if position.turn == 1 else scores[::-1]


def _sides(position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Counts of X and O, each in its own numbers."""
    sides = position.own, position.opp
    return sides if position.turn == 1 else sides[::-1]


def _board(position: Position) -> list[str]:
    """The drawing as X sees it: eleven rows of five checkers a side, numbers for higher stacks."""
    x, o = _sides(position)
    top, bottom = range(13, 25), range(12, 0, -1)
    lines = [" +13-14-15-16-17-18------19-20-21-22-23-24-+"]
    for row in range(5):
        lines.append(_row([_cell(x[n], o[25 - n], row) for n in top], _cell(0, o[25], row)))
    lines.append(_row([" "] * 12, "BAR", wide=True))
    for row in range(4, -1, -1):
        lines.append(_row([_cell(x[n], o[25 - n], row) for n in bottom], _cell(x[25], 0, row)))
    lines.append(" +12-11-10--9--8--7-------6--5--4--3--2--1-+")
    cube = f"| {position.cube:>2}" if position.cube > 1 else ""
    if cube:
        owner = {"own": position.turn, "opp": 1 - position.turn}[position.cube_owner]
        at = len(lines) - 3 if owner == 1 else 2
        lines[at] += f" {cube} |"
    return lines


def _cell(x: int, o: int, row: int) -> str:
    count, letter = (x, "X") if x else (o, "O")
    if row == 4 and count > 5:
        return str(count)
    return letter if count > row else " "


def _row(cells: list[str], bar: str, *, wide: bool = False) -> str:
    left, right = ("".join(f"{c:>2} " for c in half) for half in (cells[:6], cells[6:]))
    middle = bar if wide else f"{bar:>2} "
    return f" |{left}|{middle}|{right}|"


def _below(position: Position) -> list[str]:
    x, o = (sum(n * count for n, count in enumerate(side)) for side in _sides(position))
    own, opp = _points(position)
    length = f"/{position.match_length}" if position.match_length else ""
    crawford = " Crawford" if position.crawford else ""
    owner = {"own": position.turn, "opp": 1 - position.turn}.get(position.cube_owner)
    held = "" if owner is None else f", {_SIDES[owner]} own cube"
    return [f"Pip count  X: {x}  O: {o} X-O: {own}-{opp}{length}{crawford}",
            f"Cube: {position.cube}{held}"]


def _level(item: Mapping[str, Any]) -> str:
    """XG's word for a level; its own words are kept."""
    plies, roller = plies_of(item), roller_of(item)
    if plies is not None:
        return f"{plies + 1}-ply"
    if roller is not None:
        return f"XG Roller{'+' * (roller - 1)}"
    level = str(item.get("level") or "")
    if re.fullmatch(r"Rollout\S*|Book\S*", level):
        return level
    return "Rollout" if level else "1-ply"


def _chances(values: Sequence[float]) -> tuple[str, str]:
    win, gammon, backgammon, lost_gammon, lost_backgammon = (100 * v for v in values)
    return (f"{win:5.2f}% (G:{gammon:.2f}% B:{backgammon:.2f}%)",
            f"{100 - win:5.2f}% (G:{lost_gammon:.2f}% B:{lost_backgammon:.2f}%)")


def _known(item: Mapping[str, Any]) -> bool:
    values = item.get("probabilities")
    return isinstance(values, (list, tuple)) and len(values) == 5


def _candidates(candidates: Sequence[Mapping[str, Any]]) -> list[str]:
    lines: list[str] = []
    best = candidates[0].get("equity")
    for n, item in enumerate(candidates, 1):
        equity = item.get("equity")
        if not isinstance(equity, (int, float)) or not isinstance(best, (int, float)):
            continue
        behind = f" ({equity - best:+.3f})" if n > 1 else ""
        play = str(item.get("play") or "") or "Cannot Move"
        lines.append(f"    {n}. {_level(item):<11} {play:<27} eq:{equity:+.3f}{behind}")
        if _known(item):
            own, opp = _chances(item["probabilities"])
            lines += [f"      Player:   {own}", f"      Opponent: {opp}"]
        lines.append("")
    return lines


def _cube(position: Position, cube: Mapping[str, Any]) -> list[str]:
    found = cube_equities(cube, position)
    if found is None:
        return []
    stay, take, drop = found
    again = "redouble" if position.cube_owner == "own" else "double"
    name = again.capitalize()
    double = min(take, drop)
    best = max(stay, double)
    answer = "Take" if take <= drop else "Pass"
    word = name if double > stay else f"Too good to {again}" if stay > drop else f"No {again}"
    lines = [f"Analyzed in {_level(cube)}"]
    if _known(cube):
        own, opp = _chances(cube["probabilities"])
        lines += [f"Player Winning Chances:   {own}", f"Opponent Winning Chances: {opp}", ""]
    cubeless = cube.get("cubeless")
    if isinstance(cubeless, (int, float)):
        twice = cube.get("double_take_cubeless")
        twice = twice if isinstance(twice, (int, float)) else 2 * cubeless
        lines += [f"Cubeless Equities: No Double={cubeless:+.3f}, Double={twice:+.3f}", ""]
    lines.append("Cubeful Equities:")
    for label, value in ((f"No {again}", stay), (f"{name}/Take", take), (f"{name}/Pass", drop)):
        behind = "" if value == best else f" ({value - best:+.3f})"
        lines.append(f"       {label + ':':<16} {value:+.3f}{behind}")
    return [*lines, "", f"Best Cube action: {word} / {answer}", ""]
