"""An experiment: a sweep over cells, the figure it makes and the numbers it is compared with.

In: the name of a file in conf/experiment, or the path of any such file. Out: an Experiment, its
sweep expanded into checked cells: blocks are united; within a block lists are multiplied out.
"""

import functools
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nrevu import document
from nrevu.cell import Cell, parameters
from nrevu.config import Setting, choices, folder, resolve
from nrevu.estimate import Estimate
from nrevu.mistake import Mistake, unknown

# The keys of an experiment's file, and what each may hold.
KEYS = {
    "title": str,  # one line: what is compared with what
    "section": str,  # where it is in the paper
    "notes": list,  # what is reconstructed, or differs from the paper
    "cell": dict,  # settings that all cells share, as for `nrevu run`
    "sweep": (dict, list),  # a block of settings with several values, or a list of blocks
    "sizes": dict,  # settings that hold at one size only
    "figure": dict,  # what to draw
    "published": list,  # numbers that were printed, and for which settings
}
FIGURE_KEYS = {
    "kind": str,  # lines
    "x": str,  # the column on the horizontal axis
    "x_label": str,  # what to call it
    "panels": list,  # the columns on the vertical axes, a panel each
    "line": str,  # the column whose values get a line each
    "colours": list,  # of the lines, in the order of their values; default: a safe palette
}
FIGURE_NEEDS = {"lines": ("x", "panels", "line")}  # by kind


@dataclass(frozen=True)
class Experiment:
    """A sweep and what is made of it."""

    name: str
    title: str
    section: str
    notes: tuple[str, ...]
    size: str
    cells: tuple[Cell, ...]
    estimate: Estimate
    figure: Mapping[str, Any]
    published: tuple[Mapping[str, Any], ...]


def find(name: str) -> Path:
    """Return the file of an experiment, given by name or by path."""
    if name.endswith((".yaml", ".yml")) or "/" in name:
        path = Path(name).absolute()
        if not path.is_file():
            raise Mistake("no such file", place=name)
        return path
    if name not in choices("experiment"):
        raise unknown("experiment", name, choices("experiment"))
    return folder() / "experiment" / f"{name}.yaml"


@functools.cache
def read(name: str) -> document.Document:
    """Return an experiment's file with its keys checked."""
    doc = document.read(find(name))
    check_keys(doc, doc.data, KEYS, ())
    for key in ("title", "cell", "sweep"):
        if key not in doc.data:
            raise Mistake("is missing", key=key, place=doc.file)
    check_figure(doc)
    for size in doc.data.get("sizes", {}):
        if size not in choices("size"):
            raise unknown("size", size, choices("size"), place=doc.place("sizes", size))
    return doc


def check_keys(doc: document.Document, data: Mapping, allowed: Mapping, path: tuple) -> None:
    """Raise a Mistake for a key that is not allowed, or that holds the wrong kind of thing."""
    words = {str: "text", list: "a list", dict: "keys and values"}
    for key, value in data.items():
        place = doc.place(*path, key)
        if key not in allowed:
            raise unknown("key", key, allowed, place=place)
        if not isinstance(value, allowed[key]):
            kinds = allowed[key] if isinstance(allowed[key], tuple) else (allowed[key],)
            raise Mistake(f"must be {' or '.join(words[k] for k in kinds)}", key, place)


def check_figure(doc: document.Document) -> None:
    """Raise a Mistake if the figure lacks something its kind needs."""
    figure = doc.data.get("figure", {})
    check_keys(doc, figure, FIGURE_KEYS, ("figure",))
    kind = figure.get("kind", "lines")
    if kind not in FIGURE_NEEDS:
        raise unknown("kind of figure", kind, FIGURE_NEEDS, place=doc.place("figure", "kind"))
    for key in FIGURE_NEEDS[kind] if figure else ():
        if key not in figure:
            message = f"a figure of kind '{kind}' needs '{key}'"
            raise Mistake(message, "figure", doc.place("figure"))


def expand(name: str, size: str, extra: tuple[Setting, ...] = ()) -> Experiment:
    """Return an experiment at a size; `extra` settings (a seed) override its own."""
    doc = read(name)
    if size not in choices("size"):
        raise unknown("size", size, choices("size"), key="size")
    fixed = [Setting("size", size, "command line"), *shared(doc), *at_size(doc, size)]
    cells: dict[Cell, str] = {}
    estimates = {}
    for block in blocks(doc):
        for settings in block:
            cell, estimate = resolve([*fixed, *settings, *extra])
            where = ", ".join(f"{s.key}={s.value}" for s in settings)
            if cell in cells:
                message = f"the cell ({where}) is in the sweep twice"
                raise Mistake(message, "sweep", settings[0].place if settings else doc.file)
            cells[cell] = where
            estimates[estimate] = where
    if len(estimates) != 1:
        raise Mistake("estimate.* must be the same in all cells", "sweep", doc.place("sweep"))
    experiment = Experiment(
        name=Path(name).stem,
        title=doc.data["title"],
        section=doc.data.get("section", ""),
        notes=tuple(doc.data.get("notes", ())),
        size=size,
        cells=tuple(cells),
        estimate=next(iter(estimates)),
        figure=doc.data.get("figure", {}),
        published=tuple(doc.data.get("published", ())),
    )
    check_outputs(doc, experiment)
    return experiment


def shared(doc: document.Document) -> list[Setting]:
    """Return the settings that all cells share."""
    if "size" in doc.data["cell"]:
        place = doc.place("cell", "size")
        raise Mistake("is chosen when running; put lengths under 'sizes'", "size", place)
    return [Setting(k, v, doc.place("cell", k)) for k, v in doc.data["cell"].items()]


def at_size(doc: document.Document, size: str) -> list[Setting]:
    """Return the settings that hold at this size only."""
    own = doc.data.get("sizes", {}).get(size) or {}
    if not isinstance(own, dict):
        raise Mistake("must be keys and values", size, doc.place("sizes", size))
    return [Setting(key, value, doc.place("sizes", size, key)) for key, value in own.items()]


def blocks(doc: document.Document) -> Iterator[Iterator[list[Setting]]]:
    """Yield, for each block of the sweep, the settings of each of its cells."""
    sweep = doc.data["sweep"]
    listed = isinstance(sweep, list)
    for index, block in enumerate(sweep if listed else [sweep]):
        path = ("sweep", index) if listed else ("sweep",)
        if not isinstance(block, dict) or not block:
            raise Mistake("a block of a sweep holds keys and values", "sweep", doc.place(*path))
        lists = [
            [Setting(key, value, doc.place(*path, key)) for value in values(doc, spec, *path, key)]
            for key, spec in block.items()
        ]
        yield map(list, itertools.product(*lists))


def values(doc: document.Document, spec: Any, *path) -> list:
    """Return the values of a list, of a range {from, to, step}, or of a single value."""
    place, key = doc.place(*path), path[-1]
    if isinstance(spec, dict):
        return steps(spec, key, place)
    if isinstance(spec, list) and not spec:
        raise Mistake("has no values", key, place)
    return spec if isinstance(spec, list) else [spec]


def steps(spec: Mapping[str, Any], key: str, place: str) -> list[float]:
    """Return from, from + step, ... up to and with `to`, without rounding noise."""
    for name in spec:
        if name not in ("from", "to", "step"):
            raise unknown("key of a range", name, ("from", "to", "step"), key=key, place=place)
    start, end, step = (spec.get(name) for name in ("from", "to", "step"))
    if not all(type(n) in (int, float) for n in (start, end, step)) or step <= 0 or end < start:
        raise Mistake("a range is {from: A, to: B, step: C} with A <= B and C > 0", key, place)
    count = int((end - start) / step + 1e-9) + 1
    numbers = [round(start + index * step, 12) for index in range(count)]
    whole = type(start) is int and type(step) is int
    return [int(number) for number in numbers] if whole else numbers


def columns(experiment: Experiment) -> list[str]:
    """Return the columns that a figure or a published number may speak of."""
    names = {key for cell in experiment.cells for key in parameters(cell)}
    names |= {key for c in experiment.cells for key in c.method.derived(c.distribution.dim)}
    quantities = {q for cell in experiment.cells for q in cell.distribution.means()}
    return sorted(names | {f"tau.{q}" for q in quantities} | {"rejection_rate"})


def check_outputs(doc: document.Document, experiment: Experiment) -> None:
    """Raise a Mistake if a figure or a published number names a column that will not exist."""
    known = columns(experiment)
    named = [(experiment.figure.get(key), ("figure", key)) for key in ("x", "line")]
    panels = experiment.figure.get("panels", ())
    named += [(name, ("figure", "panels", index)) for index, name in enumerate(panels)]
    for index, entry in enumerate(experiment.published):
        path = ("published", index)
        if not isinstance(entry, dict) or not isinstance(entry.get("at"), dict):
            message = "holds 'at' (settings), 'source' and numbers"
            raise Mistake(message, "published", doc.place(*path))
        named += [(key, (*path, key)) for key in entry if key not in ("at", "source")]
        named += [(key, (*path, "at", key)) for key in entry["at"]]
    for name, path in named:
        if name is not None and name not in known:
            raise unknown("column", name, known, place=doc.place(*path))


def group_settings(name: str) -> list[Setting]:
    """Return an experiment's shared settings, for a single cell run by hand."""
    return shared(read(name))


def default_set() -> list[str]:
    """Return the experiments that run when none are named."""
    return choices("experiment")
