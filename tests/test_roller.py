"""Rollers, held against the rollouts they stand for; move filters by name. On random nets."""
from __future__ import annotations

import argparse
import dataclasses
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from random_nets import keep_random_nets, random_nets

import nardy_core as nd
from nardy_core.cli import parser
from nardy_core.cube import CubeEfficiency
from nardy_core.errors import Cancelled
from nardy_core.evaluator import Plan, Stop
from nardy_core.filters import FILTERS, WIDTHS
from nardy_core.levels import LEVELS, ROLLERS, Roller, check_level, level_name
from nardy_core.match import MatchEquity

GAME = "backgammon"
MIDDLE = nd.Position.parse("XGID=-a-B--C-BA--cD--Ac-e----b-:0:0:1:21:0:0:0:0:10")
MATCH = MIDDLE.with_(match_length=7, score_own=2, score_opp=4)


@pytest.fixture(scope="module")
def engine():
    return nd.Engine({GAME: random_nets()}, threads=1)


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """A level of 36 games, so that much can be looked at."""
    monkeypatch.setitem(ROLLERS, "roller", Roller("roller", 36, 4, plies=1, keep=3, within=5.0))


def rollout(engine, position, roller, **more):
    return engine.rollout(
        position, trials=roller.trials, truncate=roller.truncate, level=roller.level,
        late=roller.late, late_level=roller.late_level, **more).wait()


def test_levels_by_name():
    assert LEVELS == (0, 1, 2, 3, 4, "roller", "roller+", "roller++")
    assert [level_name(level) for level in (0, 2, "roller+")] == ["0-ply", "2-ply", "roller+"]
    for level in (*LEVELS,):
        check_level(level)
    for wrong in (5, -1, "2", "Roller", "roller+++"):
        with pytest.raises(ValueError, match=r"level: .* is not 0\.\.4 or one of roller, roller\+"):
            nd.Engine().analyse(MIDDLE, level=wrong)


@pytest.mark.parametrize("name", ["level", "cube_level", "late_level", "late_cube_level"])
def test_rollers_are_not_for_plays_inside_rollouts(engine, nardy, name):
    with pytest.raises(ValueError, match=rf"^{name}: roller\+ is itself a rollout: .* 0\.\.4 pl"):
        engine.rollout(MIDDLE, trials=36, late=3, cubeful=True, **{name: "roller+"})
    option = f"--{name.replace('level', 'ply').replace('_', '-')}"
    code, out, error = nardy("rollout", MIDDLE.id(), "--late", 3, option, "roller+")
    assert code == 2 and not out and error.count("\n") == 1
    assert f"{option}: roller+ is itself a rollout" in error


def test_a_beaver_that_ends_the_cube_is_worth_what_the_chances_say(engine):
    """Cubes to 4: the beavered one is turned no more, so it is worth its points, whatever the
    rollouts say of the take; where nobody may turn it further the verdict follows from that."""
    plain = MIDDLE.with_(dice=None, max_cube=4, beavers=True)
    result = rollout(engine, plain, ROLLERS["roller"], cubeful=True)
    for found in (engine.cube(plain, "roller"), result.decision):
        points = sum(p * worth for p, worth in zip(
            found.probabilities.values(), (1, 2, 3, -1, -2, -3), strict=True))
        assert found.lines["beaver"].equity == pytest.approx(4 * points, abs=1e-9)
        beavered = max(4 * points, -2)
        assert abs(beavered - found.double_take) > 1e-3
        assert found.action.endswith("beaver") is (beavered < min(found.double_take, 1))


@pytest.mark.parametrize("place", [MIDDLE, MATCH], ids=["money", "match"])
@pytest.mark.parametrize("cubeful", [True, False])
def test_plays_are_worth_what_their_rollout_says(engine, place, cubeful):
    """Each play for itself: its dice do not depend on who else is rolled out."""
    found = engine.analyse(place, level="roller", cubeful=cubeful)
    assert found.level == "roller" == found.best.level and found.cubeful is cubeful
    rolled = [c for c in found.candidates if c.level == "roller"]
    rest = found.candidates[len(rolled):]
    assert len(rolled) >= 3 and rest and all(isinstance(c.level, int) for c in rest)
    for candidate in rolled:
        entry, = rollout(engine, place, ROLLERS["roller"], plays=[candidate.play],
                         cubeful=cubeful).entries
        assert candidate.equity == pytest.approx(entry.equity, abs=1e-6)
        assert candidate.evaluation.trials == entry.trials == 36
        assert candidate.evaluation.standard_error == entry.standard_error
        assert sum(candidate.probabilities.values()) == pytest.approx(1)
        assert candidate.mwc == (entry.mwc if cubeful else None)
    equities = [c.equity for c in rolled]
    assert equities == sorted(equities, reverse=True)
    assert all(c.equity <= equities[0] for c in rest)
    assert [c.difference for c in rolled] == pytest.approx([e - equities[0] for e in equities])
    before = engine.analyse(place, level=1, cubeful=cubeful)
    assert found.total == before.total == len(found.candidates)


def test_who_was_left_behind_and_is_ahead_is_rolled_out(engine, monkeypatch):
    monkeypatch.setitem(ROLLERS, "roller", Roller("roller", 36, 4, plies=0, keep=1, within=0.0))
    caught_up = 0
    for dice in [(2, 1), (3, 1), (6, 4), (4, 3)]:
        found = engine.analyse(MIDDLE, dice, level="roller", cubeful=False)
        rolled = [c for c in found.candidates if c.level == "roller"]
        caught_up += len(rolled) > 1
        assert max(c.equity for c in found.candidates) == found.best.equity
    assert caught_up


def test_top_and_include(engine):
    whole = engine.analyse(MIDDLE, level="roller")
    last = whole.candidates[-1].play
    assert isinstance(whole.candidates[-1].level, int)
    some = engine.analyse(MIDDLE, level="roller", top=5)
    assert [c.level for c in some.candidates] == ["roller"] * 5
    one = engine.analyse(MIDDLE, level="roller", top=1, include=[last])
    assert one.best == whole.best
    assert (one.candidates[-1].play, one.candidates[-1].level) == (last, "roller")


def test_same_bits_on_any_number_of_threads(engine):
    other = nd.Engine({GAME: random_nets()}, threads=3)
    for place in (MIDDLE, MATCH):
        plain = place.with_(dice=None)
        assert engine.analyse(place, level="roller").to_dict() == other.analyse(
            place, level="roller").to_dict()
        assert engine.cube(plain, "roller").to_dict() == other.cube(plain, "roller").to_dict()
        assert engine.evaluate(plain, "roller") == other.evaluate(plain, "roller")


@pytest.mark.parametrize("place", [MIDDLE, MATCH], ids=["money", "match"])
def test_cube_and_evaluation(engine, place):
    plain = place.with_(dice=None)
    found = engine.cube(plain, "roller")
    result = rollout(engine, plain, ROLLERS["roller"], cubeful=True)
    stay, take = result.entries
    assert (found.level, found.trials) == ("roller", 36)
    assert (found.no_double, found.double_take) == pytest.approx((stay.equity, take.equity))
    assert found.double_pass == 1.0 and found.standard_error in (
        0.0, stay.standard_error, take.standard_error)
    value = engine.evaluate(place, "roller")
    entry, = rollout(engine, plain, ROLLERS["roller"]).entries
    assert dict(value.probabilities) == pytest.approx(dict(entry.probabilities), abs=1e-6)
    assert (value.cubeful, value.mwc) == (found.best, found.best_mwc)
    assert value.to_dict()["trials"] == 36 and value.text().startswith("roller  equity")
    many = engine.evaluate_many([place, plain.swap()], level="roller")
    assert many[0].tolist() == pytest.approx(list(value.probabilities.values()))
    assert many.shape == (2, 6)


def steep():
    """A table of nobody's: a point is worth more the nearer the end, unlike for the two players."""
    rows = [[0.5 + (b - a) / 20 + 0.01 * (b > a) for b in range(1, 8)] for a in range(1, 8)]
    return MatchEquity.of_rows(rows, ([0.5, 0.45, 0.2, 0.1, 0.05, 0.02, 0.01],
                                      [0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02]), "steep")


@pytest.mark.parametrize("turn", [0, 1])
def test_own_tables_and_efficiencies_serve_as_for_plies(engine, tmp_path, turn):
    """A table as an object, as a file of it, or by name; an efficiency for all, or by class. Plays
    and cube decisions by it are those of its rollout, and unlike those by another."""
    table, efficiency = steep(), CubeEfficiency(contact=0.9)
    own = {"met": table, "efficiency": efficiency}
    plain = MATCH.with_(dice=None, turn=turn)
    found = engine.cube(plain, "roller", **own)
    seen = table if turn == 0 else table.swap()
    assert found.met == "steep" and found.efficiency == 0.9
    for line in found.lines.values():
        assert line.mwc == pytest.approx(seen.mwc_of_emg(line.equity, 5, 3), abs=1e-12)
    assert found.lines["double_pass"].mwc == seen.mwc(4, 3)
    result = rollout(engine, plain, ROLLERS["roller"], cubeful=True, **own)
    assert [e.equity for e in result.entries] == pytest.approx(
        [found.no_double, found.double_take])
    assert result.decision.windows == found.windows
    assert result.to_dict()["efficiencies"]["contact"] == 0.9
    usual = engine.cube(plain, "roller")
    assert abs(found.no_double - usual.no_double) > 1e-3
    value = engine.evaluate(plain, "roller", **own)
    assert (value.cubeful, value.mwc) == (found.best, found.best_mwc)

    plays = engine.analyse(MATCH.with_(turn=turn), level="roller", **own)
    entry, = rollout(engine, MATCH.with_(turn=turn), ROLLERS["roller"], cubeful=True,
                     plays=[plays.best.play], **own).entries
    assert (plays.best.equity, plays.best.mwc) == (entry.equity, entry.mwc)
    file = tmp_path / "steep.csv"
    file.write_text(table.to_csv())
    again = engine.cube(plain, "roller", met=str(file), efficiency=efficiency)
    assert again.no_double == pytest.approx(found.no_double, abs=1e-6)
    woolsey = engine.cube(plain, "roller", met="woolsey").to_dict()
    assert engine.cube(plain, "roller", met=MatchEquity.open("woolsey")).to_dict() == woolsey


def test_a_cube_that_cannot_be_turned(engine):
    plain = MIDDLE.with_(dice=None, cube=2, cube_owner="opp")
    found = engine.cube(plain, "roller")
    entry, = rollout(engine, plain, ROLLERS["roller"], cubeful=True).entries
    assert found.no_double == pytest.approx(entry.equity) and found.double is None
    assert set(found.lines) == {"no_double"}
    assert engine.evaluate(plain, "roller").cubeful == pytest.approx(entry.equity)


def test_many_and_finished(engine):
    one = engine.analyse(MIDDLE, level="roller", top=1)
    both = engine.analyse_many([MIDDLE, MATCH], level="roller", top=1)
    assert [found.level for found in both] == ["roller"] * 2
    assert both[0].to_dict() == one.to_dict()
    over = nd.Position.from_points([0, 1, *[0] * 24]).with_(opp=(15, *[0] * 25))
    found = engine.evaluate(over, "roller")
    assert found.level == "roller" and found.win == 0.0


def test_stop(engine):
    stop = Stop()
    stop.set()
    for work in (engine.analyse, engine.evaluate, engine.cube):
        with pytest.raises(Cancelled):
            work(MIDDLE, level="roller++", stop=stop)


def test_commands(nardy, tmp_path):
    nets = keep_random_nets(tmp_path)
    code, out, _ = nardy("moves", MIDDLE.id(), "--level", "roller", "--nets", nets, "--format",
                         "json", "--top", "2")
    assert code == 0 and [c["level"] for c in json.loads(out)["candidates"]] == ["roller"] * 2
    code, out, _ = nardy("eval", MIDDLE.id(), "--level", "roller", "--nets", nets)
    assert code == 0 and out.startswith("roller  equity")
    code, out, _ = nardy("cube", MIDDLE.id(), "--ply", "roller", "--nets", nets, "--format", "json")
    assert code == 0 and json.loads(out)["level"] == "roller"
    for words in (("--level", "rollo"), ("--filter", "x")):
        code, out, err = nardy("moves", MIDDLE.id(), *words)
        assert (code, out) == (2, "") and words[0] in err


# ---- filters by name ----------------------------------------------------------------------------


def test_filters(engine):
    names = list(FILTERS)
    assert names == ["tiny", "narrow", "normal", "large", "huge"] == list(WIDTHS)
    for lower, higher in zip(names, names[1:], strict=False):
        for part in ("contact", "race"):
            for narrow, wide in zip(WIDTHS[lower][part], WIDTHS[higher][part], strict=True):
                assert narrow[0] <= wide[0] and narrow[1] <= wide[1]
    counts = dict.fromkeys(names, 0)
    for dice in [(2, 1), (4, 3), (6, 4), (1, 1)]:
        for name in names:
            found = engine.analyse(MIDDLE, dice, level=1, plan=name)
            counts[name] += sum(c.level == 1 for c in found.candidates)
        assert engine.analyse(MIDDLE, dice, level=2).to_dict() == engine.analyse(
            MIDDLE, dice, level=2, plan="normal").to_dict()
    assert list(counts.values()) == sorted(counts.values()) and counts["tiny"] < counts["huge"]


def test_filters_go_by_class(engine):
    """A race is filtered by the widths of races."""
    race = nd.Position.parse("XGID=-CBBBB-A------------baebb-:0:0:1:21:0:0:0:0:10")
    for name, widths in WIDTHS.items():
        own = Plan(promote=widths["race"])
        assert engine.analyse(race, level=1, plan=name).to_dict() == engine.analyse(
            race, level=1, plan=own).to_dict()


def test_the_filter_of_an_engine():
    """It holds where a call does not say, and answers name it."""
    usual = nd.Engine({GAME: random_nets()}, threads=1)
    wide = nd.Engine({GAME: random_nets()}, threads=1, plan="huge")
    found = wide.analyse(MIDDLE, level=1)
    told = usual.analyse(MIDDLE, level=1, plan="huge")
    assert found.candidates == tuple(
        dataclasses.replace(c, evaluation=dataclasses.replace(c.evaluation, engine=found.engine))
        for c in told.candidates)
    assert found.engine.to_dict() == {**told.engine.to_dict(), "filter": "huge"}
    assert str(found.engine).endswith(", huge filter")
    few = usual.analyse(MIDDLE, level=1)
    assert wide.analyse(MIDDLE, level=1, plan="normal").to_dict()["candidates"] == (
        few.to_dict()["candidates"])
    tiny = nd.Engine({GAME: random_nets()}, threads=1, plan="tiny")
    searched = [sum(c.level == 1 for dice in [(2, 1), (4, 3), (6, 4), (1, 1)]
                    for c in e.analyse(MIDDLE, dice, level=1).candidates) for e in (tiny, wide)]
    assert searched[0] < searched[1]
    assert nd.Engine(plan="normal").plan is None


def test_plays_in_trials_are_filtered(tmp_path):
    """Of a trial's plays with look-ahead; it is part of the question, and goes to workers."""
    engine = nd.Engine({GAME: random_nets()}, threads=1)
    # With nets that know nothing what a ply sees first is seldom best: widths tell at once.
    asked = {"plays": ["8/7 6/4"], "trials": 36, "truncate": 3, "level": 1}
    usual, tiny = (engine.rollout(MIDDLE, plan=plan, **asked) for plan in (None, "tiny"))
    assert usual.wait().entries != tiny.wait().entries
    assert tiny.result.to_dict()["filter"] == "tiny"
    assert "filter" not in usual.result.to_dict() and "plan" not in usual.question.to_dict()
    assert engine.rollout(MIDDLE, plan="normal", **asked).question.key == usual.question.key
    other = nd.Engine({GAME: random_nets()}, threads=1, plan="tiny")
    with ThreadPoolExecutor(1) as pool:
        again = other.rollout(MIDDLE, executor=pool, store=tmp_path / "x.sums", **asked)
        assert again.wait().signature == tiny.result.signature
    with pytest.raises(ValueError, match="holds another rollout: plan is tiny, asked is None"):
        engine.rollout(MIDDLE, store=tmp_path / "x.sums", **asked)
    static = {**asked, "level": 0}
    assert other.rollout(MIDDLE, **static).question.key == engine.rollout(
        MIDDLE, **static).question.key
    del asked["plays"]
    (_, many, _), = other.rollout_many([MIDDLE], top=1, **asked)
    assert many.plan.plan == "tiny"
    with pytest.raises(ValueError, match="plan: 'wide' is not one of"):
        engine.rollout(MIDDLE, plan="wide", **asked)


def test_commands_with_a_filter(nardy):
    """Those that search plays, through one definition."""
    having = set()

    def look(made, name):
        inner = [a for a in made._actions if isinstance(a, argparse._SubParsersAction)]
        having.update(name for a in made._actions if "--filter" in a.option_strings)
        for action in inner:
            for word, one in action.choices.items():
                look(one, f"{name} {word}".strip())

    look(parser(), "")
    assert having == {"moves", "rollout", "analyse", "table met", "table rolls", "table openings",
                      "table replies", "serve http", "serve gnubg", "serve ubgi"}
    place = MIDDLE.id("xgid")
    levels = {}
    for name in ("tiny", "huge"):
        code, out, _ = nardy("moves", place, "--level", 1, "--filter", name, "--format", "json")
        found = json.loads(out)
        assert code == 0 and found["engine"]["filter"] == name
        levels[name] = [c["level"] for c in found["candidates"]].count(1)
    assert levels["tiny"] < levels["huge"]
    code, out, _ = nardy("table", "rolls", place, "--level", 1, "--filter", "tiny", "--format",
                         "json")
    assert code == 0 and json.loads(out)["engine"]["filter"] == "tiny"
    code, out, _ = nardy("rollout", place, "--top", 1, "--trials", 36, "--truncate", 2, "--ply", 1,
                         "--filter", "tiny", "--format", "json", "--quiet")
    assert code == 0 and json.loads(out)["filter"] == "tiny"
    code, _, err = nardy("moves", place, "--filter", "wide")
    assert code == 2 and "'wide' is not one of tiny, narrow, normal, large, huge" in err


def test_unknown_filter(engine):
    for ask in (engine.analyse, engine.evaluate, engine.cube):
        with pytest.raises(ValueError, match="plan: 'wide' is not one of tiny, narrow, normal"):
            ask(MIDDLE, level=1, plan="wide")
