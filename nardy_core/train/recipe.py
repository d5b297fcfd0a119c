"""What a training campaign does, stage by stage: plain data, no work.

A campaign alternates generations of self-play with fits on a buffer of the latest labels, and
widens the net from stage to stage. Sizes are in labelled positions and optimiser steps, never in
seconds, so that a recipe means the same on any machine.
"""

from dataclasses import dataclass, field, replace

from nardy_core.checks import one_of
from nardy_core.rules import canonical


@dataclass(frozen=True)
class SelfPlay:
    """How games are played and labelled; the fields of nd_selfplay_plan."""

    lam: float = 0.7
    lam_staged: float = 0.95
    lookahead: bool = True
    explore: float = 0.12
    window: float = 0.16
    siblings: int = 4
    stray: float = 0.05
    second: float = 0.0
    labelled: float = 1.0
    scrambled: float = 0.15
    staged: float = 0.15
    max_plies: int = 500


@dataclass(frozen=True)
class Fit:
    """One fit: `steps` minibatches with the learning rate falling from `lr` to `lr_end`."""

    steps: int
    lr: float = 0.003
    lr_end: float = 0.003
    batch: int = 528
    difference: float = 12.0
    ema: float = 0.999


@dataclass(frozen=True)
class Stage:
    name: str
    width: int  # first layer of the contact net
    generations: int
    labels: int  # a generation
    play: SelfPlay
    fit: Fit  # of the contact net after each generation
    race_steps: int = 1_000
    small_steps: int = 1_000
    window: int = 6_000_000  # labels kept in the buffer
    warmup: Fit | None = None  # once, when the stage begins: the widened net on the old buffer
    race_lr: float = 0.003
    small_lr: float = 0.002


@dataclass(frozen=True)
class Recipe:
    game: str
    contact_features: str  # names of feature sets
    race_features: str
    stages: tuple[Stage, ...]
    second_layer: int = 32
    small_width: int = 64
    race_width: int = 256
    keep: int = 6
    within: float = 0.12
    seed: int = 1
    refine: str = "refine"  # the stage at which a campaign begins that is given nets
    # Rules as `nardy_core.rules.preset` reads them, kept as `canonical` writes them. Legal plays
    # and points are those of self-play; opening dice, the last roll and the cube are not: games
    # begin as by default.
    rules: str = ""
    notes: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", canonical(self.game, self.rules))


_BLIND = SelfPlay(
    lookahead=False, lam=1.0, lam_staged=1.0, explore=1.0, window=100.0, scrambled=0.0, staged=0.1
)
_RESULTS = SelfPlay(
    lookahead=False, lam=0.95, lam_staged=0.95, explore=0.1, scrambled=0.1, staged=0.1
)
_RETURNS = SelfPlay(
    lookahead=False, lam=0.85, lam_staged=0.9, explore=0.06, window=0.1, scrambled=0.1, staged=0.1
)
_LATE = SelfPlay(lam_staged=0.95)
_SECOND = SelfPlay(
    lam=0.0, lam_staged=0.97, second=0.08, siblings=5, explore=0.12, scrambled=0.2, staged=0.15
)
# Returns so long as they have no more noise than the net has error: what they add to a label grows
# with lambda, and a wide net learns it by heart (benchmarks/strength.md). So little exploring that
# they are seldom cut.
_REFINE = replace(_SECOND, lam=0.8, lam_staged=0.92, explore=0.02, staged=0.4)


def _stages(scale: float) -> tuple[Stage, ...]:
    """From random play to the shipped width, the same way in both games."""

    def size(n: float) -> int:
        return max(int(n * scale), 1)

    def fit(steps: int, lr: float, lr_end: float) -> Fit:
        return Fit(size(steps), lr, lr_end)

    return (
        Stage("blind", 128, 1, size(300_000), _BLIND, fit(2_000, 0.002, 0.001)),
        Stage(
            "results",
            128,
            8,
            size(500_000),
            _RESULTS,
            fit(2_000, 0.003, 0.001),
            window=size(600_000),
        ),
        Stage(
            "returns",
            256,
            12,
            size(700_000),
            _RETURNS,
            fit(3_000, 0.003, 0.001),
            window=size(1_500_000),
        ),
        Stage(
            "look-ahead",
            512,
            6,
            size(300_000),
            replace(_LATE, lam=0.9, siblings=2),
            fit(4_000, 0.003, 0.0003),
            window=size(1_200_000),
            warmup=fit(3_000, 0.003, 0.0003),
        ),
        Stage(
            "siblings",
            512,
            6,
            size(500_000),
            replace(_LATE, lam=0.8),
            fit(6_000, 0.003, 0.0002),
            window=size(3_000_000),
        ),
        Stage(
            "loop",
            1024,
            6,
            size(700_000),
            _LATE,
            fit(8_000, 0.002, 0.0002),
            window=size(4_000_000),
            warmup=fit(6_000, 0.003, 0.0003),
        ),
        Stage(
            "second ply",
            1024,
            6,
            size(700_000),
            _SECOND,
            fit(8_000, 0.0014, 0.0001),
            window=size(7_000_000),
        ),
        Stage(
            "wide",
            2048,
            0,
            0,
            _SECOND,
            Fit(0),
            race_steps=0,
            small_steps=0,
            warmup=fit(40_000, 0.0014, 0.00002),
        ),
        Stage(
            "settle",
            2048,
            0,
            0,
            _SECOND,
            Fit(0),
            warmup=fit(60_000, 0.0012, 0.00001),
        ),
        Stage(
            "refine",
            2048,
            4,
            size(3_000_000),
            _REFINE,
            replace(fit(40_000, 0.0012, 0.000005), difference=50.0),
            small_steps=20_000,
            window=size(12_000_000),
        ),
        Stage(
            "back games",
            2048,
            1,
            size(4_000_000),
            replace(_REFINE, lam_staged=0.97, scrambled=0.0, staged=1.0),
            replace(fit(20_000, 0.0006, 0.000005), difference=50.0),
            small_steps=4_000,
            window=size(16_000_000),
        ),
        Stage(
            "slim",
            1536,
            2,
            size(4_500_000),
            replace(_REFINE, labelled=0.35),
            replace(fit(50_000, 0.0012, 0.000003), difference=50.0),
            small_steps=4_000,
            window=size(24_000_000),
        ),
    )


def backgammon(scale: float = 1.0) -> Recipe:
    """The campaign behind the shipped nets, as far as it is one command: data/SOURCE.txt says what
    was done by hand besides. `scale` multiplies labels and steps (0.01 = a test)."""
    return Recipe(
        "backgammon",
        contact_features="backgammon-contact-1",
        race_features="backgammon-race-1",
        stages=_stages(scale),
        refine="slim",
    )


def long_nardy(scale: float = 1.0) -> Recipe:
    """The same for long nardy."""
    return Recipe(
        "long_nardy",
        contact_features="long-nardy-contact-1",
        race_features="long-nardy-race-1",
        stages=_stages(scale),
        refine="slim",
    )


RECIPES = {"backgammon": backgammon, "long_nardy": long_nardy}


def by_name(name: str, scale: float = 1.0, rules: str = "") -> Recipe:
    """A recipe of RECIPES, by rules as `nardy_core.rules.preset` reads them; ValueError for any
    other name.

    scale : multiplies labels and the steps of all three nets
    """
    one_of("recipe", name, RECIPES)
    made = RECIPES[name](scale)
    return replace(made, rules=rules, stages=tuple(
        replace(stage, race_steps=_scaled(stage.race_steps, scale),
                small_steps=_scaled(stage.small_steps, scale))
        for stage in made.stages))


def _scaled(steps: int, scale: float) -> int:
    return max(int(steps * scale), 1) if steps else 0
