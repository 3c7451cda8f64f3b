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
ABOUT_1 = math.log(1.05)  # a ratio published as nearer to 1 than that claims no difference
NOISY, NOT_JUDGED = "too noisy to tell", "not judged"
# From best to worst: of a run with several numbers the worst is printed.
WORDS = (NOISY, "agrees", NOT_JUDGED, "marginal", "differs")


def chance(z: float, dof: float = math.inf) -> float:
    """Return how often |z| would be as large by chance; with few degrees of freedom, Student's t.

    By Wallace's transformation to a normal variate: from 19 degrees on within 1% of the chance for
    |z| up to 4, and 5% up to 8.
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
    any_as_large = chance_of_any(p, count)
    if any_as_large < DIFFERENT:
        return "differs"
    if any_as_large < MARGINAL:
        return "marginal"
    return NOISY if noisy else "agrees"


def is_noisy(row) -> bool:
    """Tell whether a difference that matters would go unnoticed, being within 1.96 errors.

    For a ratio that is all of its distance from 1: a published 1.15 that cannot be told from 1. For
    another number, and for a ratio that was published as about 1, it is a fifth.
    """
    relative = math.hypot(row["se"] / row["ours"], row["published.se"] / row["published"])
    if row["kind"] == "claim" and row["quantity"].startswith("ratio"):
        distance = abs(math.log(row["published"]))
        return 1.96 * relative > (distance if distance > ABOUT_1 else NOTICED)
    return 1.96 * relative > NOTICED


def chance_of_any(p: float, count: int) -> float:
    """Return how often at least one of `count` chances would be as small as p if all agreed."""
    return -math.expm1(count * math.log1p(-p)) if p < 1 else 1.0


def chance_of_largest(p: Sequence[float]) -> float:
    """Return how often the smallest of some chances would be as small if all agreed."""
    return chance_of_any(min(p), len(p))


def chance_of_sum(p: Sequence[float]) -> float:
    """Return how often the sum of squares would be as large if all agreed: chi-square."""
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
    """Return the sum of squares of the normal variates that have these chances."""
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
    by_sum, by_largest = chance_of_sum(p), chance_of_largest(p)
    joint = min(1.0, 2 * min(by_sum, by_largest))
    noisy = int((judged.verdict == NOISY).sum())
    head = f"Consistent with {family}" if joint > 0.05 else f"Not consistent with {family}"
    if joint > 0.05 and noisy:
        head += ", as far as runs this short can tell"
    too = f", {noisy} of them too noisy to tell" if noisy else ""
    largest = f"{judged.z[judged.p.idxmin()]:+.1f} combined standard errors"
    return (
        f"{head}: p {probability(joint)} over {len(p)} number{'s' if len(p) > 1 else ''}{too} "
        f"(sum of squares {sum_of_squares(p):.1f}: p {probability(by_sum)}; largest difference "
        f"{largest}: p {probability(by_largest)}; the smaller counts twice).{rest}"
    )


def probability(p: float) -> str:
    """Return a chance as '= 0.12', '= 0.0003' or '< 1e-15'."""
    if p < 1e-15:
        return "< 1e-15"
    return f"= {p:.2f}" if p >= 0.1 else f"= {p:.1g}"


def summary(compared: pd.DataFrame) -> list[str]:
    """Return the verdicts as lines for a terminal: all together, each published run, each claim.

    A run's numbers stand as differences in standard errors, with a question mark where they are too
    noisy to tell; a claim with its 95% interval.
    """
    numbers = compared[compared.kind == "number"]
    lines = []
    for (name, what), rows in numbers.groupby(["experiment", "what"], sort=False):
        judged = [run_number(row) for row in rows.itertuples() if not row.reason]
        texts = [f"z: {', '.join(judged)}"] if judged else []
        texts += [f"{r.quantity} not judged: {r.reason}" for r in rows.itertuples() if r.reason]
        worst = max(rows.verdict, key=WORDS.index)
        lines.append(line(worst, name, what, "; ".join(texts)))
    for row in compared[compared.kind == "claim"].itertuples():
        lines.append(line(row.verdict, row.experiment, row.what, claim_text(row)))
    heads = headlines(numbers) if len(numbers) else []
    return [*(part for head in heads for part in textwrap.wrap(head, 110)), *lines]


def run_number(row) -> str:
    """Return a number of a run as its difference in standard errors: 'log_prob +0.3'."""
    return f"{row.quantity.removeprefix('tau.')} {row.z:+.1f}{'?' if row.verdict == NOISY else ''}"


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
    for row in compared[compared.kind == "number"].itertuples():
        z, ours = "–", row.reason
        if not row.reason:
            digits = max(0, 1 - math.floor(math.log10(row.se)))
            z, ours = f"{row.z:+.1f}", f"{row.ours:.{digits}f} ± {row.se:.{digits}f}"
        what = f"`{row.experiment}`: {row.what}"
        lines.append(f"| {what} | {row.quantity} | {row.published:.5g} | {ours} | {z} |")
    lines += ["", "| claim | published | ours (95% interval) | by the grid | verdict |"]
    lines += ["|---|---|---|---|---|"]
    for row in compared[compared.kind == "claim"].itertuples():
        found = row.reason or f"{row.ours:#.3g} ({row.low:#.3g} to {row.high:#.3g})"
        grid = f"{row.selected:#.3g}" if row.basis else ""
        parts = (f"`{row.experiment}`: {row.what}", f"{row.published:g}", found, grid, row.verdict)
        lines.append(f"| {' | '.join(parts)} |")
    return lines
