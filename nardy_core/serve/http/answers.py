"""Answers to quick calls: from a request to a document, without any web."""
from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from nardy_core import formats, ids
from nardy_core._version import __version__
from nardy_core.analysis import DIGITS, rounded
from nardy_core.engine import Engine
from nardy_core.errors import UnsupportedError
from nardy_core.evaluator import Stop
from nardy_core.levels import LEVELS
from nardy_core.notation import match_play
from nardy_core.options import TABLE
from nardy_core.play import REFUSALS, ROLLS, Play, dice_of, legal_sequences, refusal, ways
from nardy_core.position import GAMES, START_NAMES, Position
from nardy_core.render import board_svg, board_text, describe
from nardy_core.render.themes import THEMES
from nardy_core.rules import PRESETS
from nardy_core.serve.decide import action_of
from nardy_core.serve.http import schemas
from nardy_core.serve.http.schemas import PositionFields, fields_of
from nardy_core.serve.http.settings import Settings
from nardy_core.terms import LANGUAGES

Document = dict[str, Any]


def position_of(given: str | PositionFields) -> Position:
    return Position.parse(given) if isinstance(given, str) else given.position()


def steps_of(play: Play) -> list[list[int | bool]]:
    return [list(step) for step in play.steps]


class Answers:
    """The engine's answers to the requests of `schemas`. Raises ValueError for what makes no
    sense, Cancelled once `stop` is raised. Methods may be called from several threads."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self.engine, self.settings = engine, settings

    def _level(self, level: int | str | None) -> Any:
        return self.settings.level if level is None else level

    def evaluate(self, asked: schemas.EvaluateRequest, stop: Stop | None = None) -> Document:
        found = self.engine.evaluate(position_of(asked.position), self._level(asked.level),
                                     stop=stop)
        return {"schema": "nardy.eval/1", **found.to_dict()}

    def moves(self, asked: schemas.MovesRequest, stop: Stop | None = None) -> Document:
        position = position_of(asked.position)
        found = self.engine.analyse(position, dice_of(position, asked.dice),
                                    level=self._level(asked.level), top=asked.top, stop=stop)
        document = {"schema": "nardy.moves/1", **found.to_dict()}
        for candidate, plain in zip(found.candidates, document["candidates"], strict=True):
            plain["steps"] = steps_of(candidate.play)
        return document

    def cube(self, asked: schemas.CubeRequest, stop: Stop | None = None) -> Document:
        position, level = position_of(asked.position), self._level(asked.level)
        options: dict[str, Any] = {
            "met": asked.met, "efficiency": asked.efficiency, "exact": asked.exact,
            "stop": stop}
        found = self.engine.cube(position, level, **options)
        document: Document = {"schema": "nardy.cube/1", "position": position.id(),
                              **rounded(found.to_dict()), "decision": action_of(found)}
        if asked.owners:
            others = self.engine.cube_owners(position, level, **options)
            document["owners"] = {
                owner: rounded(other.to_dict()) for owner, other in others.items()}
        return document

    def legal(self, asked: schemas.LegalRequest, stop: Stop | None = None) -> Document:
        position = position_of(asked.position)
        dice = dice_of(position, asked.dice)
        plays = position.legal_plays(dice)
        document: Document = {
            "schema": "nardy.legal/1", "position": position.id(),
            "engine": {"name": "nardy_core", "version": __version__, "game": position.game},
            "dice": list(plays[0].dice),
            "plays": [{"play": play.notation, "steps": steps_of(play), "result": play.result.id()}
                      for play in plays]}
        if asked.sequences:
            document["sequences"] = [
                [list(step) for step in steps] for steps in legal_sequences(position, dice)]
        return document

    def why(self, asked: schemas.WhyRequest, stop: Stop | None = None) -> Document:
        position = position_of(asked.position)
        dice = dice_of(position, asked.dice)
        reason = refusal(position, dice, asked.step, asked.played)
        return {"schema": "nardy.why/1", "position": position.id(), "dice": list(dice),
                "legal": reason is None, "reason": reason,
                "message": None if reason is None else REFUSALS[reason]}

    def rolls(self, asked: schemas.RollsRequest, stop: Stop | None = None) -> Document:
        """The best play of each roll."""
        position, level = position_of(asked.position), self._level(asked.level)
        if isinstance(level, str) or level > schemas.MAX_ROLLS_LEVEL:
            raise ValueError(f"level: {level} takes too long for all rolls at once, at most "
                             f"{schemas.MAX_ROLLS_LEVEL}")
        rows = []
        for found in self.engine.analyse_many(
                [position] * len(ROLLS), ROLLS, level=level, top=1, stop=stop):
            dice, best = found.dice, found.best
            rows.append({"dice": list(dice), "weight": ways(dice),
                         **best.to_dict(), "steps": steps_of(best.play)})
        mean = sum(row["weight"] * row["equity"] for row in rows) / 36
        for row in rows:
            row["difference"] = round(row["equity"] - mean, DIGITS)
        return {"schema": "nardy.rolls/1", "position": position.id(), "level": level,
                "equity": round(mean, DIGITS), "rolls": rows,
                "engine": self.engine.model(position).info.to_dict()}

    def convert(self, asked: schemas.ConvertRequest, stop: Stop | None = None) -> Document:
        if isinstance(asked.position, str):
            position = Position.parse(asked.position, strict=asked.strict)
        else:
            position = asked.position.position()
        if asked.form:
            written: dict[str, str] = {asked.form: position.id(asked.form)}
        else:
            written = {}
            for form in ids.FORMS:
                try:
                    written[form] = position.id(form)
                except ValueError:
                    continue  # a form that cannot hold it
        return {"schema": "nardy.position/1", "position": position.id(), "ids": written,
                "fields": fields_of(position), "variant": position.variant,
                "pips": list(position.pips), "finished": position.finished,
                "decider": position.decider, "description": describe(position, lang=asked.lang)}

    def convert_match(
        self, asked: schemas.ConvertMatchRequest, stop: Stop | None = None
    ) -> Document:
        """A match file in another form."""
        record = formats.read(asked.content(), strict=asked.strict, name="file")
        made = formats.dumps(record, asked.to)
        is_text = asked.to != "ogxm"
        return {"schema": "nardy.file/1", "form": asked.to,
                "text": made.decode("utf-8") if is_text else None,
                "data": None if is_text else base64.b64encode(made).decode("ascii"),
                "warnings": formats.warnings(record)}

    def diagram(self, asked: schemas.DiagramRequest, stop: Stop | None = None) -> str:
        """An SVG or text board."""
        position = position_of(asked.position)
        if asked.format == "text":
            return board_text(position, perspective=asked.perspective, lang=asked.lang) + "\n"
        play = None
        if asked.play is not None:
            play = match_play(position, dice_of(position, None), asked.play)
        return board_svg(
            position, size=asked.size, theme=asked.theme, mirrored=asked.mirrored,
            perspective=asked.perspective, arrows=play, captions=asked.captions,
            places=asked.places, lang=asked.lang)

    def info(self) -> Document:
        return {
            "schema": "nardy.info/1", "version": __version__, "levels": list(LEVELS),
            "level": self.settings.level, "games": {game: self._nets(game) for game in GAMES},
            "starts": list(START_NAMES), "forms": list(ids.FORMS),
            "themes": list(THEMES), "languages": list(LANGUAGES),
            "rules": {"options": {game: {name: [_plain(value) for value in values]
                                         for name, values in table.items()}
                                  for game, table in TABLE.items()},
                      "presets": {game: {name: _plain(values) for name, values in found.items()}
                                  for game, found in PRESETS.items()}},
            "limits": {"time": self.settings.time_limit, "job_time": self.settings.job_time,
                       "body": self.settings.body, "file_body": self.settings.file_body,
                       "trials": schemas.MAX_TRIALS}}

    def _nets(self, game: str) -> Document | None:
        try:
            return self.engine.info(game).to_dict()
        except UnsupportedError:
            return None


def _plain(value: object) -> object:
    """An option's value, or the kind of value it takes, for JSON."""
    if value is int:
        return "int"
    if value is tuple:
        return "four ints"
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    return value
