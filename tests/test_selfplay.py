"""Static evaluation, look-ahead and self-play labels, on nets of random weights."""

import itertools
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from random_nets import evaluator_of, random_net
from random_walk import random_boards, swapped

from nardy_core._border import _rules, _train
from nardy_core.evaluator import Net, kernel_sets
from nardy_core.train import loop, recipe
from nardy_core.train.loop import Campaign

GAME = "backgammon"
PLAN = {
    "lookahead": True, "lam": 0.7, "lam_staged": 0.95, "explore": 0.12, "window": 0.3,
    "siblings": 4, "stray": 0.2, "second": 0.1, "labelled": 1.0, "scrambled": 0.3, "staged": 0.3,
    "max_plies": 40,
}  # fmt: skip
ROLLS = [(a, b) for a in range(1, 7) for b in range(a, 7)]


@pytest.fixture(scope="module")
def nets() -> dict[str, Net]:
    return {
        "contact": random_net("backgammon-contact-1", 128, 1),
        "race": random_net("backgammon-race-1", 64, 2),
        "small": random_net("backgammon-contact-1", 64, 3),
    }


evaluator = partial(evaluator_of, GAME)


def test_choice_is_the_best_of_all_results(nets, one_sided):
    ev = evaluator(nets, one_sided)
    points = np.array(_rules.points(GAME), np.float64)
    rng = np.random.default_rng(5)
    for board in random_boards(GAME, 150, 4):
        dice = rng.integers(1, 7, 2)
        results, _, _ = _rules.results(GAME, board, dice)
        want = -(ev.evaluate(np.array([swapped(r) for r in results])) @ points)
        boards, _, equities, probabilities, full = ev.choose(board, dice)
        assert full.all()
        assert {b.tobytes() for b in boards} == {r.tobytes() for r in results}
        assert (np.diff(equities) <= 0).all()
        assert equities[0] == pytest.approx(want.max(), abs=1e-5)
        assert probabilities @ points == pytest.approx(equities, abs=1e-5)


def test_lookahead_is_the_mean_of_best_replies(nets, one_sided):
    ev = evaluator(nets, one_sided)
    points = np.array(_rules.points(GAME), np.float64)
    for board in random_boards(GAME, 25, 6):
        if _rules.phase(GAME, board) == 0:
            continue
        mean, replies, values = ev.lookahead(board)
        total = np.zeros(6)
        for k, dice in enumerate(ROLLS):
            boards, _, equities, probabilities, _ = ev.choose(board, dice)
            assert values[k] @ points == pytest.approx(equities[0], abs=1e-5)
            assert replies[k].tobytes() in {
                swapped(b).tobytes() for b, e in zip(boards, equities, strict=True)
                if e > equities[0] - 1e-6
            }  # fmt: skip
            total += (1 if dice[0] == dice[1] else 2) / 36 * probabilities[0]
        assert mean == pytest.approx(total, abs=1e-5)


def test_wide_preselection_changes_nothing(nets, one_sided):
    every, chosen = evaluator(nets, one_sided), evaluator(nets, one_sided, keep=64)
    rng = np.random.default_rng(7)
    for board in random_boards(GAME, 60, 8):
        dice = rng.integers(1, 7, 2)
        if len(_rules.results(GAME, board, dice)[0]) > 64:
            continue
        a, b = every.choose(board, dice), chosen.choose(board, dice)
        assert b[4].all()
        assert a[0][0].tobytes() == b[0][0].tobytes()
        assert a[2].tobytes() == b[2].tobytes()


def test_same_bits_on_every_kernel_set(nets, one_sided):
    boards = np.array(random_boards(GAME, 400, 9))
    found = {
        evaluator(nets, one_sided, kernels=k).evaluate(boards).tobytes() for k in kernel_sets()
    }
    assert len(found) == 1
    plain = evaluator(nets, one_sided, keep=6)
    for k in kernel_sets():
        other = evaluator(nets, one_sided, keep=6, kernels=k)
        for board in boards[:8]:
            assert plain.lookahead(board)[0].tobytes() == other.lookahead(board)[0].tobytes()


def test_labels_do_not_depend_on_threads(nets, one_sided):
    ev = evaluator(nets, one_sided, keep=6)
    one, sums = _train.selfplay(ev, PLAN, 11, 0, 12, 1)
    two, _ = _train.selfplay(ev, PLAN, 11, 0, 12, 2)
    later, _ = _train.selfplay(ev, PLAN, 11, 4, 8, 2)
    assert one.tobytes() == two.tobytes()
    assert sums["labels"] == len(one) and sums["games"] == 12
    assert later["board"].tobytes() == one["board"][-len(later) :].tobytes()
    assert later["target"].tobytes() == one["target"][-len(later) :].tobytes()
    assert np.abs(one["target"][:, :6].sum(1) - 1).max() < 1e-4


def test_blind_labels_are_lookaheads(nets, one_sided):
    """Without returns and second plies a label is the look-ahead of its position."""
    ev = evaluator(nets, one_sided)
    plan = {**PLAN, "lam": 0.0, "lam_staged": 0.0, "second": 0.0}
    samples, _ = _train.selfplay(ev, plan, 3, 0, 2, 1)
    for s in samples[::7]:
        if _rules.phase(GAME, s["board"]) >= 2:
            want = ev.lookahead(s["board"])[0]
        else:
            want = ev.evaluate(s["board"][None])[0]
        assert s["target"][:6].tobytes() == want.tobytes()


def groups(samples: np.ndarray) -> list[np.ndarray]:
    return np.split(samples, np.flatnonzero(np.diff(samples["group"])) + 1)


def test_what_is_not_labelled_carries_the_return(nets, one_sided):
    ev = evaluator(nets, one_sided)
    plan = {**PLAN, "siblings": 1, "stray": 0.0, "explore": 0.0, "second": 0.0, "lam": 0.9}
    every, _ = _train.selfplay(ev, plan, 7, 0, 20, 1)
    some, stats = _train.selfplay(ev, {**plan, "labelled": 0.4}, 7, 0, 20, 1)
    assert stats["labels"] == len(some) and 0.3 < len(some) / len(every) < 0.5
    # The games are the same, and so is what the labels say: nothing of the return was lost.
    keep = iter({"board": s["board"].tobytes(), "target": s["target"].tobytes()} for s in every)
    assert all({"board": s["board"].tobytes(), "target": s["target"].tobytes()} in keep
               for s in some)
    with pytest.raises(ValueError, match="self-play"):
        _train.selfplay(ev, {**plan, "labelled": 0.0}, 7, 0, 1, 1)


@pytest.mark.parametrize("lam", [0.0, 0.9])
def test_replies_are_samples_too(nets, one_sided, lam):
    """Where siblings see a second ply, the best replies to its roll make a group of their own:
    worth their own look-ahead, plus the correction of the return as the other side sees it."""
    ev = evaluator(nets, one_sided)
    plan = {**PLAN, "lam": lam, "lam_staged": lam}
    plain = groups(_train.selfplay(ev, {**plan, "second": 0.0}, 3, 0, 6, 1)[0])
    deeper = groups(_train.selfplay(ev, plan, 3, 0, 6, 1)[0])
    points = np.array([1, 2, 3, -1, -2, -3])

    def equity(samples: np.ndarray) -> np.ndarray:
        return samples["target"][:, :6] @ points

    def ahead(samples: np.ndarray) -> np.ndarray:
        exact = [_rules.phase(GAME, b) < 2 for b in samples["board"]]
        return np.array([ev.evaluate(b[None])[0] if e else ev.lookahead(b)[0]
                         for b, e in zip(samples["board"], exact, strict=True)]) @ points

    at = found = changed = 0
    for group in deeper:
        if at < len(plain) and np.array_equal(plain[at]["board"], group["board"]):
            siblings, at = plain[at], at + 1  # the same games: a second ply changes no choice
            continue
        found += 1
        change = equity(group) - ahead(group)
        if lam == 0:
            assert np.abs(change).max() < 1e-6
            continue
        want = -(equity(siblings) - ahead(siblings))[0]
        free = ((group["target"][:, :6] > 0.03).sum(1) > 3) & (abs(want) < 0.2)
        assert np.abs(change[free] - want).max(initial=0) < 1e-3
        changed += int(free.any() and abs(want) > 0.005)
    assert at == len(plain) and found > 20 and (lam == 0 or changed > 2)


def tiny() -> recipe.Recipe:
    """Three generations; the buffer holds about one."""
    play = recipe.SelfPlay(lam=1.0, explore=1.0, siblings=1, stray=1.0, max_plies=60)
    fit = recipe.Fit(20, difference=1.0)
    stages = (
        recipe.Stage("a", 64, 2, 500, play, fit, race_steps=5, small_steps=5, window=400),
        recipe.Stage("b", 128, 1, 500, play, fit, race_steps=5, small_steps=5, window=400,
                     warmup=fit),
    )
    return recipe.Recipe(GAME, "backgammon-contact-1", "backgammon-race-1", stages, race_width=64)


def test_a_checkpoint_is_there_as_a_whole_or_not_at_all(tmp_path: Path, one_sided, monkeypatch):
    """Killed at any of its files, it goes on with the bits of an undisturbed run."""
    def silent(line: str) -> None:
        pass

    Campaign(tiny(), tmp_path / "whole", bearoff=one_sided, report=silent).run()
    whole = {p.relative_to(tmp_path / "whole"): p.read_bytes()
             for p in (tmp_path / "whole").rglob("*") if p.suffix in (".fit", ".npy", ".net")}
    assert len(whole) == 3 + 1 + 6
    calls = {"until": 0}

    def killed(done):
        def instead(*args, **more):
            calls["until"] -= 1
            if calls["until"] == 0:
                raise KeyboardInterrupt
            return done(*args, **more)
        return instead

    monkeypatch.setattr(loop, "write_bytes", killed(loop.write_bytes))
    monkeypatch.setattr(loop.os, "replace", killed(loop.os.replace))
    folder, kills = tmp_path / "killed", 0
    for until in itertools.count(1):
        calls["until"] = until
        try:
            Campaign(tiny(), folder, bearoff=one_sided, report=silent).run()
        except KeyboardInterrupt:
            kills += 1
            continue
        break
    found = {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*")
             if p.suffix in (".fit", ".npy", ".net", ".new")}
    # what a net says of its making has the seconds it took
    assert {k: v for k, v in found.items() if k.suffix != ".net"} == {
        k: v for k, v in whole.items() if k.suffix != ".net"}
    assert kills >= 12  # files, and their new names


def test_campaign_resumes_with_the_same_bits(tmp_path: Path, one_sided):
    lines: list[str] = []
    whole = Campaign(tiny(), tmp_path / "whole", bearoff=one_sided, report=lines.append)
    for _ in range(2):
        whole.run(stages=1)
        assert (whole.stage, whole.generation, whole.done) == (1, 2, 0)
    whole.run()
    for _ in range(4):  # one generation a process
        part = Campaign(tiny(), tmp_path / "parts", bearoff=one_sided, report=lines.append)
        before = part.generation
        stop = part.report

        def once(line: str, stop=stop) -> None:
            stop(line)
            if line.startswith("generation"):
                raise KeyboardInterrupt

        part.report = once
        try:
            part.run()
        except KeyboardInterrupt:
            assert part.generation == before + 1
    for name in ("contact", "race", "small"):
        a = (tmp_path / "whole" / f"{name}.fit").read_bytes()
        assert a == (tmp_path / "parts" / f"{name}.fit").read_bytes()
    state = json.loads((tmp_path / "whole" / "state.json").read_text())
    assert state["generation"] == 3 and state["widths"]["contact"] == 128
    with pytest.raises(ValueError, match="seed 1, not backgammon with seed 2"):
        other = recipe.Recipe(**{**tiny().__dict__, "seed": 2})
        Campaign(other, tmp_path / "whole", bearoff=one_sided)


def test_a_campaign_goes_on_from_nets(tmp_path: Path, nets, one_sided):
    """It begins at the stage that refines, with nets that play like those given."""
    play = recipe.SelfPlay(lam=0.0, siblings=3, second=0.1, max_plies=30)
    fit = recipe.Fit(3)
    stages = (
        recipe.Stage("from nothing", 64, 5, 10**9, play, fit),
        recipe.Stage("refine", 64, 1, 300, play, fit, race_steps=3, small_steps=3),
    )
    made = recipe.Recipe(GAME, "backgammon-contact-1", "backgammon-race-1", stages)
    given = {"contact": nets["contact"], "race": nets["race"], "small": nets["small"]}
    campaign = Campaign(made, tmp_path, bearoff=one_sided, nets=given)
    boards = np.array(random_boards(GAME, 40, 5))
    was = evaluator(nets, one_sided).evaluate(boards)
    now = campaign.evaluator(preselect=False).evaluate(boards)
    assert np.abs(was - now).max() < 0.003
    campaign.run()
    assert (campaign.stage, campaign.generation, campaign.done) == (2, 3, 0)
    assert (tmp_path / "nets" / "01-refine" / "backgammon-contact.net").exists()
    with pytest.raises(ValueError, match="race: a net on backgammon-contact-1"):
        Campaign(made, tmp_path / "x", bearoff=one_sided, nets={**given, "race": given["contact"]})


def test_parameters_of_a_net(nets):
    """Quantising what a net gives back makes a net with the same weights."""
    for net in nets.values():
        params = net.params()
        again = type(net).from_params(net.info["features"], **params)
        for name, was in params.items():
            np.testing.assert_allclose(again.params()[name], was, rtol=0, atol=0.003)


def test_targets_are_distributions(nets, one_sided):
    """However noisy the returns are (see also src_c/tests/test_targets.c)."""
    ev = evaluator(nets, one_sided, keep=6)
    plan = {**PLAN, "lam": 1.0, "lam_staged": 1.0, "explore": 0.0, "staged": 0.5}
    samples, _ = _train.selfplay(ev, plan, 4, 0, 60, 1)
    targets = samples["target"][:, :6]
    assert targets.min() >= 0 and targets.max() <= 1
    assert np.abs(targets.sum(1) - 1).max() < 1e-5
