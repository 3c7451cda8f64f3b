"""Packs work into batches: a process costs as much to start as many a cell to run.

In: cells, or groups of cells to confirm, in order, and about how long each takes. Out: batches by
label. Which batch a cell is in changes none of its numbers.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from nrevu.cells.cell import Cell
from nrevu.core.contracts import class_of, counts_type
from nrevu.core.sources import sources_hash

T = TypeVar("T")
MOST_JOBS = 200  # batches on a cluster, about, however much work there is
LARGEST, SMALLEST = 40.0, 3.0  # seconds of a batch here; a process takes one or two to start
SHARES = 8  # batches of an experiment, at least, so that some cores are kept busy


def batch_seconds(own: float, whole: float, least: float | None = None) -> float:
    """Return how many seconds of work make a batch, of an experiment's own and of the whole plan's.

    Here they depend on the experiment alone: with other ones beside it its batches, and what was
    made from them, stay as they are. Where a cluster names the least for a job of its own, they
    have that, or more where it would leave more than some 200 jobs to submit.
    """
    if least is not None:
        return max(least, whole / MOST_JOBS)
    return min(LARGEST, max(SMALLEST, own / SHARES))


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
    kind = class_of(cell.distribution)
    counts = counts_type(cell.schedule.group)
    return f"{cell.method.update}-{kind.__name__}-{counts}-{sources_hash(kind)}"
