"""How fast are the kernels? ns per update, and as a multiple of making the normals alone.

Everything is measured in one process, interleaved, and the best of many rounds counts, so that a
noisy machine does not decide. Read the ratios.

    python benchmarks/kernels.py
"""

import argparse
import itertools
import time

import numpy as np

from nrevu import rng
from nrevu.cell import Cell, Run, Schedule, U
from nrevu.chain import run_chains
from nrevu.distributions.gaussian import Gaussian
from nrevu.distributions.mixed import Mixed
from nrevu.distributions.pairs import Pairs
from nrevu.kernel import lanes
from nrevu.method import HMC, Langevin, Metropolis, PersistentLangevin, leapfrogs
from nrevu.series import counts_type, recorded

PERSISTENT = PersistentLangevin(0.12, 0.5, "time", 1 / 6)
CELLS = {
    "Metropolis, 40-D Gaussian": (Gaussian(40), Metropolis(1.8, 0.5), U(0.3), Schedule(40)),
    "Langevin, 40-D Gaussian": (Gaussian(40), Langevin(1.5, 1 / 6), U(0.7), Schedule(40)),
    "persistent Langevin, 32-D pairs": (Pairs(32, 0.99), PERSISTENT, U(0.03), Schedule(31)),
    "HMC L 16, 32-D pairs": (Pairs(32, 0.99), HMC(0.07, 16, 0.0, 30.0), U(0.0, 1.0), Schedule(2)),
    "persistent Langevin, mixed": (
        Mixed(20, 0.04),
        PersistentLangevin(0.03, 0.995, "update"),
        U(0.01),
        Schedule(60, 10),
    ),
    "HMC L 40, mixed": (Mixed(20, 0.04), HMC(0.035, 40, 0.0, 10.0), U(0.0, 1.0), Schedule(3, 1)),
}


def run_for(distribution) -> Run:
    """Return a run of one chain, or of 40 where the kernel advances chains side by side."""
    return Run(2000, 0, 1) if lanes(type(distribution)) == 1 else Run(40_000, 0, 40)


def kernel_call(cell: Cell):
    """Return a function that runs one chain of a cell."""
    rows = np.empty((cell.run.groups, len(recorded(cell.distribution))), np.float32)
    rejected = np.empty(cell.run.groups, counts_type(cell.schedule.group))
    ends = np.cumsum([0, *cell.run.lengths()])
    return lambda: run_chains(cell, 0, ends, rows, rejected)


def normals_call(count: int):
    """Return a function that makes so many normals as a kernel does, a buffer at a time."""
    # Where state and buffers lie in memory changes the speed by half: some sets of them in turn,
    # so that the best of many rounds is the floor and not an accident of this process.
    sets = [
        (rng.streams(1, "0", k)[1], np.empty(rng.SCRATCH, np.uint64), np.empty(2048))
        for k in range(16)
    ]
    turn = itertools.cycle(sets)

    def make():
        bits, words, out = next(turn)
        for _ in range(count // out.size):
            rng.fill_normals(bits, words, out)

    return make


def race(calls: dict, rounds: int) -> dict[str, float]:
    """Return the least seconds that each call took, in turns."""
    best = {}
    for round in range(rounds + 1):  # the first, which compiles, does not count
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            spent = time.perf_counter() - started
            if round > 0:
                best[name] = min(best.get(name, spent), spent)
    return best


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--rounds", type=int, default=60)
    args = words.parse_args()
    cells = {name: Cell(*parts, run_for(parts[0]), seed=1) for name, parts in CELLS.items()}
    normals = 2048 * 100
    calls = {name: kernel_call(cell) for name, cell in cells.items()}
    best = race({**calls, "normals": normals_call(normals)}, args.rounds)
    floor = best["normals"] / normals * 1e9
    print(f"one normal: {floor:.2f} ns")
    print(f"{'':34}{'ns/update':>10}{'x floor':>9}{'ns/leapfrog':>13}")
    for name, cell in cells.items():
        each = best[name] / cell.updates * 1e9
        steps = leapfrogs(cell.method)
        leap = f"{each / steps:13.1f}" if steps else ""
        print(f"{name:34}{each:10.1f}{each / floor / cell.distribution.dim:9.2f}{leap}")
