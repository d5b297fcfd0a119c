"""What requests and answers look like; the OpenAPI document is made from here.

Requests are read strictly: no unknown field, no number as text. Answers are the documents of the
command line's `--format json`, and may gain fields; parts of either are named `…Fields`.
"""
from __future__ import annotations

import base64
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, WithJsonSchema

from nardy_core.engine import MAX_LEVEL
from nardy_core.ids import FORMS
from nardy_core.levels import LEVELS
from nardy_core.match import NAMES
from nardy_core.match_analysis.levels import LEVELS as MATCH_NAMES
from nardy_core.options import RULE_FIELDS, read_rule
from nardy_core.position import BY_GAME, MAX_SCORE, Position
from nardy_core.rollout import MAX_SUBJECTS

OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
BEFORE = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
MATCH = "XGID=-a--BBBBB---dD-b-ac-d---A-:0:0:1:00:2:4:0:7:10"
LONG = "start:long_nardy"

MATCH_LEVELS = (*MATCH_NAMES, "file")
SHORT_MATCH = """\
3 point match

 Game 1
 Ann : 0                       Ben : 0
  1) 31: 8/5 6/5                64: 24/14
  2)  Doubles => 2               Drops
      Wins 1 point
"""
MAX_ROLLS_LEVEL = min(3, MAX_LEVEL)
MAX_TRIALS = 1_000_000  # of a rollout asked for over a network
MAX_TEXT = 32_768

Form = Literal["gnu", "gnu-position", "gnu-match", "xgid", "ogid", "fibs", "fibs-gnubg", "ndid",
               "ln", "text"]
Lang = Literal["en", "ru", "uk"]
Die = Annotated[int, Field(ge=1, le=6)]
Dice = Annotated[list[Die], Field(min_length=2, max_length=2, description="both dice of a roll")]
Level = Annotated[
    int | str,
    WithJsonSchema({"enum": list(LEVELS), "description":
                    "plies of look-ahead as gnubg counts them: 0 = the static nets; or truncated "
                    "rollouts by name"})]
Plies = Annotated[int, Field(ge=0, le=MAX_LEVEL)]
Met = Literal["kazaross-xg2", "rockwell-kazaross", "woolsey", "g11"]
Counts = Annotated[
    list[Annotated[int, Field(ge=0, le=15)]],
    Field(min_length=26, max_length=26, description=
          "checkers by slot in the side's own numbers: 0 = borne off, 1..24 points, 25 = bar")]
Point = Annotated[int, Field(ge=0, le=25)]
Step = Annotated[
    list[Point], Field(min_length=2, max_length=2, description="from, to in the mover's numbers")]
Chances = Annotated[
    dict[str, float],
    Field(description="exclusive outcome classes of the side on roll; they add up to 1")]


class Request(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class Answer(BaseModel):
    model_config = ConfigDict(extra="allow")


class Problem(BaseModel):
    """Every error, whatever the status."""

    code: str = Field(description="stable, for programs", examples=["bad_input"])
    message: str = Field(description="one line, for people",
                         examples=["board: 16 checkers for own on points 13, 8, 6, more than 15"])
    where: str | None = Field(default=None, description="part of the request, if one is to blame",
                              examples=["position"])


# ---- positions --------------------------------------------------------------------------------


class PositionFields(Request):
    """A position field by field; those left out have the value of a new money game."""

    game: Literal["backgammon", "long_nardy"] = "backgammon"
    own: Counts
    opp: Counts
    turn: Annotated[int, Field(ge=0, le=1)] = Field(
        default=1, description="the absolute player on roll: 1 = X, White, the bottom player")
    dice: Dice | None = None
    cube: Annotated[int, Field(ge=1)] = Field(default=1, description="a power of two")
    cube_owner: Literal["centre", "own", "opp"] = "centre"
    offer: Literal["none", "doubled", "beavered", "raccooned"] = "none"
    resigned: Annotated[int, Field(ge=0, le=MAX_SCORE)] = 0
    score_own: Annotated[int, Field(ge=0, le=MAX_SCORE)] = 0
    score_opp: Annotated[int, Field(ge=0, le=MAX_SCORE)] = 0
    match_length: Annotated[int, Field(ge=0, le=MAX_SCORE)] = Field(
        default=0, description="0 = money game")
    crawford: bool = False
    jacoby: bool | None = Field(
        default=None, description="null = as the game is played: in short nardy for money")
    beavers: bool | None = Field(
        default=None, description="null = as the game is played: in short nardy for money")
    max_cube: Annotated[int, Field(ge=0)] | None = Field(
        default=BY_GAME,
        description="1 = no cube in play, null = no limit; 0 = as the game is played: short nardy "
                    "without a limit, long nardy without a cube unless it has been turned")
    checkers: Annotated[int, Field(ge=1, le=15)] = 15
    rules: dict[str, bool | int | str | list[int] | None] = Field(
        default={}, description="options that differ from the default, by any of their names")

    def position(self) -> Position:
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        fields["rules"] = {}
        for other, value in self.rules.items():
            name, value = read_rule(self.game, other,
                                    tuple(value) if isinstance(value, list) else value)
            where = fields if name in RULE_FIELDS else fields["rules"]
            if name in fields["rules"] or name in self.model_fields_set:
                raise ValueError(f"rules: {name} twice")
            where[name] = value
        return Position(**fields)


def fields_of(position: Position) -> dict[str, Any]:
    """A position as `PositionFields` has it."""
    fields = {name: getattr(position, name) for name in PositionFields.model_fields}
    return {name: list(value) if isinstance(value, tuple) else value
            for name, value in fields.items() if name != "rules"} | {
        "rules": {name: list(value) if isinstance(value, tuple) else value
                  for name, value in position.rules.items()}}


Given = Annotated[
    Annotated[
        str,
        Field(min_length=1, max_length=1024, examples=[OPENING, "4HPwATDgc/ABMA", LONG],
              description="an id (XGID, GNU, OGID, FIBS board, NDID, text), or start, start:NAME"),
        Tag("as_id")]
    | Annotated[PositionFields, Tag("as_fields")],
    Discriminator(lambda value: "as_id" if isinstance(value, str) else "as_fields"),
    Field(description="a position: an id, or field by field")]


class OfPosition(Request):
    position: Given


class OfRoll(OfPosition):
    dice: Dice | None = Field(default=None, description="default: the position's own")


# ---- quick calls ------------------------------------------------------------------------------


def _examples(*found: dict[str, Any]) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": list(found)})


class EvaluateRequest(OfPosition):
    model_config = _examples(
        {"position": BEFORE, "level": 1}, {"position": MATCH},
        {"position": {"own": [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5] + [0] * 10 + [2, 0],
                      "opp": [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5] + [0] * 10 + [2, 0]}})
    level: Level | None = None


class MovesRequest(OfRoll):
    model_config = _examples({"position": OPENING, "top": 3}, {"position": "start", "dice": [6, 5]})
    level: Level | None = None
    top: Annotated[int, Field(ge=1, le=10_000)] | None = Field(
        default=None, description="list no more than so many, all of them at `level`")


class CubeRequest(OfPosition):
    model_config = _examples({"position": MATCH}, {"position": BEFORE, "owners": True})
    level: Level | None = None
    met: Met | None = None
    efficiency: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None, description="of the cube; default: by class of position")
    exact: bool = Field(default=True, description="small bear-offs from exact solvers")
    owners: bool = Field(default=False, description="also for each owner the cube could have")


class LegalRequest(OfRoll):
    model_config = _examples({"position": OPENING}, {"position": "start", "dice": [1, 1],
                                                     "sequences": True})
    sequences: bool = Field(default=False, description="also every legal order of steps")


class WhyRequest(OfRoll):
    model_config = _examples({"position": OPENING, "step": [24, 18]})
    played: Annotated[list[Step], Field(max_length=4)] = Field(
        default=[], description="steps of the turn that were made before")
    step: Step


class RollsRequest(OfPosition):
    model_config = _examples({"position": BEFORE})
    level: Annotated[int, Field(ge=0, le=MAX_ROLLS_LEVEL)] | None = None


class ConvertRequest(Request):
    model_config = _examples({"position": "4HPwATDgc/ABMA:cIkFAAAAAAAE"},
                             {"position": LONG}, {"position": BEFORE, "form": "ogid"})
    position: Annotated[
        Annotated[str, Field(min_length=1, max_length=MAX_TEXT), Tag("as_id")]
        | Annotated[PositionFields, Tag("as_fields")],
        Discriminator(lambda value: "as_id" if isinstance(value, str) else "as_fields"),
        Field(description="a position: an id, text that holds one, or field by field")]
    form: Form | None = Field(default=None, description="only this form; an error if it cannot be")
    strict: bool = Field(default=False, description="forgive nothing")
    lang: Lang = "en"


class DiagramRequest(OfPosition):
    model_config = _examples({"position": OPENING, "play": "8/5 6/5"}, {"position": LONG,
                                                                       "format": "text"})
    format: Literal["svg", "text"] = "svg"
    play: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description="a play of the position's dice, drawn as arrows")
    size: Annotated[int, Field(ge=1, le=10_000)] = Field(default=720, description="width of SVG")
    theme: Literal["light", "dark", "print"] = "light"
    mirrored: bool = Field(default=False, description="home boards on the left")
    perspective: Annotated[int, Field(ge=0, le=1)] | None = Field(
        default=None, description="the player who sits below; default: the side on roll")
    captions: bool = Field(default=True, description="names, scores and pips beside the board")
    places: bool = Field(
        default=False, description="unpainted rectangles with `data-place`, for pointers")
    lang: Lang = "en"


class EngineFields(Answer):
    name: str
    version: str
    game: str


class PlayEngineFields(EngineFields):
    nets: dict[str, str]
    tables: list[str]


class EquityFields(Answer):
    cubeless: float
    cubeful: float | None


class EvaluateAnswer(Answer):
    document: Literal["nardy.eval/1"] = Field(alias="schema")
    position: str
    side: Literal["own", "opp"]
    level: int | str
    probabilities: Chances
    nested: dict[str, float] | None = Field(
        default=None, description="backgammon: the customary five, a gammon counts as a win, too")
    equity: EquityFields
    mwc: float | None = Field(default=None, description="chance to win the match")
    engine: PlayEngineFields


class CandidateFields(Answer):
    play: str = Field(description='"" for a pass')
    steps: list[list[int | bool]] = Field(description="from, to, hit of each die played")
    result: str = Field(description="the position after the play, the other side on roll")
    equity: float
    difference: float = Field(description="to the best, at this one's level")
    level: int | str
    probabilities: Chances


class MovesAnswer(Answer):
    document: Literal["nardy.moves/1"] = Field(alias="schema")
    position: str
    dice: Dice
    level: int | str
    plays: int = Field(description="distinct plays, listed or not")
    candidates: list[CandidateFields]
    engine: PlayEngineFields


class CubeAnswer(Answer):
    document: Literal["nardy.cube/1"] = Field(alias="schema")
    position: str
    no_double: float
    double_take: float | None
    double_pass: float | None
    verdict: str
    action: str
    decision: Literal["roll", "double", "take", "drop", "beaver"] = Field(
        description="what the side that is to decide now does")
    take_point: float | None
    windows: dict[str, dict[str, float | None]]
    probabilities: Chances
    level: int | str | None


class LegalPlay(Answer):
    play: str
    steps: list[list[int | bool]]
    result: str


class LegalAnswer(Answer):
    document: Literal["nardy.legal/1"] = Field(alias="schema")
    position: str
    engine: EngineFields
    dice: Dice
    plays: list[LegalPlay]
    sequences: list[list[list[int | bool]]] | None = None


class WhyAnswer(Answer):
    document: Literal["nardy.why/1"] = Field(alias="schema")
    position: str
    dice: Dice
    legal: bool
    reason: str | None = Field(description="which rule, a stable word for programs")
    message: str | None = Field(description="the same for people")


class RollFields(Answer):
    dice: Dice
    weight: int = Field(description="how many of 36")
    play: str
    steps: list[list[int | bool]]
    result: str
    equity: float
    difference: float = Field(description="to the mean of all rolls")
    level: int | str
    probabilities: Chances


class RollsAnswer(Answer):
    document: Literal["nardy.rolls/1"] = Field(alias="schema")
    position: str
    level: int | str
    equity: float = Field(description="mean over the rolls")
    rolls: list[RollFields]
    engine: PlayEngineFields


class ConvertAnswer(Answer):
    document: Literal["nardy.position/1"] = Field(alias="schema")
    position: str
    ids: dict[str, str] = Field(description="the position in every form that can hold it")
    fields: dict[str, Any] = Field(description="as requests may give it")
    variant: str
    pips: list[int] = Field(description="of the side on roll, of the other")
    finished: bool
    decider: str
    description: str


class InfoAnswer(Answer):
    document: Literal["nardy.info/1"] = Field(alias="schema")
    version: str
    levels: list[int | str]
    level: int | str
    games: dict[str, PlayEngineFields | None] = Field(
        description="null: no nets are installed for it")
    starts: list[str]
    forms: list[str]
    themes: list[str]
    languages: list[str]
    rules: dict[str, Any]
    limits: dict[str, Any]


class HealthAnswer(Answer):
    status: Literal["ok", "closing"]
    version: str


# ---- jobs -------------------------------------------------------------------------------------


class RolloutJob(OfRoll):
    """A rollout of a position, or with dice of the candidates of the roll."""

    model_config = _examples(
        {"kind": "rollout", "position": OPENING, "top": 2, "trials": 360},
        {"kind": "rollout", "position": BEFORE, "trials": 1296, "se": 0.02, "max_time": 60})
    kind: Literal["rollout"]
    before_roll: bool = Field(default=False, description="the position although it has dice")
    plays: Annotated[
        list[Annotated[str, Field(max_length=100)]],
        Field(min_length=1, max_length=MAX_SUBJECTS)] | None = Field(
            default=None, description="the candidates")
    top: Annotated[int, Field(ge=1, le=MAX_SUBJECTS)] | None = Field(
        default=None, description="so many best plays (default 5)")
    trials: Annotated[int, Field(ge=1, le=MAX_TRIALS)] = 1296
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 1
    se: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="stop when every standard error is at most this")
    jsd: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="stop when the best leads by so many standard errors")
    max_time: Annotated[float, Field(gt=0)] | None = Field(default=None, description="seconds")
    truncate: Annotated[int, Field(ge=0, le=1000)] = 0
    variance_reduction: bool = True
    opening: bool | None = Field(default=None, description="the first roll is no double; default: "
                                 "as the rules have it")
    level: Plies = Field(default=0, description="plies of look-ahead inside the trials")
    cubeful: bool = Field(default=False, description="the cube is in play; before the roll the "
                          "cube decision is rolled out")
    met: Met | None = None
    efficiency: Annotated[float, Field(ge=0, le=1)] | None = None
    cube_level: Plies | None = Field(default=None, description="default: as `level`")
    late: Annotated[int, Field(ge=1, le=1000)] | None = Field(
        default=None, description="ply of a trial from which the late levels hold")
    late_level: Plies = 0
    late_cube_level: Plies | None = None


class MatchFile(Request):
    """A match file of any form that is read, as text or as base64 of its bytes."""

    text: Annotated[str, Field(min_length=1)] | None = None
    data: Annotated[str, Field(min_length=1)] | None = Field(default=None, description="base64")
    strict: bool = Field(default=False, description="refuse plays against the rules")

    def content(self) -> bytes:
        """The bytes of the file. ValueError where there are none, or two kinds of them."""
        if (self.text is None) == (self.data is None):
            raise ValueError("text, data: give one of them")
        if self.data is None:
            return (self.text or "").encode("utf-8", "replace")
        try:
            return base64.b64decode(self.data, validate=True)
        except ValueError:
            raise ValueError("data: not base64") from None


class ConvertMatchRequest(MatchFile):
    model_config = _examples({"text": SHORT_MATCH, "to": "sgf"})
    to: Literal["mat", "sgf", "json", "csv", "ids", "ogxm"]


class ConvertMatchAnswer(Answer):
    document: Literal["nardy.file/1"] = Field(alias="schema")
    form: str
    text: str | None
    data: str | None = Field(description="base64, of a form that is no text")
    warnings: list[str] = Field(description="what is odd in the file that was read")


class MatchJob(MatchFile):
    """Judge every decision of a match."""

    model_config = _examples({"kind": "match", "text": SHORT_MATCH, "level": "fast"})
    kind: Literal["match"]
    name: Annotated[str, Field(max_length=200)] | None = None
    level: Annotated[int | str, WithJsonSchema({
        "enum": [*MATCH_LEVELS, *range(MAX_LEVEL + 1)],
        "description": "how closely; file = by its own analysis"
    })] = "standard"
    met: Met | None = None


AnyJob = Annotated[RolloutJob | MatchJob, Field(discriminator="kind")]
JOBS: dict[str, type[Request]] = {"rollout": RolloutJob, "match": MatchJob}  # by kind


class JobSummary(Answer):
    id: str
    kind: str
    state: Literal["queued", "running", "done", "cancelled", "failed"]
    fraction: float = Field(description="share that is done, 0..1")
    created: float = Field(description="seconds since 1970")
    ended: float | None


class JobAnswer(JobSummary):
    document: Literal["nardy.job/1"] = Field(alias="schema")
    request: dict[str, Any]
    result: dict[str, Any] | None = Field(
        description="what is known so far; after a cancellation what was finished")
    error: str | None


class JobListAnswer(Answer):
    document: Literal["nardy.jobs/1"] = Field(alias="schema")
    jobs: list[JobSummary]


CALLS: dict[str, type[Request]] = {  # quick calls by name
    "evaluate": EvaluateRequest, "moves": MovesRequest, "cube": CubeRequest, "legal": LegalRequest,
    "why": WhyRequest, "rolls": RollsRequest, "convert": ConvertRequest,
    "diagram": DiagramRequest, "convert_match": ConvertMatchRequest}

assert get_args(Form) == FORMS and get_args(Met) == NAMES
