"""How much faster a sweep is on 2 cores than on 1, and so on up to the number of cores.

In: number of rounds, and sizes. Out: wall seconds of the same sweep, from an empty folder to its
report, with each number of cores, and the speed-up over one.
"""

import tempfile
from pathlib import Path
from typing import Any

from benchmarks import child, sweeps
from benchmarks.sizes import Sizes
from benchmarks.target import Target

CELLS, BATCH = 40, 2.0  # seconds of CPU time in a batch


def measure(rounds: int, sizes: Sizes) -> dict[str, Any]:
    """Return what was measured, in plain data."""
    found: dict[int, list[dict[str, float]]] = {cores: [] for cores in sizes.cores}
    for _ in range(min(rounds, 2)):  # in turns, the better of two
        for cores, each in found.items():
            each.append(run(cores, sizes.work))
    wall = {cores: min(part["wall"] for part in each) for cores, each in found.items()}
    return {"wall": wall, "speedup": {c: wall[1] / w for c, w in wall.items()}, "rounds": found}


def run(cores: int, groups: int) -> dict[str, float]:
    """Return the cost of the sweep on a number of cores."""
    with tempfile.TemporaryDirectory() as folder:
        sweeps.write(Path(folder), CELLS, groups)
        spent = child.run(sweeps.snakemake(cores, batch=BATCH), Path(folder))
    return {"wall": spent.wall, "cpu": spent.cpu}


def lines(result: dict[str, Any]) -> list[str]:
    """Return a table: a line for each number of cores."""
    output = [f"{'cores':>6}{'wall':>10}{'speed-up':>10}"]
    for cores, wall in result["wall"].items():
        output.append(f"{cores:>6}{wall:8.1f} s{result['speedup'][cores]:10.2f}")
    return output


def targets(result: dict[str, Any]) -> list[Target]:
    """Return nothing: there are no targets here."""
    return []
