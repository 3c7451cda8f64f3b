"""Verdicts in words: how a number found compares with one published, and all of them together.

In: differences in combined standard errors, z, and how many numbers are compared. Out: agrees,
marginal, differs, too noisy to tell or not judged; and a statement on all numbers at once.
"""

import math
import textwrap
from collections.abc import Sequence
from statistics import NormalDist

import pandas as pd

# Chances, if all numbers of a family agree, that any one of them gets the word.
MARGINAL, DIFFERENT = 0.05, 0.01
NOTICED = 0.2  # a number's relative difference that must not go unnoticed, or it is too noisy
NOISY, NOT_JUDGED = "too noisy to tell", "not judged"
WORDS = (NOISY, "agrees", "marginal", "differs", NOT_JUDGED)  # the last of a run's is said of it


def chance(z: float, dof: float = math.inf) -> float:
    """Return how often |z| would be as large by chance; with few degrees of freedom, Student's t.

    By Wallace's transformation to a normal variate, within 0.5% of the chance from 19 on.
    """
    if math.isfinite(dof):
        z = math.sqrt(dof * math.log1p(z * z / dof)) * (8 * dof + 1) / (8 * dof + 3)
    return 2 * NormalDist().cdf(-abs(z))


def verdict(p: float, count: int, noisy: bool) -> str:
    """Return the verdict on one of `count` numbers, by the chance of its difference.

    `noisy` tells that its error is so large that it could hardly have differed.
    """
    if math.isnan(p):
        return NOT_JUDGED
    any_as_large = 1 - (1 - p) ** count
    if any_as_large < DIFFERENT:
        return "differs"
    if any_as_large < MARGINAL:
        return "marginal"
    return NOISY if noisy else "agrees"


def is_noisy(row) -> bool:
    """Tell whether a difference that matters would go unnoticed, being within 1.96 errors.

    For a ratio that is all of it: published 1.15 that cannot be told from 1. For another number it
    is a fifth.
    """
    relative = math.hypot(row["se"] / row["ours"], row["published.se"] / row["published"])
    if row["kind"] == "claim" and row["quantity"].startswith("ratio"):
        return 1.96 * relative > abs(math.log(row["published"]))
    return 1.96 * relative > NOTICED


def chance_of_largest(p: Sequence[float]) -> float:
    """Return how often the smallest of so many chances would be as small if all agreed."""
    return 1 - (1 - min(p)) ** len(p)


def chance_of_sum(p: Sequence[float]) -> float:
    """Return how often the sum of squares would be as large if all agreed (chi-square).

    By Wilson and Hilferty's cube root, right to about 0.001.
    """
    n, total = len(p), sum_of_squares(p)
    if total == 0:
        return 1.0
    cube = (total / n) ** (1 / 3)
    return 1 - NormalDist().cdf((cube - 1 + 2 / (9 * n)) / math.sqrt(2 / (9 * n)))


def sum_of_squares(p: Sequence[float]) -> float:
    """Return the sum of squares of the normal variates that have these chances."""
    return sum(NormalDist().inv_cdf(max(each, 1e-300) / 2) ** 2 for each in p)


def overall(numbers: pd.DataFrame) -> str:
    """Return a statement on all the published numbers together: the headline."""
    judged = numbers[numbers.p.notna()]
    left = len(numbers) - len(judged)
    rest = f" {left} more could not be judged." if left else ""
    if judged.empty:
        return f"No published number was compared.{rest}"
    p = list(judged.p)
    by_sum, by_largest = chance_of_sum(p), chance_of_largest(p)
    joint = min(1.0, 2 * min(by_sum, by_largest))
    noisy = int((judged.verdict == NOISY).sum())
    head = "Consistent with the paper" if joint > 0.05 else "Not consistent with the paper"
    if joint > 0.05 and noisy:
        head += ", as far as runs this short can tell"
    too = f", {noisy} of them too noisy to tell" if noisy else ""
    return (
        f"{head}: p = {probability(joint)} over {len(p)} numbers{too} (sum of squares "
        f"{sum_of_squares(p):.1f}: p = {probability(by_sum)}; largest difference "
        f"{max(judged.z, key=abs):+.1f} combined standard errors: p = {probability(by_largest)}; "
        f"the smaller counts twice).{rest}"
    )


def probability(p: float) -> str:
    """Return a chance as '0.12', or '0.0003'."""
    return f"{p:.2f}" if p >= 0.1 else f"{p:.1g}"


def summary(compared: pd.DataFrame) -> list[str]:
    """Return the verdicts as lines for a terminal: all together, each published run, each claim.

    A run's numbers stand as differences in standard errors, with a question mark where they are too
    noisy to tell; a claim with its 95% interval.
    """
    numbers = compared[compared.kind == "number"]
    lines = []
    for (name, what), rows in numbers.groupby(["experiment", "what"], sort=False):
        marks = ["?" if word == NOISY else "" for word in rows.verdict]
        found = zip(rows.quantity, rows.z, marks, strict=True)
        parts = ", ".join(f"{q.removeprefix('tau.')} {z:+.1f}{mark}" for q, z, mark in found)
        worst = max(rows.verdict, key=WORDS.index)
        reasons = "; ".join(dict.fromkeys(rows.reason[rows.reason != ""]))
        lines.append(line(worst, name, what, reasons or f"z: {parts}"))
    for row in compared[compared.kind == "claim"].itertuples():
        lines.append(line(row.verdict, row.experiment, row.what, claim_text(row)))
    return [*textwrap.wrap(overall(numbers), 110), *lines]


def claim_text(row) -> str:
    """Return what was found of a claim, or why it could not be judged."""
    published = "" if math.isnan(row.published) else f"published {row.published:g}"
    if row.reason:
        return "; ".join(part for part in (published, row.reason) if part)
    basis = f", {row.basis}" if row.basis not in ("", "confirmed") else ""
    found = f"{row.ours:#.3g} ({row.low:#.3g} to {row.high:#.3g}{basis})"
    return "; ".join(part for part in (found, published) if part)


def line(word: str, name: str, what: str, found: str) -> str:
    """Return one line of the summary, long words on what was compared cut short."""
    return f"{word:17} {name:17} {textwrap.shorten(what, 58, placeholder=' ...'):58} {found}"


def markdown(compared: pd.DataFrame) -> list[str]:
    """Return the verdicts as two tables in Markdown, as in the README: numbers, then claims."""
    lines = ["| run | quantity | published | ours | *z* |", "|---|---|---|---|---|"]
    for row in compared[compared.kind == "number"].to_dict("records"):
        digits = max(0, 1 - math.floor(math.log10(row["se"])))
        ours = f"{row['ours']:.{digits}f} ± {row['se']:.{digits}f}"
        what, quantity = f"`{row['experiment']}`: {row['what']}", row["quantity"]
        lines.append(f"| {what} | {quantity} | {row['published']:.5g} | {ours} | {row['z']:+.1f} |")
    lines += ["", "| claim | published | ours (95% interval) | by the grid | verdict |"]
    lines += ["|---|---|---|---|---|"]
    for row in compared[compared.kind == "claim"].to_dict("records"):
        found = f"{row['ours']:#.3g} ({row['low']:#.3g} to {row['high']:#.3g})"
        grid = f"{row['selected']:#.3g}" if row["basis"] else ""
        parts = (f"`{row['experiment']}`: {row['what']}", f"{row['published']:g}", found, grid)
        lines.append(f"| {' | '.join((*parts, row['verdict']))} |")
    return lines
