"""Rule options of the two games: names, allowed values, defaults, and how they are spelled in text.

A position carries its options as an immutable `Options` mapping that holds only what differs from
the default, so two positions under the same rules compare equal however they were made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

OFF_ON = (False, True)
MOST = 32767  # the highest number that an option takes

_OF_THE_CUBE: dict[str, tuple[Any, ...]] = {
    "automatic_doubles": (0, int),
    "raccoons": OFF_ON,
    "stake_cap": (None, int),
}

# Allowed values, the default first. `int` stands for any whole number 1..MOST, `tuple` for four of
# them. Names differ from those of a position's own fields (cube, jacoby, resigned …).
# `second_player` is of the side to move: it did not start. It matters where a board does not tell
# (`head_scope=starter`, both heads full) and for `last_roll=equalize`, with which it turns.
TABLE: dict[str, dict[str, tuple[Any, ...]]] = {
    "backgammon": {
        "no_hit_and_off": OFF_ON,
        "no_larger_die": OFF_ON,
        **_OF_THE_CUBE,
    },
    "long_nardy": {
        "head_limit": (1, None),
        "head_exception": ("fixed_346", "blocked", "head_only", "any_double", "none"),
        "head_scope": ("each", "starter"),
        "wall_rule": ("ahead", "enemy_home", "never", "free", "mobility"),
        "wall_check": ("step", "turn"),
        "no_larger_die": OFF_ON,
        "bearoff_from": ("same_turn", "next_turn"),
        "bearoff_forced": OFF_ON,
        "second_player": OFF_ON,
        "scoring": ("pronardy", "federation", "masters", tuple),
        "resignation": ("position", "single_if_off_else_mars", int),
        "last_roll": ("none", "equalize"),
        "opening": ("reroll", "use_dice"),
        "next_starter": ("roll", "winner", "alternate"),
        "max_turns": (None, int),
        **_OF_THE_CUBE,
    },
}

# Rules that a position holds in fields of its own, in both games.
RULE_FIELDS: dict[str, tuple[Any, ...]] = {
    "jacoby": OFF_ON,
    "beavers": OFF_ON,
    "max_cube": (None, int),
}

# What else people call them: read everywhere, never written.
OTHER_NAMES = {
    "head_exception_scope": "head_scope",
    "larger_die": "no_larger_die",
    "resign": "resignation",
    "auto_double": "automatic_doubles",
    "cap": "stake_cap",
    "beaver": "beavers",
    "cube": "max_cube",
    "maxcube": "max_cube",
}
_OPPOSITES = ("larger_die",)  # names for the contrary of the option
_OTHER_WORDS = {"true": "on", "false": "off"}
_CUBE = {"on": None, "off": 1}  # as values of `cube`
_CALL = re.compile(r"(custom|fixed)\((.*)\)", re.ASCII)  # around four numbers, or one
_BETWEEN = re.compile(r",(?![^()]*\))")  # a comma that is not within brackets

# The options that decide which plays are legal, in the order the C core takes them.
PLAY_OPTIONS = (
    "no_hit_and_off",
    "head_limit",
    "head_exception",
    "head_scope",
    "wall_rule",
    "wall_check",
    "no_larger_die",
    "bearoff_from",
    "bearoff_forced",
    "second_player",
)


_KINDS = {int: f"a whole number from 1 to {MOST}",
          tuple: "four whole numbers, the first the least"}


class Options(Mapping[str, Any]):
    """Immutable, hashable mapping of the options that differ from the default.

    Looking up an option that keeps its default gives the default; iteration, `len` and `==` see
    only the others. `game` says whose options they are. Names and values may be spelled in any way
    that the text forms read (`larger_die="off"`, `resign="fixed(2)"`). Unknown ones raise
    ValueError.
    """

    __slots__ = ("_set", "game")
    _set: dict[str, Any]
    game: str

    def __init__(self, game: str, values: Mapping[str, Any] | None = None) -> None:
        table = TABLE[game]
        given: dict[str, Any] = {}
        for other, value in (values or {}).items():
            name = OTHER_NAMES.get(other, other)
            if name not in table:
                raise ValueError(f"rules: {game} has no option {ascii(other)[:40]}")
            if name in given:
                raise ValueError(f"rules: {name} twice")
            given[name] = _value(game, other, value)
        kept = {n: given[n] for n in table if n in given and given[n] != table[n][0]}
        object.__setattr__(self, "game", game)
        object.__setattr__(self, "_set", kept)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("Options are immutable")

    def __getitem__(self, name: str) -> Any:
        if name in self._set:
            return self._set[name]
        if name in OTHER_NAMES:
            value = self[OTHER_NAMES[name]]
            return not value if name in _OPPOSITES else value
        return TABLE[self.game][name][0]

    def __contains__(self, name: object) -> bool:
        return name in self._set

    def __iter__(self) -> Iterator[str]:
        return iter(self._set)

    def __len__(self) -> int:
        return len(self._set)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Options):
            return self.game == other.game and self._set == other._set
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self.game, *self._set.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Options, (self.game, dict(self._set))

    def __repr__(self) -> str:
        return f"Options({self.game!r}, {self._set!r})"

    @property
    def codes(self) -> tuple[int, ...]:
        """The play options as small integers in the order of `PLAY_OPTIONS` (0 = default)."""
        table = TABLE[self.game]
        return tuple(table[n].index(self[n]) if n in table else 0 for n in PLAY_OPTIONS)

    def tokens(self) -> list[str]:
        """`name=value` for each option that differs from the default, without spaces."""
        return [f"{name}={word_of(value)}" for name, value in self._set.items()]


def word_of(value: Any) -> str:
    """A value as the text forms have it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return "-".join(map(str, value))
    return "none" if value is None else str(value)


def _whole(value: Any) -> bool:
    return type(value) is int and 1 <= value <= MOST


def _allowed(domain: tuple[Any, ...], value: Any) -> bool:
    for choice in domain:
        if choice is int:
            if _whole(value):
                return True
        elif choice is tuple:
            four = isinstance(value, tuple) and len(value) == 4 and all(map(_whole, value))
            if four and min(value) == value[0]:
                return True
        elif type(choice) is type(value) and choice == value:
            return True
    return False


def rule_name(game: str, name: str) -> str | None:
    """The option, or the field of a position, that a name in a list of rules stands for; None if
    there is no such rule in the game."""
    name = OTHER_NAMES.get(name, name)
    return name if name in TABLE[game] or name in RULE_FIELDS else None


def read_rule(game: str, name: str, value: Any) -> tuple[str, Any]:
    """A rule by any of its names, with its value or the word for it: a keyword of `Position.start`
    and the value it takes. ValueError for what is none."""
    found = rule_name(game, name)
    if found is None:
        raise ValueError(f"rules: {game} has no option {ascii(name)[:40]}")
    return found, _value(game, name, value)


def read_rules(game: str, text: str) -> dict[str, Any]:
    """`name=value` between commas, as keywords of `Position.start`; ValueError in one line."""
    found: dict[str, Any] = {}
    for token in _BETWEEN.split(text) if text else ():
        other, _, word = token.partition("=")
        name, value = read_rule(game, other.strip(), word.strip())
        if name in found:
            raise ValueError(f"rules: {name} twice")
        found[name] = value
    return found


def _value(game: str, name: str, value: Any) -> Any:
    """The value of the option or field that goes by `name`, from a value or a word."""
    own = OTHER_NAMES.get(name, name)
    domain = TABLE[game][own] if own in TABLE[game] else RULE_FIELDS[own]
    if name == "cube":
        word = word_of(value).lower()
        word = _OTHER_WORDS.get(word, word)
        if word not in _CUBE:
            raise ValueError(f"rules: cube is {ascii(value)[:40]}, not on or off")
        return _CUBE[word]
    if isinstance(value, str) and value not in domain:
        value = _of_word(domain, value)
    if own == "max_cube" and type(value) is int and value > 0:
        return value  # how high a cube may go is the position's affair
    if not _allowed(domain, value):
        words = ", ".join(str(v) for v in domain if v not in _KINDS)
        kinds = [_KINDS[v] for v in domain if v in _KINDS]
        allowed = " or ".join([words, *kinds]) if kinds else f"one of {words}"
        raise ValueError(f"rules: {name} is {ascii(value)[:40]}, not {allowed}")
    return not value if name in _OPPOSITES else value


def _of_word(domain: tuple[Any, ...], text: str) -> Any:
    """The value of a domain that a word stands for, the word itself if it stands for none."""
    word = text.lower()
    word = _OTHER_WORDS.get(word, word)
    for choice in domain:
        if choice not in (int, tuple) and word == word_of(choice):
            return choice
    call = _CALL.fullmatch(word)
    parts = [part.strip() for part in re.split("[-,]", call[2] if call else word, maxsplit=4)]
    if call and len(parts) != {"custom": 4, "fixed": 1}[call[1]]:
        return text
    if not all(part.isascii() and part.isdigit() and len(part) <= 10 for part in parts):
        return text
    numbers = tuple(map(int, parts))
    return numbers[0] if len(numbers) == 1 else numbers
