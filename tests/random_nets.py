"""Playing nets with random weights, for tests of everything but strength."""
from __future__ import annotations

from pathlib import Path

import numpy as np

from nardy_core._border._net import Net, feature_units
from nardy_core.evaluator import BearoffOne, Evaluator, outcomes_of
from nardy_core.nets import save_net

WIDTHS = {"contact": 128, "race": 64, "small": 64}


def random_nets(game: str = "backgammon", seed: int = 1) -> dict[str, Net]:
    """The three nets of a game: small, fast, and always the same for a seed."""
    words = game.replace("_", "-")
    rng = np.random.default_rng(seed)
    nets = {}
    for part, h1 in WIDTHS.items():
        features = f"{words}-{'race' if part == 'race' else 'contact'}-1"
        units, classes = feature_units(features), len(outcomes_of(game))

        def draw(*shape: int, size: float) -> np.ndarray:
            return rng.uniform(-size, size, shape).astype(np.float32)

        nets[part] = Net.from_params(
            features, draw(units, h1, size=0.08), draw(h1, size=0.2), draw(h1, 32, size=0.2),
            draw(32, size=0.2), draw(32, classes, size=0.4), draw(classes, size=0.5), "random")
    return nets


def random_net(features: str, h1: int, seed: int, classes: int = 6) -> Net:
    """One net with weights of a normal distribution, so with larger values than those above."""
    rng = np.random.default_rng(seed)

    def draw(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) * 0.2).astype(np.float32)

    return Net.from_params(features, draw(feature_units(features), h1), draw(h1), draw(h1, 32),
                           draw(32), draw(32, classes), draw(classes))  # fmt: skip


def evaluator_of(
    game: str, nets: dict[str, Net], bearoff: BearoffOne, keep: int = 0, kernels: str | None = None
) -> Evaluator:
    """With the small net where `keep` results of a roll are to pass it."""
    return Evaluator(
        game, {"contact": nets["contact"], "race": nets["race"]},
        small={"contact": nets["small"]} if keep else None,
        bearoff=bearoff, keep=keep, within=10.0, kernels=kernels,
    )  # fmt: skip


def keep_random_nets(folder: Path, game: str = "backgammon") -> str:
    """The same as files of a folder, made where it is missing; its name."""
    folder.mkdir(exist_ok=True)
    for part, net in random_nets(game).items():
        save_net(net, folder / f"{game}-{part}.net")
    return str(folder)
