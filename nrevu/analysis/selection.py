"""Which cells an experiment may have confirmed: known from its cells, before any has run.

In: cells, and an experiment's section `confirm`. Out: the groups within each of which the best
cells are confirmed; and the cell that confirms another.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

from nrevu.cells.cell import Cell, parameters
from nrevu.experiments.sections import Confirm

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
