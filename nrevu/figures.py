"""Figures, from an experiment's table. The only module that imports matplotlib.

In: an Experiment and its table. Out: a matplotlib Figure; `save` writes it as PNG, SVG or PDF,
the same bytes for the same table. Kinds: lines.
"""

import itertools
from pathlib import Path

import matplotlib
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nrevu.experiment import Experiment
from nrevu.mistake import unknown

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
    kind = experiment.figure.get("kind", "lines")
    if kind not in kinds:
        raise unknown("kind of figure", kind, kinds)
    with matplotlib.rc_context(STYLE):
        return kinds[kind](experiment, table)


def save(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the path's ending, without the date."""
    dated = {".pdf": "CreationDate", ".svg": "Date"}
    metadata = {dated[path.suffix]: None} if path.suffix in dated else {}
    with matplotlib.rc_context(STYLE):
        figure.savefig(path, dpi=160, metadata=metadata)


def lines(experiment: Experiment, table: pd.DataFrame) -> Figure:
    """Return panels of lines with error bars, the best point of each line ringed."""
    settings = experiment.figure
    panels = settings["panels"]
    figure = Figure(figsize=(4.6 * len(panels), 4.6), layout="constrained")
    figure.suptitle(experiment.title, fontsize=11)
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    handles = {}
    for ax, column in zip(axes, panels, strict=True):
        for style, (value, part) in zip(styles(settings), split(table, settings["line"])):
            handles[line_label(settings["line"], value)] = one_line(ax, part, settings, column, style)
        published_points(ax, experiment, table, column, handles)
        decorate(ax, experiment, table, column)
    best = Line2D([], [], ls="", marker="o", ms=11, mfc="none", mec="#666666")
    handles["best of a line"] = best
    figure.legend(
        handles.values(), handles.keys(), loc="outside lower center", ncols=min(len(handles), 4)
    )
    return figure


def styles(settings):
    """Yield colour, marker and dashes for one line after another."""
    colours = itertools.cycle(settings.get("colours") or COLOURS)
    yield from zip(colours, itertools.cycle(MARKERS), itertools.cycle(DASHES))


def split(table: pd.DataFrame, column: str):
    """Yield (value, rows) for each value of a column; where it is missing, u is standard."""
    yield from table.groupby(column, dropna=False, sort=False)


def line_label(column: str, value) -> str:
    """Return a line's name in the key."""
    if pd.isna(value):
        return "standard"
    return f"{label(column)} = {value:g}" if isinstance(value, float) else str(value)


def one_line(ax: Axes, part: pd.DataFrame, settings, column: str, style):
    """Draw one line with error bars and ring its best point."""
    colour, marker, dashes = style
    part = part.sort_values(settings["x"])
    x, y, se = part[settings["x"]], part[column], part[f"{column}.se"]
    handle = ax.errorbar(
        x, y, yerr=se, color=colour, marker=marker, ls=dashes, ms=4.5, lw=1.3, capsize=2
    )
    if column.startswith("tau.") and y.notna().any():
        best = y.idxmin()
        ax.plot(x[best], y[best], "o", ms=11, mfc="none", mec=colour, mew=1.3)
    return handle


def published_points(ax: Axes, experiment: Experiment, table: pd.DataFrame, column: str, handles):
    """Overlay what the paper printed, in the colour of the line it belongs to."""
    settings = experiment.figure
    colour_of = {
        line_label(settings["line"], value): style[0]
        for style, (value, _) in zip(styles(settings), split(table, settings["line"]))
    }
    for entry in experiment.published:
        if column not in entry or settings["x"] not in entry["at"]:
            continue
        name = line_label(settings["line"], entry["at"].get(settings["line"]))
        (handle,) = ax.plot(
            entry["at"][settings["x"]], entry[column], "*", ms=13, zorder=5,
            mfc=colour_of.get(name, "#ffffff"), mec="#ffffff", mew=1.0,
        )  # fmt: skip
        shown = Line2D([], [], ls="", marker="*", ms=12, mfc="#000000", mec="#ffffff")
        handles["published (Neal 2020)"] = shown
        del handle


def decorate(ax: Axes, experiment: Experiment, table: pd.DataFrame, column: str) -> None:
    """Name the axes of a panel."""
    settings = experiment.figure
    ax.set_xlabel(settings.get("x_label") or label(settings["x"]))
    if column.startswith("tau."):
        groups = sorted(table["schedule.group"].unique())
        of = f" (groups of {groups[0]} updates)" if len(groups) == 1 else " (groups)"
        ax.set_ylabel("autocorrelation time" + of)
        ax.set_title(label(column), fontsize=10)
    else:
        ax.set_ylabel(label(column))
