# cython: language_level=3, boundscheck=False, wraparound=False
"""Pairs of games between two players, the GIL released where both are engines."""
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

import numpy as np

from nardy_core._border._engine cimport Evaluator
from nardy_core._border._rules cimport checked_board
from nardy_core._border.duel cimport (
    ND_MAX_PLIES, nd_duel, nd_duel_game, nd_duel_plan, nd_engine_mover, nd_mover, nd_random_mover,
)
from nardy_core._border.errors cimport check
from nardy_core._border.evaluator cimport nd_evaluator, nd_search
from nardy_core._border.nardy cimport (
    ND_CANCELLED, ND_NO_MEMORY, ND_OK, nd_board, nd_results, nd_status, nd_swap,
)

GAME = np.dtype([("outcome", np.int32), ("plies", np.int32), ("luck", np.float64)])
assert GAME.itemsize == sizeof(nd_duel_game)


cdef class Player:
    """One side of a duel. `who`: an Evaluator (0-ply play), (Evaluator, plies), None (random play),
    or a function of (board, dice) that returns the board after its play, the mover first in both."""
    cdef object who
    cdef object fault  # exception of the function
    cdef const nd_evaluator *rules  # whose rules and options hold
    cdef nd_mover mover

    def __cinit__(self, object who, Evaluator referee):
        cdef Evaluator engine
        self.who = who
        self.rules = &referee.ev
        if who is None:
            self.mover = nd_random_mover(&referee.ev)
        elif isinstance(who, (Evaluator, tuple)):
            engine, plies = who if isinstance(who, tuple) else (who, 0)
            if not 0 <= plies <= ND_MAX_PLIES:
                raise ValueError(f"duel: {plies} plies are not 0..{ND_MAX_PLIES}")
            if engine.ev.rules != referee.ev.rules:
                raise ValueError(f"duel: {engine.game} and {referee.game} do not meet")
            self.mover = nd_engine_mover(&engine.ev, plies)
        elif callable(who):
            self.mover.move = ask
            self.mover.context = <const void *>self
        else:
            raise ValueError(f"duel: {type(who).__name__} cannot play")

    cdef int turn(self, const nd_board *board, int d1, int d2, nd_board *out) except -1:
        cdef const uint32_t[::1] view
        cdef uint32_t[::1] into
        cdef nd_board chosen
        cdef nd_results *r
        cdef int i, found = -1
        given = np.empty(8, dtype=np.uint32)
        into = given
        memcpy(&into[0], board, sizeof(nd_board))
        view = np.ascontiguousarray(self.who(given, (d1, d2)), dtype=np.uint32).reshape(-1)
        if view.shape[0] != 8:
            raise ValueError(f"duel: a player returned {view.shape[0]} numbers, not a board")
        memcpy(&chosen, &view[0], sizeof(chosen))
        r = <nd_results *>malloc(sizeof(nd_results))
        if r is NULL:
            raise MemoryError
        self.rules.rules.generate(board, d1, d2, &self.rules.options, r)
        for i in range(r.count):
            if memcmp(&r.board[i], &chosen, sizeof(chosen)) == 0:
                found = i
                break
        free(r)
        if found < 0:
            raise ValueError(f"duel: a player's board is no result of {d1}-{d2}")
        out[0] = nd_swap(&chosen)
        return 0


cdef nd_status ask(const nd_mover *mover, nd_search *search, const nd_board *board, int d1, int d2,
                   uint32_t word, nd_board *out) noexcept with gil:
    cdef Player player = <Player><void *>mover.context
    try:
        player.turn(board, d1, d2, out)
        return ND_OK
    except BaseException as fault:
        player.fault = fault
        return ND_CANCELLED


def run(Evaluator referee, first_player, second_player, Evaluator luck, starts, *, bint opening,
        uint64_t seed, int64_t first, int pairs, int threads=1):
    """Games (pairs, 2) of GAME: pairs first..first+pairs-1 of the duel, see nd_duel.

    referee: says the rules and options. Players as for Player. luck: an Evaluator, or None.
    starts: boards (n, 8). `outcome` is the class for the first player."""
    cdef Player a = Player(first_player, referee), b = Player(second_player, referee)
    cdef nd_duel_plan plan
    cdef nd_board board
    cdef nd_status status
    cdef const uint32_t[:, ::1] boards = np.ascontiguousarray(starts, dtype=np.uint32)
    cdef uint8_t[::1] view
    if boards.shape[0] < 1 or boards.shape[1] != 8:
        raise ValueError(f"starts: expected shape (n, 8), got {np.shape(starts)}")
    if pairs < 1 or first < 0:
        raise ValueError(f"duel: {pairs} pairs from number {first} on")
    for planes in np.asarray(boards):
        checked_board(referee.ev.rules, planes, &board)
    if luck is not None and luck.ev.rules != referee.ev.rules:
        raise ValueError(f"duel: luck in {luck.game} says nothing of {referee.game}")
    plan.rules = referee.ev.rules
    plan.side[0], plan.side[1] = a.mover, b.mover
    plan.luck = &luck.ev if luck is not None else NULL
    plan.seed, plan.opening = seed, opening
    plan.starts, plan.count = <const nd_board *>&boards[0, 0], boards.shape[0]
    out = np.zeros((pairs, 2), dtype=GAME)
    view = out.view(np.uint8).reshape(-1)
    with nogil:
        status = nd_duel(&plan, first, pairs, threads, NULL, <nd_duel_game *>&view[0])
    for player in (a, b):
        if (<Player>player).fault is not None:
            raise (<Player>player).fault
    check(status, "duel")
    return out
