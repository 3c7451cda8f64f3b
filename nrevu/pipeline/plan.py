"""The plan of a run: experiments resolved once, their cells packed into batches.

In: the workflow's --config. Out: a Plan; and its Jobs, what the rules ask. A cell is the unit of
identity, a batch the unit of work; batches are packed by estimated CPU time.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from nrevu.analysis.confirmation import groups
from nrevu.cells.cell import Cell
from nrevu.errors import Mistake, check_known
from nrevu.experiments.experiment import Experiment, default_set, expand, find
from nrevu.experiments.settings import seed_setting
from nrevu.pipeline import cost_model
from nrevu.pipeline.batches import batch_seconds, kernel_name, pack
from nrevu.pipeline.cost_model import confirm_costs, cost, settling, size_on_disk
from nrevu.pipeline.jobs import ROOT, ExperimentJobs, FigureJob, Job, Jobs
from nrevu.results.layout import label_of, planned_files

CONFIG_KEYS = {
    "experiments": "all",  # names or paths, separated by commas
    "size": "paper",  # a file of conf/size
    "seed": None,  # default: what conf/ says
    "batch": None,  # CPU seconds that a batch should take, about; default: see batch_seconds
}
COPIES = 4  # of the longest series that are in memory at a time
TRACED = 16  # bytes for each update of a traced cell


class Again(NamedTuple):
    """A run of one of the best cells again: which one is known when all before it have run."""

    round: int  # 1, 2, ...
    group: Mapping[str, Any]  # the cells among which it is
    rank: int  # 1: the best


@dataclass(frozen=True)
class Plan:
    """The work of one call of Snakemake."""

    size: str
    seed: int | None
    experiments: Mapping[str, Experiment]
    batches: Mapping[str, Mapping[str, tuple[Cell, ...]]]  # by experiment and name
    confirms: Mapping[str, Mapping[str, tuple[Again, ...]]]  # runs again, as batches are
    speeds: Mapping[str, float]  # of users' distributions
    root: Path = field(default=Path(ROOT))

    @property
    def label(self) -> str:
        """Return the name of the folder of results."""
        return label_of(self.size, self.seed)

    @property
    def cell_folder(self) -> Path:
        """Return where the series of cells are kept."""
        return self.root / "cells"

    def cells(self) -> dict[str, Cell]:
        """Return all cells by digest."""
        return {c.digest: c for e in self.experiments.values() for c in e.cells}


def plan_from_config(
    config: Mapping[str, Any],
    announce: Callable[[str], None] | None = None,
    least_seconds: float | None = None,
) -> Plan:
    """Return the plan for what was given to Snakemake as --config.

    The speed of users' distributions is measured only if `announce` can say so: it takes time.
    `least_seconds` is how much work a cluster wants in each job.
    """
    for key in config:
        check_known("key", key, CONFIG_KEYS, place="--config")
    given = {**CONFIG_KEYS, **config}
    size, seed, wanted = str(given["size"]), given["seed"], given["batch"]
    if wanted is not None and (type(wanted) not in (int, float) or not wanted > 0):
        raise Mistake(f"{wanted!r} is not allowed: seconds, above 0", "batch", "--config")
    experiments = resolve(names_of(given["experiments"]), size, seed)
    cells = [cell for e in experiments.values() for cell in e.cells]
    speeds = cost_model.stored_speeds(Path(ROOT))
    if announce:
        speeds = cost_model.measure_speeds(cells, Path(ROOT), announce)
    costs = {name: [cost(c, speeds) for c in e.cells] for name, e in experiments.items()}
    total, batches, confirms = sum(map(sum, costs.values())), {}, {}
    for name, e in experiments.items():
        seconds = wanted or batch_seconds(sum(costs[name]), total, least_seconds)
        batches[name] = pack(e.cells, seconds, costs[name])
        confirms[name] = pack_rounds(e, seconds, speeds)
    return Plan(size, seed, experiments, batches, confirms, speeds)


def pack_rounds(
    experiment: Experiment, seconds: float, speeds: Mapping[str, float]
) -> dict[str, tuple[Again, ...]]:
    """Return batches of runs of the best cells again, by a name that begins with the round."""
    if not experiment.confirm:
        return {}
    # A group of a single cell has nothing to select.
    members = [each for each in groups(experiment.cells, experiment.confirm) if each[1] > 1]
    batches: dict[str, tuple[Again, ...]] = {}
    costs = confirm_costs(experiment, speeds)
    for turn, (cells, _) in enumerate(experiment.confirm.rounds, start=1):
        work = [
            Again(turn, group, rank + 1)
            for group, count in members
            for rank in range(min(cells, count))
        ]
        packed = pack(work, seconds, [costs[turn - 1]] * len(work))
        batches |= {f"{turn}-{batch}": again for batch, again in packed.items()}
    return batches


def names_of(experiments: str | list) -> list[str]:
    """Return the names or paths of the experiments that --config lists."""
    listed = experiments if isinstance(experiments, list) else str(experiments or "").split(",")
    names = [str(name).strip() for name in listed if str(name).strip()]
    if not names:
        raise Mistake("names none: leave it out for all of them", "experiments", "--config")
    return default_set() if names == ["all"] else names


def resolve(names: list[str], size: str, seed: int | None) -> dict[str, Experiment]:
    """Return the experiments of these names, and those whose cells they use, each resolved once."""
    extra = seed_setting(seed, "--config")
    experiments: dict[str, Experiment] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop(0)
        stem = find(name).stem
        if stem not in experiments:
            experiments[stem] = expand(name, size, extra)
            waiting += experiments[stem].beside.values()
        other = experiments[stem].source
        if not find(other).samefile(find(name)):
            message = f"'{other}' and '{name}' have the same name, and would share their results"
            raise Mistake(message, "experiments", "--config")
    return experiments


def jobs_of(plan: Plan) -> Jobs:
    """Return what the rules ask of a plan."""
    experiments = {name: experiment_jobs(plan, name) for name in plan.experiments}
    kernels: dict[str, float] = {}
    for name, e in plan.experiments.items():
        for kernel in {kernel_name(cell) for cell in e.cells}:
            kernels[kernel] = max(kernels.get(kernel, 0.0), experiments[name].urgency)
    others = planned_files(plan.root, plan.label)
    others = {name: files for name, files in others.items() if name not in experiments}
    return Jobs(plan.size, plan.seed, plan.label, kernels, experiments, others)


def experiment_jobs(plan: Plan, name: str) -> ExperimentJobs:
    """Return the jobs of one experiment."""
    e, speeds = plan.experiments[name], plan.speeds
    updates = max(cell.updates for cell in e.cells)
    trace = Job(sum(cost(cell, speeds) for cell in e.cells), TRACED * updates)
    longest, start = COPIES * max(map(size_on_disk, e.cells)), settling(e.cells[0], speeds)
    costs, rounds = confirm_costs(e, speeds), e.confirm.rounds if e.confirm else []
    return ExperimentJobs(
        cells=len(e.cells),
        batches={batch: sampling_job(cells, speeds) for batch, cells in plan.batches[name].items()},
        confirms={
            batch: Job(start + len(work) * costs[turn], rounds[turn][1] * longest)
            for batch, work in plan.confirms[name].items()
            for turn in [work[0].round - 1]
        },
        trace=trace if e.trace else None,
        figures={figure: figure_job(e, figure) for figure in e.figures},
        compared=bool(e.published or e.claims),
        beside=tuple(e.beside),
    )


def sampling_job(cells: tuple[Cell, ...], speeds: Mapping[str, float]) -> Job:
    """Return the job that samples a batch of cells."""
    seconds = sum(cost(cell, speeds) for cell in cells) + settling(cells[0], speeds)
    kernels = tuple(sorted({kernel_name(cell) for cell in cells}))
    return Job(seconds, COPIES * max(map(size_on_disk, cells)), kernels)


def figure_job(experiment: Experiment, name: str) -> FigureJob:
    """Return what a figure is drawn from, and its caption for Snakemake's own report."""
    figure = experiment.figures[name]
    texts = (figure.title or experiment.title, experiment.section or "", *experiment.notes)
    caption = tuple(re.sub(r"([^\w\s])", r"\\\1", text) for text in texts)
    return FigureJob("trace" in figure.uses, "confirmed" in figure.uses, caption)
