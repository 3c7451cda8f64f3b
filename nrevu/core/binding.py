"""Compiles the driver for a distribution, a method and a rule for u: one source, full speed.

The next process would not find a driver that received functions as arguments in numba's disk cache,
so its code is rebuilt with the functions as its globals. Its name carries a hash of all the
sources, because numba itself looks only at the file that holds the driver when it decides whether a
cached kernel is up to date.
"""

import dataclasses
import functools
from collections import namedtuple
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

from nrevu.core import driver
from nrevu.core.contracts import COMPILED, Distribution, class_of, part
from nrevu.core.lanes import plain_views, views
from nrevu.core.sampler import Sampler
from nrevu.core.target import njit, target_hash

# Sums over coordinates may be reordered, so that they vectorise; nan and infinity keep their
# meaning, since a trajectory that overflows must be seen and rejected.
FAST: dict[str, Any] = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}}
# The same for functions that kernels call. One that is not inlined is compiled twice, alone and in
# the kernel, and could round differently in a process that compiles and in one that loads.
OPTIONS: dict[str, Any] = {**FAST, "forceinline": True}
OPTIONAL = ("gibbs", "renew", "scales", "step", "settle")
SEVERAL, NEAR = 8, 400  # chains that advance together, and the coordinates they may have in total


class Bound(NamedTuple):
    """A driver, and the numbers of the method and of the rule that it takes."""

    drive: Callable
    settings: tuple
    rule_settings: tuple


@functools.lru_cache(maxsize=256)
def bind_kernel(sampler: Sampler, counts: str = "uint8") -> Bound:
    """Return the compiled driver for a distribution, a method and a rule for u.

    `counts` is the type of its counts of rejections. It and the target are part of the name, so
    that no two kernels share a cache file: numba would let two processes that compile for two
    types, or on two kinds of nodes of a cluster, overwrite each other's.
    """
    name = "_".join([*sampler.kernel_name.split("-"), counts, target_hash()])
    return bound(sampler, compile_driver(name, *key(sampler)))


def bind_plain(sampler: Sampler) -> Bound:
    """Return the same as a function of Python: slow, but it checks indices and tells lines."""
    return bound(
        sampler, bind(driver.drive, "drive", driver_globals(*key(sampler), compiled=False))
    )


def bound(sampler: Sampler, drive: Callable) -> Bound:
    """Return a driver with the numbers that it takes."""
    settings = (tuple(each.values()) for each in (sampler.settings, sampler.rule_settings))
    return Bound(drive, *settings)


def key(sampler: Sampler) -> tuple:
    """Return what decides the globals of a driver, which can be hashed."""
    functions = (tuple(found.items()) for found in (sampler.stages, sampler.moves))
    names = (tuple(sampler.settings), tuple(sampler.rule_settings))
    return (class_of(sampler.distribution), *functions, names, sampler.uses_gradient)


@functools.cache
def compile_driver(name: str, *parts) -> Callable:
    """Return the driver compiled under a name. While it runs, other threads go on."""
    return njit(cache=True, nogil=True, **FAST)(bind(driver.drive, name, driver_globals(*parts)))


def driver_globals(distribution, stages, moves, names, uses_gradient, *, compiled=True) -> dict:
    """Return the globals of a driver: constants, views, and functions that are inlined."""
    inline = njit(inline="always", **FAST) if compiled else lambda function: function
    own = compile_parts(distribution, inline="always") if compiled else compile_parts(distribution)
    stages, moves, lanes = dict(stages), dict(moves), part(distribution, "lanes")
    scope: dict[str, Any] = {
        "LANES": lanes,
        "FIXED_DIM": fixed_dim(distribution),
        "SCALED": "scales" in own,
        "GRADIENT": uses_gradient,
        "RENEWS": uses_gradient and "renew" in own,
        "BLOCKS": "blocks" in names[0],
        "STEPS": stages["step"] is not None,
        "SETTLES": stages["settle"] is not None,
        "Numbers": namedtuple("Numbers", names[0]),
        "RuleNumbers": namedtuple("RuleNumbers", names[1]),
        **(views(lanes) if compiled else plain_views(lanes)),
    }
    scope |= {name: inline(getattr(driver, name)) for name in OPTIONAL} | own
    scope |= {name: inline(f) for name, f in (stages | moves).items() if f is not None}
    evaluate = evaluate_gradient if uses_gradient else evaluate_energy
    for function in (evaluate, driver.at, driver.stepsizes, driver.take):
        name = function.__name__.partition("_")[0]
        scope[name] = inline(bind(function, name, scope))
    return scope


def evaluate_gradient(x, w, data, g):
    """Return U, and write its gradient into g."""
    return gradient(x, w, data, g)  # type: ignore[name-defined]  # noqa: F821


def evaluate_energy(x, w, data, g):
    """Return U."""
    return energy(x, w, data)  # type: ignore[name-defined]  # noqa: F821


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
