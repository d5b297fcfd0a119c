"""What a training campaign does, stage by stage: plain data, no work.

A campaign alternates generations of self-play with fits on a buffer of the latest labels, and
widens the net from stage to stage. Sizes are in labelled positions and optimiser steps, never in
seconds, so that a recipe means the same on any machine.
"""

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class SelfPlay:
    """How games are played and labelled; the fields of nd_selfplay_plan."""

    lam: float = 0.7
    lam_staged: float = 0.95
    explore: float = 0.12
    window: float = 0.16
    siblings: int = 4
    stray: float = 0.05
    second: float = 0.0
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
    race_steps: int = 600
    small_steps: int = 600
    window: int = 6_000_000  # labels kept in the buffer
    warmup: Fit | None = None  # once, when the stage begins: the widened net on the old buffer
    race_lr: float = 0.002
    small_lr: float = 0.001


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
    notes: str = field(default="", compare=False)


_BLIND = SelfPlay(
    lam=1.0, lam_staged=1.0, explore=1.0, siblings=1, stray=1.0, scrambled=0.1, staged=0.2
)
_EARLY = SelfPlay(lam=0.8, lam_staged=0.8, siblings=2, explore=0.1)
_LATE = SelfPlay()
_SECOND = SelfPlay(
    lam=0.0, lam_staged=0.97, second=0.08, siblings=5, explore=0.12, scrambled=0.2, staged=0.2
)


def backgammon(scale: float = 1.0) -> Recipe:
    """The campaign behind the shipped nets; `scale` multiplies labels and steps (0.01 = a test)."""

    def size(n: float) -> int:
        return max(int(n * scale), 1)

    def fit(steps: float, **kw: float) -> Fit:
        return replace(Fit(size(steps)), **kw)

    stages = (
        Stage(
            "blind",
            128,
            1,
            size(100_000),
            _BLIND,
            fit(1_500, lr=0.002, lr_end=0.001, difference=0.0),
        ),
        Stage(
            "early",
            256,
            6,
            size(150_000),
            _EARLY,
            fit(1_500, lr=0.002, lr_end=0.002, difference=1.0),
            window=size(900_000),
            warmup=fit(1_500, lr=0.002, lr_end=0.002, difference=1.0),
        ),
        Stage(
            "grow",
            512,
            6,
            size(300_000),
            replace(_LATE, lam=0.8, siblings=3),
            fit(2_000, lr=0.0015, lr_end=0.0015),
            window=size(2_000_000),
            warmup=fit(3_000, lr=0.002, lr_end=0.0015),
        ),
        Stage(
            "loop",
            1024,
            6,
            size(700_000),
            _LATE,
            fit(3_000, lr=0.0012, lr_end=0.0012),
            window=size(4_000_000),
            warmup=fit(4_000, lr=0.0015, lr_end=0.0012),
        ),
        Stage(
            "second ply",
            1024,
            6,
            size(700_000),
            _SECOND,
            fit(4_000, lr=0.0008, lr_end=0.0008),
            window=size(8_000_000),
        ),
        Stage(
            "wide",
            2048,
            0,
            0,
            _SECOND,
            fit(1),
            race_steps=0,
            small_steps=0,
            warmup=fit(40_000, lr=0.0014, lr_end=0.00002),
        ),
    )
    return Recipe(
        "backgammon",
        contact_features="backgammon-contact-1",
        race_features="backgammon-race-1",
        stages=stages,
    )
