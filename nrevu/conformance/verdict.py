"""The verdict of one check: ok, FAILS or skipped, with the numbers that show it."""

from dataclasses import dataclass, field
from typing import Any

from nrevu.analysis.verdict import t_quantile

RATE = 1e-4  # how often a statistical check may fail by chance, over all its numbers together


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


def limit(count: int, values: int) -> float:
    """Return the limit that the largest of `count` |z| exceeds with probability RATE at most.

    Each z is the mean of `values` independent values over its standard error.
    """
    return t_quantile(values - 1, 1 - RATE / count)


def odds(count: int, values: int) -> str:
    """Return the limit on |z| as text."""
    return f"limit {limit(count, values):.1f}, exceeded by chance once in {1 / RATE:.0f} checks"


def worst_key(z: dict[str, float]) -> str:
    """Return the key of the largest |z|; nan counts as infinite."""
    return max(z, key=lambda key: abs(z[key]) if z[key] == z[key] else float("inf"))
