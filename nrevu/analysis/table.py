"""Tables: one flat row per cell, under the keys of the config.

The cost of a quantity is its autocorrelation time in gradient evaluations (density evaluations, if
the method uses no gradients): evaluations per effectively independent draw. All evaluations count.

In: the results of cells. Out: a pandas DataFrame, in the order of the experiment's cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from nrevu.analysis.result import LEVELS
from nrevu.cells.cell import from_config, parameters
from nrevu.experiments.columns import (
    FLAGS,
    LONGER,
    REJECTIONS,
    SHORT,
    UNCONVERGED,
    convert,
    error,
    flags,
    quantile,
)

if TYPE_CHECKING:
    import pandas as pd


def row(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return one result flat."""
    flat = parameters(from_config(result["config"]))
    flat |= result["derived"]
    for key in REJECTIONS:
        flat |= {key: result[key]["value"], error(key): result[key]["se"]}
    for quantity, tau in result["tau"].items():
        column = f"tau.{quantity}"
        flat |= {column: tau["value"], error(column): tau["se"]}
        flat[convert(column, "tau", SHORT)] = quantity in result["lag_too_short"]
        longer = result["longer"].get(quantity, {"value": None, "se": None})
        column = convert(column, "tau", LONGER)
        flat |= {column: longer["value"], error(column): longer["se"]}
        if "posterior" in result:
            flat[convert(column, "tau", UNCONVERGED)] = quantity in result["not_converged"]
    for quantity, about in result.get("posterior", {}).items():
        mean = f"mean.{quantity}"
        flat[mean], flat[error(mean)] = about["mean"].values()
        flat |= {f"{key}.{quantity}": about[key] for key in ("rhat", "effective")}
        for level, value in zip(LEVELS, about["quantiles"], strict=True):
            flat[quantile(quantity, level)] = value
    evaluations = result["evaluations"]
    each = (evaluations["gradient"] or evaluations["density"]) / result["groups"]
    for quantity, tau in result["tau"].items():
        cost = f"cost.{quantity}"
        for column, part in ((cost, "value"), (error(cost), "se")):
            flat[column] = None if tau[part] is None else each * tau[part]
    flat |= {f"evaluations.{kind}": count for kind, count in result["evaluations"].items()}
    for key in ("overflows", "cpu_seconds", "ns_per_update", "digest", "bits", "name"):
        flat[key] = result[key]
    return flat


def table(results: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the table of some results, in their order."""
    import pandas as pd

    frame = pd.DataFrame([row(result) for result in results])
    frame = frame.fillna(float("nan")).infer_objects()  # nan rather than None
    groups = [name.partition(".")[0] for name in frame.columns]
    first = {group: groups.index(group) for group in groups}  # keys of a group together
    order = sorted(range(len(groups)), key=lambda i: (first[groups[i]], i))
    return frame.iloc[:, order]


def matching(table: pd.DataFrame, where: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows with these values; None matches rows that have no value."""
    for column, value in where.items():
        if column not in table:
            table = table if value is None else table[:0]
        else:
            table = table[table[column].isna() if value is None else table[column] == value]
    return table


def flagged(cells: pd.DataFrame, column: str, kinds: Iterable[str] = FLAGS) -> pd.Series:
    """Return for each row whether its time or cost has one of some flags."""
    import pandas as pd

    names = [convert(column, "tau", kind) for kind in kinds]
    found = [is_set(cells, name) for name in names if name in cells]
    return pd.concat(found, axis=1).any(axis=1) if found else pd.Series(False, cells.index)


def is_set(cells: pd.DataFrame, flag: str) -> pd.Series:
    """Return for each row whether a flag is set; a missing value is not."""
    return cells[flag].fillna(False).astype(bool)


def unreliable(cells: pd.DataFrame) -> dict[str, int]:
    """Return how many cells have an unreliable time, by the reason."""
    import pandas as pd

    short, ended, disagree = (pd.Series(False, cells.index) for _ in range(3))
    for name in flags(cells, SHORT):
        flag, longer = is_set(cells, name), cells[convert(name, "tau", LONGER)].notna()
        short, ended = short | (flag & longer), ended | (flag & ~longer)
    for name in flags(cells, UNCONVERGED):
        disagree |= is_set(cells, name)
    return {
        "cells with too few lags (claims use as many as tau needs)": int(short.sum()),
        "cells with chains too short for their lags (claims skip them)": int(ended.sum()),
        "cells whose chains disagree (claims skip them)": int(disagree.sum()),
    }


def usable(cells: pd.DataFrame, column: str) -> pd.Series:
    """Return for each row whether an estimate is positive, with an error, and its chains agree."""
    positive = (cells[column] > 0) & (cells[error(column)] > 0)
    return positive & ~flagged(cells, column, (UNCONVERGED,))


def extend_lags(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the table as claims use it: where lags are too few, from as many as tau needs.

    Where the chains are too short for these lags, the number is missing.
    """
    cells = cells.copy()
    for name in flags(cells, SHORT):
        short = is_set(cells, name)
        if not short.any():
            continue
        each = cells.loc[short, convert(name, "cost")] / cells.loc[short, convert(name, "tau")]
        for suffix, longer in (("", LONGER), ("se", error(LONGER))):
            value = cells.loc[short, convert(name, "tau", longer)].astype(float)
            cells.loc[short, convert(name, "tau", suffix)] = value
            cells.loc[short, convert(name, "cost", suffix)] = value * each
    return cells
