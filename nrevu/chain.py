"""Runs the chains of a cell and returns what they recorded.

In: a Cell. Out: a Series: one row per recorded group, chains one after the other. Chains start
from exact draws with v uniform on [-1,1], so that their joint distribution is right from the
first update on. Differs: the paper's runs start from x = 0, v = 0.5.
"""

import dataclasses
import time

import numpy as np

from nrevu.cell import Cell, Run
from nrevu.kernel import build
from nrevu.method import arguments
from nrevu.rng import streams
from nrevu.series import Series, counts_type, recorded

NO_TRACE = np.empty((0, 2), np.float32)


def sample(cell: Cell) -> Series:
    """Run all chains of a cell; the result depends on the cell alone."""
    columns = recorded(cell.distribution)
    rows = np.empty((cell.run.groups, len(columns)), np.float32)
    rejected = np.empty(cell.run.groups, counts_type(cell.schedule.group))
    warm(cell)
    started = time.process_time()
    counts, first = np.zeros(3, int), 0
    for chain, length in enumerate(cell.run.lengths()):
        part = slice(first, first + length)
        counts += run_chain(cell, chain, rows[part], rejected[part])
        first += length
    spent = time.process_time() - started
    density, gradient, overflows = counts.tolist()
    return Series(
        columns, rows, rejected, tuple(cell.run.lengths()), density, gradient, overflows, spent
    )


def trace(cell: Cell, chain: int) -> tuple[np.ndarray, np.ndarray]:
    """Run one chain again and return its rows and, update by update, its decisions.

    The decisions (updates, 2) are the u that was compared and whether it accepted, for all the
    recorded updates; the rows are those that `sample` records, as the random numbers are too.
    """
    length = cell.run.lengths()[chain]
    rows = np.empty((length, len(recorded(cell.distribution))), np.float32)
    rejected = np.empty(length, counts_type(cell.schedule.group))
    decisions = np.empty((length * cell.schedule.group, 2), np.float32)
    run_chain(cell, chain, rows, rejected, decisions)
    return rows, decisions


def warm(cell: Cell) -> None:
    """Compile the cell's kernel, or load it from the cache, by recording nothing."""
    rows = np.empty((0, len(recorded(cell.distribution))), np.float32)
    rejected = np.empty(0, counts_type(cell.schedule.group))
    run_chain(dataclasses.replace(cell, run=Run(1, 0, 1)), 0, rows, rejected)


def run_chain(cell: Cell, chain: int, rows, rejected, decisions=NO_TRACE) -> tuple[int, int, int]:
    """Fill rows, rejected and decisions from one chain; return its counts.

    They are the density and gradient evaluations and the overflows of the recorded groups.
    """
    kernel = build(cell.method.update, type(cell.distribution))
    rng, bits = streams(cell.seed, cell.digest, chain)
    x = cell.distribution.draw(rng)
    v = rng.uniform(-1.0, 1.0)
    p = rng.standard_normal(x.size)
    _, *counts = kernel(
        x, p, v, bits, cell.distribution.data(), *arguments(cell.method, x.size),
        cell.u.delta, cell.u.noise, cell.schedule.group, cell.schedule.gibbs_every,
        cell.run.burn_in, rows, rejected, decisions,
    )  # fmt: skip
    return tuple(counts)
