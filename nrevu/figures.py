"""Figures, from an experiment's table. The only module that imports matplotlib.

In: an Experiment and its table. Out: a matplotlib Figure; `save` writes it as PNG, SVG or PDF,
the same bytes for the same table. Kinds: lines.
"""

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nrevu.experiment import Experiment

# Okabe and Ito's colours, told apart with any colour vision; ordered so that neighbours differ in
# lightness too. Each line also has a marker and a dash pattern of its own, for print in grey.
COLOURS = ("#000000", "#E69F00", "#0072B2", "#CC79A7", "#009E73", "#D55E00", "#56B4E9", "#A0A000")
MARKERS = "osD^vPX<"
DASHES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (4, 1.5, 1, 1.5)), (0, (7, 2)), (0, (2, 2)))
STYLE = {
    "font.size": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.hashsalt": "nrevu",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}
LABELS = {
    "coordinate": "coordinate",
    "log_prob": "log probability density",
    "rejection_rate": "rejection rate",
    "method.stepsize": "stepsize",
    "u.delta": "δ",
    "u.noise": "noise",
    "method.alpha": "α",
    "method.L": "L",
    "eta": "η",
}


def label(column: str) -> str:
    """Return what to call a column on a figure."""
    name = column.removeprefix("tau.")
    return LABELS.get(name, name.replace("_", " "))


def draw(experiment: Experiment, table: pd.DataFrame) -> Figure:
    """Return the figure that the experiment asks for."""
    kinds = {"lines": lines}
    with matplotlib.rc_context(STYLE):
        return kinds[experiment.figure.get("kind", "lines")](experiment, table)


def save(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the path's ending, without the date."""
    dated = {".pdf": "CreationDate", ".svg": "Date"}
    metadata = {dated[path.suffix]: None} if path.suffix in dated else {}
    with matplotlib.rc_context(STYLE):
        figure.savefig(path, dpi=160, metadata=metadata)


def lines(experiment: Experiment, table: pd.DataFrame) -> Figure:
    """Return panels of lines with error bars, the best point of each line ringed."""
    panels = experiment.figure["panels"]
    figure = Figure(figsize=(4.6 * len(panels), 4.7), layout="constrained")
    figure.suptitle(experiment.title, fontsize=11)
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    drawn = traces(experiment, table)
    handles: dict[str, Any] = {}
    for ax, column in zip(axes, panels, strict=True):
        for trace in drawn:
            handles[trace.name] = draw_trace(ax, trace, column)
            published_points(ax, trace, experiment, column)
        decorate(ax, experiment, table, column)
    handles["best of a line"] = Line2D([], [], ls="", marker="o", ms=11, mfc="none", mec="#666666")
    if any(set(panels) & set(entry) for entry in experiment.published):
        star = Line2D([], [], ls="", marker="*", ms=15, mfc="none", mec="#666666")
        handles["published (Neal 2020)"] = star
    figure.legend(
        handles.values(),
        handles.keys(),
        loc="outside lower center",
        ncols=min(len(handles), 4),
        title="lines are shifted sideways a little to tell them apart" if len(drawn) > 1 else None,
        title_fontsize=8,
    )
    return figure


@dataclass(frozen=True)
class Trace:
    """One line of a figure."""

    name: str  # in the key
    value: Any  # of the column that the lines differ in; nan or None: standard u
    points: pd.DataFrame  # rows of the table, in the order of x
    x: pd.Series  # where to draw them
    shift: float  # how far that is from where they belong
    colour: str
    marker: str
    dashes: Any


def traces(experiment: Experiment, table: pd.DataFrame) -> list[Trace]:
    """Return the lines: the table split by a column, each with a style of its own."""
    settings = experiment.figure
    parts = list(table.groupby(settings["line"], dropna=False, sort=False))
    ticks = sorted(table[settings["x"]].unique())
    gap = min((b - a for a, b in itertools.pairwise(ticks)), default=0.0)
    colours = itertools.cycle(settings.get("colours") or COLOURS)
    made = []
    for index, (value, points) in enumerate(parts):
        points = points.sort_values(settings["x"])
        shift = 0.5 * gap * (index - (len(parts) - 1) / 2) / len(parts)
        made.append(
            Trace(
                name=line_label(settings["line"], value),
                value=value,
                points=points,
                x=points[settings["x"]] + shift,
                shift=shift,
                colour=next(colours),
                marker=MARKERS[index % len(MARKERS)],
                dashes=DASHES[index % len(DASHES)],
            )
        )
    return made


def line_label(column: str, value) -> str:
    """Return a line's name in the key; where u has no delta it is the standard one."""
    if pd.isna(value):
        return "standard"
    return f"{label(column)} = {value:g}" if isinstance(value, float) else str(value)


def draw_trace(ax: Axes, trace: Trace, column: str):
    """Draw one line with error bars and ring its best point."""
    y, se = trace.points[column], trace.points[f"{column}.se"]
    style = {"color": trace.colour, "marker": trace.marker, "ls": trace.dashes}
    handle = ax.errorbar(trace.x, y, yerr=se, ms=4.5, lw=1.2, capsize=2, **style)
    if column.startswith("tau.") and y.notna().any():
        best = y.idxmin()
        ax.plot(trace.x[best], y[best], "o", ms=11, mfc="none", mec=trace.colour, mew=1.3)
    return handle


def published_points(ax: Axes, trace: Trace, experiment: Experiment, column: str) -> None:
    """Overlay what the paper printed for the settings of this line."""
    settings = experiment.figure
    for entry in experiment.published:
        name = line_label(settings["line"], entry["at"].get(settings["line"]))
        if name == trace.name and column in entry and settings["x"] in entry["at"]:
            x = entry["at"][settings["x"]] + trace.shift
            ax.plot(x, entry[column], "*", ms=16, zorder=5, mfc="none", mec=trace.colour, mew=1.2)


def decorate(ax: Axes, experiment: Experiment, table: pd.DataFrame, column: str) -> None:
    """Name the axes of a panel and put ticks where the cells are."""
    settings = experiment.figure
    ticks = sorted(table[settings["x"]].unique())
    if len(ticks) <= 12:
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_xlabel(settings.get("x_label") or label(settings["x"]))
    if column.startswith("tau."):
        groups = sorted(table["schedule.group"].unique())
        of = f" (groups of {groups[0]} updates)" if len(groups) == 1 else " (groups)"
        ax.set_ylabel("autocorrelation time" + of)
        ax.set_title(label(column), fontsize=10)
    else:
        ax.set_ylabel(label(column))
