"""Select, then confirm: what protects a claim from the optimism of picking the best of a grid.

In: an experiment's table and its `confirm` settings; the series of cells that were run again. Out:
the table of confirmed cells. Of several candidates the best is chosen by a quarter of the new
chains and quoted from the others, so that no number is quoted that was used to choose.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from nrevu.cell import Cell
from nrevu.estimate import Estimate
from nrevu.result import summarise
from nrevu.series import Series, bits, part
from nrevu.table import flagged, quotable, row, table


def candidates(
    found: pd.DataFrame, settings: Mapping[str, Any], group: Mapping[str, Any]
) -> list[Any]:
    """Return the rows of a group's best cells, best first, of those that may be quoted."""
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
    choosing = summarise(cell, part(series, chains[:few]), estimate) if few else None
    quoted = summarise(cell, part(series, chains[few:]), estimate) | {"bits": bits(series)}
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
        chose = row(entry["choosing"]) if entry["choosing"] else None
        rows.append(
            {
                "group": ", ".join("-" if v is None else str(v) for v in entry["group"].values()),
                "rank": entry["rank"],
                "best": best,
                "selected": selected["value"],
                "selected.se": selected["se"],
                "selected.digest": selected["digest"],
                "choosing": chose[best] if chose else selected["value"],
                "choosing.se": chose[f"{best}.se"] if chose else selected["se"],
                "choosing.flagged": bool(chose and flagged(pd.DataFrame([chose]), best)[0]),
                "chains": quoted["chains"],
                "groups": quoted["groups"],
            }
        )
    return pd.concat([pd.DataFrame(rows), table(e["confirmed"] for e in found)], axis=1)


def chosen(candidates: pd.DataFrame, quantity: str) -> Any | None:
    """Return the row of the candidate that was chosen, if its time or cost may be quoted.

    What is quoted has no part in the choice: where it may not be, no other takes its place.
    """
    usable = candidates[candidates["choosing"].notna() & ~candidates["choosing.flagged"]]
    if usable.empty:
        return None
    row = usable["choosing"].idxmin()
    fine = quotable(candidates.loc[[row]], quantity)
    return row if fine[row] else None
