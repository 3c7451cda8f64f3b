"""Verdicts in words: how a number found compares with one published, and all of them together.

In: differences in combined standard errors, z. Out: agrees, marginal or differs; and a statement
on all numbers at once, which takes into account how many were compared.
"""

import math
import textwrap
from collections.abc import Sequence
from statistics import NormalDist

import pandas as pd

MARGINAL, DIFFERENT = 2.0, 3.0  # beyond so many combined standard errors


def verdict(z: float) -> str:
    """Return the verdict on one number."""
    if math.isnan(z):
        return "not compared"
    if abs(z) <= MARGINAL:
        return "agrees"
    return "marginal" if abs(z) <= DIFFERENT else "differs"


def chance_of_largest(z: Sequence[float]) -> float:
    """Return how often the largest of so many differences would be as large if all agreed."""
    largest = max(abs(value) for value in z)
    return 1 - (2 * NormalDist().cdf(largest) - 1) ** len(z)


def chance_of_sum(z: Sequence[float]) -> float:
    """Return how often the sum of squares would be as large if all agreed (chi-square).

    By Wilson and Hilferty's cube root, right to about 0.001.
    """
    n, total = len(z), sum(value * value for value in z)
    if total == 0:
        return 1.0
    cube = (total / n) ** (1 / 3)
    return 1 - NormalDist().cdf((cube - 1 + 2 / (9 * n)) / math.sqrt(2 / (9 * n)))


def overall(z: Sequence[float]) -> str:
    """Return a statement on all the numbers that were compared."""
    compared = [value for value in z if not math.isnan(value)]
    if not compared:
        return "No published number was compared."
    words = [verdict(value) for value in compared]
    counts = ", ".join(
        f"{sum(word.startswith(start) for word in words)} {name}"
        for start, name in (("agree", "agree"), ("marginal", "marginal"), ("differ", "differ"))
    )
    largest, total = max(compared, key=abs), sum(value * value for value in compared)
    by_largest, by_sum = chance_of_largest(compared), chance_of_sum(compared)
    end = "as published" if 2 * min(by_largest, by_sum) > 0.05 else "not all as published"
    return (
        f"{len(compared)} published numbers compared: {counts}. The largest difference is "
        f"{largest:+.1f} combined standard errors; if all agreed, the largest of so many would be "
        f"that large in {percent(by_largest)} of cases, and the sum of squares ({total:.1f}) as "
        f"large in {percent(by_sum)}. Together: {end}."
    )


def percent(chance: float) -> str:
    """Return a chance as '12%', or '0.03%'."""
    return f"{100 * chance:.0f}%" if chance >= 0.1 else f"{100 * chance:.2g}%"


def summary(compared: pd.DataFrame) -> list[str]:
    """Return the verdicts as lines for a terminal, the numbers of a published run on one line.

    A run's numbers stand as differences in standard errors, a claim with its 95% interval.
    """
    lines = []
    numbers = compared[compared.kind == "number"].drop_duplicates(["digest", "quantity"])
    for (name, what), rows in numbers.groupby(["experiment", "what"], sort=False):
        found = zip(rows.quantity, rows.z, strict=True)
        parts = ", ".join(f"{q.removeprefix('tau.')} {z:+.1f}" for q, z in found)
        lines.append(line(verdict(max(rows.z, key=abs)), name, what, f"z: {parts}"))
    for row in compared[compared.kind == "claim"].itertuples():
        published = "" if math.isnan(row.published) else f"; published {row.published:g}"
        word = "" if math.isnan(row.published) else row.verdict
        basis = f", {row.basis}" if str(row.basis).startswith("selected") else ""
        found = f"{row.ours:.3g} ({row.low:.3g} to {row.high:.3g}{basis}){published}"
        lines.append(line(word, row.experiment, row.what, found))
    return [*lines, *textwrap.wrap(overall(list(numbers.z)), 110)]


def line(word: str, name: str, what: str, found: str) -> str:
    """Return one line of the summary, long words on what was compared cut short."""
    return f"{word:9} {name:17} {textwrap.shorten(what, 58, placeholder=' ...'):58} {found}"
