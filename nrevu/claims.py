"""Claims: that the best of one method is so many times better than the best of another.

In: an experiment's claims, the tables of its cells and of those confirmed. Out: a row for each
claim all of whose cells are there: the ratio (or, where nothing is compared with, the best value
itself) with a 95% interval, from confirmed cells where best ones had to be selected.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from nrevu.autocorr import unit_count
from nrevu.confirmation import chosen
from nrevu.outputs import fits
from nrevu.student import t_quantile
from nrevu.tracing import best

SELECTED = "selected, not confirmed"


def claim_rows(
    claims: Iterable[Mapping[str, Any]],
    table: pd.DataFrame,
    confirmed: pd.DataFrame | None,
    expected: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Return a row for each claim; `expected` are the parameters of all cells there should be."""
    rows = []
    for claim in claims:
        wheres = [claim[side] for side in ("of", "over") if side in claim]
        there = [len(matching(table, where)) for where in wheres]
        if there != [sum(fits(row, where) for row in expected) for where in wheres]:
            continue
        sides = [quoted(table, confirmed, where, claim["quantity"]) for where in wheres]
        if all(cell is not None for cell, _, _ in sides):
            rows.append(claim_row(claim, sides))
    return rows


def claim_row(claim: Mapping[str, Any], sides: list[tuple[pd.Series, pd.Series, str]]) -> dict:
    """Return the row of a claim from what stands for its sides.

    A published claim is as uncertain as the grid's own numbers, carried to its length.
    """
    quantity, published = claim["quantity"], claim.get("published", math.nan)
    quoting, grid = [cell for cell, _, _ in sides], [cell for _, cell, _ in sides]
    ours, selected = ratio(quoting, quantity), ratio(grid, quantity)
    relative = error(quoting, quantity)
    length = grid[0]["run.groups"] / claim.get("groups", grid[0]["run.groups"])
    theirs = error(grid, quantity) * math.sqrt(length)
    reach = math.exp(t_quantile(welch(quoting, quantity)) * relative)
    notes = list(dict.fromkeys(note for _, _, note in sides if note))
    return {
        "kind": "claim",
        "what": "; ".join(claim[key] for key in ("text", "assuming") if key in claim),
        "quantity": f"ratio of {quantity}" if len(sides) > 1 else quantity,
        "published": published,
        "published.se": published * theirs,
        "ours": ours,
        "se": ours * relative,
        "low": ours / reach,
        "high": ours * reach,
        "z": math.log(ours / published) / math.hypot(relative, theirs),
        "selected": selected,
        "basis": SELECTED if SELECTED in notes else "".join(notes[:1]),
    }


def quoted(
    table: pd.DataFrame, confirmed: pd.DataFrame | None, where: Mapping[str, Any], quantity: str
) -> tuple[pd.Series | None, pd.Series | None, str]:
    """Return the cell whose number stands for one side of a claim, the grid's best, and a note.

    A single cell was not selected, and stands for itself; else the confirmed one does.
    """
    cells = matching(table, where)
    row = best(cells, quantity)
    if row is None:
        return None, None, ""
    if len(cells) == 1:
        return table.loc[row], table.loc[row], ""
    candidates = matching(confirmed, where) if confirmed is not None else table[:0]
    if candidates.empty:
        return table.loc[row], table.loc[row], SELECTED
    again = chosen(candidates, quantity)
    return None if again is None else confirmed.loc[again], table.loc[row], "confirmed"


def matching(table: pd.DataFrame, where: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows that have these values; none, where there is no value."""
    for column, value in where.items():
        if column not in table:
            return table if value is None else table[:0]
        table = table[table[column].isna() if value is None else table[column] == value]
    return table


def ratio(cells: list[pd.Series], quantity: str) -> float:
    """Return the first cell's value, over the second's if there is one."""
    values = [cell[quantity] for cell in cells]
    return values[0] / values[1] if len(values) > 1 else values[0]


def error(cells: list[pd.Series], quantity: str) -> float:
    """Return the relative standard error of such a ratio or value."""
    return math.hypot(*(cell[f"{quantity}.se"] / cell[quantity] for cell in cells))


def welch(cells: list[pd.Series], quantity: str) -> float:
    """Return the degrees of freedom of its interval, each cell having an error of its own."""
    squares = [(cell[f"{quantity}.se"] / cell[quantity]) ** 2 for cell in cells]
    dofs = [unit_count(int(cell.get("chains", cell["run.chains"]))) - 1 for cell in cells]
    return sum(squares) ** 2 / sum(s**2 / dof for s, dof in zip(squares, dofs, strict=True))
