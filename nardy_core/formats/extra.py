"""Formats that the package gammonview decodes: .xg and .xgp, .bgf, .ogxm.

It turns each of them into one kind of document, which is read here into a record, every play
checked as in any other file. White of the document is player 0.

What is unpacked is limited before it is handed over.
"""
from __future__ import annotations

import dataclasses
import struct
import zlib
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from nardy_core.counts import fill
from nardy_core.formats import ogxm_write
from nardy_core.formats.errors import MatchFileError
from nardy_core.formats.json_form import plain
from nardy_core.match_record import GameRecord, MatchRecord, PositionRecord
from nardy_core.notation import Step, format_play
from nardy_core.position import MAX_CUBE_LOG2, Position
from nardy_core.recorder import Recorder

MAX_UNPACKED = 256 << 20
MAX_GAMES = 10_000

_XG_HEADER = 8232
_XG_START = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]
_PACKED = (b"\x1f\x8b", b"\x78\x01", b"\x78\x9c", b"\x78\xda")
_STARTS = {0: "backgammon", 1: "nackgammon", 2: "hypergammon3"}
_DOUBLE, _TAKE, _DROP, _RESIGN_GAME, _RESIGN_MATCH, _FORFEIT = 21, 22, 23, 27, 28, 29
_BOARD, _BEAVER, _RACCOON, _CUBE_SET, _PASS = 31, 32, 33, 36, 37
_PROGRAMS = {"xg": "eXtreme Gammon", "gnubg": "GNU Backgammon", "bgblitz": "BGBlitz"}


def detect(data: bytes) -> str:
    """ "xg", "ogxm", "bgf" or "" by the first bytes."""
    if data[:4] == b"RGMH":
        return "xg"
    if data[:4] == b"OGXM":
        return "ogxm"
    head, _, body = data[:8192].partition(b"\n")
    if head[:1] == b"{" and body.startswith((b":)\n", *_PACKED)):  # Smile, packed or not
        return "bgf"
    return ""


def read(
    data: bytes, form: str, name: str = "match", *, strict: bool = False
) -> MatchRecord | list[PositionRecord]:
    """The match in the bytes, or the position of an .xgp file. ValueError if it cannot be read, or
    if gammonview is missing."""
    codec = _codec(name)
    scores: list[tuple[int, int]] = []
    try:
        if form == "xg":
            data = _unpacked_xg(data)
            records = import_module("gvformat.xg").read_xg(data)
            _check_cube(records)
            if positions := _xg_positions(records):
                return positions
            document = codec.convert_xg(data)
            scores = _xg_scores(records, document)
        elif form == "bgf":
            document = codec.convert_bgf(_unpacked_bgf(data))
        else:
            document = codec.read_gvab(data)  # with ids, which its analysis needs
    # The codec's own checks are its affair; whatever it stumbles over, the file is bad.
    except Exception as error:
        words = " ".join(str(error).split()) or type(error).__name__
        raise MatchFileError(f"{name}: not a sound .{form} file: {ascii(words)[1:-1]}") from None
    try:
        return _match(document, form, name, strict, scores)
    except MatchFileError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError) as error:
        raise MatchFileError(f"{name}: {error}") from None


def write_ogxm(record: MatchRecord) -> bytes:
    """The match with what analysis it has. White is whose name comes first in the alphabet."""
    return ogxm_write.write(record, _codec("output"))


def _codec(name: str) -> Any:
    try:
        return import_module("gvformat")
    except ImportError:
        raise MatchFileError(
            f'{name}: this format needs a further package: pip install "nardy_core[formats]"'
        ) from None


def _inflated(data: bytes, bits: int) -> bytes:
    stream = zlib.decompressobj(bits)
    out = stream.decompress(data, MAX_UNPACKED)
    if stream.unconsumed_tail:
        raise ValueError(f"unpacks to more than {MAX_UNPACKED >> 20} MiB")
    return out


def _unpacked_xg(data: bytes) -> bytes:
    """The file with its packed part unpacked, which the codec takes as well."""
    if len(data) < _XG_HEADER:
        raise ValueError("it is shorter than its header")
    begin = _XG_HEADER + struct.unpack_from("<I", data, 20)[0]
    try:
        return data[:begin] + _inflated(data[begin:], zlib.MAX_WBITS)
    except zlib.error as error:
        raise ValueError(str(error)) from None


def _unpacked_bgf(data: bytes) -> bytes:
    head, newline, body = data.partition(b"\n")
    if body.startswith(_PACKED):
        body = _inflated(body, zlib.MAX_WBITS | 32)
    return head + newline + body


# ---- what only the records of an .xg file say --------------------------------------------------


def _check_cube(records: list[tuple[str, Any]]) -> None:
    """The file has the exponent of the cube's limit, and the codec makes a number of any."""
    for kind, data in records:
        if kind == "header_match" and data["cube_limit_code"] > MAX_CUBE_LOG2:
            raise ValueError(f"the cube's limit is 2 to the power of {data['cube_limit_code']}")


def _xg_scores(
    records: list[tuple[str, Any]], document: Mapping[str, Any]
) -> list[tuple[int, int]]:
    """Scores of White and Black of the document before each game."""
    header = next(data for kind, data in records if kind == "header_match")
    first_is_white = document.get("player_white") == header["player1"]
    found = [(data["score1"], data["score2"]) for kind, data in records if kind == "header_game"]
    return [score if first_is_white else score[::-1] for score in found]


def _xg_positions(records: list[tuple[str, Any]]) -> list[PositionRecord]:
    """The positions of a file with one game that does not begin at the start; [] for any other.

    Boards in the records are those of XG's first player, 25 his bar and 0 the other's, negative.
    """
    kinds = [kind for kind, _ in records]
    moves = [data for kind, data in records if kind == "move"]
    if kinds.count("header_game") != 1 or not moves or moves[0]["pos_before"] == _XG_START:
        return []
    header = next(data for kind, data in records if kind == "header_match")
    game = next(data for kind, data in records if kind == "header_game")
    length = header["match_length"] if 0 < header["match_length"] < 99_999 else 0
    scores = (game["score2"], game["score1"])  # XG's first player is player 1
    found = []
    for move in moves[:10_000]:
        board, turn = move["pos_before"], int(move["actifp"] == 1)
        one = fill({n: board[n] for n in range(1, 26) if board[n] > 0}, 15)
        two = fill({25 - n: -board[n] for n in range(25) if board[n] < 0}, 15)
        cube = move["cube_a"]
        if not -30 <= cube <= 30:
            raise ValueError(f"cube code {cube}")
        owner = "centre" if cube == 0 else "own" if (cube > 0) == (turn == 1) else "opp"
        dice = tuple(move["dice"])
        position = Position(
            "backgammon", *((two, one) if turn == 0 else (one, two)), turn=turn,
            dice=None if dice == (0, 0) else (dice[0], dice[1]), cube=1 << abs(cube),
            cube_owner=owner, score_own=scores[turn], score_opp=scores[1 - turn],
            match_length=length, crawford=game["is_crawford"], jacoby=header["jacoby"],
            beavers=header["beaver"])
        found.append(PositionRecord(position=position,
                                    players=(_text(header["player2"]), _text(header["player1"]))))
    return found


# ---- the document ----------------------------------------------------------------------------


def _match(
    document: Mapping[str, Any], form: str, name: str, strict: bool,
    scores: list[tuple[int, int]],
) -> MatchRecord:
    """`scores` before each game, where the file has them and the document has not."""
    start = _STARTS.get(document.get("variant") or 0)
    if start is None:
        raise MatchFileError(f"{name}: variant {ascii(document.get('variant'))[:20]} is not known")
    limit = int(document.get("cube_limit") or 0)
    tags = [(tag, _text(document[key])) for key, tag in
            (("site", "Site"), ("event", "Event"), ("round", "Round")) if document.get(key)]
    record = MatchRecord(
        players=(_text(document.get("player_white")), _text(document.get("player_black"))),
        length=int(document["match_length"]), start=start,
        crawford=bool(document.get("crawford", True)) or not document["match_length"],
        jacoby=bool(document.get("jacoby")), beavers=bool(document.get("beaver")),
        max_cube=limit if 0 < limit <= 1 << MAX_CUBE_LOG2 and not limit & (limit - 1) else None,
        date=_date(document.get("timestamp")), tags=tuple(tags), source=form)
    info = document.get("analysis_info") or {}
    model = _text(info.get("model_id"))
    program = _PROGRAMS.get(model, model)
    score = tuple(document.get("score_start") or (0, 0))
    games: list[GameRecord] = []
    listed = document["games"]
    if len(listed) > MAX_GAMES:
        raise MatchFileError(f"{name}: more than {MAX_GAMES} games")
    for number, game in enumerate(listed, 1):
        if len(scores) == len(listed):
            score = scores[number - 1]
        try:
            games.append(_game(record, game, score, program, strict))
        except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
            raise MatchFileError(
                f"{name} game {number}: {error}",
                dataclasses.replace(record, games=tuple(games))) from None
        score = dataclasses.replace(record, games=(games[-1],)).score
    return dataclasses.replace(record, games=tuple(games))


def _text(value: Any) -> str:
    """Text without halves of characters, which a damaged file may have."""
    return str(value or "").encode("utf-8", "replace").decode("utf-8")


def _date(timestamp: Any) -> str:
    from datetime import UTC, datetime

    if not isinstance(timestamp, int) or not 0 < timestamp < 1 << 40:
        return ""
    try:
        return datetime.fromtimestamp(timestamp, UTC).strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return ""


def _game(
    record: MatchRecord, game: Mapping[str, Any], score: tuple[int, ...], program: str,
    strict: bool,
) -> GameRecord:
    start = record.opening((score[0], score[1]), crawford=bool(game.get("is_crawford")))
    if (value := game.get("initial_cube_value")) not in (None, 1):
        owner = {0: "own", 1: "opp"}.get(game.get("initial_cube_owner", 2), "centre")
        start = start.with_(cube=value, cube_owner=owner)
    recorder = Recorder(start, strict=strict)
    how = resigned = None
    for ply in game["plies"]:
        action, player = int(ply["action_id"]), 1 - int(ply["color"])
        more = {"analysis": _analysis(ply.get("analysis"), player, program)}
        if action <= 20 or action == _PASS:
            dice = (int(ply["d1"]), int(ply["d2"]))
            recorder.play(player, dice, _steps(ply.get("moves") or [], player), **more)
        elif action == _BOARD:
            recorder = _set(recorder, ply, player, more)
        elif action in (_DOUBLE, _BEAVER, _RACCOON):
            recorder.double(player, **more)
            if action == _BEAVER and recorder.actions[-1].kind != "beaver":
                raise ValueError("a beaver without a double")
        elif action == _TAKE:
            recorder.take(player, **more)
        elif action == _DROP:
            recorder.drop(player, **more)
        elif action == _CUBE_SET:
            raise ValueError("the cube is set by hand")
        elif action in (_RESIGN_GAME, _RESIGN_MATCH):
            resigned = more["analysis"]
        elif action == _FORFEIT:
            how = "forfeit"
    winner = game.get("winner")
    points = int(game.get("points_won") or 0)
    made = recorder.finish(winner if winner in (0, 1) else None, points or None, how)
    if resigned and made.how == "resignation":
        last = dataclasses.replace(made.actions[-1], analysis=resigned)
        made = dataclasses.replace(made, actions=(*made.actions[:-1], last))
    return made


def _slot(point: int, player: int) -> int:
    """The document counts as Black (player 1) does; 0 is White's bar, 25 is Black's."""
    slot = point if player == 1 else 25 - point
    if not 1 <= slot <= 25:
        raise ValueError(f"a move from point {point}")
    return slot


def _steps(moves: list[Mapping[str, Any]], player: int) -> list[Step]:
    steps: list[Step] = []
    for move in moves[:16]:
        source = _slot(int(move["from"]), player)
        pips = int(move["pips"])
        if not 1 <= pips <= 25:
            raise ValueError(f"a move of {pips} pips")
        steps.append((source, max(source - pips, 0), False))
    return steps


def _set(
    recorder: Recorder, ply: Mapping[str, Any], player: int, more: dict[str, Any]
) -> Recorder:
    board = [int(n) for n in ply["set_position"]]
    if len(board) != 26:
        raise ValueError(f"a board of {len(board)} numbers")
    checkers = recorder.position.checkers
    white = {25 - n: board[n] for n in range(25) if board[n] > 0}
    black = {n: -board[n] for n in range(1, 26) if board[n] < 0}
    sides = (fill(white, checkers), fill(black, checkers))
    own, opp = sides[player], sides[1 - player]
    if recorder.actions or ply.get("d1"):
        dice = (int(ply["d1"]), int(ply["d2"])) if ply.get("d1") else None
        recorder.board(player, own, opp, (max(dice), min(dice)) if dice else None, **more)
        return recorder
    position = recorder.position if recorder.position.turn == player else recorder.position.swap()
    fresh = Recorder(position.with_(own=own, opp=opp), strict=recorder.strict)
    fresh.warnings = recorder.warnings
    return fresh


# ---- analysis --------------------------------------------------------------------------------


def _analysis(data: Any, player: int, program: str) -> dict[str, Any] | None:
    if not isinstance(data, dict) or not data:
        return None
    found: dict[str, Any] = {}
    candidates: list[dict[str, Any]] = []
    for item in data.get("alternatives") or []:
        steps = _steps(item.get("move") or [], player)
        candidate: dict[str, Any] = {
            "play": format_play(steps), "steps": [[a, b] for a, b, _ in steps],
            "equity": item.get("equity"), "level": item.get("eval_level")}
        if probabilities := _probabilities(item.get("eval")):
            candidate["probabilities"] = probabilities
        if item.get("is_played"):
            found["played"] = len(candidates)
        candidates.append(candidate)
    if candidates:
        found["candidates"] = candidates
        if isinstance(data.get("decision"), bool):
            found["counts"] = data["decision"]
    for cube in (data.get("cube_decision"), data.get("missed_double"), data):
        if isinstance(cube, dict) and cube.get("no_double_equity") is not None:
            found["cube"] = {
                "no_double": cube["no_double_equity"],
                "double_take": cube.get("double_take_equity"),
                "double_pass": cube.get("double_pass_equity"), "unit": "equity",
                "level": cube.get("eval_level")}
            if probabilities := _probabilities(cube.get("eval")):
                found["cube"]["probabilities"] = probabilities
            break
    if data.get("resign_error") is not None:
        found["resign"] = {"lost": data["resign_error"], "level": data.get("eval_level")}
    if isinstance(data.get("luck"), (int, float)):
        found["luck"] = data["luck"]
    if found and program:
        found["program"] = program
    return plain(found) or None  # a bad file may hold infinite numbers


def _probabilities(data: Any) -> list[float] | None:
    if not isinstance(data, dict) or "win" not in data:
        return None
    return [data.get(key, 0.0) for key in
            ("win", "gammon_win", "bg_win", "gammon_loss", "bg_loss")]
