"""P-values for the long test of the generator.

In: a z score, a chi-square, a count. Out: a two-sided p-value: a fit that is too good fails, as
does one that is too bad. Normal tails are math.erfc; those of chi-square and Poisson are both
incomplete gamma functions, summed here so that no other library is needed.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table."""

    what: str  # the statistic
    draws: float  # how many numbers it was taken from
    value: str  # of the statistic
    p: float  # chance, under the hypothesis, of a value as far from the expected one


def gamma_tails(a: float, x: float) -> tuple[float, float]:
    """Return P(a, x) and Q(a, x), the regularised incomplete gamma functions."""
    if x <= 0:
        return 0.0, 1.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:  # the power series
        term = total = 1 / a
        n = a
        while term > 1e-17 * total:
            n += 1
            term *= x / n
            total += term
        return front * total, 1 - front * total
    b = x + 1 - a  # the continued fraction, by Lentz's method
    c, d = 1e300, 1 / b
    h = d
    for i in range(1, 1_000_000):
        b += 2
        d = 1 / (i * (a - i) * d + b)
        c = b + i * (a - i) / c
        h *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return 1 - front * h, front * h


def by_z(what: str, draws: float, z: float) -> Row:
    """Return the row of a standard normal statistic."""
    return Row(what, draws, f"z {z:+.2f}", math.erfc(abs(z) / math.sqrt(2)))


def by_chi_square(what: str, draws: float, value: float, dof: int) -> Row:
    """Return the row of a chi-square statistic."""
    p = min(1.0, 2 * min(gamma_tails(dof / 2, value / 2)))
    return Row(what, draws, f"chi-square {value:.1f} on {dof}", p)


def by_count(what: str, draws: float, count: int, expected: float) -> Row:
    """Return the row of a count of rare events, by Poisson's distribution."""
    at_most = gamma_tails(count + 1, expected)[1]
    at_least = gamma_tails(count, expected)[0] if count > 0 else 1.0
    p = min(1.0, 2 * min(at_most, at_least))
    return Row(what, draws, f"{count} for {expected:.1f}", p)


def by_largest(what: str, draws: float, zs: Sequence[float]) -> Row:
    """Return the row of the largest of some independent z scores, by size."""
    largest = max(zs, key=abs)
    p = -math.expm1(len(zs) * math.log1p(-math.erfc(abs(largest) / math.sqrt(2))))
    return Row(what, draws, f"z {largest:+.2f}, largest of {len(zs)}", p)


def by_histogram(what: str, counts: Sequence[int], chances: Sequence[float]) -> Row:
    """Return the row of a histogram, neighbouring bins joined until each expects 25."""
    draws, value, bins = int(sum(counts)), 0.0, 0
    seen = expected = 0.0
    left = draws  # expected in the bins to come
    for count, chance in zip(counts, chances, strict=True):
        seen, expected, left = seen + count, expected + draws * chance, left - draws * chance
        if expected >= 25 and left >= 25:
            value += (seen - expected) ** 2 / expected
            bins, seen, expected = bins + 1, 0.0, 0.0
    value += (seen - expected - left) ** 2 / (expected + left)
    return by_chi_square(what, draws, value, bins)
