"""Runs the chains of a cell and returns what they recorded.

In: a Cell. Out: a Series: one row per recorded group, chains one after the other. Chains start
from exact draws, if the distribution has them, with v uniform on [-1,1], so that their joint
distribution is right from the first update. The paper's chains start from x = 0, v = 0.5 instead.
"""

import dataclasses
import functools
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nrevu.cells.cell import Cell, Run
from nrevu.cells.series import Series
from nrevu.core.binding import bind_kernel, chains_at_once
from nrevu.core.contracts import STATES, WALKS, Method, counts_type, has, part
from nrevu.core.driver import NO_DRAWS, UNWATCHED, Chains, Output, Schedule
from nrevu.core.elementary import round_to_32_bits
from nrevu.core.rng import WORDS, streams
from nrevu.core.sampler import Sampler
from nrevu.core.trials import UNCOMPILABLE, sampler_mistake
from nrevu.methods.hamiltonian import HMC
from nrevu.u.standard import Standard

NO_TRACE = np.empty((0, 0, 2), np.float32)
SETTLING = 0x5E771ED  # separates the random numbers of starts from all others


def sample(cell: Cell, draws: np.ndarray = NO_DRAWS, watch: np.ndarray = UNWATCHED) -> Series:
    """Run all chains of a cell; the result depends on the cell alone.

    `draws` (groups, dim) receives the coordinates at the end of each group. `watch` counts the
    groups of chains that run at once, `steps` in all; another thread may set watch[1] to end early.
    """
    output = empty_output(cell)._replace(draws=draws, watch=watch)
    compile_kernel(cell)
    start(cell, 0)  # what all cells' starts share is cached: not timed as this one's
    started = time.process_time()
    counts = np.zeros(3, int)
    for first in range(0, cell.run.chains, chains_at_once(cell.distribution)):
        counts += run_chains(cell, first, output)
    spent = time.process_time() - started
    density, gradient, overflows = counts.tolist()
    columns, lengths = part(cell.distribution, "recorded"), tuple(cell.run.lengths())
    recorded = (columns, output.rows, output.rejected, lengths)
    return Series(*recorded, density, gradient, overflows, spent)


def steps(cell: Cell) -> int:
    """Return how many groups the chains that run at once have, burn-in included, over all sets."""
    sets = range(0, cell.run.chains, chains_at_once(cell.distribution))
    return sum(cell.run.lengths()[first] + cell.run.burn_in for first in sets)


def empty_output(cell: Cell) -> Output:
    """Return arrays for the recorded columns (groups, columns) and the counts of rejections."""
    groups, columns = cell.run.groups, len(part(cell.distribution, "recorded"))
    rejected = np.empty(groups, counts_type(cell.schedule.group))
    ends = np.cumsum([0, *cell.run.lengths()])
    return Output(ends, np.empty((groups, columns), np.float32), rejected, NO_TRACE)


def trace(cell: Cell) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Run the chains again and yield the rows and the decisions (updates, 2) of each.

    The decisions are the u that was compared and whether it accepted, of every recorded update;
    the rows are those of `sample`, since the random numbers are the same.
    """
    output = empty_output(cell)
    longest = max(cell.run.lengths()) * cell.schedule.group
    for first in range(0, cell.run.chains, chains_at_once(cell.distribution)):
        chains = chains_from(cell, first)
        decisions = np.empty((len(chains), longest, 2), np.float32)
        run_chains(cell, first, output._replace(trace=decisions))
        for chain in chains:
            length = cell.run.lengths()[chain] * cell.schedule.group
            rows = output.rows[output.first[chain] : output.first[chain + 1]]
            yield rows, decisions[chain - first, :length]


def compile_kernel(cell: Cell) -> None:
    """Compile the cell's kernel, or load it from the cache, by a run that records nothing.

    Raises a Mistake if a user's functions cannot be compiled.
    """
    short = dataclasses.replace(cell, run=Run(1, 0, 1))
    nothing = empty_output(short)._replace(first=np.zeros(2, int))
    try:
        run_chains(short, 0, nothing)
    except UNCOMPILABLE as error:
        raise sampler_mistake(cell.sampler, error) from None


def run_chains(cell: Cell, first: int, output: Output) -> tuple[int, ...]:
    """Fill an output of all chains from as many, starting at `first`, as the kernel advances.

    Returns the density and gradient evaluations and the overflows of the recorded groups.
    """
    chains = chains_from(cell, first)
    states = [np.array(each) for each in zip(*(start(cell, c) for c in chains), strict=True)]
    schedule = Schedule(cell.schedule.group, cell.schedule.gibbs_every, cell.run.burn_in)
    output = output._replace(first=output.first[first : first + len(chains) + 1])
    data = part(cell.distribution, "data")()
    return advance(cell.sampler, data, states, schedule, output)[0]


def advance(
    sampler: Sampler, data: tuple, states: Sequence, schedule: Schedule, output: Output
) -> tuple:
    """Run the kernel of a sampler; return its counts, and the last x, p and w (chains, ...).

    In: the distribution's `data`; `states`, the first x and p (chains, dim), v and bits of the
    chains, of which v and bits are changed.
    """
    x, p, v, bits = states
    w = np.zeros((len(x), part(sampler.distribution, "gibbs_variables")))
    drive, *settings = bind_kernel(sampler, output.rejected.dtype.name)
    lanes = part(sampler.distribution, "lanes")
    flat_x, flat_p, flat_w = (interleave(each, lanes) for each in (x, p, w))
    chains = Chains(flat_x, flat_p, v, flat_w, bits)
    counts = drive(tuple(chains), data, *settings, tuple(schedule), tuple(output))
    return counts, *(deinterleave(each, lanes, len(x)) for each in (flat_x, flat_p, flat_w))


def chains_from(cell: Cell, first: int) -> range:
    """Return the chains that a kernel advances together, starting at `first`."""
    return range(first, min(first + chains_at_once(cell.distribution), cell.run.chains))


def interleave(states: np.ndarray, lanes: int) -> np.ndarray:
    """Return states (chains, dim) flat: chain by chain, or interleaved if `lanes` is not 1."""
    if lanes == 1:
        return states.flatten()
    padded = np.zeros((states.shape[1], lanes))
    padded[:, : len(states)] = states.T
    return padded.ravel()


def deinterleave(flat: np.ndarray, lanes: int, chains: int) -> np.ndarray:
    """Return the states (chains, dim) of a flat array: the inverse of `interleave`."""
    return flat.reshape(chains, -1) if lanes == 1 else flat.reshape(-1, lanes).T[:chains]


def start(cell: Cell, chain: int) -> tuple[np.ndarray, ...]:
    """Return the x, p, v and generator's bits that a chain starts with."""
    rng, bits = streams(cell.seed, cell.digest, chain)
    x = round_to_32_bits(first_x(cell, chain, rng))
    p = round_to_32_bits(rng.standard_normal(x.size))
    return x, p, rng.uniform(-1.0, 1.0, part(cell.method, "separate_v", Method)), bits


def first_x(cell: Cell, chain: int, rng: np.random.Generator) -> np.ndarray:
    """Return the x that a chain starts with: an exact draw, or a state of a walk that settled."""
    if has(cell.distribution, "draw"):
        return cell.distribution.draw(rng)
    if not part(cell.distribution, "settling")[2]:
        return part(cell.distribution, "start")(rng)
    return settled(cell.distribution, cell.seed)[chain % WALKS, rng.integers(STATES)]


@functools.cache
def settled(distribution: Any, seed: int) -> np.ndarray:
    """Return the states (WALKS, STATES, dim) from which the chains of all cells start."""
    return np.array([[*settle(distribution, seed, walk)] for walk in range(WALKS)])


def settle(distribution: Any, seed: int, walk: int) -> Iterator[np.ndarray]:
    """Yield states of a walk that begins at `start`, the first of them after its `settling`.

    That is HMC with a small stepsize; between two states it goes on for a sixteenth of `settling`.
    """
    rng = np.random.default_rng([seed, walk, SETTLING])
    x = round_to_32_bits(part(distribution, "start")(rng))[None]
    eta, L, trajectories = part(distribution, "settling")
    p = round_to_32_bits(rng.standard_normal(x.shape))
    bits = rng.integers(2**64, size=(1, WORDS), dtype=np.uint64)
    v = rng.uniform(-1.0, 1.0, (1, 1))
    rows = np.empty((0, len(part(distribution, "recorded"))), np.float32)
    output = Output(np.zeros(2, int), rows, np.empty(0, np.uint8), NO_TRACE)
    sampler = Sampler(distribution, HMC(eta, L, jitter=30.0), Standard())
    data = part(distribution, "data")()
    for updates in (trajectories, *[-(-trajectories // STATES)] * (STATES - 1)):
        if updates:
            schedule = Schedule(updates, int(has(distribution, "gibbs")), 1)
            x, p = advance(sampler, data, (x, p, v, bits), schedule, output)[1:3]
        yield x[0].copy()
