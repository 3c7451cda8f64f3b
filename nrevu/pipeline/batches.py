"""Packs work into batches: starting a process costs as much as running many a cell.

In: cells, or groups of cells to confirm, in order, and about how long each takes. Out: batches by
label. Which batch a cell is in changes none of its numbers.
"""

import itertools
from collections.abc import Sequence
from typing import TypeVar

from nrevu.cells.cell import Cell
from nrevu.core.contracts import counts_type
from nrevu.pipeline.cost_model import cost

T = TypeVar("T")
MOST_JOBS = 200  # batches on a cluster, about, however much work there is
LARGEST, SMALLEST = 40.0, 6.0  # seconds of a batch here; a process takes one or two to start
SECONDS = 1.5  # of work of the cells that are run again, where no number is given
GOLDEN = 0.6180339887498949  # multiples of it, modulo 1, spread evenly
SHARES = 8  # batches of an experiment, at least, so that several cores are busy


def batch_seconds(experiment: float, plan: float, least: float | None = None) -> float:
    """Return the seconds of work of a batch, given those of its experiment and of the entire plan.

    On one machine they depend on the experiment alone, so that its batches stay the same whatever
    else is planned. On a cluster that wants at least some seconds in a job, a batch has as many, or
    more if there would be more than about 200 jobs.
    """
    if least is not None:
        return max(least, plan / MOST_JOBS)
    return min(LARGEST, max(SMALLEST, experiment / SHARES))


def pack(work: Sequence[T], seconds: float, costs: Sequence[float]) -> dict[str, tuple[T, ...]]:
    """Return batches of consecutive pieces of work, each of about these seconds, by label."""
    packed: list[list[T]] = []
    spent = seconds
    for piece, each in zip(work, costs, strict=True):
        if spent + each / 2 > seconds:
            packed.append([])
            spent = 0.0
        packed[-1].append(piece)
        spent += each
    return {f"{index:04d}": tuple(batch) for index, batch in enumerate(packed, start=1)}


def kernel_name(cell: Cell) -> str:
    """Return a name for the compiled kernel that a cell needs, by what it is compiled from."""
    return f"{cell.sampler.kernel_name}-{counts_type(cell.schedule.group)}"


def spread_over_kernels(cells: Sequence[Cell], count: int | None) -> list[Cell]:
    """Return `count` cells, of each kernel in turn; None: as many as take a few seconds."""
    by_kernel: dict[str, list[Cell]] = {}
    for index in sorted(range(len(cells)), key=lambda i: i * GOLDEN % 1):
        by_kernel.setdefault(kernel_name(cells[index]), []).append(cells[index])
    turns = itertools.zip_longest(*by_kernel.values())
    spread = [cell for turn in turns for cell in turn if cell is not None]
    if count is None:
        spent = itertools.accumulate(map(cost, spread))
        count = max(len(by_kernel), sum(seconds < SECONDS for seconds in spent))
    return spread[:count]
