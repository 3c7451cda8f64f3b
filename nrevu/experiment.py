"""An experiment: a sweep over cells, the figures it makes and the numbers it is compared with.

In: the name of a file in conf/experiment, or the path of any such file. Out: an Experiment, its
sweep expanded into checked cells, its figures and published numbers checked against them.
"""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nrevu import document
from nrevu.cell import Cell, parameters
from nrevu.config import Setting, resolve
from nrevu.document import Document
from nrevu.estimate import Estimate
from nrevu.mistake import Mistake, unknown
from nrevu.places import choices, folder
from nrevu.sweep import settings_of

# The keys of an experiment's file, and what each may hold.
KEYS = {
    "title": str,  # one line: what is compared with what
    "section": str,  # where it is in the paper
    "notes": list,  # what is reconstructed, or differs from the paper
    "cell": dict,  # settings that all cells share, as for `nrevu run`
    "sweep": (dict, list),  # a block of settings with several values, or a list of blocks
    "sizes": dict,  # settings that hold at one size only
    "beside": list,  # other experiments, whose cells figures and claims may use too
    "trace": dict,  # which cells to follow update by update
    "figures": dict,  # what to draw, by name
    "published": list,  # numbers that were printed, and for which settings
    "claims": list,  # ratios that were printed: how many times better one method is
}
TRACE_KEYS = {
    "best": str,  # follow the cell in which this column is lowest ...
    "for_each": str,  # ... for each value of this one, and the cell that differs in u alone
}
FIGURE_KEYS = {
    "kind": str,  # lines; heat: a map; bars: side by side; runs: of acceptances, where traced
    "title": str,  # default: the experiment's
    "where": dict,  # show only cells with these values
    "x": str,  # the column on the horizontal axis
    "x_label": str,  # what to call it
    "x_scale": str,  # log, or linear
    "y_scale": str,  # of autocorrelation times: log, or linear
    "panels": list,  # the columns on the vertical axes, a panel each; trace: u of single updates
    "rows": str,  # the column whose values get a row of panels each
    "line": str,  # the column whose values get a line each
    "line_label": str,  # what to call it
    "references": list,  # cells, by their values, that are drawn as horizontal lines
    "best": str,  # which cells to ring: the best of each line, or of each panel
    "y": str,  # heat: the column on the vertical axis
    "value": str,  # heat and bars: the column that is shown
    "bars": list,  # the cells to choose the best of, for a bar each: {label, where}
    "range": list,  # heat: the values at the ends of the colour scale
    "colours": list,  # of the lines, in the order of their values; default: a safe palette
}
CLAIM_KEYS = {
    "text": str,  # what is claimed
    "published": (int, float),  # the ratio
    "quantity": str,  # of which column
    "of": dict,  # numerator: the best cell with these values
    "over": dict,  # denominator: the best cell with these values
    "assuming": str,  # what the comparison rests on
    "factor": (int, float),  # by which the ratio is multiplied under that assumption; default 1
}
FIGURE_NEEDS = {  # by kind
    "lines": ("x", "panels"),
    "heat": ("x", "y", "value"),
    "bars": ("bars", "value"),
    "runs": ("line",),
}
WORDS = {"x_scale": ("linear", "log"), "y_scale": ("linear", "log"), "best": ("line", "panel")}


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
    beside: tuple[str, ...]
    trace: Mapping[str, str]
    figures: Mapping[str, Mapping[str, Any]]
    published: tuple[Mapping[str, Any], ...]
    claims: tuple[Mapping[str, Any], ...]


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
def read(name: str) -> Document:
    """Return an experiment's file with its keys checked."""
    doc = document.read(find(name))
    check_keys(doc, doc.data, KEYS, ())
    for key in ("title", "cell", "sweep"):
        if key not in doc.data:
            raise Mistake("is missing", key=key, place=doc.file)
    for size in doc.data.get("sizes", {}):
        if size not in choices("size"):
            raise unknown("size", size, choices("size"), place=doc.place("sizes", size))
    if "trace" in doc.data:
        check_keys(doc, doc.data["trace"], TRACE_KEYS, ("trace",))
        need(doc, doc.data["trace"], TRACE_KEYS, "trace")
    for figure in doc.data.get("figures", {}):
        check_figure(doc, figure)
    for index, entry in enumerate(doc.data.get("published", ())):
        check_published(doc, entry, "published", index)
    for index, claim in enumerate(doc.data.get("claims", ())):
        if not isinstance(claim, dict):
            raise Mistake("holds keys and values", "claims", doc.place("claims", index))
        check_keys(doc, claim, CLAIM_KEYS, ("claims", index))
        need(doc, claim, ("text", "published", "quantity", "of", "over"), "claims", index)
    return doc


def check_published(doc: Document, entry: Any, *path) -> None:
    """Raise a Mistake if an entry lacks its settings or length, or holds a number that is none."""
    if not isinstance(entry, dict) or not isinstance(entry.get("at"), dict):
        message = "holds 'at' (settings), 'groups' (run length), 'source' and numbers"
        raise Mistake(message, "published", doc.place(*path))
    need(doc, entry, ("groups",), *path)
    for key, value in entry.items():
        if key not in ("at", "source") and (type(value) not in (int, float) or not value > 0):
            raise Mistake(f"{value!r} is not a number above 0", key, doc.place(*path, key))


def check_keys(doc: Document, data: Mapping, allowed: Mapping, path: tuple) -> None:
    """Raise a Mistake for a key that is not allowed, or that holds the wrong kind of thing."""
    words = {str: "text", list: "a list", dict: "keys and values", int: "a number"}
    for key, value in data.items():
        place = doc.place(*path, key)
        if key not in allowed:
            raise unknown("key", key, allowed, place=place)
        if not isinstance(value, allowed[key]):
            kinds = allowed[key] if isinstance(allowed[key], tuple) else (allowed[key],)
            known = (words[kind] for kind in kinds if kind in words)
            raise Mistake(f"must be {' or '.join(known)}", key, place)


def need(doc: Document, data: Mapping, keys, *path) -> None:
    """Raise a Mistake for a key that is missing."""
    for key in keys:
        if key not in data:
            raise Mistake(f"needs '{key}'", ".".join(map(str, path)), doc.place(*path))


def check_figure(doc: Document, name: str) -> None:
    """Raise a Mistake if a figure lacks something its kind needs, or has a word too many."""
    figure, path = doc.data["figures"][name], ("figures", name)
    if not isinstance(name, str) or not name.isidentifier() or name == "table":
        raise Mistake("a figure's name is a word, and not 'table'", str(name), doc.place(*path))
    if not isinstance(figure, dict):
        raise Mistake("must be keys and values", name, doc.place(*path))
    check_keys(doc, figure, FIGURE_KEYS, path)
    need(doc, figure, ("kind",), *path)
    if figure["kind"] not in FIGURE_NEEDS:
        place = doc.place(*path, "kind")
        raise unknown("kind of figure", figure["kind"], FIGURE_NEEDS, place=place)
    need(doc, figure, FIGURE_NEEDS[figure["kind"]], *path)
    for key, allowed in WORDS.items():
        if key in figure and figure[key] not in allowed:
            raise unknown("value", figure[key], allowed, key=key, place=doc.place(*path, key))
    for index, bar in enumerate(figure.get("bars", ())):
        if not isinstance(bar, dict) or bar.keys() != {"label", "where"}:
            place = doc.place(*path, "bars", index)
            raise Mistake("a bar holds 'label' and 'where' (values)", name, place)
    traced = figure["kind"] == "runs" or "trace" in figure.get("panels", ())
    if traced and "trace" not in doc.data:
        raise Mistake("needs 'trace' in the file: which cells to follow", name, doc.place(*path))
    if "trace" in figure.get("panels", ()) and figure.get("rows") != doc.data["trace"]["for_each"]:
        message = "a panel 'trace' needs rows for the column of trace.for_each"
        raise Mistake(message, name, doc.place(*path, "rows"))


def expand(name: str, size: str, extra: tuple[Setting, ...] = ()) -> Experiment:
    """Return an experiment at a size; `extra` settings (a seed) override its own."""
    doc = read(name)
    if size not in choices("size"):
        raise unknown("size", size, choices("size"), key="size")
    cells, estimates = [], set()
    for settings in settings_of(doc):
        size_settings = [Setting("size", size, "command line"), *shared(doc), *at_size(doc, size)]
        cell, estimate = resolve([*size_settings, *settings, *extra])
        cells.append((cell, settings))
        estimates.add(estimate)
    check_cells(doc, cells, estimates)
    experiment = Experiment(
        name=Path(name).stem,
        title=doc.data["title"],
        section=doc.data.get("section", ""),
        notes=tuple(doc.data.get("notes", ())),
        size=size,
        cells=tuple(cell for cell, _ in cells),
        estimate=estimates.pop(),
        beside=tuple(doc.data.get("beside", ())),
        trace=doc.data.get("trace", {}),
        figures=doc.data.get("figures", {}),
        published=tuple(doc.data.get("published", ())),
        claims=tuple(doc.data.get("claims", ())),
    )
    check_columns(doc, experiment)
    return experiment


def shared(doc: Document) -> list[Setting]:
    """Return the settings that all cells share."""
    if "size" in doc.data["cell"]:
        place = doc.place("cell", "size")
        raise Mistake("is chosen when running; put lengths under 'sizes'", "size", place)
    return [Setting(k, v, doc.place("cell", k)) for k, v in doc.data["cell"].items()]


def at_size(doc: Document, size: str) -> list[Setting]:
    """Return the settings that hold at this size only."""
    own = doc.data.get("sizes", {}).get(size) or {}
    if not isinstance(own, dict):
        raise Mistake("must be keys and values", size, doc.place("sizes", size))
    return [Setting(key, value, doc.place("sizes", size, key)) for key, value in own.items()]


def check_cells(doc: Document, cells: list, estimates: set) -> None:
    """Raise a Mistake if a cell is there twice, or if the estimates differ."""
    seen = set()
    for cell, settings in cells:
        if cell in seen:
            where = ", ".join(f"{s.key}={s.value}" for s in settings)
            message = f"the cell ({where}) is in the sweep twice"
            raise Mistake(message, "sweep", settings[0].place)
        seen.add(cell)
    if len(estimates) > 1:
        raise Mistake("estimate.* must be the same in all cells", "sweep", doc.place("sweep"))


def columns(experiment: Experiment) -> list[str]:
    """Return the columns that a figure or a published number may speak of."""
    cells = list(experiment.cells)
    for name in experiment.beside:
        cells += expand(name, experiment.size).cells
    names = {key for cell in cells for key in (*parameters(cell), *cell.derived)}
    quantities = {q for cell in cells for q in cell.distribution.means()}
    times = {f"{kind}.{quantity}" for kind in ("tau", "cost") for quantity in quantities}
    return sorted(names | times | {"rejection_rate", "clustering"})


def check_columns(doc: Document, experiment: Experiment) -> None:
    """Raise a Mistake if something speaks of a column that will not exist."""
    known = columns(experiment)
    for name, path in mentioned(doc, experiment):
        if name not in known:
            raise unknown("column", name, known, place=doc.place(*path))


def mentioned(doc: Document, experiment: Experiment) -> Iterator[tuple[str, tuple]]:
    """Yield the columns that figures, traces and published numbers speak of, and where."""
    for key, name in experiment.trace.items():
        yield name, ("trace", key)
    for figure, settings in experiment.figures.items():
        path = ("figures", figure)
        single = [key for key in ("x", "y", "value", "rows", "line") if key in settings]
        yield from ((settings[key], (*path, key)) for key in single)
        for index, bar in enumerate(settings.get("bars", ())):
            yield from ((key, (*path, "bars", index, "where", key)) for key in bar["where"])
        for index, name in enumerate(settings.get("panels", ())):
            if name != "trace":
                yield name, (*path, "panels", index)
        for key in settings.get("where", {}):
            yield key, (*path, "where", key)
        for index, where in enumerate(settings.get("references", ())):
            if not isinstance(where, dict):
                place = doc.place(*path, "references")
                raise Mistake("a reference is keys and values", figure, place)
            yield from ((key, (*path, "references", index, key)) for key in where)
    for index, entry in enumerate(experiment.published):
        path = ("published", index)
        numbers = (key for key in entry if key not in ("at", "source", "groups"))
        yield from ((key, (*path, key)) for key in numbers)
        yield from ((key, (*path, "at", key)) for key in entry["at"])
    for index, claim in enumerate(experiment.claims):
        yield claim["quantity"], ("claims", index, "quantity")
        for side in ("of", "over"):
            yield from ((key, ("claims", index, side, key)) for key in claim[side])


def shared_settings(name: str) -> list[Setting]:
    """Return an experiment's shared settings, for a single cell run by hand."""
    return shared(read(name))


def default_set() -> list[str]:
    """Return the experiments that run when none are named."""
    return choices("experiment")
