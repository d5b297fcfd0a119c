# cython: language_level=3, boundscheck=False, wraparound=False
"""Quantised nets, and the kernel sets and feature sets by name."""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

import numpy as np

from nardy_core._border.errors cimport check
from nardy_core._border.evaluator cimport (
    nd_features, nd_features_by_name, nd_kernels_get, nd_kernels_list, nd_net_free,
    nd_net_from_memory, nd_net_from_params, nd_net_get_info, nd_net_get_params, nd_net_info,
    nd_net_payload_size, nd_net_payload_write, nd_params,
)


def kernel_sets():
    """Names of the kernel sets this machine can run, slowest first."""
    cdef const char *const *names = nd_kernels_list()
    out = []
    cdef int i = 0
    while names[i] is not NULL:
        if nd_kernels_get(names[i]) is not NULL:
            out.append(names[i].decode())
        i += 1
    return out


def feature_units(str name):
    """Number of trainable inputs of a feature set."""
    f = nd_features_by_name(name.encode())
    if f is NULL:
        raise ValueError(f"features: unknown set {name!r}")
    return f.units


cdef class Net:
    """A quantised net, immutable. Make one with from_params or from_payload."""

    def __dealloc__(self):
        nd_net_free(self.net)

    @staticmethod
    def from_payload(bytes payload):
        """The net of `payload`, bytes as the method of that name gives them. ValueError for what
        is none."""
        cdef Net self = Net.__new__(Net)
        check(nd_net_from_memory(PyBytes_AS_STRING(payload), len(payload), &self.net), "net")
        self.owner = payload
        return self

    @staticmethod
    def from_params(str features, const float[:, ::1] w1, const float[::1] b1,
                    const float[:, ::1] w2, const float[::1] b2, const float[:, ::1] w3,
                    const float[::1] b3, str provenance=""):
        """Quantise float32 parameters: weights w1 (units, h1), w2 (h1, h2), w3 (h2, outcomes), biases
        b1 (h1), b2 (h2), b3 (outcomes). `features` names the feature set, whose units they are;
        `provenance` says how they were made. ValueError where shapes or names do not fit."""
        cdef Net self = Net.__new__(Net)
        cdef nd_params p
        p.features = nd_features_by_name(features.encode())
        if p.features is NULL:
            raise ValueError(f"net: unknown feature set {features!r}")
        p.h1, p.h2, p.outcomes = w1.shape[1], w2.shape[1], w3.shape[1]
        if not (w1.shape[0] == p.features.units and b1.shape[0] == w2.shape[0] == p.h1
                and b2.shape[0] == w3.shape[0] == p.h2 and b3.shape[0] == p.outcomes):
            raise ValueError("net: parameter shapes do not fit together")
        p.w1, p.b1, p.w2 = <float *>&w1[0, 0], <float *>&b1[0], <float *>&w2[0, 0]
        p.b2, p.w3, p.b3 = <float *>&b2[0], <float *>&w3[0, 0], <float *>&b3[0]
        text = provenance.encode()
        check(nd_net_from_params(&p, text, &self.net), "net")
        return self

    def params(self):
        """The parameters that from_params took, by name, as rounding left them."""
        cdef const nd_net_info *info = nd_net_get_info(self.net)
        cdef int units = info.features.units, h1 = info.h1, h2 = info.h2, outcomes = info.outcomes
        cdef nd_params p
        shapes = {"w1": (units, h1), "b1": (h1,), "w2": (h1, h2), "b2": (h2,),
                  "w3": (h2, outcomes), "b3": (outcomes,)}
        out = {name: np.empty(shape, np.float32) for name, shape in shapes.items()}
        cdef float[:, ::1] w1 = out["w1"], w2 = out["w2"], w3 = out["w3"]
        cdef float[::1] b1 = out["b1"], b2 = out["b2"], b3 = out["b3"]
        p.w1, p.b1, p.w2, p.b2, p.w3, p.b3 = (
            &w1[0, 0], &b1[0], &w2[0, 0], &b2[0], &w3[0, 0], &b3[0])
        nd_net_get_params(self.net, &p)
        return out

    def payload(self):
        """The net as bytes for a container file."""
        out = PyBytes_FromStringAndSize(NULL, nd_net_payload_size(self.net))
        nd_net_payload_write(self.net, PyBytes_AS_STRING(out))
        return out

    @property
    def info(self):
        """dict: features (name), h1, h2, outcomes, hash (hex), provenance."""
        cdef const nd_features *f = nd_net_get_info(self.net).features
        i = nd_net_get_info(self.net)
        return {"features": f.name.decode(), "h1": i.h1, "h2": i.h2,
                "outcomes": i.outcomes, "hash": f"{i.hash:016x}",
                "provenance": i.provenance.decode()}
