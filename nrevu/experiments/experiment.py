"""An experiment: a sweep over cells, the figures it makes and the numbers it is compared with.

In: the name of a file in conf/experiment, or the path of any such file. Out: an Experiment, its
sweep expanded into checked cells, its figures and published numbers checked against them.
"""

import dataclasses
import functools
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nrevu.cells.cell import Cell
from nrevu.errors import Mistake, shorten, unknown
from nrevu.experiments import checks, yaml_document
from nrevu.experiments.estimate import Estimate
from nrevu.experiments.grammar import check_grammar
from nrevu.experiments.settings import Setting, default_size, resolve
from nrevu.experiments.sweep import setting, settings_of
from nrevu.experiments.yaml_document import Document, check_keys
from nrevu.files import choices, folder, near

# The keys of an experiment's file, and what each may hold.
KEYS = {
    "title": str,  # one line: what is compared with what
    "section": str,  # where it is in the paper
    "default": bool,  # whether it runs when no experiments are named; it does unless this is false
    "notes": list,  # what is reconstructed, or differs from the paper
    "cell": dict,  # settings that all cells share, as for `nrevu run`
    "sweep": (dict, list),  # a block of settings with several values, or a list of blocks
    "exclude": list,  # cells of the sweep to leave out, by their settings
    "sizes": dict,  # settings that hold at one size only
    "beside": list,  # other experiments, whose cells figures and claims may use too
    "confirm": dict,  # which cells to run again, longer and with another seed
    "trace": dict,  # which cells to follow update by update
    "figures": dict,  # what to draw, by name
    "published": list,  # numbers that were printed, and for which settings
    "claims": list,  # ratios that were printed: how many times better one method is
}


@dataclass(frozen=True)
class Family:
    """The comparisons that are judged together, whichever of their experiments run."""

    name: str  # the paper, or an experiment that is none of the default ones
    numbers: int  # published numbers
    claims: int  # claims with a published number

    def count(self, kind: str) -> int:
        """Return how many comparisons of a kind, number or claim, there are."""
        return {"number": self.numbers, "claim": self.claims}[kind]


@dataclass(frozen=True)
class Experiment:
    """A sweep and what is made of it."""

    name: str
    source: str  # the one way to name it on a command line
    title: str
    section: str
    notes: tuple[str, ...]
    size: str
    cells: tuple[Cell, ...]
    estimate: Estimate
    beside: tuple[str, ...]
    beside_sources: tuple[str, ...]
    confirm: Mapping[str, Any]
    trace: Mapping[str, str]
    figures: Mapping[str, Mapping[str, Any]]
    published: tuple[Mapping[str, Any], ...]
    claims: tuple[Mapping[str, Any], ...]
    family: Family  # what its comparisons are judged together with


def find(name: str) -> Path:
    """Return the file of an experiment, given by name or by path."""
    if name.endswith((".yaml", ".yml")) or "/" in name:
        path = Path(name).absolute()
        if not path.is_file():
            raise Mistake("no such file", place=name)
        if not re.fullmatch(r"[A-Za-z0-9_-]+", path.stem):
            message = "its results are kept under the file's name: use letters, digits, - and _"
            raise Mistake(message, place=name)
        own = folder() / "experiment" / path.name
        if own.exists() and not own.samefile(path):
            message = f"'{path.stem}' is the name of an experiment in {own.parent}: choose another"
            raise Mistake(message, place=name)
        return path
    if name not in choices("experiment"):
        raise unknown("experiment", name, choices("experiment"))
    return folder() / "experiment" / f"{name}.yaml"


def source(name: str) -> str:
    """Return the one way to name an experiment: as in conf/experiment, or a path from here."""
    path = find(name)
    if path.parent.samefile(folder() / "experiment"):
        return path.stem
    return near(os.path.normpath(path)) if os.path.isabs(name) else os.path.relpath(name)


@functools.cache
def read(name: str) -> Document:
    """Return an experiment's file with its keys checked."""
    doc = yaml_document.read(find(name))
    check_keys(doc, doc.data, KEYS, ())
    for key in ("title", "cell", "sweep"):
        if key not in doc.data:
            message = "is missing: an experiment has a title, a cell and a sweep"
            raise Mistake(message, key=key, place=doc.file)
    for size in doc.data.get("sizes", {}):
        if size not in choices("size"):
            raise unknown("size", size, choices("size"), place=doc.place("sizes", size))
    check_grammar(doc)
    return doc


def expand(name: str, size: str, extra: tuple[Setting, ...] = ()) -> Experiment:
    """Return an experiment at a size; `extra` settings (a seed) override its own."""
    doc = read(name)
    if size not in choices("size"):
        raise unknown("size", size, choices("size"), key="size")
    cells, estimates = [], set()
    common = [Setting("size", size, "command line"), *shared(doc), *at_size(doc, size)]
    for settings in settings_of(doc):
        for each in settings:
            if each.key.partition(".")[0] in ("estimate", "size"):
                message = "cannot be swept: it is the same for all cells of an experiment"
                raise Mistake(message, each.key, each.place)
        try:
            cell, estimate = resolve([*common, *settings, *extra])
        except Mistake as mistake:  # of a key that the file leaves to its default
            raise mistake.at(doc.file) from None
        cells.append((cell, settings))
        estimates.add(estimate)
    if not cells:
        why = ": all are excluded" if doc.data.get("exclude") else ""
        raise Mistake(f"has no cells{why}", "sweep", doc.place("sweep"))
    check_cells(cells)
    experiment = Experiment(
        name=Path(name).stem,
        source=source(name),
        title=doc.data["title"],
        section=doc.data.get("section", ""),
        notes=tuple(doc.data.get("notes", ())),
        size=size,
        cells=tuple(cell for cell, _ in cells),
        estimate=estimates.pop(),
        beside=tuple(find(other).stem for other in beside(doc)),
        beside_sources=tuple(beside(doc)),
        confirm=doc.data.get("confirm", {}),
        trace=doc.data.get("trace", {}),
        figures=doc.data.get("figures", {}),
        published=tuple(doc.data.get("published", ())),
        claims=tuple(doc.data.get("claims", ())),
        family=family(name),
    )
    others = [expand(other, size) for other in neighbours(doc, find(name))]
    checks.check_cells(doc, [cell for e in (experiment, *others) for cell in e.cells])
    checks.check_own(doc, experiment.cells)
    return experiment


def beside(doc: Document) -> list[str]:
    """Return what a document says is beside it; paths lead from the document's folder."""
    paths = (".yaml", ".yml")
    return [
        near(str((doc.folder / name).absolute())) if name.endswith(paths) else name
        for name in doc.data.get("beside", [])
    ]


def neighbours(doc: Document, *above: Path) -> list[str]:
    """Return the experiments shown beside one; they may not lead back to it."""
    names = beside(doc)
    for index, name in enumerate(names):
        try:
            if find(name) in above:
                raise Mistake(f"'{name}' leads back to the experiment itself", "beside")
            neighbours(read(name), *above, find(name))
        except Mistake as mistake:
            raise mistake.at(doc.place("beside", index), "beside") from None
    return names


def shared(doc: Document) -> list[Setting]:
    """Return the settings that all cells share."""
    if "size" in doc.data["cell"]:
        place = doc.place("cell", "size")
        raise Mistake("is chosen when running; put lengths under 'sizes'", "size", place)
    return [setting(doc, k, v, doc.place("cell", k)) for k, v in doc.data["cell"].items()]


def at_size(doc: Document, size: str) -> list[Setting]:
    """Return the settings that hold at this size only."""
    own = doc.data.get("sizes", {}).get(size) or {}
    if not isinstance(own, dict) or "size" in own:
        message = "must be keys and values, 'size' not among them"
        raise Mistake(message, size, doc.place("sizes", size))
    return [setting(doc, key, value, doc.place("sizes", size, key)) for key, value in own.items()]


def check_cells(cells: list[tuple[Cell, list[Setting]]]) -> None:
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


def by_hand(given: list[Setting]) -> tuple[Cell, Estimate]:
    """Return the cell and the estimate that the words of `nrevu run` describe."""
    names = [each.value for each in given if each.key == "experiment"]
    start = shared_settings(str(names[-1]), given) if names else []
    return resolve([*start, *(each for each in given if each.key != "experiment")])


def shared_settings(name: str, given: list[Setting]) -> list[Setting]:
    """Return an experiment's shared settings, for a single cell run by hand.

    What its sweep says of groups is part of a cell's meaning and must be given with the cell.
    """
    doc = read(name)
    keys = [each.key for each in given]
    for settings in settings_of(doc):
        for each in settings:
            if each.key.startswith("schedule.") and each.key not in keys:
                message = f"give it too: it varies in {doc.file}"
                raise Mistake(message, each.key, "command line")
    sizes = [each.value for each in given if each.key == "size"]
    return [*shared(doc), *at_size(doc, sizes[-1] if sizes else default_size())]


def family(name: str) -> Family:
    """Return what an experiment's comparisons are judged together with.

    Those of all default experiments, whichever of them run, or of an experiment that is none of
    them alone: so that a verdict does not depend on what else is run.
    """
    together = default_set() if Path(name).stem in default_set() else [name]
    docs = [read(other) for other in together]
    entries = [entry for d in docs for entry in d.data.get("published", ())]
    numbers = {(q, e[q], e.get("source")) for e in entries for q in published_quantities(e)}
    claims = [claim for d in docs for claim in d.data.get("claims", ()) if "published" in claim]
    label = "the paper" if len(together) > 1 else f"the published numbers of {Path(name).stem}"
    return Family(label, len(numbers), len(claims))


def published_quantities(entry: Mapping[str, Any]) -> list[str]:
    """Return the columns of which an entry of `published` holds numbers."""
    return [key for key in entry if key not in ("at", "source", "groups")]


def default_set() -> list[str]:
    """Return the experiments that run when none are named."""
    return [name for name in choices("experiment") if read(name).data.get("default", True)]


def to_data(experiment: Experiment) -> dict[str, Any]:
    """Return everything but the cells as plain data."""
    data = {f.name: getattr(experiment, f.name) for f in dataclasses.fields(experiment)}
    del data["cells"]
    return json.loads(json.dumps(data, default=dataclasses.asdict))


def from_data(data: Mapping[str, Any], cells: tuple[Cell, ...] = ()) -> Experiment:
    """Return the experiment of plain data; what is left out is empty."""
    names = [f.name for f in dataclasses.fields(Experiment)]
    values = {name: data.get(name, {}) for name in names}
    values |= {"estimate": Estimate(**data["estimate"]), "family": Family(**data["family"])}
    return Experiment(**{**values, "cells": cells})
