# cython: language_level=3, boundscheck=False, wraparound=False
"""Evaluation and search: arrays in, arrays out, the GIL released.

Boards are uint32 (n, 8) bit planes, side on roll first; probabilities float32 (n, outcomes), for the
side on roll, in the order of `_rules.outcome_names`.
"""
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from nardy_core._border._net import kernel_sets
from nardy_core._border._rules cimport (
    checked_board, load_dice, load_options, rules_of,
)
from nardy_core._border._long_race cimport LongRace
from nardy_core._border._net cimport Net
from nardy_core._border._tables cimport BearoffOne, BearoffTwo
from nardy_core._border._value cimport Stakes, load_efficiency, values_of
from nardy_core._border.errors cimport check
from nardy_core._border.long_race cimport nd_long_race
from nardy_core._border.evaluator cimport (
    nd_bearoff_one, nd_best_play, nd_candidate, nd_choose, nd_kernels_get, nd_kernels_name,
    nd_lookahead, nd_net_get_info, ND_ROLLS, nd_search, nd_search_free, nd_search_new,
    nd_search_stop_by, nd_sieve_fit, nd_static, nd_stop, nd_stop_raise, nd_stop_raised,
)
from nardy_core._border.nardy cimport (
    ND_OK, ND_PHASE_CONTACT, ND_PHASE_RACE, nd_board, nd_results, uint32_t, uint8_t,
)
from nardy_core._border.search cimport (
    ND_MAX_PLIES, nd_choice, nd_choose_many, nd_choose_nply, nd_cube_setting, nd_evaluate_cubeful,
    nd_evaluate_many, nd_evaluate_nply, nd_filter, nd_judge_nply, nd_plan, nd_plan_check, nd_plan_default,
)
from nardy_core._border.value cimport nd_cube_values, nd_owner

OWNERS = ("centre", "own", "opp")  # in the order of nd_owner
PHASES = {"race": <int>ND_PHASE_RACE, "contact": <int>ND_PHASE_CONTACT}
MAX_PLIES = <int>ND_MAX_PLIES

# A judged result of a roll: nd_choice field by field. Unused outcomes are zero.
CHOICE = np.dtype([("board", np.uint32, 8), ("play", np.uint32), ("level", np.int32),
                   ("equity", np.float32), ("cubeless", np.float32), ("probability", np.float32, 8),
                   ("index", np.int32)])
if CHOICE.itemsize != sizeof(nd_choice):
    raise ImportError("CHOICE does not match nd_choice")


cdef class Stop:
    """A flag that any thread may raise to stop the work that was given it."""

    def __cinit__(self):
        memset(&self.flag, 0, sizeof(self.flag))

    def set(self):
        """Raise the flag. It stays up."""
        nd_stop_raise(&self.flag)

    def is_set(self):
        return bool(nd_stop_raised(&self.flag))


cdef const nd_stop *flag_of(Stop stop) noexcept:
    return NULL if stop is None else &stop.flag


cdef class Searcher:
    """Scratch of one thread."""
    cdef nd_search *search

    def __cinit__(self):
        check(nd_search_new(&self.search), "search")

    def __dealloc__(self):
        nd_search_free(self.search)


cdef int load_filter(object pair, nd_filter *out) except -1:
    out.keep, out.within = pair
    return 0


cdef int load_by_phase(object value, nd_filter *out) except -1:
    """A pair for every phase, or a dict of pairs that leaves the other phases as they are."""
    if isinstance(value, dict):
        for phase, pair in value.items():
            load_filter(pair, &out[<int>PHASES[phase]])
    else:
        for phase in range(4):
            load_filter(value, &out[phase])
    return 0


cdef class Plan:
    """Where a search looks closely. Immutable; what is not given is the default.

    A filter is a pair (keep, within): at most `keep` candidates, and only those within so much
    equity of the best; keep 0 lets all pass.

    select: results of the roll that reach the playing net; promote: MAX_PLIES or fewer of them,
    number k for those evaluated at k plies that are evaluated at k + 1. Each is one filter or a
    dict {"contact": filter, "race": filter} by the phase of the decision.
    tree_select, tree_promote: the same for plays inside the tree, number n - 1 in positions
    evaluated at n plies. tree_cubeful: replies compared by their cubeful values before the last ply,
    in a search with the cube in play; the best without a cube stands for all by default. cache: entries, 0 = none; answers do not depend on it.
    """

    def __init__(self, *, select=None, promote=(), tree_select=(), tree_promote=(),
                 tree_cubeful=None, cache=None):
        cdef int k
        self.plan = nd_plan_default
        if max(len(promote), len(tree_select), len(tree_promote)) > ND_MAX_PLIES:
            raise ValueError(f"plan: filters for more than {ND_MAX_PLIES} plies")
        if select is not None:
            load_by_phase(select, self.plan.select)
        for k, value in enumerate(promote):
            load_by_phase(value, self.plan.promote[k])
        for k, value in enumerate(tree_select):
            load_filter(value, &self.plan.tree_select[k])
        for k, value in enumerate(tree_promote):
            load_filter(value, &self.plan.tree_promote[k])
        if tree_cubeful is not None:
            load_filter(tree_cubeful, &self.plan.tree_cubeful)
        if cache is not None:
            self.plan.cache = cache
        check(nd_plan_check(&self.plan), "plan")


cdef const nd_plan *plan_of(Plan plan) noexcept:
    if plan is None:
        return &nd_plan_default
    return &plan.plan


cdef class CubeSetting:
    """Stakes and cube for a search with the cube in play, as the side on roll at its root sees them.
    Immutable.

    owner: "centre", "own", "opp". efficiency: mapping as `_value.EFFICIENCY`. two: table for exact
    bear-offs for money, or None.
    """

    def __init__(self, Stakes stakes not None, double cube, owner, efficiency, BearoffTwo two=None):
        self.stakes, self.two = stakes, two  # kept alive
        self.set.stakes = &stakes.stakes
        self.set.cube = cube
        self.set.owner = <nd_owner><int>OWNERS.index(owner)
        load_efficiency(efficiency, &self.set.efficiency)
        self.set.two = NULL if two is None else two.handle


cdef const nd_cube_setting *setting_of(CubeSetting cube) noexcept:
    return NULL if cube is None else &cube.set


cdef int check_plies(object plies) except -1:
    if plies not in range(ND_MAX_PLIES + 1):
        raise ValueError(f"plies: {plies!r} is not 0..{ND_MAX_PLIES}")
    return plies


cdef class Evaluator:
    """Rules, nets by phase, exact tables: everything a static evaluation needs. Immutable.

    bearoff: a BearoffOne table, race: a LongRace table (long nardy under default rules of bearing
    off), or None for the race net alone. points: what each outcome class is worth, None for the
    game's default.
    nets: {"contact": Net, "race": Net}; small: nets for preselection, same keys; keep, within: how
    many candidates of a roll reach the playing net, and how far behind the small net's best.
    sift: of each roll only so many results are judged where all rolls are looked at, 0 = all: one
    number, or by phase as in nets.
    """

    def __init__(self, str game, dict nets, *, dict small=None, object bearoff=None, object race=None,
                 object options=None, object points=None, int keep=0, float within=0.12, object sift=0,
                 str kernels=None):
        self.game = game
        self.ev.rules = rules_of(game)
        load_options(options, &self.ev.options)
        name = kernels.encode() if kernels else None
        self.ev.kernels = nd_kernels_get(<const char *>name if name else NULL)
        if self.ev.kernels is NULL:
            raise ValueError(f"kernels: {kernels!r} is not one of {', '.join(kernel_sets())}")
        self.kernels = nd_kernels_name(self.ev.kernels).decode()
        self.parts = []
        self.pool = []
        for phase, net in nets.items():
            self.ev.net[<int>PHASES[phase]] = (<Net?>net).net
            self.parts.append(net)
        for phase, net in (small or {}).items():
            self.ev.small[<int>PHASES[phase]] = (<Net?>net).net
            self.parts.append(net)
        for phase in PHASES:
            if self.ev.net[<int>PHASES[phase]] is NULL:
                raise ValueError(f"nets: none for {phase} positions")
        cdef int i
        for net in self.parts:
            if nd_net_get_info((<Net>net).net).outcomes != self.ev.rules.outcomes:
                raise ValueError(f"nets: {game} has {self.ev.rules.outcomes} outcome classes")
        if bearoff is not None:
            self.ev.bearoff = <const nd_bearoff_one *>(<BearoffOne?>bearoff).handle
            self.parts.append(bearoff)
        if race is not None:
            if game != "long_nardy":
                raise ValueError(f"race: {game} has no such table")
            self.ev.race = <const nd_long_race *>(<LongRace?>race).handle
            self.parts.append(race)
        if points is not None and len(points) != self.ev.rules.outcomes:
            raise ValueError(f"points: {len(points)} instead of {self.ev.rules.outcomes}")
        for i in range(self.ev.rules.outcomes):
            self.ev.points[i] = self.ev.rules.points[i] if points is None else points[i]
        self.ev.keep = keep
        self.ev.within = within
        cdef int kept
        if not isinstance(sift, dict):
            sift = dict.fromkeys(PHASES, sift)
        for phase, kept in sift.items():
            if not 0 <= kept <= 64:
                raise ValueError(f"sift: {kept} is not 0..64")
        for i, (phase, kept) in enumerate(sift.items()):
            if kept:
                check(nd_sieve_fit(&self.ev, PHASES[phase], &self.sieves[i]), "sieve")
        for i, (phase, kept) in enumerate(sift.items()): # not before: all are fitted without a sieve
            self.ev.sift[<int>PHASES[phase]] = kept
            self.ev.sieve[<int>PHASES[phase]] = &self.sieves[i] if kept else NULL

    @property
    def points(self):
        """What each outcome class is worth."""
        return tuple(self.ev.points[i] for i in range(self.ev.rules.outcomes))

    def evaluate(self, const uint32_t[:, ::1] boards):
        """Probabilities (n, outcomes) of boards (n, 8) at 0-ply."""
        self.check_boards(boards)
        cdef size_t n = boards.shape[0]
        out = np.empty((n, self.ev.rules.outcomes), dtype=np.float32)
        cdef float[:, ::1] view = out
        cdef Searcher s = self.pool.pop() if self.pool else Searcher()
        cdef int status = 0
        if n:
            with nogil:
                status = nd_static(&self.ev, s.search, NULL, <const nd_board *>&boards[0, 0], n,
                                   False, &view[0, 0])
            check(status, "evaluate")
        self.pool.append(s)
        return out

    def choose(self, planes, dice):
        """All results of a roll at 0-ply, best first: (boards with the mover first, packed plays,
        mover's equities, mover's probabilities, judged by the playing net or only preselected)."""
        cdef nd_board b
        cdef int d1, d2, n = 0, status, i, k = self.ev.rules.outcomes
        cdef const nd_results *r
        cdef const nd_candidate *c
        checked_board(self.ev.rules, planes, &b)
        load_dice(dice, &d1, &d2)
        cdef Searcher s = self.pool.pop() if self.pool else Searcher()
        with nogil:
            status = nd_choose(&self.ev, s.search, &b, d1, d2, &r, &c, &n)
        check(status, "choose")
        boards = np.empty((n, 8), dtype=np.uint32)
        plays = np.empty(n, dtype=np.uint32)
        equities = np.empty(n, dtype=np.float32)
        probabilities = np.empty((n, k), dtype=np.float32)
        full = np.empty(n, dtype=bool)
        cdef uint32_t[:, ::1] to = boards
        cdef float[:, ::1] p = probabilities
        for i in range(n):
            memcpy(&to[i, 0], &r.board[c[i].index], sizeof(nd_board))
            memcpy(&p[i, 0], &c[i].probability[0], sizeof(float) * k)
            plays[i] = r.play[c[i].index]
            equities[i] = c[i].equity
            full[i] = c[i].full
        self.pool.append(s)
        return boards, plays, equities, probabilities, full

    def lookahead(self, planes):
        """(mean probabilities (outcomes,), boards after the best reply to each of the 21 rolls
        (21, 8) with the other side on roll, their probabilities (21, outcomes) seen by this side)."""
        cdef nd_board b
        cdef int status, k = self.ev.rules.outcomes
        cdef nd_board best[21]
        cdef float value[21][8]
        cdef float mean[8]
        checked_board(self.ev.rules, planes, &b)
        cdef Searcher s = self.pool.pop() if self.pool else Searcher()
        with nogil:
            status = nd_lookahead(&self.ev, s.search, &b, False, mean, best, value)
        check(status, "lookahead")
        self.pool.append(s)
        boards = np.empty((ND_ROLLS, 8), dtype=np.uint32)
        cdef uint32_t[:, ::1] to = boards
        memcpy(&to[0, 0], &best[0], sizeof(nd_board) * ND_ROLLS)
        return (np.array([mean[i] for i in range(k)], dtype=np.float32), boards,
                np.array([[value[r][i] for i in range(k)] for r in range(ND_ROLLS)],
                         dtype=np.float32))

    # ---- several plies ---------------------------------------------------------------------------

    def evaluate_nply(self, planes, plies, Plan plan=None, Stop stop=None):
        """Probabilities (outcomes,) of one position at 0..MAX_PLIES plies. Cancelled if stopped."""
        cdef nd_board b
        cdef int status, n = check_plies(plies)
        cdef float p[8]
        cdef const nd_plan *how = plan_of(plan)
        checked_board(self.ev.rules, planes, &b)
        cdef Searcher s = self.pool.pop() if self.pool else Searcher()
        nd_search_stop_by(s.search, flag_of(stop))
        with nogil:
            status = nd_evaluate_nply(&self.ev, how, s.search, &b, n, p)
        check(status, "evaluate")
        self.pool.append(s)
        return np.array([p[i] for i in range(self.ev.rules.outcomes)], dtype=np.float32)

    def choose_nply(self, planes, dice, plies, Plan plan=None, Stop stop=None, *, int least=1,
                    CubeSetting cube=None):
        """All results of a roll as CHOICE records (n,): boards with the mover first, equities and
        probabilities the mover's, level -1 = judged by the small net alone.

        They come in groups of one level each, deepest first; the first is at `plies`, at least
        `least` of them are, and no equity of any level is higher than the first one's. Equities are
        cubeful if there is a `cube`. Cancelled if stopped.
        """
        cdef nd_board b
        cdef int d1, d2, status, count = 0, n = check_plies(plies)
        cdef const nd_choice *c
        cdef const nd_cube_setting *set_ = setting_of(cube)
        cdef const nd_plan *how = plan_of(plan)
        checked_board(self.ev.rules, planes, &b)
        load_dice(dice, &d1, &d2)
        cdef Searcher s = self.pool.pop() if self.pool else Searcher()
        nd_search_stop_by(s.search, flag_of(stop))
        with nogil:
            status = nd_choose_nply(&self.ev, how, s.search, &b, d1, d2, n, least, set_, &c,
                                    &count)
        check(status, "choose")
        out = np.empty(count, dtype=CHOICE)
        cdef char[::1] view = out.view(np.int8)
        memcpy(&view[0], c, count * sizeof(nd_choice))
        self.pool.append(s)
        return out

    def evaluate_cubeful(self, planes, plies, CubeSetting cube not None, Plan plan=None,
                         Stop stop=None):
        """(probabilities (outcomes,), values by name as `_value.Model.values`) of one position at
        0..MAX_PLIES plies with the cube in play. Cancelled if stopped."""
        cdef nd_board b
        cdef int status, n = check_plies(plies)
        cdef float p[8]
        cdef nd_cube_values values
        cdef const nd_plan *how = plan_of(plan)
        checked_board(self.ev.rules, planes, &b)
        cdef Searcher s = self.pool.pop() if self.pool else Searcher()
        nd_search_stop_by(s.search, flag_of(stop))
        with nogil:
            status = nd_evaluate_cubeful(&self.ev, how, s.search, &b, n, &cube.set, p, &values)
        check(status, "evaluate")
        self.pool.append(s)
        return (np.array([p[i] for i in range(self.ev.rules.outcomes)], dtype=np.float32),
                values_of(&values))

    def judge(self, planes, plies, Plan plan=None, Stop stop=None, *, CubeSetting cube=None):
        """(probabilities (outcomes,), equity) of the side that has just moved, on a board with the
        other side on roll: bit for bit what `choose_nply` says of such a result. `cube` is as the
        mover sees it."""
        cdef nd_board b
        cdef int status, n = check_plies(plies)
        cdef float p[8]
        cdef float equity
        cdef const nd_cube_setting *set_ = setting_of(cube)
        cdef const nd_plan *how = plan_of(plan)
        checked_board(self.ev.rules, planes, &b)
        cdef Searcher s = self.pool.pop() if self.pool else Searcher()
        nd_search_stop_by(s.search, flag_of(stop))
        with nogil:
            status = nd_judge_nply(&self.ev, how, s.search, &b, n, set_, p, &equity)
        check(status, "evaluate")
        self.pool.append(s)
        return np.array([p[i] for i in range(self.ev.rules.outcomes)], dtype=np.float32), equity

    cdef check_boards(self, const uint32_t[:, ::1] boards):
        cdef Py_ssize_t i
        if boards.shape[1] != 8:
            raise ValueError("boards must be (n, 8)")
        for i in range(boards.shape[0]):
            if self.ev.rules.check(<const nd_board *>&boards[i, 0]) != ND_OK:
                raise ValueError(f"boards: number {i} is impossible for {self.game}")

    def evaluate_many(self, const uint32_t[:, ::1] boards, plies=0, Plan plan=None, *,
                      int threads=1, Stop stop=None):
        """Probabilities (n, outcomes) of boards (n, 8), side on roll first; threads 0 = one per
        processor. The same bits on any number of them. Cancelled if stopped."""
        cdef int status, level = check_plies(plies)
        cdef size_t n = boards.shape[0]
        cdef const nd_plan *how = plan_of(plan)
        self.check_boards(boards)
        out = np.empty((n, self.ev.rules.outcomes), dtype=np.float32)
        cdef float[:, ::1] view = out
        cdef const nd_stop *flag = flag_of(stop)
        if n:
            with nogil:
                status = nd_evaluate_many(&self.ev, how, <const nd_board *>&boards[0, 0], n, level,
                                          threads, flag, &view[0, 0])
            check(status, "evaluate")
        return out

    def choose_many(self, const uint32_t[:, ::1] boards, dice, plies=0, Plan plan=None, *,
                    cubes=None, int top=1, int least=1, int threads=1, Stop stop=None):
        """The first `top` choices of many decisions, boards (n, 8) and dice (n, 2), `least` of each
        at `plies`: CHOICE records (n, top), zero where there are fewer, and the numbers of results
        (n,). cubes: None or a CubeSetting for each decision. Cancelled if stopped."""
        cdef int status, level = check_plies(plies)
        cdef size_t n = boards.shape[0]
        cdef const nd_plan *how = plan_of(plan)
        self.check_boards(boards)
        rolls = np.asarray(dice)
        if rolls.shape != (n, 2) or (n and not (1 <= rolls.min() and rolls.max() <= 6)):
            raise ValueError("dice: must be (n, 2) numbers 1..6")
        if top < 1:
            raise ValueError(f"top: {top} is not at least 1")
        cdef const uint8_t[:, ::1] d = np.ascontiguousarray(rolls, dtype=np.uint8)
        out = np.zeros((n, top), dtype=CHOICE)
        counts = np.zeros(n, dtype=np.int32)
        cdef char[::1] view = out.view(np.int8).reshape(-1)
        cdef int[::1] found = counts
        cdef const nd_stop *flag = flag_of(stop)
        cdef nd_cube_setting *sets = NULL
        cdef size_t i
        if cubes is not None:
            if len(cubes) != n:
                raise ValueError(f"cubes: {len(cubes)} for {n} boards")
            sets = <nd_cube_setting *>malloc(max(n, 1) * sizeof(nd_cube_setting))
            if sets is NULL:
                raise MemoryError
        try:
            for i in range(n if sets is not NULL else 0):
                sets[i] = (<CubeSetting?>cubes[i]).set
            if n:
                with nogil:
                    status = nd_choose_many(&self.ev, how, <const nd_board *>&boards[0, 0],
                                            <const uint8_t (*)[2]>&d[0, 0], sets, n, level, top, least,
                                            threads, flag, <nd_choice *>&view[0], &found[0])
                check(status, "choose")
        finally:
            free(sets)
        return out, counts

    def bench_choose(self, const uint32_t[:, ::1] boards, const uint32_t[:, ::1] dice, int repeat=1):
        """Choose a play for each (board, dice), `repeat` times. For benchmarks: nothing is copied
        out."""
        cdef Py_ssize_t i
        cdef int status = 0, k
        cdef nd_board b
        cdef nd_board best
        if dice.shape[0] != boards.shape[0] or dice.shape[1] != 2:
            raise ValueError("boards must be (n, 8) and dice (n, 2)")
        self.check_boards(boards)
        if not (np.asarray(dice) - 1 < 6).all():  # unsigned: 0 becomes large
            raise ValueError("dice must be 1..6")
        cdef Searcher s = self.pool.pop() if self.pool else Searcher()
        with nogil:
            for k in range(repeat):
                for i in range(boards.shape[0]):
                    memcpy(&b, &boards[i, 0], sizeof(b))
                    status = nd_best_play(&self.ev, s.search, &b, dice[i, 0], dice[i, 1], &best)
                    if status != 0:
                        break
        check(status, "choose")
        self.pool.append(s)
