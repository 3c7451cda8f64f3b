"""The cell that represents one side of a claim, or a bar: the best of some cells.

In: the tables of an experiment's cells and of those confirmed, and which cells to take the best of.
Out: a Side: the cell, or why there is none and what to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nrevu.analysis.confirmation import select_candidate
from nrevu.analysis.table import extend_lags, flagged, matching
from nrevu.analysis.traces import best
from nrevu.experiments.columns import UNCONVERGED, of_kind

if TYPE_CHECKING:
    import pandas as pd

SELECTED = "selected, not confirmed"
CONFIRMED = "confirmed"
RUN = "run the workflow to its end"


@dataclass(frozen=True)
class Side:
    """The cell that represents one side of a claim, or why there is none."""

    cell: pd.Series | None = None  # whose numbers are reported
    grid: pd.Series | None = None  # the best cell of the grid
    basis: str = ""  # CONFIRMED, SELECTED, or "" of a single cell, which was not selected
    reason: str = ""  # why there is no cell
    remedy: str = ""  # what to do about it


def best_side(
    table: pd.DataFrame,
    confirmed: pd.DataFrame | None,
    where: Mapping[str, Any],
    quantity: str,
    expected: int = 0,
) -> Side:
    """Return the cell that represents the best of the cells with some values.

    A single cell was not selected, and represents itself; otherwise it is a confirmed cell. If
    there are fewer cells than `expected`, the best one may be missing.
    """
    cells = extend_lags(matching(table, where))
    if len(cells) < expected:
        missing = f"{expected - len(cells)} of {expected} cells are missing"
        return Side(reason=missing, remedy=RUN)
    if cells.empty:
        return Side(reason="all its cells are missing", remedy=RUN)
    row = best(cells, quantity)
    if row is None:
        again = "raise run.groups (all cells of the grid would be sampled again)"
        return Side(reason=unusable(cells, quantity, "cell of the grid"), remedy=again)
    grid = cells.loc[row]
    if len(cells) == 1:
        return Side(grid, grid)
    candidates = matching(confirmed, where) if confirmed is not None else table[:0]
    if candidates.empty:
        return Side(grid, grid, SELECTED)
    candidates = extend_lags(candidates)
    row = select_candidate(candidates, quantity)
    if row is None:
        again = "raise confirm.longer (only the confirming runs would be sampled again)"
        return Side(reason=unusable(candidates, quantity, "confirming run"), remedy=again)
    return Side(candidates.loc[row], grid, CONFIRMED)


def unusable(cells: pd.DataFrame, quantity: str, name: str) -> str:
    """Return why none of these cells is usable."""
    if flagged(cells, quantity, (UNCONVERGED,)).all():
        return f"no {name} converged{nearest(cells)}"
    return f"no {name} has a positive {quantity} with a standard error"


def nearest(cells: pd.DataFrame) -> str:
    """Return the R-hat and effective sample size of the cell that is nearest to convergence."""
    worst = cells[of_kind(cells, "rhat")].max(axis=1, skipna=False)
    if worst.isna().all():
        return ""
    row = worst.idxmin()
    smallest = cells.loc[row, of_kind(cells, "effective")].min()
    name = cells.loc[row, "digest"]
    return f" (nearest: {name}, R-hat {worst[row]:.2f}, effective sample {smallest:.0f})"
