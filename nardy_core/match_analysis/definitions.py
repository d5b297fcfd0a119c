"""What the figures mean: which decisions count, how errors are sized, what a rating is.

Programs agree on little but the sum of what was lost. So every rule has a name here, and whoever
wants another one says so:

    Definitions(rating="snowie", sizes="gnubg")
    Definitions(rates={"mine": Rate(factor=1000, plays="all", cubes="actual")}, rating="mine")

Ratings (`RATES`)
    "pr"      eXtreme Gammon's performance rating: equity lost x 500 over the decisions that count,
              x 1.5 in a match to one point. Plays count if there was a choice and not all plays
              were worth the same (to 0.0002, which is where its own files draw the line); cubes by
              the rule "xg".
    "gnubg"   GNU Backgammon's error rate in mEMG: equity lost x 1000 over the plays with more than
              one legal result and the cubes of the rule "gnubg".
    "snowie"  Snowie's error rate: equity lost x 1000 over all moves of both players, forced ones
              and dances included.

Cubes that count (`CUBES`). A double, a take and a pass always do; a decision to roll on does if
    "xg"      rolling is worth more than 0, less than 0.2 better than doubling, and not the same
              to within 0.001
    "gnubg"   doubling is less than 0.16 behind the best, a pass counting 1
    "all"     the cube could have been turned
    "actual"  never

Sizes of errors (`SIZES`), by equity lost, equivalent to money
    "xg"      error from 0.02, blunder from 0.08
    "gnubg"   doubtful above 0.03, bad above 0.06, very bad above 0.12

Rolls are lucky above 0.3 of equity, very lucky above 0.6, and unlucky likewise (`LUCK`).
"""
from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from nardy_core.checks import one_of

PLAYS = ("all", "unforced", "unequal")
CUBES = ("xg", "gnubg", "all", "actual")
PER = ("own decisions", "moves of both")


@dataclasses.dataclass(frozen=True, slots=True)
class Rate:
    """A rating: factor x equity lost / number of decisions.

    plays : "all", "unforced" (more than one legal result), "unequal" (and these not all worth the
        same)
    cubes : of `CUBES`
    per : "own decisions" that count, or "moves of both" players
    one_point : a further factor in matches to one point
    """

    factor: float
    plays: str = "unforced"
    cubes: str = "gnubg"
    per: str = "own decisions"
    one_point: float = 1.0

    def __post_init__(self) -> None:
        for name, allowed in (("plays", PLAYS), ("cubes", CUBES), ("per", PER)):
            one_of(f"rate: {name}", getattr(self, name), allowed)
        if not 0 < self.factor < float("inf"):
            raise ValueError(f"rate: factor {self.factor} is not above 0")


@dataclasses.dataclass(frozen=True, slots=True)
class Sizes:
    """Names of errors by the equity lost, smallest first.

    limits : (name, equity) from which on an error is called so
    inclusive : an error of exactly the limit has its name already
    """

    limits: tuple[tuple[str, float], ...]
    inclusive: bool = True

    def __post_init__(self) -> None:
        values = [value for _, value in self.limits]
        if not values or values != sorted(set(values)) or values[0] <= 0:
            raise ValueError("sizes: the limits of errors do not rise from above 0")

    @property
    def names(self) -> tuple[str, ...]:
        """The names alone, of the smallest errors first."""
        return tuple(name for name, _ in self.limits)

    def of(self, loss: float) -> str:
        """The name of an error by its loss of equity, "" for none worth a name."""
        found = ""
        for name, limit in self.limits:
            if loss > limit or (self.inclusive and loss == limit):
                found = name
        return found


RATES: Mapping[str, Rate] = MappingProxyType({
    "pr": Rate(500, plays="unequal", cubes="xg", one_point=1.5),
    "gnubg": Rate(1000, plays="unforced", cubes="gnubg"),
    "snowie": Rate(1000, plays="all", cubes="all", per="moves of both"),
})

SIZES: Mapping[str, Sizes] = MappingProxyType({
    "xg": Sizes((("error", 0.02), ("blunder", 0.08))),
    "gnubg": Sizes((("doubtful", 0.03), ("bad", 0.06), ("very bad", 0.12)), inclusive=False),
})

LUCK = (("very lucky", 0.6), ("lucky", 0.3), ("unlucky", -0.3), ("very unlucky", -0.6))


@dataclasses.dataclass(frozen=True)
class Definitions:
    """The definitions that figures are made with; see the module.

    rating : the rate by which players are ranked, one of `rates`
    sizes : a name of `SIZES`, or `Sizes` of one's own
    rates : more of them by name, beside `RATES`
    """

    rating: str = "pr"
    sizes: str | Sizes = "xg"
    rates: Mapping[str, Rate] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rates", MappingProxyType({**RATES, **self.rates}))
        one_of("rating", self.rating, self.rates)
        if isinstance(self.sizes, str):
            one_of("sizes", self.sizes, SIZES)

    @property
    def limits(self) -> Sizes:
        """The sizes, looked up where they are given by name."""
        return SIZES[self.sizes] if isinstance(self.sizes, str) else self.sizes

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and words, as the command line prints them in JSON."""
        return {
            "rating": self.rating,
            "rates": {name: dataclasses.asdict(rate) for name, rate in self.rates.items()},
            "sizes": {"limits": dict(self.limits.limits), "inclusive": self.limits.inclusive},
            "luck": dict(LUCK),
        }


def roll_counts(rule: str, stay: float, take: float, drop: float) -> bool:
    """Whether a decision to roll counts by the rule "xg" or "gnubg", from the equities of not
    doubling, of double and take, of double and pass."""
    if rule == "xg":
        gain = min(take, drop) - stay
        return stay > 0 and gain > -0.2 and abs(gain) >= 0.001
    return rule == "gnubg" and max(stay, min(take, drop)) - min(take, 1.0) < 0.16


def luck_name(luck: float) -> str:
    """ "very lucky" .. "very unlucky", "" for neither."""
    if luck > 0:
        return next((name for name, limit in LUCK if luck > limit > 0), "")
    return next((name for name, limit in reversed(LUCK) if luck < limit < 0), "")
