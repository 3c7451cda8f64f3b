"""How the overhead of the workflow grows with the number of cells, 10 to 10,000.

In: number of rounds, and sizes. Out: CPU seconds of expansion, plan, status and the files for the
jobs, each in a new process; of Snakemake's dry run; the peak memory of both; and, for sweeps that
run to their end, the share of the CPU time that is not spent on updates.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import child, sweeps
from benchmarks.sizes import Sizes
from benchmarks.target import Target
from nrevu.results import series_files

TINY = 4000  # groups of a cell, of 40 updates in 40 dimensions: 20 ms
STAGES = ("expand", "plan", "status", "files")


def measure(rounds: int, sizes: Sizes) -> dict[str, Any]:
    """Return what was measured, in plain data."""
    planned = {count: [] for count in sizes.cells}
    for _ in range(min(rounds, 3)):  # in turns, the best of three
        for count, found in planned.items():
            found.append(plan(count))
    return {
        "planned": {count: best(found) for count, found in planned.items()},
        "rounds": planned,
        "run": {count: run(count) for count in sizes.run_cells},
    }


def best(found: list[dict[str, float]]) -> dict[str, float]:
    """Return the least of each number over some rounds."""
    return {name: min(each[name] for each in found) for name in found[0]}


def plan(count: int) -> dict[str, float]:
    """Return the cost of planning a number of cells."""
    with tempfile.TemporaryDirectory() as folder:
        file = sweeps.write(Path(folder), count, TINY)
        stages = child.run(["benchmarks.stages", file.name], Path(folder))
        dry = child.run(sweeps.snakemake(1, "--dry-run", "--quiet"), Path(folder))
    answer = json.loads(stages.output)
    return {
        **answer["seconds"],
        "batches": answer["batches"],
        "peak": stages.peak,
        "dry_run": dry.cpu,
        "dry_run_wall": dry.wall,
        "dry_run_peak": dry.peak,
    }


def run(count: int) -> dict[str, float]:
    """Return the cost of running a number of cells on one core, report included."""
    with tempfile.TemporaryDirectory() as folder:
        sweeps.write(Path(folder), count, TINY)
        spent = child.run(sweeps.snakemake(1), Path(folder))
        metas = series_files.read_metas(Path(folder) / "results/cells")
    updates = sum(meta["cpu_seconds"] for meta in metas.values())
    share = 1 - updates / spent.cpu
    return {"wall": spent.wall, "cpu": spent.cpu, "updates": updates, "share": share,
            "cells": len(metas), "peak": spent.peak}  # fmt: skip


def lines(result: dict[str, Any]) -> list[str]:
    """Return two tables: planning and running."""
    heads = ("expand", "plan", "status", "files", "dry run", "peak", "peak, dry run")
    output = [f"{'cells':>8}{'batches':>9}" + "".join(f"{head:>15}" for head in heads)]
    for count, found in result["planned"].items():
        numbers = [f"{found[name]:.3f} s" for name in (*STAGES, "dry_run")]
        numbers += [f"{found[name]:.0f} MB" for name in ("peak", "dry_run_peak")]
        row = f"{int(count):8,}{found['batches']:9}"
        output.append(row + "".join(f"{number:>15}" for number in numbers))
    output += ["CPU seconds; a plan expands the sweep, and so does the dry run", ""]
    output.append(f"{'cells run':>10}{'wall':>10}{'CPU':>10}{'updates':>10}{'not on updates':>16}")
    for count, found in result["run"].items():
        times = "".join(f"{found[name]:8.1f} s" for name in ("wall", "cpu", "updates"))
        output.append(f"{int(count):10,}{times}{found['share']:16.0%}")
    return output


def targets(result: dict[str, Any]) -> list[Target]:
    """Return what the workflow was to reach."""
    seconds = result["planned"].get("10000", {}).get("expand")
    return [Target("expanding 10,000 cells", seconds, 10.0, unit="s")]
