"""Packs cells into batches: a process costs as much to start as many a cell to run.

In: cells in order, and about how long each takes. Out: batches by label. Which batch a cell is in
changes none of its numbers.
"""

from collections.abc import Callable, Sequence

from nrevu.cell import Cell
from nrevu.series import counts_type
from nrevu.sources import sources_hash


def batch_seconds(costs: Sequence[float]) -> float:
    """Return 20, or less where that would leave too few batches to keep some cores busy.

    Not below 2: a process takes most of a second to start.
    """
    return min(20.0, max(2.0, sum(costs) / 8))


def pack(
    cells: Sequence[Cell], seconds: float, cost: Callable[[Cell], float]
) -> dict[str, tuple[Cell, ...]]:
    """Return batches of consecutive cells, each of about so many seconds, by label."""
    packed: list[list[Cell]] = []
    spent = seconds
    for cell in cells:
        if spent + cost(cell) / 2 > seconds:
            packed.append([])
            spent = 0.0
        packed[-1].append(cell)
        spent += cost(cell)
    return {f"{index:04d}": tuple(batch) for index, batch in enumerate(packed, start=1)}


def kernel_name(cell: Cell) -> str:
    """Return a name for the compiled kernel that a cell needs, by what it is compiled from."""
    kind = type(cell.distribution)
    counts = counts_type(cell.schedule.group)
    return f"{cell.method.update}-{kind.__name__}-{counts}-{sources_hash(kind)}"
