"""The cell that represents one side of a claim, or a bar: the best of some cells.

In: the tables of an experiment's cells and of those confirmed, and which cells to take the best of.
Out: a Side: the cell, or why there is none and what to do.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nrevu.analysis.autocorrelation import unit_count
from nrevu.analysis.surface import Surface, estimated, surface
from nrevu.analysis.table import extend_lags, flagged, matching, usable
from nrevu.analysis.verdict import t_quantile
from nrevu.experiments.columns import UNCONVERGED, error, of_kind

if TYPE_CHECKING:
    import pandas as pd

SELECTED = "selected, not confirmed"
CONFIRMED = "confirmed"
RUN = "run the workflow to its end"


@dataclass(frozen=True)
class Side:
    """One side of a claim: its value with a 95% interval, and a cell; or why there is none."""

    value: float = math.nan  # of a single cell, or the smallest true value of several
    low: float = math.nan  # of the 95% interval
    high: float = math.nan
    dof: float = math.inf  # degrees of freedom of the interval
    cell: pd.Series | None = None  # the cell, or the best one; of those confirmed if there are any
    grid: pd.Series | None = None  # the same cell, or the best one by the table alone
    basis: str = ""  # CONFIRMED, SELECTED, or "" of a single cell, which was not selected
    reason: str = ""  # why there is no cell
    remedy: str = ""  # what to do about it

    @property
    def relative(self) -> float:
        """Return the standard error that the interval stands for, relative to the value."""
        return math.log(self.high / self.low) / (2 * t_quantile(self.dof))


def best_side(
    table: pd.DataFrame,
    confirmed: pd.DataFrame | None,
    where: Mapping[str, Any],
    quantity: str,
    expected: int = 0,
    at: Mapping[str, Any] | None = None,
) -> Side:
    """Return the smallest true value of the cells with some values of settings.

    With `at`, which selects one of them: the value of this one over the smallest. A single cell was
    not selected, and represents itself. If there are fewer cells than `expected`, the best one may
    be missing.
    """
    cells = extend_lags(matching(table, where))
    if len(cells) < expected:
        missing = f"{expected - len(cells)} of {expected} cells are missing"
        return Side(reason=missing, remedy=RUN)
    if cells.empty:
        return Side(reason="all its cells are missing", remedy=RUN)
    runs = None
    if confirmed is not None and len(cells) > 1:
        found = extend_lags(matching(confirmed, where))
        runs = found if len(found) else None
    if runs is not None and runs["last"].any():
        return confirmed_side(cells, runs, quantity, at)
    usual = cells[usable(cells, quantity)]
    if usual.empty:
        again = "raise run.groups (all cells of the grid would be sampled again)"
        return Side(reason=unusable(cells, quantity, "cell of the grid"), remedy=again)
    if len(cells) == 1:
        return single_side(usual.iloc[0], quantity)
    best = smallest(surface(usual, quantity, runs), usual, at)
    grid = usual.loc[usual[quantity].idxmin()]
    return dataclasses.replace(best, cell=grid, grid=grid, basis=SELECTED)


def single_side(cell: pd.Series, quantity: str) -> Side:
    """Return the side that a single cell makes."""
    value, dof = cell[quantity], unit_count(int(cell["run.chains"])) - 1
    reach = math.exp(t_quantile(dof) * cell[error(quantity)] / value)
    return Side(value, value / reach, value * reach, dof, cell, cell)


def confirmed_side(
    cells: pd.DataFrame, runs: pd.DataFrame, quantity: str, at: Mapping[str, Any] | None = None
) -> Side:
    """Return the side that a grid and its confirming runs make.

    Of the last round, whose runs are the longest, only those count whose chains agree.
    """
    last = runs[runs["last"]]
    final = last[usable(last, quantity)]
    if not estimated(cells, quantity).any():
        again = "raise run.groups (all cells of the grid would be sampled again)"
        return Side(reason=unusable(cells, quantity, "cell of the grid"), remedy=again)
    if final.empty:
        again = "raise confirm.longer (only the confirming runs would be sampled again)"
        return Side(reason=unusable(last, quantity, "confirming run"), remedy=again)
    found = surface(cells, quantity, runs.drop(last.index.difference(final.index)))
    ranks = {digest: rank for rank, digest in enumerate(cells["digest"][found.ranked()])}
    order = final["selected.digest"].map(ranks).fillna(len(ranks))
    grid = cells.loc[cells[quantity].where(cells[quantity] > 0).idxmin()]
    best = smallest(found, cells, at)
    return dataclasses.replace(best, cell=final.loc[order.idxmin()], grid=grid, basis=CONFIRMED)


def smallest(found: Surface, cells: pd.DataFrame, at: Mapping[str, Any] | None) -> Side:
    """Return the smallest true value of a surface; with `at`, that of one cell over it."""
    draws = lowest = found.draws.min(axis=1)
    if at is not None:
        where = matching(cells, at).index.intersection(found.index)
        if where.empty:
            return Side(reason="its cell has no usable value", remedy="raise run.groups")
        draws = found.draws[:, found.index.get_loc(where[0])] - lowest
    low, value, high = np.exp(np.quantile(draws, (0.025, 0.5, 0.975)))
    return Side(float(value), float(low), float(high))


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
