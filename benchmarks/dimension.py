"""How the cost of an update grows with the dimension, 2 to 10,000.

In: number of rounds, and sizes. Out: ns per update of each method at each dimension, with the
times of all rounds. The mixed problem is omitted: it always has two coordinates.
"""

import dataclasses
from typing import Any

from benchmarks.ours import kernel_call, sized
from benchmarks.race import least, pinned, race
from benchmarks.settings import SETTINGS
from benchmarks.sizes import Sizes
from benchmarks.target import Target
from nrevu.cells.cell import Cell


def measure(rounds: int, sizes: Sizes) -> dict[str, Any]:
    """Return what was measured, in plain data."""
    calls, counts = {}, {}
    with pinned():
        for setting in SETTINGS:
            for dim in sizes.dimensions if "dim" in vars(setting.cell.distribution) else ():
                cell = at_dimension(setting.cell, dim)
                cell = sized(cell, sizes.coordinates // dim // max(1, setting.steps // 2))
                name = f"{setting.key}/{dim}"
                calls[name], counts[name] = kernel_call(cell), cell.updates
        times = race(calls, rounds)
    ns: dict[str, dict[str, float]] = {}
    for name, updates in counts.items():
        key, _, dim = name.partition("/")
        ns.setdefault(key, {})[dim] = least(times, name) / updates * 1e9
    return {"ns": ns, "updates": counts, "times": times}


def at_dimension(cell: Cell, dim: int) -> Cell:
    """Return a cell in another dimension, in short groups where few updates are timed."""
    group = max(1, min(cell.schedule.group, 1000 // dim))
    schedule = dataclasses.replace(cell.schedule, group=group)
    own = dataclasses.replace(cell.distribution, dim=dim)
    return dataclasses.replace(cell, distribution=own, schedule=schedule)


def lines(result: dict[str, Any]) -> list[str]:
    """Return a table: a line for each dimension."""
    titles = {setting.key: setting.title.rpartition(",")[0] for setting in SETTINGS}
    ns = result["ns"]
    output = [f"{'dimension':>10}" + "".join(f"{titles[key]:>30}" for key in ns)]
    for dim in next(iter(ns.values())):
        row = [f"{each[dim]:.0f} ns ({each[dim] / int(dim):.2f})" for each in ns.values()]
        output.append(f"{int(dim):10,}" + "".join(f"{text:>30}" for text in row))
    return [*output, "in brackets: ns per update and coordinate"]


def targets(result: dict[str, Any]) -> list[Target]:
    """Return nothing: there are no targets here."""
    return []
