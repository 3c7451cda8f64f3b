"""Compiles an update for a distribution, keeping one source, full speed and numba's disk cache.

An update that received its density as an argument would not be found in the cache by the next
process, so the update's code is rebuilt with the distribution's functions as its globals. Its
name carries a hash of all the sources, because numba itself looks only at the file that holds
the update when it decides whether a cached kernel is still good.
"""

import dataclasses
import functools
from types import FunctionType

from numba import njit

from nrevu import updates
from nrevu.sources import sources_hash

# Sums over coordinates may be reordered, so that they vectorise; nan and infinity keep their
# meaning, since a trajectory that overflows must be seen and rejected.
OPTIONS = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}}
NEEDS = {
    "metropolis": ("energy", "record", "gibbs"),
    "hamiltonian": ("gradient", "record", "gibbs"),
}


def no_gibbs(x, data, bits):
    """Stand in for a distribution that has nothing to Gibbs-sample."""


@functools.cache
def build(update: str, distribution: type):
    """Return the compiled kernel of an update ('metropolis') for a class of distributions."""
    functions = {
        name: njit(inline="always", **OPTIONS)(getattr(distribution, name, no_gibbs))
        for name in NEEDS[update]
    }
    functions["FIXED_DIM"] = fixed_dim(distribution)
    tag = f"{distribution.__name__}_{sources_hash(distribution)}"
    function = bind(getattr(updates, update), f"{update}_{tag}", functions)
    return njit(cache=True, **OPTIONS)(function)


def fixed_dim(distribution: type) -> int:
    """Return the dimension that all distributions of a class have, or 0.

    A kernel that knows it is compiled without loops, twice as fast in two dimensions.
    """
    settings = dataclasses.fields(distribution) if dataclasses.is_dataclass(distribution) else ()
    varies = any(field.name == "dim" for field in settings)
    return 0 if varies else getattr(distribution, "dim", 0)


def bind(source: FunctionType, name: str, functions: dict) -> FunctionType:
    """Return the function anew under a name, with some of its globals replaced."""
    code = source.__code__.replace(co_name=name, co_qualname=name)
    return FunctionType(code, {**source.__globals__, **functions}, name)
