"""Select, then confirm: the minimum of a grid is biased low (winner's curse), a new run is not.

In: an experiment's cells, its table and its section `confirm`; the results of runs so far. Out: the
groups within each of which the best cells are confirmed, known before any has run; which cells a
round runs; the table of all these runs. A round runs the cells that are best by all runs before it,
judged with their neighbours (surface.py), with other random numbers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nrevu.analysis.surface import estimated, surface
from nrevu.analysis.table import extend_lags, matching, table
from nrevu.cells.cell import Cell, parameters
from nrevu.experiments.columns import error
from nrevu.experiments.sections import Confirm

if TYPE_CHECKING:
    import pandas as pd

SEED_OFFSET = 10**6  # added to the seed of a cell in each round


def groups(cells: Sequence[Cell], settings: Confirm | None) -> list[tuple[dict[str, Any], int]]:
    """Return the combinations of values of the columns of `for_each`, and how many cells have each.

    They are in the cells' order.
    """
    if not settings:
        return []
    counts: dict[tuple, int] = {}
    for row in (parameters(cell) | cell.derived for cell in cells):
        values = tuple(row.get(name) for name in settings.for_each)
        counts[values] = counts.get(values, 0) + 1
    names = settings.for_each
    return [(dict(zip(names, values, strict=True)), count) for values, count in counts.items()]


def confirming_cell(cell: Cell, settings: Confirm, turn: int = 1) -> Cell:
    """Return the cell that a round (1, 2, ...) runs: longer, and with another seed."""
    _, longer = settings.rounds[turn - 1]
    run = dataclasses.replace(cell.run, groups=cell.run.groups * longer)
    return dataclasses.replace(cell, run=run, seed=cell.seed + turn * SEED_OFFSET)


def candidates(
    cells: pd.DataFrame, runs: pd.DataFrame | None, settings: Confirm, group: Mapping[str, Any]
) -> list[Any]:
    """Return the rows of a group's cells, best first, by the table and all runs so far."""
    cells = matching(extend_lags(cells), group)
    if not estimated(cells, settings.best).any():
        return []
    runs = None if runs is None else extend_lags(runs)
    return surface(cells, settings.best, runs).ranked()


def confirmed(found: Sequence[Mapping[str, Any]], settings: Confirm) -> pd.DataFrame:
    """Return the table of all confirming runs, with the values by which the grid ranked them."""
    import pandas as pd

    best = settings.best
    rows = [
        {
            "group": ", ".join("-" if v is None else str(v) for v in entry["group"].values()),
            "round": entry["round"],
            "last": entry["round"] == len(settings.rounds),
            "rank": entry["rank"],
            "best": best,
            "selected": entry["selected"]["value"],
            error("selected"): entry["selected"]["se"],
            "selected.digest": entry["selected"]["digest"],
            "edge": entry["selected"].get("edge", ""),
        }
        for entry in found
    ]
    return pd.concat([pd.DataFrame(rows), table(e["confirmed"] for e in found)], axis=1)
