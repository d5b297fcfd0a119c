"""One engine behind a pipe, for compare.py: it does what a line asks for and says what it took.

    worker.py ENGINE SAMPLE     ENGINE: nardy_core, gnubg-nn, sage, openspiel; gnubg runs inside it:
                                `gnubg -t -q -p worker.py` with PEER_ENGINE and PEER_SAMPLE set

The lines come on the descriptor PEER_IN and go to PEER_OUT: ["task", from, to] of the sample, and
[seconds of this process, units, answers]. A task that the engine cannot do is answered with null.

A board is 26 whole numbers seen by the side to move: 1..24 its checkers (> 0) and the other side's
(< 0), 25 its bar, 0 the other side's bar. Standard library alone, besides the engine.
"""

import json
import os
import sys
import time

TRIALS = 36  # of a rollout


def sides(board):
    """(other side, side to move): 24 points from the ace point, then the bar, each as it numbers
    them."""
    return ([max(0, -board[24 - i]) for i in range(24)] + [board[0]],
            [max(0, board[i + 1]) for i in range(24)] + [board[25]])


def board_of(theirs, mine):
    return [theirs[24], *(mine[i] - theirs[23 - i] for i in range(24)), mine[24]]


def turned(board):
    return [board[25], *(-n for n in board[24:0:-1]), board[0]]


class Timed:
    """Seconds of this process, only while asked to."""

    def __init__(self):
        self.seconds = 0.0

    def __enter__(self):
        self.start = time.process_time()

    def __exit__(self, *error):
        self.seconds += time.process_time() - self.start


class Engine:
    """Tasks are methods (cases, clock) -> (units, answers); a case is {board, dice, after}."""

    def prepare(self, cases):
        """Boards in the engine's own form, once; the clock does not see it."""

    def choose(self, cases, clock, plies):
        raise NotImplementedError

    def choose_0(self, cases, clock):
        return self.choose(cases, clock, 0)

    def choose_1(self, cases, clock):
        return self.choose(cases, clock, 1)

    def choose_2(self, cases, clock):
        return self.choose(cases, clock, 2)


class Nardy(Engine):
    def __init__(self):
        import numpy as np

        import nardy_core as nd
        from nardy_core._border import _rules

        self.np, self.nd, self.rules = np, nd, _rules
        self.engine = nd.Engine(threads=1)
        self.model = self.engine.model(nd.Position.start())
        _ = self.model.ahead, self.model.luck  # fitted now, as others load their files

    def position(self, board):
        return self.nd.Position.from_points([-board[0], *board[1:]])

    def prepare(self, cases):
        for case in cases:
            case["own"] = self.position(case["board"]).board
            case["result"] = self.position(turned(case["after"])).board

    def generate(self, cases, clock):
        with clock:
            found = [self.rules.results("backgammon", c["own"], c["dice"])[0] for c in cases]
        return len(cases), [len(results) for results in found]

    def static(self, cases, clock):
        boards = self.np.stack([case["result"] for case in cases])
        with clock:
            self.model.static.evaluate(boards)
        return len(cases), None

    def choose(self, cases, clock, plies):
        answers = []
        for case in cases:
            position, dice = self.position(case["board"]), tuple(case["dice"])
            with clock:
                if plies:
                    found = self.engine.analyse(
                        position, dice, level=plies, top=1, cubeful=False)
                else:
                    best = self.model.search.choose(case["own"], dice)[0][0]
            if plies:
                best = found.best.result.swap().board
            answers.append(self.points(best))
        return len(cases), answers

    def points(self, board):
        """The 26 numbers of a result whose own side is the mover."""
        bits = board.reshape(2, 4, 1) >> self.np.arange(26, dtype=self.np.uint32) & 1
        counts = (bits * self.np.array([1, 2, 4, 8]).reshape(4, 1)).sum(axis=1).tolist()
        mine, theirs = counts
        return board_of(theirs[1:], mine[1:])

    def rollout(self, cases, clock):
        errors = []
        for case in cases:
            with clock:
                found = self.engine.rollout(
                    self.position(turned(case["after"])), trials=TRIALS).wait()
            errors.append(found.entries[0].standard_error * TRIALS**0.5)
        return TRIALS * len(cases), errors


class GnubgNets(Engine):
    def __init__(self):
        import gnubg_nn

        self.peer = gnubg_nn

    def prepare(self, cases):
        for case in cases:
            case["own"] = [list(side) for side in sides(case["board"])]
            case["result"] = [list(side) for side in sides(turned(case["after"]))]

    def generate(self, cases, clock):
        with clock:
            found = [self.peer.moves(c["own"], *c["dice"]) for c in cases]
        return len(cases), [max(len(results or ()), 1) for results in found]

    def static(self, cases, clock):
        with clock:
            for case in cases:
                self.peer.probabilities(case["result"], 0)
        return len(cases), None

    def choose(self, cases, clock, plies):
        answers = []
        for case in cases:
            with clock:
                found = self.peer.best_move(case["own"], *case["dice"], plies, b=1)
            if found and found[0]:
                mine, theirs = self.peer.board_from_position_key(found[1])
                answers.append(board_of(theirs, mine))
            else:
                answers.append(case["board"])
        return len(cases), answers


class Sage(Engine):
    def __init__(self):
        import bgbot_cpp
        from bgsage.weights import default_weights

        self.peer = bgbot_cpp
        weights = default_weights()
        self.nets = (weights.strategy_type, weights.weight_paths_list, weights.hidden_sizes_list)
        self.look = bgbot_cpp.create_strategy(*self.nets)
        # What it calls n plies is one look and n - 1 of look-ahead.
        self.ahead = {plies: bgbot_cpp.create_multipy(*self.nets, n_plies=plies + 1)
                      for plies in (1, 2)}

    def generate(self, cases, clock):
        with clock:
            found = [self.peer.possible_moves(c["board"], *c["dice"]) for c in cases]
        return len(cases), [max(len(results), 1) for results in found]

    def static(self, cases, clock):
        asked = [(case["after"], self.peer.CubeOwner.CENTERED) for case in cases]
        with clock:
            self.peer.batch_evaluate_post_move(asked, self.look, 1)
        return len(cases), None

    def choose(self, cases, clock, plies):
        answers = []
        for case in cases:
            board = case["board"]
            if plies:
                self.ahead[plies].clear_cache()
            with clock:
                found = self.peer.possible_moves(board, *case["dice"])
                if len(found) < 2:
                    best = found[0] if found else board
                elif plies:
                    best = found[self.ahead[plies].best_move_index(found, board)]
                else:
                    best = max(found, key=lambda x: self.look.evaluate_board(x, board)["equity"])
            answers.append(list(best))
        return len(cases), answers

    def rollout(self, cases, clock):
        roller = self.peer.create_rollout(
            *self.nets, n_trials=TRIALS, n_threads=1, truncation_depth=0, decision_ply=1,
            ultra_late_threshold=9999)
        errors = []
        for case in cases:
            with clock:
                found = roller.evaluate_board(case["after"], case["board"])
            errors.append(found["std_error"] * TRIALS**0.5)
        return TRIALS * len(cases), errors


class OpenSpiel(Engine):
    """Takes no positions: it is walked through games of its own, so only its generator is asked."""

    def __init__(self):
        import random

        import pyspiel

        self.random = random.Random(1)
        self.game = pyspiel.load_game("backgammon")

    def states(self, count):
        state, found = self.game.new_initial_state(), []
        while len(found) < count:
            if state.is_terminal():
                state = self.game.new_initial_state()
            elif state.is_chance_node():
                state.apply_action(self.random.choice(state.legal_actions()))
            else:
                found.append(state.clone())
                state.apply_action(self.random.choice(state.legal_actions()))
        return found

    def generate(self, cases, clock):
        states = self.states(len(cases))
        with clock:
            for state in states:
                state.legal_actions()
        return len(cases), None


class Gnubg(Engine):
    """The program itself, by the Python inside it. A call of its `evaluate` costs ten times what
    the nets do, so only choices are asked for."""

    def __init__(self):
        import gnubg

        self.peer = gnubg
        for what in ("automatic roll off", "automatic game off", "automatic move off",
                     "player 0 human", "player 1 human", "jacoby off", "threads 1",
                     "display off"):
            gnubg.command("set " + what)
        gnubg.command("new session")
        self.cube = gnubg.cubeinfo()
        self.levels = [gnubg.evalcontext(0, plies, 1, 1, 0.0) for plies in range(3)]

    def prepare(self, cases):
        for case in cases:
            case["own"] = tuple(tuple(side) for side in sides(case["board"]))

    def choose(self, cases, clock, plies):
        for case in cases:
            self.peer.command("set dice {} {}".format(*case["dice"]))
            with clock:
                self.peer.findbestmove(case["own"], self.cube, self.levels[plies])
        return len(cases), None


ENGINES = {"nardy_core": Nardy, "gnubg-nn": GnubgNets, "sage": Sage, "openspiel": OpenSpiel,
           "gnubg": Gnubg}


def work(name, sample):
    with open(sample) as file:
        cases = json.load(file)
    engine = ENGINES[name]()
    engine.prepare(cases)
    # Whole lines, unbuffered: inside gnubg the standard streams belong to the program.
    asked = os.fdopen(int(os.environ["PEER_IN"]), "r")
    told = os.fdopen(int(os.environ["PEER_OUT"]), "w")
    told.write("[]\n")
    told.flush()
    for line in asked:
        task, first, end = json.loads(line)
        clock = Timed()
        if hasattr(engine, task):
            try:
                units, answers = getattr(engine, task)(cases[first:end], clock)
                answer = [clock.seconds, units, answers]
            except NotImplementedError:
                answer = None
        else:
            answer = None
        told.write(json.dumps(answer) + "\n")
        told.flush()


if "PEER_ENGINE" in os.environ:
    work(os.environ["PEER_ENGINE"], os.environ["PEER_SAMPLE"])
elif __name__ == "__main__":
    work(sys.argv[1], sys.argv[2])
