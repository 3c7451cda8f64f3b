"""What Snakemake is to do: experiments expanded, their cells packed into batches.

In: the workflow's --config. Out: a Plan. A cell is the unit of identity, a batch the unit of
work; batches are packed by estimated CPU time.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nrevu.analysis.selection import groups
from nrevu.cells.cell import Cell
from nrevu.errors import Mistake, unknown
from nrevu.experiments.experiment import Experiment, default_set, expand, find, source
from nrevu.experiments.settings import Setting
from nrevu.files import code_hash
from nrevu.pipeline.batches import batch_seconds, kernel_name, pack
from nrevu.pipeline.cost_model import confirm_cost, cost
from nrevu.pipeline.speeds import known, measured
from nrevu.results.layout import Record, label_of, labels, read_records, source_hash

CONFIG_KEYS = {
    "experiments": "all",  # names or paths, separated by commas
    "size": "paper",  # a file of conf/size
    "seed": None,  # default: what conf/ says
    "batch": None,  # CPU seconds that a batch should take, about; default: see batch_seconds
}


@dataclass(frozen=True)
class Plan:
    """The work of one call of Snakemake."""

    size: str
    label: str  # of the size, and of the seed if one was given: names the folder of results
    seed: int | None
    root: Path  # where the results go
    experiments: Mapping[str, Experiment]
    sources: Mapping[str, str]  # what to call each experiment by on a command line
    batches: Mapping[str, Mapping[str, tuple[Cell, ...]]]  # by experiment and label
    confirms: Mapping[str, Mapping[str, tuple[int, ...]]]  # numbers of groups, as batches are
    confirm_seconds: Mapping[str, float]  # about, for one of the groups of an experiment
    speeds: Mapping[str, float]  # of users' distributions

    @property
    def folder(self) -> Path:
        """Return where the series of cells are kept."""
        return self.root / "cells"

    def cells(self) -> dict[str, Cell]:
        """Return all cells by digest."""
        return {c.digest: c for e in self.experiments.values() for c in e.cells}

    def batch_file(self, experiment: str, batch: str) -> Path:
        """Return the file that holds the cells of a batch, named by what is in it."""
        digests = [cell.digest for cell in self.batches[experiment][batch]]
        return self.root / "plan" / f"{short_hash(digests)}.json"

    def tau_file(self, experiment: str, batch: str) -> Path:
        """Return the file of the results of a batch."""
        return self.made(experiment) / "tau" / f"{batch}.json"

    def made(self, experiment: str) -> Path:
        """Return the folder of an experiment's tables and figures."""
        return self.root / self.label / experiment

    def kernels(self, experiment: str, batch: str) -> list[str]:
        """Return the files that say the kernels of a batch are compiled."""
        names = sorted({kernel_name(cell) for cell in self.batches[experiment][batch]})
        return [f"{self.root}/kernels/{name}.txt" for name in names]

    def wanted(self) -> list[str]:
        """Return the files that the whole plan is to make."""
        files = [file for name in self.experiments for file in self.files(name)]
        return [*files, *self.pages(), str(self.root / "report.html")]

    def files(self, experiment: str) -> list[str]:
        """Return the tables and figures of an experiment."""
        e = self.experiments[experiment]
        files = ["table.csv", "table.parquet"]
        files += [f"{figure}.{form}" for figure in e.figures for form in ("png", "svg", "pdf")]
        files += ["confirmed.csv", "confirmed.parquet"] if e.confirm else []
        files += ["comparison.csv"] if e.published or e.claims else []
        return [str(self.made(experiment) / file) for file in files]

    def pages(self) -> list[str]:
        """Return the page on all experiments of this size and seed, and its summary."""
        return [str(self.root / self.label / f"report.{form}") for form in ("html", "json")]

    def caption(self, experiment: str, figure: str) -> list[str]:
        """Return title, section and notes for Snakemake's own report, in reStructuredText."""
        e = self.experiments[experiment]
        title = e.figures[figure].title or e.title
        return [re.sub(r"([^\w\s])", r"\\\1", text) for text in (title, e.section or "", *e.notes)]

    def size_words(self) -> list[str]:
        """Return the words that name size and seed to the `nrevu` command."""
        return ["--size", self.size, *([] if self.seed is None else ["--seed", str(self.seed)])]

    def records(self) -> dict[str, Record]:
        """Return what is written down of each experiment for the report."""
        return {
            name: Record(
                source, self.size, self.seed, self.files(name), self.outputs_fingerprint(name)
            )
            for name, source in self.sources.items()
        }

    def reported(self) -> dict[str, Record | None]:
        """Return all experiments of the page: those of this plan, and others planned before."""
        return {**read_records(self.root / self.label), **self.records()}

    def report_inputs(self) -> list[str]:
        """Return the files of all experiments of the page; those of others as far as they exist."""
        found = [(name, r.files) for name, r in self.reported().items() if r is not None]
        own = self.experiments
        return [f for name, files in found for f in files if name in own or Path(f).exists()]

    def report_fingerprint(self) -> str:
        """Return a hash of all that the report depends on, the same whatever else is planned."""
        parts = {
            name: [record.fingerprint, source_hash(record.source)] if record else None
            for name, record in self.reported().items()
        }
        return short_hash([parts, code_hash("report", "results", "analysis")])

    def index_inputs(self) -> list[str]:
        """Return the summaries of the pages that the index leads to."""
        others = [label for label in labels(self.root) if label != self.label]
        summaries = [self.root / label / "report.json" for label in others]
        return [self.pages()[1], *(str(path) for path in summaries if path.exists())]

    def index_fingerprint(self) -> str:
        """Return a hash of all that the index depends on, besides those summaries."""
        return short_hash([sorted({*labels(self.root), self.label}), code_hash("report")])

    def outputs_fingerprint(self, experiment: str) -> str:
        """Return a hash of all that the tables and figures of an experiment depend on."""
        figures = self.experiments[experiment].figures
        figures = [self.figure_fingerprint(experiment, figure) for figure in figures]
        return short_hash([self.comparison_fingerprint(experiment), figures])

    def tau_code(self) -> str:
        """Return a hash of the sources of the analysis of single cells."""
        return code_hash("analysis", "distributions")

    def table_fingerprint(self, experiment: str) -> str:
        """Return a hash of all that a table depends on.

        Snakemake takes a target for up to date though a file between it and its cells is missing,
        as after a job that failed; with this among its parameters a stale target is seen.
        """
        e = self.experiments[experiment]
        cells = [cell.digest for cell in e.cells]
        return short_hash([cells, str(e.estimate), self.tau_code(), code_hash("analysis")])

    def trace_fingerprint(self, experiment: str) -> str:
        """Return a hash of all that the traces depend on."""
        trace = self.experiments[experiment].trace
        code = code_hash("analysis")
        return short_hash([self.table_fingerprint(experiment), trace, code])

    def tables(self, experiment: str) -> list[str]:
        """Return the tables that figures and comparisons of an experiment are made from."""
        names = [experiment, *self.experiments[experiment].beside]
        return [str(self.made(name) / "table.parquet") for name in names]

    def all_fingerprint(self, experiment: str) -> str:
        """Return a hash of all that the tables of an experiment, and those beside, depend on."""
        names = [experiment, *self.experiments[experiment].beside]
        return short_hash([self.table_fingerprint(name) for name in names])

    def figure_fingerprint(self, experiment: str, figure: str) -> str:
        """Return a hash of all that a figure depends on."""
        e = self.experiments[experiment]
        own = [e.title, e.figures[figure], e.published, e.claims]
        code = code_hash("figures", "analysis")
        confirmed = self.drawn_confirmed(experiment, figure)
        confirmed = [self.confirm_fingerprint(Path(file).parent.name) for file in confirmed]
        return short_hash([self.all_fingerprint(experiment), confirmed, e.trace, own, code])

    def confirm_fingerprint(self, experiment: str) -> str:
        """Return a hash of all that the confirmed cells of an experiment depend on."""
        confirm = self.experiments[experiment].confirm
        code = code_hash("analysis")
        return short_hash([self.table_fingerprint(experiment), confirm, code])

    def confirm_files(self, experiment: str) -> list[str]:
        """Return the files of the confirmed cells of an experiment, one for each batch."""
        return [self.confirm_file(experiment, batch) for batch in self.confirms[experiment]]

    def confirm_file(self, experiment: str, batch: str) -> str:
        """Return the file of the confirmed cells of a batch of groups."""
        return str(self.made(experiment) / "confirm" / f"{batch}.json")

    def confirmed(self, experiment: str) -> list[str]:
        """Return the tables of confirmed cells that a comparison is made from."""
        names = [experiment, *self.experiments[experiment].beside]
        tables = [self.made(n) / "confirmed.parquet" for n in names if self.experiments[n].confirm]
        return [str(table) for table in tables]

    def drawn_confirmed(self, experiment: str, figure: str) -> list[str]:
        """Return the tables of confirmed cells that a figure is drawn from."""
        uses = self.experiments[experiment].figures[figure].uses
        return self.confirmed(experiment) if "confirmed" in uses else []

    def comparison_fingerprint(self, experiment: str) -> str:
        """Return a hash of all that a comparison depends on."""
        e = self.experiments[experiment]
        own = [
            e.published,
            e.claims,
            str(e.family),
            code_hash("analysis"),
        ]
        confirmed = [self.confirm_fingerprint(Path(f).parent.name) for f in self.confirmed(e.name)]
        return short_hash([self.all_fingerprint(experiment), confirmed, own])

    def traces(self, experiment: str, figure: str) -> list[str]:
        """Return the file of traces if a figure needs it."""
        settings = self.experiments[experiment].figures[figure]
        return [str(self.made(experiment) / "traces.json")] if "trace" in settings.uses else []

    def words(self, experiment: str) -> list[str]:
        """Return the words that name an experiment to the `nrevu` command."""
        return [self.sources[experiment], *self.size_words()]


def short_hash(data: Any) -> str:
    """Return 12 hex digits of plain data."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, default=str).encode()).hexdigest()[:12]


def from_workflow(
    config: Mapping[str, Any],
    root: str = "results",
    tell: Callable[[str], None] | None = None,
    least: float | None = None,
) -> Plan:
    """Return the plan for what was given to Snakemake as --config.

    Only with someone to tell of it the speed of users' distributions is measured; that takes time.
    `least` is how many seconds of work a cluster wants in a job of its own.
    """
    for key in config:
        if key not in CONFIG_KEYS:
            raise unknown("key", key, CONFIG_KEYS, place="--config")
    given = {**CONFIG_KEYS, **config}
    names = given["experiments"]
    names = names if isinstance(names, list) else str(names or "").split(",")
    names = [str(name).strip() for name in names if str(name).strip()]
    if not names:
        raise Mistake("names none: leave it out for all of them", "experiments", "--config")
    names = default_set() if names == ["all"] else list(dict.fromkeys(names))
    size = str(given["size"])
    wanted = given["batch"]
    if wanted is not None and (type(wanted) not in (int, float) or not wanted > 0):
        raise Mistake(f"{wanted!r} is not allowed: seconds, above 0", "batch", "--config")
    extra = () if given["seed"] is None else (Setting("seed", given["seed"], "--config"),)
    sources, experiments = {}, {}
    while names:  # with those whose cells are shown beside another's
        name = names.pop(0)
        other = sources.setdefault(find(name).stem, source(name))
        if not find(other).samefile(find(name)):
            message = f"'{other}' and '{name}' have the same name, and would share their results"
            raise Mistake(message, "experiments", "--config")
        experiment = experiments[find(name).stem] = expand(name, size, extra)
        names += [path for other, path in experiment.beside.items() if other not in experiments]
    cells = [cell for e in experiments.values() for cell in e.cells]
    speeds = measured(cells, Path(root), tell) if tell else known(Path(root))
    costs = {name: [cost(cell, speeds) for cell in e.cells] for name, e in experiments.items()}
    whole = sum(map(sum, costs.values()))
    batches, confirms, each = {}, {}, {}
    for name, e in experiments.items():
        seconds = wanted or batch_seconds(sum(costs[name]), whole, least)
        batches[name] = pack(e.cells, seconds, lambda cell: cost(cell, speeds))
        each[name] = confirm_cost(e, speeds)
        numbers = range(len(groups(e.cells, e.confirm)))
        confirms[name] = pack(numbers, seconds, lambda _, s=each[name]: s)
    return Plan(
        size=size,
        label=label_of(size, given["seed"]),
        seed=given["seed"],
        root=Path(root),
        experiments=experiments,
        sources=sources,
        batches=batches,
        confirms=confirms,
        confirm_seconds=each,
        speeds=speeds,
    )
