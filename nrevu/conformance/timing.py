"""Measures how long calls take, so that each check does as much as a few seconds allow."""

import time
from collections.abc import Callable
from typing import Any

OVERHEAD = 1e-6  # seconds that a call of a compiled function from Python takes by itself


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
