"""Single positions: text exports of eXtreme Gammon and BGBlitz with their analysis, lists of ids.

The exports are read by their shape, not by their words, so the language does not matter: English,
German, French and Japanese were tried. A decimal comma is a point. The id in the text settles the
position, the drawing is not looked at.

A Japanese export keeps the lines about score and chances of a cube decision in English; its own
are those of the cube and of candidates (プレーヤー:, 対戦相手:, ノーダブル:, ダブル/テイク:).
It may be in UTF-8 or Shift JIS.
"""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from nardy_core.formats.errors import MatchFileError
from nardy_core.match_record import PositionRecord
from nardy_core.notation import format_play, parse_play
from nardy_core.position import Position

MAX_POSITIONS = 1_000_000
MAX_LINE = 256  # longer ones are prose, if anything
MAX_TEXT = 2 << 20  # of a file of positions with analysis
MAX_CANDIDATES = 1000

_N = r"([+-]?\d{1,6}[.,]\d{1,9})"
_XGID = re.compile(r"XGID=\S{26,}", re.ASCII)
_PLAYERS = re.compile(r"\s*X:(.{0,100}?)\s{2,}O:(.{0,100}?)\s*$")
_PROGRAM = re.compile(r"\s*(eXtreme Gammon)[^:]{0,40}:\s*([^,\s]{1,60})")
_XG_PLAY = re.compile(
    rf"\s*(\d{{1,4}})\.\s+(\S.{{0,40}}?)\s{{2,}}(\S.{{0,80}}?)\s+\S+:{_N}(?:\s+\({_N}\))?\s*$")
_XG_CHANCES = re.compile(rf"\s*\S.*:\s+{_N}%\s+\(G:{_N}%\s+B:{_N}%\)")
_XG_LEVEL = re.compile(
    r"\s*(?:Anal\S+ (?:in|mit|avec|en|à|im)?\s*(.{1,60}?)"
    r"|\w[\w .]{0,40}? (XG Roller\+{0,2}|[1-9]-\w{2,8}))\s*$")  # the latter in other languages
_XG_CUBELESS = re.compile(rf"\s*\S.*:.*={_N}\s*,.*={_N}\s*$")
_XG_CUBEFUL = re.compile(rf"\s+\S.*:\s+{_N}(?:\s+\({_N}\))?\s*$")
_BG_PLAY = re.compile(
    rf"\s*(\d{{1,4}})\.\s+(?:{_N}\s*mwp\s*/\s*)?{_N}(?:\s+\({_N}\))?\s+(\S.*?)\s*$")
_BG_CHANCES = re.compile(rf"\s*{_N}\s+{_N}\s+{_N}\s+-\s+{_N}\s+{_N}\s+{_N}\s*$")
_BG_PERCENT = re.compile(rf"\s*(\S.*?)\s+{_N}\s+{_N}\s+{_N}\s*$")
_BG_CUBE = re.compile(
    rf"\s*(No Double|Double / Take|Double / Pass)\s*:\s*{_N}\s+\(\s*{_N}\)"
    rf"(?:\s+{_N}\s+\(\s*{_N}\))?\s*$", re.IGNORECASE)
_BG_NAME = re.compile(r"\+\s{2,}([XO]): (.{1,60}?)\s+\d+\s*$")


def _check_size(text: str, name: str) -> None:
    if len(text) > MAX_TEXT:
        raise MatchFileError(f"{name}: more than {MAX_TEXT >> 20} MiB")


def _short(lines: list[str]) -> list[str]:
    return [line for line in lines if len(line) <= MAX_LINE]


def _value(text: str) -> float:
    return float(text.replace(",", "."))


# ---- eXtreme Gammon --------------------------------------------------------------------------


def looks_like_xg(text: str) -> bool:
    return bool(re.search(r"^[ \t]*XGID=\S{26}", text, re.M)) and (
        "eXtreme Gammon" in text or bool(re.search(r"^[ \t]*\+1[23]-", text, re.M)))


def read_xg(text: str, name: str = "position") -> list[PositionRecord]:
    """Each XGID begins a position; what follows, up to the next, is about it."""
    records: list[PositionRecord] = []
    part: list[str] = []
    begun = 0
    _check_size(text, name)
    for number, line in enumerate([*text.splitlines(), "XGID="], 1):
        if line.lstrip().startswith("XGID="):
            if part:
                records.append(_xg(part, f"{name} line {begun}", records))
            part, begun = [], number
        if part or line.lstrip().startswith("XGID="):
            part.append(line)
    if not records:
        raise MatchFileError(f"{name}: no XGID in it")
    return records


def _position(text: str, where: str, before: Sequence[PositionRecord]) -> Position:
    try:
        return Position.parse(text, strict=False)
    except ValueError as error:
        raise MatchFileError(f"{where}: {error}", list(before)) from None


def _xg(lines: list[str], where: str, before: list[PositionRecord]) -> PositionRecord:
    position = _position(lines[0].strip(), where, before)
    players, program, level = ("", ""), "", ""
    chances: list[list[float]] = []
    candidates: list[dict[str, Any]] = []
    cubeful: list[float] = []
    cubeless: list[float] = []
    for line in _short(lines[1:]):
        if found := _PLAYERS.match(line):
            players = (found[2], found[1])  # O is player 0
        elif found := _XG_PLAY.match(line):
            candidate = _candidate(position, found[3])
            if candidate and len(candidates) < MAX_CANDIDATES:
                candidates.append({**candidate, "equity": _value(found[4]), "level": found[2]})
                chances = []
        elif found := _XG_CHANCES.match(line):
            chances.append([_value(n) / 100 for n in found.groups()])
            if candidates and len(chances) == 2:
                candidates[-1]["probabilities"] = _nested(*chances)
        elif found := _PROGRAM.match(line):
            program = f"{found[1]} {found[2]}"
        elif found := _XG_CUBELESS.match(line):
            cubeless = [_value(found[1]), _value(found[2])]
        elif not candidates and (found := _XG_CUBEFUL.match(line)):
            cubeful.append(_value(found[1]))
        elif not candidates and (found := _XG_LEVEL.match(line)):
            level = found[1] or found[2]
    analysis: dict[str, Any] = {}
    if candidates:
        analysis["candidates"] = candidates
    if len(cubeful) >= 3:
        analysis["cube"] = {"no_double": cubeful[0], "double_take": cubeful[1],
                            "double_pass": cubeful[2], "unit": "equity", "level": level}
        if len(chances) >= 2:
            analysis["cube"]["probabilities"] = _nested(*chances[:2])
        if cubeless:
            analysis["cube"]["cubeless"] = cubeless[0]
    if analysis and program:
        analysis["program"] = program
    return PositionRecord(position=position, players=players, analysis=analysis or None)


def _nested(own: Sequence[float], opp: Sequence[float]) -> list[float]:
    return [round(n, 6) for n in (own[0], own[1], own[2], opp[1], opp[2])]


def _candidate(position: Position, text: str) -> dict[str, Any] | None:
    """The play and its steps, or None if the text is no play."""
    try:
        steps = parse_play(text)
    except ValueError:
        return None
    return {"play": format_play(steps), "steps": [[a, b] for a, b, _ in steps]}


# ---- BGBlitz ---------------------------------------------------------------------------------


def looks_like_bgblitz(text: str) -> bool:
    return bool(re.search(r"Position-ID:\s*\S{14}\s+Match-ID:\s*\S{12}", text))


def read_bgblitz(text: str, name: str = "position") -> list[PositionRecord]:
    """Each drawing begins a position."""
    records: list[PositionRecord] = []
    _check_size(text, name)
    lines = text.splitlines()
    ids = [n for n, line in enumerate(lines) if "Position-ID:" in line]
    for at, line_number in enumerate(ids):
        begin = _drawing(lines, line_number, ids[at - 1] + 1 if at else 0)
        end = _drawing(lines, ids[at + 1], line_number + 1) if at + 1 < len(ids) else len(lines)
        records.append(_bgblitz(lines[begin:end], f"{name} line {line_number + 1}", records))
    if not records:
        raise MatchFileError(f"{name}: no Position-ID in it")
    return records


def _drawing(lines: list[str], at: int, low: int) -> int:
    """Where the drawing above the ids begins."""
    for n in range(at, max(low, at - 16), -1):
        if re.match(r"\s*\+(?:12|13|24|1)-", lines[n]) and n < at - 8:
            return n
    return max(low, at - 16)


def _bgblitz(lines: list[str], where: str, before: list[PositionRecord]) -> PositionRecord:
    lines = _short(lines)
    names = {found[1]: found[2] for line in lines[:16] if (found := _BG_NAME.search(line))}
    players = (names.get("O", ""), names.get("X", ""))
    id_text = next((m[0] for line in lines if (m := _XGID.search(line))), "")
    if not id_text:
        id_text = next((line for line in lines if "Position-ID:" in line), "")
    position = _position(id_text, where, before)
    candidates: list[dict[str, Any]] = []
    percent: dict[str, list[float]] = {}
    cube: dict[str, Any] = {}
    for line in lines:
        if found := _BG_CUBE.match(line):
            key = {"no double": "no_double", "double / take": "double_take",
                   "double / pass": "double_pass"}[found[1].lower()]
            cube[key] = _value(found[4] or found[2])
        elif found := _BG_PLAY.match(line):
            candidate = _candidate(position, found[5])
            if candidate and len(candidates) < MAX_CANDIDATES:
                candidates.append({**candidate, "equity": _value(found[3])})
                if found[2]:
                    candidates[-1]["mwc"] = _value(found[2])
        elif (found := _BG_CHANCES.match(line)) and candidates:
            win, gammon, backgammon, _, lost_gammon, lost_backgammon = map(_value, found.groups())
            candidates[-1]["probabilities"] = [
                win, gammon, backgammon, lost_gammon, lost_backgammon]
        elif found := _BG_PERCENT.match(line):
            percent[found[1]] = [round(_value(n) / 100, 6) for n in found.groups()[1:]]
    analysis: dict[str, Any] = {}
    if candidates:
        analysis["candidates"] = candidates
    if cube:
        own, opp = (percent.get(players[p]) for p in (position.turn, 1 - position.turn))
        analysis["cube"] = {**cube, "unit": "equity"}
        if own and opp:
            analysis["cube"]["probabilities"] = _nested(own, opp)
    if analysis:
        analysis["program"] = "BGBlitz"
    return PositionRecord(position=position, players=players, analysis=analysis or None)


# ---- ids -------------------------------------------------------------------------------------


def _id_lines(text: str) -> Iterator[tuple[int, str, str | None]]:
    """(number, id, dialect of a FIBS board) of each line that has one.

    In a transcript of GNU Backgammon's talk with an external player `>` stands before its boards
    and `<` before the answers, which are passed over.
    """
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip().lstrip("\ufeff").strip("\x00")
        if line.startswith(">"):
            yield number, line[1:].strip(" \x00"), "fibs-gnubg"
        elif line and not line.startswith(("#", "<")):
            yield number, line, None


def looks_like_ids(text: str) -> bool:
    """The first line that is no comment is an id."""
    first = next(_id_lines(text), None)
    try:
        return first is not None and bool(Position.parse(first[1], dialect=first[2]))
    except ValueError:
        return False


def read_ids(text: str, name: str = "positions") -> list[PositionRecord]:
    """One position a line, in any form that `Position.parse` knows; `#` begins a comment line."""
    records: list[PositionRecord] = []
    for number, line, dialect in _id_lines(text):
        if len(records) >= MAX_POSITIONS:
            raise MatchFileError(f"{name}: more than {MAX_POSITIONS} positions", records)
        try:
            records.append(PositionRecord(position=Position.parse(line, dialect=dialect)))
        except ValueError as error:
            raise MatchFileError(f"{name} line {number}: {error}", records) from None
    return records


def write_ids(records: Sequence[PositionRecord]) -> str:
    return "".join(f"{record.position.id()}\n" for record in records)
