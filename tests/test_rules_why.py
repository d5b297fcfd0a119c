"""Why a step of short nardy is refused: against the twin's sequences and worked examples."""

import itertools
import random

import pytest
from sides import side
from twin import backgammon as twin
from twin import backgammon_positions
from twin.planes import to_planes

from nardy_core._border import _rules

GAME = "backgammon"
HIT_AND_OFF = tuple(int(name == "no_hit_and_off") for name in _rules.OPTION_NAMES)


@pytest.mark.parametrize("no_hit_and_off", [False, True])
@pytest.mark.parametrize("source", ["random play", "bear-off"])
def test_a_step_is_fine_if_a_legal_play_begins_so(source, no_hit_and_off):
    rng = random.Random(f"{source} {no_hit_and_off}")
    options = twin.Options(no_hit_and_off=no_hit_and_off)
    codes = HIT_AND_OFF if no_hit_and_off else None
    refused = set()
    for position, dice in backgammon_positions.sample(source, rng, 25):
        plays = [play for play in twin.sequences(position, *dice, options) if play]
        whole = rng.choice(plays) if plays else ()
        for n in range(len(whole) + 1):
            begun = {play[: n + 1] for play in plays if play[:n] == whole[:n] and len(play) > n}
            for step in itertools.product(range(1, 26), range(1, 7)):
                reason = _rules.why(GAME, to_planes(*position), dice, whole[:n], *step, codes)
                assert (reason == "ok") == ((*whole[:n], step) in begun), (position, dice, whole)
                refused.add(reason)
    assert {"ok", "die not rolled", "no checker", "not all home"} <= refused


HOME = side(p6=3, p5=2, p3=1)
FAR = side(p6=2, p5=2, p4=2)


@pytest.mark.parametrize(
    ("mine", "theirs", "dice", "played", "step", "reason"),
    [
        (HOME, FAR, (6, 5), [], (6, 4), "die not rolled"),
        (HOME, FAR, (6, 5), [(6, 6)], (6, 6), "die not rolled"),
        (HOME, FAR, (6, 6), [(6, 6)], (6, 6), "ok"),
        (HOME, FAR, (6, 5), [], (4, 5), "no checker"),
        (HOME, FAR, (6, 4), [], (3, 4), "overpay"),
        (HOME, FAR, (6, 5), [], (6, 6), "ok"),
        (side(p6=3, p5=2, p8=1), FAR, (6, 5), [], (6, 6), "not all home"),
        (side(p6=3, p5=2, p8=1), FAR, (6, 2), [(8, 2)], (6, 6), "ok"),
        (side(bar=2, p6=13), FAR, (6, 5), [], (6, 5), "bar"),
        (side(bar=2, p6=13), FAR, (6, 2), [], (25, 6), "occupied"),  # their 6 is my 19
        (side(p13=2, p6=13), side(p18=2, p6=13), (6, 5), [], (13, 6), "occupied"),
        # Both dice would end on their 24: one must do, and it is the six.
        (side(p12=1), side(p24=2, p6=5), (6, 5), [], (12, 5), "larger die"),
        (side(p12=1), side(p24=2, p6=5), (6, 5), [], (12, 6), "ok"),
        # 8/2 and 20/18 play both; 8/6 leaves no six, since their 11 is held.
        (side(p20=1, p8=1), side(p11=2, p6=5), (6, 2), [], (8, 2), "more dice can be played"),
        (side(p20=1, p8=1), side(p11=2, p6=5), (6, 2), [(20, 2)], (8, 6), "ok"),
        (HOME, FAR, (1, 2), [(2, 1)], (6, 2), "no checker"),  # already the first step is wrong
    ],
)
def test_reasons(mine, theirs, dice, played, step, reason):
    planes = to_planes(mine, theirs)
    assert _rules.why(GAME, planes, dice, played, *step) == reason


def test_a_hitter_stays_in_where_that_is_the_rule():
    planes = to_planes(side(p4=1), side(p24=1, p6=14))  # 4/1 hits on their 24
    assert _rules.why(GAME, planes, (3, 1), [(4, 3)], 1, 1) == "ok"
    assert _rules.why(GAME, planes, (3, 1), [(4, 3)], 1, 1, HIT_AND_OFF) == "hit and off"


@pytest.mark.parametrize(
    ("played", "source", "die"),
    [([], 0, 1), ([], 26, 1), ([], 5, 7), ([(0, 3)], 5, 1), ([(5, 1)] * 5, 5, 1)],
)
def test_impossible_steps_are_errors(played, source, die):
    with pytest.raises(ValueError, match="step"):
        _rules.why(GAME, _rules.start(GAME), (3, 1), played, source, die)
