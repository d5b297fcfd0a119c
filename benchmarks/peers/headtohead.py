"""Our 0-ply play against a peer's, cubeless money games from the opening position.

    python benchmarks/peers/headtohead.py [gnubg|sage] [--games 10000] [--seed 1] [--nets FOLDER]

Every dice sequence is played twice with the seats exchanged. The result of a game is corrected by
luck: for each roll of either side the value of our net's best reply to it, less the mean over the
21 rolls, is taken off. That has mean zero whatever either side plays, so the figure is unbiased;
it only needs far fewer games. Prints points a game for us, raw and corrected, with standard errors
over pairs. Needs the peer beside nardy_core (pip install gnubg-nn, or bgsage).
"""

import argparse
import random
import statistics
import sys
import time

import numpy as np

from nardy_core import Engine, Position
from nardy_core._border import _rules

GAME = "backgammon"
POINTS = np.array(_rules.points(GAME), dtype=np.float64)


def counts(board):
    """(2, 26) checkers of both sides, each in its own numbers."""
    bits = board.reshape(2, 4, 1) >> np.arange(26, dtype=np.uint32) & 1
    return (bits * np.array([1, 2, 4, 8]).reshape(4, 1)).sum(axis=1)


def planes(sides):
    words = np.asarray(sides)[:, None, :] >> np.arange(4)[:, None] & 1
    return (words << np.arange(26)).sum(axis=2).astype(np.uint32).reshape(8)


def swapped(board):
    return np.concatenate([board[4:], board[:4]])


class Ours:
    def __init__(self, nets):
        model = Engine(nets).model(Position.start(GAME))
        self.all, self.evaluator = model.static, model.search

    def move(self, board, dice):
        """The play of `nardy moves --level 0`: every result is looked at by the playing nets."""
        return self.all.choose(board, dice)[0][0]

    def luck(self, board, dice, opening):
        """Luck of the side to move."""
        _, _, values = self.evaluator.lookahead(board)
        equity = values.astype(np.float64) @ POINTS
        weight = np.array([1 if a == b else 2 for a in range(1, 7) for b in range(a, 7)], float)
        if opening:
            weight[weight == 1] = 0
        a, b = min(dice), max(dice)
        return equity[(a - 1) * (14 - a) // 2 + b - a] - equity @ weight / weight.sum()


class Gnubg:
    name = "gnubg-nn 0-ply"

    def __init__(self):
        import gnubg_nn

        self.best_move = gnubg_nn.best_move

    def move(self, board, dice):
        own, opp = counts(board).tolist()
        found = self.best_move([opp[1:], own[1:]], *dice, 0, b=1)
        if not found or not found[0]:
            return board
        key = [ord(c) - 65 for c in found[1]]
        bits = [(key[2 * i] << 4 | key[2 * i + 1]) >> k & 1 for i in range(10) for k in range(8)]
        sides, at = np.zeros((2, 26), int), 0
        for side in range(2):
            for slot in range(1, 26):
                while bits[at]:
                    sides[side, slot] += 1
                    at += 1
                at += 1
        sides[:, 0] = 15 - sides.sum(axis=1)
        return planes(sides)


class Sage:
    name = "Open Sage static"

    def __init__(self):
        import bgbot_cpp
        from bgsage.weights import default_weights

        w = default_weights()
        self.moves = bgbot_cpp.possible_moves
        self.evaluate = bgbot_cpp.create_strategy(
            w.strategy_type, w.weight_paths_list, w.hidden_sizes_list
        ).evaluate_board

    def move(self, board, dice):
        own, opp = counts(board)
        start = [int(opp[25]), *(int(n) for n in own[1:25] - opp[24:0:-1]), int(own[25])]
        results = self.moves(start, *dice)
        if not results:
            return board
        best = np.array(max(results, key=lambda x: self.evaluate(x, start)["equity"]))
        sides = np.zeros((2, 26), int)
        sides[0, 1:25], sides[1, 24:0:-1] = np.maximum(best[1:25], 0), np.maximum(-best[1:25], 0)
        sides[0, 25], sides[1, 25] = best[25], best[0]
        sides[:, 0] = 15 - sides.sum(axis=1)
        return planes(sides)


def play(first, second, ours, dice_source):
    """(points, luck) of the first mover."""
    board, ply, luck = _rules.start(GAME), 0, 0.0
    while True:
        dice = (dice_source.randint(1, 6), dice_source.randint(1, 6))
        if ply == 0 and dice[0] == dice[1]:
            continue
        sign = 1 if ply % 2 == 0 else -1
        luck += sign * ours.luck(board, dice, ply == 0)
        board = swapped((second if ply % 2 else first).move(board, dice))
        ply += 1
        outcome = _rules.outcome(GAME, board)
        if outcome >= 0:
            return -sign * POINTS[outcome], luck


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peer", nargs="?", default="gnubg", choices=("gnubg", "sage"))
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nets", help="folder of net files; default: those shipped")
    args = parser.parse_args()
    ours = Ours(args.nets)
    peer = {"gnubg": Gnubg, "sage": Sage}[args.peer]()
    raw, corrected, start = [], [], time.process_time()
    for pair in range(args.games // 2):
        name = f"{args.seed} {pair}"
        a, luck_a = play(ours, peer, ours, random.Random(name))
        b, luck_b = play(peer, ours, ours, random.Random(name))
        raw.append((a - b) / 2)
        corrected.append((a - luck_a - (b - luck_b)) / 2)
    n = len(raw)

    def figure(values):
        return f"{statistics.fmean(values):+.4f} +- {statistics.stdev(values) / n**0.5:.4f}"

    print(
        f"nardy 0-ply against {peer.name}: {2 * n} games, {figure(corrected)} points a game "
        f"corrected for luck, {figure(raw)} raw; {time.process_time() - start:.0f} CPU s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
