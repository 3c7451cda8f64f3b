"""The pages of a folder of results: one for each label, one on chosen experiments, and the index.

In: results/, and the records of the experiments planned there. Out: the text of the pages. An
experiment that cannot be read any more is named with the reason.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nrevu.errors import Mistake
from nrevu.experiments.experiment import expand
from nrevu.experiments.settings import Setting
from nrevu.files import writing
from nrevu.report import Found, find_results, jinja, page
from nrevu.results.layout import labels, read_records

LOST = "experiment.json is missing or damaged; `nrevu make` with this experiment writes it again"


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


def load_label(results: Path, label: str) -> Content:
    """Return all that was planned under a label."""
    content = Content(label)
    for name, record in read_records(results / label).items():
        try:
            if record is None:
                raise Mistake(LOST)
            add(content, record.source, record.size, record.seed, results)
        except Mistake as mistake:
            content.unreadable[name] = str(mistake)
    return content


def load_named(
    results: Path, label: str, sources: Sequence[str], size: str, seed: int | None
) -> Content:
    """Return some experiments under a label."""
    content = Content(label)
    for source in sources:
        add(content, source, size, seed, results)
    return content


def add(content: Content, source: str, size: str, seed: int | None, results: Path) -> None:
    """Add an experiment to a page, with those that its claims and figures need."""

    def load(name: str) -> Found:
        extra = () if seed is None else (Setting("seed", seed, "--seed"),)
        return find_results(expand(name, size, extra), name, results / content.label)

    found = load(source)
    there = {f.experiment.name for f in content.beside}
    beside = found.experiment.beside.items()
    content.beside += [load(source) for name, source in beside if name not in there]
    content.found.append(found)


def write(path: Path, text: str) -> Path:
    """Write a page whole or not at all, and return where it is."""
    with writing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
    return path


def write_label(results: Path, label: str) -> Path:
    """Write the page on all experiments of a label, and its summary for the index."""
    content = load_label(results, label)
    write(results / label / "report.json", json.dumps(content.summary(), indent=1))
    return write(results / label / "report.html", content.html())


def write_index(results: Path) -> Path:
    """Write the page that leads to the pages of all labels."""
    return write(results / "report.html", index_page(results))


def index_page(results: Path) -> str:
    """Return the page that leads to the pages of all labels."""
    rows = []
    for label in labels(results):
        folder = results / label
        about = {"label": label, "page": (folder / "report.html").exists()}
        try:
            rows.append(about | json.loads((folder / "report.json").read_text()))
        except (OSError, ValueError, TypeError):
            rows.append(about | {"date": None, "names": list(read_records(folder))})
    return jinja().get_template("index.html").render(rows=rows)
