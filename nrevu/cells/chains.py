"""Runs the chains of a cell and returns what they recorded.

In: a Cell. Out: a Series: one row per recorded group, chains one after the other. Chains start
from exact draws, where the distribution offers them, with v uniform on [-1,1], so that their joint
distribution is right from the first update on. Differs: the paper's start from x = 0, v = 0.5.
"""

import dataclasses
import functools
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from nrevu.cells.cell import Cell, Run
from nrevu.cells.series import Series
from nrevu.core.binding import UNCOMPILABLE, build, chains_at_once, lanes, uncompilable
from nrevu.core.contracts import counts_type, recorded
from nrevu.core.elementary import rounded
from nrevu.core.rng import WORDS, streams
from nrevu.methods import arguments

NO_TRACE = np.empty((0, 0, 2), np.float32)
SETTLED = 0x5E771ED  # keeps the streams of starts apart from all others


def sample(cell: Cell) -> Series:
    """Run all chains of a cell; the result depends on the cell alone."""
    columns = recorded(cell.distribution)
    rows = np.empty((cell.run.groups, len(columns)), np.float32)
    rejected = np.empty(cell.run.groups, counts_type(cell.schedule.group))
    warm(cell)
    for chain in range(cell.run.chains) if not hasattr(cell.distribution, "draw") else ():
        settled(cell.distribution, cell.seed, chain)  # for other cells too: not this one's time
    started = time.process_time()
    counts = np.zeros(3, int)
    ends = np.cumsum([0, *cell.run.lengths()])
    for first in range(0, cell.run.chains, chains_at_once(cell.distribution)):
        counts += run_chains(cell, first, ends, rows, rejected)
    spent = time.process_time() - started
    density, gradient, overflows = counts.tolist()
    return Series(
        columns, rows, rejected, tuple(cell.run.lengths()), density, gradient, overflows, spent
    )


def trace(cell: Cell) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Run the chains again and yield, of each, its rows and its decisions update by update.

    The decisions (updates, 2) are the u that was compared and whether it accepted, for all the
    recorded updates; the rows are those that `sample` records, as the random numbers are too.
    """
    ends = np.cumsum([0, *cell.run.lengths()])
    rows = np.empty((cell.run.groups, len(recorded(cell.distribution))), np.float32)
    rejected = np.empty(cell.run.groups, counts_type(cell.schedule.group))
    longest = max(cell.run.lengths()) * cell.schedule.group
    for first in range(0, cell.run.chains, chains_at_once(cell.distribution)):
        chains = chains_from(cell, first)
        decisions = np.empty((len(chains), longest, 2), np.float32)
        run_chains(cell, first, ends, rows, rejected, decisions)
        for chain in chains:
            length = cell.run.lengths()[chain] * cell.schedule.group
            yield rows[ends[chain] : ends[chain + 1]], decisions[chain - first, :length]


def warm(cell: Cell) -> None:
    """Compile the cell's kernel, or load it from the cache, by recording nothing.

    Raises a Mistake if the distribution's functions cannot be compiled.
    """
    rows = np.empty((0, len(recorded(cell.distribution))), np.float32)
    rejected = np.empty(0, counts_type(cell.schedule.group))
    short = dataclasses.replace(cell, run=Run(1, 0, 1))
    try:
        run_chains(short, 0, np.zeros(2, int), rows, rejected)
    except UNCOMPILABLE as error:
        raise uncompilable(cell.distribution, error) from None


def run_chains(
    cell: Cell, first: int, ends, rows, rejected, decisions=NO_TRACE
) -> tuple[int, int, int]:
    """Fill rows and rejected from as many chains, from `first` on, as the kernel takes at once.

    The rows of chain c are ends[c] to ends[c + 1]. Returns the density and gradient evaluations
    and the overflows of the recorded groups.
    """
    kernel = build(cell.method.update, type(cell.distribution), rejected.dtype.name)
    distribution, chains = cell.distribution, chains_from(cell, first)
    x, p, v, bits = (np.array(part) for part in zip(*(start(cell, c) for c in chains), strict=True))
    w = np.zeros((len(chains), getattr(distribution, "gibbs_variables", 0)))
    x, p, w = (beside(part, lanes(type(distribution))) for part in (x, p, w))
    return kernel(
        x, p, v, w, bits, distribution.data(),
        *arguments(cell.method, distribution.dim), cell.u.delta, cell.u.noise,
        cell.schedule.group, cell.schedule.gibbs_every, cell.run.burn_in,
        ends[first : first + len(chains) + 1], rows, rejected, decisions,
    )  # fmt: skip


def chains_from(cell: Cell, first: int) -> range:
    """Return the chains that are run at once, from the first of them on."""
    return range(first, min(first + chains_at_once(cell.distribution), cell.run.chains))


def beside(states: np.ndarray, lanes: int) -> np.ndarray:
    """Return states (chains, dim) flat, as kernels take them: alternating if `lanes` is not 1."""
    if lanes == 1:
        return states.flatten()
    padded = np.zeros((states.shape[1], lanes))
    padded[:, : len(states)] = states.T
    return padded.ravel()


def apart(flat: np.ndarray, lanes: int, chains: int) -> np.ndarray:
    """Return the states (chains, dim) of what `beside` made of so many."""
    return flat.reshape(chains, -1) if lanes == 1 else flat.reshape(-1, lanes).T[:chains]


def start(cell: Cell, chain: int) -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
    """Return the x, p, v and generator's bits that a chain starts with."""
    rng, bits = streams(cell.seed, cell.digest, chain)
    exact = hasattr(cell.distribution, "draw")
    x = cell.distribution.draw(rng) if exact else settled(cell.distribution, cell.seed, chain)
    return rounded(x), rounded(rng.standard_normal(x.size)), rng.uniform(-1.0, 1.0), bits


@functools.cache
def settled(distribution: Any, seed: int, chain: int) -> np.ndarray:
    """Return where a chain starts in a distribution that offers no exact draws.

    A distribution may ask for some HMC of cautious stepsize that leads away from its `start`. It
    is the same for all cells of the distribution, so that it is made once in a process; each
    cell's own burn-in comes after it.
    """
    root = np.random.SeedSequence([seed, chain, SETTLED])
    rng = np.random.default_rng(root)
    x = rounded(distribution.start(rng))
    if not hasattr(distribution, "settling"):
        return x
    eta, L, trajectories = distribution.settling
    kernel = build("hamiltonian", type(distribution))
    width = lanes(type(distribution))
    flat, p = beside(x[None], width), beside(rounded(rng.standard_normal((1, x.size))), width)
    w = beside(np.zeros((1, getattr(distribution, "gibbs_variables", 0))), width)
    bits = rng.integers(2**64, size=(1, WORDS), dtype=np.uint64)
    nothing = (np.empty((0, len(recorded(distribution))), np.float32), np.empty(0, np.uint8))
    kernel(
        flat, p, rng.uniform(-1.0, 1.0, 1), w, bits, distribution.data(), eta, 0.0, L, 30.0, 0.0,
        1.0, trajectories, 1 if w.size else 0, 1, np.zeros(2, int), *nothing, NO_TRACE,
    )  # fmt: skip
    return apart(flat, width, 1)[0].copy()
