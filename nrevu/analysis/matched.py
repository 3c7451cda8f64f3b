"""Matched claims: the mean ratio over all pairs of cells that differ in nothing else, and one test.

In: a claim and the table of its cells. Out: the ratio with a 95% interval, the number of pairs, and
the chance that all pairs are as far from equal.

Cells are independent, but pairs share cells: one cell with standard u may belong to several with a
non-reversible one. So numbers are averaged before they are compared: in each group of cells that
agree in all other settings, the log ratio is the mean of `of` minus that of `over`; the groups are
then averaged. If the claim is that all ratios are equal, means are weighted by their errors, the
generalised least squares estimate of a common ratio. If not, all count alike: weights that are
estimates would decide which of the different ratios count most.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from nrevu.analysis.autocorrelation import unit_count
from nrevu.analysis.sides import RUN, unusable
from nrevu.analysis.table import DOUBLED, LIMITED, doubts, extend_lags, usable
from nrevu.analysis.verdict import chance, chance_of_sum, difference, t_quantile
from nrevu.experiments.checks import fits
from nrevu.experiments.columns import error
from nrevu.experiments.pairs import Group, groups, is_setting
from nrevu.experiments.sections import Claim

if TYPE_CHECKING:
    import pandas as pd


class Number(NamedTuple):
    """An independent estimate, on a logarithmic scale."""

    value: float
    variance: float
    dof: float  # degrees of freedom of the variance


def matched_numbers(
    claim: Claim, table: pd.DataFrame, expected: Sequence[Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """Return the numbers of a matched claim, or why there are none.

    `expected` are the parameters of all cells that the table should have; None: it is complete.
    """
    cells = extend_lags(table)
    rows = settings(cells, claim)
    lost = sum(any(fits(row, side) for side in claim.sides()) for row in expected or ())
    lost -= sum(any(fits(row, side) for side in claim.sides()) for row in rows)
    if lost > 0:
        return {"reason": f"{lost} of its cells are missing. To do: {RUN}"}
    every = groups(rows, claim.of, claim.over or {})
    if not every:
        return {"reason": f"all its cells are missing. To do: {RUN}"}
    good = usable(cells, claim.quantity).to_numpy()
    some = [Group(*([i for i in side if good[i]] for side in group)) for group in every]
    found = [group for group in some if group.of and group.over]
    if not found:
        why = unusable(cells, claim.quantity, "pair of cells")
        return {"reason": f"{why}. To do: raise run.groups"}
    return compare_groups(claim, cells, found) | basis(claim, cells, every, found)


def settings(cells: pd.DataFrame, claim: Claim) -> list[dict[str, Any]]:
    """Return the settings of each row, and what a claim selects by; what a cell lacks is None."""
    wanted = {name for side in claim.sides() for name in side}
    rows = cells[[name for name in cells if is_setting(name) or name in wanted]].to_dict("records")
    return [{k: None if v != v else v for k, v in row.items()} for row in rows]


def compare_groups(claim: Claim, cells: pd.DataFrame, found: Sequence[Group]) -> dict[str, Any]:
    """Return the mean ratio over some groups, and the chance that all are as claimed.

    The error of a published ratio is taken to be ours, scaled to the published run length.
    """
    numbers = estimates(cells, claim.quantity)
    parts = [tuple([numbers[i] for i in side] for side in group) for group in found]
    average = plain_mean if claim.equal is None else weighted_mean
    mean = average([minus(average(of), average(over)) for of, over in parts])
    ours, relative = math.exp(mean.value), math.sqrt(mean.variance)
    reach = math.exp(t_quantile(mean.dof) * relative)
    length = cells["run.groups"].iloc[0] / (claim.groups or cells["run.groups"].iloc[0])
    published = math.nan if claim.published is None else claim.published
    return difference(ours, relative, published, relative * math.sqrt(length)) | {
        "se": ours * relative,
        "low": ours / reach,
        "high": ours * reach,
        "dof": mean.dof,
        "p": math.nan if claim.equal is None else joint_chance(parts, claim.equal),
    }


def estimates(cells: pd.DataFrame, quantity: str) -> list[Number]:
    """Return the logarithm of a quantity in each row, with its variance."""
    found = zip(cells[quantity], cells[error(quantity)], cells["run.chains"], strict=True)
    return [
        Number(math.log(value), (se / value) ** 2, unit_count(int(chains)) - 1)
        if value > 0 and se > 0
        else Number(math.nan, math.nan, math.nan)
        for value, se, chains in found
    ]


def weighted_mean(numbers: Sequence[Number]) -> Number:
    """Return the mean of numbers, weighted by their variances.

    The variances are estimates: the mean's own is Meier's (1953), which allows for it.
    """
    total = sum(1 / each.variance for each in numbers)
    shares = [1 / each.variance / total for each in numbers]
    value = sum(share * each.value for share, each in zip(shares, numbers, strict=True))
    pairs = list(zip(shares, numbers, strict=True))
    extra = sum(4 * share * (1 - share) / each.dof for share, each in pairs)
    dof = 1 / sum(share**2 / each.dof for share, each in pairs)
    return Number(value, (1 + extra) / total, dof)


def plain_mean(numbers: Sequence[Number]) -> Number:
    """Return the mean of numbers that all count alike."""
    count = len(numbers)
    total = sum(each.variance for each in numbers)
    dof = total**2 / sum(each.variance**2 / each.dof for each in numbers)
    return Number(sum(each.value for each in numbers) / count, total / count**2, dof)


def minus(first: Number, second: Number) -> Number:
    """Return the difference of two numbers, with degrees of freedom by Welch's formula."""
    variance = first.variance + second.variance
    dof = variance**2 / (first.variance**2 / first.dof + second.variance**2 / second.dof)
    return Number(first.value - second.value, variance, dof)


def joint_chance(parts: Sequence[tuple[list[Number], ...]], ratio: float) -> float:
    """Return the chance that groups of numbers are as far from one ratio if it holds in all pairs.

    In each group all numbers, those of the first side divided by the ratio, should be equal. Each
    is compared with the mean of those before it: these differences are independent, and the sum of
    their squares is the group's chi-square about its weighted mean. Each has its p-value by
    Student's distribution, so that errors that are estimates themselves are allowed for.
    """
    p = []
    for of, over in parts:
        scaled = [each._replace(value=each.value - math.log(ratio)) for each in of]
        numbers = [*over, *scaled]
        for index in range(1, len(numbers)):
            found = minus(numbers[index], weighted_mean(numbers[:index]))
            p.append(chance(found.value / math.sqrt(found.variance), found.dof))
    return chance_of_sum(p)


def basis(
    claim: Claim, cells: pd.DataFrame, every: Sequence[Group], used: Sequence[Group]
) -> dict[str, Any]:
    """Return the number of pairs that are compared, and how many are left out."""
    count, total = (sum(len(g.of) * len(g.over) for g in part) for part in (used, every))
    inside = [index for group in used for side in group for index in side]
    found = doubts(cells.iloc[inside], claim.quantity)
    parts = [f"{count} pairs", *([f"{total - count} not usable"] if total > count else [])]
    parts += [why for why in (DOUBLED, LIMITED) if found[why].any()]
    return {"pairs": count, "basis": ", ".join(parts)}
