"""An experiment's file: where it is, and what it says, checked as far as its cells do not matter.

In: the name of a file in conf/experiment, or the path of any such file. Out: a File.
"""

import functools
import os
import re
from dataclasses import dataclass
from pathlib import Path

from nrevu.errors import Mistake, unknown
from nrevu.experiments import yaml_document
from nrevu.experiments.reading import read_sections
from nrevu.experiments.sections import Sections
from nrevu.experiments.yaml_document import Document, check_keys, check_texts
from nrevu.files import choices, folder, near

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
    "claims": list,  # ratios that were printed: how many times better one method is
}


@dataclass(frozen=True)
class File:
    """An experiment's file, with what does not depend on its size checked."""

    doc: Document
    sections: Sections


def find(name: str) -> Path:
    """Return the file of an experiment, from its name or path."""
    if name.endswith((".yaml", ".yml")) or "/" in name:
        path = Path(name).absolute()
        if not path.is_file():
            raise Mistake("no such file", place=name)
        if not re.fullmatch(r"[A-Za-z0-9_-]+", path.stem):
            message = "its results are kept under the file's name: use letters, digits, - and _"
            raise Mistake(message, place=name)
        built_in = folder() / "experiment" / path.name
        if built_in.exists() and not built_in.samefile(path):
            taken = f"is the name of an experiment in {built_in.parent}: choose another"
            message = f"'{path.stem}' {taken}"
            raise Mistake(message, place=name)
        return path
    if name not in choices("experiment"):
        raise unknown("experiment", name, choices("experiment"))
    return folder() / "experiment" / f"{name}.yaml"


def source(name: str) -> str:
    """Return the one way to name an experiment: in conf/experiment, or a relative path."""
    path = find(name)
    if path.parent.samefile(folder() / "experiment"):
        return path.stem
    return near(os.path.normpath(path)) if os.path.isabs(name) else os.path.relpath(name)


@functools.cache
def read(name: str) -> File:
    """Return an experiment's file with its keys and sections checked."""
    doc = yaml_document.read(find(name))
    check_keys(doc, doc.data, KEYS, ())
    for key in ("title", "cell", "sweep"):
        if key not in doc.data:
            message = "is missing: an experiment has a title, a cell and a sweep"
            raise Mistake(message, key=key, place=doc.file)
    for size in doc.data.get("sizes", {}):
        if size not in choices("size"):
            raise unknown("size", size, choices("size"), place=doc.place("sizes", size))
    for index, other in enumerate(doc.data.get("beside", ())):
        if not isinstance(other, str):
            message = "holds names of experiments, or their files"
            raise Mistake(message, "beside", doc.place("beside", index))
    check_texts(doc, doc.data.get("notes", ()), "notes")
    return File(doc, read_sections(doc))


def sources_beside(doc: Document, *above: Path) -> dict[str, str]:
    """Return the sources of the experiments beside one, by name; they may not lead back to it."""
    sources = {}
    for index, name in enumerate(doc.data.get("beside", [])):
        if name.endswith((".yaml", ".yml")):
            name = near(str((doc.folder / name).absolute()))
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
