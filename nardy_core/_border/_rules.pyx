# cython: language_level=3, boundscheck=False, wraparound=False
# distutils: language=c
"""Rules of the games: boards in, boards out. A board is eight uint32 bit planes, the side to move
first; plays are packed step bytes (source | (die - 1) << 5, first step lowest)."""
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from nardy_core._border cimport nardy
from nardy_core._border.nardy cimport (
    ND_MAX_RESULTS, ND_OK, nd_board, nd_options, nd_perft, nd_play, nd_refusal_text, nd_results,
    nd_rules, nd_status_text, nd_status, uint8_t, uint32_t, uint64_t,
)

# Options and their largest values; 0 is always the game's default.
OPTION_NAMES = ("no_hit_and_off", "head_limit", "head_exception", "head_scope", "wall_rule",
                "wall_check", "no_larger_die", "bearoff_from", "bearoff_forced", "second_player")
OPTION_LIMITS = (1, 1, 4, 1, 4, 1, 1, 1, 1, 1)


cdef const nd_rules *rules_of(str game) except NULL:
    if game == "backgammon":
        return &nardy.nd_backgammon
    if game == "long_nardy":
        return &nardy.nd_long_nardy
    raise ValueError(f"game: unknown name {game!r}")


cdef int load_board(object planes, nd_board *out) except -1:
    cdef const uint32_t[::1] view = np.ascontiguousarray(planes, dtype=np.uint32).reshape(-1)
    if view.shape[0] != 8:
        raise ValueError(f"board: expected 8 bit planes, got {view.shape[0]}")
    memcpy(out, &view[0], sizeof(nd_board))
    return 0


cdef int checked_board(const nd_rules *rules, object planes, nd_board *out) except -1:
    load_board(planes, out)
    if rules.check(out) != ND_OK:
        raise ValueError("board: impossible for " + rules.name.decode())
    return 0


cdef int load_dice(object dice, int *d1, int *d2) except -1:
    d1[0], d2[0] = dice
    if not (1 <= d1[0] <= 6 and 1 <= d2[0] <= 6):
        raise ValueError(f"dice: {dice!r} is not two numbers 1..6")
    return 0


cdef int load_options(object options, nd_options *out) except -1:
    """Options as ten small integers in the order of OPTION_NAMES, or None."""
    memset(out, 0, sizeof(nd_options))
    if options is not None:
        if len(options) != len(OPTION_NAMES):
            raise ValueError(f"options: expected {len(OPTION_NAMES)} numbers, got {len(options)}")
        for name, limit, value in zip(OPTION_NAMES, OPTION_LIMITS, options):
            if not 0 <= value <= limit:
                raise ValueError(f"options: {name} is {value}, not 0..{limit}")
        (out.no_hit_and_off, out.head_limit, out.head_exception, out.head_scope, out.wall_rule,
         out.wall_check, out.no_larger_die, out.bearoff_from, out.bearoff_forced,
         out.second_player) = options
    return 0


cdef class Scratch:
    """Result buffers for one thread."""
    cdef nd_results *results

    def __cinit__(self, int depth=1):
        self.results = <nd_results *>malloc(sizeof(nd_results) * depth)
        if self.results is NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.results)


def start(str game, str variant=""):
    """Planes of a start position."""
    cdef nd_board b
    if rules_of(game).start(variant.encode(), &b) != ND_OK:
        raise ValueError(f"start position: unknown name {variant!r}")
    out = np.empty(8, dtype=np.uint32)
    cdef uint32_t[::1] view = out
    memcpy(&view[0], &b, sizeof(b))
    return out


def results(str game, planes, dice, options=None):
    """All distinct results of a roll.

    Returns (boards, plays, steps): uint32 (n, 8) boards with the mover still first, uint32 (n,)
    packed plays, and the number of dice every play uses. A pass is one unchanged board with play 0.
    """
    cdef const nd_rules *rules = rules_of(game)
    cdef nd_board b
    cdef nd_options opt
    cdef int d1, d2
    checked_board(rules, planes, &b)
    load_dice(dice, &d1, &d2)
    load_options(options, &opt)
    cdef Scratch scratch = Scratch()
    with nogil:
        rules.generate(&b, d1, d2, &opt, scratch.results)
    cdef int n = scratch.results.count
    boards = np.empty((n, 8), dtype=np.uint32)
    plays = np.empty(n, dtype=np.uint32)
    cdef uint32_t[:, ::1] to = boards
    cdef uint32_t[::1] as_ = plays
    memcpy(&to[0, 0], &scratch.results.board[0], sizeof(nd_board) * n)
    memcpy(&as_[0], &scratch.results.play[0], sizeof(nd_play) * n)
    return boards, plays, scratch.results.dice


def sequences(str game, planes, dice, options=None):
    """All ordered legal step sequences of a roll as uint32 packed plays; empty for a pass."""
    cdef const nd_rules *rules = rules_of(game)
    cdef nd_board b
    cdef nd_options opt
    cdef int d1, d2
    checked_board(rules, planes, &b)
    load_dice(dice, &d1, &d2)
    load_options(options, &opt)
    cdef int n = rules.sequences(&b, d1, d2, &opt, NULL, 0)
    out = np.empty(n, dtype=np.uint32)
    cdef uint32_t[::1] view
    if n:
        view = out
        n = rules.sequences(&b, d1, d2, &opt, &view[0], n)
    return out[:n]


def why(str game, planes, dice, played_steps, int source, int die, options=None):
    """Why a step may not be made, as a short phrase, or "ok" if some legal play begins so.

    played_steps are the (source, die) steps of this roll already made, in order; a fault in them is
    answered first. The phrases are those of nd_refusal_text.
    """
    cdef const nd_rules *rules = rules_of(game)
    cdef nd_board b
    cdef nd_options opt
    cdef int d1, d2
    cdef nd_play played = 0
    checked_board(rules, planes, &b)
    load_dice(dice, &d1, &d2)
    load_options(options, &opt)
    if len(played_steps) > 4:
        raise ValueError(f"played steps: {len(played_steps)} are more than four")
    for at, (slot, pips) in enumerate([*played_steps, (source, die)]):
        if not (1 <= slot <= 25 and 1 <= pips <= 6):
            raise ValueError(f"step: source {slot} or die {pips} out of range")
        if at < len(played_steps):
            played |= <uint32_t>(slot | (pips - 1) << 5) << 8 * at
    return nd_refusal_text(rules.why(&b, d1, d2, &opt, played, source, die)).decode()


def step(str game, planes, int source, int die):
    """The board after one step (which must be legal)."""
    cdef const nd_rules *rules = rules_of(game)
    cdef nd_board b
    checked_board(rules, planes, &b)
    if not (1 <= source <= 25 and 1 <= die <= 6):
        raise ValueError(f"step: source {source} or die {die} out of range")
    rules.step(&b, source, die)
    out = np.empty(8, dtype=np.uint32)
    cdef uint32_t[::1] view = out
    memcpy(&view[0], &b, sizeof(b))
    return out


def outcome(str game, planes):
    """Outcome class of a finished game for the side to move, or -1 while it goes on."""
    cdef nd_board b
    checked_board(rules_of(game), planes, &b)
    return rules_of(game).outcome(&b)


def phase(str game, planes):
    """0 over, 1 bear-off, 2 race, 3 contact."""
    cdef nd_board b
    checked_board(rules_of(game), planes, &b)
    return <int>rules_of(game).phase(&b)


def phases(str game, const uint32_t[:, ::1] boards):
    """Phases (n,) of boards (n, 8), unchecked: 0 over, 1 bear-off, 2 race, 3 contact."""
    cdef const nd_rules *rules = rules_of(game)
    cdef Py_ssize_t i
    if boards.shape[1] != 8:
        raise ValueError("boards must be (n, 8)")
    out = np.empty(boards.shape[0], dtype=np.uint8)
    cdef uint8_t[::1] view = out
    with nogil:
        for i in range(boards.shape[0]):
            view[i] = <int>rules.phase(<const nd_board *>&boards[i, 0])
    return out


def first_bad(str game, const uint32_t[:, ::1] boards):
    """Index of the first of boards (n, 8) that the game cannot show, or -1."""
    cdef const nd_rules *rules = rules_of(game)
    cdef Py_ssize_t i, bad = -1
    if boards.shape[1] != 8:
        raise ValueError("boards must be (n, 8)")
    with nogil:
        for i in range(boards.shape[0]):
            if rules.check(<const nd_board *>&boards[i, 0]) != ND_OK:
                bad = i
                break
    return bad


def outcome_names(str game):
    cdef const nd_rules *rules = rules_of(game)
    return tuple(rules.outcome_name[i].decode() for i in range(rules.outcomes))


def points(str game):
    """Default value of each outcome class for the side to move."""
    cdef const nd_rules *rules = rules_of(game)
    return tuple(rules.points[i] for i in range(rules.outcomes))


def opening_doubles(str game):
    """May the first roll of a game be a double?"""
    return bool(rules_of(game).opening_doubles)


def perft(str game, planes, int depth, options=None):
    """Number of distinct results over the 21 rolls, recursively (see nd_perft)."""
    cdef const nd_rules *rules = rules_of(game)
    cdef nd_board b
    cdef nd_options opt
    cdef uint64_t n
    if not 0 <= depth <= 8:
        raise ValueError(f"depth: {depth} is not 0..8")
    checked_board(rules, planes, &b)
    load_options(options, &opt)
    cdef Scratch scratch = Scratch(max(depth, 1))
    with nogil:
        n = nd_perft(rules, &b, &opt, depth, scratch.results)
    return n


def bench_generate(str game, const uint32_t[:, ::1] boards, const uint32_t[:, ::1] dice,
                   int repeat=1, options=None):
    """Generate the results of boards[i] with dice[i], `repeat` times over; returns how many
    results there were. For benchmarks: nothing is copied out."""
    cdef const nd_rules *rules = rules_of(game)
    cdef nd_options opt
    cdef nd_board b
    cdef uint64_t total = 0
    cdef Py_ssize_t i
    cdef int k
    if boards.shape[1] != 8 or dice.shape[0] != boards.shape[0] or dice.shape[1] != 2:
        raise ValueError("boards must be (n, 8) and dice (n, 2)")
    load_options(options, &opt)
    cdef Scratch scratch = Scratch()
    with nogil:
        for k in range(repeat):
            for i in range(boards.shape[0]):
                memcpy(&b, &boards[i, 0], sizeof(b))
                rules.generate(&b, dice[i, 0], dice[i, 1], &opt, scratch.results)
                total += scratch.results.count
    return total
