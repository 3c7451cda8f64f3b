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
LARGEST, SMALLEST = 40.0, 3.0  # seconds of a batch here; a process takes about one to start
SHARES = 8  # of the work left, one makes a batch: some cores end at about the same time

Size = Callable[[float], float]  # seconds of the next batch, by the seconds of work left


def batch_size(total: float, least: float | None = None, wanted: float | None = None) -> Size:
    """Return how much work makes a batch, given how much is left.

    Batches become smaller towards the end, so that no core waits long for another. Where a cluster
    names the least for a job of its own, they are that large, or larger where it would leave more
    than some 200 jobs to submit; where the user names a size, of that.
    """
    if wanted is not None:
        return lambda left: wanted
    if least is not None:
        return lambda left: max(least, total / MOST_JOBS)
    return lambda left: min(LARGEST, max(SMALLEST, left / SHARES))


def pack(
    work: Sequence[T], size: Size, cost: Callable[[T], float], after: float = 0.0
) -> dict[str, tuple[T, ...]]:
    """Return batches of consecutive pieces of work by label; so much other work comes `after`."""
    packed: list[list[T]] = []
    spent = seconds = 0.0
    left = after + sum(map(cost, work))
    for piece in work:
        if not packed or spent + cost(piece) / 2 > seconds:
            packed.append([])
            spent, seconds = 0.0, size(left)
        packed[-1].append(piece)
        spent += cost(piece)
        left -= cost(piece)
    return {f"{index:04d}": tuple(batch) for index, batch in enumerate(packed, start=1)}


def kernel_name(cell: Cell) -> str:
    """Return a name for the compiled kernel that a cell needs, by what it is compiled from."""
    kind = type(cell.distribution)
    counts = counts_type(cell.schedule.group)
    return f"{cell.method.update}-{kind.__name__}-{counts}-{sources_hash(kind)}"
