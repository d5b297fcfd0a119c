"""Writing .ogxm files through the package gammonview, with what analysis the match has.

The package makes the document of what was played from a .mat text; the analysis is set beside its
plies. It counts the points as Black (player 1) does, and plies from one on.
"""
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from nardy_core.formats import mat_write
from nardy_core.match_record import Action, GameRecord, MatchRecord

_KINDS = {21: "double", 22: "take", 23: "drop", 27: "resign", 28: "resign", 32: "beaver",
          33: "raccoon"}
_RESIGN_GAME, _RESIGN_MATCH, _FORFEIT = 27, 28, 29
_ENDS = (24, 25, 26)  # what the package makes of a game that somebody has won
_NAMES = ("win", "gammon_win", "bg_win", "gammon_loss", "bg_loss")


def write(record: MatchRecord, codec: Any) -> bytes:
    """The bytes of the file; `codec` is the package. ValueError for what is not backgammon."""
    if record.start != "backgammon":
        raise ValueError(f"an .ogxm file is not written for {record.start}")
    document = codec.mat_to_ogxm(mat_write.write(record))
    best = ""
    for game, played in zip(document["games"], record.games, strict=True):
        _end(record, played, game)
        for ply, action in zip(game["plies"], _actions(played, game["plies"]), strict=False):
            data = _analysis(action, black=ply["color"] == 0) if action is not None else None
            if data:
                ply["analysis"] = data
                best = max(best, str(data.get("eval_level") or ""))
    if best:
        program = next((str(a.analysis["program"]) for g in record.games for a in g.actions
                        if a.analysis and a.analysis.get("program")), "?")
        document["analysis_info"] = {
            "ply": int(best[0]) if best[:1].isdigit() else 1, "eval_level": best,
            "model_id": program[:40], "timestamp": document.get("timestamp") or 0}
    data_: bytes = codec.write_gvab(document)
    return data_


def _end(record: MatchRecord, played: GameRecord, game: dict[str, Any]) -> None:
    """How a game ended by the loser's hand, which a .mat does not say."""
    ids = {"resignation": _RESIGN_GAME, "forfeit": _FORFEIT}
    plies = game["plies"]
    if played.how not in ids or played.winner is None or not plies or (
            plies[-1]["action_id"] not in _ENDS):
        return
    won = record.length and played.score[played.winner] + played.points >= record.length
    match = won and played.how == "resignation"
    plies[-1]["action_id"] = _RESIGN_MATCH if match else ids[played.how]
    plies[-1]["color"] = game["winner"]  # a colour is 0 for Black and 1 for White, a winner not


def _actions(game: GameRecord, plies: Sequence[Mapping[str, Any]]) -> list[Action | None]:
    """The action of each ply; None for a ply that is none of ours."""
    waiting = list(game.actions)
    out: list[Action | None] = []
    for ply in plies:
        action = waiting[0] if waiting else None
        kind = _KINDS.get(int(ply["action_id"]), "play")
        told = kind == (action.kind if action and action.kind != "roll" else "play")
        if action is not None and told:
            out.append(waiting.pop(0))
        else:
            out.append(None)
    return out


def _level(item: Mapping[str, Any]) -> str | None:
    """The document's word for a level."""
    if isinstance(item.get("plies"), int):
        return f"{min(item['plies'] + 1, 9)}ply"
    level = str(item.get("level") or "").lower().replace("-", "")
    if re.fullmatch(r"[1-9]ply|truncated[1-3]|rollout|database|book", level):
        return level
    return "rollout" if level else None


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _chances(item: Mapping[str, Any]) -> dict[str, float] | None:
    values = item.get("probabilities")
    if not isinstance(values, (list, tuple)) or len(values) != 5 or not all(map(_number, values)):
        return None
    return dict(zip(_NAMES, map(float, values), strict=True))


def _with(item: Mapping[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    chances, level = _chances(item), _level(item)
    if chances:
        cubeless = item.get("cubeless")
        data["eval"] = {**chances, "equity": cubeless if _number(cubeless) else item["equity"]
                        if _number(item.get("equity")) else 0.0}
    if level:
        data["eval_level"] = level
    return data


def _analysis(action: Action, *, black: bool) -> dict[str, Any] | None:
    found = action.analysis or {}
    if action.kind == "play":
        return _play(found, black)
    if action.kind == "resign":
        return _resignation(found.get("resign") or {})
    cube = _cube(found.get("cube") or {})
    if cube is None:
        return None
    done = {"drop": "pass"}.get(action.kind, action.kind)
    if action.kind == "double":
        right, lost = cube["double"], max(0.0, cube["stay"] - cube["answer"])
        done = "double"
    else:
        right = "take" if cube["take"] <= cube["drop"] else "pass"
        worth = {"take": cube["take"], "pass": cube["drop"]}.get(done, cube["answer"])
        lost = max(0.0, worth - cube["answer"])
    data = {**cube["lines"], "correct_action": right, "played_action": done,
            "equity_loss": round(lost, 6), "decision": True}
    return _with(found["cube"], data)


def _resignation(found: Mapping[str, Any]) -> dict[str, Any] | None:
    """Errors of who resigned and of who accepted it, with their signs. No decision of a rating."""
    lost = found.get("lost")
    if not isinstance(lost, (int, float)):
        return None
    return _with(found, {"resign_error": lost, "take_resign_error": -lost,
                         "equity_loss": abs(lost), "decision": False})


def _cube(cube: Mapping[str, Any]) -> dict[str, Any] | None:
    values = [cube.get(key) for key in ("no_double", "double_take", "double_pass")]
    if not all(map(_number, values)) or cube.get("unit") == "mwc":
        return None
    stay, take, drop = (float(v) for v in values if v is not None)
    answer = min(take, drop)
    lines = {"no_double_equity": stay, "double_take_equity": take, "double_pass_equity": drop}
    return {"stay": stay, "take": take, "drop": drop, "answer": answer, "lines": lines,
            "double": "double" if answer > stay else "no_double"}


def _play(found: Mapping[str, Any], black: bool) -> dict[str, Any] | None:
    candidates = [c for c in found.get("candidates") or () if _number(c.get("equity"))]
    data: dict[str, Any] = {}
    played = found.get("played")
    if candidates:
        best = float(candidates[0]["equity"])
        alternatives = []
        for n, item in enumerate(candidates):
            equity = float(item["equity"])
            alternatives.append(_with(item, {
                "equity": equity, "is_played": n == played, "diff": round(equity - best, 6),
                "move": [{"from": a if black else 25 - a, "pips": a - b}
                         for a, b, *_ in item.get("steps") or ()],
                "notation": str(item.get("play") or "")}))
        data["alternatives"] = alternatives
        data["decision"] = found.get("counts", True) is True
        if isinstance(played, int) and 0 <= played < len(candidates):
            worth = float(candidates[played]["equity"])
            data.update(best_equity=best, played_equity=worth,
                        equity_loss=round(max(best - worth, 0.0), 6))
        _with(candidates[0], data)
    elif _number(found.get("luck")):
        data = {"decision": False, "alternatives": []}
    if _number(found.get("luck")):
        data["luck"] = float(found["luck"])
    cube = _cube(found.get("cube") or {})
    if cube and data:
        from nardy_core.match_analysis.definitions import roll_counts

        lost = max(0.0, cube["answer"] - cube["stay"])
        lines = _with(found["cube"], {**cube["lines"], "equity_loss": round(lost, 6)})
        if lost > 0:
            data["missed_double"] = {**lines, "correct_action": "double"}
        else:
            data["cube_decision"] = {
                **lines, "should_double": False, "action": "no_double",
                "decision": roll_counts("xg", cube["stay"], cube["take"], cube["drop"])}
    return data or None
