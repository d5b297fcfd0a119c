"""Rule options of the two games: names, allowed values, defaults.

A position carries its options as an immutable `Options` mapping that holds only what differs from
the default, so two positions under the same rules compare equal however they were made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

OFF_ON = (False, True)

# Allowed values, the default first. `int` stands for any whole number 1..32767, `tuple` for four of
# them. Names differ from those of a position's own fields (cube, jacoby, resigned …).
# `second_player` is of the side to move: it did not start. It matters where a board does not tell
# (`head_scope=starter`, both heads full) and for `last_roll=equalize`, with which it turns.
TABLE: dict[str, dict[str, tuple[Any, ...]]] = {
    "backgammon": {
        "no_hit_and_off": OFF_ON,
        "no_larger_die": OFF_ON,
        "automatic_doubles": (0, int),
        "raccoons": OFF_ON,
        "stake_cap": (None, int),
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
    },
}

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


_KINDS = {int: "a whole number", tuple: "four whole numbers, the first the least"}


class Options(Mapping[str, Any]):
    """Immutable, hashable mapping of the options that differ from the default.

    Looking up an option that keeps its default gives the default; iteration, `len` and `==` see
    only the others. `game` says whose options they are. Unknown names and values raise ValueError.
    """

    __slots__ = ("_set", "game")
    _set: dict[str, Any]
    game: str

    def __init__(self, game: str, values: Mapping[str, Any] | None = None) -> None:
        table = TABLE[game]
        for name, value in (values or {}).items():
            if name not in table:
                raise ValueError(f"rules: {game} has no option {ascii(name)[:40]}")
            if not _allowed(table[name], value):
                allowed = ", ".join(_KINDS.get(v, str(v)) for v in table[name])
                raise ValueError(f"rules: {name} is {ascii(value)[:40]}, not one of {allowed}")
        kept = {n: values[n] for n in table if values and n in values and values[n] != table[n][0]}
        object.__setattr__(self, "game", game)
        object.__setattr__(self, "_set", kept)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("Options are immutable")

    def __getitem__(self, name: str) -> Any:
        if name in self._set:
            return self._set[name]
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
        return [f"{name}={_word(value)}" for name, value in self._set.items()]


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return "-".join(map(str, value))
    return "none" if value is None else str(value)


def _whole(value: Any) -> bool:
    return type(value) is int and 1 <= value <= 32767


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


def read_token(game: str, name: str, word: str) -> Any:
    """The value that `word` stands for as option `name`; ValueError if it stands for none."""
    numbers = [
        int(w) if w.isascii() and w.isdigit() and len(w) <= 5 else 0 for w in word.split("-", 4)
    ]
    value = numbers[0] if len(numbers) == 1 else tuple(numbers)
    for choice in TABLE[game][name]:
        if choice in (int, tuple):
            if _allowed((choice,), value):
                return value
        elif word == _word(choice):
            return choice
    raise ValueError(f"option {name}: {ascii(word)[:40]} is not a value of it")
