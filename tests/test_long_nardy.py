"""Evaluation, self-play and training on long nardy, with nets of random weights."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest
from random_nets import evaluator_of, random_nets
from random_walk import random_boards
from sides import side
from twin import long_nardy as twin
from twin.planes import to_counts, to_planes

from nardy_core._border import _rules, _train
from nardy_core.duel import duel
from nardy_core.evaluator import (
    Evaluator,
    Net,
    default_points,
    equities,
    kernel_sets,
    phases_of,
    swapped,
)  # fmt: skip
from nardy_core.train import recipe
from nardy_core.train.loop import Campaign

GAME = "long_nardy"
POINTS = default_points(GAME)
ROLLS = list(combinations_with_replacement(range(1, 7), 2))
PLAN = {
    "lookahead": True, "lam": 0.7, "lam_staged": 0.95, "explore": 0.12, "window": 0.3,
    "siblings": 4, "stray": 0.2, "second": 0.1, "labelled": 1.0, "scrambled": 0.3, "staged": 0.3,
    "max_plies": 30,
}  # fmt: skip


@pytest.fixture(scope="module")
def nets() -> dict[str, Net]:
    return random_nets(GAME)


evaluator = partial(evaluator_of, GAME)


# ---- static evaluation -----------------------------------------------------------------------


def test_choice_and_lookahead(nets, one_sided):
    ev = evaluator(nets, one_sided)
    for board in random_boards(GAME, 700, 1)[::35]:
        if _rules.phase(GAME, board) == 0:
            continue
        mean, replies, values = ev.lookahead(board)
        total = np.zeros(8)
        for k, dice in enumerate(ROLLS):
            results, _, _ = _rules.results(GAME, board, dice)
            want = -equities(ev.evaluate(swapped(results)), POINTS)
            boards, _, found, probabilities, full = ev.choose(board, dice)
            assert full.all() and (np.diff(found) <= 0).all()
            assert {b.tobytes() for b in boards} == {r.tobytes() for r in results}
            assert found[0] == pytest.approx(want.max(), abs=1e-5)
            assert equities(values[k], POINTS) == pytest.approx(found[0], abs=1e-5)
            assert swapped(replies[k][None])[0].tobytes() in {r.tobytes() for r in results}
            total += (1 if dice[0] == dice[1] else 2) / 36 * probabilities[0]
        assert mean == pytest.approx(total, abs=1e-5)


def test_same_bits_on_every_kernel_set(nets, one_sided):
    boards = np.array(random_boards(GAME, 300, 2))
    made = [evaluator(nets, one_sided, keep=6, kernels=k) for k in kernel_sets()]
    assert len({ev.evaluate(boards).tobytes() for ev in made}) == 1
    for board in boards[::60]:
        assert len({ev.lookahead(board)[0].tobytes() for ev in made}) == 1


BEAROFFS = [
    (side(p6=2, p5=2), side(p6=15)),  # home mars if all fifteen are still there
    (side(p6=1, p4=1, p2=2), side(p6=8, p5=7)),
    (side(p3=2), side(p6=15)),
    (side(p6=15), side(p5=2, p4=1)),
    (side(p6=5, p5=5, p4=5), side(p6=5, p5=4, p3=6)),
    (side(p6=3, p2=4), side(p5=4, p1=3)),
]


@pytest.mark.parametrize("number", range(len(BEAROFFS)))
def test_bearoff_against_play(nets, one_sided, number):
    """What the table says of a bear-off happens that often; games are scored by the rules."""
    ev, board = evaluator(nets, one_sided), to_planes(*BEAROFFS[number])
    assert phases_of(GAME, board[None])[0] == 1
    said = ev.evaluate(board[None])[0]
    games = duel(ev, ev, pairs=3600, starts=board[None], seed=number)
    seen = np.bincount(games.outcome[:, 0], minlength=8) / games.pairs
    assert (np.abs(seen - said) < 4 * np.sqrt(said * (1 - said) / games.pairs) + 2e-3).all()
    assert said.sum() == pytest.approx(1, abs=1e-5)
    if number in (0, 1):
        assert said[3] > 0.05 and seen[3] > 0.05  # by way of home mars


def test_finished_games(nets, one_sided):
    """Every class, scored by the twin."""
    ev = evaluator(nets, one_sided)
    won = side()
    for loser in (side(p6=3), side(p12=15), side(p24=2, p3=13), side(p6=15), side(p19=1, p1=14)):
        for mine, theirs in ((won, loser), (loser, won)):
            position = twin.from_counts(mine, theirs)
            winner, category = twin.outcome(position)
            said = ev.evaluate(to_planes(mine, theirs)[None])[0]
            assert said[category + 4 * winner] == 1 and said.sum() == 1


# ---- self-play -----------------------------------------------------------------------


def forbidden(counts: tuple[tuple[int, ...], tuple[int, ...]]) -> bool:
    """Does a wall of the first side stand before all checkers of the second?"""
    mine, theirs = counts
    seen = [mine[n - 12 if n > 12 else n + 12] > 0 for n in range(1, 25)]  # their point n
    return any(
        all(seen[q - 1 : q + 5]) and not any(theirs[:q]) for q in range(1, 20)
    )


def test_invented_starts(nets, one_sided):
    """Staged games begin from possible boards of many kinds."""
    plan = {**PLAN, "lookahead": False, "staged": 1.0, "scrambled": 0.0, "max_plies": 1}
    samples, sums = _train.selfplay(evaluator(nets, one_sided), plan, 5, 0, 1500)
    boards = np.ascontiguousarray(samples["board"])
    assert sums["games"] == 1500 and len(samples) > 1400
    assert _rules.first_bad(GAME, boards) == -1
    phases = np.bincount(phases_of(GAME, boards), minlength=4)
    assert phases[3] > 800 and phases[1] + phases[2] > 150
    counts = to_counts(boards)
    assert not any(forbidden(c) or forbidden(c[::-1]) for c in counts)
    heads = np.bincount([c[0][24] for c in counts], minlength=16)
    assert (heads[:9] > 15).all() and heads[13:].sum() == 0


@pytest.mark.parametrize("game", ["backgammon", GAME])
def test_first_roll_is_thrown_by_the_rules(one_sided, game):
    """Doubles may open long nardy, never backgammon."""
    nets = random_nets(game)
    ev = Evaluator(game, {"contact": nets["contact"], "race": nets["race"]}, bearoff=one_sided)
    plan = {**PLAN, "lookahead": False, "staged": 0.0, "scrambled": 0.0, "max_plies": 1,
            "explore": 0.0}  # fmt: skip
    samples, _ = _train.selfplay(ev, plan, 5, 0, 600)
    start = _rules.start(game)
    # Some results of doubles are results of other rolls too.
    unlike = {ev.choose(start, d)[0][0].tobytes() for d in ROLLS if d[0] != d[1]}
    only_doubles = {ev.choose(start, (d, d))[0][0].tobytes() for d in range(1, 7)} - unlike
    seen = {swapped(b[None])[0].tobytes() for b in samples["board"]}
    assert unlike <= seen and len(only_doubles) >= 3
    assert only_doubles <= seen if game == GAME else not only_doubles & seen
    assert _rules.opening_doubles(game) == (game == GAME)


def test_labels_do_not_depend_on_threads(nets, one_sided):
    ev = evaluator(nets, one_sided, keep=6)
    one, sums = _train.selfplay(ev, PLAN, 11, 0, 8, 1)
    two, _ = _train.selfplay(ev, PLAN, 11, 0, 8, 2)
    assert one.tobytes() == two.tobytes() and sums["labels"] == len(one)
    assert np.abs(one["target"].sum(1) - 1).max() < 1e-4


def test_unreturned_labels_are_lookaheads(nets, one_sided):
    ev = evaluator(nets, one_sided)
    plan = {**PLAN, "lam": 0.0, "lam_staged": 0.0, "second": 0.0}
    samples, _ = _train.selfplay(ev, plan, 3, 0, 3, 1)
    for s in samples[::9]:
        if _rules.phase(GAME, s["board"]) >= 2:
            want = ev.lookahead(s["board"])[0]
        else:
            want = ev.evaluate(s["board"][None])[0]
        assert s["target"].tobytes() == want.tobytes()


# ---- training -----------------------------------------------------------------------


def test_training_learns(tmp_path: Path, one_sided):
    """A few seconds of the recipe's first stages beat random play and the net they began with."""
    made = recipe.by_name(GAME)
    fit = recipe.Fit(250, 0.004, 0.001)
    stages = tuple(
        replace(s, width=64, generations=g, labels=10_000, fit=fit, window=30_000, race_steps=20,
                small_steps=1)
        for s, g in zip(made.stages, (1, 5), strict=False)
    )  # fmt: skip
    campaign = Campaign(
        replace(made, stages=stages), tmp_path, bearoff=one_sided, report=lambda line: None
    )
    before = campaign.evaluator()
    campaign.run()
    after = campaign.evaluator(preselect=False)
    for other in (None, before):
        points, error = duel(after, other, pairs=80, seed=2).raw
        assert points > 3 * error
