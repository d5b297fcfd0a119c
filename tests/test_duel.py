"""Duels: pairs of games, seats, dice, luck."""

from __future__ import annotations

import numpy as np
import pytest
from random_nets import random_nets
from twin.planes import to_planes

from nardy_core._border import _duel, _rules
from nardy_core.duel import Duel, duel
from nardy_core.evaluator import Evaluator, equities

GAMES = ["backgammon", "long_nardy"]
ROLL_INDEX = {(a, b): (a - 1) * (14 - a) // 2 + b - a for a in range(1, 7) for b in range(a, 7)}


@pytest.fixture(scope="module", params=GAMES)
def players(request, one_sided) -> tuple[Evaluator, Evaluator]:
    """Two evaluators of one game."""
    made = []
    for seed in (1, 2):
        nets = random_nets(request.param, seed)
        made.append(
            Evaluator(
                request.param, {"contact": nets["contact"], "race": nets["race"]},
                small={"contact": nets["small"]}, bearoff=one_sided, keep=6,
            )
        )  # fmt: skip
    return made[0], made[1]


class Recorder:
    """Plays as an evaluator does and remembers every (board, dice)."""

    def __init__(self, evaluator: Evaluator):
        self.evaluator = evaluator
        self.turns: list[tuple[np.ndarray, tuple[int, int]]] = []

    def __call__(self, board, dice):
        self.turns.append((board, dice))
        return self.evaluator.choose(board, dice)[0][0]


def same(a, b) -> bool:
    return (
        np.array_equal(a.outcome, b.outcome) and np.array_equal(a.plies, b.plies)
        and np.array_equal(a.luck, b.luck)
    )  # fmt: skip


def test_same_games_on_any_threads_in_any_pieces(players):
    a, b = players
    settings = {"opening": False, "seed": 3}
    starts = _rules.start(a.game)[None]
    whole = duel(a, b, pairs=6, luck=a, opening=False, seed=3)
    assert same(whole, duel(a, b, pairs=6, luck=a, opening=False, seed=3, threads=3))
    later = _duel.run(a, a, b, a, starts, first=4, pairs=2, **settings)
    assert np.array_equal(later["luck"], whole.luck[4:])
    other = duel(a, b, pairs=6, luck=a, opening=False, seed=4)
    assert not np.array_equal(other.plies, whole.plies)


def test_seats_are_exchanged(players):
    """A player against itself: the second game of a pair is the first one with names exchanged."""
    a, b = players
    games = duel(a, a, pairs=8, luck=b, seed=5)
    assert (games.results[:, 0] == -games.results[:, 1]).all()
    assert (games.luck[:, 0] == -games.luck[:, 1]).all()
    assert np.array_equal(games.plies[:, 0], games.plies[:, 1])
    assert games.raw == (0, 0) and games.adjusted == (0, 0) and games.wins == 0.5
    crossed = duel(b, a, pairs=8, luck=b, seed=6), duel(a, b, pairs=8, luck=b, seed=6)
    assert (crossed[0].results == -crossed[1].results[:, ::-1]).all()


def test_first_mover(players):
    """Who began: the first player game 0 of each pair, the second player game 1."""
    a, b = players
    games = duel(a, b, pairs=8, luck=b, seed=5)
    half = len(a.points) // 2
    for k in range(8):
        for seat in (0, 1):
            mine, begun = games.outcome[k, seat], games.first_mover[k, seat]
            worth = a.points[mine] if seat == 0 else -a.points[mine]
            assert a.points[begun] == worth and (begun < half) == ((mine < half) == (seat == 0))
    signed = games.results * (1, -1)
    assert games.first_mover_wins[0] == pytest.approx((signed > 0).mean())
    less = (games.results - games.luck) * (1, -1)
    assert games.first_mover_points[0] == pytest.approx(less.mean())
    assert games.first_mover_points[1] == pytest.approx(less.mean(1).std(ddof=1) / 8**0.5)
    # A cut game counts for nobody.
    cut = Duel(np.array([[-1, half]]), np.zeros((1, 2), int), np.zeros((1, 2)), a.points)
    assert cut.first_mover.tolist() == [[-1, 0]] and cut.first_mover_wins[0] == 0.5
    assert cut.first_mover_points[0] == a.points[0] / 2


def test_luck_and_dice_by_hand(players):
    """Recorded games give the same dice in both seats, and the luck that look-ahead says."""
    a, b = players
    first, second = Recorder(a), Recorder(b)
    games = duel(first, second, pairs=3, luck=b, seed=7)
    assert same(games, duel(a, b, pairs=3, luck=b, seed=7))
    assert games.plies.sum() == len(first.turns) + len(second.turns)
    points, at = np.array(a.points), {0: 0, 1: 0}
    weight = np.array([1 if x == y else 2 for x, y in ROLL_INDEX])
    for pair in range(3):
        dice: list[list[tuple[int, int]]] = [[], []]
        for seat in (0, 1):
            luck = [0.0, 0.0]
            for ply in range(games.plies[pair, seat]):
                who = (ply + seat) % 2
                board, roll = (first, second)[who].turns[at[who]]
                at[who] += 1
                dice[seat].append(roll)
                value = equities(b.lookahead(board)[2], tuple(points))
                chances = weight * (weight == 2) if ply == 0 and a.game == "backgammon" else weight
                luck[who] += value[ROLL_INDEX[min(roll), max(roll)]]
                luck[who] -= value @ chances / chances.sum()
            assert games.luck[pair, seat] == pytest.approx(luck[0] - luck[1], abs=1e-4)
        both = min(len(dice[0]), len(dice[1]))
        assert dice[0][:both] == dice[1][:both]


def test_search_of_several_plies(players):
    """(evaluator, 0) plays as the evaluator does; (evaluator, 1) as look-ahead by hand, with the
    candidates that the default plan looks at."""
    a, b = players
    once, again = (duel(*who, pairs=3, luck=b, seed=4) for who in (((a, 0), b), (a, (b, 0))))
    assert same(once, again)
    nets = random_nets(a.game, 3)
    plain = Evaluator(a.game, {"contact": nets["contact"], "race": nets["race"]})
    points, changed = np.array(plain.points), []

    def deeper(board):
        """1-ply equity of a result for its mover."""
        after = np.roll(board, 4)
        over = _rules.phase(a.game, after) == 0
        said = plain.evaluate(after[None])[0] if over else plain.lookahead(after)[0]
        return -float(said @ points)

    def by_hand(board, dice):
        boards, _, equity, _, _ = plain.choose(board, dice)
        value, deep = equity.copy(), np.zeros(len(boards), bool)
        for i in range(len(boards)):
            if i == 0 or (i < 8 and equity[i] >= equity[0] - np.float32(0.16)):
                value[i], deep[i] = deeper(boards[i]), True
        while True:  # whoever was left behind but is ahead of those looked at
            best = int(np.argmax(np.where(deep, value, -np.inf)))
            rest = int(np.argmax(np.where(deep, -np.inf, value)))
            if deep.all() or value[rest] <= value[best]:
                changed.append(best != 0)
                return boards[best]
            value[rest], deep[rest] = deeper(boards[rest]), True

    by_search = duel((plain, 1), b, pairs=2, referee=a, seed=5)
    assert same(by_search, duel(by_hand, b, pairs=2, referee=a, seed=5))
    assert sum(changed) > 20


def test_first_rolls(players):
    """36 pairs begin with every roll once; 30 where the first roll is no double."""
    a, b = players
    first = Recorder(a)
    n = 30 if a.game == "backgammon" else 36
    duel(first, b, pairs=n, referee=a, seed=1)
    start = _rules.start(a.game)
    rolls = [d for board, d in first.turns if np.array_equal(board, start)][:n]
    assert len(set(rolls)) == n
    assert sum(x == y for x, y in rolls) == (0 if a.game == "backgammon" else 6)


def test_luck_explains_a_bearoff(players):
    """With exact values next to nothing is left of the dice's chance."""
    a, _ = players
    mine, theirs = [0] * 26, [0] * 26
    mine[0], mine[6], mine[5], mine[2] = 8, 3, 2, 2
    theirs[0], theirs[5], theirs[4], theirs[1] = 8, 3, 2, 2
    board = to_planes(mine, theirs)
    games = duel(a, None, pairs=300, luck=a, starts=[board], seed=8)
    plain = duel(a, a, pairs=300, luck=a, starts=[board], seed=8)
    value = float(a.evaluate(board[None])[0] @ np.array(a.points))
    single = (plain.results - plain.luck)[:, 0]
    assert abs(single.mean() - value) < 0.01 and single.std() < 0.03
    assert plain.results[:, 0].std() > 0.5
    # Random bear-off play loses, and the corrected figure agrees with the plain one.
    (raw, raw_error), (adjusted, error) = games.raw, games.adjusted
    assert error < 0.6 * raw_error and abs(raw - adjusted) < 4 * raw_error
    assert adjusted > 4 * error


def test_random_play_is_uniform(players):
    """Every result of a roll about as often as any other."""
    a, _ = players
    mine, theirs = [0] * 26, [0] * 26
    mine[0], mine[6], mine[5], mine[4] = 11, 2, 1, 1
    theirs[0], theirs[1] = 12, 3
    start, seen = to_planes(mine, theirs), []

    def remember(board, dice):
        seen.append(np.roll(board, 4).tobytes())
        return a.choose(board, dice)[0][0]

    duel(None, remember, pairs=3600, starts=[start], referee=a, seed=9)
    by_roll = {
        d: {r.tobytes() for r in _rules.results(a.game, start, d)[0]} for d in ROLL_INDEX
    }
    results = by_roll.pop((1, 2))
    unique = results.difference(*by_roll.values())
    counts = np.array([seen.count(r) for r in unique])  # of 200 turns with this roll
    assert len(unique) >= 3
    expected = 200 / len(results)
    assert (np.abs(counts - expected) < 4 * expected**0.5).all()


def test_bad_input(players, one_sided):
    a, b = players
    other_game = GAMES[1 - GAMES.index(a.game)]
    nets = random_nets(other_game)
    stranger = Evaluator(other_game, {"contact": nets["contact"], "race": nets["race"]})

    def cheat(board, dice):
        return board

    def fail(board, dice):
        raise RuntimeError("no idea")

    bad = np.full((1, 8), 0xFFFFFFFF, np.uint32)
    for call, error, words in [
        (lambda: duel(a, stranger, pairs=1), ValueError, "do not meet"),
        (lambda: duel(a, b, pairs=1, luck=stranger, referee=a), ValueError, "says nothing"),
        (lambda: duel(a, cheat, pairs=1), ValueError, "no result of"),
        (lambda: duel(a, lambda *_: [1, 2], pairs=1), ValueError, "returned 2 numbers"),
        (lambda: duel(a, fail, pairs=1), RuntimeError, "no idea"),
        (lambda: duel(None, None, pairs=1), ValueError, "no evaluator"),
        (lambda: duel((a, 5), b, pairs=1), ValueError, "5 plies are not"),
        (lambda: duel(a, "b", pairs=1), ValueError, "str cannot play"),
        (lambda: duel(a, b, pairs=0), ValueError, "0 pairs"),
        (lambda: duel(a, b, pairs=1, starts=bad), ValueError, "board: impossible"),
        (lambda: duel(a, b, pairs=1, starts=bad[:, :5]), ValueError, "starts: expected shape"),
    ]:
        with pytest.raises(error, match=words):
            call()
