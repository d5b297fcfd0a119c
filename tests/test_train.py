"""Fitting through its border, and campaigns by other rules. The arithmetic itself is checked in
src_c/tests/test_fit.c, campaigns as such in test_selfplay.py."""

import _thread
import json
import threading
from pathlib import Path

import numpy as np
import pytest

from nardy_core._border import _train
from nardy_core._border.errors import NardyError
from nardy_core.cli import main
from nardy_core.errors import FileFormatError
from nardy_core.train import recipe
from nardy_core.train.loop import Campaign

POINTS = (1, 2, 3, -1, -2, -3)
FEATURES = "backgammon-race-1"


def planes_of(counts: np.ndarray) -> np.ndarray:
    """Bit planes (n, 4) of counts (n, 26)."""
    slots = np.uint32(1) << np.arange(26, dtype=np.uint32)
    return np.stack(
        [((counts >> k & 1) * slots).sum(axis=1).astype(np.uint32) for k in range(4)], axis=1
    )


def races(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Boards with all checkers on points 0..12, and a win chance that follows the pip count."""
    rng = np.random.default_rng(seed)
    counts = np.stack([rng.multinomial(15, np.ones(13) / 13, size=n) for _ in range(2)], axis=1)
    counts = np.concatenate([counts, np.zeros((n, 2, 13), dtype=counts.dtype)], axis=2)
    pips = counts @ np.arange(26)
    win = 1 / (1 + np.exp((pips[:, 0] - pips[:, 1] - 4) / 12))
    targets = np.zeros((n, 6), dtype=np.float32)
    targets[:, 0], targets[:, 3] = win, 1 - win
    return np.concatenate([planes_of(counts[:, 0]), planes_of(counts[:, 1])], axis=1), targets


@pytest.fixture(scope="module")
def data() -> np.ndarray:
    boards, targets = races(20_000, 1)
    return _train.samples(boards, targets, groups=np.arange(20_000) // 3)


def small() -> _train.Fit:
    return _train.Fit(FEATURES, 64, 16, 6, seed=1)


def test_learns_and_widens(data):
    fit = small()
    seen = []
    stats = fit.run(data, POINTS, 1500, batch=264, ema=0.99, progress=lambda d, s: seen.append(d))
    assert fit.steps == 1500 and seen[-1] == 1500 and seen == sorted(seen)
    assert stats["steps"] == 150
    assert stats["equity_error"] < 0.03 and stats["difference_error"] < 0.03
    boards, targets = races(1000, 2)
    out = fit.predict(boards)
    assert out.shape == (1000, 6)
    np.testing.assert_allclose(out.sum(axis=1), 1, atol=1e-5)
    error = (out - targets) @ np.array(POINTS)
    assert np.sqrt(np.mean(error**2)) < 0.03
    wide = fit.widen(128)
    assert wide.shape[1] == 128 and wide.features == FEATURES
    assert 0 < np.abs(wide.predict(boards) - out).max() < 1e-3


def test_narrowing_drops_the_units_that_say_nothing(data):
    fit = small()
    fit.run(data, POINTS, 200, batch=264)
    boards, _ = races(500, 2)
    params = fit.params()
    # Every second unit says the same of all boards, however loudly.
    mute = {"w1": np.zeros_like(params["w1"]), "b1": np.full_like(params["b1"], 2.0),
            "w2": 5 * params["w2"]}
    double = {name: value.copy() for name, value in params.items()}
    double["w1"] = np.stack([mute["w1"], params["w1"]], axis=2).reshape(len(params["w1"]), 128)
    double["b1"] = np.stack([mute["b1"], params["b1"]], axis=1).reshape(128)
    double["w2"] = np.stack([mute["w2"], params["w2"]], axis=1).reshape(128, 16)
    double["b2"] = params["b2"] - 2.0 * mute["w2"].sum(axis=0)
    wide = _train.Fit(FEATURES, 128, 16, 6)
    wide.set_params(double)
    slim = wide.narrow(64, boards)
    def units(p: dict) -> set[bytes]:
        return {np.concatenate(pair).tobytes() for pair in zip(p["w1"].T, p["w2"], strict=True)}

    assert units(slim.params()) == units(params)
    np.testing.assert_allclose(slim.params()["b2"], params["b2"], atol=1e-4)
    np.testing.assert_allclose(slim.predict(boards), fit.predict(boards), atol=1e-4)
    # To the same width it puts them in order, once and for all; the moments come along: training
    # goes on as if nothing had been done, where first steps without them are far longer.
    ordered = fit.narrow(64, boards)
    assert ordered.steps == fit.steps and ordered.narrow(64, boards).state() == ordered.state()
    for net in (fit, ordered, slim):
        net.run(data, POINTS, 2, batch=264, lr=(1e-3, 1e-3))
    now = [net.predict(boards, average=False) for net in (fit, ordered, slim)]
    assert np.abs(now[1] - now[0]).max() < 1e-4 < 1e-2 < np.abs(now[2] - now[0]).max()


def test_same_bits(data):
    once = small()
    result = once.run(data, POINTS, 60, threads=1)
    again = small()
    assert again.run(data, POINTS, 60, threads=3) == result
    assert again.state() == once.state()
    state, whole = small().state(), once.state()
    fit = _train.Fit(FEATURES, 64, 16, 6, seed=7)
    fit.load_state(state)
    steps_left = [25]

    class Enough(Exception):
        pass

    def stop(done, _):
        steps_left[0] = done
        if done >= 20:
            raise Enough

    with pytest.raises(Enough):
        fit.run(data, POINTS, 60, progress=stop)
    assert fit.steps == steps_left[0] < 60
    resumed = small()
    resumed.load_state(fit.state())
    resumed.run(data, POINTS, 60, first=fit.steps)
    assert resumed.state() == whole


def test_interrupt(data):
    fit = small()
    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        fit.run(data, POINTS, 10**8)
    assert 0 < fit.steps < 10**8
    assert np.isfinite(fit.predict(data["board"][:10])).all()


def test_parameters_round_trip():
    fit, other = small(), _train.Fit(FEATURES, 64, 16, 6, seed=2)
    params = fit.params(average=False)
    assert [params[name].shape[-1] for name in _train.PARAMETERS] == [64, 64, 16, 16, 6, 6]
    boards, _ = races(50, 3)
    assert not np.array_equal(fit.predict(boards), other.predict(boards))
    other.set_params(params)
    assert np.array_equal(fit.predict(boards), other.predict(boards))


def test_bad_input(data):
    fit = small()
    bad = data[:10].copy()
    bad["target"][3, 0] = np.nan
    too_many = data[:10].copy()
    too_many["board"][4] = 0x03FFFFFF
    for call, words in [
        (lambda: _train.Fit("no-such-set", 64, 16, 6), "features: unknown name 'no-such-set'"),
        (lambda: _train.Fit(FEATURES, 65, 16, 6), "net 65 x 16 x 6"),
        (lambda: fit.run(data[:0], POINTS, 5), "not empty"),
        (lambda: fit.run(data["board"], POINTS, 5), "array of SAMPLE"),
        (lambda: fit.run(bad, POINTS, 5), "argument out of range"),
        (lambda: fit.run(too_many, POINTS, 5), "impossible board"),
        (lambda: fit.run(data, POINTS[:5], 5), "points: expected 6"),
        (lambda: fit.run(data, POINTS, 5, schedule="steps"), "schedule: unknown name"),
        (lambda: fit.predict(too_many["board"]), "impossible board"),
        (lambda: fit.predict(np.zeros((3, 7))), "expected shape"),
        (lambda: fit.load_state(b"short"), "state: "),
        (lambda: fit.widen(32), "widening 64 to 32"),
        (lambda: fit.narrow(128, data["board"][:3]), "narrowing 64 to 128"),
        (lambda: fit.narrow(64, data["board"][:0]), "boards: none"),
        (lambda: fit.use_kernels("none"), "kernels 'none'"),
        (lambda: _train.samples(np.zeros((2, 8)), np.zeros((3, 6))), "targets: expected shape"),
    ]:
        with pytest.raises(NardyError if "kernels" in words else ValueError, match=words):
            call()


@pytest.mark.parametrize("n", [1, 3, 500])
def test_fewer_samples_than_a_minibatch(data, n):
    """A minibatch then holds some of them twice; it must not run over its arrays."""
    fits = [small(), small()]
    for fit, threads in zip(fits, (1, 2), strict=True):
        fit.run(data[:n], POINTS, 30, batch=528, threads=threads)
    assert fits[0].state() == fits[1].state()


# ---- by the rules of a set ----------------------------------------------------------------------


def by_rules(rules: str) -> recipe.Recipe:
    """One generation of long nardy, hardly any games and fitting."""
    stage = recipe.Stage("a", 64, 1, 300, recipe.SelfPlay(lookahead=False), recipe.Fit(2),
                         race_steps=1, small_steps=1)  # fmt: skip
    return recipe.Recipe("long_nardy", "long-nardy-contact-1", "long-nardy-race-1", (stage,),
                         race_width=64, rules=rules)  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "wins", "heads"),
    [("", (1, 2, 3, 4), {14}), ("federation", (1, 2, 2, 2), {14}), ("masters", (1, 2, 2, 3), {13})],
)
def test_self_play_has_the_plays_and_points_of_a_rule_set(
    tmp_path: Path, one_sided, rules, wins, heads
):
    """5-5 in the second player's first turn, whose third step meets a checker: by the masters'
    rules, and theirs alone, two may then leave the head."""
    campaign = Campaign(by_rules(rules), tmp_path, bearoff=one_sided,
                        report=lambda line: None)  # fmt: skip
    campaign.run()
    evaluator = campaign.evaluator()
    assert tuple(evaluator.points) == (*wins, *(-p for p in wins))
    head, other = 24, 24 - 3  # and of the other side's points, 21 is the mover's 9
    own = [15 * (n == head) for n in range(26)]
    opp = [14 * (n == head) + (n == other) for n in range(26)]
    planes = planes_of(np.array([own, opp]))
    after = evaluator.choose(planes.ravel(), (5, 5))[0]
    assert {int(sum((board[k] >> head & 1) << k for k in range(4))) for board in after} == heads
    assert json.loads(campaign.net("contact").info["provenance"]).get("rules", "") == rules
    others = "hrapgame"
    with pytest.raises(ValueError, match=f"run by the rules {rules or 'pronardy'}, not {others}"):
        Campaign(by_rules(others), tmp_path, bearoff=one_sided)


@pytest.mark.parametrize(("begun", "again"), [
    ("", "pronardy"), ("pronardy", ""), ("pronardy", "pronardy,cube=off"),
    ("masters", "head_exception=blocked,scoring=masters"),
    ("larger_die=off", "pronardy,no_larger_die=on"),
])
def test_a_run_goes_on_by_the_same_rules_however_they_are_called(
    tmp_path: Path, one_sided, begun, again
):
    Campaign(by_rules(begun), tmp_path, bearoff=one_sided,
             report=lambda line: None).run()
    state = tmp_path / "state.json"
    assert Campaign(by_rules(again), tmp_path, bearoff=one_sided).generation == 1
    # States of former versions have the name as it was given.
    state.write_text(json.dumps({**json.loads(state.read_text()), "rules": begun}))
    assert Campaign(by_rules(again), tmp_path, bearoff=one_sided).generation == 1


def test_rule_sets_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    words = ["train", "--recipe", "long_nardy", "--scale", "1e-5", "--hours", "1e-9", "--dir"]
    assert main([*words, str(tmp_path / "a"), "--rules", "masters"]) == 0
    assert main([*words, str(tmp_path / "b"), "--rules", "paris"]) == 2
    assert "paris" in capsys.readouterr().err and not (tmp_path / "b").exists()


def test_damaged_checkpoints_are_refused_by_name(tmp_path: Path, one_sided):
    Campaign(by_rules(""), tmp_path, bearoff=one_sided, report=lambda line: None).run()
    state, labels, fit = (
        tmp_path / "state.json", tmp_path / "labels" / "000000.npy", tmp_path / "race.fit")
    kept = {path: path.read_bytes() for path in (state, labels, fit)}
    good = json.loads(kept[state])

    def says(path: Path, data: bytes, words: str) -> None:
        path.write_bytes(data)
        with pytest.raises(FileFormatError) as raised:
            Campaign(by_rules(""), tmp_path, bearoff=one_sided)
        assert str(raised.value).startswith(f"{path}: ") and words in str(raised.value)
        path.write_bytes(kept[path])

    for text in (b"", b"hello", b"[]", b"[" * 100_000, b"\xff"):
        says(state, text, "is not the state of a training run")
    for name in ("game", "seed", "stage", "done", "generation", "games", "seconds", "widths"):
        less = {key: value for key, value in good.items() if key != name}
        says(state, json.dumps(less).encode(), f"{name}: is missing or of another kind")
        says(state, json.dumps({**good, name: [1]}).encode(), f"{name}: is missing or of another")
    says(state, json.dumps({**good, "rules": "paris"}).encode(), "paris")
    says(state, json.dumps({**good, "stage": 999}).encode(), "stage: 999 is not in 0..1")
    wide = {**good, "widths": {**good["widths"], "race": good["widths"]["race"] * 2}}
    state.write_text(json.dumps(wide))
    kept[state] = state.read_bytes()
    says(fit, kept[fit], "as state.json has it")
    state.write_text(json.dumps(good))
    says(fit, kept[fit][:-1], "is not that of the checkpoint")
    np.save(tmp_path / "other.npy", np.zeros(5))
    for data in (b"", b"hello", kept[labels][:100], kept[labels][:-1],
                 (tmp_path / "other.npy").read_bytes()):
        says(labels, data, "does not hold labels")
    labels.with_name("mine.npy").write_bytes(b"of the user")  # nobody's generation
    assert Campaign(by_rules(""), tmp_path, bearoff=one_sided).generation == 1
