"""Plays: results, notation and sequences say the same."""
from __future__ import annotations

import pickle
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import positions

import nardy_core as nd
from nardy_core.evaluator import swapped
from nardy_core.notation import match_play, play_steps
from nardy_core.play import unpack

ROLLS = list(combinations_with_replacement(range(1, 7), 2))


@settings(deadline=None, max_examples=60)
@given(positions(), st.sampled_from(ROLLS))
def test_result_is_what_the_core_has(position, roll):
    if position.finished or position.checkers != 15:
        return
    plays = position.legal_plays(roll)
    assert len({play.board.tobytes() for play in plays}) == len(plays)
    for play in plays[:40]:
        assert (play.result.board == swapped(play.board[np.newaxis])[0]).all()
        assert play.result.turn == 1 - position.turn
        assert play.result == play_steps(position, play.steps).with_(rules=play.result.rules)
        assert len(play.steps) == len(plays[0].steps) or play.result.finished


@settings(deadline=None, max_examples=60)
@given(positions(), st.sampled_from(ROLLS))
def test_notation_finds_its_play(position, roll):
    if position.finished or position.checkers != 15:
        return
    for play in position.legal_plays(roll)[:15]:
        assert match_play(position, roll, play.notation) == play


@settings(deadline=None, max_examples=40)
@given(positions(), st.sampled_from(ROLLS))
def test_sequences_lead_to_the_results(position, roll):
    if position.finished or position.checkers != 15:
        return
    plays = position.legal_plays(roll)
    sequences = nd.legal_sequences(position, roll)
    if plays[0].is_pass:
        assert sequences == [] and len(plays) == 1 and plays[0].notation == ""
        return
    ends = {play_steps(position, s).board.tobytes() for s in sequences}
    assert ends == {play.result.board.tobytes() for play in plays}
    assert {play.steps for play in plays} <= set(sequences)


def test_a_known_roll():
    start = nd.Position.start()
    plays = start.legal_plays((1, 3))
    assert len(plays) == 16  # known for 3-1 from the start
    made = next(play for play in plays if play.notation == "8/5 6/5")
    assert sorted(made.steps) == [(6, 5, False), (8, 5, False)] and made.dice == (3, 1)
    assert str(made) == "8/5 6/5" and repr(made) == "<Play 3-1: 8/5 6/5>"
    assert made.result.opp[5] == 2 and made.result.own == start.own
    assert made._repr_svg_().startswith("<svg")


def test_hits_and_bar():
    position = nd.Position.from_points([0, -1, *[0] * 4, 1, *[0] * 18, 1])
    notations = {play.notation for play in position.legal_plays((5, 2))}
    assert "bar/20 6/4" in notations
    hit = [play for play in position.legal_plays((5, 5)) if any(s[2] for s in play.steps)]
    assert all(play.result.own[25] == 1 for play in hit) and hit
    assert unpack(position, 0) == ()


def test_plays_are_values():
    start = nd.Position.start("long_nardy")
    first, again = start.legal_plays((6, 1))[0], start.legal_plays((1, 6))[0]
    assert first == again and hash(first) == hash(again) and first is not again
    assert pickle.loads(pickle.dumps(first)) == first
    assert first != start.legal_plays((6, 2))[0] and first != "24/18"
    with pytest.raises(AttributeError):
        first.dice = (1, 1)
    with pytest.raises(ValueError, match="read-only"):
        first.board[0] = 0


def test_dice_of_the_position():
    position = nd.Position.start(dice=(3, 1))
    assert position.legal_plays() == position.legal_plays((1, 3))
    for dice in ((0, 1), (1, 7), (1,), (1, 2, 3), "ab", None, (1, "x")):
        with pytest.raises(ValueError, match="^dice: "):
            nd.legal_plays(position, dice)


def test_nothing_to_play():
    over = nd.Position.from_points([0, *[0] * 23, -1, 0])
    with pytest.raises(ValueError, match="the game is over"):
        nd.legal_plays(over, (1, 2))
    shut = nd.Position.from_points([0, 0, *[0] * 17, *[-2] * 6, 1])
    assert [play.notation for play in shut.legal_plays((6, 6))] == [""]
    assert shut.legal_plays((6, 6))[0].result == shut.swap()


def test_second_player_is_forgotten_after_a_turn():
    position = nd.Position.start("long_nardy", second_player=True, head_scope="starter")
    result = position.legal_plays((6, 1))[0].result
    assert "second_player" not in result.rules and result.rules["head_scope"] == "starter"


def test_perft_with_the_drawn_dice():
    """As the twin counts it: 15 rolls in the first turn, 21 in all others."""
    start = nd.Position.start("long_nardy", opening="use_dice")
    assert [nd.perft(start, depth) for depth in range(4)] == [1, 15, 330, 22228]
    assert nd.perft(start.with_(rules={}), 2) == 484
    after = nd.legal_plays(start, (2, 1))[0].result
    assert nd.perft(after, 1) == nd.perft(after.with_(rules={}), 1) == 22
    with pytest.raises(ValueError):
        nd.perft(start, 9)


def test_perft():
    """Distinct results over the 21 rolls from the start, widely published."""
    assert nd.perft(nd.Position.start(), 1) == sum(
        len(nd.Position.start().legal_plays(roll)) for roll in ROLLS)
    assert nd.perft(nd.Position.start(), 0) == 1
    with pytest.raises(ValueError, match="depth"):
        nd.perft(nd.Position.start(), 9)
