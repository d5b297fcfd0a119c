"""GNU Backgammon's analysis in SGF properties, as the plain data of `nardy_core.formats` and back.

A  the candidates of a roll: `[played][move E ver 3 win wg wbg lg lbg equity 2C 0 1 0.0 1]…`, or
   with `X` for a rollout. The numbers after the equity are plies with C for cubeful, reduced,
   deterministic, noise, pruned.
DA a cube decision: `E ver 3 2C 1 0.0 1` and seven numbers for no double and double/take each: win,
   wg, wbg, lg, lbg, cubeless equity, cubeful equity (in a match: winning chance).
LU luck; BM, DO, TE and others are marks.

What does not come out of the numbers again exactly as it was (rollouts, with their settings) is
also kept as it stands, under "text".
"""
from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from nardy_core.counts import across
from nardy_core.cube import stakes_of
from nardy_core.formats.analysis_lines import cubeless_equity, plies_of
from nardy_core.notation import Step, format_play, parse_play
from nardy_core.position import Position

MAX_CANDIDATES = 5000
MARKS = ("BM", "DO", "IT", "TE", "GB", "GW", "DM", "HO", "UC", "MR", "LU")



def point(letter: str, player: int) -> int:
    """The slot in the player's own numbers: a..x are points from player 0's ace point on, y is the
    bar, z is off."""
    number = ord(letter) - ord("a") + 1
    if number >= 25:
        return 25 if letter == "y" else 0
    return number if player == 0 else 25 - number


def letter(slot: int, player: int) -> str:
    if slot in (0, 25):
        return "z" if slot == 0 else "y"
    return chr(ord("a") + (slot if player == 0 else 25 - slot) - 1)


def read_steps(letters: str, player: int) -> list[Step]:
    """Steps from pairs of letters; hits are not told. ValueError for what is none."""
    if len(letters) % 2 or len(letters) > 32 or not re.fullmatch(r"[a-z]*", letters):
        raise ValueError(f"play: {ascii(letters)[:40]} is not pairs of points a..z")
    steps = []
    for first, second in zip(letters[::2], letters[1::2], strict=True):
        source, target = point(first, player), point(second, player)
        if not 25 >= source > target >= 0:
            raise ValueError(f"play: {source}/{target} does not go down")
        steps.append((source, target, False))
    return steps


def write_steps(steps: Sequence[Sequence[int]], player: int) -> str:
    return "".join(letter(s[0], player) + letter(s[1], player) for s in steps)


def with_hits(position: Position, steps: Sequence[Step]) -> list[Step]:
    """The steps with the blots they hit on the way marked."""
    blots = {across(position.game, n) for n in range(1, 25) if position.opp[n] == 1}
    told = []
    for source, target, _ in sorted(steps, reverse=True):
        told.append((source, target, target in blots))
        blots.discard(target)
    return told


# ---- reading ---------------------------------------------------------------------------------


def read_node(
    node: Mapping[str, list[str]], position: Position | None, player: int, program: str
) -> dict[str, Any] | None:
    """The analysis of a node, or None; `position` is that before the play."""
    found: dict[str, Any] = {}
    if "A" in node and position is not None:
        found.update(_read_candidates(node["A"], position, player))
    if node.get("DA"):
        found["cube"] = read_cube(node["DA"][0], bool(position and position.match_length))
    marks = {key: node[key][0] for key in MARKS if node.get(key)}
    if "LU" in marks:
        luck = _number(marks["LU"].split(" ")[0])
        if luck is not None:
            found["luck"] = luck
    if marks:
        found["marks"] = marks
    if found and program:
        found["program"] = program
    return found or None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _numbers(words: Sequence[str], count: int) -> list[float] | None:
    values = [_number(word) for word in words[:count]]
    if len(values) < count or any(v is None for v in values):
        return None
    return [v for v in values if v is not None]


def _read_candidates(values: list[str], position: Position, player: int) -> dict[str, Any]:
    played = _number(values[0]) if values else None
    candidates = []
    for text in values[1:MAX_CANDIDATES]:
        letters, _, rest = text.partition(" ")
        try:
            steps = with_hits(position, read_steps(letters, player))
        except ValueError:
            continue
        candidate: dict[str, Any] = {
            "play": format_play(steps), "steps": [[a, b] for a, b, _ in
                                                  read_steps(letters, player)]}
        candidate.update(_read_evaluation(rest))
        if _evaluation(candidate) != rest:
            candidate["text"] = rest
        candidates.append(candidate)
    found: dict[str, Any] = {"candidates": candidates}
    if played is not None and 0 <= played < len(candidates) and played == int(played):
        found["played"] = int(played)
    return found


def _level(words: Sequence[str]) -> dict[str, Any]:
    """Plies and the rest of `2C 0 1 0.000000 1`, or of the same without the second number."""
    if not words or not re.fullmatch(r"\d{1,2}C?", words[0], re.ASCII):
        return {}
    plies = int(words[0].rstrip("C"))
    level: dict[str, Any] = {
        "level": f"{plies}-ply", "plies": plies, "cubeful": words[0].endswith("C")}
    if len(words) == 5:
        level["reduced"] = int(words[1]) if words[1].isdecimal() and len(words[1]) < 6 else 0
        words = [words[0], *words[2:]]
    if len(words) == 4:
        level["deterministic"] = words[1] == "1"
        level["noise"] = _number(words[2]) or 0.0
        level["prune"] = words[3] == "1"
    return level


def _read_evaluation(text: str) -> dict[str, Any]:
    words = text.split()
    if words[:2] == ["E", "ver"] and len(words) >= 10:
        numbers = _numbers(words[3:], 6)
        if numbers:
            return {"equity": numbers[5], "probabilities": numbers[:5], **_level(words[9:])}
    if words[:2] == ["X", "ver"]:
        return _read_rollout(words)
    return {}


def _after(words: Sequence[str], label: str, count: int, begin: int = 0) -> list[float] | None:
    try:
        at = words.index(label, begin)
    except ValueError:
        return None
    return _numbers(words[at + 1:], count)


def _read_rollout(words: Sequence[str]) -> dict[str, Any]:
    """`X ver 3 Score cubeful cubeless Trials n Output 7 numbers StdDev 7 numbers …`"""
    score, output = _after(words, "Score", 2), _after(words, "Output", 7)
    if not score or not output:
        return {}
    trials, errors = _after(words, "Trials", 1), _after(words, "StdDev", 7)
    rollout: dict[str, Any] = {"trials": int(trials[0]) if trials else 0}
    if errors:
        rollout["standard_error"] = errors[6]
    return {"equity": score[0], "probabilities": output[:5], "level": "rollout",
            "rollout": rollout}


def read_cube(text: str, match: bool) -> dict[str, Any]:
    """A cube decision. The equities are winning chances in a match, `unit` says so."""
    words = text.split()
    unit = "mwc" if match else "equity"
    cube: dict[str, Any] = {}
    if words[:2] == ["E", "ver"]:
        tail = words[3:]
        numbers = _numbers(tail[-14:], 14) if len(tail) >= 18 else None
        if numbers:
            cube = {"probabilities": numbers[:5], "cubeless": numbers[5],
                    "no_double": numbers[6], "double_take": numbers[13], "unit": unit,
                    "double_take_probabilities": numbers[7:12],
                    "double_take_cubeless": numbers[12], **_level(tail[:-14])}
            if not match:
                cube["double_pass"] = 1.0
    elif words[:2] == ["X", "ver"]:
        first = _after(words, "Output", 7)
        second = _after(words, "Output", 7, words.index("DoubleTake")) \
            if "DoubleTake" in words else None
        trials = _after(words, "Trials", 1)
        if first and second:
            cube = {"probabilities": first[:5], "cubeless": first[5], "no_double": first[6],
                    "double_take": second[6], "unit": unit, "level": "rollout",
                    "rollout": {"trials": int(trials[0]) if trials else 0}}
            if not match:
                cube["double_pass"] = 1.0
    if write_cube(cube) != text:
        cube["text"] = text
    return cube


# ---- writing ---------------------------------------------------------------------------------


def write_node(
    analysis: Mapping[str, Any] | None, player: int, position: Position | None = None
) -> str:
    """Properties of an analysis, "" for none. Candidates of which GNU Backgammon could not say at
    which level they were evaluated are left out. `position` gives the score that turns equities of
    a cube decision in a match into the chances that stand in the file."""
    if not analysis:
        return ""
    out = ""
    cube = write_cube(analysis.get("cube") or {}, position)
    if cube:
        out += f"DA[{cube}]"
    lines: list[str] = []
    played = None
    for n, candidate in enumerate(analysis.get("candidates") or []):
        text = candidate.get("text") or _evaluation(candidate)
        letters = write_steps(_candidate_steps(candidate), player)
        if not text or (not letters and len(analysis["candidates"]) > 1):
            continue
        if n == analysis.get("played"):
            played = len(lines)
        lines.append(f"[{letters} {text}]")
    if lines:
        out += f"A[{len(lines) if played is None else played}]" + "".join(lines)
    marks = dict(analysis.get("marks") or {})
    luck = analysis.get("luck")
    if "LU" not in marks and isinstance(luck, (int, float)):
        marks["LU"] = f"{luck:.5f}"
    return out + "".join(f"{key}[{_safe(str(marks[key]))}]" for key in MARKS if key in marks)


def _safe(text: str) -> str:
    return re.sub(r"[\]\[\\]", "", text)


def _candidate_steps(candidate: Mapping[str, Any]) -> list[Sequence[int]]:
    steps = candidate.get("steps")
    return list(steps) if steps is not None else list(parse_play(str(candidate.get("play", ""))))


def _flags(item: Mapping[str, Any], reduced: bool) -> str:
    cubeful = "C" if item.get("cubeful", True) else ""
    middle = f" {item.get('reduced', 0)}" if reduced else ""
    return (f"{plies_of(item)}{cubeful}{middle} {int(item.get('deterministic', True))} "
            f"{item.get('noise', 0.0):.6f} {int(item.get('prune', True))}")


def _evaluation(candidate: Mapping[str, Any]) -> str:
    numbers = [*(candidate.get("probabilities") or []), candidate.get("equity")]
    if plies_of(candidate) is None or len(numbers) != 6 or None in numbers:
        return ""
    return ("E ver 3 " + " ".join(f"{n:.6f}" for n in numbers)
            + " " + _flags(candidate, reduced=True))


def write_cube(cube: Mapping[str, Any], position: Position | None = None) -> str:
    """The value of a DA property, "" if the data does not suffice."""
    if cube.get("text"):
        return _safe(str(cube["text"]))
    if plies_of(cube) is None or not cube.get("probabilities"):
        return ""
    cubeless = cube.get("cubeless")
    if cubeless is None and position is not None:
        cubeless = cubeless_equity(cube["probabilities"], position)
    first = [*cube["probabilities"], cubeless, cube.get("no_double")]
    second = [*cube.get("double_take_probabilities", first[:5]),
              cube.get("double_take_cubeless", first[5]), cube.get("double_take")]
    if len(first) != 7 or len(second) != 7 or None in first or None in second:
        return ""
    if cube.get("unit") == "equity" and position is not None and position.match_length:
        try:
            stakes = stakes_of(position)
        except ValueError:  # a score beyond every table
            return ""
        first[6], second[6] = (stakes.unequity(position.cube, v) for v in (first[6], second[6]))
    return (f"E ver 3 {_flags(cube, reduced=False)} "
            + " ".join(f"{n:.6f}" for n in (*first, *second)))
