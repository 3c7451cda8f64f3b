"""A density from a C library: model.c, compiled as its first lines say."""

import ctypes
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nrevu.distributions import c_address, c_caller, file_hash

LIBRARY = Path(__file__).with_name("model.so")

# int f(model, bool, bool, const double *x, double *value, double *gradient, char **error)
call = c_caller("int32(intp, int32, int32, intp, intp, intp, intp)")


@dataclass(frozen=True)
class CModel:
    """The density of the library."""

    dim: int = 5

    @staticmethod
    def gradient(x, w, data, g):
        """Return U = -log density, and write its gradient into g."""
        value = np.empty(1)
        failed = call(data[0], data[1], 1, 1, x.ctypes.data, value.ctypes.data, g.ctypes.data, 0)
        for i in range(x.size):
            g[i] = -g[i]
        return np.inf if failed else -value[0]

    def data(self):
        """Return the addresses of the function and of the model."""
        function = c_address(LIBRARY, "log_density_gradient")
        construct = ctypes.CDLL(str(LIBRARY)).model_construct
        construct.restype = ctypes.c_void_p
        return (function, construct())

    def content(self):
        """Return what the digest covers besides this file: the library."""
        return {"library": file_hash(LIBRARY)}

    def draw(self, rng):
        """Return an exact draw."""
        return rng.standard_normal(5) * (1.0, 2.0, 0.5, 1.0, 3.0)
