"""Rollouts: the same bits however they are run, and means that cover exact values.

Nets have random weights: no result may depend on how good they are but for its variance.
"""

from __future__ import annotations

import io
import json
import math
import queue
import sys
import time

import numpy as np
import pytest
from random_nets import random_nets

import nardy_core as nd
from nardy_core._border._rollout import CHUNK
from nardy_core.evaluator import Evaluator
from nardy_core.rollout import RolloutPlan, RolloutStore

GAME = "backgammon"
OPENING = nd.Position.start(dice=(3, 1))
# Races that end soon, the rest of the checkers off; the last has gammons.
RACE = nd.Position.from_points([0, 0, 2, 2, 0, 0, 1, 1, *[0] * 9, -1, -1, 0, 0, -2, -1, -1, 0, 0])
GAMMONISH = nd.Position.from_points([0, 2, 2, 0, 0, 0, 0, 1, *[0] * 9, -13, -2, *[0] * 7])


def single(own, opp):
    """One checker a side, past each other, fourteen off."""
    assert own + opp < 25
    points = [0] * 26
    points[own], points[25 - opp] = 1, -1
    return nd.Position.from_points(points)


def win_of_single(own, opp, known):
    """Chance of the side on roll with one checker each: every play is forced in effect."""
    if (own, opp) not in known:
        total = 0.0
        for a in range(1, 7):
            for b in range(1, 7):
                pips = a + b if a != b else 4 * a
                total += 1 if pips >= own else 1 - win_of_single(opp, own - pips, known)
        known[own, opp] = total / 36
    return known[own, opp]


@pytest.fixture(scope="module")
def engine():
    return nd.Engine({GAME: random_nets()}, threads=2)


def roll(engine, position, **settings):
    return engine.rollout(position, **settings).wait()


# ---- the same bits ----------------------------------------------------------------------------


def test_same_bits_on_any_threads(engine):
    results = [roll(engine, OPENING, top=3, trials=144, truncate=4, threads=n) for n in (1, 2, 3)]
    assert len({r.signature for r in results}) == 1
    assert results[0].entries == results[1].entries == results[2].entries
    other = roll(engine, OPENING, top=3, trials=144, truncate=4, seed=2)
    assert other.signature != results[0].signature and other.equity != results[0].equity


def test_same_bits_after_stops_and_extensions(engine):
    whole = roll(engine, RACE, trials=720)
    handle = engine.rollout(RACE, trials=36 * 400)
    for partial in handle:
        assert partial.reason in ("running", "stopped")
        if partial.trials >= 72:
            handle.stop()
    stopped = handle.result
    assert not stopped.complete and stopped.reason == "stopped" and stopped.trials % CHUNK == 0
    if stopped.trials < 720:
        assert handle.extend(720).wait().signature == whole.signature
    again = roll(engine, RACE, trials=stopped.trials)
    assert again.signature == stopped.signature and again.complete
    longer = engine.rollout(RACE, trials=360)
    longer.wait()
    assert longer.extend(720).wait().entries == whole.entries
    assert longer.extend(36).wait().trials == 720  # what is done stays done


def test_same_bits_after_saving_and_going_on(engine, tmp_path):
    whole = roll(engine, OPENING, top=2, trials=180, truncate=3)
    part = engine.rollout(OPENING, top=2, trials=72, truncate=3)
    part.wait()
    path = tmp_path / "saved.sums"
    part.save(path)
    for store in (path, str(path), RolloutStore(path)):
        resumed = roll(engine, OPENING, top=2, trials=180, truncate=3, store=store)
        assert resumed.signature == whole.signature and resumed.entries == whole.entries
    assert roll(engine, OPENING, top=2, trials=36, truncate=3, store=path).trials == 36
    state = json.loads(json.dumps(part.state()))
    settings = {"top": 2, "truncate": 3}
    resumed = roll(engine, OPENING, **settings, trials=180, resume=state)
    assert resumed.signature == whole.signature and resumed.entries == whole.entries
    for other, text in [({"seed": 2}, "seed is 1"), ({"top": 3}, "plays is"),
                        ({"truncate": 4}, "truncate is 3")]:
        with pytest.raises(ValueError, match=text):
            engine.rollout(OPENING, **{**settings, **other}, resume=state)
    for broken in ({}, {**state, "chunks": 3}, {**state, "sums": state["sums"][1:]},
                   {**state, "sums": ["x"] * len(state["sums"])}, {**state, "schema": 1}):
        with pytest.raises(ValueError, match="no rollout to go on with"):
            engine.rollout(OPENING, **settings, resume=broken)


def test_trials_come_in_whole_chunks(engine):
    assert roll(engine, RACE, trials=1).trials == 36
    assert roll(engine, RACE, trials=37).trials == 72


# ---- the right values -------------------------------------------------------------------------


@pytest.mark.parametrize(("own", "opp"), [(12, 5), (9, 9), (12, 11), (8, 3)])
def test_covers_exact_values(engine, own, opp):
    exact = 2 * win_of_single(own, opp, {}) - 1
    for reduced in (False, True):
        found = roll(engine, single(own, opp), trials=36 * 36, variance_reduction=reduced)
        # Two rolls are stratified, so the means lie closer than the standard errors allow for.
        assert abs(found.equity - exact) <= 3 * found.standard_error + 1e-6
        if not reduced:  # the nets' luck may speak of gammons, which these games have none of
            win = found.entries[0].nested["win"]
            assert win == pytest.approx((found.equity + 1) / 2, abs=1e-6)


def test_variance_reduction_is_unbiased(engine):
    """Plain and reduced means agree, with luck as judged by nets that know nothing."""
    for position in (RACE, GAMMONISH):
        plain = roll(engine, position, trials=1296, variance_reduction=False, seed=3)
        reduced = roll(engine, position, trials=1296, seed=4)
        error = np.hypot(plain.standard_error, reduced.standard_error)
        assert abs(plain.equity - reduced.equity) < 4 * error
        for name, value in plain.probabilities.items():
            either = np.hypot(
                plain.entries[0].probability_errors[name],
                reduced.entries[0].probability_errors[name],
            )
            assert abs(value - reduced.probabilities[name]) < 4 * either + 1e-4
    assert sum(plain.probabilities.values()) == pytest.approx(1)
    assert sum(reduced.probabilities.values()) == pytest.approx(1, abs=1e-5)
    # Here only the tables decide, which know the luck exactly.
    quiet = roll(engine, single(9, 9), trials=360, variance_reduction=True)
    loud = roll(engine, single(9, 9), trials=360, variance_reduction=False)
    assert quiet.standard_error < loud.standard_error


def test_errors_and_differences_by_hand(engine):
    """Statistics of two candidates with the same dice, and of one of them alone."""
    found = roll(engine, OPENING, plays=["8/5 6/5", "24/21 24/23"], trials=36, truncate=3)
    assert [e.trials for e in found.entries] == [36, 36]
    assert found.entries[0].difference == 0 == found.entries[0].difference_error
    second = found.entries[1]
    assert second.difference == pytest.approx(second.equity - found.equity)
    assert second.difference_error <= second.standard_error + found.standard_error
    low, high = second.interval
    assert high - low == pytest.approx(2 * 1.959964 * second.standard_error)
    alone = roll(engine, second.result, trials=36, truncate=3)
    assert alone.equity == pytest.approx(-second.equity)
    assert alone.standard_error == pytest.approx(second.standard_error)
    assert list(alone.probabilities.values())[:3] == pytest.approx(
        list(second.probabilities.values())[3:]
    )


def spread_of(rows):
    """How far means lie apart, of what their errors say: known within 0.07 from 100 of them."""
    means, errors = np.array(rows).T
    return means.std(ddof=1) / np.sqrt(np.mean(errors**2))


@pytest.mark.parametrize(("truncate", "least"), [(2, 0.5), (3, 0.8)])
def test_errors_of_few_trials_match_the_spread(engine, truncate, least):
    """Few chunks of games of few rolls: the first two explain much, and have not met in all pairs.
    Of a value, and of the difference of two candidates, which have the same dice."""
    middle = nd.Position.parse("XGID=-B---BB-C-a-dCb--c-eAA--A-:0:0:1:00:0:0:0:0:10")
    asked = middle.with_(dice=(3, 1))
    values, differences = [], []
    for seed in range(100):
        settings = {"trials": 4 * CHUNK, "truncate": truncate, "seed": seed}
        found = roll(engine, middle, **settings)
        values.append((found.equity, found.standard_error))
        one, other = roll(engine, asked, plays=["24/20", "8/5 6/5"], **settings).entries
        error = other.difference_error
        if one.play.notation != "24/20":
            one, other = other, one
        differences.append((one.equity - other.equity, error))
    for rows in (values, differences):
        assert least <= spread_of(rows) <= 1.2


def test_errors_of_a_short_race_are_never_too_small(engine):
    """Two rolls explain nearly all of it: half of the plain error stays until most pairs of them
    have been thrown, then what they explain is left out as a whole."""
    race = single(12, 5)
    said = {}
    for chunks in (3, 4, 10, 17, 18, 19):
        found = [roll(engine, race, trials=chunks * CHUNK, seed=seed) for seed in range(60)]
        rows = [(each.equity, each.standard_error) for each in found]
        assert spread_of(rows) <= 1.2
        said[chunks] = np.sqrt(np.mean([error**2 for _, error in rows]))
    assert said[18] < 0.6 * said[17]
    assert said[19] == pytest.approx(said[18], rel=0.1)


@pytest.mark.parametrize("trials", [4 * CHUNK, 19 * CHUNK])
def test_races_of_lone_checkers_are_covered(engine, trials):
    """What is left there by two rolls may lie in pairs that were not thrown."""
    known, off = {}, []
    for own in range(7, 19):
        for opp in range(1, min(25 - own, 8)):
            found = roll(engine, single(own, opp), trials=trials, seed=100 * own + opp)
            exact = 2 * win_of_single(own, opp, known) - 1
            off.append(abs(found.equity - exact) / (found.standard_error + 1e-6))
    assert len(off) == 83
    assert max(off) < 4 and np.mean(np.array(off) < 1.96) >= 0.92


def test_opening_is_as_the_rules_have_it(engine):
    """A game starts with unlike dice, so rollouts of a start position leave doubles out."""
    start = nd.Position.start()
    plain = roll(engine, start, trials=36, truncate=2)
    assert plain.plan.opening
    assert plain.signature == roll(engine, start, trials=36, truncate=2, opening=True).signature
    assert plain.signature != roll(engine, start, trials=36, truncate=2, opening=False).signature
    assert not roll(
        engine, OPENING.with_(dice=None, own=RACE.own, opp=RACE.opp), trials=36
    ).plan.opening
    with pytest.raises(ValueError, match="opening: the roll is known"):
        engine.rollout(OPENING, opening=True)


# ---- stopping ---------------------------------------------------------------------------------


def test_stopping_rules(engine):
    by_se = roll(engine, RACE, trials=10**6, se=0.05)
    assert by_se.reason == "se" and by_se.complete and by_se.standard_error <= 0.05
    # It is the first chunk that satisfies the rule, on any number of threads.
    assert roll(engine, RACE, trials=10**6, se=0.05, threads=3).signature == by_se.signature
    if by_se.trials > 144:
        assert roll(engine, RACE, trials=by_se.trials - 36).standard_error > 0.05
    by_jsd = roll(engine, OPENING, top=2, trials=720, truncate=2, jsd=1e-9)
    assert by_jsd.reason == "jsd" and by_jsd.trials == 144
    limited = roll(engine, OPENING, trials=10**8, top=2, truncate=4, max_time=0.3)
    assert limited.reason == "max_time" and not limited.complete and limited.trials >= 36


def test_stop_answers_at_once(engine):
    handle = engine.rollout(OPENING, top=8, trials=10**7)
    time.sleep(0.05)
    begun = time.monotonic()
    handle.stop()
    assert time.monotonic() - begun < 2  # one trial, even where the machine is busy
    assert not handle.running
    if handle.result is None:
        with pytest.raises(RuntimeError, match="before the first"):
            handle.wait()


def test_progress_and_iteration(engine):
    seen = []
    handle = engine.rollout(RACE, trials=36 * 300, progress=seen.append)
    assert handle.fraction <= 1 and "RolloutHandle" in repr(handle)
    results = list(handle)
    assert results[-1].complete and handle.fraction == 1 and handle.result == results[-1]
    trials = [r.trials for r in results]
    assert trials == sorted(trials) and trials[-1] == 36 * 300
    assert seen and seen[-1].trials == 36 * 300

    made = queue.Queue()
    handle = engine.rollout(RACE, trials=10**9, progress=lambda _: made.get().stop())
    made.put(handle)
    assert handle.wait().reason == "stopped"

    def fails(_):
        raise ZeroDivisionError("in the callback")

    with pytest.raises(ZeroDivisionError):
        engine.rollout(RACE, trials=36, progress=fails).wait()


def test_wait_times_out(engine):
    handle = engine.rollout(OPENING, trials=10**7)
    with pytest.raises(TimeoutError):
        handle.wait(0.01)
    with pytest.raises(RuntimeError, match="still running"):
        handle.extend(36)
    handle.stop()


# ---- what is asked and shown ------------------------------------------------------------------


def test_documents(engine):
    found = roll(engine, OPENING, top=2, trials=36, truncate=4)
    data = json.loads(json.dumps(found.to_dict()))
    keys = {"equity", "standard_error", "probabilities", "trials"}
    assert data.keys() >= keys | {"seed", "signature", "candidates", "level"}
    assert all(c.keys() >= keys | {"play", "result", "difference"} for c in data["candidates"])
    assert data["candidates"][0]["equity"] == data["equity"]
    text = str(found)
    assert "±" in text and "truncated at 4" in text and found.signature in text
    assert "candidates" not in roll(engine, RACE, trials=36).to_dict()


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"trials": 0}, "trials"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**64}, "seed"),
        ({"se": 0.0}, "se"),
        ({"jsd": -1.0}, "jsd"),
        ({"max_time": float("nan")}, "max_time"),
        ({"truncate": -1}, "truncate"),
    ],
)
def test_bad_plans(settings, text):
    with pytest.raises(ValueError, match=text):
        RolloutPlan(**settings)


def test_bad_questions(engine):
    for settings, text in [
        ({"plays": ["8/5 6/5"], "top": 2}, "either"),
        ({"plays": ["1/2"]}, "play"),
        ({"plays": []}, "0 plays"),
        ({"plays": RACE.legal_plays((1, 2))[:1]}, "another position"),
        ({"threads": 0, "top": 1}, "threads"),
    ]:
        with pytest.raises(ValueError, match=text):
            engine.rollout(OPENING, **settings)
    with pytest.raises(ValueError, match="candidates need dice"):
        engine.rollout(RACE, top=2)
    over = nd.Position.from_points([0, *[0] * 23, -1, 0])
    with pytest.raises(ValueError, match="over"):
        engine.rollout(over)


# ---- the sieve before luck --------------------------------------------------------------------


def test_sieve_only_leaves_out():
    """With room for all results of a roll it changes nothing."""
    nets = random_nets()

    def made(sift):
        return Evaluator(GAME, {"contact": nets["contact"], "race": nets["race"]},
                         small={"contact": nets["small"]}, keep=1, within=0.0, sift=sift)

    whole, roomy, tight, again = made(0), made(64), made(4), made(4)
    crowded = nd.Position.from_points([0, -2, 0, 0, 0, 2, 3, 0, 2, *[0] * 4, -4, 3, 0, 0, -3, 0,
                                       -4, -2, 0, 0, 3, 2, 0])
    for position in (RACE, GAMMONISH, crowded):
        board = position.board
        counts = [len(position.legal_plays((a, b))) for a in range(1, 7) for b in range(a, 7)]
        if max(counts) <= 64:
            assert (roomy.lookahead(board)[2] == whole.lookahead(board)[2]).all()
        _, best, values = tight.lookahead(board)
        assert (values == again.lookahead(board)[2]).all()
        small = [n <= 4 for n in counts]
        assert (best[small] == whole.lookahead(board)[1][small]).all()
    with pytest.raises(ValueError, match="sift"):
        made(65)


# ---- dropped candidates, chances to be the best, progress -------------------------------------


def test_hopeless_candidates_are_dropped(engine):
    """The first 144 trials decide about some; who is left goes on, with the bits it would have."""
    settings = {"top": 6, "truncate": 2}
    found = roll(engine, OPENING, trials=720, jsd=20, **settings)
    trials = [e.trials for e in found.entries]
    assert len(set(trials)) > 1 and max(trials) == found.trials and min(trials) >= 144
    assert found.reason in ("jsd", "trials")
    again = roll(engine, OPENING, trials=720, jsd=20, threads=3, **settings)
    assert again.signature == found.signature and again.entries == found.entries
    for entry in found.entries:  # each has the sums of a rollout of its own length
        alone = roll(engine, OPENING, plays=[entry.play], trials=entry.trials, truncate=2)
        assert alone.equity == entry.equity and alone.standard_error == entry.standard_error
    assert found.entries[0].trials == found.trials  # whoever was dropped is no best play
    handle = engine.rollout(OPENING, trials=720, jsd=20, **settings)
    handle.wait()
    whole = roll(engine, OPENING, trials=720, **settings)
    assert handle.extend(720).wait().entries == whole.entries


def test_chance_to_be_best(engine):
    found = roll(engine, OPENING, top=3, trials=144, truncate=2)
    chances = [e.best_chance for e in found.entries]
    assert sum(chances) == pytest.approx(1) and chances[0] == max(chances)
    two = roll(engine, OPENING, top=2, trials=144, truncate=2).entries[1]
    z = two.difference / two.difference_error
    assert two.best_chance == pytest.approx((1 + math.erf(z / 2**0.5)) / 2, abs=0.03)
    assert roll(engine, RACE, trials=36).best.best_chance == 1


@pytest.mark.parametrize("position", [
    nd.Position.parse("w=6:4,3:3,1:5 b=24:2,10:5,5:8 turn=w"), GAMMONISH,
    nd.Position.parse("w=6:4,3:3,1:5 b=24:2,10:5,5:8 turn=w last_roll=equalize")],
    ids=["long", "short", "with draws"])
def test_text_shows_chances_that_can_be(position):
    """With the luck taken out by a poor net some come out below 0: as they are in numbers for
    programs, not in a table for people, which says so."""
    engine = nd.Engine({position.game: random_nets(position.game)}, threads=1)
    below = 0
    for seed in range(1, 7):
        for reduced in (True, False):
            found = roll(engine, position, trials=CHUNK, seed=seed, variance_reduction=reduced)
            raw = found.probabilities
            assert found.to_dict()["probabilities"] == pytest.approx(dict(raw), abs=1e-6)
            cells = [float(cell) for cell in found.rows()[1][5:]]
            assert all(0 <= cell <= 100 for cell in cells) and "-0.00" not in found.rows()[1][5:]
            lines = [line for line in found.text().splitlines() if "came out below 0" in line]
            if position.game == "backgammon":
                assert cells[0] >= cells[1] >= cells[2] and 100 - cells[0] >= cells[3] >= cells[4]
            else:
                assert sum(cells) == pytest.approx(100, abs=0.05)
            least = 100 * min(raw.values())
            assert len(lines) == (round(least, 2) < 0)
            if lines:
                below += 1
                assert f"down to {least:.2f} %" in lines[0] and reduced
            else:
                shown = found.best.nested or raw
                assert cells[:len(shown)] == pytest.approx(
                    [100 * p for p in shown.values()], abs=0.1)
    assert below


def test_results_without_spread(engine):
    """Exact tables answer from the first ply on and take all luck out: what is left of variances
    and of products is rounding, in which some candidates have more than they can have."""
    position = nd.Position.parse("x=6:1,4:2,3:1,2:1,1:1 o=6:4,5:1,2:2,1:1 turn=x")
    for truncate in (1, 2, 3):
        found = roll(engine, position.with_(dice=(3, 1)), trials=CHUNK, truncate=truncate)
        assert all(e.standard_error < 1e-6 for e in found.entries)
        chances = [e.best_chance for e in found.entries]
        level = sum(e.difference == 0 for e in found.entries)
        assert sum(chances) == pytest.approx(1) and sum(chances[:level]) > 0.99


def test_progress_is_told(engine, monkeypatch):
    """JSON lines for programs, a table for people, with rich and without it."""
    from nardy_core.cli.progress import Progress

    first, second = (roll(engine, OPENING, top=2, trials=n, truncate=2) for n in (36, 72))

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def shown(kind, terminal):
        stream = Terminal() if terminal else io.StringIO()
        monkeypatch.setattr(sys, "stderr", stream)
        bar = Progress(kind)
        for result in (first, second):
            bar(result)
        bar.close()
        return stream.getvalue()

    lines = [json.loads(line) for line in shown("json", False).splitlines()]
    assert [line["trials"] for line in lines] == [36, 72]
    assert lines[0]["trials_per_second"] is None is lines[0]["seconds_left"]
    assert lines[1]["trials_per_second"] > 0 and lines[1]["seconds_left"] == 0
    candidate = lines[1]["candidates"][0]
    assert candidate["equity"] == pytest.approx(second.equity, abs=1e-6)
    assert candidate["interval"][0] < candidate["equity"] < candidate["interval"][1]
    assert shown("auto", False) == shown("none", True) == ""
    monkeypatch.setitem(sys.modules, "rich.live", None)
    plain = shown("auto", True)
    assert plain.count("trials/s") == 1  # the first line has nothing to compare with
    for text in ("95 % interval", "best", "72", "trials/s", f"{second.equity:+.4f}", "\x1b[J"):
        assert text in plain
    monkeypatch.delitem(sys.modules, "rich.live")
    pytest.importorskip("rich")
    assert "trials/s" in shown("auto", True)
