"""What the rules of the workflow ask of a plan: which files, from which others, how long, how soon.

In: a Plan, in the process that resolves it; results/plan/jobs.json, which that process writes, in
all others. Out: a Jobs, plain data.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nrevu.experiments.sections import build
from nrevu.files import read_json
from nrevu.results.layout import labels

ROOT = "results"
SLOWER = 3.0  # how many times slower a node may be than the machine of the cost model
START_MINUTES = 5.0  # for Python to start from a busy file system, and to compile
PROCESS_MEGABYTES = 1200.0  # of two Snakemakes, numba and pandas
NEVER = "(?!)"  # a regular expression that matches nothing


@dataclass(frozen=True)
class Job:
    """The estimated size of one job."""

    seconds: float = 0.0  # of CPU time
    bytes: float = 0.0  # of memory, beyond that of the process itself
    kernels: tuple[str, ...] = ()  # names of the kernels that it calls

    @property
    def minutes(self) -> int:
        """Return the time limit of a job on a cluster, generous: a job beyond it is killed."""
        return math.ceil(START_MINUTES + SLOWER * self.seconds / 60)

    @property
    def megabytes(self) -> int:
        """Return the memory limit of a job on a cluster."""
        return math.ceil(PROCESS_MEGABYTES + self.bytes / 1e6)


@dataclass(frozen=True)
class FigureJob:
    """What a figure is drawn from."""

    traced: bool  # traces of single updates
    best: bool  # confirmed cells
    caption: tuple[str, ...]  # title, section and notes, in reStructuredText


@dataclass(frozen=True)
class ExperimentJobs:
    """The jobs of one experiment."""

    cells: int
    batches: dict[str, Job]  # that sample, by name
    confirms: dict[str, Job]  # that confirm best cells, by name
    trace: Job | None
    figures: dict[str, FigureJob]
    compared: bool  # whether there are published numbers or claims
    beside: tuple[str, ...]  # experiments whose tables figures and claims use too

    @property
    def urgency(self) -> float:
        """Return the seconds of confirmation on one core, which waits for all batches."""
        return sum(job.seconds for job in self.confirms.values())

    def outputs(self) -> list[str]:
        """Return the names of the tables and figures."""
        files = ["table.csv", "table.parquet"]
        files += [f"{figure}.{form}" for figure in self.figures for form in ("png", "svg", "pdf")]
        files += ["confirmed.csv", "confirmed.parquet"] if self.confirms else []
        return files + (["comparison.csv"] if self.compared else [])


@dataclass(frozen=True)
class Jobs:
    """The jobs of one call of Snakemake."""

    size: str
    seed: int | None
    label: str  # size, and seed if one was given: names the folder of results
    kernels: dict[str, float]  # names, with the urgency of the most urgent experiment
    experiments: dict[str, ExperimentJobs]
    others: dict[str, list[str]]  # experiments planned earlier at this label, with their files

    def file(self, experiment: str, name: str) -> str:
        """Return the path of a result of an experiment."""
        return f"{ROOT}/{self.label}/{experiment}/{name}"

    def plan_file(self, *parts: str) -> str:
        """Return the path of a plan file."""
        return "/".join([ROOT, "plan", *parts]) + ".json"

    def targets(self) -> list[str]:
        """Return the files that the whole run makes."""
        return [*self.tables_and_figures(), *self.pages(), f"{ROOT}/report.html"]

    def tables_and_figures(self) -> list[str]:
        """Return the tables and figures of all experiments."""
        return [self.file(n, file) for n, e in self.experiments.items() for file in e.outputs()]

    def pages(self) -> list[str]:
        """Return the page on all experiments of this label, and its summary."""
        return [f"{ROOT}/{self.label}/report.{form}" for form in ("html", "json")]

    def all_files(self) -> set[str]:
        """Return every file that the rules can make."""
        files = {*self.targets(), *map(self.kernel_file, self.kernels)}
        for name, e in self.experiments.items():
            files |= {self.file(name, f"tau/{batch}.json") for batch in e.batches}
            files |= {self.file(name, f"confirm/{batch}.json") for batch in e.confirms}
            files |= {self.file(name, "traces.json")} if e.trace else set()
        return files

    def kernel_file(self, name: str) -> str:
        """Return the file that says a kernel is compiled."""
        return f"{ROOT}/kernels/{name}.txt"

    def cell_plans(self, experiment: str) -> list[str]:
        """Return the plan files that hold the cells of an experiment."""
        batches = self.experiments[experiment].batches
        return [self.plan_file(self.label, experiment, f"sample-{batch}") for batch in batches]

    def tables(self, experiment: str) -> list[str]:
        """Return the tables that figures and comparisons of an experiment are made from."""
        names = [experiment, *self.experiments[experiment].beside]
        return [self.file(name, "table.parquet") for name in names]

    def confirmed(self, experiment: str) -> list[str]:
        """Return the tables of confirmed cells that a comparison is made from."""
        names = [experiment, *self.experiments[experiment].beside]
        confirmed = [name for name in names if self.experiments[name].confirms]
        return [self.file(name, "confirmed.parquet") for name in confirmed]

    def batch(self, w: Any) -> Job:
        """Return the job that samples a batch, by its wildcards."""
        return self.experiments[w.experiment].batches[w.batch]

    def confirm(self, w: Any) -> Job:
        """Return the job that confirms a batch of groups, by its wildcards."""
        return self.experiments[w.experiment].confirms[w.batch]

    def earlier(self, w: Any) -> list[str]:
        """Return the files of the rounds before that of a batch, by its wildcards."""
        turn = int(w.batch.partition("-")[0])
        confirms = self.experiments[w.experiment].confirms
        before = [batch for batch in confirms if int(batch.partition("-")[0]) < turn]
        return [self.file(w.experiment, f"confirm/{batch}.json") for batch in before]

    def figure(self, w: Any) -> FigureJob:
        """Return what a figure is drawn from, by its wildcards."""
        return self.experiments[w.experiment].figures[w.figure]

    def traces(self, w: Any) -> list[str]:
        """Return the file of traces, if a figure shows them."""
        return [self.file(w.experiment, "traces.json")] if self.figure(w).traced else []

    def drawn_confirmed(self, w: Any) -> list[str]:
        """Return the tables of confirmed cells, if a figure shows best cells."""
        return self.confirmed(w.experiment) if self.figure(w).best else []

    def report_inputs(self) -> list[str]:
        """Return what the page of this label shows: this run's files, and others' that exist."""
        others = [self.file(name, file) for name, files in self.others.items() for file in files]
        shown = [*self.tables_and_figures(), *(file for file in others if Path(file).exists())]
        names = (*self.experiments, *self.others)
        return [*(self.plan_file(self.label, name, "experiment") for name in names), *shown]

    def index_inputs(self) -> list[str]:
        """Return the summaries of the pages that the index links to."""
        others = [f"{ROOT}/{label}/report.json" for label in self.labels() if label != self.label]
        return [self.pages()[1], *(file for file in others if Path(file).exists())]

    def labels(self) -> list[str]:
        """Return the labels that the index lists: this run's, and others with results."""
        return sorted({self.label, *labels(Path(ROOT))})

    def constraints(self) -> dict[str, str]:
        """Return the regular expressions of the rules' wildcards: the names in the plan."""
        experiments = self.experiments.values()
        return {
            "size": any_of([self.label]),
            "experiment": any_of(self.experiments),
            "kernel": any_of(self.kernels),
            "batch": any_of(b for e in experiments for b in (*e.batches, *e.confirms)),
            "figure": any_of(figure for e in experiments for figure in e.figures),
        }


def any_of(names: Iterable[str]) -> str:
    """Return the regular expression that matches these names and nothing else."""
    return "|".join(map(re.escape, sorted(set(names)))) or NEVER


def load(file: Path) -> Jobs:
    """Return the Jobs of jobs.json."""
    return build(Jobs, read_json(file))
