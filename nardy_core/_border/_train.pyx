# cython: language_level=3, boundscheck=False, wraparound=False
# distutils: language=c
"""Fitting of nets: arrays in, arrays out, the work without the GIL. Boards are uint32 bit planes
(n, 8) with the side on roll first; labels are for the side on roll."""
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcpy

import time

import numpy as np

from nardy_core._border cimport train
from nardy_core._border._engine cimport Evaluator
from nardy_core._border.errors cimport check
from nardy_core._border.nardy cimport nd_board, nd_status
from nardy_core._border.train_selfplay cimport nd_selfplay, nd_selfplay_plan, nd_selfplay_stats

PARAMETERS = ("w1", "b1", "w2", "b2", "w3", "b3")

# One labelled position, laid out as nd_sample: samples of one decision lie together and share
# `group`.
SAMPLE = np.dtype([
    ("board", np.uint32, (8,)), ("target", np.float32, (train.ND_MAX_OUTCOMES,)),
    ("weight", np.float32), ("group", np.int32),
])
assert SAMPLE.itemsize == sizeof(train.nd_sample)

cdef double SLICE = 0.2  # seconds between two looks at the keyboard


cdef object boards_of(object boards):
    planes = np.ascontiguousarray(boards, dtype=np.uint32)
    if planes.ndim != 2 or planes.shape[1] != 8:
        raise ValueError(f"boards: expected shape (n, 8), got {planes.shape}")
    return planes


def samples(boards, targets, weights=None, groups=None):
    """An array of SAMPLE from boards (n, 8), targets (n, outcomes) that sum to 1, weights (n) or
    None = 1, groups (n) or None = every position for itself."""
    planes = boards_of(boards)
    labels = np.asarray(targets, dtype=np.float32)
    n = len(planes)
    if labels.ndim != 2 or len(labels) != n or labels.shape[1] > train.ND_MAX_OUTCOMES:
        raise ValueError(f"targets: expected shape ({n}, outcomes), got {labels.shape}")
    out = np.zeros(n, dtype=SAMPLE)
    out["board"] = planes
    out["target"][:, : labels.shape[1]] = labels
    out["weight"] = 1.0 if weights is None else weights
    out["group"] = np.arange(n) if groups is None else groups
    return out


cdef class Fit:
    """A net in training: float parameters, Adam moments, averaged parameters.

    features: name of a feature set, e.g. "backgammon-contact-1"; h1 a multiple of 64, h2 of 16."""
    cdef train.nd_fit *fit

    def __cinit__(self, str features, int h1, int h2, int outcomes, seed=0):
        cdef const train.nd_features *f = train.nd_features_by_name(features.encode())
        if f is NULL:
            raise ValueError(f"features: unknown name {features!r}")
        check(train.nd_fit_new(f, h1, h2, outcomes, seed, &self.fit),
              f"net {h1} x {h2} x {outcomes}")

    def __dealloc__(self):
        train.nd_fit_free(self.fit)

    @property
    def features(self):
        """Name of the feature set."""
        return train.nd_fit_params(self.fit, False).features.name.decode()

    @property
    def shape(self):
        """(units, h1, h2, outcomes)."""
        cdef const train.nd_params *p = train.nd_fit_params(self.fit, False)
        return p.features.units, p.h1, p.h2, p.outcomes

    @property
    def steps(self):
        """Steps taken since the parameters were made or set."""
        return train.nd_fit_steps(self.fit)

    @property
    def kernels(self):
        """Kernel set in use."""
        return train.nd_fit_kernels_name(self.fit).decode()

    def use_kernels(self, str name):
        """Choose "avx512", "avx2" or "plain"; all give the same bits."""
        check(train.nd_fit_use_kernels(self.fit, name.encode()), f"kernels {name!r}")

    cdef dict blank(self):
        units, h1, h2, outcomes = self.shape
        shapes = ((units, h1), (h1,), (h1, h2), (h2,), (h2, outcomes), (outcomes,))
        return {name: np.empty(s, np.float32) for name, s in zip(PARAMETERS, shapes)}

    def params(self, average=True):
        """Copies of w1 (units, h1), b1, w2 (h1, h2), b2, w3 (h2, outcomes), b3: the averaged
        parameters or the present ones."""
        cdef const train.nd_params *p = train.nd_fit_params(self.fit, bool(average))
        cdef const float *source[6]
        cdef float[::1] view
        cdef int i
        source[:] = [p.w1, p.b1, p.w2, p.b2, p.w3, p.b3]
        out = self.blank()
        for i in range(6):
            view = out[PARAMETERS[i]].reshape(-1)
            memcpy(&view[0], source[i], view.shape[0] * sizeof(float))
        return out

    def set_params(self, params):
        """Take such a dict: moments and step count start again."""
        cdef train.nd_params p = train.nd_fit_params(self.fit, False)[0]
        cdef float *into[6]
        cdef float[::1] view
        cdef int i
        into[:] = [p.w1, p.b1, p.w2, p.b2, p.w3, p.b3]  # the handle's own copy serves as room
        for name, blank in self.blank().items():
            if np.shape(params[name]) != blank.shape:
                raise ValueError(f"{name}: expected shape {blank.shape}, "
                                 f"got {np.shape(params[name])}")
        for i in range(6):
            view = np.array(params[PARAMETERS[i]], dtype=np.float32, order="C").reshape(-1)
            memcpy(into[i], &view[0], view.shape[0] * sizeof(float))
        check(train.nd_fit_set_params(self.fit, &p), "parameters")

    def widen(self, int h1, float noise=0.002, seed=0):
        """A new Fit with h1 first-layer units that computes nearly the same."""
        units, old, h2, outcomes = self.shape
        cdef Fit wide = Fit(self.features, 64, h2, outcomes)
        cdef train.nd_fit *fit
        check(train.nd_fit_widen(self.fit, h1, noise, seed, &fit), f"widening {old} to {h1}")
        train.nd_fit_free(wide.fit)
        wide.fit = fit
        return wide

    def narrow(self, int h1, boards):
        """A new Fit of the h1 first-layer units that matter most over `boards` (n, 8); the others
        are replaced by their means."""
        units, old, h2, outcomes = self.shape
        cdef const uint32_t[:, ::1] planes = boards_of(boards)
        cdef Fit slim = Fit(self.features, 64, h2, outcomes)
        cdef train.nd_fit *fit
        if not planes.shape[0]:
            raise ValueError("boards: none to judge the units by")
        check(train.nd_fit_narrow(self.fit, h1, <const nd_board *>&planes[0, 0], planes.shape[0],
                                  &fit), f"narrowing {old} to {h1}")
        train.nd_fit_free(slim.fit)
        slim.fit = fit
        return slim

    def predict(self, boards, average=True):
        """Class probabilities, float32 (n, outcomes)."""
        cdef const uint32_t[:, ::1] planes = boards_of(boards)
        cdef size_t n = planes.shape[0]
        cdef bint ema = average
        cdef nd_status status
        cdef float[:, ::1] view
        out = np.empty((n, self.shape[3]), dtype=np.float32)
        if n:
            view = out
            with nogil:
                status = train.nd_fit_predict(self.fit, ema, <const nd_board *>&planes[0, 0], n,
                                              &view[0, 0])
            check(status, "boards")
        return out

    def state(self):
        """Everything that training changes, as bytes; see load_state."""
        out = bytearray(train.nd_fit_state_size(self.fit))
        cdef uint8_t[::1] view = out
        train.nd_fit_state_write(self.fit, &view[0])
        return bytes(out)

    def load_state(self, state):
        """Go on from a saved state of the same features and shape, with the same bits."""
        cdef const uint8_t[::1] view = state
        check(train.nd_fit_state_read(self.fit, &view[0] if view.shape[0] else NULL,
                                      view.shape[0]), "state")

    def run(self, samples, points, steps, *, first=0, batch=528, lr=(1.4e-3, 2e-5),
            schedule="cosine", ema=0.999, difference=12.0, seed=0, threads=0, progress=None):
        """Train `steps` minibatches of whole groups from an array of SAMPLE, in shuffled order.

        points: value of each class. lr goes from the first to the second number, by "cosine" or
        "exponential". ema: decay a step of the averaged parameters. difference: weight of the loss
        on differences inside groups. first: steps of the plan done before (`steps` counts them).
        threads: 0 = one a processor; the result does not depend on it. progress(done, stats) is
        called several times a second. Ctrl-C leaves the net as it is after a whole step.
        Returns statistics of the last tenth of the plan, each sample seen before its step: steps,
        samples, cross_entropy (nats), equity_error and difference_error (root mean squares)."""
        cdef train.nd_fit_plan plan
        cdef train.nd_fit_stats stats
        cdef train.nd_fit_job *job = NULL
        cdef nd_status status
        cdef int64_t chunk = 20, count
        cdef const uint8_t[::1] view
        cdef int i
        if getattr(samples, "dtype", None) != SAMPLE or samples.ndim != 1 or not len(samples):
            raise ValueError("samples: expected a one-dimensional array of SAMPLE, not empty")
        if schedule not in ("cosine", "exponential"):
            raise ValueError(f"schedule: unknown name {schedule!r}")
        values = np.asarray(points, dtype=np.float32)
        if values.shape != (self.shape[3],):
            raise ValueError(f"points: expected {self.shape[3]} numbers, got {values.shape}")
        plan.steps, plan.first, plan.batch, plan.seed, plan.threads = (
            steps, first, batch, seed, threads)
        plan.lr_start, plan.lr_end = lr
        plan.schedule = (train.ND_FIT_EXPONENTIAL if schedule == "exponential"
                         else train.ND_FIT_COSINE)
        plan.ema, plan.difference = ema, difference
        for i in range(train.ND_MAX_OUTCOMES):
            plan.points[i] = values[i] if i < len(values) else 0.0
        array = np.ascontiguousarray(samples)
        view = array.view(np.uint8)
        cdef size_t n = len(array)
        with nogil:
            status = train.nd_fit_job_new(self.fit, <const train.nd_sample *>&view[0], n, &plan,
                                          &job)
        check(status, "samples or settings")
        tenth = max(1, plan.steps // 10)
        try:
            while train.nd_fit_job_left(job):
                done = plan.steps - train.nd_fit_job_left(job)
                until = done % tenth  # slices end where a tenth of the plan does
                size = min(chunk, tenth - until)
                if until == 0 and done + tenth <= plan.steps:
                    train.nd_fit_job_stats_restart(job)
                count = size
                start = time.monotonic()
                with nogil:
                    train.nd_fit_job_run(job, count, NULL)
                spent = time.monotonic() - start
                PyErr_CheckSignals()
                train.nd_fit_job_stats(job, &stats)
                if progress is not None:
                    progress(plan.steps - train.nd_fit_job_left(job), stats)
                chunk = max(1, min(2 * chunk, <int64_t>(SLICE / max(spent, 1e-6) * size)))
            train.nd_fit_job_stats(job, &stats)
        finally:
            train.nd_fit_job_free(job)
        return stats


# ---- self-play ---------------------------------------------------------------------------------

def selfplay(Evaluator evaluator, dict plan, seed, int64_t first, int games,
             int threads=1):
    """Play games first..first+games-1 and return (samples, statistics).

    plan: the fields of recipe.SelfPlay. samples: an array of SAMPLE in game order, the same
    whatever the threads. statistics: dict of sums.
    """
    cdef nd_selfplay_plan p
    cdef nd_selfplay_stats stats
    cdef train.nd_sample *samples_ = NULL
    cdef size_t count = 0
    cdef nd_status status
    cdef uint8_t[::1] view
    p.seed = seed
    p.lambda_, p.lambda_staged = plan["lam"], plan["lam_staged"]
    p.lookahead = plan["lookahead"]
    p.explore, p.window, p.siblings = plan["explore"], plan["window"], plan["siblings"]
    p.stray, p.second, p.labelled = plan["stray"], plan["second"], plan["labelled"]
    p.scrambled, p.staged, p.max_plies = plan["scrambled"], plan["staged"], plan["max_plies"]
    with nogil:
        status = nd_selfplay(&evaluator.ev, &p, first, games, threads, NULL, &samples_, &count,
                             &stats)
    try:
        check(status, "self-play")
        out = np.empty(count, dtype=SAMPLE)
        if count:
            view = out.view(np.uint8)
            memcpy(&view[0], samples_, count * sizeof(train.nd_sample))
    finally:
        free(samples_)
    sums = {"games": stats.games, "plies": stats.plies, "labels": stats.labels}
    for k, kind in enumerate(("opening", "scrambled", "staged")):
        sums[f"corrections_{kind}"] = stats.corrections[k]
        sums[f"correction_{kind}"] = stats.correction[k]
        sums[f"correction_sq_{kind}"] = stats.correction_sq[k]
    return out, sums
