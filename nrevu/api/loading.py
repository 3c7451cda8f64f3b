"""Loads what a run left on disk: the tables of an experiment, or the series of a cell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nrevu.analysis.result import summarise
from nrevu.api.result import Result
from nrevu.errors import Mistake
from nrevu.experiments.settings import Estimate
from nrevu.files import choices
from nrevu.results.export import find_digest, load_cell, make_command
from nrevu.results.layout import label_of, planned_names

if TYPE_CHECKING:
    import pandas as pd


class Tables(NamedTuple):
    """The tables of an experiment, with a row for each cell."""

    table: pd.DataFrame  # all cells of the sweep
    confirmed: pd.DataFrame | None  # the best cells, run again; None: the experiment has none
    comparison: pd.DataFrame | None  # with published numbers and claims; None: it has none


def load(
    name: str, *, size: str = "paper", seed: int | None = None, results: str | Path = "results"
) -> Tables | Result:
    """Return the tables of an experiment that ran, or the chains of a cell by its digest.

    `results` is the folder of all results. Of a digest the first digits are enough.

        nrevu.load("fig1", size="quick").table
        nrevu.load("3fa9").values["log_prob"]
    """
    folder, label = Path(results), label_of(size, seed)
    name = Path(name).stem if name.endswith((".yaml", ".yml")) else name
    tables = folder / label / name
    if (tables / "table.parquet").exists():
        return load_tables(tables)
    if name in planned_names(folder, label) or not is_digest(name):
        command = make_command(name if name in choices("experiment") else "FILE.yaml", size, seed)
        found = [path.parts[-3] for path in folder.glob(f"*/{name}/table.parquet")]
        there = f" There is one at {', '.join(sorted(found))}." if found else ""
        raise Mistake(f"no table of '{name}' in {folder / label}.{there} To make it: {command}")
    cell, series, _ = load_cell(folder / "cells", find_digest([name], folder / "cells"))
    return Result(cell, series, summarise(cell, series, Estimate(0, "known")))


def load_tables(folder: Path) -> Tables:
    """Return the tables in the folder of an experiment."""
    import pandas as pd

    confirmed, compared = folder / "confirmed.parquet", folder / "comparison.csv"
    return Tables(
        pd.read_parquet(folder / "table.parquet"),
        pd.read_parquet(confirmed) if confirmed.exists() else None,
        pd.read_csv(compared) if compared.exists() else None,
    )


def is_digest(name: str) -> bool:
    """Tell whether a name may be the first digits of a digest."""
    return 0 < len(name) <= 16 and set(name.lower()) <= set("0123456789abcdef")
