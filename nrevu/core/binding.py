"""Compiles an update for a distribution, keeping one source, full speed and numba's disk cache.

An update that received its density as an argument would not be found in the cache by the next
process, so the update's code is rebuilt with the distribution's functions as its globals. Its
name carries a hash of all the sources, because numba itself looks only at the file that holds
the update when it decides whether a cached kernel is still good.
"""

import dataclasses
import functools
import inspect
import re
from types import FunctionType
from typing import Any

import numpy as np
from numba.core import errors

from nrevu.core import updates
from nrevu.core.contracts import recorded
from nrevu.core.lanes import views
from nrevu.core.rng import WORDS
from nrevu.core.sources import sources_hash
from nrevu.core.target import njit, target_hash
from nrevu.core.user_files import energy_by_gradient
from nrevu.errors import Mistake

# Sums over coordinates may be reordered, so that they vectorise; nan and infinity keep their
# meaning, since a trajectory that overflows must be seen and rejected.
FAST = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}}
# The same for functions that kernels call. One that stayed a call would be compiled twice, alone
# and in the kernel, and could round otherwise in a process that compiles than in one that loads.
OPTIONS = {**FAST, "forceinline": True}
# What numba raises: for np.no_such_name an AttributeError, for missing arguments a TypeError.
UNCOMPILABLE = (errors.NumbaError, AttributeError, TypeError)
SEVERAL, NEAR = 8, 400  # chains side by side, and coordinates that they may have together
NEEDS = ("energy", "gradient", "record", "gibbs", "renew", "scales")


def no_gibbs(x, w, data, bits):
    """Stand in for a distribution that has nothing to Gibbs-sample."""


def no_renewal(x, w, before, data, U, g):
    """Stand in for a distribution whose U and g are evaluated again after a Gibbs scan."""


def no_scales(w, data, s):
    """Stand in for a distribution whose coordinates have all the same stepsize."""


STANDINS = {"gibbs": no_gibbs, "renew": no_renewal, "scales": no_scales}


@functools.cache
def build(update: str, distribution: type, counts: str = "uint8"):
    """Return the compiled kernel of an update ('metropolis') for a class of distributions.

    `counts` is the type of its counts of rejections. With it and the target in the name, a
    cache file has one writer's contents: numba itself would let two processes that compile for
    two types, or on two kinds of nodes of a cluster, overwrite each other's.
    """
    tag = f"{distribution.__name__}_{counts}_{target_hash()}_{sources_hash(distribution)}"
    function = bind(getattr(updates, update), f"{update}_{tag}", bindings(distribution))
    return njit(cache=True, **FAST)(function)


def bindings(distribution: type) -> dict[str, Any]:
    """Return what the globals of an update become for a class of distributions."""
    constants = {
        "LANES": lanes(distribution),
        "FIXED_DIM": fixed_dim(distribution),
        "SCALED": hasattr(distribution, "scales"),
        "RENEWS": hasattr(distribution, "renew"),
    }
    functions = {name: getattr(distribution, name, STANDINS.get(name)) for name in NEEDS}
    inlined = njit(inline="always", **FAST)
    compiled = {name: inlined(f) for name, f in functions.items() if f is not None}
    if functions["energy"] is energy_by_gradient:
        named = bind(energy_by_gradient, "energy", {"gradient": compiled["gradient"]})
        compiled["energy"] = inlined(named)
    return constants | compiled | views(constants["LANES"])


def lanes(distribution: type) -> int:
    """Return for how many alternating chains a kernel of this class has room, or 1."""
    return getattr(distribution, "lanes", 1)


def chains_at_once(distribution: Any) -> int:
    """Return how many chains at most are given to a kernel, to advance side by side.

    Of chains one after the other some, so that the processor can go on with another one while a
    decision is made; but not more than its nearest memory holds.
    """
    several = lanes(type(distribution))
    return several if several > 1 else max(1, min(SEVERAL, NEAR // distribution.dim))


def repeated(distribution: Any):
    """Return a function that evaluates the compiled gradient, or else the energy, n times."""
    functions = bindings(type(distribution))
    start = getattr(distribution, "draw", None) or distribution.start
    x, data = start(np.random.default_rng(1)), distribution.data()
    w, g = np.ones(getattr(distribution, "gibbs_variables", 0)), np.empty(x.size)
    gradient = functions.get("gradient")
    energy = functions["energy"]

    @njit(**FAST)
    def gradients(x, w, data, g, n):
        for _ in range(n):
            x[0] += 1e-9 * gradient(x, w, data, g)  # or the loop would be done once

    @njit(**FAST)
    def energies(x, w, data, g, n):
        for _ in range(n):
            x[0] += 1e-9 * energy(x, w, data)

    def evaluate(n: int) -> None:
        try:
            (gradients if gradient else energies)(x, w, data, g, n)
        except UNCOMPILABLE as error:
            raise uncompilable(distribution, error) from None

    return evaluate


def uncompilable(distribution: Any, error: Exception) -> Mistake:
    """Return the mistake in a distribution that kept its kernel from being compiled.

    Its functions are tried one at a time, to name the one at fault.
    """
    kind, x = type(distribution), np.zeros(distribution.dim)
    w, bits = np.ones(getattr(distribution, "gibbs_variables", 0)), np.ones(WORDS, np.uint64)
    data, row = distribution.data(), np.zeros(len(recorded(distribution)), np.float32)
    tries = {
        "energy": (x, w, data),
        "gradient": (x, w, data, x.copy()),
        "record": (x, w, 0.0, data, row),
        "gibbs": (x, w, data, bits),
        "renew": (x, w, w.copy(), data, 0.0, x.copy()),
        "scales": (w, data, x.copy()),
    }
    place = inspect.getfile(kind)
    for name, arguments in tries.items():
        if getattr(kind, name, energy_by_gradient) is not energy_by_gradient:
            try:
                njit(**FAST)(getattr(kind, name))(*arguments)
            except UNCOMPILABLE as own:
                return Mistake(reason(own), f"{kind.__name__}.{name} cannot be compiled", place)
    return Mistake(reason(error), f"{kind.__name__} cannot be compiled", place)


def reason(error: Exception) -> str:
    """Return the telling lines of one of numba's messages."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()
    skipped = (
        "Failed in",
        "During:",
        "During ",
        "No implementation of function Function(<built-in",
    )
    told = [line.strip() for line in lines if line.strip() and not line.startswith(skipped)]
    where = next((line for line in reversed(told) if line.startswith("File ")), "")
    first = [line for line in told if not line.startswith(("File ", "There are", "- Of which"))][:2]
    return " ".join([*first, f"({where.rstrip(':')})" if where else ""]).strip()


def fixed_dim(distribution: type) -> int:
    """Return the dimension that all distributions of a class have, or 0.

    A kernel that knows it is compiled without loops, twice as fast in two dimensions.
    """
    settings = dataclasses.fields(distribution) if dataclasses.is_dataclass(distribution) else ()
    varies = any(field.name == "dim" for field in settings)
    dim = getattr(distribution, "dim", 0)
    return 0 if varies or not isinstance(dim, int) else dim


def bind(source: FunctionType, name: str, globals: dict) -> FunctionType:
    """Return the function anew under a name, with some of its globals replaced."""
    code = source.__code__.replace(co_name=name, co_qualname=name)
    return FunctionType(code, {**source.__globals__, **globals}, name)
