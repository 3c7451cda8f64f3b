"""Which cells to trace, and what their single updates show: clustering of rejections.

In: an experiment's table and `trace` settings. Out: for each chosen cell the u and outcome of
consecutive updates, and how often so many acceptances lay between two rejections.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from nrevu.cell import Cell, parameters

SHOWN = 500  # consecutive updates whose u a figure shows


def chosen(table: pd.DataFrame, settings: Mapping[str, Any]) -> list[tuple[int, bool, str]]:
    """Return (row, is it a best one, pair): the best cell for each value, and its twins.

    A twin has the same settings and another u, and so the same rejection rate.
    """
    column, each = settings["best"], settings["for_each"]
    usable = table[~table[f"{column}.lag_too_short"].astype(bool)]
    usable = table if usable.empty else usable
    found = []
    for _, part in usable.groupby(each, dropna=False, sort=False):
        best = part[column].idxmin()
        found.append((best, True, setting_words(table, best)))
        others = table[[name for name in table.columns if is_setting(name, table)]]
        twins = others.index[(others == others.loc[best]).all(axis=1)]
        found += [(row, False, setting_words(table, best)) for row in twins if row != best]
    return found


def is_setting(name: str, table: pd.DataFrame) -> bool:
    """Tell whether a column is a setting other than u's in which the cells differ."""
    return name.startswith(("method.", "distribution.", "schedule.")) and table[name].nunique() > 1


def setting_words(table: pd.DataFrame, row: int) -> str:
    """Return the settings of a row in which the cells differ, u apart."""
    names = [name for name in table.columns if is_setting(name, table)]
    return ", ".join(f"{name.partition('.')[2]} {table[name][row]:g}" for name in names)


def run_counts(accepted: np.ndarray) -> np.ndarray:
    """Return how many times k acceptances lay between two rejections, for k = 0, 1, ..."""
    rejections = np.flatnonzero(accepted == 0)
    return np.bincount(np.diff(rejections) - 1) if rejections.size > 1 else np.zeros(1, int)


def describe(cell: Cell, chains: Sequence[np.ndarray], shown: int) -> dict[str, Any]:
    """Return what a figure needs of a cell's decisions (updates, 2), a table for each chain."""
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
