"""A distribution from plain functions: a log density and its gradient."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import make_dataclass
from types import FunctionType
from typing import Any

import numpy as np

from nrevu.core.binding import FAST
from nrevu.core.target import njit
from nrevu.errors import Mistake, check_known
from nrevu.fields import integer


def density(
    log_density: Callable,
    gradient: Callable | None = None,
    *,
    dim: int,
    start: Any = None,
    means: Mapping[str, float | None] | None = None,
) -> Any:
    """Return the distribution of a log density and its gradient, for `nrevu.sample`.

    log_density(x) returns the logarithm of the density up to a constant, gradient(x) an array with
    its derivatives; x is an array of `dim` numbers. numba compiles both: they may use numpy, other
    functions, and numbers and arrays outside, whose values at the time of `nrevu.sample` count.
    Without `gradient` only random-walk Metropolis can sample.

    `start` is where chains begin, before their burn-in: an array, or a function of a
    numpy.random.Generator that returns one; by default independent normal variables. `means` are
    the true means of "coordinate" (the first one) and "log_prob" (the log density), if known.

        target = nrevu.density(log_density, gradient, dim=3)
        nrevu.sample(target, "langevin")
    """
    for name, function in (("log_density", log_density), ("gradient", gradient)):
        plain = getattr(function, "py_func", function)
        if function is not None and not isinstance(plain, FunctionType):
            raise Mistake(f"must be a function of x, not {function!r}", name, "nrevu.density")
    label = re.sub(r"\W", "_", log_density.__name__)  # of a lambda too
    parts: dict[str, Any] = compiled_parts(log_density, gradient)
    if start is not None:
        parts["start"] = start_function(start)
    known: dict[str, float | None] = {"coordinate": None, "log_prob": None}
    for key in means or ():
        check_known("mean", key, known, key="means", place="nrevu.density")
    known |= dict(means or {})
    parts["means"] = lambda self: known
    # Its identity is what the functions are and refer to, not the file that they are in.
    parts |= {"written_as": {"energy": "log_density", "gradient": "gradient"}}
    parts |= {"__module__": log_density.__module__, "__qualname__": f"density.<locals>.{label}"}
    settings = [("dim", int, integer(at_least=1))]
    if isinstance(dim, bool) or not isinstance(dim, int | np.integer) or dim < 1:
        raise Mistake(f"{dim!r} is not a whole number, 1 or more", "dim", "nrevu.density")
    check_gradient(log_density, gradient, dim)
    return make_dataclass(label, settings, namespace=parts, frozen=True)(int(dim))


def check_gradient(log_density: Callable, gradient: Callable | None, dim: int) -> None:
    """Raise a Mistake if the gradient is not that of the log density at any of some points.

    Points at which the functions fail, or are not finite, are left out.
    """
    if gradient is None:
        return
    rng, wrong = np.random.default_rng(1), []
    for _ in range(4):
        x = rng.standard_normal(dim)
        try:
            with np.errstate(all="ignore"):
                i = int(rng.integers(dim))
                step = np.zeros(dim)
                step[i] = 1e-5
                stated, value = float(np.asarray(gradient(x))[i]), float(log_density(x))
                found = (log_density(x + step) - log_density(x - step)) / 2e-5
        except Exception:  # shown with its line when it is compiled, or runs
            return
        if np.isfinite([stated, found]).all():
            rounding = 1e-5 + 1e-9 * abs(value)
            right = abs(stated - found) <= 1e-3 * (abs(stated) + abs(found)) + rounding
            wrong.append("" if right else f"its derivative {i} is {stated:.6g}, not {found:.6g}")
    if wrong and all(wrong):
        text = f"is not that of log_density: {wrong[0]}, at a random point"
        raise Mistake(text, "gradient", "nrevu.density")


def compiled_parts(log_density: Callable, gradient: Callable | None) -> dict[str, Any]:
    """Return `energy`, and `gradient` if there is one, as static methods of a distribution."""
    log_pi = compile_function(log_density)
    slope: Any = gradient and compile_function(gradient)

    def energy(x, w, data):
        return -log_pi(x)

    def energy_and_gradient(x, w, data, g):
        slopes = slope(x)
        for i in range(x.size):
            g[i] = -slopes[i]
        return -log_pi(x)

    def record(x, w, U, data, row):
        row[0] = x[0]
        row[1] = -U

    found = {"energy": staticmethod(energy), "record": staticmethod(record)}
    return found | ({"gradient": staticmethod(energy_and_gradient)} if gradient else {})


def compile_function(function: Callable) -> Callable:
    """Return a function as kernels call it; what numba has compiled already, again."""
    return njit(**FAST, forceinline=True)(getattr(function, "py_func", function))


def start_function(start: Any) -> Callable:
    """Return the function that gives the first state of a chain, from an array or a function."""
    if callable(start):
        return lambda self, rng: np.array(start(rng), dtype=float)
    point = np.array(start, dtype=float)
    return lambda self, rng: point.copy()
