"""The engine as a mover on plain lists, for comparisons with other engines.

A position is a list of 26 integers seen by the side to move: 1..24 its checkers (> 0) and the other
side's (< 0), 25 its bar, 0 the other side's bar; what is missing has been borne off.

    engine = make()          # environment: NARDY_PLY (0 to 4), NARDY_NETS (a folder)
    engine.move(board, d1, d2)   # the position after the play chosen, still seen by the mover
    engine.probs(board)          # five nested probabilities of the side that has just moved
"""

import os

import nardy_core as nd


def position_of(board):
    return nd.Position.from_points([-board[0], *board[1:]])


class Mover:
    def __init__(self, nets=None, level=0):
        self.engine, self.level = nd.Engine(nets), level

    def move(self, board, d1, d2):
        position = position_of(board)
        best = self.engine.analyse(
            position, (d1, d2), level=self.level, cubeful=False).candidates[0]
        points = best.play.result.swap().points
        return [-points[0], *points[1:]]

    def probs(self, board):
        position = position_of(board).swap()
        p = self.engine.evaluate(position, level=self.level).flip().nested
        return [p[k] for k in ("win", "win_gammon", "win_backgammon", "lose_gammon",
                               "lose_backgammon")]


def make():
    return Mover(os.environ.get("NARDY_NETS"), int(os.environ.get("NARDY_PLY", "0")))
