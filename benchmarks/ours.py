"""The kernels of nrevu as calls to time, and their floor: generating the normals alone."""

import itertools
from collections.abc import Callable

import numpy as np

from benchmarks import plain
from benchmarks.settings import of_length
from nrevu.cells.cell import Cell
from nrevu.cells.chains import chains_from, empty_output, interleave, start
from nrevu.core import rng
from nrevu.core.binding import bind_kernel, chains_at_once
from nrevu.core.contracts import part
from nrevu.core.driver import Chains, Schedule
from nrevu.core.target import njit
from nrevu.distributions.mixed import Mixed

BUFFER = 2048  # normals generated at a time, as in kernels
PLACES = 16  # sets of state and buffers
# The mixed problem, its chains one at a time: the same source compiled without lanes.
Alone = type("Alone", (Mixed,), {"lanes": 1, "__module__": Mixed.__module__})


def kernel_call(cell: Cell) -> Callable[[], object]:
    """Return a function that runs the first chains of a cell, as many as its kernel takes.

    As `chains.run_chains`, but with starts made beforehand: they take as long as 1,000 updates. A
    call goes on from where the last one stopped.
    """
    output = empty_output(cell)
    drive, *settings = bind_kernel(cell.sampler, output.rejected.dtype.name)
    starts = (start(cell, chain) for chain in chains_from(cell, 0))
    x, p, v, bits = (np.array(each) for each in zip(*starts, strict=True))
    w = np.zeros((len(x), part(cell.distribution, "gibbs_variables")))
    x, p, w = (interleave(each, part(cell.distribution, "lanes")) for each in (x, p, w))
    chains = Chains(x, p, v, w, bits)
    schedule = Schedule(cell.schedule.group, cell.schedule.gibbs_every, 0)
    data = part(cell.distribution, "data")()
    words = (tuple(chains), data, *settings, tuple(schedule), tuple(output))
    return lambda: drive(*words)


def sized(cell: Cell, updates: int, most: int = 40) -> Cell:
    """Return the cell with about `updates` updates, of the chains that run at once, or `most`."""
    chains = min(most, chains_at_once(cell.distribution))
    groups = max(1, updates // cell.schedule.group // chains) * chains
    return of_length(cell, groups, chains)


def normals_call(count: int, plainly: bool = False) -> Callable[[], object]:
    """Return a function that generates `count` normals as a kernel does, a buffer at a time."""
    fill_many = plain_many if plainly else own_many
    # Where state and buffers lie in memory changes the speed by half: some sets of them in turn,
    # so that the best of many rounds is the floor and not an accident of this process.
    sets = [
        (rng.streams(1, "0", k)[1], np.empty(rng.SCRATCH, np.uint64), np.empty(BUFFER))
        for k in range(PLACES)
    ]
    turn = itertools.cycle(sets)
    return lambda: fill_many(*next(turn), count // BUFFER)


@njit(error_model="numpy")
def own_many(bits, words, out, times):
    """Fill a buffer with normals, again and again."""
    for _ in range(times):
        rng.fill_normals(bits, words, out)


@njit(error_model="numpy")
def plain_many(bits, words, out, times):
    """Fill a buffer with plain normals."""
    for _ in range(times):
        plain.fill_normals(bits, words, out)
