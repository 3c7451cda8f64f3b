"""The plan, written down: one small JSON file for each job, the input of its rule.

In: a Plan. Out: results/plan/: a file is written only where its content changes, so that Snakemake
runs again exactly what depends on it. Each holds all settings that its job reads, and a hash of the
code that makes the job's output. Jobs read these files, never YAML or the command line.
"""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nrevu.cells.cell import Cell, config
from nrevu.errors import Mistake
from nrevu.experiments.experiment import to_data
from nrevu.files import code_hash, read_json, write_atomically
from nrevu.pipeline.batches import kernel_name
from nrevu.pipeline.jobs import Jobs
from nrevu.pipeline.plan import Plan

# What decides an experiment's comparison, besides its tables.
COMPARED = ("name", "published", "claims", "family", "estimate")
# The code that makes tables, figures and pages from stored series.
STEPS = ("pipeline/steps.py", "experiments/columns.py", "results/tables.py")
ANALYSIS = ("analysis", "distributions", *STEPS)
FIGURES = ("analysis", "figures", *STEPS)
REPORT = (*FIGURES, "results", "report")


def plan_files(plan: Plan, jobs: Jobs) -> dict[Path, str]:
    """Return the text of every plan file, by path."""
    cells = {kernel_name(cell): cell for cell in plan.cells().values()}
    parts: dict[str, Any] = {
        jobs.plan_file("kernels", name): kernel_plan(jobs, name, cell)
        for name, cell in cells.items()
    }
    for name in plan.experiments:
        for step, data in experiment_files(plan, jobs, name):
            parts[jobs.plan_file(plan.label, name, step)] = data
    names = sorted({*jobs.experiments, *jobs.others})
    report = {"experiments": names, "code": code_hash(*REPORT)}
    parts[jobs.plan_file(plan.label, "report")] = report
    index = {"labels": jobs.labels(), "code": code_hash("report", "pipeline/steps.py")}
    parts[jobs.plan_file("index")] = index
    parts[jobs.plan_file("jobs")] = asdict(jobs)
    return {Path(path): json.dumps(data, indent=1) for path, data in parts.items()}


def kernel_plan(jobs: Jobs, name: str, cell: Cell) -> dict[str, Any]:
    """Return the plan of a kernel: a cell that needs it, the same one once it is compiled."""
    with contextlib.suppress(OSError, ValueError):
        if Path(jobs.kernel_file(name)).exists():
            return read_json(Path(jobs.plan_file("kernels", name)))
    return {"cells": {cell.digest: config(cell)}}


def experiment_files(plan: Plan, jobs: Jobs, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the step and the contents of each plan file of an experiment."""
    e, own = plan.experiments[name], jobs.experiments[name]
    everything = to_data(e)
    estimate, analysis = everything["estimate"], code_hash(*ANALYSIS)
    for batch, cells in plan.batches[name].items():
        configs = {cell.digest: config(cell) for cell in cells}
        yield f"sample-{batch}", {"cells": configs, "estimate": estimate, "code": analysis}
    yield "table", {"batches": list(plan.batches[name]), "code": analysis}
    confirm = {"confirm": everything["confirm"], "code": analysis}
    for batch, again in plan.confirms[name].items():
        work = [run._asdict() for run in again]
        yield f"confirm-{batch}", {"again": work, "estimate": estimate, **confirm}
    if own.confirms:
        yield "confirmed", confirm
    if own.trace:
        yield "trace", {"trace": everything["trace"], "code": analysis}
    compared = {key: everything[key] for key in COMPARED}
    if own.compared:
        yield "compare", {**compared, "code": analysis}
    drawn = {**compared, "title": e.title, "code": code_hash(*FIGURES)}
    for figure, settings in everything["figures"].items():
        yield f"figure-{figure}", {**drawn, "figures": {figure: settings}}
    yield "experiment", {**everything, "batches": list(own.batches), "files": own.outputs()}


def write_plan(plan: Plan, jobs: Jobs, running: str | None = None) -> None:
    """Write the plan files that changed, and delete those of batches and figures that are gone.

    While another process runs the workflow here (`running`), nothing may change.
    """
    texts = plan_files(plan, jobs)
    changed = {path: text for path, text in texts.items() if content(path) != text}
    folders = [Path(jobs.plan_file(plan.label, name)).with_suffix("") for name in plan.experiments]
    stale = [path for folder in folders for path in folder.glob("*.json") if path not in texts]
    if running and (changed or stale):
        message = f"process {running} is running another plan in this folder"
        raise Mistake(f"{message}: wait until it ends. `nrevu plan` shows what is to run")
    for path, text in changed.items():
        write_atomically(path, text)
    for path in stale:
        path.unlink(missing_ok=True)


def content(path: Path) -> str | None:
    """Return the text of a file, or None if it has none."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
