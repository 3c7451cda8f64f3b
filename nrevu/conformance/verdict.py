"""The verdict of one check: ok, FAILS or skipped, with the numbers that show it.

Also how a check finds its verdict from z scores, and how much of its work a few seconds allow.
"""

import dataclasses
import timeit
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nrevu.analysis.verdict import t_quantile
from nrevu.core.user_files import describe_error
from nrevu.errors import Mistake

RATE = 1e-4  # how often a statistical check may fail by chance, over all its numbers together
OVERHEAD = 1e-6  # seconds that a call of a compiled function from Python takes by itself


@dataclass(frozen=True)
class Verdict:
    """What one check found."""

    name: str  # of the check; filled in by the caller
    outcome: str  # "ok", "FAILS" or "skipped"
    says: str  # one line
    advice: str = ""  # what to do, where it fails
    numbers: dict[str, Any] = field(default_factory=dict)  # behind `says`


def ok(says: str, **numbers) -> Verdict:
    """Return the verdict of a check that passed."""
    return Verdict("", "ok", says, "", numbers)


def fails(says: str, advice: str, **numbers) -> Verdict:
    """Return the verdict of a check that failed."""
    return Verdict("", "FAILS", says, advice, numbers)


def skipped(why: str) -> Verdict:
    """Return the verdict of a check that does not apply."""
    return Verdict("", "skipped", why)


def run_check(name: str, file: Path, function: Callable, *arguments) -> tuple:
    """Return the named verdict of a check, and what else it returns.

    An exception in a user's function is a failing verdict.
    """
    try:
        found = function(*arguments)
    except Mistake:
        raise
    except Exception as error:
        advice = "no function may raise; a density returns math.inf outside its support"
        found = fails(f"stopped by {describe_error(error, file)}", advice)
    verdict, *others = found if isinstance(found, tuple) else (found,)
    return dataclasses.replace(verdict, name=name), *others


def worst_score(z: dict[str, float], values: int) -> tuple[dict[str, Any], bool, str]:
    """Return the largest |z| with its limit, whether chance explains it, and both as text.

    Each z is the mean of `values` independent values over its standard error; nan counts as
    infinite. The largest exceeds the limit with probability RATE at most.
    """
    worst = max(z, key=lambda key: abs(z[key]) if z[key] == z[key] else float("inf"))
    limit = t_quantile(values - 1, 1 - RATE / len(z))
    chance = f"limit {limit:.1f}, exceeded by chance once in {1 / RATE:.0f} checks"
    numbers = {"worst": worst, "z": z[worst], "limit": limit}
    return numbers, abs(z[worst]) <= limit, f"z {z[worst]:.1f} ({chance})"


def seconds(call: Callable[[], Any]) -> float:
    """Return how long a call takes: the shortest of a few."""
    return min(timeit.repeat(call, number=1, repeat=3))


def affordable(budget: float, each: float, least: int, most: int) -> int:
    """Return how many calls of `each` seconds fit into a budget, from `least` to `most`.

    The result is `most`, halved as often as needed, so that timing noise seldom changes a check.
    """
    count = most
    while count > least and count * each > budget:
        count //= 2
    return max(count, min(least, most))
