"""Runs some cells of the reference run again, spread over all kernels.

In: cells of experiments at a size. Out: those to run, and the table of what they gave.
"""

import itertools
from collections.abc import Iterator, Sequence

import pandas as pd

from nrevu.analysis.result import summarise
from nrevu.analysis.table import table
from nrevu.cells.cell import Cell
from nrevu.cells.chains import sample
from nrevu.experiments.settings import Estimate
from nrevu.pipeline.batches import kernel_name
from nrevu.pipeline.cost_model import cost

SECONDS = 1.5  # of estimated CPU time, where no number of cells is given
GOLDEN = 0.6180339887498949  # multiples of it, modulo 1, spread evenly


def choose(cells: Sequence[Cell], count: int | None) -> list[Cell]:
    """Return some cells, of each kernel in turn: so many, or as many as take a few seconds."""
    by_kernel: dict[str, list[Cell]] = {}
    for index in sorted(range(len(cells)), key=lambda i: i * GOLDEN % 1):
        by_kernel.setdefault(kernel_name(cells[index]), []).append(cells[index])
    turns = itertools.zip_longest(*by_kernel.values())
    spread = [cell for turn in turns for cell in turn if cell is not None]
    if count is None:
        spent = list(itertools.accumulate(map(cost, spread)))
        count = max(len(by_kernel), sum(seconds < SECONDS for seconds in spent))
    return spread[:count]


def rerun(cells: Sequence[Cell], estimates: Sequence[Estimate]) -> Iterator[pd.DataFrame]:
    """Run cells and yield the table of each, a row."""
    for cell, estimate in zip(cells, estimates, strict=True):
        yield table([summarise(cell, sample(cell), estimate)])
