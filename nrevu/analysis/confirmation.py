"""Select, then confirm: the minimum of a grid is biased low (winner's curse), a new run is not.

In: an experiment's cells, its table and its section `confirm`; the series of cells that were run
again. Out: the groups within each of which the best cells are confirmed, known before any has run;
the table of confirmed cells. Of several candidates a quarter of the new chains selects the best,
and its numbers are from the others, so that no reported number was used to select.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nrevu.analysis.result import summarise
from nrevu.analysis.table import extend_lags, matching, table, usable
from nrevu.cells.cell import Cell, parameters
from nrevu.cells.series import Series, bits, select_chains
from nrevu.experiments.columns import error
from nrevu.experiments.sections import Confirm
from nrevu.experiments.settings import Estimate

if TYPE_CHECKING:
    import pandas as pd

SEED_OFFSET = 10**6  # added to the seed of a cell that is run again


def groups(cells: Sequence[Cell], settings: Confirm | None) -> list[dict[str, Any]]:
    """Return the combinations of values, in the cells' order, of the columns of `for_each`."""
    if not settings:
        return []
    rows = [parameters(cell) | cell.derived for cell in cells]
    values = [tuple(row.get(name) for name in settings.for_each) for row in rows]
    return [dict(zip(settings.for_each, found, strict=True)) for found in dict.fromkeys(values)]


def confirming_cell(cell: Cell, settings: Confirm) -> Cell:
    """Return the cell that confirms another: longer, and with another seed."""
    longer = dataclasses.replace(cell.run, groups=cell.run.groups * settings.longer)
    return dataclasses.replace(cell, run=longer, seed=cell.seed + SEED_OFFSET)


def candidates(cells: pd.DataFrame, settings: Confirm, group: Mapping[str, Any]) -> list[Any]:
    """Return the rows of a group's best cells, best first, of those whose chains agree."""
    cells = extend_lags(cells)
    ranked = matching(cells[usable(cells, settings.best)], group)
    ranked = ranked.sort_values(settings.best, kind="stable")
    return list(ranked.index[: settings.cells])


def confirm(cell: Cell, series: Series, estimate: Estimate, settings: Confirm) -> dict[str, Any]:
    """Return the results of the two parts of a run; a single candidate needs no `choosing` part."""
    chains = range(len(series.lengths))
    few = max(1, len(chains) // 4) if settings.cells > 1 else 0
    choosing = summarise(cell, select_chains(series, chains[:few]), estimate) if few else None
    rest = summarise(cell, select_chains(series, chains[few:]), estimate) | {"bits": bits(series)}
    return {"choosing": choosing, "confirmed": rest}


def confirmed(found: Sequence[Mapping[str, Any]], settings: Confirm) -> pd.DataFrame:
    """Return the table of confirmed cells, with the values by which they were selected.

    Its `chains` and `groups` are those that the numbers are from, not those of the entire run. The
    grid itself selects among groups with a single candidate each.
    """
    import pandas as pd

    best = settings.best
    rows = []
    for entry in found:
        selected, result = entry["selected"], entry["confirmed"]
        choosing = {best: selected["value"], error(best): selected["se"]}
        if entry["choosing"]:
            choosing = extend_lags(table([entry["choosing"]])).iloc[0]
        rows.append(
            {
                "group": ", ".join("-" if v is None else str(v) for v in entry["group"].values()),
                "rank": entry["rank"],
                "best": best,
                "selected": selected["value"],
                "selected.se": selected["se"],
                "selected.digest": selected["digest"],
                "edge": selected.get("edge", ""),
                "choosing": choosing[best],
                "choosing.se": choosing[error(best)],
                "chains": result["chains"],
                "groups": result["groups"],
            }
        )
    return pd.concat([pd.DataFrame(rows), table(e["confirmed"] for e in found)], axis=1)


def select_candidate(candidates: pd.DataFrame, quantity: str) -> Any | None:
    """Return the row of the candidate to report, or None if the chains of none agree.

    That is the one with the lowest value in the chains that select. If its other chains do not
    agree, it is the next one; their numbers have no other part in the selection.
    """
    cells = candidates[usable(candidates, quantity) & (candidates["choosing"] > 0)]
    return None if cells.empty else cells["choosing"].idxmin()
