"""The last-roll equaliser: when the starter has borne off everything, the second player rolls once
more; a draw if he finishes, too, else he loses by what is left after that roll.

The truth is the slow rules of the twin, played to the end. Nets are random: nothing here depends on
how good they are.
"""

from __future__ import annotations

import functools
import random

import numpy as np
import pytest
from random_nets import random_nets
from sides import side
from twin import long_nardy as twin

import nardy_core as nd
from nardy_core import cube, rules
from nardy_core.duel import duel
from nardy_core.games import last_roll
from nardy_core.play import legal_plays

ROLLS = [(a, b) for a in range(1, 7) for b in range(a, 7)]
WEIGHTS = [1 if a == b else 2 for a, b in ROLLS]
DONE = (15, *[0] * 25)


@pytest.fixture(scope="module")
def engine():
    return nd.Engine({"long_nardy": random_nets("long_nardy")}, threads=2)


def position(own, opp, second, **rules):
    """`second`: the side on roll is the second player."""
    words = {"last_roll": "equalize", **rules}
    if second:
        words["second_player"] = True
    return nd.Position("long_nardy", own, opp, rules=words)


def classes_of_last_roll(loser, scoring):
    """Chances of the second player's losses oin, mars, koks, home mars in his last roll; the rest
    are draws. Each roll is played to lose least, of equal losses the first."""
    found = np.zeros(4)
    for roll, weight in zip(ROLLS, WEIGHTS, strict=True):
        worth = set()
        for end in twin.results(twin.from_counts(loser, DONE), *roll):
            drawn = end[1] == (15, 15)
            kind = None if drawn else twin.category(end, 0)
            worth.add((0, 0) if drawn else (scoring[kind], kind))
        points, kind = min(worth)
        if points:
            found[kind] += weight / 36
    return found


LOSERS = [
    side(p1=1), side(p1=2), side(p2=3), side(p6=4), side(p1=15), side(p6=15),
    side(p1=3, p6=12), side(p7=1, p1=14), side(p8=1, p6=14), side(p12=15),
    side(p18=1, p1=14), side(p19=1, p2=14), side(p24=1, p1=14), side(p20=2, p3=13),
    side(p24=15), side(p9=2, p6=13), side(p7=2, p2=13), side(p6=1, p5=1),
]


@pytest.mark.parametrize("scoring", [(1, 2, 3, 4), (1, 2, 2, 3), (1, 2, 2, 2), (1, 5, 2, 3)])
def test_every_class_in_the_last_roll(engine, scoring):
    """What the game is worth when the starter is done, in every class, for either side to move."""
    seen = np.zeros(4)
    for loser in LOSERS:
        wanted = classes_of_last_roll(loser, scoring)
        due = position(loser, DONE, True, scoring=scoring)
        assert due.last_roll_due and not due.finished
        for level in (0, 1, 2):
            found = engine.evaluate(due, level)
            assert list(found.probabilities.values()) == pytest.approx([0] * 4 + list(wanted))
            assert found.draw == pytest.approx(1 - wanted.sum(), abs=1e-6)
            assert found.equity == pytest.approx(-wanted @ scoring, abs=1e-6)
        seen += wanted
        # No last roll is left where the second player has finished, or the rules grant none.
        for over in (position(loser, DONE, False, scoring=scoring),
                     position(loser, DONE, True, last_roll="none", scoring=scoring)):
            kind = twin.category(twin.from_counts(loser, DONE), 0)
            assert over.finished and not over.last_roll_due
            assert list(engine.evaluate(over).probabilities.values())[4 + kind] == 1
    assert (seen > 0.5).all()


def test_plays_of_the_last_roll(engine):
    """They are ranked by what is left after them, and the results are finished games."""
    rng = random.Random(2)
    for loser in LOSERS:
        due = position(loser, DONE, True, scoring=(1, 2, 3, 4))
        roll = rng.randint(1, 6), rng.randint(1, 6)
        ends = {tuple(twin.counts(end, 0)) for end in
                twin.results(twin.from_counts(loser, DONE), *roll)}
        assert {play.result.opp for play in legal_plays(due, roll)} == ends
        best = engine.analyse(due, roll).best
        assert best.equity == -last_roll(due, roll)[0]
        assert best.result.finished and not best.result.last_roll_due
        for play in legal_plays(due, roll):
            for form in ("text", "ndid"):
                assert nd.Position.parse(play.result.id(form)) == play.result


@functools.cache
def value(ring, starter, scoring):
    """(mean of points for the side to move, its eight chances) under best play by both."""
    turn = ring[2]
    total, chances = 0.0, np.zeros(8)
    for roll, weight in zip(ROLLS, WEIGHTS, strict=True):
        best = None
        for end in twin.results(ring, *roll):
            after = (*end[:2], 1 - turn)
            if end[1][turn] < 15:
                worth, theirs = value(after, starter, scoring)
                found = -worth, np.roll(theirs, 4)
            elif turn == starter:
                left = classes_of_last_roll(tuple(twin.counts(end, 1 - turn)), scoring)
                found = float(left @ scoring), np.concatenate([left, np.zeros(4)])
            else:
                kind = twin.category(end, 1 - turn)
                found = float(scoring[kind]), np.eye(8)[kind]
            if best is None or found[0] > best[0]:
                best = found
        total += weight / 36 * best[0]
        chances = chances + weight / 36 * best[1]
    return total, chances


def truth(asked):
    """As `value`, of a position."""
    scoring = rules.points(asked.rules)[:4]
    starter = 1 if asked.rules["second_player"] else 0
    return value(twin.from_counts(asked.own, asked.opp), starter, scoring)


SMALL = [
    (side(p1=1), side(p1=1)), (side(p6=1), side(p5=1)), (side(p4=1), side(p6=1)),
    (side(p1=2), side(p1=2)), (side(p6=2), side(p4=1, p5=1)), (side(p2=3), side(p6=2)),
]


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("number", range(len(SMALL)))
def test_bear_offs_by_the_table(engine, number, second):
    """The table plays to be off soon, best play here knows the other side: near, and the same with
    nothing to choose."""
    own, opp = SMALL[number]
    asked = position(own, opp, second)
    wanted, chances = truth(asked)
    found = engine.evaluate(asked)
    near = 1e-6 if number < 3 else 0.01
    assert found.equity == pytest.approx(wanted, abs=near)
    assert list(found.probabilities.values()) == pytest.approx(list(chances), abs=near)
    assert found.draw == pytest.approx(1 - chances.sum(), abs=2 * near)
    plain = engine.evaluate(asked.with_(rules={}))
    change = found.equity - plain.equity
    # Who is on roll and needs one roll has no use for another.
    sure = second and number in (0, 3)
    assert abs(change) < 1e-6 if sure else change > 0.001 if second else change < -0.001
    other = asked.swap()
    assert other.rules["second_player"] != asked.rules["second_player"]
    assert engine.evaluate(other).equity == pytest.approx(truth(other)[0], abs=near)


def test_home_mars_and_oin_by_hand(engine):
    """Fifteen on the six point: one comes off with any six, 5-1, 4-2, 3-3 and 2-2."""
    asked = position(side(p1=1), side(p6=15), False)
    found = engine.evaluate(asked).probabilities
    assert (found["win_home_mars"], found["win_oin"]) == pytest.approx((19 / 36, 17 / 36))
    second = engine.evaluate(asked.with_(rules={"last_roll": "equalize", "second_player": True}))
    assert second.probabilities["win_home_mars"] == 1  # his own finish ends it at once


# Single checkers outside the home, all others off: nets judge them, and there is nothing to choose.
LONE = [(side(p9=1), side(p8=1)), (side(p12=1), side(p7=1)), (side(p7=1), side(p11=1))]


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("settings", [{}, {"variance_reduction": False}, {"level": 1}])
def test_rollouts_play_the_last_roll(engine, second, settings):
    for number, (own, opp) in enumerate(LONE):
        asked = position(own, opp, second)
        wanted, chances = truth(asked)
        assert 1 - chances.sum() > 0.02
        found = engine.rollout(asked, trials=1296, seed=number, **settings).wait()
        assert abs(found.equity - wanted) < 4 * found.standard_error + 1e-6
        best = found.best
        for p, error, true in zip(best.probabilities.values(), best.probability_errors.values(),
                                  chances, strict=True):
            assert abs(p - true) < 4 * error + 1e-6
        assert best.draw == pytest.approx(1 - chances.sum(), abs=0.06)
        assert best.to_dict()["draw"] == pytest.approx(best.draw, abs=1e-6)


def test_rollouts_of_plays_and_with_a_dead_cube(engine):
    asked = position(side(p9=1, p2=1), side(p8=1), False)
    found = engine.rollout(asked, (2, 1), trials=1296, seed=3).wait()
    for entry in found.entries:
        wanted = -truth(entry.play.result)[0]
        assert abs(entry.equity - wanted) < 4 * entry.standard_error + 1e-6
    for own, opp in LONE:  # a cube that nobody may turn changes nothing
        asked = position(own, opp, True)
        cubeless = engine.rollout(asked, trials=360).wait()
        dead = engine.rollout(asked, trials=360, cubeful=True).wait()
        assert dead.equity == pytest.approx(cubeless.equity, abs=1e-6)


def test_the_cube_counts_draws_half(engine):
    """For the cube a draw is half a win and half a loss: the same equity without one."""
    asked = position(side(p6=2), side(p4=1, p5=1), True).with_(max_cube=None)
    found = engine.evaluate(asked)
    chances = list(found.probabilities.values())
    half = list(chances)
    half[0] += found.draw / 2
    half[4] += found.draw / 2
    given, by_half = cube.decide(asked, chances), cube.decide(asked, half)
    assert not given.exact and given.lines == by_half.lines
    assert given.cubeless == pytest.approx(found.equity, abs=1e-6)
    decision = engine.cube(asked)
    assert not decision.exact and decision.cubeless == pytest.approx(found.equity, abs=1e-6)
    for name, line in decision.lines.items():
        assert line.equity == pytest.approx(given.lines[name].equity, abs=1e-5)
    deeper = engine.cube(asked, 2)
    assert abs(deeper.cubeless - truth(asked)[0]) < 0.01
    with pytest.raises(ValueError, match="game is over"):
        engine.cube(position(side(p1=1), DONE, True))


def test_duels_of_positions_grant_it(engine):
    """Both have one checker on the last point: the starter finishes, and so does the other."""
    model = engine.model(position(side(p1=1), side(p1=1), False)).static
    for second, outcome, plies in ((False, -1, 2), (True, 0, 1)):
        board = position(side(p1=1), side(p1=1), second).board
        games = duel(model, None, pairs=8, starts=board[None], seed=1)
        first = games.outcome[:, 0]
        assert (first == outcome).all() and (games.plies[:, 0] == plies).all()


def test_who_began_goes_with_the_turn():
    start = nd.Position.start("long_nardy", last_roll="equalize")
    assert not start.rules["second_player"] and not start.finished
    after = legal_plays(start, (6, 5))[0].result
    assert after.rules["second_player"]
    later = legal_plays(after, (6, 5))[0].result
    assert not later.rules["second_player"] and later.rules["last_roll"] == "equalize"
    for place in (start, after, later):
        assert place.swap().swap() == place
        assert (place.swap().board == np.roll(place.board, 4)).all()
        for form in ("text", "ndid"):
            assert nd.Position.parse(place.id(form)) == place
        fields = {"turn": place.turn, "rules": place.rules}
        assert nd.Position.from_planes(place.board, game="long_nardy", **fields) == place
    plain = nd.Position.start("long_nardy", second_player=True)
    assert "second_player" not in legal_plays(plain, (6, 5))[0].result.rules


def test_text_says_what_nets_leave_out(engine):
    asked = position(side(p24=15), side(p24=14, p18=1), True)
    found = engine.evaluate(asked)
    assert "draw 0.00%" in found.text() and "nets do not know" in found.text()
    assert found.to_dict()["draw"] == 0
    assert "nets do not know" in engine.analyse(asked, (6, 5)).text()
    assert "nets do not know" in engine.cube(asked).text()
    assert "nichto" not in found.text("ru") and "сети не знают" in found.text("ru")
    rolled = engine.rollout(asked, trials=36, truncate=3, variance_reduction=False).wait()
    assert "nets do not know" in str(rolled)
    # Where no net has a part there is nothing to say: bear-offs, and the last roll itself.
    home = position(side(p6=2), side(p4=1, p5=1), True)
    last = position(side(p9=1), DONE, True)
    for exact in (home, last):
        found = engine.evaluate(exact)
        assert "nets" not in found.text() and "nets_see_last_roll" not in found.to_dict()
        assert "nets" not in engine.analyse(exact, (6, 5)).text()
    for level in (0, 1):
        assert "nets" not in engine.cube(home, level).text()
    outside = position(side(p9=1, p1=1), side(p4=1), True)
    assert "nets do not know" in engine.evaluate(outside).text()
    assert "nets do not know" in engine.cube(outside).text()
    assert "nets" not in engine.analyse(outside, (6, 5)).text()  # all plays end in tables
    assert "nets do not know" in engine.analyse(outside.with_(
        own=side(p24=1, p1=1)), (6, 5)).text()
    plain = engine.evaluate(asked.with_(rules={}))
    assert plain.draw is None and "draw" not in plain.to_dict() and "nets" not in plain.text()
