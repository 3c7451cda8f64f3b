"""The cells that figures show: split by a column, and the best of some with what to call it."""

from __future__ import annotations

import math
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple

from nrevu.analysis.edges import edges
from nrevu.analysis.sides import CONFIRMED, best_side
from nrevu.analysis.table import extend_lags, matching
from nrevu.analysis.traces import format_setting, is_setting
from nrevu.errors import Mistake
from nrevu.figures._style import is_missing, method_and_u, method_colours

if TYPE_CHECKING:
    from pandas import DataFrame, Series


def split(table: DataFrame, column: str | None) -> list[tuple[Any, DataFrame]]:
    """Return (value, rows) for each value of a column, numbers in order, or all rows if None."""
    if column is None:
        return [(None, table)]
    parts = list(table.groupby(column, dropna=False, sort=False))
    if table[column].dtype.kind in "biuf":  # missing values first, as of standard u
        parts.sort(key=lambda part: -math.inf if is_missing(part[0]) else part[0])
    return parts


def same(a: Any, b: Any) -> bool:
    """Tell whether two values are equal, where being missing counts as a value."""
    return (is_missing(a) and is_missing(b)) or a == b


class Best(NamedTuple):
    """The best cell of a group."""

    label: str
    cell: Series | None  # whose numbers are drawn; None if no cell is usable
    grid: Series | None  # of a confirmed cell, the same cell as it was in the grid
    colour: str
    text: str  # the settings of the cell, a line each; or why there is none


def best_cells(settings: Any, table: DataFrame, confirmed: DataFrame | None) -> list[Best]:
    """Return the best cell by `value` for each of a figure's bars, or why it has none."""
    table = extend_lags(table)
    sides = [best_side(table, confirmed, bar.where, settings.value) for bar in settings.bars]
    methods = [
        method_and_u(matching(table, bar.where) if side.cell is None else side.cell.to_frame().T)
        for bar, side in zip(settings.bars, sides, strict=True)
    ]
    found = []
    for bar, side, colour in zip(settings.bars, sides, method_colours(methods), strict=True):
        grid, text = None, f"not shown: {side.reason.partition(' (')[0]}"
        if side.cell is not None:
            text = cell_settings(table, side.cell)
            if side.basis == CONFIRMED:
                grid = table[table["digest"] == side.cell["selected.digest"]].iloc[0]
            text += edge_line(matching(table, bar.where), side.cell if grid is None else grid)
        found.append(Best(bar.label, side.cell, grid, colour, text))
    return found


def edge_line(cells: DataFrame, cell: Series) -> str:
    """Return a line that says in which settings a cell is at the edge of some cells, or nothing."""
    found = edges(cells, cell)
    names = [f"{name.partition('.')[2].replace('_', ' ')} {end}" for name, end in found.items()]
    return "".join(f"\nat the edge: {name}" for name in names)


def cell_settings(table: DataFrame, cell: Series) -> str:
    """Return the settings in which the cells of a table differ, one line each."""
    several = [n for n in table.columns if is_setting(n, table) and table[n].nunique() > 1]
    names = [n for n in table.columns if n in several or n.startswith("u.")]
    shown = [n for n in names if n != "schedule.group" and isinstance(cell.get(n), Number)]
    shown = [n for n in shown if not is_missing(cell[n]) and (n != "u.noise" or cell[n] > 0)]
    return "\n".join(format_setting(n, cell[n]) for n in shown)


def check_labels(labels: tuple[str, ...] | None, shown: tuple[str, ...]) -> None:
    """Raise a Mistake unless there is a label for each of what a figure shows."""
    if labels is not None and len(labels) != len(shown):
        raise Mistake(f"needs {len(shown)}, one for each of what is shown", "labels")
