"""Verdicts: how a number of ours compares with a published one, and all of them together.

In: differences in combined standard errors, z, and how many numbers are compared. Out: agrees,
marginal, differs, too noisy to tell or not judged; and a statement on all numbers at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# Probabilities, if all numbers of a family agree, that any of them gets this verdict.
MARGINAL, DIFFERENT = 0.05, 0.01
NOTICED = 0.2  # a relative difference that must be detectable, or the number is too noisy
ABOUT_1 = math.log(1.05)  # a ratio published as closer to 1 than this claims no difference
NOISY, NOT_JUDGED, UNPUBLISHED = "too noisy to tell", "not judged", "nothing published"
# From best to worst: of a run with several numbers the worst is printed.
VERDICTS = (NOISY, "agrees", NOT_JUDGED, "marginal", "differs")


def chance(z: float, dof: float = math.inf) -> float:
    """Return the p-value of |z|: normal, or with finite degrees of freedom Student's t.

    By Wallace's transformation to a normal variate: from 19 degrees of freedom, within 1% for |z|
    up to 4, and 5% up to 8.
    """
    if math.isfinite(dof):
        z = math.sqrt(dof * math.log1p(z * z / dof)) * (8 * dof + 1) / (8 * dof + 3)
    return 2 * NormalDist().cdf(-abs(z))


def t_quantile(dof: float, level: float = 0.95) -> float:
    """Return how many standard errors an interval of this level reaches to each side.

    By the expansion about the normal distribution: within 0.3% from 5 degrees of freedom on.
    """
    if dof < 1:
        return math.nan
    z = NormalDist().inv_cdf(0.5 + level / 2)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / dof + second / dof**2 + third / dof**3


def difference(ours: float, relative: float, published: float, theirs: float) -> dict[str, float]:
    """Return two numbers compared, by their relative errors: on a logarithmic scale."""
    z = math.log(ours / published) / math.hypot(relative, theirs)
    return {"published.se": published * theirs, "ours": ours, "z": z}


def judge(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the p-value of a row's difference, and the verdict on it among all of its kind."""
    if math.isnan(row["z"]):
        unpublished = math.isnan(row["published"]) and not row["reason"]
        return {"verdict": UNPUBLISHED if unpublished else NOT_JUDGED}
    p, longer = chance(row["z"], row["dof"]), times_longer(row)
    outcome = verdict(p, row["comparisons"], longer > 1)
    why = noise_advice(longer) if outcome == NOISY else row["reason"]
    return {"p": p, "verdict": outcome, "reason": why}


def verdict(p: float, count: int, noisy: bool) -> str:
    """Return the verdict on one of `count` numbers, by the p-value of its difference.

    `noisy`: its error is so large that a difference could hardly be detected.
    """
    if math.isnan(p):
        return NOT_JUDGED
    any_as_large = chance_of_any(p, count)
    if any_as_large < DIFFERENT:
        return "differs"
    if any_as_large < MARGINAL:
        return "marginal"
    return NOISY if noisy else "agrees"


def times_longer(row) -> float:
    """Return how many times longer our run must be to detect a difference that matters.

    Detected means outside a 95% interval. For a ratio, the difference is its distance from 1: a
    published 1.15 must be distinct from 1. For another number, and for a ratio published as about
    1, it is a fifth. Infinite, if the error of the published number alone is too large.
    """
    t = t_quantile(row["dof"])
    ours, theirs = t * row["se"] / row["ours"], t * row["published.se"] / row["published"]
    limit = NOTICED
    if row["kind"] == "claim" and row["quantity"].startswith("ratio"):
        distance = abs(math.log(row["published"]))
        limit = distance if distance > ABOUT_1 else NOTICED
    return ours**2 / (limit**2 - theirs**2) if theirs < limit else math.inf


def noise_advice(longer: float) -> str:
    """Return what would make a comparison precise enough."""
    if math.isinf(longer):
        return "the error of the published number is too large, as estimated from our grid"
    return f"To do: run about {math.ceil(longer)} times as many groups"


def chance_of_any(p: float, count: int) -> float:
    """Return the probability that any of `count` p-values is as small as p if all agree."""
    return -math.expm1(count * math.log1p(-p)) if p < 1 else 1.0


def chance_of_largest(p: Sequence[float]) -> float:
    """Return the probability that the smallest of some p-values is as small if all agree."""
    return chance_of_any(min(p), len(p))


def chance_of_sum(p: Sequence[float]) -> float:
    """Return the probability that the sum of squares is as large if all agree: chi-square."""
    half, a = sum_of_squares(p) / 2, len(p) / 2
    if half == 0:
        return 1.0
    # The incomplete gamma function Q(a, half), from Q(1/2) or Q(1) upwards.
    total, step = (math.erfc(math.sqrt(half)), 0.5) if len(p) % 2 else (math.exp(-half), 1.0)
    while step < a:
        total += math.exp(step * math.log(half) - half - math.lgamma(step + 1))
        step += 1
    return min(1.0, total)


def sum_of_squares(p: Sequence[float]) -> float:
    """Return the sum of squares of the normal variates that have these p-values."""
    return sum(NormalDist().inv_cdf(max(each, 1e-300) / 2) ** 2 for each in p)


def headlines(numbers: pd.DataFrame) -> list[str]:
    """Return a statement on all published numbers together, for each family of them."""
    if numbers.empty:
        return ["No published number was compared."]
    return [overall(rows, name) for name, rows in numbers.groupby("family", sort=False)]


def overall(numbers: pd.DataFrame, family: str) -> str:
    """Return a statement on all the published numbers of a family."""
    judged = numbers[numbers.p.notna()]
    left = len(numbers) - len(judged)
    rest = f" {left} more could not be judged." if left else ""
    if judged.empty:
        return f"No published number of {family} was compared.{rest}"
    p = list(judged.p)
    by_sum, by_largest = chance_of_sum(p), chance_of_any(min(p), int(judged.comparisons.max()))
    joint = min(1.0, 2 * min(by_sum, by_largest)) if len(p) > 1 else by_largest
    noisy = int((judged.verdict == NOISY).sum())
    head = f"Consistent with {family}" if joint > 0.05 else f"Not consistent with {family}"
    if joint > 0.05 and noisy:
        head += ", as far as runs this short can tell"
    too = f", {noisy} of them too noisy to tell" if noisy else ""
    largest = f"{judged.z[judged.p.idxmin()]:+.1f} combined standard errors"
    tests = (
        f" (twice the smaller of: sum of squares {sum_of_squares(p):.1f}, p {probability(by_sum)}; "
        f"largest difference {largest}, p {probability(by_largest)})"
    )
    count = f"{len(p)} number{'s' if len(p) > 1 else ''}{too}"
    return f"{head}: p {probability(joint)} over {count}{tests if len(p) > 1 else ''}.{rest}"


def probability(p: float) -> str:
    """Return a p-value as '= 0.12', '= 0.0003' or '< 1e-15'."""
    if p < 1e-15:
        return "< 1e-15"
    return f"= {p:.2f}" if p >= 0.1 else f"= {p:.1g}"
