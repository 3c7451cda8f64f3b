"""Lines with error bars: a panel for each column, a row of panels for each value of another.

The best cell of each line or panel is ringed, the published numbers are overlaid as stars, and
horizontal bands show cells of reference.
"""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nrevu.analysis.claims import matching
from nrevu.analysis.table import flagged, lengthened
from nrevu.analysis.traces import best
from nrevu.experiments.experiment import Experiment
from nrevu.figures.runs import draw_trace
from nrevu.figures.style import (
    DASHES,
    MARKERS,
    is_time,
    label,
    line_colours,
    method_and_u,
    method_colours,
    plain,
    set_title,
    value_label,
    with_error,
    y_label,
)
from nrevu.figures.ticks import label_log_axis, set_ticks


@dataclass(frozen=True)
class Line:
    """One line of a panel."""

    name: str  # in the key; none, if there is no column that lines differ in
    points: pd.DataFrame  # rows of the table, in the order of x
    x: pd.Series  # where to draw them
    shift: float  # how far that is from where they belong
    style: Mapping[str, Any]


def lines(experiment: Experiment, settings, table: pd.DataFrame, traces) -> Figure:
    """Return the figure that the settings describe."""
    shown = shown_cells(settings, table)
    rows = split(shown, settings.get("rows"))
    panels = settings["panels"]
    size = (4.3 * len(panels) + 0.4, 3.4 * len(rows) + 1.5)
    figure = Figure(figsize=size, layout="constrained")
    set_title(figure, settings.get("title", experiment.title))
    grid = figure.subplots(len(rows), len(panels), squeeze=False, sharey="col")
    handles: dict[str, Any] = {}
    for axes, (value, part) in zip(grid, rows, strict=True):
        styles = line_styles(settings, shown if "line" in settings else part)
        for ax, column in zip(axes, panels, strict=True):
            if column == "trace":
                draw_trace(ax, trace_of(traces, settings["rows"], value))
            else:
                drawn = panel_lines(settings, column, part, styles)
                draw_panel(ax, experiment, settings, column, drawn, handles)
                draw_references(ax, settings, column, table, handles)
                name_axes(ax, settings, column, shown)
            if "rows" in settings:
                row = value_label(settings["rows"], value, part)
                ax.set_title(f"{row}: {panel_title(column)}")
    for ax in grid.flat:
        if ax.get_yscale() == "log":
            label_log_axis(ax.yaxis)
    add_key(figure, settings, handles)
    return figure


def shown_cells(settings, table: pd.DataFrame) -> pd.DataFrame:
    """Return the cells that have a place on the horizontal axis."""
    cells = matching(table, settings.get("where", {}))
    x = cells[settings["x"]]
    return cells[x > 0 if settings.get("x_scale") == "log" else x.notna()]


def split(table: pd.DataFrame, column: str | None) -> list[tuple[Any, pd.DataFrame]]:
    """Return (value, rows) for each value of a column, numbers in order, or all rows if None."""
    if column is None:
        return [(None, table)]
    parts = list(table.groupby(column, dropna=False, sort=False))
    if pd.api.types.is_numeric_dtype(table[column]):  # missing values first, as of standard u
        parts.sort(key=lambda part: -math.inf if pd.isna(part[0]) else part[0])
    return parts


def same(a, b) -> bool:
    """Tell whether two values are equal, where being missing counts as a value."""
    return (pd.isna(a) and pd.isna(b)) or a == b


def trace_of(traces: list[dict[str, Any]], column: str, value) -> dict[str, Any] | None:
    """Return the trace of the best cell for a value, if there is one."""
    fits = (t for t in traces if t["best"] and same(t["parameters"].get(column), value))
    return next(fits, None)


def line_styles(settings, shown: pd.DataFrame) -> list[tuple[pd.DataFrame, str, dict[str, Any]]]:
    """Return the cells, the name and the style of each line."""
    parts = split(shown, settings.get("line"))
    colours = line_colours(settings, parts)
    made = []
    for index, (value, cells) in enumerate(parts):
        style = {
            "color": colours[index],
            "marker": MARKERS[index % len(MARKERS)],
            "ls": DASHES[index % len(DASHES)],
        }
        made.append((cells, line_name(settings, value, cells), style))
    return made


def line_name(settings, value: Any, cells: pd.DataFrame) -> str:
    """Return what to call the line of these cells."""
    if "line" not in settings:
        return ""
    return value_label(settings["line"], value, cells, settings.get("line_label"))


def panel_lines(settings, column: str, part: pd.DataFrame, styles) -> list[Line]:
    """Return the lines of a panel; times are shifted sideways a little, as they may coincide."""
    ticks = sorted(part[settings["x"]].unique())
    gap = min((b - a for a, b in itertools.pairwise(ticks)), default=0.0)
    gap = gap if is_time(column) and settings.get("x_scale") != "log" else 0.0
    made = []
    for index, (cells, name, style) in enumerate(styles):
        points = cells[cells.index.isin(part.index)].sort_values(settings["x"])
        shift = 0.5 * gap * (index - (len(styles) - 1) / 2) / len(styles)
        if len(points):
            made.append(Line(name, points, points[settings["x"]] + shift, shift, style))
    return made


def draw_panel(ax: Axes, experiment, settings, column, drawn: list[Line], handles) -> None:
    """Draw the lines of one panel, its best cells and the published numbers."""
    for line in drawn:
        y, se = line.points[column], line.points[f"{column}.se"]
        handle = ax.errorbar(line.x, y, yerr=se, ms=4.5, lw=1.2, capsize=2, **line.style)
        mark_flagged(ax, column, line, handles)
        if line.name:
            handles[line.name] = handle
        mark_published(ax, experiment, settings, column, line, handles)
    if is_time(column):
        mark_best(ax, settings, column, drawn, handles)


def mark_flagged(ax: Axes, column: str, line: Line, handles) -> None:
    """Draw hollow the cells whose lag was too short, or whose chains do not agree."""
    notes = {"lag_too_short": "lag too short, time too low", "not_converged": "not converged"}
    for kind, note in notes.items():
        bad = flagged(line.points, column, [kind])
        if bad.any():
            hollow = {"marker": line.style["marker"], "ls": "", "mfc": "#ffffff", "ms": 4.5}
            x, y = line.x[bad], line.points[column][bad]
            ax.plot(x, y, mec=line.style["color"], zorder=4, **hollow)
            handles[f"hollow: {note}"] = Line2D([], [], mec="#666666", **hollow)


def mark_best(ax: Axes, settings, column: str, drawn: list[Line], handles) -> None:
    """Ring the best point of each line, or the best of the panel with its value.

    Where lags are too few, from as many as the time needs: what is drawn reads low there.
    """
    found = []
    for line in drawn:
        cells = lengthened(line.points)
        index = best(cells, column)
        found += [] if index is None else [(cells[column][index], line, index)]
    if settings.get("best") == "panel" and found:
        found = [min(found, key=lambda each: each[0])]
    for _, line, index in found:
        x, y = line.x[index], line.points[column][index]
        ax.plot(x, y, "o", ms=11, mfc="none", mec=line.style["color"], mew=1.3)
        if settings.get("best") == "panel":
            se = line.points[f"{column}.se"][index]
            ax.annotate(
                with_error(y, se), (x, y), xytext=(0, -17), ha="center",
                textcoords="offset points", fontsize=9, fontweight="bold",
            )  # fmt: skip
            ax.margins(y=0.12)
    word = "panel" if settings.get("best") == "panel" else "line"
    ring = Line2D([], [], ls="", marker="o", ms=11, mfc="none", mec="#666666")
    handles[f"best of a {word}"] = ring


def mark_published(ax: Axes, experiment, settings, column, line: Line, handles) -> None:
    """Overlay what was published for the settings of this line."""
    for entry in experiment.published:
        at = entry["at"]
        cells = matching(line.points, at)
        if column in entry and len(cells) == 1:
            star = {"ls": "", "marker": "*", "ms": 16, "mfc": "none", "mew": 1.2}
            x = cells[settings["x"]].iloc[0] + line.shift
            ax.plot(x, entry[column], mec=line.style["color"], zorder=5, **star)
            source = " (Neal 2020)" if experiment.family.name == "the paper" else ""
            handles[f"published{source}"] = Line2D([], [], mec="#666666", **star)


def draw_references(ax: Axes, settings, column: str, table: pd.DataFrame, handles) -> None:
    """Draw a horizontal band, one standard error to each side, for each cell of reference."""
    for index, where in enumerate(settings.get("references", ())):
        cells = matching(table, where)[:1]
        (colour,) = method_colours([method_and_u(cells)])
        y, se = cells[column].iloc[0], cells[f"{column}.se"].iloc[0]
        line = ax.axhline(y, color=colour, ls=(DASHES[3], DASHES[1])[index % 2], lw=1.2)
        ax.axhspan(y - se, y + se, color=colour, alpha=0.15, lw=0)
        words = (value_label(key, value, cells) for key, value in where.items())
        handles[", ".join(words)] = line


def name_axes(ax: Axes, settings, column: str, shown: pd.DataFrame) -> None:
    """Name the axes of a panel and put ticks where the cells are."""
    if settings.get("x_scale") == "log":
        ax.set_xscale("log")
    set_ticks(ax, sorted(shown[settings["x"]].unique()))
    ax.set_xlabel(plain(settings.get("x_label") or label(settings["x"])))
    if settings.get("y_scale") == "log" and is_time(column):
        ax.set_yscale("log")
    ax.set_ylabel(y_label(column, shown))
    ax.set_title(panel_title(column))


def panel_title(column: str) -> str:
    """Return what a panel shows."""
    if column == "trace":
        return "u of single updates"
    return f"cost, {label(column)}" if column.startswith("cost.") else label(column)


def add_key(figure: Figure, settings, handles: dict[str, Any]) -> None:
    """Put the key below the panels."""
    if "trace" in settings["panels"]:
        handles["u of a rejection"] = Line2D([], [], ls="", marker="x", ms=5, color="#D62728")
    last = [n for n in handles if n.startswith(("best of", "published", "u of", "hollow"))]
    order = [name for name in handles if name not in last] + sorted(last)
    times = any(is_time(panel) for panel in settings["panels"])
    shifted = times and "line" in settings and settings.get("x_scale") != "log"
    figure.legend(
        [handles[name] for name in order],
        order,
        loc="outside lower center",
        ncols=min(len(order), int(figure.get_figwidth() / 2.1)),
        title="times and costs: lines are shifted sideways a little" if shifted else None,
        title_fontsize=8,
    )
