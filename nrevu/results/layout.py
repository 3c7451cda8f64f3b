"""The layout of results/: labels, and the experiments that were planned under each.

In: results/plan/LABEL/EXPERIMENT/, which the workflow writes before it runs. Out: experiments as
they were planned. LABEL is the size, with the seed if one was given.
"""

from pathlib import Path
from typing import Any

from nrevu.cells.cell import load_cells
from nrevu.errors import Mistake
from nrevu.experiments.experiment import Experiment, from_data
from nrevu.files import read_json

LOST = "its plan is missing or damaged; `nrevu make` with this experiment writes it again"


def label_of(size: str, seed: int | None) -> str:
    """Return the name of the folder of results at a size, and of a seed if one was given."""
    return size if seed is None else f"{size}-seed{seed}"


def labels(results: Path) -> list[str]:
    """Return the labels under which there are results of experiments."""
    names = {path.parts[-3] for path in results.glob("*/*/tau")}
    names |= {path.parts[-3] for path in (results / "plan").glob("*/*/experiment.json")}
    return sorted(name for name in names if planned_names(results, name))


def planned_names(results: Path, label: str) -> list[str]:
    """Return the experiments with results under a label: the paper's first, then by name."""
    folders = [path for path in (results / label).glob("*") if path.is_dir()]
    plans = results / "plan" / label
    names = [f.name for f in folders if (f / "tau").is_dir() or (plans / f.name).is_dir()]
    return sorted(names, key=lambda name: (not of_the_paper(results, label, name), name))


def of_the_paper(results: Path, label: str, name: str) -> bool:
    """Tell whether an experiment is one of the paper's."""
    return plan_data(results, label, name).get("family", {}).get("name") == "the paper"


def plan_data(results: Path, label: str, name: str) -> dict[str, Any]:
    """Return the plan of an experiment as plain data, empty if it cannot be read."""
    try:
        return read_json(results / "plan" / label / name / "experiment.json")
    except (OSError, ValueError):
        return {}


def planned_files(results: Path, label: str) -> dict[str, list[str]]:
    """Return the names of the tables and figures of each experiment planned under a label."""
    plans = {name: plan_data(results, label, name) for name in planned_names(results, label)}
    return {name: data["files"] for name, data in plans.items() if data}


def load_planned(results: Path, label: str, name: str) -> tuple[Experiment, list[str]]:
    """Return an experiment as it was planned, and the names of its batches."""
    data = plan_data(results, label, name)
    try:
        batches = data.pop("batches")
        folder = results / "plan" / label / name
        files = [folder / f"sample-{batch}.json" for batch in batches]
        cells = tuple(cell for file in files for cell in load_cells(file))
        del data["files"]
        return from_data(data, cells), batches
    except (OSError, ValueError, KeyError, TypeError):
        raise Mistake(LOST) from None
