# Names of the trainer as its border sees them. Values and layouts come from the headers themselves.
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from nardy_core._border.evaluator cimport nd_features, nd_features_by_name, nd_params
from nardy_core._border.nardy cimport nd_board, nd_status

cdef extern from "train/fit.h" nogil:
    enum:
        ND_NO_MEMORY
        ND_MAX_OUTCOMES

    ctypedef struct nd_sample:
        nd_board board
        float target[8]
        float weight
        int32_t group

    ctypedef enum nd_fit_schedule:
        ND_FIT_COSINE
        ND_FIT_EXPONENTIAL

    ctypedef struct nd_fit_plan:
        int64_t steps
        int64_t first
        int batch
        nd_fit_schedule schedule
        float lr_start
        float lr_end
        float ema
        float difference
        float points[8]
        uint64_t seed
        int threads

    ctypedef struct nd_fit_stats:
        int64_t steps
        int64_t samples
        double cross_entropy
        double equity_error
        double difference_error

    ctypedef struct nd_fit
    ctypedef struct nd_fit_job

    nd_status nd_fit_new(const nd_features *features, int h1, int h2, int outcomes, uint64_t seed,
                         nd_fit **out)
    void nd_fit_free(nd_fit *fit)
    const nd_params *nd_fit_params(nd_fit *fit, bint ema)
    nd_status nd_fit_set_params(nd_fit *fit, const nd_params *params)
    nd_status nd_fit_widen(const nd_fit *fit, int h1, float noise, uint64_t seed, nd_fit **out)
    nd_status nd_fit_narrow(const nd_fit *fit, int h1, const nd_board *boards, size_t n, nd_fit **out)
    nd_status nd_fit_predict(const nd_fit *fit, bint ema, const nd_board *boards, size_t n,
                             float *out)
    size_t nd_fit_state_size(const nd_fit *fit)
    void nd_fit_state_write(const nd_fit *fit, void *state)
    nd_status nd_fit_state_read(nd_fit *fit, const void *state, size_t size)
    int64_t nd_fit_steps(const nd_fit *fit)
    nd_status nd_fit_job_new(nd_fit *fit, const nd_sample *samples, size_t n,
                             const nd_fit_plan *plan, nd_fit_job **out)
    void nd_fit_job_free(nd_fit_job *job)
    nd_status nd_fit_job_run(nd_fit_job *job, int64_t steps, const void *stop)
    void nd_fit_job_stats(const nd_fit_job *job, nd_fit_stats *out)
    void nd_fit_job_stats_restart(nd_fit_job *job)
    int64_t nd_fit_job_left(const nd_fit_job *job)
    nd_status nd_fit_use_kernels(nd_fit *fit, const char *name)
    const char *nd_fit_kernels_name(const nd_fit *fit)
