# Names of the C core as the border sees them. Values and layouts come from nardy.h itself.
from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t

cdef extern from "nardy.h" nogil:
    ctypedef enum nd_status:
        ND_OK
        ND_NO_MEMORY
        ND_BAD_ARGUMENT
        ND_BAD_BOARD
        ND_BAD_FILE
        ND_BAD_VERSION
        ND_BAD_CHECKSUM
        ND_IO
        ND_CANCELLED
        ND_UNSUPPORTED
    const char *nd_status_text(nd_status status)

    ctypedef struct nd_board:
        uint32_t own[4]
        uint32_t opp[4]

    ctypedef struct nd_options:
        uint8_t no_hit_and_off
        uint8_t head_limit
        uint8_t head_exception
        uint8_t head_scope
        uint8_t wall_rule
        uint8_t wall_check
        uint8_t no_larger_die
        uint8_t bearoff_from
        uint8_t bearoff_forced
        uint8_t second_player

    ctypedef uint32_t nd_play
    enum: ND_MAX_RESULTS
    enum: ND_MAX_OUTCOMES

    ctypedef struct nd_results:
        int count
        int dice
        nd_board *board
        nd_play *play

    ctypedef enum nd_phase:
        ND_PHASE_OVER
        ND_PHASE_BEAROFF
        ND_PHASE_RACE
        ND_PHASE_CONTACT

    ctypedef enum nd_refusal:
        ND_REFUSED_NOT
    const char *nd_refusal_text(nd_refusal reason)

    ctypedef struct nd_rules:
        const char *name
        uint32_t id
        uint32_t version
        int outcomes
        const char *outcome_name[8]
        int points[8]
        bint opening_doubles
        nd_status (*start)(const char *variant, nd_board *out) noexcept nogil
        nd_status (*check)(const nd_board *b) noexcept nogil
        void (*generate)(const nd_board *b, int d1, int d2, const nd_options *opt, nd_results *out) noexcept nogil
        int (*sequences)(const nd_board *b, int d1, int d2, const nd_options *opt, nd_play *out,
                         int capacity) noexcept nogil
        nd_refusal (*why)(const nd_board *b, int d1, int d2, const nd_options *opt, nd_play played,
                          int source, int die) noexcept nogil
        void (*step)(nd_board *b, int source, int die) noexcept nogil
        int (*outcome)(const nd_board *b) noexcept nogil
        nd_phase (*phase)(const nd_board *b) noexcept nogil

    const nd_rules nd_backgammon
    const nd_rules nd_long_nardy
    nd_board nd_swap(const nd_board *b)
    uint64_t nd_perft(const nd_rules *rules, const nd_board *b, const nd_options *opt, int depth,
                      nd_results *scratch)
