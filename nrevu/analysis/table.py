"""Tables: one flat row per cell, under the keys of the config.

The cost of a quantity is its autocorrelation time in gradient evaluations (of a method without
gradients: density evaluations), all that were made counted: what one independent draw takes.

In: the results of cells. Out: a pandas DataFrame, in the order of the experiment's cells.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from nrevu.analysis.result import LEVELS
from nrevu.cells.cell import from_config, parameters

# What may be wrong with a time: too few lags were summed, or the chains do not agree.
SHORT, UNCONVERGED = FLAGS = ("lag_too_short", "not_converged")
LONGER = "longer"  # the time from as many lags as it needs, where the given ones are too few


def row(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return one result flat."""
    flat = parameters(from_config(result["config"]))
    flat |= result["derived"]
    for key in ("rejection_rate", "clustering"):
        flat |= {key: result[key]["value"], f"{key}.se": result[key]["se"]}
    for quantity, tau in result["tau"].items():
        flat[f"tau.{quantity}"] = tau["value"]
        flat[f"tau.{quantity}.se"] = tau["se"]
        flat[f"tau.{quantity}.lag_too_short"] = quantity in result["lag_too_short"]
        longer = result["longer"].get(quantity, {"value": None, "se": None})
        flat |= {f"tau.{quantity}.{LONGER}": longer["value"]}
        flat |= {f"tau.{quantity}.{LONGER}.se": longer["se"]}
        if "posterior" in result:
            flat[f"tau.{quantity}.not_converged"] = quantity in result["not_converged"]
    for quantity, about in result.get("posterior", {}).items():
        flat[f"mean.{quantity}"], flat[f"mean.{quantity}.se"] = about["mean"].values()
        flat |= {f"{key}.{quantity}": about[key] for key in ("rhat", "effective")}
        for level, value in zip(LEVELS, about["quantiles"], strict=True):
            flat[f"quantile.{quantity}.{level}"] = value
    evaluations = result["evaluations"]
    each = (evaluations["gradient"] or evaluations["density"]) / result["groups"]
    for quantity, tau in result["tau"].items():
        for end, part in (("", "value"), (".se", "se")):
            value = None if tau[part] is None else each * tau[part]
            flat[f"cost.{quantity}{end}"] = value
    flat |= {f"evaluations.{kind}": count for kind, count in result["evaluations"].items()}
    for key in ("overflows", "cpu_seconds", "ns_per_update", "digest", "bits", "name"):
        flat[key] = result[key]
    return flat


def table(results: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the table of some results, in their order."""
    frame = pd.DataFrame([row(result) for result in results])
    frame = frame.fillna(float("nan")).infer_objects()  # no number, rather than None
    groups = [name.partition(".")[0] for name in frame.columns]
    first = {group: groups.index(group) for group in groups}  # keys of a group side by side
    order = sorted(range(len(groups)), key=lambda i: (first[groups[i]], i))
    return frame.iloc[:, order]


def flagged(cells: pd.DataFrame, column: str, kinds: Iterable[str] = FLAGS) -> pd.Series:
    """Tell of each row whether its time or cost has one of some flags."""
    names = [f"{column.replace('cost.', 'tau.')}.{kind}" for kind in kinds]
    found = [cells[name].fillna(False).astype(bool) for name in names if name in cells]
    return pd.concat(found, axis=1).any(axis=1) if found else pd.Series(False, cells.index)


def unreliable(cells: pd.DataFrame) -> dict[str, int]:
    """Return how many cells have an unreliable time, by what is wrong with it."""
    short, ended, apart = (pd.Series(False, cells.index) for _ in range(3))
    for name in cells:
        if name.endswith(f".{SHORT}"):
            flag = cells[name].fillna(False).astype(bool)
            longer = cells[name.replace(SHORT, LONGER)].notna()
            short, ended = short | (flag & longer), ended | (flag & ~longer)
        if name.endswith(f".{UNCONVERGED}"):
            apart |= cells[name].fillna(False).astype(bool)
    return {
        "cells with too few lags (claims use as many as tau needs)": int(short.sum()),
        "cells with chains too short for their lags (claims skip them)": int(ended.sum()),
        "cells whose chains disagree (claims skip them)": int(apart.sum()),
    }


def quotable(cells: pd.DataFrame, column: str) -> pd.Series:
    """Tell of each row whether an estimate is positive, with an error, and its chains agree."""
    positive = (cells[column] > 0) & (cells[f"{column}.se"] > 0)
    return positive & ~flagged(cells, column, (UNCONVERGED,))


def lengthened(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the table as claims quote it: where lags are too few, from as many as tau needs.

    Where the chains are too short for these there is no number.
    """
    cells = cells.copy()
    for name in [n for n in cells if n.endswith(f".{SHORT}")]:
        tau = name.removesuffix(f".{SHORT}")
        cost = tau.replace("tau.", "cost.")
        short = cells[name].fillna(False).astype(bool)
        if not short.any():
            continue
        each = cells.loc[short, cost] / cells.loc[short, tau]
        for end in ("", ".se"):
            longer = cells.loc[short, f"{tau}.{LONGER}{end}"].astype(float)
            cells.loc[short, f"{tau}{end}"] = longer
            cells.loc[short, f"{cost}{end}"] = longer * each
    return cells
