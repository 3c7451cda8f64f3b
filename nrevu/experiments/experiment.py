"""An experiment: a sweep over cells, the figures it makes and the numbers it is compared with.

In: the name of a file in conf/experiment, or the path of any such file. Out: an Experiment: its
sweep expanded into checked cells, its sections checked against them; or its plain data.
"""

import dataclasses
import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nrevu.cells.cell import Cell
from nrevu.errors import Mistake, check_known, shorten
from nrevu.experiments.checks import check_sections
from nrevu.experiments.experiment_file import default_set, find, read, source, sources_beside
from nrevu.experiments.pairs import check_claims
from nrevu.experiments.sections import Claim, Confirm, Published, Trace, build, figure_kinds
from nrevu.experiments.settings import Estimate, Setting, default_size, resolve
from nrevu.experiments.sweep import setting, settings_of
from nrevu.experiments.yaml_document import Document
from nrevu.files import choices


@dataclass(frozen=True)
class Family:
    """The comparisons that are judged together, whichever of their experiments run."""

    name: str  # the paper, or an experiment that is not one of the default ones
    numbers: int  # published numbers
    claims: int  # claims that a p-value decides: with a published number, or a joint test


@dataclass(frozen=True)
class Experiment:
    """A sweep and what is made of it."""

    name: str  # of its file, without the ending
    estimate: Estimate
    family: Family  # the comparisons that its own are judged together with
    source: str = ""  # how to name it on a command line: in conf/experiment, or a path
    title: str = ""
    section: str = ""  # of the paper, or ""
    notes: tuple[str, ...] = ()
    size: str = ""  # a file of conf/size
    seed: int | None = None  # from the command line; None: the configured one
    cells: tuple[Cell, ...] = ()
    # Sources of the other experiments whose cells it uses, by name.
    beside: Mapping[str, str] = field(default_factory=dict)
    confirm: Confirm | None = None
    trace: Trace | None = None
    # The Settings of each figure's kind, by the figure's name.
    figures: Mapping[str, Any] = field(default_factory=dict)
    published: tuple[Published, ...] = ()
    claims: tuple[Claim, ...] = ()


@functools.cache
def expand(name: str, size: str, extra: tuple[Setting, ...] = ()) -> Experiment:
    """Return an experiment at a size; `extra` settings (a seed) override those of the file."""
    file = read(name)
    sections = dict(vars(file))
    doc = sections.pop("doc")
    check_known("size", size, choices("size"), key="size")
    cells, estimate = expand_cells(doc, size, extra)
    beside = sources_beside(doc, find(name))
    others = [cell for other in beside.values() for cell in expand(other, size, extra).cells]
    check_sections(file, cells, others)
    check_claims(file, [*cells, *others])
    return Experiment(
        name=Path(name).stem,
        source=source(name),
        title=doc.data["title"],
        section=doc.data.get("section", ""),
        notes=tuple(doc.data.get("notes", ())),
        size=size,
        seed=next((each.value for each in extra if each.key == "seed"), None),
        cells=cells,
        estimate=estimate,
        beside=beside,
        family=family(name),
        **sections,
    )


def expand_cells(doc: Document, size: str, extra: tuple[Setting, ...]) -> tuple:
    """Return the cells of the sweep, and the estimate that all of them share."""
    cells, estimates = [], set()
    common = [Setting("size", size, "command line"), *shared(doc, size)]
    for settings in settings_of(doc):
        for each in settings:
            if each.key.partition(".")[0] in ("estimate", "size"):
                message = "cannot be swept: it is the same for all cells of an experiment"
                raise Mistake(message, each.key, each.place)
        try:
            cell, estimate = resolve([*common, *settings, *extra])
        except Mistake as mistake:  # of a key that has its default
            raise mistake.at(doc.file) from None
        cells.append((cell, settings))
        estimates.add(estimate)
    if not cells:
        why = ": all are excluded" if doc.data.get("exclude") else ""
        raise doc.mistake(f"has no cells{why}", "sweep")
    check_duplicates(cells)
    return tuple(cell for cell, _ in cells), estimates.pop()


def to_data(experiment: Experiment) -> dict[str, Any]:
    """Return an experiment, without its cells, as the plain data of a JSON file."""
    data = dataclasses.asdict(dataclasses.replace(experiment, cells=()))
    del data["cells"]
    return json.loads(json.dumps(data))


def from_data(data: Mapping[str, Any], cells: tuple[Cell, ...] = ()) -> Experiment:
    """Return the experiment of plain data, with cells or without; what is left out is empty."""
    values = {f.name: data[f.name] for f in dataclasses.fields(Experiment) if f.name in data}
    figures = values.get("figures", {}).items()
    values["figures"] = {name: build(figure_kinds()[f["kind"]], f) for name, f in figures}
    return build(Experiment, {**values, "cells": cells})


def shared(doc: Document, size: str) -> list[Setting]:
    """Return the settings that all cells share, followed by those for this size only."""
    cell, sizes = doc.data["cell"], doc.data.get("sizes", {}).get(size) or {}
    if "size" in cell:
        raise doc.mistake("is chosen when running; put lengths under 'sizes'", "cell", "size")
    if not isinstance(sizes, dict) or "size" in sizes:
        raise doc.mistake("must be keys and values, 'size' not among them", "sizes", size)
    parts = [(("cell",), cell), (("sizes", size), sizes)]
    return [setting(doc, k, part[k], doc.place(*path, k)) for path, part in parts for k in part]


def check_duplicates(cells: list[tuple[Cell, list[Setting]]]) -> None:
    """Raise a Mistake if the sweep has duplicate cells."""
    seen: dict[str, str] = {}
    for cell, settings in cells:
        place = settings[0].place
        if cell.digest in seen:
            first = seen[cell.digest]
            where = ", ".join(f"{s.key}={shorten(s.value)}" for s in settings)
            other = f", first at {first}" if first != place else ""
            raise Mistake(f"the cell ({where}) is in the sweep twice{other}", "sweep", place)
        seen[cell.digest] = place


def single_cell(settings: list[Setting]) -> tuple[Cell, Estimate]:
    """Return the cell and the estimate that the arguments of `nrevu run` describe."""
    names = [each.value for each in settings if each.key == "experiment"]
    start = shared_settings(str(names[-1]), settings) if names else []
    return resolve([*start, *(each for each in settings if each.key != "experiment")])


def shared_settings(name: str, settings: list[Setting]) -> list[Setting]:
    """Return an experiment's shared settings, for a single cell.

    If its sweep varies the schedule, that is part of a cell's meaning and must be among `settings`.
    """
    doc = read(name).doc
    keys = [each.key for each in settings]
    for each in (each for cell in settings_of(doc) for each in cell):
        if each.key.startswith("schedule.") and each.key not in keys:
            raise Mistake(f"give it too: it varies in {doc.file}", each.key, "command line")
    sizes = [each.value for each in settings if each.key == "size"]
    return shared(doc, sizes[-1] if sizes else default_size())


def family(name: str) -> Family:
    """Return the comparisons that those of an experiment are judged together with.

    Those of all default experiments, whichever of them run, or of one other experiment alone: a
    verdict does not depend on what else is run.
    """
    together = default_set() if Path(name).stem in default_set() else [name]
    entries = [entry for other in together for entry in read(other).published]
    numbers = {(*number, entry.source) for entry in entries for number in entry.numbers.items()}
    claims = [claim for other in together for claim in read(other).claims]
    label = "the paper" if len(together) > 1 else f"the published numbers of {Path(name).stem}"
    return Family(label, len(numbers), sum(claim.tested for claim in claims))
