"""The pages of a folder of results: one for each label, one on chosen experiments, and the index.

In: results/, and the records of the experiments planned there. Out: the text of the pages. An
experiment that cannot be read any more is named with the reason.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nrevu.errors import Mistake
from nrevu.report import Found, find_results, jinja, page
from nrevu.results.layout import load_planned, planned_names


@dataclass
class Content:
    """What a page is about."""

    label: str
    found: list[Found] = field(default_factory=list)
    beside: list[Found] = field(default_factory=list)  # only for comparisons
    unreadable: dict[str, str] = field(default_factory=dict)  # reasons, by experiment

    def html(self) -> str:
        """Return the page."""
        return page(
            self.found, self.beside, self.unreadable, self.label.replace("-seed", ", seed ")
        )

    def summary(self) -> dict[str, Any]:
        """Return what the index says of the page."""
        experiments = [
            {"name": e.name, "title": e.title, "cells": len(e.cells), "missing": len(f.missing)}
            for f in self.found
            for e in [f.experiment]
        ]
        date = time.strftime("%Y-%m-%d %H:%M")
        return {"date": date, "experiments": experiments, "unreadable": self.unreadable}


def load_label(results: Path, label: str, names: Sequence[str]) -> Content:
    """Return the results so far of some experiments that were planned under a label."""
    content = Content(label)
    for name in names:
        try:
            add(content, results, name)
        except Mistake as mistake:
            content.unreadable[name] = str(mistake)
    return content


def add(content: Content, results: Path, name: str) -> None:
    """Add an experiment to a page, with those that its claims and figures need."""

    def load(name: str) -> Found:
        experiment, batches = load_planned(results, content.label, name)
        return find_results(experiment, batches, results / content.label / name)

    found = load(name)
    loaded = {f.experiment.name for f in content.beside}
    content.beside += [load(other) for other in found.experiment.beside if other not in loaded]
    content.found.append(found)


def page_writer(content: Content) -> Callable[[Path], Any]:
    """Return a function that writes a page, or its summary to a path that ends with .json."""
    texts = {".html": content.html(), ".json": json.dumps(content.summary(), indent=1)}
    return lambda path: path.write_text(texts[path.suffix], encoding="utf-8")


def index_page(results: Path, labels: Sequence[str]) -> str:
    """Return the page that leads to the pages of some labels."""
    rows = []
    for label in labels:
        folder = results / label
        about = {"label": label, "page": (folder / "report.html").exists()}
        try:
            rows.append(about | json.loads((folder / "report.json").read_text()))
        except (OSError, ValueError, TypeError):
            rows.append(about | {"date": None, "names": planned_names(results, label)})
    return jinja().get_template("index.html").render(rows=rows)
