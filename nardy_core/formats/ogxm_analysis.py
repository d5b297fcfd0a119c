"""The analysis of a ply in .ogxm files, from an action's analysis.

The document counts the points as Black (player 1) does, and plies from one on.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nardy_core.formats.analysis_lines import cube_equities, number, plies_of, roller_of
from nardy_core.match_record import Action
from nardy_core.notation import play_steps
from nardy_core.position import Position
from nardy_core.recorder import legal_play

_NAMES = ("win", "gammon_win", "bg_win", "gammon_loss", "bg_loss")


def _level(item: Mapping[str, Any]) -> str | None:
    """The document's word for a level."""
    plies, roller = plies_of(item), roller_of(item)
    if plies is not None:
        return f"{min(plies + 1, 9)}ply"
    if roller is not None:
        return f"truncated{roller}"
    level = str(item.get("level") or "").lower()
    if level in ("rollout", "database", "book"):
        return level
    return "rollout" if level else None


def _chances(item: Mapping[str, Any]) -> dict[str, float] | None:
    values = item.get("probabilities")
    if not isinstance(values, (list, tuple)) or len(values) != 5 or not all(map(number, values)):
        return None
    return dict(zip(_NAMES, map(float, values), strict=True))


def _with(item: Mapping[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    chances, level = _chances(item), _level(item)
    if chances:
        cubeless = item.get("cubeless")
        data["eval"] = {**chances, "equity": cubeless if number(cubeless) else item["equity"]
                        if number(item.get("equity")) else 0.0}
    if level:
        data["eval_level"] = level
    return data


def analysis_of(action: Action, position: Position) -> dict[str, Any] | None:
    """What the document has of it; `position` is the one before the action. None for nothing."""
    found = action.analysis or {}
    if action.kind in ("play", "roll"):
        return _play(found, position, action)
    if action.kind == "resign":
        return _resignation(found.get("resign") or {})
    cube = _cube(found.get("cube") or {}, position)
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


def _cube(cube: Mapping[str, Any], position: Position) -> dict[str, Any] | None:
    found = cube_equities(cube, position)
    if found is None:
        return None
    stay, take, drop = found
    answer = min(take, drop)
    lines = {"no_double_equity": stay, "double_take_equity": take, "double_pass_equity": drop}
    return {"stay": stay, "take": take, "drop": drop, "answer": answer, "lines": lines,
            "double": "double" if answer > stay else "no_double"}


def moves_of(steps: Iterable[Sequence[Any]], player: int) -> list[dict[str, int]]:
    """The steps of a play as the document has them."""
    return [{"from": a if player == 1 else 25 - a, "pips": a - b} for a, b, *_ in steps]


def _die_by_die(position: Position, action: Action, steps: Sequence[Any]) -> Sequence[Any]:
    """The steps of a candidate, of which no longer ones than dice have a place."""
    written = [(a, b, False) for a, b, *_ in steps]
    if action.dice is None or all(a - b <= 6 for a, b, _ in written):
        return written
    try:
        found = legal_play(position, play_steps(position, written), action.dice, written)
    except ValueError:
        return written
    return written if found is None else found.steps


def _play(found: Mapping[str, Any], position: Position, action: Action) -> dict[str, Any] | None:
    candidates = [c for c in found.get("candidates") or () if number(c.get("equity"))]
    data: dict[str, Any] = {}
    played = found.get("played")
    if candidates:
        best = float(candidates[0]["equity"])
        alternatives = []
        for n, item in enumerate(candidates):
            equity = float(item["equity"])
            alternatives.append(_with(item, {
                "equity": equity, "is_played": n == played, "diff": round(equity - best, 6),
                "move": moves_of(_die_by_die(position, action, item.get("steps") or ()),
                                 action.player),
                "notation": str(item.get("play") or "")}))
        data["alternatives"] = alternatives
        data["decision"] = found.get("counts", True) is True
        if isinstance(played, int) and 0 <= played < len(candidates):
            worth = float(candidates[played]["equity"])
            data.update(best_equity=best, played_equity=worth,
                        equity_loss=round(max(best - worth, 0.0), 6))
        _with(candidates[0], data)
    elif number(found.get("luck")):
        data = {"decision": False, "alternatives": []}
    if number(found.get("luck")):
        data["luck"] = float(found["luck"])
    cube = _cube(found.get("cube") or {}, position)
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
