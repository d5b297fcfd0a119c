"""Whole games by all rules, against the twin and by hand."""

import random

import numpy as np
import pytest
from twin import long_nardy as twin

from nardy_core.games import last_roll, play_game, series
from nardy_core.play import legal_plays
from nardy_core.position import Position
from nardy_core.rules import points, preset


def anybody(seed):
    chooser = random.Random(seed)
    return lambda position: chooser.choice(legal_plays(position, position.dice))


def racer(position):
    """Bears off what it can: short games with many shut-outs and close finishes."""
    return max(legal_plays(position, position.dice), key=lambda play: play.result.opp[0])


@pytest.mark.parametrize("name", ["pronardy", "federation", "masters", "hrapgame", "wikipedia"])
@pytest.mark.parametrize("last", ["none", "equalize"])
def test_results_are_the_twins(name, last):
    words = {**preset("long_nardy", name), "last_roll": last}
    start = Position.start("long_nardy", **words)
    for game in series(start, (anybody(1), racer), 30, seed=5):
        ring = twin.from_counts(*game.checkers)
        scoring = points(start.rules)[:4]
        if twin.outcome(ring) and ring[1] != (15, 15):
            winner, kind = twin.outcome(ring)
            assert game.winner == winner
            assert game.how == f"win_{twin.CATEGORIES[kind].replace(' ', '_')}"
            assert abs(twin.points(ring, scoring, last)) == game.points
        else:
            assert last == "equalize" and (game.winner, game.points, game.how) == (None, 0, "draw")
            assert twin.points(ring, scoring, last) == 0


def ending(own, opp, **rules):
    """Own and opponent's counts of home points 1, 2, …, the rest off."""
    sides = [[15 - sum(side), *side, *[0] * (25 - len(side))] for side in (own, opp)]
    start = Position.start("long_nardy", **rules)
    return start.with_(own=tuple(sides[0]), opp=tuple(sides[1]))


def test_only_the_starter_grants_a_last_roll():
    """Both have one checker on the last point: whoever throws first finishes, the other always
    could."""
    rng = np.random.default_rng(1)
    close = ending([1], [1], last_roll="equalize")
    for starter in (0, 1):
        game = play_game(close, (racer, racer), rng, starter)
        assert (game.how, game.turns, game.winner) == ("draw", 2, None)
        assert all(side[0] == 15 for side in game.checkers)
    plain = play_game(close.with_(rules={}), (racer, racer), rng, 1)
    assert (plain.how, plain.turns, plain.winner, plain.points) == ("win_oin", 1, 1, 1)
    # Two checkers on the ace against one: the starter needs one roll, too.
    behind = play_game(ending([2], [15], last_roll="equalize"), (racer, racer), rng, 0)
    assert (behind.how, behind.winner, behind.turns) == ("win_oin", 0, 2)  # a home mars no more
    # The second player finishes first: it ends at once.
    second = play_game(ending([15], [1], last_roll="equalize"), (racer, racer), rng, 0)
    assert (second.winner, second.turns, second.how) == (1, 2, "win_oin")


def test_the_last_roll_loses_least():
    rng = random.Random(4)
    for _ in range(60):
        counts = [0] * 26
        for _ in range(15):
            counts[rng.choice([0, 1, 2, 6, 7, 8]) if rng.random() < 0.3 else rng.randint(1, 7)] += 1
        if counts[7] or counts[8]:  # nobody is off while others are outside
            counts[1] += counts[0]
            counts[0] = 0
        dice = rng.randint(1, 6), rng.randint(1, 6)
        done = [15, *[0] * 25]
        rules = {"last_roll": "equalize", "scoring": (1, 2, 3, 4)}
        if counts[0] == 15:
            continue
        position = Position.start("long_nardy", **rules).with_(own=tuple(counts), opp=tuple(done))
        found, after = last_roll(position, dice)
        ends = twin.results(twin.from_counts(counts, done), *dice)
        losses = {tuple(twin.counts(e, 0)): -twin.points((e[0], e[1], 0), (1, 2, 3, 4), "equalize")
                  for e in ends}
        assert found == min(losses.values()) == losses[after]


def test_who_starts():
    start = Position.start("long_nardy", next_starter="winner")
    games = series(start, (racer, anybody(2)), 25, seed=3)
    assert all(b.starter == a.winner for a, b in zip(games, games[1:], strict=False))
    games = series(start.with_(rules={"next_starter": "alternate"}), (racer, anybody(2)), 8)
    assert [g.starter for g in games] == [(games[0].starter + n) % 2 for n in range(8)]
    thrown = [g.starter for g in series(start.with_(rules={}), (racer, anybody(2)), 40)]
    assert 8 < sum(thrown) < 32


def test_opening_dice():
    first = []

    def watch(position):
        if position.own == position.opp:
            first.append(position.dice)
        return racer(position)

    for opening, doubles in (("use_dice", False), ("reroll", True)):
        first.clear()
        series(Position.start("long_nardy", opening=opening, max_turns=1), (watch, watch), 120)
        assert len(first) == 120 and any(a == b for a, b in first) == doubles
    first.clear()
    series(Position.start("backgammon"), (watch, watch), 5)
    assert all(a != b for a, b in first[:1])


def test_cut_and_wrong_plays():
    game = series(Position.start("long_nardy", max_turns=7), (racer, racer), 1)[0]
    assert (game.turns, game.how, game.winner, game.points) == (7, "cut", None, 0)
    kept = []

    def liar(position):
        kept.append(racer(position))
        return kept[0]

    with pytest.raises(ValueError, match="is no play of"):
        series(Position.start("long_nardy"), (liar, liar), 1)


def test_same_seed_same_games():
    start = Position.start("long_nardy", last_roll="equalize")
    assert series(start, (racer, racer), 5, seed=9) == series(start, (racer, racer), 5, seed=9)
