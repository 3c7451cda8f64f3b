"""Verdicts on statements that name no single published number, and the order of all statements.

In: a claim, and the row of its numbers. Out: the same verdicts as in verdict.py, but by the 95%
interval, and for matched cells that should be equal also by the joint test of all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nrevu.analysis import verdict
from nrevu.analysis.sides import Side
from nrevu.analysis.verdict import NOISY, NOT_JUDGED, NOTICED
from nrevu.experiments.sections import TOLERANCE, Claim

if TYPE_CHECKING:
    import pandas as pd

# The paper's sections in their order, each figure with the text that describes it.
SECTIONS = (
    *("Abstract", "Section 1", "Section 2", "Figure 1", "Section 3", "Section 4"),
    *("footnote of Section 4", "Figure 2", "Section 5", "Section 6", "Appendix"),
)
SAME = "the same cell"  # the basis of a claim whose published best cell is ours
MANY = 100  # times as many groups, which nobody runs


def in_order(compared: pd.DataFrame) -> pd.DataFrame:
    """Return comparisons with their claims in the paper's order, then those without a section."""
    known = {section: index for index, section in enumerate(SECTIONS)} | {"": len(SECTIONS) + 1}
    order = compared.section.map(lambda section: known.get(section, len(SECTIONS)))
    return compared.loc[order.sort_values(kind="stable").index]


def required(claim: Claim, settings: str = "") -> str:
    """Return what a claim's number should be; `settings` are those of a published best cell."""
    if claim.published is not None:
        return f"{claim.published:g}"
    if claim.equal is not None:
        within = f"{100 * (claim.within or TOLERANCE):g}%"
        return f"{claim.equal:g} {'in every pair' if claim.exact else f'within {within}'}"
    if claim.at_least is not None:
        return f"at least {claim.at_least:g}"
    return f"best at {settings}" if claim.best_at is not None else ""


def judge(claim: Claim, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the verdict on a claim's numbers, with the reason if it has one."""
    if row["reason"]:
        return {"verdict": NOT_JUDGED}
    if claim.exact:
        together = verdict.verdict(row["p"], row["comparisons"], noisy=False)
        if together != "agrees":
            return {"verdict": together, "reason": "by the joint test of all pairs"}
    if claim.equal is not None:
        width = 1 + (claim.within or TOLERANCE)
        return by_interval(row, claim.equal / width, claim.equal * width)
    if claim.at_least is not None:
        return by_interval(row, claim.at_least, math.inf)
    return by_best(row) if claim.best_at is not None else verdict.judge(row)


def by_interval(row: Mapping[str, Any], lower: float, upper: float) -> dict[str, Any]:
    """Return the verdict on a number that should lie between two limits."""
    if row["high"] < lower or row["low"] > upper:
        return {"verdict": "differs"}
    if lower <= row["low"] and row["high"] <= upper:
        return {"verdict": "agrees"}
    limits = [limit for limit in (lower, upper) if row["low"] <= limit <= row["high"]]
    inside = " and ".join(f"{limit:.3g}" for limit in limits)
    nearest = min(limits, key=lambda limit: abs(math.log(row["ours"] / limit)))
    return too_noisy(row, nearest, f"the interval includes {inside}")


def by_best(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the verdict on a published best cell: its value over ours may exceed 1 by chance.

    That is by two standard errors, of ours and of the numbers by which it was published as best.
    """
    if row["z"] > 2:
        return {"verdict": "differs"}
    if row["high"] <= math.exp(NOTICED):
        return {"verdict": "agrees"}
    limit = row["ours"] * math.exp(NOTICED)
    return too_noisy(row, limit, "the published best may be a fifth worse")


def too_noisy(row: Mapping[str, Any], limit: float, why: str) -> dict[str, Any]:
    """Return that an interval reaches beyond a limit, and how many times longer a run must be."""
    distance = abs(math.log(row["ours"] / limit))
    end = row["low"] if limit < row["ours"] else row["high"]
    reach = abs(math.log(row["ours"] / end))
    longer = (reach / distance) ** 2 if distance else math.inf
    if longer > MANY:
        return {"verdict": NOISY, "reason": f"{why}, and ours is too close to it to tell"}
    advice = f"To do: run about {max(2, math.ceil(longer))} times as many groups"
    return {"verdict": NOISY, "reason": f"{why}. {advice}"}


def same_cell(side: Side, cell: Mapping[str, Any]) -> bool:
    """Tell whether the cell of a side is a run of this cell of the grid."""
    if side.cell is None:
        return False
    return side.cell.get("selected.digest", side.cell["digest"]) == cell["digest"]
