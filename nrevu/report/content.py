"""The content of a page: the results so far of some experiments, and which cannot be read.

In: results/, and the records of the experiments planned there. Out: Content.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from nrevu.analysis.table import table as table_of
from nrevu.cells.cell import Cell
from nrevu.errors import Mistake
from nrevu.experiments.experiment import Experiment
from nrevu.results.layout import load_planned


@dataclass(frozen=True)
class ExperimentResults:
    """The results so far of an experiment."""

    experiment: Experiment
    table: pd.DataFrame  # of the finished cells, in the experiment's order
    confirmed: pd.DataFrame | None
    missing: tuple[Cell, ...]
    provenance: tuple[dict[str, str], ...]  # of those cells, each kind once
    folder: Path  # of its figures


@dataclass
class Content:
    """The results that a page shows."""

    label: str
    found: list[ExperimentResults] = field(default_factory=list)
    beside: list[ExperimentResults] = field(default_factory=list)  # only for comparisons
    unreadable: dict[str, str] = field(default_factory=dict)  # reasons, by experiment


def load_label(results: Path, label: str, names: Sequence[str]) -> Content:
    """Return the results so far of some experiments that were planned under a label.

    Also of the experiments in their `beside`, which their claims and figures use.
    """
    content = Content(label)
    for name in names:
        try:
            found = load(results, label, name)
            loaded = {f.experiment.name for f in content.beside}
            others = [other for other in found.experiment.beside if other not in loaded]
            content.beside += [load(results, label, other) for other in others]
            content.found.append(found)
        except Mistake as mistake:
            content.unreadable[name] = str(mistake)
    return content


def load(results: Path, label: str, name: str) -> ExperimentResults:
    """Return the results so far of an experiment that was planned under a label."""
    return find_results(*load_planned(results, label, name), results / label / name)


def find_results(experiment: Experiment, batches: Sequence[str], folder: Path) -> ExperimentResults:
    """Return the results of an experiment's batches so far, and of what follows from them."""
    read: dict[str, dict[str, Any]] = {}
    for batch in batches:
        read |= read_batch(folder / "tau" / f"{batch}.json", experiment)
    results = [read[cell.digest] for cell in experiment.cells if cell.digest in read]
    missing = tuple(cell for cell in experiment.cells if cell.digest not in read)
    kinds = sorted({json.dumps(result.get("provenance", {})) for result in results})
    confirmed = None if missing else read_confirmed(folder / "confirmed.parquet")
    provenance = tuple(json.loads(kind) for kind in kinds)
    return ExperimentResults(experiment, table_of(results), confirmed, missing, provenance, folder)


def read_batch(file: Path, experiment: Experiment) -> dict[str, dict[str, Any]]:
    """Return the results of a batch by digest; none if the file is damaged or outdated."""
    try:
        content = json.loads(file.read_text())
        if content["estimate"] != vars(experiment.estimate):
            return {}
        table_of(content["results"])
        return {result["digest"]: result for result in content["results"]}
    except (OSError, ValueError, KeyError, TypeError, Mistake):
        return {}


def read_confirmed(file: Path) -> pd.DataFrame | None:
    """Return the table of confirmed cells, if there is one that can be read, of this version."""
    try:
        confirmed = pd.read_parquet(file)
    except (OSError, ValueError):
        return None
    return confirmed if confirmed.empty or "last" in confirmed else None
