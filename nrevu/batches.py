"""Packs work into batches: a process costs as much to start as many a cell to run.

In: cells, or groups of cells to confirm, in order, and about how long each takes. Out: batches by
label. Which batch a cell is in changes none of its numbers.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from nrevu.cell import Cell
from nrevu.series import counts_type
from nrevu.sources import sources_hash

T = TypeVar("T")
MOST_JOBS = 200  # batches on a cluster, about, however much work there is


def batch_seconds(costs: Sequence[float], least: float | None = None) -> float:
    """Return how many seconds of work make a batch.

    Here 20, or less where that would leave too few batches to keep some cores busy; but not below
    2, since a process takes most of a second to start. Where a cluster names the least for a job
    of its own, that, or more where it would leave more than some 200 jobs to submit.
    """
    if least is not None:
        return max(least, sum(costs) / MOST_JOBS)
    return min(20.0, max(2.0, sum(costs) / 8))


def pack(work: Sequence[T], seconds: float, cost: Callable[[T], float]) -> dict[str, tuple[T, ...]]:
    """Return batches of consecutive pieces of work, each of about so many seconds, by label."""
    packed: list[list[T]] = []
    spent = seconds
    for piece in work:
        if spent + cost(piece) / 2 > seconds:
            packed.append([])
            spent = 0.0
        packed[-1].append(piece)
        spent += cost(piece)
    return {f"{index:04d}": tuple(batch) for index, batch in enumerate(packed, start=1)}


def kernel_name(cell: Cell) -> str:
    """Return a name for the compiled kernel that a cell needs, by what it is compiled from."""
    kind = type(cell.distribution)
    counts = counts_type(cell.schedule.group)
    return f"{cell.method.update}-{kind.__name__}-{counts}-{sources_hash(kind)}"
