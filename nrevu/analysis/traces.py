"""Which cells to trace, and what their single updates show: clustering of rejections.

In: an experiment's table and its section `trace`. Out: for each selected cell the u and outcome of
consecutive updates, and how many runs of acceptances have each length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nrevu.analysis.table import usable
from nrevu.cells.cell import Cell, parameters
from nrevu.experiments.sections import Trace

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 500  # consecutive updates whose u a figure shows


def select_cells(table: pd.DataFrame, settings: Trace) -> list[dict[str, Any]]:
    """Return the row and the pair of the best cell for each value, and of its twins.

    A twin has the same settings and another u, and so the same rejection rate. A cell that is
    best for one value and the twin of another's best is listed once, as the best.
    """
    names = [name for name in table.columns if is_setting(name, table)]
    found: dict[int, dict[str, Any]] = {}
    for _, part in table.groupby(settings.for_each, dropna=False, sort=False):
        row = best(part, settings.best)
        if row is not None:
            values = table.loc[row, names].dropna()
            pair = ", ".join(format_setting(name, value) for name, value in values.items())
            found[row] = {"row": row, "best": True, "pair": pair}
    for row in list(found):
        same = (table[names] == table.loc[row, names]) | (
            table[names].isna() & table.loc[row, names].isna()
        )
        twins = same.all(axis=1)
        for twin in table.index[twins]:
            found.setdefault(twin, {"row": twin, "best": False, "pair": found[row]["pair"]})
    return list(found.values())


def best(cells: pd.DataFrame, quantity: str) -> Any | None:
    """Return the row in which a time or cost is lowest, of cells whose chains agree."""
    candidates = cells[usable(cells, quantity)]
    return None if candidates.empty else candidates[quantity].idxmin()


def is_setting(name: str, table: pd.DataFrame) -> bool:
    """Tell whether a column is a setting other than u's in which the cells differ."""
    groups = ("method", "distribution", "schedule", "run", "seed")
    return name.partition(".")[0] in groups and table[name].nunique(dropna=False) > 1


def format_setting(name: str, value: Any) -> str:
    """Return 'stepsize 0.1' for the column method.stepsize, or the value alone if it is text."""
    if isinstance(value, str):
        return value.replace("_", " ")
    short = (name.partition(".")[2] or name).replace("_", " ")
    return f"{short} {value:g}"


def run_counts(accepted: np.ndarray) -> np.ndarray:
    """Return the number of runs of k acceptances between two rejections, for k = 0, 1, ..."""
    rejections = np.flatnonzero(accepted == 0)
    return np.bincount(np.diff(rejections) - 1) if rejections.size > 1 else np.zeros(1, int)


def describe(cell: Cell, chains: Sequence[np.ndarray], shown: int) -> dict[str, Any]:
    """Return what a figure shows of a cell's decisions, (updates, 2) for each chain."""
    counts = [run_counts(decisions[:, 1]) for decisions in chains]
    runs = np.zeros(max(c.size for c in counts), int)
    for count in counts:
        runs[: count.size] += count
    everything = np.concatenate([decisions[:, 1] for decisions in chains])
    return {
        "digest": cell.digest,
        "parameters": parameters(cell),
        "rejection_rate": float(1 - everything.mean()),
        "decisions": chains[0][:shown].astype(float).round(6).tolist(),
        "runs": runs.tolist(),
    }
