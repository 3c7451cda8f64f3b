"""Tables: one flat row per cell, under the keys of the config.

The cost of a quantity is its autocorrelation time in gradient evaluations (density evaluations, if
the method uses no gradients): evaluations per effectively independent draw. All evaluations count.
Its time is the same in CPU seconds, those of burn-in included; it depends on the machine.

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
    TIMES,
    UNCONVERGED,
    convert,
    error,
    quantile,
    times,
)

if TYPE_CHECKING:
    import pandas as pd

# Reasons to doubt a time. Only the last one suppresses it.
DOUBLED, LIMITED, APART = "lags doubled", "chains short for their lags", "chains disagree"


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
    spent = {"cost": evaluations["gradient"] or evaluations["density"]}
    spent |= {"time": result["cpu_seconds"]}
    for kind, total in spent.items():
        for quantity, tau in result["tau"].items():
            flat |= with_error(f"{kind}.{quantity}", scaled(tau, total / result["groups"]))
    flat |= {f"evaluations.{kind}": count for kind, count in evaluations.items()}
    last = ("overflows", "cpu_seconds", "ns_per_update", "digest", "bits", "name")
    return flat | {key: result[key] for key in last}


def with_error(column: str, number: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return the two columns of a number and its standard error."""
    return {column: number.get("value"), error(column): number.get("se")}


def scaled(tau: Mapping[str, float | None], unit: float) -> dict[str, float | None]:
    """Return a time and its error in another unit, of which a group takes so many."""
    return {key: None if value is None else unit * value for key, value in tau.items()}


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


def doubts(cells: pd.DataFrame, column: str) -> dict[str, pd.Series]:
    """Return for each reason to doubt a time, and each row, whether it applies."""
    longer = convert(column, "tau", LONGER)
    short, doubled = flagged(cells, column, (SHORT,)), cells.reindex(columns=[longer])[longer]
    known = doubled.notna()
    apart = flagged(cells, column, (UNCONVERGED,))
    return {DOUBLED: short & known, LIMITED: short & ~known, APART: apart}


def unreliable(cells: pd.DataFrame) -> dict[str, int]:
    """Return how many cells have an unreliable time, by the reason."""
    texts = {
        DOUBLED: "cells with too few lags (claims use twice as many)",
        LIMITED: "cells with chains too short for the lags that tau needs",
        APART: "cells whose chains disagree or are too short to tell (claims need more)",
    }
    found = [doubts(cells, name) for name in times(cells, "tau")]
    return {
        text: int(sum(each[reason] for each in found).astype(bool).sum()) if found else 0
        for reason, text in texts.items()
    }


def usable(cells: pd.DataFrame, column: str) -> pd.Series:
    """Return for each row whether an estimate is positive, with an error, and its chains agree."""
    positive = (cells[column] > 0) & (cells[error(column)] > 0)
    return positive & ~flagged(cells, column, (UNCONVERGED,))


def extend_lags(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the table as claims use it: where given lags are too few, from twice as many."""
    cells = cells.copy()
    for name in times(cells, "tau"):
        rows, longer = doubts(cells, name)[DOUBLED], convert(name, "tau", LONGER)
        kinds = [kind for kind in TIMES if rows.any() and convert(name, kind) in cells]
        units = {k: cells.loc[rows, convert(name, k)] / cells.loc[rows, name] for k in kinds}
        for kind, unit in units.items():
            own = convert(name, kind)
            for column, source in ((own, longer), (error(own), error(longer))):
                cells.loc[rows, column] = unit * cells.loc[rows, source].astype(float)
    return cells
