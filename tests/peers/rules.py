"""Legal results of short nardy as other programs see them.

Positions and results are the twin's pairs (mine, theirs) of 26 counts, see twin/backgammon.py.
gnubg-nn answers any position; OpenSpiel can only be walked from the start of a game.
"""

import importlib
import os

from twin.planes import to_counts, to_planes

from nardy_core._border import _rules


def peer(module, package):
    """The peer's module. Without it: a failure where peers are required (NARDY_REQUIRE_PEERS=1),
    elsewhere a skipped test that says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError:
        import pytest

        message = f"{package} is missing, so nothing was compared with it: pip install {package}"
        if os.environ.get("NARDY_REQUIRE_PEERS") == "1":
            pytest.fail(message, pytrace=False)
        pytest.skip(message)


def ours(position, dice):
    """The engine's results; a result listed twice is an error."""
    boards, _, _ = _rules.results("backgammon", to_planes(*position), dice)
    results = to_counts(boards)
    if len(results) != len(set(results)):
        raise AssertionError(f"a result is listed twice: {position} {dice}")
    return set(results)


def to_gnubg(position):
    """gnubg-nn's board: opponent, then mover; 24 points from the ace point, then the bar."""
    mine, theirs = position
    return [list(theirs[1:]), list(mine[1:])]


def gnubg_results(gnubg_nn, position, dice):
    """gnubg-nn's results. Its keys keep the mover second; no legal move is an empty answer."""
    keys = gnubg_nn.moves(to_gnubg(position), *dice)
    if not keys:
        return {position}
    all_mine, all_theirs = map(sum, position)
    results = set()
    for theirs, mine in map(gnubg_nn.board_from_position_key, keys):
        results.add(((all_mine - sum(mine), *mine), (all_theirs - sum(theirs), *theirs)))
    return results


def gnubg_perft(gnubg_nn, position, depth, rolls):
    """Perft by gnubg-nn's generator alone."""
    if depth == 0 or any(side[0] == sum(side) for side in position):
        return 1
    if depth == 1:
        board = to_gnubg(position)
        return sum(len(gnubg_nn.moves(board, *roll)) or 1 for roll in rolls)
    return sum(
        gnubg_perft(gnubg_nn, (theirs, mine), depth - 1, rolls)
        for roll in rolls
        for mine, theirs in gnubg_results(gnubg_nn, position, roll)
    )


# OpenSpiel: player 0 runs from square 0 up, player 1 from square 23 down; the bar is square 100. A
# double is played as two turns of up to two steps, each as long as it can be by itself; a first
# half that spoils the second is offered too, so of the whole double the longest plays count.

BAR = 100


def openspiel_position(state, player):
    sides = []
    for who in (player, 1 - player):
        squares = [state.board(who, square) for square in range(24)]
        side = [*(squares[::-1] if who == 0 else squares), state.board(who, BAR)]
        sides.append((15 - sum(side), *side))
    return tuple(sides)


def openspiel_turn(state, player):
    """One turn of OpenSpiel: (position, steps made, the state if the same player goes on)."""
    for action in state.legal_actions():
        child = state.child(action)
        again = not child.is_terminal() and child.current_player() == player
        made = sum(
            move.num > 0 and move.pos >= 0
            for move in state.spiel_move_to_checker_moves(player, action)
        )
        yield openspiel_position(child, player), made, child if again else None


def openspiel_results(state, dice):
    player = state.current_player()
    plays = set()
    first = {after: (made, going_on) for after, made, going_on in openspiel_turn(state, player)}
    for after, (made, going_on) in first.items():
        if dice[0] != dice[1] or going_on is None:
            plays.add((made, after))
        else:
            plays |= {(made + more, final) for final, more, _ in openspiel_turn(going_on, player)}
    most = max(made for made, _ in plays)
    return {after for made, after in plays if made == most or dice[0] != dice[1]}


def openspiel_walk(pyspiel, rng):
    """Random games: (state, position, dice) of every turn."""
    game = pyspiel.load_game("backgammon")
    while True:
        state = game.new_initial_state()
        dice, fresh = None, False
        while not state.is_terminal():
            if state.is_chance_node():
                action = rng.choice(state.legal_actions())
                text = state.action_to_string(state.current_player(), action)
                dice, fresh = tuple(int(n) for n in text.split("roll: ")[1][:2]), True
            else:
                if fresh:
                    yield state, openspiel_position(state, state.current_player()), dice
                fresh = False
                action = rng.choice(state.legal_actions())
            state.apply_action(action)
