"""Draws the results in a folder: one figure of the kernels, one of how things scale.

In: the folder. Out: kernels and scaling, .png and .svg. Markers and dashes distinguish lines, as
well as colours.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from benchmarks import panels
from nrevu.figures._style import STYLE

SCALING = {
    "dimension": (panels.per_update, panels.per_coordinate),
    "cells": (panels.planning, panels.planning_memory, panels.orchestration),
    "length": (panels.length_time, panels.length_memory),
    "cores": (panels.speedup,),
}


def draw(folder: Path) -> list[Path]:
    """Draw what can be drawn, and return the files."""
    found = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    drawn = []
    with matplotlib.rc_context(STYLE):
        if "kernels" in found:
            drawn += save(kernels(found["kernels"]), folder / "kernels")
        wanted = [(p, found[part]) for part, ps in SCALING.items() if part in found for p in ps]
        if wanted:
            drawn += save(scaling(wanted), folder / "scaling")
    return drawn


def save(figure: Figure, path: Path) -> list[Path]:
    """Write a figure in two forms."""
    files = [path.with_suffix(".png"), path.with_suffix(".svg")]
    for file in files:
        figure.savefig(file, dpi=150, metadata={"Date": None} if file.suffix == ".svg" else None)
    return files


def where(data: dict[str, Any]) -> str:
    """Return what a result was measured on."""
    machine = data["machine"]
    tiny = "; tiny sizes, which mean little" if data["smoke"] else ""
    return f"{machine['cpu']}, load {machine['load'][0]:g} before, {machine['time'][:10]}{tiny}"


def kernels(data: dict[str, Any]) -> Figure:
    """Return the figure of the kernels: a row for each setting, a mark for each implementation."""
    figure = Figure(figsize=(8.5, 4.2), layout="constrained")
    axes = figure.add_subplot()
    panels.kernels(axes, data["result"])
    figure.suptitle(f"Time of an update\n{where(data)}", fontsize=10)
    return figure


def scaling(wanted: list[tuple[Callable, dict[str, Any]]]) -> Figure:
    """Return the figure of how things scale, a panel for each curve or set of curves."""
    columns = min(4, len(wanted))
    rows = -(-len(wanted) // columns)
    figure = Figure(figsize=(4.0 * columns, 3.4 * rows + 0.5), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, (panel, data) in zip(grid, wanted, strict=False):
        panel(axes, data["result"])
    for axes in grid[len(wanted) :]:
        axes.set_visible(False)
    figure.suptitle(where(wanted[0][1]), fontsize=10)
    return figure
