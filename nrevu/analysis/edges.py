"""Best cells at the edge of their grid: a better one may lie beyond it.

In: the cells among which a best one is taken, and the best. Out: the settings in which it has the
lowest or the highest value of the grid, unless a setting cannot hold any beyond.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nrevu.analysis.sides import best_side
from nrevu.analysis.table import matching
from nrevu.cells.cell import Schedule, built_in_class
from nrevu.core.user_files import load_class
from nrevu.errors import Mistake
from nrevu.fields import limits

if TYPE_CHECKING:
    import pandas as pd

FEWEST = 3  # values of a setting that make it an axis of the grid
AXES = ("method", "u", "schedule")  # what an axis belongs to; cells of one distribution compare
# Where there are Gibbs scans at all, the smallest number of updates between them.
SMALLEST = {"schedule.gibbs_every": 1}


def edges(cells: pd.DataFrame, best: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings in which a cell has the lowest or highest value of some cells.

    Only cells of its method, rule for u and distribution are of its grid.
    """
    same = [name for name in cells if must_equal(cells, name)]
    grid = matching(cells, {n: None if best[n] != best[n] else best[n] for n in same})
    found = {}
    for name in axes(grid):
        values = {"lowest": grid[name].min(), "highest": grid[name].max()}
        ends = [end for end, value in values.items() if value == best[name]]
        if ends and best[name] not in bounds(best, name):
            found[name] = ends[0]
    return found


def edge_text(cells: pd.DataFrame, best: Mapping[str, Any]) -> str:
    """Return the settings in which a cell is at the edge of some cells, as text."""
    return ", ".join(f"{name} {end}" for name, end in edges(cells, best).items())


def must_equal(cells: pd.DataFrame, name: str) -> bool:
    """Tell whether a column has the same value in all cells of a grid: it is no number to vary."""
    group = name.partition(".")[0]
    return group == "distribution" or (group in AXES and cells[name].dtype.kind not in "iuf")


def axes(grid: pd.DataFrame) -> list[str]:
    """Return the settings with several values; of those that vary together, the first."""
    names = [n for group in AXES for n in grid if n.partition(".")[0] == group]
    names = [n for n in names if grid[n].dtype.kind in "iuf" and grid[n].nunique() >= FEWEST]
    return [
        name
        for index, name in enumerate(names)
        if not any(
            follows(grid, name, other) and (at < index or not follows(grid, other, name))
            for at, other in enumerate(names)
            if other != name
        )
    ]


def follows(grid: pd.DataFrame, name: str, other: str) -> bool:
    """Tell whether a setting's value follows from that of another one."""
    return bool((grid.groupby(other)[name].nunique() <= 1).all())


def bounds(cell: Mapping[str, Any], name: str) -> list[float]:
    """Return the lowest and highest value that a cell's setting may have, where they are known."""
    group, _, key = name.partition(".")
    cls = class_of(cell, group)
    fields = dataclasses.fields(cls) if cls else ()
    smallest = [SMALLEST[name]] if name in SMALLEST else []
    return smallest + [bound for f in fields if f.name == key for _, bound in limits(f)]


def class_of(cell: Mapping[str, Any], group: str) -> type | None:
    """Return the class that has a group of a cell's settings, if the file of its source has it."""
    if group == "schedule":
        return Schedule
    file = cell.get(f"{group}.file")
    if not isinstance(file, str):
        return built_in_class(group, cell[group])
    try:
        return load_class(group, file, cell[group])
    except Mistake:  # the file was deleted, or the class renamed, after the table was made
        return None


def reported_edges(
    table: pd.DataFrame, confirmed: pd.DataFrame, names: Sequence[str]
) -> dict[str, str]:
    """Return the edges of the best cell of each group, if it has any, the best one as in claims.

    A group has the same values in the columns `names`.
    """
    found = {}
    for group, runs in confirmed.groupby("group", sort=False):
        values = {name: runs[name].iloc[0] for name in names}
        where = {name: None if value != value else value for name, value in values.items()}
        best = best_side(table, confirmed, where, runs["best"].iloc[0]).cell
        if best is not None and best["edge"]:
            found[str(group)] = str(best["edge"])
    return found
