"""The distributions, one file each; and everything that the file of a distribution imports.

Users' files import from here alone: fields for settings, random numbers for `gibbs`, elementary
functions with the same bits on all machines, and `njit` with its OPTIONS for helper functions. The
compiled ones are loaded when they are first used, because numba is slow to import.
"""

import importlib
from typing import Any

from nrevu.fields import integer, one_of, real, text

# The modules of nrevu/core with what is compiled, by name.
ELEMENTARY = ("aligned_copy", "exp", "log", "log1p", "softplus", "tanh", "tanh_all")
MODULES = dict.fromkeys(ELEMENTARY, "elementary") | {"OPTIONS": "binding", "njit": "target"}
MODULES |= {"next_gamma": "rng", "next_uniform": "rng"}

__all__ = ["integer", "one_of", "real", "text", *MODULES]


def __getattr__(name: str) -> Any:
    """Return one of the compiled functions."""
    if name not in MODULES:
        raise AttributeError(f"module 'nrevu.distributions' has no attribute '{name}'")
    return getattr(importlib.import_module(f"nrevu.core.{MODULES[name]}"), name)
