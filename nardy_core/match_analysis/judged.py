"""Decisions held against an analysis: what was done, what would have been best, what that cost.

An analysis is plain data as `nardy_core.formats` has it, whoever made it: this engine, GNU
Backgammon, eXtreme Gammon. What follows from it is worked out here, once.
"""
from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nardy_core._border import _value
from nardy_core.cube import stakes_of
from nardy_core.game_facts import FACTS
from nardy_core.match import MAX_NEEDS, MatchEquity
from nardy_core.match_analysis import resignations
from nardy_core.match_analysis.definitions import roll_counts
from nardy_core.match_record import Action, Decision, GameRecord, MatchRecord
from nardy_core.notation import format_play, play_steps
from nardy_core.position import Position
from nardy_core.recorder import legal_play

CUBE_KINDS = ("no_double", "double", "take", "drop", "beaver")
KINDS = ("play", "roll", *CUBE_KINDS, "resign")

EQUAL = 0.0002  # plays whose worth spreads no further leave nothing to decide
LISTED = 5  # so many candidates, the best first, speak for those that a file leaves out

Plain = Mapping[str, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class Judged:
    """One decision, or a throw that was not played, with what an analysis says about it.

    game, number : index of the game, and of the action in `GameRecord.actions`; a decision not to
        double has the number of the play after it
    kind : "play", "no_double", "double", "take", "drop", "beaver", "resign" and "accept" for the
        two sides of a resignation, or "roll" for luck alone
    player : who decided, 0 or 1
    position : as the player saw it, with dice or offer
    done, best : the play as text ("" = pass), the cube action: "roll", "double", "take", "pass",
        or "resign", "accept" and "play_on"
    equity, best_equity : of `done` and of the best, for the player who decided, in units of the
        cube before any offer (equivalent to money in a match); None where nothing is known
    lost : best_equity less equity; None where nothing is known, 0 for a forced play
    cost : the same as a chance to win the match, or as points of money
    worth : chance of the player to win the match, or points the game is worth to him, after what
        was done
    level, done_level : of the best and of what was done, in the analyst's own words
    choices : number of legal plays; 0 for a cube decision
    equal : the plays are all worth the same, to within EQUAL
    cube : (no double, double/take, double/pass) for the side on roll, in units of `equity`
    luck, luck_cost : of the throw, as equity and as chance or points; None where not known
    reason : why there is no judgement: "illegal", "not analysed", or ""
    analysis : the plain data behind it
    """

    game: int
    number: int
    kind: str
    player: int
    position: Position
    action: Action
    done: str
    best: str = ""
    equity: float | None = None
    best_equity: float | None = None
    lost: float | None = None
    cost: float | None = None
    worth: float | None = None
    level: str = ""
    done_level: str = ""
    choices: int = 0
    equal: bool = False
    cube: tuple[float, float, float] | None = None
    luck: float | None = None
    luck_cost: float | None = None
    reason: str = ""
    analysis: Plain = dataclasses.field(default_factory=dict, hash=False)

    @property
    def is_cube(self) -> bool:
        """It is a decision about the cube."""
        return self.kind in CUBE_KINDS

    @property
    def is_resignation(self) -> bool:
        """One of the two sides of a resignation, which no rating counts."""
        return self.kind in resignations.KINDS

    @property
    def forced(self) -> bool:
        """A play without a choice."""
        return self.kind == "play" and self.choices <= 1

    def counts_as_play(self, rule: str) -> bool:
        """Whether it is among the plays of a rule of `definitions.PLAYS`."""
        if self.kind != "play":
            return False
        if rule == "all":
            return True
        return self.choices > 1 and not (rule == "unequal" and self.equal)

    def counts_as_cube(self, rule: str) -> bool:
        """Whether it is among the cubes of a rule of `definitions.CUBES`."""
        if not self.is_cube or self.cube is None:
            return False
        if self.kind != "no_double" or rule == "all":
            return True
        return roll_counts(rule, *self.cube)

    @property
    def trivial(self) -> bool:
        """A decision that XG's rating does not count."""
        if self.kind == "play":
            return not self.counts_as_play("unequal")
        return not self.counts_as_cube("xg")  # which no resignation does

    @property
    def fault(self) -> str:
        """The kind of a wrong cube action or resignation, "" where there is none: "missed double"
        (opp would take), "missed cash" (opp would pass), "wrong double", "too good" (doubled
        instead of playing on), "wrong take", "wrong pass", "wrong beaver", "missed beaver",
        "resigned too much", "accepted too little"."""
        if self.is_resignation and self.lost:
            return resignations.FAULTS[resignations.KINDS.index(self.kind)]
        if not self.is_cube or self.cube is None or not self.lost or self.lost <= 0:
            return ""
        stay, take, drop = self.cube
        if self.kind == "no_double":
            return "missed cash" if take > drop else "missed double"
        if self.kind == "double":
            return "too good" if stay > drop else "wrong double"
        if self.best == "beaver":
            return "missed beaver"
        return {"take": "wrong take", "drop": "wrong pass"}.get(self.kind, "wrong beaver")

    def to_dict(self) -> dict[str, Any]:
        """Plain data: numbers rounded to six decimals."""
        out: dict[str, Any] = {
            "game": self.game + 1, "number": self.number + 1, "kind": self.kind,
            "player": self.player, "position": text_id(self.position),
            "dice": list(self.action.dice) if self.action.dice else None,
            "done": self.done, "best": self.best, "equity": _round(self.equity),
            "best_equity": _round(self.best_equity), "lost": _round(self.lost),
            "cost": _round(self.cost), "worth": _round(self.worth),
            "level": self.level, "done_level": self.done_level,
            "choices": self.choices, "forced": self.forced, "trivial": self.trivial,
            "fault": self.fault, "luck": _round(self.luck), "luck_cost": _round(self.luck_cost),
            "legal": self.action.legal, "warning": self.action.warning, "reason": self.reason}
        if self.cube is not None:
            names = ("no_double", "double_take", "double_pass")
            out["cube"] = dict(zip(names, map(_round, self.cube), strict=True))
        return out


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def text_id(position: Position) -> str:
    """The short id of a position, or its long text where the short form cannot hold it."""
    try:
        return position.id()
    except ValueError:
        return position.id("text")


# ---- judging ---------------------------------------------------------------------------------


def decisions_of(record: MatchRecord) -> Iterator[tuple[int, int, Decision]]:
    """(game, number of the action, decision) of everything that is judged, in order: plays, throws,
    cube actions, and decisions not to double where the cube is in play."""
    for game, played in enumerate(record.games):
        cube = cube_in_play(record, played)
        number = -1
        for decision in played.decisions(rolls=True):
            kind = decision.action.kind
            if kind == "no_double":
                if cube:
                    yield game, number + 1, decision
                continue
            number += 1
            if kind in KINDS:
                yield game, number, decision


def cube_in_play(record: MatchRecord, game: GameRecord) -> bool:
    """Long nardy is played with a cube under the federation's rules, or where one was turned."""
    if record.max_cube == 1:
        return False
    return (FACTS[record.game].cube_usual or record.rules.get("scoring") == "federation"
            or any(action.kind == "double" for action in game.actions))


def judge(
    record: MatchRecord, analyses: Mapping[tuple[int, int, str], Plain] | None = None, *,
    met: MatchEquity | str | None = None,
) -> tuple[Judged, ...]:
    """Every decision of the match, held against `analyses` by (game, number, kind), or against the
    analysis that came with the record. A resignation gives two, one for each player."""
    out: list[Judged] = []
    answer: Plain = {}
    for game, number, decision in decisions_of(record):
        action = decision.action
        if analyses is None:
            found = action.analysis or {}
        else:
            found = analyses.get((game, number, action.kind)) or {}
        if action.kind == "double":
            answer = found
        elif action.kind in ("take", "drop", "beaver") and not found.get("cube"):
            found = {**found, **answer}
        if action.kind == "resign":
            out += resigned(game, number, decision, found, met)
        else:
            out.append(judged(game, number, decision, found, met))
    return tuple(out)


def judged(
    game: int, number: int, decision: Decision, analysis: Plain,
    met: MatchEquity | str | None = None,
) -> Judged:
    """One decision held against an analysis of it. None of a resignation, see `resigned`."""
    position, action = decision.position, decision.action
    stakes = stakes_at(position, met)
    base: dict[str, Any] = {
        "game": game, "number": number, "kind": action.kind, "player": action.player,
        "position": position, "action": action, "analysis": analysis}
    if action.kind in ("play", "roll"):
        luck = _number(analysis.get("luck"))
        base.update(luck=luck, luck_cost=_cost(stakes, position, luck))
    if action.kind == "roll":
        return Judged(done="", **base)
    if action.kind == "play":
        base.update(_play(position, action, analysis))
    else:
        base.update(_cube(position, action, analysis.get("cube") or {}, stakes))
    return _weighed(base, stakes)


def resigned(
    game: int, number: int, decision: Decision, analysis: Plain,
    met: MatchEquity | str | None = None,
) -> tuple[Judged, Judged]:
    """A resignation held against an analysis of it: of the player who gave up, and of the one who
    accepted that."""
    position, action = decision.position, decision.action
    stakes = stakes_at(position, met)
    base: dict[str, Any] = {
        "game": game, "number": number, "position": position, "action": action,
        "analysis": analysis}
    gave, took = resignations.resignation(
        position, action, analysis.get("resign") or {}, stakes)
    players = action.player, 1 - action.player
    first, second = (
        _weighed({**base, "kind": kind, "player": player, **fields}, stakes)
        for kind, player, fields in zip(resignations.KINDS, players, (gave, took), strict=True))
    return first, second


def _weighed(fields: dict[str, Any], stakes: _value.Stakes | None) -> Judged:
    """With what the loss costs, and what what was done is worth."""
    position, equity = fields["position"], fields.get("equity")
    fields["cost"] = _cost(stakes, position, fields.get("lost"))
    if equity is not None and stakes is not None:
        fields["worth"] = _worth(stakes, position, fields["player"], equity)
    return Judged(**fields)


def stakes_at(position: Position, met: MatchEquity | str | None) -> _value.Stakes | None:
    """What the game is worth to the side on roll; None beyond every match equity table."""
    length = position.match_length
    if length and length - min(position.score_own, position.score_opp) > MAX_NEEDS:
        return None
    return stakes_of(position, met)


def _cost(
    stakes: _value.Stakes | None, position: Position, equity: float | None
) -> float | None:
    """Equity as a part of the chance to win the match, or as points."""
    if equity is None or stakes is None:
        return None
    cube = position.cube
    return stakes.unequity(cube, equity) - stakes.unequity(cube, 0.0)


def _worth(
    stakes: _value.Stakes, position: Position, player: int, equity: float
) -> float:
    """The player's chance to win the match, or points; `stakes` are those of the side on roll."""
    if player == position.turn:
        return stakes.unequity(position.cube, equity)
    other = stakes.unequity(position.cube, -equity)
    return 1 - other if position.match_length else -other


def _number(value: Any) -> float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    return None


def _play(position: Position, action: Action, analysis: Plain) -> dict[str, Any]:
    dice = action.dice or (0, 0)
    out: dict[str, Any] = {"done": action.notation}
    if not action.legal:
        return {**out, "choices": len(position.legal_plays(dice)), "reason": "illegal"}
    choices = analysis.get("choices")
    if not isinstance(choices, int):
        choices = len(position.legal_plays(dice))
    out["choices"] = choices
    if choices <= 1:
        return {**out, "best": action.notation, "lost": 0.0, "level": "forced",
                "done_level": "forced"}
    candidates = [c for c in analysis.get("candidates") or ()
                  if _number(c.get("equity")) is not None]
    at = played_of(position, action, candidates, analysis.get("played"))
    if not candidates or at is None:
        return {**out, "reason": "not analysed"}
    best, done = candidates[0], candidates[at]
    values = [float(c["equity"]) for c in candidates]
    out.update(
        best=_words(position, best, dice), equity=values[at], best_equity=values[0],
        lost=values[0] - values[at], level=str(best.get("level") or ""),
        done_level=str(done.get("level") or ""),
        equal=_equal(analysis, values, choices))
    return out


def _equal(analysis: Plain, values: Sequence[float], choices: int) -> bool:
    """Whether there was nothing to decide: as the analyst says, or by the worth of the plays, of
    which a file may leave out the worst."""
    if isinstance(analysis.get("counts"), bool):
        return not analysis["counts"]
    return len(values) >= min(choices, LISTED) and max(values) - min(values) <= EQUAL


def _words(position: Position, candidate: Plain, dice: tuple[int, int]) -> str:
    steps = [(a, b, False) for a, b, *_ in candidate.get("steps") or ()]
    if not steps:
        return str(candidate.get("play") or "")
    try:
        found = legal_play(position, play_steps(position, steps), dice, steps)
    except ValueError:
        found = None
    return found.notation if found else format_play(steps)


def played_of(
    position: Position, action: Action, candidates: Sequence[Plain], told: Any
) -> int | None:
    """Which candidate is the play that was made: the one told, or the one that leads there."""
    if isinstance(told, int) and 0 <= told < len(candidates):
        return told
    after = play_steps(position, action.steps)
    for at, candidate in enumerate(candidates):
        steps = [(a, b, False) for a, b, *_ in candidate.get("steps") or ()]
        try:
            if not steps and action.steps:
                continue
            result = play_steps(position, steps)
            if result == after:
                return at
            found = legal_play(position, result, action.dice or (0, 0), steps)
        except ValueError:
            continue
        if found is not None and found.result == after:
            return at
    return None


def _cube(
    position: Position, action: Action, cube: Plain, stakes: _value.Stakes | None
) -> dict[str, Any]:
    done = {"no_double": "roll", "drop": "pass"}.get(action.kind, action.kind)
    out: dict[str, Any] = {"done": done}
    values = [_number(cube.get(key)) for key in ("no_double", "double_take", "double_pass")]
    if values[2] is None:
        values[2] = 1.0
    elif cube.get("unit") == "mwc" and stakes is not None:
        values[2] = stakes.equity(position.cube, values[2])
    if values[0] is None or values[1] is None:
        return {**out, "reason": "not analysed"}
    if cube.get("unit") == "mwc":
        if stakes is None:
            return {**out, "reason": "not analysed"}
        values[:2] = [stakes.equity(position.cube, v) for v in values[:2] if v is not None]
    stay, take, drop = (float(v) for v in values if v is not None)
    answers = {"take": take, "pass": drop}
    beaver = _number(cube.get("beaver"))
    if beaver is not None:
        answers["beaver"] = beaver
    answer = min(answers.values())  # what it leaves the side that doubled
    if action.kind in ("no_double", "double"):
        options = {"roll": stay, "double": answer}
    else:
        options = {name: -value for name, value in answers.items()}
    if done not in options:
        return {**out, "reason": "not analysed"}
    best = max(options.values())
    lost = best - options[done]
    word = done if lost == 0 else max(options, key=lambda name: options[name])
    level = str(cube.get("level") or "")
    return {**out, "best": word, "equity": options[done], "best_equity": best, "lost": lost,
            "level": level, "done_level": level, "cube": (stay, take, drop)}
