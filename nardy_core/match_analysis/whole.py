"""Whether an analysis that was kept has all that `assess` gives for a decision."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nardy_core.match_record import Decision

_FAR = 1e9  # no equity, chance or luck is so large


def is_whole(decision: Decision, answer: Mapping[str, Any]) -> bool:
    """Can the answer have come from `assess` for this decision? What was kept on disk may not."""
    action = decision.action
    if action.dice and not _number(answer.get("luck")):
        return False
    if action.kind == "play":
        return not action.legal or _play(answer)
    if action.kind == "roll":
        return True
    if action.kind == "resign":
        return "resign" not in answer or _fields(
            answer["resign"], ("play_on", "lost"), (), levelled=True)
    return _fields(answer.get("cube"), ("no_double", "cubeless"),
                   ("double_take", "double_pass", "beaver"), levelled=True, chances=True)


def _play(answer: Mapping[str, Any]) -> bool:
    choices = answer.get("choices")
    if type(choices) is not int or choices < 1:
        return False
    if choices == 1:
        return True
    candidates, played = answer.get("candidates"), answer.get("played")
    return (isinstance(candidates, list) and all(map(_candidate, candidates))
            and type(played) is int and 0 <= played < len(candidates) <= choices
            and isinstance(answer.get("counts"), bool))


def _candidate(found: Any) -> bool:
    return (_fields(found, ("equity", "cubeless"), (), levelled=True, chances=True)
            and isinstance(found.get("play"), str) and isinstance(found.get("steps"), list)
            and all(isinstance(step, list) and len(step) == 2
                    and all(type(point) is int and 0 <= point <= 25 for point in step)
                    for step in found["steps"]))


def _fields(
    found: Any, numbers: tuple[str, ...], perhaps: tuple[str, ...], *, levelled: bool = False,
    chances: bool = False,
) -> bool:
    """Are these entries numbers, those of `perhaps` where they are, and its level and chances
    what they should be?"""
    if not isinstance(found, dict):
        return False
    if not all(_number(found.get(name)) for name in numbers):
        return False
    if not all(found.get(name) is None or _number(found[name]) for name in perhaps):
        return False
    if levelled and not (isinstance(found.get("level"), str) and _reached(found)):
        return False
    return not chances or _chances(found)


def _reached(found: Mapping[str, Any]) -> bool:
    """The plies, or the rollout, that a level stands for."""
    if "rollout" not in found:
        return type(found.get("plies")) is int
    rollout = found["rollout"]
    return (isinstance(rollout, dict) and type(rollout.get("trials")) is int
            and _number(rollout.get("standard_error")))


def _chances(found: Mapping[str, Any]) -> bool:
    listed, named = found.get("probabilities"), found.get("outcomes")
    if isinstance(listed, list):
        return bool(listed) and all(map(_number, listed))
    return isinstance(named, dict) and bool(named) and all(map(_number, named.values()))


def _number(value: Any) -> bool:
    return type(value) in (int, float) and -_FAR < value < _FAR
