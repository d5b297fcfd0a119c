# cython: language_level=3
"""Match equity tables, stakes, the cube model and exact bear-offs.

A value is in points with the cube counted in, or own's chance to win the match; an equity is on the
scale where winning or losing the present cube is +1 and -1. NaN comes out as None.
"""
import hashlib

import numpy as np

from libc.math cimport INFINITY, isnan
from libc.stdint cimport uint32_t

from nardy_core._border.errors cimport check
from nardy_core._border.nardy cimport nd_phase, nd_status
from nardy_core._border._tables cimport BearoffTwo
from nardy_core._border.value cimport (
    ND_MET_SIZE, nd_crawford, nd_cube_doubled, nd_cube_model, nd_cube_model_make, nd_cube_values,
    nd_cube_values_of, nd_cube_windows, nd_efficiency, nd_efficiency_default, nd_efficiency_of,
    nd_exact, nd_exact_free, nd_exact_money, nd_exact_new, nd_exact_solve, nd_gammon_value, nd_met,
    nd_met_chance, nd_met_check, nd_met_swap, nd_mix, nd_mix_of, nd_owner, nd_stakes,
    nd_stakes_check, nd_stakes_class, nd_stakes_equity, nd_stakes_turns, nd_stakes_unequity,
    nd_stakes_value, nd_windows,
)

MET_SIZE = <int>ND_MET_SIZE
OWNERS = ("centre", "own", "opp")  # in the order of nd_owner
CRAWFORD = ("before", "now", "over")


cdef object number(double value):
    return None if isnan(value) else value


cdef object values_of(const nd_cube_values *v):
    return {
        "cubeless": number(v.cubeless),
        "cubeless_doubled": number(v.cubeless_doubled),
        "centre": number(v.hold[0]),
        "own": number(v.hold[1]),
        "opp": number(v.hold[2]),
        "take": number(v.take),
        "pass": number(v.pass_),
        "beaver": number(v.beaver),
        "beaver_pass": number(v.beaver_pass),
        "raccoon": number(v.raccoon),
        "raccoon_pass": number(v.raccoon_pass),
        "doubled": number(nd_cube_doubled(v)),
    }


cdef class Met:
    """Match equity table: before[a - 1, b - 1] = chance of own needing a against b, with the
    Crawford game not behind them; after[s, n - 1] = chance of the trailer (own, opp) needing n
    against 1 when it is."""

    def __init__(self, before, after):
        rows = np.ascontiguousarray(before, dtype=np.float64)
        ends = np.ascontiguousarray(after, dtype=np.float64)
        if rows.shape != (ND_MET_SIZE, ND_MET_SIZE) or ends.shape != (2, ND_MET_SIZE):
            raise ValueError(f"match equity table: shapes {rows.shape} and {ends.shape}")
        cdef const double[:, ::1] b = rows
        cdef const double[:, ::1] e = ends
        cdef int i, k
        for i in range(ND_MET_SIZE):
            for k in range(ND_MET_SIZE):
                self.met.before[i][k] = b[i, k]
            self.met.after[0][i] = e[0, i]
            self.met.after[1][i] = e[1, i]
        check(nd_met_check(&self.met), "match equity table")

    def swap(self):
        """The table of the other player."""
        cdef Met out = Met.__new__(Met)
        out.met = nd_met_swap(&self.met)
        return out

    def digest(self):
        """Hash of its bits."""
        return hashlib.blake2b((<char *>&self.met)[:sizeof(nd_met)], digest_size=8).hexdigest()

    def chance(self, int own, int opp, bint crawford_over):
        """Own's chance to win the match with these points needed (at most MET_SIZE)."""
        if own > ND_MET_SIZE or opp > ND_MET_SIZE:
            raise ValueError(f"score: more than {ND_MET_SIZE} points needed")
        return nd_met_chance(&self.met, own, opp, crawford_over)


cdef class Stakes:
    """What a finished game is worth to own.

    points : wins in rising value, as many losses again; None for a limit means none
    met : None for money; then own_needs, opp_needs and crawford ("before", "now", "over") count
    """

    def __init__(self, points, *, max_cube=None, cap=None, bint jacoby=False, bint beavers=False,
                 bint raccoons=False, Met met=None, int own_needs=0, int opp_needs=0,
                 crawford="before"):
        if len(points) > 8:
            raise ValueError(f"points: {len(points)} classes")
        self.stakes.outcomes = len(points)
        for i, value in enumerate(points):
            self.stakes.points[i] = value
        self.stakes.max_cube = INFINITY if max_cube is None else max_cube
        self.stakes.cap = INFINITY if cap is None else cap
        self.stakes.jacoby = jacoby
        self.stakes.beavers = beavers
        self.stakes.raccoons = raccoons
        self.met = met
        self.stakes.met = NULL if met is None else &met.met
        self.stakes.own_needs = own_needs
        self.stakes.opp_needs = opp_needs
        self.stakes.crawford = <nd_crawford><int>CRAWFORD.index(crawford)
        check(nd_stakes_check(&self.stakes), "stakes")

    def value(self, double points):
        """Value of winning (> 0) or losing points, the cube counted in."""
        return nd_stakes_value(&self.stakes, points)

    def equity(self, double cube, double value):
        return nd_stakes_equity(&self.stakes, cube, value)

    def unequity(self, double cube, double equity):
        return nd_stakes_unequity(&self.stakes, cube, equity)

    def gammon_value(self, double cube, bint own_wins, int c):
        """Worth of class c of own's wins (or losses) beyond a single game; money gammon = 0.5."""
        if not 0 <= c < self.stakes.outcomes // 2:
            raise ValueError(f"class: {c}")
        return nd_gammon_value(&self.stakes, cube, own_wins, c)

    def turns(self, double cube):
        """How many turns of the cube can still change something; -1 = no end."""
        return nd_stakes_turns(&self.stakes, cube)


cdef class Model:
    """Janowski's model of a cube and outcome probabilities (exclusive, in the order of points)."""

    cdef nd_cube_model model

    def __init__(self, Stakes stakes, probabilities, double cube):
        cdef double p[8]
        if len(probabilities) != stakes.stakes.outcomes:
            raise ValueError(
                f"probabilities: {len(probabilities)} classes, not {stakes.stakes.outcomes}")
        for i, value in enumerate(probabilities):
            p[i] = value
        cdef nd_mix mix = nd_mix_of(stakes.stakes.outcomes, p)
        nd_cube_model_make(&stakes.stakes, &mix, cube, &self.model)

    @property
    def win(self):
        return self.model.mix.win

    @property
    def available(self):
        """Own could double if it had access: neither the Crawford game nor the cube's limit."""
        return self.model.live_cube

    @property
    def dead(self):
        """Own gains nothing by winning twice as much."""
        return self.model.dead_cube

    def at(self, double win):
        """The same with another chance to win; games won and lost keep their mix."""
        cdef Model out = Model.__new__(Model)
        out.model = self.model
        out.model.mix.win = win
        return out

    def values(self, owner, double x):
        """Values by name at cube efficiency x: holding the cube by owner, take, pass, …"""
        cdef nd_cube_values v = nd_cube_values_of(
            &self.model, <nd_owner><int>OWNERS.index(owner), x)
        return values_of(&v)

    def windows(self, double x):
        """Own's chances to win at which decisions change, by name."""
        cdef nd_windows w = nd_cube_windows(&self.model, x)
        return {
            "take": number(w.take),
            "beaver": number(w.beaver),
            "raccoon": number(w.raccoon),
            "initial": number(w.initial),
            "redouble": number(w.redouble),
            "cash": number(w.cash),
            "too_good_centre": number(w.too_good[0]),
            "too_good_own": number(w.too_good[1]),
        }


cdef class Exact:
    """Solver of bear-offs of up to six checkers a side. Positions are bear-off indices."""

    cdef nd_exact *handle

    def __cinit__(self):
        check(nd_exact_new(&self.handle))

    def __dealloc__(self):
        nd_exact_free(self.handle)

    def solve(self, Stakes stakes, double cube, uint32_t own, uint32_t opp):
        """Values by name for stakes that end the doubling: a match, a cap, a limit."""
        cdef nd_cube_values v
        cdef nd_status status
        with nogil:
            status = nd_exact_solve(self.handle, &stakes.stakes, cube, own, opp, &v)
        check(status, "exact bear-off")
        return values_of(&v)


def exact_money(BearoffTwo table, Stakes stakes, double cube, uint32_t own, uint32_t opp):
    """Values by name for money without a limit, from the two-sided table."""
    if stakes.met is not None or stakes.turns(cube) >= 0:
        raise ValueError("exact money: the stakes have a limit")
    if not (0 < own < 924 and 0 < opp < 924):
        raise ValueError("bear-off index: not in 1..923")
    cdef nd_cube_values v = nd_exact_money(table.handle, &stakes.stakes, cube, own, opp)
    return values_of(&v)


EFFICIENCY = {
    "contact": nd_efficiency_default.contact,
    "bearoff": nd_efficiency_default.bearoff,
    "race": nd_efficiency_default.race,
    "race_pip": nd_efficiency_default.race_pip,
    "race_low": nd_efficiency_default.race_low,
    "race_high": nd_efficiency_default.race_high,
}


cdef int load_efficiency(object parameters, nd_efficiency *out) except -1:
    out.contact = parameters["contact"]
    out.bearoff = parameters["bearoff"]
    out.race = parameters["race"]
    out.race_pip = parameters["race_pip"]
    out.race_low = parameters["race_low"]
    out.race_high = parameters["race_high"]
    return 0


def efficiency(parameters, int phase, int pips):
    """Cube efficiency of a position's phase and pips of the side on roll."""
    cdef nd_efficiency e
    load_efficiency(parameters, &e)
    return nd_efficiency_of(&e, <nd_phase>phase, pips)
