"""The end of a run in a few lines: verdicts, unreliable cells, bits, time; or what failed.

In: the Jobs of a run and the files that it wrote. Out: lines for the terminal.
"""

import re
import textwrap
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from nrevu.pipeline import cpu_time
from nrevu.pipeline.jobs import ROOT, Jobs
from nrevu.pipeline.plan import Plan
from nrevu.pipeline.snakemake_api import Failure
from nrevu.results.series_files import read_meta, series_path

REASONS = ("failed: ", r"slurmstepd\S*: error: ")  # begin lines of a log that say what happened
NAMED = 3  # cells of a failed batch that are named, at most
WIDTH = 110  # of the terminal


def summary_lines(jobs: Jobs, began: float, cores: int | None, cpu: float) -> list[str]:
    """Return what a run that finished found; `cpu` is the CPU time of the main process."""
    import pandas as pd

    from nrevu.analysis.comparison import gather, read_comparison
    from nrevu.analysis.wording import summary

    tables, compared = {}, []
    for name in jobs.experiments:
        table = Path(jobs.file(name, "table.parquet"))
        if not table.exists():  # a part of the workflow was asked for
            continue
        tables[name] = pd.read_parquet(table)
        if is_current(table.with_name("comparison.csv"), table):
            comparison = read_comparison(table.with_name("comparison.csv"))
            compared.append(comparison.assign(experiment=name))
    lines = summary(gather(compared)) if compared else []
    confirmed = read_confirmed(jobs, tables)
    sentences = [*unreliable_lines(tables), *edge_lines(jobs, tables, confirmed)]
    sentences += reference_lines(jobs, [*tables.values(), *confirmed.values()])
    lines += [line for sentence in sentences for line in textwrap.wrap(sentence, WIDTH)]
    lines.append(cpu_line(jobs, began, cores, cpu))
    page = Path(jobs.pages()[0])
    report = f"report: {page}; the rest: " if page.exists() else "results: "
    return [*lines, f"{report}{page.parent}"]


def is_current(file: Path, source: Path) -> bool:
    """Tell whether a file exists and is not older than the table it is made from."""
    return file.exists() and file.stat().st_mtime >= source.stat().st_mtime


def unreliable_lines(tables: dict) -> list[str]:
    """Return how many cells have an unreliable time, for each reason."""
    from nrevu.analysis.table import unreliable

    counts = {name: unreliable(table) for name, table in tables.items()}
    lines = []
    for reason in next(iter(counts.values()), ()):
        parts = [f"{each[reason]} of {name}" for name, each in counts.items() if each[reason]]
        lines += [f"{reason}: {', '.join(parts)}"] if parts else []
    return lines


def read_confirmed(jobs: Jobs, names: Iterable[str]) -> dict:
    """Return the tables of confirmed cells that are there, by their experiments."""
    import pandas as pd

    files = {name: Path(jobs.file(name, "confirmed.parquet")) for name in names}
    return {
        name: pd.read_parquet(file)
        for name, file in files.items()
        if is_current(file, file.with_name("table.parquet"))
    }


def edge_lines(jobs: Jobs, tables: dict, confirmed: dict) -> list[str]:
    """Return which best cells lie at the edge of their grid."""
    from nrevu.analysis.edges import reported_edges
    from nrevu.results.layout import plan_data

    found = {}
    for name, runs in confirmed.items():
        names = plan_data(Path(ROOT), jobs.label, name)["confirm"]["for_each"]
        found[name] = reported_edges(tables[name], runs, names)
    texts = [f"{name} {group}: {text}" for name, of in found.items() for group, text in of.items()]
    return [f"best cells at the edge of their grid: {'; '.join(texts)}"] if texts else []


def reference_lines(jobs: Jobs, tables: Sequence) -> list[str]:
    """Return how the cells compare, bit by bit, with the reference run that the package ships."""
    from nrevu.results import reference

    return reference.describe_tables(tables, jobs.size, provenance_of)


def provenance_of(digests: Sequence[str]) -> list[dict]:
    """Return the provenance of the first of some cells, unless there is none."""
    metas = [read_meta(series_path(Path(ROOT) / "cells", digest)) for digest in digests[:1]]
    return [meta["provenance"] for meta in metas if meta]


def cpu_line(jobs: Jobs, began: float, cores: int | None, cpu: float) -> str:
    """Return where the CPU time of the run went."""
    root = Path(ROOT)
    logs = [*root.glob("kernels/*.log"), *root.glob("log/*.txt")]
    for name in jobs.experiments:
        logs += Path(jobs.file(name, "log")).glob("*.txt")
    return cpu_time.describe(cpu_time.read_logs(logs, began), time.time() - began, cores, cpu)


def failure_lines(plan: Plan, jobs: Jobs, failed: Iterable[Failure]) -> list[str]:
    """Return lines on jobs (logs, outputs) that failed for good: last messages, cells not run."""
    lines = []
    for logs, outputs in list(failed):
        for file in dict.fromkeys(logs):
            lines += [f"{file}: {line}" for line in last_messages(Path(file))]
        lines += cells_not_run(plan, jobs, outputs)
    return lines


def last_messages(log: Path) -> list[str]:
    """Return the end of a failed job's log: the cell it was at, and the error.

    In a log of Slurm, also why the job was killed, which may stand before the end.
    """
    try:
        lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    except OSError:
        return ["there is no log"]
    reasons = [[line for line in lines if re.match(start, line)][-1:] for start in REASONS]
    return list(dict.fromkeys([*reasons[0], *reasons[1], *lines[-1:]]))


def cells_not_run(plan: Plan, jobs: Jobs, outputs: list[str]) -> list[str]:
    """Return which cells of a failed batch have no series, a few by name."""
    lines = []
    for name, batches in plan.batches.items():
        for batch, cells in batches.items():
            if jobs.file(name, f"tau/{batch}.json") in outputs:
                left = [c for c in cells if not series_path(plan.cell_folder, c.digest).exists()]
                lines += [f"not run: {cell.digest}: {cell.name}" for cell in left[:NAMED]]
                lines += [f"and {len(left) - NAMED} more of {name}"] if len(left) > NAMED else []
    return lines
