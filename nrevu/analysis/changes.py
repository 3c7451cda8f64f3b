"""How the log density changes: in an update given its u, and over many updates.

In: of each chain the log density and the u of every update. Out: means with standard errors from
chains. In equilibrium the mean change is 0, so that a mean square is a variance. Over k updates it
is k times that over one update in a random walk, and twice the log density's variance in the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nrevu.cells.cell import Cell
from nrevu.core.contracts import part

BINS = 20  # of u, from 0 to 1
LAGS = (1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512)  # updates
FEWEST = 10  # a chain has at least this many times as many updates as the longest lag


def describe_changes(
    cell: Cell, rows: Sequence[np.ndarray], decisions: Sequence[np.ndarray]
) -> dict[str, Any]:
    """Return the changes of the log density, from the rows and decisions of each chain.

    The column log_prob holds the energy U, which is minus the log density up to a constant. Nothing
    is returned of a cell without it, or whose rows are not recorded after every update.
    """
    names = part(cell.distribution, "recorded")
    if cell.schedule.group > 1 or "log_prob" not in names:
        return {}
    column = names.index("log_prob")
    series = [-chain[:, column].astype(float) for chain in rows]
    return {
        "by_u": changes_by_u(series, [chain[:, 0] for chain in decisions]),
        "by_lag": changes_by_lag(series),
    }


def changes_by_u(series: Sequence[np.ndarray], u: Sequence[np.ndarray]) -> dict[str, list]:
    """Return the mean change in an update for each bin of u; the first update has none."""
    sums, counts = [], []
    for values, each in zip(series, u, strict=True):
        index = np.minimum((each[1:] * BINS).astype(int), BINS - 1)
        sums.append(np.bincount(index, np.diff(values), BINS))
        counts.append(np.bincount(index, minlength=BINS))
    means, errors = ratios(np.array(sums), np.array(counts))
    middles = (np.arange(BINS) + 0.5) / BINS
    return {"u": middles.tolist(), "mean": means.tolist(), "se": errors.tolist()}


def changes_by_lag(series: Sequence[np.ndarray]) -> dict[str, list]:
    """Return the mean square of the change over k updates, for the lags k that chains allow."""
    shortest = min(map(len, series))
    lags = [k for k in LAGS if k == 1 or k * FEWEST <= shortest]
    sums = [[np.sum((x[k:] - x[:-k]) ** 2) for k in lags] for x in series]
    counts = [[x.size - k for k in lags] for x in series]
    means, errors = ratios(np.array(sums), np.array(counts))
    return {"lag": lags, "mean": means.tolist(), "se": errors.tolist()}


def ratios(sums: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return means over all chains and their standard errors, from (chains, means).

    The errors are those of a ratio of sums, from the chains' differences from it.
    """
    chains, total = len(sums), counts.sum(axis=0)
    scale = chains / (chains - 1) if chains > 1 else np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        means = sums.sum(axis=0) / total
        spread = np.sum((sums - means * counts) ** 2, axis=0)
        return means, np.sqrt(scale * spread) / total
