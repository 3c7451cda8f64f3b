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
    flat = parameters(from_config(result["config"])) | result["derived"]
    for key in REJECTIONS:
        flat |= with_error(key, result[key])
    for quantity, tau in result["tau"].items():
        column = f"tau.{quantity}"
        flat |= with_error(column, tau)
        flat[convert(column, "tau", SHORT)] = quantity in result["lag_too_short"]
        flat |= with_error(convert(column, "tau", LONGER), result["longer"].get(quantity, {}))
        if "posterior" in result:
            flat[convert(column, "tau", UNCONVERGED)] = quantity in result["not_converged"]
    for quantity, about in result.get("posterior", {}).items():
        flat |= with_error(f"mean.{quantity}", about["mean"])
        flat |= {f"{key}.{quantity}": about[key] for key in ("rhat", "effective")}
        levels = zip(LEVELS, about["quantiles"], strict=True)
        flat |= {quantile(quantity, level): value for level, value in levels}
    evaluations = result["evaluations"]
    each = (evaluations["gradient"] or evaluations["density"]) / result["groups"]
    for quantity, tau in result["tau"].items():
        cost = {key: None if tau[key] is None else each * tau[key] for key in ("value", "se")}
        flat |= with_error(f"cost.{quantity}", cost)
    flat |= {f"evaluations.{kind}": count for kind, count in evaluations.items()}
    last = ("overflows", "cpu_seconds", "ns_per_update", "digest", "bits", "name")
    return flat | {key: result[key] for key in last}


def with_error(column: str, number: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return the two columns of a number and its standard error."""
    return {column: number.get("value"), error(column): number.get("se")}


def table(results: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the table of some results, in their order."""
    import pandas as pd

    frame = pd.DataFrame([row(result) for result in results])
    frame = frame.fillna(float("nan")).infer_objects()  # nan rather than None
    groups = [name.partition(".")[0] for name in frame.columns]
    together = sorted(frame.columns, key=lambda name: groups.index(name.partition(".")[0]))
    return frame[together]  # keys of a group


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
    names = [convert(column, "tau", kind) for kind in kinds]
    return cells[[name for name in names if name in cells]].eq(True).any(axis=1)


def unreliable(cells: pd.DataFrame) -> dict[str, int]:
    """Return how many cells have an unreliable time, by the reason."""
    disagree, short = (cells[flags(cells, kind)].eq(True) for kind in (UNCONVERGED, SHORT))
    longer = cells[[convert(name, "tau", LONGER) for name in short]].notna().to_numpy()
    found = {
        "cells with too few lags (claims use as many as tau needs)": short & longer,
        "cells with chains too short for their lags (claims skip them)": short & ~longer,
        "cells whose chains disagree (claims skip them)": disagree,
    }
    return {reason: int(flag.any(axis=1).sum()) for reason, flag in found.items()}


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
        short = cells[name].eq(True)
        if not short.any():
            continue
        each = cells.loc[short, convert(name, "cost")] / cells.loc[short, convert(name, "tau")]
        for suffix, longer in (("", LONGER), ("se", error(LONGER))):
            value = cells.loc[short, convert(name, "tau", longer)].astype(float)
            cells.loc[short, convert(name, "tau", suffix)] = value
            cells.loc[short, convert(name, "cost", suffix)] = value * each
    return cells
