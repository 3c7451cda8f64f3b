"""Select, then confirm: what protects a claim from the optimism of picking the best of a grid.

In: an experiment's table and its `confirm` settings; the series of cells that were run again. Out:
the table of confirmed cells. Of several candidates the best is chosen by a quarter of the new
chains and quoted from the others, so that no number is quoted that was used to choose.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from nrevu.analysis.result import summarise
from nrevu.analysis.table import lengthened, quotable, table
from nrevu.cells.cell import Cell
from nrevu.cells.series import Series, bits, select_chains
from nrevu.experiments.estimate import Estimate


def candidates(
    found: pd.DataFrame, settings: Mapping[str, Any], group: Mapping[str, Any]
) -> list[Any]:
    """Return the rows of a group's best cells, best first, of those whose chains agree."""
    found = lengthened(found)
    usable = found[quotable(found, settings["best"])]
    for name, value in group.items():
        usable = usable[usable[name].isna() if value is None else usable[name] == value]
    ranked = usable.sort_values(settings["best"], kind="stable")
    return list(ranked.index[: settings["cells"]])


def confirm(
    cell: Cell, series: Series, estimate: Estimate, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the results of the two parts of a run; with one candidate there is none to choose."""
    chains = range(len(series.lengths))
    few = max(1, len(chains) // 4) if settings["cells"] > 1 else 0
    choosing = summarise(cell, select_chains(series, chains[:few]), estimate) if few else None
    quoted = summarise(cell, select_chains(series, chains[few:]), estimate) | {"bits": bits(series)}
    return {"choosing": choosing, "confirmed": quoted}


def confirmed(found: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> pd.DataFrame:
    """Return the table of confirmed cells, with what selected and what chose them beside.

    Its `chains` and `groups` are those that the numbers are from, not those of the whole run. The
    grid itself chooses among the only candidates of several groups.
    """
    best = settings["best"]
    rows = []
    for entry in found:
        selected, quoted = entry["selected"], entry["confirmed"]
        chose = lengthened(table([entry["choosing"]])).iloc[0] if entry["choosing"] else None
        rows.append(
            {
                "group": ", ".join("-" if v is None else str(v) for v in entry["group"].values()),
                "rank": entry["rank"],
                "best": best,
                "selected": selected["value"],
                "selected.se": selected["se"],
                "selected.digest": selected["digest"],
                "choosing": selected["value"] if chose is None else chose[best],
                "choosing.se": selected["se"] if chose is None else chose[f"{best}.se"],
                "chains": quoted["chains"],
                "groups": quoted["groups"],
            }
        )
    return pd.concat([pd.DataFrame(rows), table(e["confirmed"] for e in found)], axis=1)


def chosen(candidates: pd.DataFrame, quantity: str) -> Any | None:
    """Return the row of the candidate to quote, or None if the chains of none agree.

    That is the one with the lowest value in the chains that choose. If the chains that are quoted
    do not agree, the next one takes its place; their numbers have no other part in the choice.
    """
    usable = candidates[quotable(candidates, quantity) & (candidates["choosing"] > 0)]
    return None if usable.empty else usable["choosing"].idxmin()
