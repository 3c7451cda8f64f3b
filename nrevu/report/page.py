"""The HTML pages: one on the content of a label, and the index that leads to those of all labels.

In: Content. Out: the text of a page. What is missing is named, and nothing is claimed from it.
"""

import base64
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from bokeh.embed import json_item
from bokeh.resources import Resources
from jinja2 import Environment, PackageLoader, StrictUndefined

from nrevu import __version__
from nrevu.analysis.claims import expected_rows
from nrevu.analysis.comparison import compare, flags_text, gather
from nrevu.analysis.verdict import headlines
from nrevu.analysis.wording import joint_text, rounded, tally
from nrevu.cells.cell import Cell, parameters
from nrevu.experiments import columns as names_of
from nrevu.experiments.checks import varying
from nrevu.experiments.experiment import Experiment
from nrevu.figures._style import label
from nrevu.report.content import Content, ExperimentResults
from nrevu.report.plots import figures_of, format_settings, tips, trace_figures
from nrevu.results import reference
from nrevu.results.layout import planned_names
from nrevu.results.tables import joined


def page_writer(content: Content) -> Callable[[Path], Any]:
    """Return a function that writes a page, or its summary to a path that ends with .json."""
    texts = {".html": page(content), ".json": json.dumps(summary(content), indent=1)}
    return lambda path: path.write_text(texts[path.suffix], encoding="utf-8")


def page(content: Content) -> str:
    """Return the report on some experiments."""
    found = content.found
    by_name = {f.experiment.name: f for f in (*content.beside, *found)}
    compared = [comparison(f, by_name) for f in found]
    rows = gather(compared)
    kinds = {kind: rows[rows.kind == kind] for kind in ("number", "claim")}
    return render(
        "page.html",
        size=content.label.replace("-seed", ", seed "),
        unreadable=content.unreadable,
        headlines=headlines(kinds["number"]),
        bits=against_reference(found),
        numbers=kinds["number"].to_dict("records"),
        tally=[tally(kinds["claim"])] if len(kinds["claim"]) else [],
        claims=[row | statement(row) for row in kinds["claim"].to_dict("records")],
        missing={f.experiment.name: len(f.missing) for f in found if f.missing},
        sections=[section(f) for f in found],
        bokeh=Resources(mode="inline", components=["bokeh"], minified=True).render(),
        provenance=provenance_of(found),
        label=label,
        error=names_of.error,
        isnan=pd.isna,
    )


def summary(content: Content) -> dict[str, Any]:
    """Return what the index says of a page."""
    experiments = [
        {"name": e.name, "title": e.title, "cells": len(e.cells), "missing": len(f.missing)}
        for f in content.found
        for e in [f.experiment]
    ]
    date = time.strftime("%Y-%m-%d %H:%M")
    return {"date": date, "experiments": experiments, "unreadable": content.unreadable}


def index_page(results: Path, labels: Sequence[str]) -> str:
    """Return the page that leads to the pages of some labels."""
    rows = []
    for name in labels:
        folder = results / name
        row = {"label": name, "page": (folder / "report.html").exists()}
        try:
            rows.append(row | json.loads((folder / "report.json").read_text()))
        except (OSError, ValueError, TypeError):
            rows.append(row | {"date": None, "names": planned_names(results, name)})
    return render("index.html", rows=rows)


def render(template: str, **values: Any) -> str:
    """Return a template with its values filled in."""
    loader = PackageLoader("nrevu", "report")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    environment.filters["g"] = format_number
    return environment.get_template(template).render(values)


def format_number(value: float, digits: int = 4) -> str:
    """Return a number with some digits, or a dash if there is none."""
    return "–" if pd.isna(value) else f"{value:.{digits}g}"


def against_reference(found: Sequence[ExperimentResults]) -> list[str]:
    """Return how the cells compare, bit by bit, with the reference run that the package ships."""
    tables = [f.table for f in found if len(f.table)]
    if not tables:
        return []
    tables += [f.confirmed for f in found if f.confirmed is not None]
    kinds = [kind for f in found for kind in f.provenance]
    return reference.describe_tables(tables, found[0].experiment.size, lambda _: kinds)


def comparison(found: ExperimentResults, by_name: Mapping[str, ExperimentResults]) -> pd.DataFrame:
    """Return an experiment's comparison, from the results so far of it and of its `beside`."""
    all_found = [found, *(by_name[n] for n in found.experiment.beside if n in by_name)]
    tables = joined([f.table for f in all_found])
    confirmed = [f.confirmed for f in all_found if f.confirmed is not None]
    again = joined(confirmed) if confirmed else None
    expected = expected_rows(f.experiment for f in all_found)
    compared = compare(found.experiment, tables, again, expected)
    return compared.assign(experiment=found.experiment.name)


def statement(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page says of one claim, as text, besides the columns of its row."""
    if pd.isna(row["ours"]):
        return {"number": "–", "interval": "", "from": row["basis"]}
    number, low, high = rounded(row["ours"], row["low"], row["high"])
    joint = joint_text(row["published"], row["p"]) if row["pairs"] > 0 else ""
    parts = [row["basis"] or "no selection", joint]
    return {
        "number": number,
        "interval": f"{low} to {high}",
        "from": ", ".join(filter(None, parts)),
    }


def section(found: ExperimentResults) -> dict[str, Any]:
    """Return what the page says of one experiment."""
    e, table = found.experiment, found.table
    flat = [parameters(cell) for cell in e.cells]
    differ = varying(flat)
    shared = [f"{key}={value}" for key, value in flat[0].items() if key not in differ]
    shared += [f"estimate.{key}={value}" for key, value in vars(e.estimate).items()]
    commands = {cell.digest: command(cell, e, differ) for cell in e.cells}
    return {
        "experiment": e,
        "shared": shared,
        "missing": [format_settings(parameters(cell), differ) for cell in found.missing],
        "flags": flags_text(table),
        "figures": [(name, svg(found.folder / f"{name}.svg")) for name in e.figures],
        "plots": plots(found, commands, differ),
        "table": rows_of(table, differ, commands),
        "confirmed": confirmed_rows(found.confirmed, differ),
        "sums": table.sum(numeric_only=True),
    }


def plots(
    found: ExperimentResults, commands: Mapping[str, str], varying: list[str]
) -> list[tuple[str, str]]:
    """Return the title and the content of each figure to point at.

    Each for itself: a document of many takes Bokeh minutes.
    """
    tip, made = tips(found.table, commands, varying), []
    if len(found.table):
        for settings in found.experiment.figures.values():
            made += figures_of(settings, found.table, tip)
    traces = found.folder / "traces.json"
    if traces.exists() and not found.missing:
        made += [plot for trace in json.loads(traces.read_text()) for plot in trace_figures(trace)]
    return [(plot.name, json.dumps(json_item(plot))) for plot in made]


def command(cell: Cell, experiment: Experiment, varying: list[str]) -> str:
    """Return the command that runs a cell again, with the same digest and the same numbers."""
    flat = parameters(cell)
    settings = [f"{name}={flat[name]}" for name in varying if name in flat]
    seed = [f"seed={cell.seed}"] if "seed" not in varying else []
    start = f"nrevu run experiment={experiment.source} size={experiment.size}"
    return " ".join([start, *settings, *seed])


def svg(path: Path) -> str | None:
    """Return a figure as an address that holds it, or None if it was not drawn."""
    if not path.exists():
        return None
    return f"data:image/svg+xml;base64,{base64.b64encode(path.read_bytes()).decode()}"


def rows_of(table: pd.DataFrame, varying: list[str], commands: Mapping[str, str]) -> dict[str, Any]:
    """Return the cells for a table that can be sorted and searched."""
    estimates, marks = names_of.common(table), names_of.flags(table)
    columns = [*(n for n in varying if n in table), "rejection_rate", *estimates]
    rows = []
    for cell in table.to_dict("records"):
        flags = sorted({names_of.parse(name).quantity for name in marks if cell[name] is True})
        again = commands[cell["digest"]]
        texts = [sortable(cell, name) for name in columns]
        rows.append({"cells": texts, "command": again, "flags": flags})
    return {"columns": [label(name) if name in varying else name for name in columns], "rows": rows}


def sortable(cell: Mapping[str, Any], name: str) -> tuple[Any, str]:
    """Return by what a value is sorted, and its text, with the error if it has one."""
    value, se = cell[name], cell.get(names_of.error(name))
    if pd.isna(value):
        return "", "–"
    if isinstance(value, str):
        return value, value.replace("_", " ")
    return float(value), f"{value:.4g}" if pd.isna(se) else f"{value:.4g} ± {se:.2g}"


def confirmed_rows(confirmed: pd.DataFrame | None, varying: list[str]) -> list[dict[str, Any]]:
    """Return the cells that confirmed selected ones, with their settings as text."""
    cells = [] if confirmed is None else confirmed.to_dict("records")
    return [cell | {"settings": format_settings(cell, varying)} for cell in cells]


def provenance_of(found: Sequence[ExperimentResults]) -> dict[str, str]:
    """Return where the numbers are from: versions, machines, commits, seeds, CPU time."""
    kept: dict[str, set[str]] = {"nrevu": {__version__}}
    for kind in (kind for f in found for kind in f.provenance):
        for key, value in kind.items():
            kept.setdefault(key, set()).add(str(value))
    tables = [f.table for f in found if len(f.table)]
    seeds = sorted({int(seed) for table in tables for seed in table["seed"].unique()})
    again = [f.confirmed for f in found if f.confirmed is not None and len(f.confirmed)]
    grids, confirming = (sum(t["cpu_seconds"].sum() for t in each) for each in (tables, again))
    return {
        **{key: ", ".join(sorted(values)) for key, values in kept.items()},
        "seeds": ", ".join(map(str, seeds)),
        "CPU time": f"{grids:,.0f} seconds for the grids, {confirming:,.0f} to confirm best cells",
    }
