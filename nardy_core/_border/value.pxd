# The value room as the border sees it; its manuals are src_c/value/*.h.
from libc.stdint cimport uint32_t

from nardy_core._border.nardy cimport nd_phase, nd_status
from nardy_core._border.tables cimport nd_bearoff_two

cdef extern from "nardy.h" nogil:
    enum: ND_MET_SIZE
    ctypedef struct nd_met:
        double before[64][64]
        double after[2][64]
    nd_status nd_met_check(const nd_met *met)
    nd_met nd_met_swap(const nd_met *met)
    double nd_met_chance(const nd_met *met, int own, int opp, bint crawford_over)

    ctypedef enum nd_crawford:
        ND_CRAWFORD_BEFORE
        ND_CRAWFORD_NOW
        ND_CRAWFORD_OVER
    ctypedef struct nd_stakes:
        int outcomes
        int points[8]
        double max_cube
        double cap
        bint jacoby
        bint beavers
        bint raccoons
        const nd_met *met
        int own_needs
        int opp_needs
        nd_crawford crawford
    nd_status nd_stakes_check(const nd_stakes *s)
    double nd_stakes_value(const nd_stakes *s, double points)
    double nd_stakes_class(const nd_stakes *s, int c, double cube, bint turned)
    double nd_stakes_equity(const nd_stakes *s, double cube, double value)
    double nd_stakes_unequity(const nd_stakes *s, double cube, double equity)
    double nd_gammon_value(const nd_stakes *s, double cube, bint own_wins, int c)
    int nd_stakes_turns(const nd_stakes *s, double cube)

    ctypedef enum nd_owner:
        ND_CENTRE
        ND_OWN
        ND_OPP
        ND_OWNERS
    ctypedef struct nd_mix:
        double win
        double share[8]
    nd_mix nd_mix_of(int outcomes, const double *probabilities)
    ctypedef struct nd_cube_model:
        nd_mix mix
        bint live_cube
        bint dead_cube
        double passed
    void nd_cube_model_make(const nd_stakes *s, const nd_mix *mix, double cube, nd_cube_model *out)
    ctypedef struct nd_windows:
        double take
        double beaver
        double raccoon
        double initial
        double redouble
        double cash
        double too_good[2]
    nd_windows nd_cube_windows(const nd_cube_model *m, double x)
    ctypedef struct nd_cube_values:
        double cubeless
        double cubeless_doubled
        double hold[3]
        double take
        double beaver
        double raccoon
        double beaver_pass
        double raccoon_pass
        # `pass` is a word of Cython
        double pass_ "pass"
    nd_cube_values nd_cube_values_of(const nd_cube_model *m, nd_owner owner, double x)
    double nd_cube_doubled(const nd_cube_values *v)

    ctypedef struct nd_efficiency:
        double contact
        double bearoff
        double race
        double race_pip
        double race_low
        double race_high
    const nd_efficiency nd_efficiency_default
    double nd_efficiency_of(const nd_efficiency *e, nd_phase phase, int pips)

    ctypedef struct nd_exact:
        pass
    nd_status nd_exact_new(nd_exact **out)
    void nd_exact_free(nd_exact *exact)
    nd_status nd_exact_solve(const nd_exact *exact, const nd_stakes *s, double cube, uint32_t own,
                             uint32_t opp, nd_cube_values *out)
    nd_cube_values nd_exact_money(const nd_bearoff_two *table, const nd_stakes *s, double cube,
                                  uint32_t own, uint32_t opp)
