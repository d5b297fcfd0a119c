"""Settings of a UBGI engine under the names of dialects 0.1 and 0.2."""
from __future__ import annotations

import dataclasses

from nardy_core.engine import MAX_LEVEL
from nardy_core.levels import ROLLERS, Level
from nardy_core.serve.lines import Refused, shown
from nardy_core.serve.ubgi_game import VARIANTS

MAX_THREADS, MAX_SEED, MAX_TRIALS = 1024, (1 << 64) - 1, 10_000_000

OFF = "off"

Value = int | bool | str


@dataclasses.dataclass(frozen=True)
class Option:
    """name, key : in dialects 0.1 and 0.2; either may be missing
    store : what holds the value, where two options show one; `offset` is added to show it
    minor : does not change what is played
    """

    name: str
    key: str
    default: Value
    about: str
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    minor: bool = False
    store: str = ""
    offset: int = 0

    @property
    def place(self) -> str:
        return self.store or self.key

    def read(self, text: str) -> Value:
        """The value to store. Refused if it is none."""
        if self.choices:
            if text.lower() not in self.choices:
                raise Refused(f"{self.key}: {shown(text)} is not one of {', '.join(self.choices)}")
            return text.lower()
        if isinstance(self.default, bool):
            if text.lower() not in _BOOLEANS:
                raise Refused(f"{self.key}: {shown(text)} is not true or false")
            return _BOOLEANS[text.lower()]
        if not (text.isascii() and text.isdigit() and len(text) <= 20
                and self.low <= int(text) <= self.high):
            raise Refused(f"{self.key}: {shown(text)} is not in {self.low}..{self.high}")
        return int(text) - self.offset

    def show(self, value: Value) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value + self.offset) if isinstance(value, int) else value

    def line_01(self, value: Value) -> str:
        shown_ = self.show(value)
        if self.choices:
            words = " ".join(f"var {choice}" for choice in self.choices)
            return f"option name {self.name} type combo default {shown_} {words}"
        if isinstance(self.default, bool):
            return f"option name {self.name} type check default {shown_}"
        return (f"option name {self.name} type spin default {shown_} "
                f"min {self.low} max {self.high}")

    def line_02(self, value: Value) -> str:
        if self.choices:
            kind = "enum " + "|".join(self.choices)
        elif isinstance(self.default, bool):
            kind = "bool"
        else:
            kind = f"int {self.low}..{self.high}"
        minor = " !" if self.minor else ""
        return f"key {self.key} {kind} {self.show(value)}{minor} {self.about}"


_BOOLEANS = {"true": True, "on": True, "yes": True, "1": True,
             "false": False, "off": False, "no": False, "0": False}


class UbgiOptions:
    """All settings with their values; `values` by key."""

    def __init__(self, level: Level, threads: int) -> None:
        level_key = "engine.level"
        roller, plies = (OFF, level) if isinstance(level, int) else (level, ROLLERS[level].plies)
        self.table = (
            Option("", "engine.ply", plies + 1, "decision depth, the play itself counted", 1,
                   MAX_LEVEL + 1, store=level_key, offset=1),
            Option("Level", level_key, plies, "plies of look-ahead as gnubg counts them", 0,
                   MAX_LEVEL),
            Option("Roller", "engine.roller", roller, "truncated rollouts after the plies",
                   choices=(OFF, *ROLLERS)),
            Option("Trials", "engine.trials", 0, "games of a rollout for each go, 0 = none", 0,
                   MAX_TRIALS),
            Option("Seed", "engine.seed", 1, "of the dice of rollouts", 0, MAX_SEED),
            Option("Threads", "engine.threads", threads, "for rollouts", 1, MAX_THREADS,
                   minor=True),
            Option("Deterministic", "engine.deterministic", True, "cannot be otherwise",
                   minor=True),
            Option("MoveId", "engine.moveid", False, "bestmoveid ID before bestmove", minor=True),
            Option("EvalMode", "engine.evalmode", "cubeful", "how plays are compared",
                   choices=("cubeful", "cubeless")),
            Option("Variant", "game.variant", "backgammon", "start of a new game",
                   choices=tuple(VARIANTS)),
        )
        self.values: dict[str, Value] = {o.key: o.default for o in self.table if not o.store}

    def find(self, name: str) -> Option | None:
        """By key, or by name in any case."""
        for option in self.table:
            if name == option.key or (option.name and name.lower() == option.name.lower()):
                return option
        return None

    def set(self, option: Option, text: str) -> None:
        self.values[option.place] = option.read(text)

    def show(self, option: Option) -> str:
        return option.show(self.values[option.place])

    def lines(self, dialect: str) -> list[str]:
        """`option …` ("0.1") or `key …` ("0.2") of each."""
        if dialect == "0.1":
            return [o.line_01(self.values[o.place]) for o in self.table if o.name]
        return [o.line_02(self.values[o.place]) for o in self.table]

    def number(self, key: str) -> int:
        return int(self.values[key])
