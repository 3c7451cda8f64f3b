"""The distributions, one file each; and everything that the file of a distribution imports.

Users' files import from here alone: fields for settings, random numbers for `gibbs`, elementary
functions with the same bits on all machines, and `njit` with its OPTIONS for helper functions. The
compiled ones are loaded when they are first used, because numba is slow to import.
"""

import importlib
from typing import Any

from nrevu.fields import integer, one_of, real, text

COMPILED = {
    "rng": ("next_gamma", "next_uniform"),
    "elementary": ("aligned_copy", "exp", "log", "log1p", "softplus", "tanh", "tanh_all"),
    "binding": ("OPTIONS",),
    "target": ("njit",),
}
MODULES = {name: module for module, names in COMPILED.items() for name in names}

__all__ = ["integer", "one_of", "real", "text", *MODULES]


def __getattr__(name: str) -> Any:
    """Return one of the compiled functions."""
    if name not in MODULES:
        raise AttributeError(f"module 'nrevu.distributions' has no attribute '{name}'")
    return getattr(importlib.import_module(f"nrevu.core.{MODULES[name]}"), name)
