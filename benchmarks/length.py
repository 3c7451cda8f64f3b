"""How time and memory of one `nrevu run` grow with its length, 1,000 to 1,000,000 groups.

In: number of rounds, and sizes. Out: for each length wall and CPU seconds, ns per update as the
process reports it, and peak memory; and the bytes of memory per group, with the size of a
recorded row.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import child
from benchmarks.sizes import Sizes
from benchmarks.target import Target

GROUP = 10  # updates
ROW = 2 * 4 + 1  # bytes: two quantities in float32, a count of rejections below 256


def measure(rounds: int, sizes: Sizes) -> dict[str, Any]:
    """Return what was measured, in plain data."""
    found: dict[int, list[dict[str, float]]] = {groups: [] for groups in sizes.lengths}
    for _ in range(min(rounds, 3)):  # in turns, the best of three
        for groups, each in found.items():
            each.append(run(groups))
    best = {
        groups: {name: min(part[name] for part in each) for name in each[0]}
        for groups, each in found.items()
    }
    return {"runs": best, "row_bytes": ROW, "growth": growth(best), "rounds": found}


def run(groups: int) -> dict[str, float]:
    """Return the cost of one process for a number of groups."""
    words = ["nrevu", "run", f"run.groups={groups}", f"schedule.group={GROUP}", "--json"]
    with tempfile.TemporaryDirectory() as folder:
        spent = child.run(words, Path(folder))
    answer = json.loads(spent.output)
    return {"wall": spent.wall, "cpu": spent.cpu, "peak": spent.peak,
            "updates": answer["cpu_seconds"], "ns": answer["ns_per_update"]}  # fmt: skip


def growth(runs: dict[int, dict[str, float]]) -> float:
    """Return the bytes that memory grows by with a group, from the two longest runs."""
    *_, short, long = runs
    return (runs[long]["peak"] - runs[short]["peak"]) * child.MEGABYTE / (long - short)


def lines(result: dict[str, Any]) -> list[str]:
    """Return a table: a line for each length."""
    heads = ("wall", "CPU", "of it updates", "ns per update", "all CPU per update", "peak")
    output = [f"{'groups':>10}" + "".join(f"{head:>20}" for head in heads)]
    for groups, found in result["runs"].items():
        whole = found["cpu"] / (int(groups) * GROUP) * 1e9
        numbers = [f"{found[name]:.2f} s" for name in ("wall", "cpu", "updates")]
        numbers += [f"{found['ns']:.0f} ns", f"{whole:.0f} ns", f"{found['peak']:.1f} MB"]
        output.append(f"{int(groups):10,}" + "".join(f"{number:>20}" for number in numbers))
    grows = f"memory grows by {result['growth']:.1f} bytes per group"
    return [*output, f"{grows}; a recorded row takes {result['row_bytes']}"]


def targets(result: dict[str, Any]) -> list[Target]:
    """Return what memory was to keep to."""
    over = result["growth"] / result["row_bytes"]
    return [Target("memory per recorded group, over that of its row", over, 1.5)]
