"""What a set of rules is called and what it pays: presets, points, resignations.

The options themselves, with their values, are in `options`; which plays are legal is the engine's
affair. Here is the rest, nothing of which moves a checker.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nardy_core._border import _rules
from nardy_core.checks import one_of
from nardy_core.options import RULE_FIELDS, Options, read_rules, word_of

if TYPE_CHECKING:
    from nardy_core.position import Position

# Names of rule sets: what differs from the defaults, as keywords of `Position.start`. The first of
# each game is its default. max_cube is 1 where no cube is in play, None where it has no limit.
PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "backgammon": {
        "standard": {"max_cube": None},
    },
    "long_nardy": {
        "pronardy": {"max_cube": 1},
        "federation": {"opening": "use_dice", "scoring": "federation", "max_cube": None},
        "masters": {"head_exception": "blocked", "scoring": "masters", "max_cube": 1},
        "hrapgame": {
            "wall_rule": "enemy_home",
            "next_starter": "winner",
            "resignation": 2,
            "max_cube": 1,
        },
        "wikipedia": {
            "head_exception": "head_only",
            "scoring": "federation",
            "next_starter": "alternate",
            "max_cube": 1,
        },
    },
}

# Points of oin, mars, koks and home mars.
SCORING = {
    "pronardy": (1, 2, 3, 4),
    "federation": (1, 2, 2, 2),
    "masters": (1, 2, 2, 3),
}


def preset(game: str, name: str = "") -> dict[str, Any]:
    """Keywords of `Position.start` for a rule set by name; "" is the game's default.

    name : may be followed by rules that differ from the set's, `masters,last_roll=equalize`;
        without a set they differ from the default's. Rules by any of their names, see `options`

    ValueError for an unknown game, name, rule or value.
    """
    if game not in PRESETS:
        raise ValueError(f"rules: unknown game {ascii(game)[:40]}")
    known = PRESETS[game]
    default = next(iter(known))
    set_, comma, others = name.partition(",")
    if "=" in set_:
        set_, comma, others = default, ",", name
    set_ = set_.strip() or default
    one_of("rules", set_, known)
    if comma and not others.strip():
        raise ValueError(f"rules: no rule follows the comma after {set_}")
    return {**known[set_], **read_rules(game, others)}


def canonical(game: str, name: str = "") -> str:
    """One text for all that `preset` reads as the same rules: "" for the game's default, the name
    of a set, or the default's differences."""
    words = preset(game, name)
    for known in PRESETS[game]:
        if _same(game, words, preset(game, known)):
            return "" if known == next(iter(PRESETS[game])) else known
    usual = preset(game)
    fields = [f"{key}={word_of(value)}" for key, value in sorted(words.items())
              if key in RULE_FIELDS and usual.get(key, ...) != value]
    return ",".join(fields + _options(game, words).tokens())


def _options(game: str, words: dict[str, Any]) -> Options:
    return Options(game, {key: value for key, value in words.items() if key not in RULE_FIELDS})


def _same(game: str, words: dict[str, Any], others: dict[str, Any]) -> bool:
    return _options(game, words) == _options(game, others) and all(
        words.get(key, ...) == others.get(key, ...) for key in RULE_FIELDS)


def under(position: Position, name: str) -> Position:
    """The position under rules as `preset` reads them: all rules are those of the set, and so is
    the cube. Which player moved second stays, and Jacoby and beavers do where nothing is said.

    ValueError for a name that the position's game does not have, and where the set has no cube but
    the position's was turned.
    """
    words = preset(position.game, name)
    if position.rules.get("second_player"):
        words.setdefault("second_player", True)
    fields = {key: words.pop(key) for key in RULE_FIELDS if key in words}
    return position.with_(rules=Options(position.game, words), **fields)


def points(rules: Options) -> tuple[int, ...]:
    """Points of each outcome class, in the order of the engine's outcomes, for the side asked
    about: wins first, losses negative; the cube counts as 1."""
    scoring = rules.get("scoring")
    if scoring is None:
        return _rules.points(rules.game)
    wins: tuple[int, ...] = scoring if isinstance(scoring, tuple) else SCORING[scoring]
    return (*wins, *(-value for value in wins))


def loss_class(game: str, counts: Sequence[int]) -> int:
    """The outcome class for a side that loses as it stands.

    counts : 26 numbers of checkers, indexed by slot in the side's own numbers (0 = off, 25 = bar);
        at least one checker is still on the board, else ValueError
    """
    planes = np.zeros(8, dtype=np.uint32)
    winner = [sum(counts)] + [0] * 25
    for side, numbers in enumerate((counts, winner)):
        for slot, count in enumerate(numbers):
            for k in range(4):
                planes[4 * side + k] |= (count >> k & 1) << slot
    return _rules.outcome(game, planes)


def resignation(rules: Options, counts: Sequence[int]) -> int:
    """Points (cube at 1) that the side with these counts loses by resigning now, by the option
    `resignation`: what the position would pay, oin or mars by whether a checker is off, or a
    fixed number. Running out of time costs the same. `counts` as for `loss_class`."""
    by = rules.get("resignation", "position")
    if isinstance(by, int):
        return by
    worth = points(rules)
    if by == "single_if_off_else_mars":
        return worth[0] if counts[0] else worth[1]
    return -worth[loss_class(rules.game, counts)]
