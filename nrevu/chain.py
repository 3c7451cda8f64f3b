"""Runs the chains of a cell and returns what they recorded.

In: a Cell. Out: a Series: one row per recorded group, chains one after the other. Chains start
from exact draws with v uniform on [-1,1], so that their joint distribution is right from the
first update on. Differs: the paper's runs start from x = 0, v = 0.5.
"""

import time

import numpy as np

from nrevu.cell import Cell
from nrevu.kernel import build
from nrevu.rng import streams
from nrevu.series import Series, counts_type


def sample(cell: Cell) -> Series:
    """Run all chains of a cell; the result depends on the cell alone."""
    columns = tuple(cell.distribution.means())
    rows = np.empty((cell.run.groups, len(columns)), np.float32)
    rejected = np.empty(cell.run.groups, counts_type(cell.schedule.group))
    warm(cell)
    started = time.process_time()
    density, first = 0, 0
    for chain, length in enumerate(cell.run.lengths()):
        part = slice(first, first + length)
        density += run_chain(cell, chain, rows[part], rejected[part], cell.run.burn_in)
        first += length
    spent = time.process_time() - started
    return Series(columns, rows, rejected, tuple(cell.run.lengths()), density, 0, spent)


def warm(cell: Cell) -> None:
    """Compile the cell's kernel, or load it from the cache, by recording nothing."""
    rows = np.empty((0, len(cell.distribution.means())), np.float32)
    run_chain(cell, 0, rows, np.empty(0, counts_type(cell.schedule.group)), burn_in=0)


def run_chain(cell: Cell, chain: int, rows, rejected, burn_in: int) -> int:
    """Fill rows and rejected from one chain; return its density evaluations."""
    kernel = build(cell.method.update, type(cell.distribution))
    rng, bits = streams(cell.seed, cell.digest, chain)
    x = cell.distribution.draw(rng)
    v = rng.uniform(-1.0, 1.0)
    numbers = cell.method.derived(cell.distribution.dim).values()
    _, density = kernel(
        x, v, bits, cell.distribution.data(), *numbers, cell.u.delta, cell.u.noise,
        cell.schedule.group, burn_in, rows, rejected,
    )  # fmt: skip
    return density
