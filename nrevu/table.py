"""Tables: one flat row per cell, under the keys of the config.

The cost of a quantity is its autocorrelation time in gradient evaluations (of a method without
gradients: density evaluations), all that were made counted: what one independent draw takes.

In: the results of cells. Out: a pandas DataFrame, in the order of the experiment's cells.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from nrevu.cell import from_config, parameters


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
    evaluations = result["evaluations"]
    each = (evaluations["gradient"] or evaluations["density"]) / result["groups"]
    for quantity, tau in result["tau"].items():
        for end, part in (("", "value"), (".se", "se")):
            value = None if tau[part] is None else each * tau[part]
            flat[f"cost.{quantity}{end}"] = value
    flat |= {f"evaluations.{kind}": count for kind, count in result["evaluations"].items()}
    for key in ("overflows", "cpu_seconds", "ns_per_update", "digest", "name"):
        flat[key] = result[key]
    return flat


def table(results: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return the table of some results, in their order."""
    frame = pd.DataFrame([row(result) for result in results])
    groups = [name.partition(".")[0] for name in frame.columns]
    first = {group: groups.index(group) for group in groups}  # keys of a group side by side
    order = sorted(range(len(groups)), key=lambda i: (first[groups[i]], i))
    return frame.iloc[:, order]
