"""Writing .ogxm files through the package gammonview, with what analysis the match has.

White of the document is player 0; it counts the points as Black (player 1) does.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nardy_core.formats.ogxm_analysis import analysis_of, moves_of
from nardy_core.match_record import Action, GameRecord, MatchRecord, apply, facing
from nardy_core.position import Position

VARIANTS = {"backgammon": 0, "nackgammon": 1, "hypergammon3": 2}
_ROLLS = {roll: n for n, roll in enumerate((a, b) for a in range(1, 7) for b in range(a, 7))}
_CUBE = {"double": 21, "take": 22, "drop": 23, "beaver": 32, "raccoon": 33}
_GAME_OVER, _FINAL, _RESIGN_GAME, _RESIGN_MATCH, _FORFEIT, _BOARD = 24, 26, 27, 28, 29, 31
_OWNERS = {"centre": 2, "own": 0, "opp": 1}  # with White on roll

Ply = dict[str, Any]


def write(record: MatchRecord, codec: Any) -> bytes:
    """The bytes of the file; `codec` is the package. ValueError for games it does not know."""
    if record.start not in VARIANTS:
        raise ValueError(f"an .ogxm file is not written for {record.start}")
    score = record.score
    winner = record.winner
    document: dict[str, Any] = {
        "match_length": record.length, "variant": VARIANTS[record.start],
        "player_white": record.players[0], "player_black": record.players[1],
        "white_score": score[0], "black_score": score[1],
        "result": 0 if winner is None else 1 + winner, "source": 1,
        "timestamp": _timestamp(record.date), "crawford": record.crawford and record.length > 0,
        "jacoby": record.jacoby, "beaver": record.beavers,
        "raccoon": any(a.kind == "raccoon" for game in record.games for a in game.actions),
        "cube_limit": record.max_cube or 0,
        "games": [_game(record, game, n) for n, game in enumerate(record.games)]}
    if record.games and record.games[0].score != (0, 0):
        document["score_start"] = list(record.games[0].score)
        behind = record.length - 1 in record.games[0].score
        document["crawford_before_start"] = behind and not record.games[0].crawford
    for key, tag in (("site", "Site"), ("event", "Event")):
        if record.tag(tag):
            document[key] = record.tag(tag)
    if record.tag("Round").isascii() and record.tag("Round").isdigit():
        document["round"] = int(record.tag("Round"))
    levels = [str(level) for game in document["games"] for ply in game["plies"]
              if (level := (ply.get("analysis") or {}).get("eval_level"))]
    if any(ply.get("analysis") for game in document["games"] for ply in game["plies"]):
        program = next((str(a.analysis["program"]) for g in record.games for a in g.actions
                        if a.analysis and a.analysis.get("program")), "?")
        best = max(levels, default="1ply")
        document["analysis_info"] = {
            "ply": int(best[0]) if best[:1].isdigit() else 1, "eval_level": best,
            "model_id": program[:40], "timestamp": document["timestamp"]}
    data: bytes = codec.write_gvab(document)
    return data


def _timestamp(date: str) -> int:
    """Seconds of a whole date, 0 for anything else."""
    from datetime import UTC, datetime

    try:
        return max(0, int(datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()))
    except ValueError:
        return 0


def _game(record: MatchRecord, game: GameRecord, index: int) -> dict[str, Any]:
    start = game.start if game.start.turn == 0 else game.start.swap()
    made: dict[str, Any] = {
        "game_index": index, "is_crawford": game.crawford,
        "winner": 255 if game.winner is None else game.winner, "points_won": game.points,
        "plies": [*_plies(record, game), *_end(record, game)]}
    if (start.cube, start.cube_owner) != (1, "centre"):
        made["initial_cube_value"] = start.cube
        made["initial_cube_owner"] = _OWNERS[start.cube_owner]
    return made


def _plies(record: MatchRecord, game: GameRecord) -> Iterator[Ply]:
    position = game.start
    plain = record.opening(game.score, crawford=game.crawford, player=position.turn)
    if (position.own, position.opp) != (plain.own, plain.opp):
        yield {"color": 1 - position.turn, "action_id": _BOARD, "set_position": _board(position)}
    last = len(game.actions) - 1
    for n, action in enumerate(game.actions):
        before = facing(position, action)
        ply = _ply(action, before, last=n >= last - 1 and game.how in ("resignation", "forfeit"))
        position = apply(position, action)
        if action.kind == "board":
            ply = {"color": 1 - action.player, "action_id": _BOARD,
                   "set_position": _board(position)}
            if action.dice:
                ply.update(d1=action.dice[0], d2=action.dice[1])
        # That a beaver or raccoon is accepted goes without saying.
        if ply is None or (action.kind == "take" and before.offer != "doubled"):
            continue
        if data := analysis_of(action, before):
            ply["analysis"] = data
        yield ply


def _ply(action: Action, position: Position, *, last: bool) -> Ply | None:
    """None for what has no ply of its own."""
    ply: Ply = {"color": 1 - action.player}
    if action.kind == "play" or (action.kind == "roll" and last):
        assert action.dice is not None
        high, low = action.dice
        return {**ply, "action_id": _ROLLS[low, high], "d1": high, "d2": low,
                "moves": moves_of(action.steps, action.player)}
    if action.kind in _CUBE:
        return {**ply, "action_id": _CUBE[action.kind]}
    return ply if action.kind == "board" else None


def _board(position: Position) -> list[int]:
    """White's checkers positive, Black's negative, by Black's numbers."""
    sides = (position.own, position.opp) if position.turn == 0 else (position.opp, position.own)
    board = [0] * 26
    for slot in range(1, 26):
        board[25 - slot] += sides[0][slot]
        board[slot] -= sides[1][slot]
    return board


def _end(record: MatchRecord, game: GameRecord) -> Iterator[Ply]:
    if game.winner is None:
        return
    won = bool(record.length) and game.score[game.winner] + game.points >= record.length
    if game.how == "resignation":
        ply: Ply = {"color": game.winner, "action_id": _RESIGN_MATCH if won else _RESIGN_GAME}
        last = game.actions[-1] if game.actions else None
        if last and last.kind == "resign" and (data := analysis_of(last, game.final)):
            ply["analysis"] = data
        yield ply  # by the loser: a colour is 1 for White, a winner is 1 for Black
    elif game.how == "forfeit":
        yield {"color": 1 - game.winner, "action_id": _FORFEIT}
    else:
        yield {"color": 1 - game.winner,
               "action_id": _FINAL if won or game.how == "drop" else _GAME_OVER}
