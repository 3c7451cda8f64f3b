"""Lines with error bars: a panel for each column, a row of panels for each value of another.

The best cell of each line or panel is ringed, published numbers are drawn as stars, and
reference cells as horizontal bands.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from nrevu.analysis.edges import edges
from nrevu.analysis.table import extend_lags, flagged, matching
from nrevu.analysis.traces import best
from nrevu.experiments.columns import SHORT, UNCONVERGED, error, is_time, parse
from nrevu.experiments.sections import Axis, Colour, Panel, Selection, Split
from nrevu.figures import _style as style
from nrevu.figures._cells import same, split
from nrevu.figures.runs import draw_trace

Scale = Literal["linear", "log"]
RING = {"ls": "", "marker": "o", "ms": 11, "mfc": "none"}


@dataclass(frozen=True)
class Settings:
    """A figure of kind lines."""

    kind: str
    x: Axis  # the column on the horizontal axis
    panels: tuple[Panel, ...]  # the columns on the vertical axes, a panel each, or trace
    title: str = ""  # default: the experiment's
    where: Selection = field(default_factory=dict)  # show only cells with these values
    x_label: str = ""  # what to call x; default: its name
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"  # of autocorrelation times and costs
    rows: Split | None = None  # the column whose values get a row of panels each
    line: Split | None = None  # the column whose values get a line each
    line_label: str = ""  # what to call it; default: its name
    references: tuple[Selection, ...] = ()  # cells to draw as horizontal lines
    best: Literal["line", "panel"] = "line"  # ring the best cell of each line, or of each panel
    colours: tuple[Colour, ...] = ()  # of the lines, in order; default: by method, or a palette

    @property
    def uses(self) -> tuple[str, ...]:
        """Return what is drawn besides the table: traces, if a panel shows them."""
        return ("trace",) if "trace" in self.panels else ()


@dataclass(frozen=True)
class Line:
    """One line of a panel."""

    name: str  # in the legend; "" if there is only one line
    points: style.DataFrame  # rows of the table, in the order of x
    x: Any  # where to draw them: a Series of their x plus the shift
    style: Mapping[str, Any]


def draw(experiment, settings: Settings, table, traces, confirmed) -> style.Figure:
    """Return the figure that the settings describe."""
    shown = shown_cells(settings, table)
    rows, panels = split(shown, settings.rows), settings.panels
    width, height = 4.3 * len(panels) + 0.4, 3.4 * len(rows) + 1.5
    figure = style.new_figure(experiment, settings, width, height)
    grid = figure.subplots(len(rows), len(panels), squeeze=False, sharey="col")
    handles: dict[str, Any] = {}
    for axes, (value, part) in zip(grid, rows, strict=True):
        for ax, column in zip(axes, panels, strict=True):
            if column == "trace":
                draw_trace(ax, trace_of(traces, settings.rows, value))
            else:
                drawn = panel_lines(settings, column, part, shown)
                draw_panel(ax, experiment, settings, column, drawn, handles)
                draw_references(ax, settings, column, table, handles)
                name_axes(ax, settings, column, shown)
            if settings.rows:
                row = style.value_label(settings.rows, value, part)
                ax.set_title(f"{row}: {panel_title(column)}")
    for ax in grid.flat:
        if ax.get_yscale() == "log":
            style.label_log_axis(ax.yaxis)
    show_legend(figure, settings, handles)
    return figure


def shown_cells(settings: Settings, table: style.DataFrame) -> style.DataFrame:
    """Return the cells that have a position on the horizontal axis."""
    cells = matching(table, settings.where)
    x = cells[settings.x]
    return cells[x > 0 if settings.x_scale == "log" else x.notna()]


def trace_of(traces: list[dict[str, Any]], column: str | None, value) -> dict[str, Any] | None:
    """Return the trace of the best cell for a value, if there is one."""
    fits = (t for t in traces if t["best"] and same(t["parameters"].get(column), value))
    return next(fits, None)


def panel_lines(settings: Settings, column: str, part, shown: style.DataFrame) -> list[Line]:
    """Return the lines of a panel, each in the style that it has wherever it is shown.

    Times are shifted sideways a little, as they may coincide.
    """
    parts = split(shown if settings.line else part, settings.line)
    colours = line_colours(settings, parts)
    ticks = sorted(part[settings.x].unique())
    gap = min((b - a for a, b in itertools.pairwise(ticks)), default=0.0)
    gap = gap if is_time(column) and settings.x_scale != "log" else 0.0
    lines = []
    for index, (value, cells) in enumerate(parts):
        points = cells[cells.index.isin(part.index)].sort_values(settings.x)
        name = ""
        if settings.line:
            name = style.value_label(settings.line, value, cells, settings.line_label)
        shift = 0.5 * gap * (index - (len(parts) - 1) / 2) / len(parts)
        marker, dash = (each[index % len(each)] for each in (style.MARKERS, style.DASHES))
        look = {"color": colours[index], "marker": marker, "ls": dash}
        if len(points):
            lines.append(Line(name, points, points[settings.x] + shift, look))
    return lines


def line_colours(settings: Settings, parts: list[tuple[Any, style.DataFrame]]) -> list[str]:
    """Return a colour for each line: that of its method, if the lines differ in method or u."""
    column = settings.line or "method"
    if not settings.colours and (column == "method" or column.partition(".")[0] == "u"):
        return style.method_colours([style.method_and_u(cells) for _, cells in parts])
    return style.palette(len(parts), settings.colours)


def draw_panel(ax: style.Axes, experiment, settings, column, drawn: list[Line], handles) -> None:
    """Draw the lines of one panel, its best cells and the published numbers."""
    for line in drawn:
        y, se = line.points[column], line.points[error(column)]
        handle = ax.errorbar(line.x, y, yerr=se, ms=4.5, lw=1.2, capsize=2, **line.style)
        mark_flagged(ax, column, line, handles)
        if line.name:
            handles[line.name] = handle
        mark_published(ax, experiment, column, line, handles)
    if is_time(column):
        mark_best(ax, settings, column, drawn, handles)


def mark_flagged(ax: style.Axes, column: str, line: Line, handles) -> None:
    """Draw hollow the cells whose lag was too short, or whose chains do not agree."""
    notes = {SHORT: "too few lags, time reads low", UNCONVERGED: "not converged"}
    for kind, note in notes.items():
        bad = flagged(line.points, column, [kind])
        if bad.any():
            hollow = {"marker": line.style["marker"], "ls": "", "mfc": "#ffffff", "ms": 4.5}
            x, y = line.x[bad], line.points[column][bad]
            ax.plot(x, y, mec=line.style["color"], zorder=4, **hollow)
            handles[f"hollow: {note}"] = style.legend_mark(mec="#666666", **hollow)


def mark_best(ax: style.Axes, settings, column: str, drawn: list[Line], handles) -> None:
    """Ring the best point of each line, or the best of the panel with its value.

    Selected by the time that claims use: the drawn value is too low where lags are too few.
    """
    found = []
    for line in drawn:
        cells = extend_lags(line.points)
        index = best(cells, column)
        found += [] if index is None else [(cells[column][index], line, index)]
    whole = settings.best == "panel"
    if whole and found:
        found = [min(found, key=lambda each: each[0])]
    for _, line, index in found:
        x, y = line.x[index], line.points[column][index]
        edge = edges(panel_cells(drawn) if whole else line.points, line.points.loc[index])
        ring(ax, (x, y), line.style["color"], bool(edge), handles)
        if whole:
            se = line.points[error(column)][index]
            style.write_value(ax, x, y, style.with_error(y, se), -17)
            ax.margins(y=0.12)
    handles[f"best of a {settings.best}"] = style.legend_mark(**RING, mec="#666666")


def panel_cells(drawn: list[Line]) -> style.DataFrame:
    """Return the cells of all lines of a panel."""
    import pandas as pd

    return pd.concat([line.points for line in drawn])


def ring(ax: style.Axes, point: tuple[float, float], colour: str, edge: bool, handles) -> None:
    """Draw a ring round a point, dashed if it is at the edge of its grid."""
    dashed = {"marker": style.dashed_ring()} if edge else {}
    ax.plot(*point, **RING | dashed, mec=colour, mew=1.3)
    if edge:
        handles[style.EDGE] = style.legend_mark(**RING | dashed, mec="#666666")


def mark_published(ax: style.Axes, experiment, column: str, line: Line, handles) -> None:
    """Draw as stars the numbers that were published for cells of this line."""
    for entry in experiment.published:
        cells = matching(line.points, entry.at)
        if column in entry.numbers and len(cells) == 1:
            star = {"ls": "", "marker": "*", "ms": 16, "mfc": "none", "mew": 1.2}
            x = line.x[cells.index[0]]
            ax.plot(x, entry.numbers[column], mec=line.style["color"], zorder=5, **star)
            source = " (Neal 2020)" if experiment.family.name == "the paper" else ""
            handles[f"published{source}"] = style.legend_mark(mec="#666666", **star)


def draw_references(ax: style.Axes, settings, column: str, table: style.DataFrame, handles) -> None:
    """Draw a horizontal band, one standard error to each side, for each cell of reference."""
    for index, where in enumerate(settings.references):
        cells = matching(table, where)[:1]
        (colour,) = style.method_colours([style.method_and_u(cells)])
        y, se = cells[column].iloc[0], cells[error(column)].iloc[0]
        line = ax.axhline(y, color=colour, ls=(style.DASHES[3], style.DASHES[1])[index % 2], lw=1.2)
        ax.axhspan(y - se, y + se, color=colour, alpha=0.15, lw=0)
        names = (style.value_label(key, value, cells) for key, value in where.items())
        handles[", ".join(names)] = line


def name_axes(ax: style.Axes, settings, column: str, shown: style.DataFrame) -> None:
    """Name the axes of a panel and set ticks at the cells."""
    if settings.x_scale == "log":
        ax.set_xscale("log")
    style.set_ticks(ax, sorted(shown[settings.x].unique()))
    ax.set_xlabel(style.plain(settings.x_label or style.label(settings.x)))
    if settings.y_scale == "log" and is_time(column):
        ax.set_yscale("log")
    ax.set_ylabel(style.y_label(column, shown))
    ax.set_title(panel_title(column))


def panel_title(column: str) -> str:
    """Return what a panel shows."""
    if column == "trace":
        return "u of single updates"
    kinds = {"cost": "cost, ", "time": "CPU time, "}
    return kinds.get(parse(column).kind, "") + style.label(column)


def show_legend(figure: style.Figure, settings: Settings, handles: dict[str, Any]) -> None:
    """Add the legend below the panels."""
    if "trace" in settings.panels:
        cross = style.legend_mark(ls="", marker="x", ms=5, color=style.REJECTED)
        handles["u of a rejection"] = cross
    last = [n for n in handles if n.startswith(("best", "published", "u of", "hollow"))]
    order = [name for name in handles if name not in last] + sorted(last)
    shifted = settings.line and settings.x_scale != "log" and any(map(is_time, settings.panels))
    title = "times and costs: lines are shifted sideways a little" if shifted else None
    place = {"loc": "outside lower center", "title": title, "title_fontsize": 8}
    columns = min(len(order), int(figure.get_figwidth() / 2.1))
    figure.legend([handles[name] for name in order], order, ncols=columns, **place)
