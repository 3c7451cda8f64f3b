"""The report: one HTML page that needs nothing else, with verdicts, figures, tables, provenance.

In: what the workflow has left in results/ for some experiments, all of it or a part. Out: the
text of the page. What is missing is named, and nothing is claimed from it.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from bokeh.embed import json_item
from bokeh.resources import Resources
from jinja2 import Environment, PackageLoader, StrictUndefined

from nrevu import __version__
from nrevu.analysis.claims import expected_rows
from nrevu.analysis.comparison import COLUMNS, compare, drop_repeats, flags_text
from nrevu.analysis.table import table as table_of
from nrevu.analysis.traces import format_setting
from nrevu.analysis.verdict import headlines
from nrevu.cells.cell import Cell, parameters
from nrevu.errors import Mistake
from nrevu.experiments import columns as names_of
from nrevu.experiments.experiment import Experiment
from nrevu.figures._style import label
from nrevu.report.plots import figures_of, tips, trace_figures
from nrevu.results import reference


@dataclass(frozen=True)
class Found:
    """What there is of an experiment."""

    experiment: Experiment
    table: pd.DataFrame  # of the cells that are there, in the experiment's order
    confirmed: pd.DataFrame | None
    missing: tuple[Cell, ...]
    provenance: tuple[dict[str, str], ...]  # of those cells, each kind once
    folder: Path  # of its figures


def find_results(experiment: Experiment, batches: Sequence[str], folder: Path) -> Found:
    """Return the results of an experiment's batches so far, and of what follows from them."""
    order = {cell.digest: number for number, cell in enumerate(experiment.cells)}
    results: dict[str, dict[str, Any]] = {}
    for batch in batches:
        read = read_batch(folder / "tau" / f"{batch}.json", experiment)
        results |= {digest: result for digest, result in read.items() if digest in order}
    ordered = sorted(results.values(), key=lambda result: order[result["digest"]])
    kinds = {json.dumps(result.get("provenance", {})) for result in ordered}
    missing = tuple(cell for cell in experiment.cells if cell.digest not in results)
    confirmed = None if missing else read_confirmed(folder / "confirmed.parquet")
    provenance = tuple(json.loads(kind) for kind in sorted(kinds))
    return Found(experiment, table_of(ordered), confirmed, missing, provenance, folder)


def read_batch(file: Path, experiment: Experiment) -> dict[str, dict[str, Any]]:
    """Return the results of a batch by digest; none of a file that is damaged or of old."""
    try:
        content = json.loads(file.read_text())
        if content["estimate"] != vars(experiment.estimate):
            return {}
        table_of(content["results"])
        return {result["digest"]: result for result in content["results"]}
    except (OSError, ValueError, KeyError, TypeError, Mistake):
        return {}


def read_confirmed(file: Path) -> pd.DataFrame | None:
    """Return the table of confirmed cells, if there is one that can be read."""
    try:
        return pd.read_parquet(file)
    except (OSError, ValueError):
        return None


def page(
    found: Sequence[Found],
    beside: Sequence[Found] = (),
    unreadable: Mapping[str, str] | None = None,
    run: str = "",
) -> str:
    """Return the report on some experiments; those beside are only compared with."""
    by_name = {f.experiment.name: f for f in (*beside, *found)}
    compared = {f.experiment.name: comparison(f, by_name) for f in found}
    parts = [section(f, compared[f.experiment.name]) for f in found]
    none = [pd.DataFrame(columns=[*COLUMNS, "experiment"])]
    numbers = pd.concat(
        [rows.assign(experiment=name) for name, rows in compared.items()] or none, ignore_index=True
    )
    numbers = drop_repeats(numbers)
    for part in parts:  # each figure for itself: a document of many takes Bokeh minutes
        part["plots"] = [(plot.name, json.dumps(json_item(plot))) for plot in part["plots"]]
    return (
        jinja()
        .get_template("page.html")
        .render(
            size=run or found[0].experiment.size,
            unreadable=unreadable or {},
            headlines=headlines(numbers[numbers.kind == "number"]),
            bits=against_reference(found),
            numbers=numbers[numbers.kind == "number"].to_dict("records"),
            claims=numbers[numbers.kind == "claim"].to_dict("records"),
            missing={f.experiment.name: len(f.missing) for f in found if f.missing},
            sections=parts,
            bokeh=Resources(mode="inline", components=["bokeh"], minified=True).render(),
            provenance=provenance_of(found),
            label=label,
            isnan=pd.isna,
        )
    )


def jinja() -> Environment:
    """Return what fills in the templates."""
    environment = Environment(
        loader=PackageLoader("nrevu", "report"), autoescape=True, undefined=StrictUndefined
    )
    shown = lambda value, digits=4: "–" if pd.isna(value) else f"{value:.{digits}g}"  # noqa: E731
    environment.filters |= {"g": shown}
    return environment


def against_reference(found: Sequence[Found]) -> list[str]:
    """Return how the cells compare, bit by bit, with the reference run that the package ships."""
    tables = [f.table for f in found if len(f.table)]
    tables += [f.confirmed for f in found if f.confirmed is not None]
    try:
        agreement = reference.compare(tables, found[0].experiment.size) if tables else None
    except Mistake as mistake:
        return [str(mistake)]
    if agreement is None:
        return []
    kinds = [kind for f in found for kind in f.provenance]
    other = [kind for kind in kinds if reference.reason(agreement.about, kind)]
    lines = reference.describe(agreement, (other or kinds or [{}])[0])
    usual = agreement.about["target"]
    targets = sorted({str(kind.get("target")) for kind in kinds} - {usual})
    if targets:
        text = f"cells were compiled for {', '.join(targets)}, not for {usual}"
        lines.append(f"some {text}: their bits may differ from those on other machines")
    return lines


def comparison(found: Found, by_name: dict[str, Found]) -> pd.DataFrame:
    """Return an experiment's comparison, made from what there is of it and of those beside it."""
    others = [by_name[name] for name in found.experiment.beside if name in by_name]
    tables = pd.concat([f.table for f in (found, *others)], ignore_index=True)
    confirmed = [f.confirmed for f in (found, *others) if f.confirmed is not None]
    again = pd.concat(confirmed, ignore_index=True) if confirmed else None
    expected = expected_rows(f.experiment for f in (found, *others))
    return compare(found.experiment, tables, again, expected)


def section(found: Found, compared: pd.DataFrame) -> dict[str, Any]:
    """Return what the page says of one experiment."""
    e, table = found.experiment, found.table
    varying = varying_settings(e.cells)
    commands = {cell.digest: command(cell, found, varying) for cell in e.cells}
    about = tips(table, commands, varying)
    plots = (
        [p for s in e.figures.values() for p in figures_of(s, table, about)] if len(table) else []
    )
    traces = found.folder / "traces.json"
    if traces.exists() and not found.missing:
        plots += [p for trace in json.loads(traces.read_text()) for p in trace_figures(trace)]
    flat = parameters(e.cells[0])
    shared = [f"{key}={value}" for key, value in flat.items() if key not in varying]
    shared += [f"estimate.{key}={value}" for key, value in vars(e.estimate).items()]
    return {
        "name": e.name,
        "title": e.title,
        "section": e.section,
        "notes": e.notes,
        "shared": shared,
        "cells": len(e.cells),
        "missing": [", ".join(settings_words(cell, varying)) for cell in found.missing],
        "flags": flags_text(table) if len(table) else [],
        "figures": [(name, svg(found.folder / f"{name}.svg")) for name in e.figures],
        "plots": plots,
        "table": rows_of(table, varying, commands),
        "confirmed": confirmed_rows(found),
        "cpu": float(table["cpu_seconds"].sum()) if len(table) else 0.0,
        "evaluations": {
            kind: int(table[f"evaluations.{kind}"].sum()) if len(table) else 0
            for kind in ("density", "gradient")
        },
    }  # fmt: skip


def varying_settings(cells: Sequence[Cell]) -> list[str]:
    """Return the settings in which an experiment's cells differ."""
    flat = [parameters(cell) for cell in cells]
    names = dict.fromkeys(name for row in flat for name in row)
    return [name for name in names if len({row.get(name) for row in flat}) > 1]


def settings_words(cell: Cell, varying: list[str]) -> list[str]:
    """Return the settings of a cell, of those that vary, in words."""
    flat = parameters(cell)
    return [format_setting(name, flat[name]) for name in varying if name in flat]


def command(cell: Cell, found: Found, varying: list[str]) -> str:
    """Return the command that runs a cell again, with the same digest and the same numbers."""
    flat = parameters(cell)
    words = [f"{name}={flat[name]}" for name in varying if name in flat]
    seed = [f"seed={cell.seed}"] if "seed" not in varying else []
    start = f"nrevu run experiment={found.experiment.source} size={found.experiment.size}"
    return " ".join([start, *words, *seed])


def svg(path: Path) -> str | None:
    """Return a figure as an address that holds it, or None if it was not drawn."""
    if not path.exists():
        return None
    return f"data:image/svg+xml;base64,{base64.b64encode(path.read_bytes()).decode()}"


def rows_of(table: pd.DataFrame, varying: list[str], commands: dict[str, str]) -> dict[str, Any]:
    """Return the cells for a table that can be sorted and searched."""
    times, marks = names_of.times(table), names_of.flags(table)
    columns = [*(n for n in varying if n in table), "rejection_rate", *times]
    rows = []
    for cell in table.to_dict("records"):
        flags = sorted({names_of.parse(name).quantity for name in marks if cell[name] is True})
        again = commands[cell["digest"]]
        rows.append({"cells": [shown(cell, n) for n in columns], "command": again, "flags": flags})
    return {"columns": [label(name) if name in varying else name for name in columns], "rows": rows}


def shown(cell: dict[str, Any], name: str) -> tuple[Any, str]:
    """Return by what a value is sorted, and its text, with the error if it has one."""
    value = cell[name]
    if pd.isna(value):
        return "", "–"
    if isinstance(value, str):
        return value, value.replace("_", " ")
    error = cell.get(names_of.error(name))
    text = f"{value:.4g}" if error is None or pd.isna(error) else f"{value:.4g} ± {error:.2g}"
    return float(value), text


def confirmed_rows(found: Found) -> list[dict[str, Any]]:
    """Return the selected cells beside what confirmed them, and the optimism of the grid."""
    if found.confirmed is None or found.confirmed.empty:
        return []
    varying = varying_settings(found.experiment.cells)
    rows = []
    for _, cell in found.confirmed.iterrows():
        best = cell["best"]
        names = [n for n in varying if n in found.confirmed and not pd.isna(cell[n])]
        rows.append(
            {
                "group": cell["group"],
                "settings": ", ".join(format_setting(name, cell[name]) for name in names),
                "best": best,
                "selected": (cell["selected"], cell[names_of.error("selected")]),
                "confirmed": (cell[best], cell[names_of.error(best)]),
                "optimism": 100 * (cell[best] / cell["selected"] - 1),
            }
        )
    return rows


def provenance_of(found: Sequence[Found]) -> dict[str, str]:
    """Return where the numbers are from: versions, machines, commits, seeds, CPU time."""
    kept: dict[str, set[str]] = {"nrevu": {__version__}}
    for kind in (kind for f in found for kind in f.provenance):
        for key, value in kind.items():
            kept.setdefault(key, set()).add(str(value))
    tables = [f.table for f in found if len(f.table)]
    seeds = sorted({int(seed) for table in tables for seed in table["seed"].unique()})
    again = [f.confirmed for f in found if f.confirmed is not None and len(f.confirmed)]
    grids, confirming = (
        sum(float(t["cpu_seconds"].sum()) for t in kind) for kind in (tables, again)
    )
    return {
        **{key: ", ".join(sorted(values)) for key, values in kept.items()},
        "seeds": ", ".join(map(str, seeds)),
        "CPU time": f"{grids:,.0f} seconds for the grids, {confirming:,.0f} to confirm best cells",
    }
