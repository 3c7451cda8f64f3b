"""Runs the chains of a cell and returns what they recorded.

In: a Cell. Out: a Series: one row per recorded group, chains one after the other. Chains start
from exact draws with v uniform on [-1,1], so that their joint distribution is right from the
first update on. Differs: the paper's runs start from x = 0, v = 0.5.
"""

import dataclasses
import time

import numpy as np

from nrevu.cell import Cell, Run
from nrevu.kernel import build, lanes
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
    counts = np.zeros(3, int)
    ends = np.cumsum([0, *cell.run.lengths()])
    for first in range(0, cell.run.chains, lanes(type(cell.distribution))):
        counts += run_chains(cell, first, ends, rows, rejected)
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
    side_by_side = lanes(type(cell.distribution))
    first, watched = chain - chain % side_by_side, chain % side_by_side
    ends = np.cumsum([0, *cell.run.lengths()])
    rows = np.empty((cell.run.groups, len(recorded(cell.distribution))), np.float32)
    rejected = np.empty(cell.run.groups, counts_type(cell.schedule.group))
    length = cell.run.lengths()[chain]
    decisions = np.empty((length * cell.schedule.group, 2), np.float32)
    run_chains(cell, first, ends, rows, rejected, watched, decisions)
    return rows[ends[chain] : ends[chain + 1]], decisions


def warm(cell: Cell) -> None:
    """Compile the cell's kernel, or load it from the cache, by recording nothing."""
    rows = np.empty((0, len(recorded(cell.distribution))), np.float32)
    rejected = np.empty(0, counts_type(cell.schedule.group))
    short = dataclasses.replace(cell, run=Run(1, 0, 1))
    run_chains(short, 0, np.zeros(2, int), rows, rejected)


def run_chains(
    cell: Cell, first: int, ends, rows, rejected, watched=0, decisions=NO_TRACE
) -> tuple[int, int, int]:
    """Fill rows and rejected from as many chains, from `first` on, as the kernel takes at once.

    The rows of chain c are ends[c] to ends[c + 1]. Lanes for which there is no chain record
    nothing. Returns the density and gradient evaluations and the overflows of recorded groups.
    """
    kernel = build(cell.method.update, type(cell.distribution))
    distribution, width = cell.distribution, lanes(type(cell.distribution))
    chains = range(first, min(first + width, cell.run.chains))
    x, p, v, bits = (np.array(part) for part in zip(*(start(cell, c) for c in chains), strict=True))
    w = np.zeros(getattr(distribution, "gibbs_variables", 0) * width)
    return kernel(
        beside(x, width), beside(p, width), v, w, bits, distribution.data(),
        *arguments(cell.method, distribution.dim), cell.u.delta, cell.u.noise,
        cell.schedule.group, cell.schedule.gibbs_every, cell.run.burn_in,
        ends[first : first + len(chains) + 1], rows, rejected, watched, decisions,
    )  # fmt: skip


def beside(states: np.ndarray, width: int) -> np.ndarray:
    """Return states (chains, dim) flat, coordinate i of chain k at i * width + k."""
    padded = np.zeros((states.shape[1], width))
    padded[:, : len(states)] = states.T
    return padded.ravel()


def start(cell: Cell, chain: int) -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
    """Return the x, p, v and generator's bits that a chain starts with."""
    rng, bits = streams(cell.seed, cell.digest, chain)
    x = cell.distribution.draw(rng)
    return x, rng.standard_normal(x.size), rng.uniform(-1.0, 1.0), bits
