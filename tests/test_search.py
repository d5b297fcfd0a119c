"""Search of several plies, on nets of random weights, against plain loops over all plays."""

import numpy as np
import pytest
from random_nets import random_net
from random_walk import random_boards, swapped

from nardy_core import Engine, Position, bench
from nardy_core._border import _rules
from nardy_core._border._engine import CHOICE, MAX_PLIES, Plan
from nardy_core.evaluator import BearoffOne, Evaluator, kernel_sets

GAMES = ["backgammon", "long_nardy"]
OUTCOMES = {"backgammon": 6, "long_nardy": 8}
ROLLS = [(a, b) for a in range(1, 7) for b in range(a, 7)]
ALL = (0, 0.0)
EVERYTHING = Plan(select=ALL, promote=[ALL] * MAX_PLIES, tree_select=[ALL] * MAX_PLIES,
                  tree_promote=[ALL] * MAX_PLIES)  # fmt: skip
NARROW = Plan(select=(4, 0.5), promote=[(1, 0.0)] * MAX_PLIES)


def make(game: str, bearoff: BearoffOne | None = None, **more) -> Evaluator:
    k = OUTCOMES[game]
    contact, race = random_net("backgammon-race-1", 128, 1, k), random_net(
        "backgammon-race-1", 64, 2, k)  # fmt: skip
    small = random_net("backgammon-race-1", 64, 3, k)
    return Evaluator(game, {"contact": contact, "race": race}, small={"contact": small},
                     bearoff=bearoff, **more)  # fmt: skip


def flip(p: np.ndarray) -> np.ndarray:
    half = p.shape[-1] // 2
    return np.concatenate([p[..., half:], p[..., :half]], axis=-1)


def replies(game: str, board: np.ndarray, dice: tuple[int, int]) -> np.ndarray:
    """Boards after each play of the roll, the other side on roll."""
    results, _, _ = _rules.results(game, board, dice)
    return np.array([swapped(r) for r in results])


def plain(ev: Evaluator, board: np.ndarray, plies: int) -> np.ndarray:
    """The definition of an n-ply evaluation, with every play searched."""
    if plies == 0 or _rules.outcome(ev.game, board) >= 0:
        return ev.evaluate(board[None])[0].astype(np.float64)
    points = np.array(_rules.points(ev.game))
    rolls = [replies(ev.game, board, dice) for dice in ROLLS]
    if plies == 1:
        values = np.split(flip(ev.evaluate(np.concatenate(rolls))).astype(np.float64),
                          np.cumsum([len(r) for r in rolls])[:-1])  # fmt: skip
    else:
        values = [flip(np.array([plain(ev, b, plies - 1) for b in roll])) for roll in rolls]
    weights = [1 if a == b else 2 for a, b in ROLLS]
    return sum(
        w * v[np.argmax(v @ points)] for w, v in zip(weights, values, strict=True)
    ) / sum(weights)  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
def test_two_plies_are_a_plain_double_loop(game):
    ev = make(game)
    for board in random_boards(game, 2, 1, step=17):
        for plies in (1, 2):
            found = ev.evaluate_nply(board, plies, EVERYTHING)
            assert found == pytest.approx(plain(ev, board, plies), abs=1e-5)


def test_three_plies_near_the_end(one_sided):
    ev = make("backgammon", one_sided)
    board = np.zeros(8, np.uint32)  # own on 7 and 1, the other side on 2 and 1, the rest off
    board[0] = 1 << 7 | 1 << 1 | 1
    board[1:4] = board[5:7] = 0
    off = 13
    for plane in range(4):
        bit = np.uint32(off >> plane & 1)
        board[plane] = (board[plane] & ~np.uint32(1)) | bit
        board[4 + plane] = bit
    board[4] |= np.uint32(1 << 2 | 1 << 1)
    for plies in (1, 2, 3):
        found = ev.evaluate_nply(board, plies, EVERYTHING)
        assert found == pytest.approx(plain(ev, board, plies), abs=1e-5)


@pytest.mark.parametrize("limits", [(0, 0.0), (64, 9.0), (5, 0.1)])
def test_one_ply_is_lookahead(limits, one_sided):
    ev = make("backgammon", one_sided, keep=limits[0], within=limits[1])
    plan = Plan(tree_select=[limits])
    for board in random_boards("backgammon", 20, 2, step=5):
        if _rules.phase("backgammon", board) >= 2:
            found = ev.evaluate_nply(board, 1, plan)
            assert found.tobytes() == ev.lookahead(board)[0].tobytes()


def test_inside_the_tree_the_static_choice_is_played():
    """tree_promote of one: what is searched at the next ply is the best static play."""
    ev = make("backgammon")
    plan = Plan(tree_select=[ALL] * 2, tree_promote=[ALL, (1, 0.0)])
    points = np.array(_rules.points("backgammon"))
    for board in random_boards("backgammon", 6, 3, step=9):
        total = np.zeros(6)
        for dice in ROLLS:
            after = replies("backgammon", board, dice)
            best = after[np.argmax(-(ev.evaluate(after) @ points))]
            if _rules.outcome("backgammon", best) >= 0:
                value = ev.evaluate(best[None])[0]
            else:
                value = ev.lookahead(best)[0]
            total += (1 if dice[0] == dice[1] else 2) / 36 * flip(value)
        assert ev.evaluate_nply(board, 2, plan) == pytest.approx(total, abs=1e-5)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("plan", [None, NARROW], ids=["default", "narrow"])
def test_choices(game, plan):
    """Every candidate is what it says it is, and the first is at the level asked for."""
    ev = make(game)
    points = np.array(_rules.points(game))
    rng = np.random.default_rng(4)
    levels = set()
    left_behind = 0
    for n, board in enumerate(random_boards(game, 24, 5, step=4)):
        dice, plies = tuple(rng.integers(1, 7, 2)), n % 3
        results, plays, _ = _rules.results(game, board, dice)
        found = ev.choose_nply(board, dice, plies, plan)
        assert found.dtype == CHOICE
        assert sorted(found["index"]) == list(range(len(results)))
        assert (found["board"] == results[found["index"]]).all()
        assert (found["play"] == np.asarray(plays)[found["index"]]).all()
        assert found["level"][0] == plies
        assert found["equity"][0] == found["equity"].max()
        assert (np.diff(found["level"]) <= 0).all()
        k = OUTCOMES[game]
        assert (found["probability"][:, k:] == 0).all()
        values = found["probability"][:, :k]
        assert values @ points == pytest.approx(found["equity"], abs=1e-5)
        for level in range(-1, plies + 1):
            group = found[found["level"] == level]
            assert (np.diff(group["equity"]) <= 0).all()
            if level >= 0:
                for c in group:
                    value = flip(ev.evaluate_nply(swapped(c["board"]), level, plan))
                    assert c["probability"][:k].tobytes() == value.tobytes()
        levels |= set(found["level"].tolist())
        left_behind += plan is NARROW and (found["level"] == plies).sum() > 1
    assert levels == ({0, 1, 2} if plan is None else {-1, 0, 1, 2})
    assert plan is None or left_behind > 3


def test_a_wide_plan_ranks_every_result():
    ev = make("backgammon")
    for board in random_boards("backgammon", 4, 6, step=13):
        found = ev.choose_nply(board, (2, 5), 1, EVERYTHING)
        assert (found["level"] == 1).all()


@pytest.mark.parametrize("sift", [0, {"contact": 12, "race": 6}], ids=["all", "sieved"])
def test_same_bits_from_any_kernels_threads_and_cache(one_sided, sift):
    boards = np.array(random_boards("backgammon", 12, 7, step=15))
    dice = np.random.default_rng(8).integers(1, 7, (len(boards), 2))
    plans = [None, Plan(cache=0), Plan(cache=8)]
    evs = [make("backgammon", one_sided, kernels=k, sift=sift) for k in kernel_sets()]
    for plies in (0, 1, 2):
        values = {
            ev.evaluate_many(boards, plies, plan, threads=threads).tobytes()
            for ev, plan, threads in [
                (evs[0], plans[0], 1), (evs[0], plans[0], 2), (evs[0], plans[1], 2),
                (evs[-1], plans[2], 3), *((ev, None, 2) for ev in evs[1:]),
            ]
        }  # fmt: skip
        single = [evs[-1].evaluate_nply(b, plies, plan) for b in boards for plan in plans]
        values |= {np.array(single[k::3]).tobytes() for k in range(3)}
        assert len(values) == 1
        choices = {
            tuple(a.tobytes() for a in ev.choose_many(boards, dice, plies, plan, top=3, threads=t))
            for ev, plan, t in [(evs[0], None, 1), (evs[-1], plans[1], 2), (evs[-1], plans[2], 1)]
        }
        assert len(choices) == 1
    # A second look in a full cache, and another plan in the same search.
    again, other = evs[-1].evaluate_nply(boards[0], 2), evs[-1].evaluate_nply(boards[0], 2, NARROW)
    assert again.tobytes() == evs[0].evaluate_nply(boards[0], 2, Plan(cache=0)).tobytes()
    wide = Plan(tree_select=[(2, 0.01), (2, 0.01)])
    assert (
        evs[-1].evaluate_nply(boards[0], 2, wide).tobytes()
        == (
            evs[0].evaluate_nply(boards[0], 2, Plan(tree_select=[(2, 0.01), (2, 0.01)], cache=0))
        ).tobytes()
    )
    assert other.tobytes() == again.tobytes()  # NARROW differs at the root only


@pytest.mark.parametrize("game", GAMES)
def test_a_sieve_that_keeps_all_changes_nothing(game, one_sided):
    """Of rolls with no more results than it leaves it leaves all; of others only in the tree."""
    boards = [b for b in random_boards(game, 40, 11, step=4) if max(
        len(_rules.results(game, b, roll)[0]) for roll in ROLLS) <= 64][:6]
    assert len(boards) >= 3
    kept, few = (make(game, one_sided, sift=n) for n in (64, 4))
    plain = make(game, one_sided)
    for board in boards:
        value = plain.evaluate_nply(board, 1)
        assert kept.evaluate_nply(board, 1).tobytes() == value.tobytes()
        assert few.evaluate_nply(board, 0).tobytes() == plain.evaluate_nply(board, 0).tobytes()
        chosen = plain.choose_nply(board, (2, 1), 0)
        assert few.choose_nply(board, (2, 1), 0).tobytes() == chosen.tobytes()
        assert len(few.choose_nply(board, (2, 1), 1)) == len(chosen)
    assert any(few.evaluate_nply(b, 1).tobytes() != plain.evaluate_nply(b, 1).tobytes()
               for b in boards)


def test_choose_many_is_choose(one_sided):
    ev = make("backgammon", one_sided)
    boards = np.array(random_boards("backgammon", 12, 9, step=7))
    dice = np.random.default_rng(10).integers(1, 7, (len(boards), 2))
    found, counts = ev.choose_many(boards, dice, 1, top=40, threads=2)
    for board, roll, row, count in zip(boards, dice, found, counts, strict=True):
        one = ev.choose_nply(board, roll, 1)
        assert len(one) == count
        assert row[:count].tobytes() == one[:40].tobytes()
        assert not row[count:].tobytes().strip(b"\0")


def test_exact_positions_stay_exact(one_sided):
    """What the rules or the tables know has the same value at every level."""
    ev = make("backgammon", one_sided)
    seen = set()
    for board in random_boards("backgammon", 400, 11):
        if _rules.phase("backgammon", board) != 1:
            continue
        for dice in [(1, 1), (6, 5)]:
            for after in replies("backgammon", board, dice)[:2]:
                seen.add(_rules.phase("backgammon", after))
                want = ev.evaluate(after[None])[0].tobytes()
                assert ev.evaluate_nply(after, 3).tobytes() == want
    assert 1 in seen


def test_bad_input():
    ev = make("backgammon")
    start = _rules.start("backgammon")
    for plies in (-1, MAX_PLIES + 1, 1.5):
        with pytest.raises(ValueError, match=r"plies: .* is not 0\.\.4"):
            ev.evaluate_nply(start, plies)
    with pytest.raises(ValueError, match="board: impossible for backgammon"):
        ev.choose_nply(np.zeros(8, np.uint32), (1, 2), 1)
    with pytest.raises(ValueError, match="boards: number 1 is impossible"):
        ev.evaluate_many(np.array([start, np.zeros(8, np.uint32)]), 1)
    with pytest.raises(ValueError, match="dice"):
        ev.choose_many(start[None], [(0, 7)], 1)
    with pytest.raises(ValueError, match="dice"):
        ev.choose_nply(start, (0, 7), 1)
    with pytest.raises(ValueError, match="top"):
        ev.choose_many(start[None], [(1, 2)], 1, top=0)
    with pytest.raises(ValueError, match="plan"):
        Plan(select=(-1, 0.1))
    with pytest.raises(ValueError, match="plan"):
        Plan(tree_select=[(65, 0.1)])
    with pytest.raises(ValueError, match="plan"):
        Plan(promote=[(2, float("nan"))])
    with pytest.raises(ValueError, match="plan: filters for more than 4 plies"):
        Plan(promote=[(2, 0.1)] * 5)


def test_filters_by_phase(one_sided):
    """A dict sets the phases it names and leaves the others."""
    ev = make("backgammon", one_sided)
    plan = Plan(promote=[{"contact": (1, 0.0), "race": ALL}])
    wide = Plan(promote=[ALL])
    shallow = 0
    for board in random_boards("backgammon", 120, 12, step=3):
        phase = _rules.phase("backgammon", board)
        if phase < 2:
            continue
        found = ev.choose_nply(board, (4, 2), 1, plan)
        if phase == 2:
            assert found.tobytes() == ev.choose_nply(board, (4, 2), 1, wide).tobytes()
        shallow += phase == 3 and bool((found["level"] < 1).any())
    assert shallow > 10


# ---- the shipped nets ----------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_the_engines_sieve_moves_values_little(game):
    """Look-ahead of the engine behind its sieve against the same without one: 1-ply values of its
    own games."""
    engine = Engine(threads=1)
    model = engine.model(Position.start(game))
    boards = np.array([p.board for p in bench.game_of(engine, game)[2:42]])
    assert model.at(0) is model.search and model.at(0, 1) is model.at(2) is model.ahead
    moved = (model.ahead.evaluate_many(boards, 1) - model.search.evaluate_many(boards, 1)) @ (
        np.array(model.points))
    assert np.abs(moved).max() < 0.02 and np.sqrt((moved**2).mean()) < 0.003
    assert moved.any() == (game == "backgammon")  # long nardy has one in races alone
    assert (model.ahead.evaluate_many(boards, 0) == model.search.evaluate_many(boards, 0)).all()
