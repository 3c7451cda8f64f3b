"""Measures how long evaluations take, so that each check does as much as a few seconds allow."""

import functools
import time
from collections.abc import Callable
from typing import Any

from nrevu.core.binding import FAST, bind
from nrevu.core.target import njit

OVERHEAD = 1e-6  # seconds that a call of a compiled function from Python takes by itself


def energy(x, w, data):
    """Return U. A placeholder, as the next one is: bound to a distribution's function."""


def gradient(x, w, data, g):
    """Write the gradient of U into g and return U."""


def energies(points, w, data, g, times):
    """Evaluate U at each of the points, `times` times."""
    total = 0.0
    for _ in range(times):
        for k in range(points.shape[0]):
            total += energy(points[k], w, data)
    return total


def gradients(points, w, data, g, times):
    """Evaluate the gradient at each of the points, `times` times."""
    total = 0.0
    for _ in range(times):
        for k in range(points.shape[0]):
            total += gradient(points[k], w, data, g)
    return total


LOOPS = {"energy": energies, "gradient": gradients}


def costs(functions: dict[str, Callable], arguments: tuple) -> dict[str, float]:
    """Return the seconds of one `energy` and one `gradient`, inside compiled code."""
    names = [name for name in LOOPS if name in functions]
    return {name: cost(loop(name, functions[name]), arguments) for name in names}


@functools.cache
def loop(name: str, function: Callable) -> Callable:
    """Return the compiled loop of a function's evaluations."""
    return njit(**FAST)(bind(LOOPS[name], LOOPS[name].__name__, {name: function}))


def cost(many: Callable, arguments: tuple) -> float:
    """Return the seconds of one evaluation in a loop over the points, the first argument."""
    many(*arguments, 1)
    times = max(1, int(0.03 / max(seconds(lambda: many(*arguments, 1)), OVERHEAD)))
    return seconds(lambda: many(*arguments, times)) / (times * len(arguments[0]))


def seconds(call: Callable[[], Any]) -> float:
    """Return how long a call takes: the shortest of a few."""
    times = []
    for _ in range(3):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times)


def affordable(budget: float, each: float, least: int, most: int) -> int:
    """Return how many calls of `each` seconds fit into a budget, from `least` to `most`.

    The result is `most`, halved as often as needed, so that timing noise seldom changes a check.
    """
    count = most
    while count > least and count * each > budget:
        count //= 2
    return max(count, min(least, most))
