"""How much the benchmarks do: everything, or the minimum that shows that they run."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """How large things are."""

    updates: int  # of a call of ours; fewer, if updates have several leapfrog steps
    chains: int  # that numpy and BlackJAX run side by side
    groups: int  # of each chain, where implementations are compared for agreement
    dimensions: tuple[int, ...]
    coordinates: int  # updates x dimension of a call at each dimension
    cells: tuple[int, ...]  # of sweeps that are expanded, planned and looked at by Snakemake
    run_cells: tuple[int, ...]  # of sweeps that are run
    lengths: tuple[int, ...]  # groups of single runs
    work: int  # groups of each cell of a sweep that is run on 1 core, 2, ...
    cores: tuple[int, ...]
    processes: int  # of each of two versions that are compared
    share: float  # of the groups of a call there


def doubling(most: int) -> tuple[int, ...]:
    """Return 1, 2, 4, ... up to and with the most."""
    return tuple(sorted({2**power for power in range(most.bit_length())} | {most}))


FULL = Sizes(
    updates=8_000,
    chains=1024,
    groups=100,
    dimensions=(2, 4, 10, 20, 40, 100, 200, 400, 1000, 2000, 4000, 10_000),
    coordinates=300_000,
    cells=(10, 100, 1000, 10_000),
    run_cells=(10, 100, 1000),
    lengths=(1000, 10_000, 100_000, 300_000, 1_000_000),
    work=100_000,
    cores=doubling(len(os.sched_getaffinity(0))),
    processes=12,
    share=1.0,
)
SMOKE = Sizes(
    updates=1200,
    chains=16,
    groups=30,
    dimensions=(2, 40),
    coordinates=4000,
    cells=(10, 20),
    run_cells=(10,),
    lengths=(1000, 2000),
    work=1000,
    cores=(1,),
    processes=1,
    share=0.01,
)
