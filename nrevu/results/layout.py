"""Which experiments a folder of results is of, so that a report can show all of them.

In: the experiments of a run, when it begins. Out: results/LABEL/EXPERIMENT/experiment.json, and
what these files say later. LABEL is the size, with the seed if one was given.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from nrevu.experiments.experiment import default_set, read
from nrevu.errors import Mistake
from nrevu.files import write_text

FILE = "experiment.json"


@dataclass(frozen=True)
class Record:
    """An experiment as it was last planned at some size and seed."""

    source: str  # a name in conf/experiment, or a YAML file's path from the working directory
    size: str
    seed: int | None
    files: list[str]  # that the workflow makes of it
    fingerprint: str  # of all that these files depend on


def write_records(folder: Path, records: dict[str, Record]) -> None:
    """Write the records of experiments to the folder of a label, where they changed."""
    for name, record in records.items():
        path, text = folder / name / FILE, json.dumps(asdict(record), indent=1)
        if not path.exists() or path.read_text() != text:
            write_text(path, text)


def read_records(folder: Path) -> dict[str, Record | None]:
    """Return the record of each experiment of a label; None where it cannot be read."""
    found = [path.parent.name for kind in (FILE, "tau") for path in folder.glob(f"*/{kind}")]
    return {name: read_record(folder / name / FILE) for name in in_order(found)}


def read_record(path: Path) -> Record | None:
    """Return one record, or None if it cannot be read."""
    try:
        return Record(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def in_order(names: Iterable[str]) -> list[str]:
    """Return each name once: the paper's experiments, then the others by name."""
    names, paper = set(names), default_set()
    return [*(name for name in paper if name in names), *sorted(names.difference(paper))]


def label_of(size: str, seed: int | None) -> str:
    """Return the name of the folder of results at a size, and of a seed if one was given."""
    return size if seed is None else f"{size}-seed{seed}"


def labels(results: Path) -> list[str]:
    """Return the labels under which there are results."""
    found = (path.parts[-3] for kind in (FILE, "tau") for path in results.glob(f"*/*/{kind}"))
    return sorted(set(found))


def source_hash(source: str) -> str:
    """Return a hash of what an experiment's YAML file says, or why it cannot be read."""
    try:
        return hashlib.sha256(repr(read(source).doc.data).encode()).hexdigest()[:16]
    except Mistake as mistake:
        return str(mistake)
