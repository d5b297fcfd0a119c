# Nets and static evaluation (src_c/nets, src_c/search) as the border sees them.
from libc.stddef cimport size_t
from nardy_core._border.nardy cimport (
    nd_board, nd_options, nd_phase, nd_results, nd_rules, nd_status, uint32_t, uint64_t, uint8_t,
)

from nardy_core._border.long_race cimport nd_long_race
from nardy_core._border.tables cimport nd_bearoff_one

cdef extern from "nardy.h" nogil:
    ctypedef struct nd_features:
        const char *name
        uint32_t id
        int units
    const nd_features *nd_features_by_name(const char *name)

    ctypedef struct nd_params:
        const nd_features *features
        int h1
        int h2
        int outcomes
        float *w1
        float *b1
        float *w2
        float *b2
        float *w3
        float *b3

    ctypedef struct nd_net:
        pass
    ctypedef struct nd_kernels:
        pass
    ctypedef struct nd_net_info:
        const nd_features *features
        int h1
        int h2
        int outcomes
        uint64_t hash
        const char *provenance

    nd_status nd_net_from_params(const nd_params *params, const char *provenance, nd_net **out)
    void nd_net_get_params(const nd_net *net, nd_params *into)
    nd_status nd_net_from_memory(const void *payload, size_t size, nd_net **out)
    size_t nd_net_payload_size(const nd_net *net)
    void nd_net_payload_write(const nd_net *net, void *payload)
    void nd_net_free(nd_net *net)
    const nd_net_info *nd_net_get_info(const nd_net *net)
    const nd_kernels *nd_kernels_get(const char *name)
    const char *const *nd_kernels_list()
    const char *nd_kernels_name(const nd_kernels *kernels)


    enum: ND_PHASES
    enum: ND_ROLLS
    ctypedef struct nd_sieve:
        pass
    ctypedef struct nd_evaluator:
        const nd_rules *rules
        nd_options options
        const nd_kernels *kernels
        const nd_net *net[4]
        const nd_net *small[4]
        const nd_bearoff_one *bearoff
        const nd_long_race *race
        float points[8]
        int keep
        float within
        const nd_sieve *sieve[4]
        int sift[ND_PHASES]

    ctypedef struct nd_stop:
        pass
    void nd_stop_raise(nd_stop *stop)
    bint nd_stop_raised(const nd_stop *stop)

    ctypedef struct nd_search:
        pass
    nd_status nd_sieve_fit(const nd_evaluator *ev, nd_phase phase, nd_sieve *out)
    ctypedef struct nd_candidate:
        int index
        bint full
        float equity
        float probability[8]

    nd_status nd_search_new(nd_search **out)
    void nd_search_free(nd_search *search)
    void nd_search_stop_by(nd_search *search, const nd_stop *stop)
    nd_status nd_static(const nd_evaluator *ev, nd_search *search, const nd_board *near,
                        const nd_board *boards, size_t n, bint cheap, float *out)
    nd_status nd_choose(const nd_evaluator *ev, nd_search *search, const nd_board *board, int d1,
                        int d2, const nd_results **results, const nd_candidate **candidates,
                        int *count)
    nd_status nd_best_play(const nd_evaluator *ev, nd_search *search, const nd_board *board, int d1,
                           int d2, nd_board *out)
    nd_status nd_lookahead(const nd_evaluator *ev, nd_search *search, const nd_board *board, bint opening,
                           float *out, nd_board *best, float (*value)[8])
