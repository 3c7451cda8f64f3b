"""Compiles an update for a distribution: one source, full speed, and numba's disk cache.

The next process would not find an update that received its density as an argument in the cache, so
the update's code is rebuilt with the distribution's functions as its globals. Its name carries a
hash of all the sources, because numba itself looks only at the file that holds the update when it
decides whether a cached kernel is up to date.
"""

import dataclasses
import functools
import inspect
import re
import time
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
from numba.core import errors

from nrevu.core import updates
from nrevu.core.contracts import COMPILED, Distribution, class_of, has, part
from nrevu.core.lanes import views
from nrevu.core.rng import WORDS
from nrevu.core.sources import sources_hash
from nrevu.core.target import njit, target_hash
from nrevu.errors import Mistake

# Sums over coordinates may be reordered, so that they vectorise; nan and infinity keep their
# meaning, since a trajectory that overflows must be seen and rejected.
FAST: dict[str, Any] = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}}
# The same for functions that kernels call. One that is not inlined is compiled twice, alone and in
# the kernel, and could round differently in a process that compiles and in one that loads.
OPTIONS: dict[str, Any] = {**FAST, "forceinline": True}
# What numba raises: for np.no_such_name an AttributeError, for missing arguments a TypeError.
UNCOMPILABLE = (errors.NumbaError, AttributeError, TypeError)
SEVERAL, NEAR = 8, 400  # chains that advance together, and the coordinates they may have in total


@functools.cache
def bind_kernel(update: str, distribution: type, counts: str = "uint8"):
    """Return the compiled kernel of an update ('metropolis') for a class of distributions.

    `counts` is the type of its counts of rejections. It and the target are part of the name, so
    that no two kernels share a cache file: numba would let two processes that compile for two
    types, or on two kinds of nodes of a cluster, overwrite each other's.
    """
    tag = f"{distribution.__name__}_{counts}_{target_hash()}_{sources_hash(distribution)}"
    function = bind(getattr(updates, update), f"{update}_{tag}", kernel_globals(distribution))
    return njit(cache=True, **FAST)(function)


def kernel_globals(distribution: type) -> dict[str, Any]:
    """Return the globals of an update for a class of distributions."""
    inlined = compile_parts(distribution, inline="always")
    constants = {
        "LANES": part(distribution, "lanes"),
        "FIXED_DIM": fixed_dim(distribution),
        "SCALED": "scales" in inlined,
        "RENEWS": "renew" in inlined,
    }
    nothing = {name: njit(inline="always", **FAST)(getattr(updates, name)) for name in COMPILED}
    return constants | nothing | inlined | views(constants["LANES"])


@functools.cache
def compile_parts(distribution: type, **options) -> dict[str, Any]:
    """Return the functions of a class that kernels call, by name, compiled as kernels are."""
    compiled: dict[str, Any] = {}
    for name in COMPILED:
        function = part(distribution, name)
        if function is Distribution.energy:
            function = bind(function, name, {"gradient": compiled["gradient"]})
        if function is not None:
            compiled[name] = njit(**FAST, **options)(function)
    return compiled


def chains_at_once(distribution: Any) -> int:
    """Return how many chains at most a kernel advances together.

    Of chains that are not interleaved some, so that the processor can go on with another one while
    it waits for a decision; but not more than its nearest memory holds.
    """
    lanes = part(distribution, "lanes")
    return lanes if lanes > 1 else max(1, min(SEVERAL, NEAR // distribution.dim))


@functools.cache
def evaluation_loop(distribution: type, name: str) -> Callable:
    """Return a compiled function that evaluates `energy` or `gradient` n times."""
    function = compile_parts(distribution)[name]

    def loop(n, x, *others):
        for _ in range(n):
            x[0] += 1e-9 * function(x, *others)  # or the compiler would drop the loop

    return njit(**FAST)(loop)


def evaluation_seconds(distribution: Any, name: str) -> float:
    """Return the CPU seconds of one `energy` or `gradient` in compiled code."""
    loop, times, spent = evaluation_loop(class_of(distribution), name), 1, 0.0
    arguments = example_arguments(distribution, first_point(distribution, 1))[name]
    arguments[1][:] = 1.0  # w
    try:
        loop(times, *arguments)
    except UNCOMPILABLE as error:
        raise compilation_mistake(distribution, error) from None
    while spent < 0.01:
        times *= 4
        started = time.process_time()
        loop(times, *arguments)
        spent = time.process_time() - started
    return spent / times


def first_point(distribution: Any, seed: int) -> np.ndarray:
    """Return an exact draw, or a start where there are none."""
    begin = part(distribution, "draw") or part(distribution, "start")
    return begin(np.random.default_rng(seed))


def example_arguments(distribution: Any, x: np.ndarray) -> dict[str, tuple]:
    """Return arguments to try each compiled function with, `gibbs` first: it fills w."""
    w, g = np.zeros(part(distribution, "gibbs_variables")), np.zeros(distribution.dim)
    data, row = part(distribution, "data")(), np.zeros(len(part(distribution, "recorded")), "f4")
    return {
        "gibbs": (x, w, data, np.random.default_rng(1).integers(2**64, size=WORDS, dtype="u8")),
        "gradient": (x, w, data, g),
        "energy": (x, w, data),
        "renew": (x, w, w, data, 0.0, g),
        "scales": (w, data, g),
        "record": (x, w, 0.0, data, row),
    }


def compilation_mistake(distribution: Any, error: Exception) -> Mistake:
    """Return the mistake that names the function of a distribution that cannot be compiled.

    The functions are compiled one at a time to find it; `error` is the kernel's.
    """
    kind, file = type(distribution), inspect.getfile(type(distribution))
    for name, arguments in example_arguments(distribution, np.zeros(distribution.dim)).items():
        if has(kind, name):
            try:
                njit(**FAST)(getattr(kind, name))(*arguments)
            except UNCOMPILABLE as found:
                key = f"{kind.__name__}.{name} cannot be compiled"
                return Mistake(numba_reason(found), key, file)
    return Mistake(numba_reason(error), f"{kind.__name__} cannot be compiled", file)


def numba_reason(error: Exception) -> str:
    """Return the informative lines of one of numba's messages."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()
    skipped = ("Failed in", "During", "No implementation of function Function(<built-in")
    lines = [line.strip() for line in lines if line.strip() and not line.startswith(skipped)]
    where = next((line for line in reversed(lines) if line.startswith("File ")), "")
    says = [line for line in lines if not line.startswith(("File ", "There are", "- Of which"))]
    return " ".join([*says[:2], f"({where.rstrip(':')})" if where else ""]).strip()


def fixed_dim(distribution: type) -> int:
    """Return the dimension that all distributions of a class have, or 0.

    A kernel that knows it is compiled without loops, twice as fast in two dimensions.
    """
    settings = dataclasses.fields(distribution) if dataclasses.is_dataclass(distribution) else ()
    dim = part(distribution, "dim")
    return 0 if any(f.name == "dim" for f in settings) or not isinstance(dim, int) else dim


def bind(source: Any, name: str, globals: dict) -> FunctionType:
    """Return a copy of the function under a new name, with some of its globals replaced."""
    code = source.__code__.replace(co_name=name, co_qualname=name)
    return FunctionType(code, {**source.__globals__, **globals}, name)
