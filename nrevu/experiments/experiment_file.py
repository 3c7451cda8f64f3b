"""An experiment's file: where it is, and what it says, checked as far as its cells do not matter.

In: the name of a file in conf/experiment, or the path of any such file. Out: a File, or a Mistake
with file and line.
"""

import functools
import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from nrevu.errors import Mistake, check_known, unknown
from nrevu.experiments import sections, yaml_document
from nrevu.experiments.columns import ESTIMATED, REJECTIONS, parse
from nrevu.experiments.yaml_document import Document, check_keys, check_texts, format_value, need
from nrevu.files import choices, conf_folder, relative_path

# The keys of an experiment's file, and what each may hold.
KEYS = {
    "title": str,  # one line: what is compared with what
    "section": str,  # the section of the paper
    "default": bool,  # false: runs only when it is named
    "notes": list,  # what is reconstructed, or differs from the paper
    "cell": dict,  # settings that all cells share, as for `nrevu run`
    "sweep": (dict, list),  # a block of settings with several values, or a list of blocks
    "exclude": list,  # cells of the sweep to omit, by their settings
    "sizes": dict,  # settings for one size only
    "beside": list,  # other experiments, whose cells figures and claims may use too
    "confirm": dict,  # which cells to run again, longer and with another seed
    "trace": dict,  # which cells to follow update by update
    "figures": dict,  # what to draw, by name
    "published": list,  # numbers that were printed, and for which settings
    "claims": list,  # statements on the results: ratios, what is equal, which settings are best
}
RESERVED = ("table", "confirmed", "comparison")  # names of other files in an experiment's folder
USES = {"claims": "what to draw", "trace": "which cells to follow"}


@dataclass(frozen=True)
class File:
    """An experiment's file, with what does not depend on its size checked."""

    doc: Document
    confirm: sections.Confirm | None
    trace: sections.Trace | None
    figures: Mapping[str, Any]  # the Settings of each figure's kind, by the figure's name
    published: tuple[sections.Published, ...]
    claims: tuple[sections.Claim, ...]


def find(name: str) -> Path:
    """Return the file of an experiment, from its name or path."""
    if name.endswith((".yaml", ".yml")) or "/" in name:
        path = Path(name).absolute()
        if not path.is_file():
            raise Mistake("no such file", place=name)
        if not re.fullmatch(r"[A-Za-z0-9_-]+", path.stem):
            message = "its results are kept under the file's name: use letters, digits, - and _"
            raise Mistake(message, place=name)
        built_in = conf_folder() / "experiment" / path.name
        if built_in.exists() and not built_in.samefile(path):
            taken = f"is the name of an experiment in {built_in.parent}: choose another"
            raise Mistake(f"'{path.stem}' {taken}", place=name)
        return path
    if "=" in name:
        raise Mistake(f"'{name}' is no experiment: write options as --size quick", "experiment")
    if name not in choices("experiment") and Path(f"{name}.yaml").is_file():
        raise Mistake(f"'{name}' is a file here: write {name}.yaml", "experiment")
    check_known("experiment", name, choices("experiment"))
    return conf_folder() / "experiment" / f"{name}.yaml"


def source(name: str) -> str:
    """Return the one way to name an experiment: in conf/experiment, or a relative path."""
    path = find(name)
    if path.parent.samefile(conf_folder() / "experiment"):
        return path.stem
    return relative_path(os.path.normpath(path)) if os.path.isabs(name) else os.path.relpath(name)


@functools.cache
def read(name: str) -> File:
    """Return an experiment's file with its keys and sections checked."""
    doc = yaml_document.read(find(name))
    data = doc.data
    check_keys(doc, data, KEYS, ())
    for key in ("title", "cell", "sweep"):
        if key not in data:
            message = "is missing: an experiment has a title, a cell and a sweep"
            raise Mistake(message, key=key, place=doc.file)
    for size in data.get("sizes", {}):
        check_known("size", size, choices("size"), place=doc.place("sizes", size))
    for index, other in enumerate(data.get("beside", ())):
        if not isinstance(other, str):
            raise doc.mistake("holds names of experiments, or their files", "beside", index)
    check_texts(doc, data.get("notes", ()), "notes")
    published, claims = (enumerate(data.get(key, ())) for key in ("published", "claims"))
    single = {"trace": sections.Trace, "confirm": sections.Confirm}
    again = {k: read_section(doc, single[k], data[k], k) if k in data else None for k in single}
    return File(
        doc=doc,
        **again,
        figures={name: read_figure(doc, name, f) for name, f in data.get("figures", {}).items()},
        published=tuple(read_published(doc, *entry) for entry in published),
        claims=tuple(read_claim(doc, *entry) for entry in claims),
    )


def read_section(doc: Document, section: Any, data: Mapping[str, Any], *path) -> Any:
    """Return the data of a document at a path as a section's dataclass."""
    kinds = sections.field_kinds(section)
    check_keys(doc, data, {key: kind.type for key, kind in kinds.items()}, path)
    required = [f.name for f in fields(section) if f.default is f.default_factory is MISSING]
    need(doc, data, required, *path)
    for key, value in data.items():
        check_value(doc, kinds[key], value, *path, key)
    try:
        return sections.build(section, data)
    except Mistake as mistake:
        raise mistake.at(doc.place(*path, mistake.key)) from None


def check_value(doc: Document, kind: sections.Kind, value: Any, *path) -> None:
    """Raise a Mistake for a choice that does not exist, or a list that is not of the right form."""
    place = doc.place(*path)
    check_known("value", value, kind.choices or [value], key=path[-1], place=place)
    if not kind.entry:
        return
    if not value and (kind.entry is sections.Bar or kind.note in ("estimate", "panel", "quantity")):
        raise doc.mistake("has no entries", *path)
    if kind.entry is str and not kind.note:
        check_texts(doc, value, *path)
    for index, entry in enumerate(value):
        if kind.entry is sections.Bar and not is_bar(entry):
            message = "a bar holds 'label' (text) and 'where' (values)"
            raise doc.mistake(message, *path, index)
        if kind.note == "selection" and not isinstance(entry, dict):
            raise doc.mistake("a reference is keys and values", *path, index, key=path[-2])
        if kind.note == "colour" and not re.fullmatch(r"#[0-9a-fA-F]{6}", str(entry)):
            message = 'is not a colour: write it as "#RRGGBB", with the quotes'
            raise doc.mistake(f"{format_value(entry)} {message}", *path, index)


def is_bar(entry: Any) -> bool:
    """Tell whether an entry of a list is of the form of a Bar."""
    kinds = {key: type(value) for key, value in entry.items()} if isinstance(entry, dict) else {}
    return kinds == {"label": str, "where": dict}


def read_published(doc: Document, index: int, entry: Any) -> sections.Published:
    """Return an entry of `published`, whose other keys are columns."""
    path = ("published", index)
    if not isinstance(entry, dict) or not isinstance(entry.get("at"), dict):
        message = "holds 'at' (settings), 'groups' (run length), 'source' and numbers"
        raise doc.mistake(f"{message}, not {format_value(entry)}", *path)
    numbers = {key: entry[key] for key in entry if key not in ("at", "groups", "source")}
    for key in numbers:
        if key not in REJECTIONS and parse(key).kind not in ESTIMATED:
            kinds = (f"{kind}.QUANTITY" for kind in ESTIMATED)
            allowed = ("at", "groups", "source", *REJECTIONS, *kinds)
            raise unknown("key", key, allowed, place=doc.place(*path, key))
    data = {key: entry[key] for key in ("at", "groups") if key in entry}
    data |= {"numbers": numbers, "source": str(entry.get("source", ""))}
    return read_section(doc, sections.Published, data, *path)


def read_claim(doc: Document, index: int, claim: Any) -> sections.Claim:
    """Return an entry of `claims`."""
    if not isinstance(claim, dict):
        message = "is a list of claims {text: ..., quantity: ..., of: {...}, over: {...}}"
        raise doc.mistake(f"{message}, not {format_value(claim)}", "claims", index)
    return read_section(doc, sections.Claim, claim, "claims", index)


def read_figure(doc: Document, name: str, figure: Any) -> Any:
    """Return the settings of a figure, of the dataclass of its kind."""
    path = ("figures", name)
    if not re.fullmatch("[A-Za-z_0-9]+", name) or name in RESERVED:
        message = f"a figure's name is a word, and not one of {', '.join(RESERVED)}"
        raise doc.mistake(message, *path)
    if not isinstance(figure, dict):
        raise doc.mistake("must be keys and values", *path)
    settings = sections.figure_kinds()
    kinds = {kind: sections.field_kinds(each) for kind, each in settings.items()}
    every = {key: field.type for each in kinds.values() for key, field in each.items()}
    check_keys(doc, figure, every, path)
    need(doc, figure, ("kind",), *path)
    kind = figure["kind"]
    check_known("kind of figure", kind, kinds, place=doc.place(*path, "kind"))
    for key in figure:
        if key not in kinds[kind]:
            others = ", ".join(each for each in kinds[kind] if each != "kind")
            message = f"does not belong to a figure of kind '{kind}', but {others} do"
            raise doc.mistake(message, *path, key)
    found = read_section(doc, settings[kind], figure, *path)
    check_uses(doc, name, found)
    return found


def check_uses(doc: Document, name: str, figure: Any) -> None:
    """Raise a Mistake if a figure shows traces or claims and the file has none."""
    for section, meaning in USES.items():
        if section in figure.uses and not doc.data.get(section):
            raise doc.mistake(f"needs '{section}' in the file: {meaning}", "figures", name)
    if "trace" in getattr(figure, "panels", ()) and figure.rows != doc.data["trace"]["for_each"]:
        message = "a panel 'trace' needs rows for the column of trace.for_each"
        raise doc.mistake(message, "figures", name, "rows", key=name)


def sources_beside(doc: Document, *above: Path) -> dict[str, str]:
    """Return the sources of the experiments beside one, by name; they may not lead back to it."""
    sources = {}
    for index, name in enumerate(doc.data.get("beside", [])):
        if name.endswith((".yaml", ".yml")):
            name = relative_path(str((doc.folder / name).absolute()))
        try:
            if find(name) in above:
                raise Mistake(f"'{name}' leads back to the experiment itself", "beside")
            sources_beside(read(name).doc, *above, find(name))
        except Mistake as mistake:
            raise mistake.at(doc.place("beside", index), "beside") from None
        sources[find(name).stem] = source(name)
    return sources


def default_set() -> list[str]:
    """Return the experiments that run when none are named."""
    return [name for name in choices("experiment") if read(name).doc.data.get("default", True)]
