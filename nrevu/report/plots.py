"""Figures to point at, for the report: what a cell is, what it gave, and how to run it again.

In: an experiment's figure settings and table. Out: Bokeh figures, which need nothing from the
network once Bokeh's own script is in the page.
"""

import textwrap
from collections.abc import Mapping
from typing import Any

import pandas as pd
from bokeh.models import (
    ColorBar,
    ColumnDataSource,
    HoverTool,
    Legend,
    LegendItem,
    LogColorMapper,
)
from bokeh.palettes import Viridis256
from bokeh.plotting import figure

from nrevu.analysis.table import flagged, matching
from nrevu.analysis.traces import format_setting
from nrevu.experiments.columns import error, is_time, times
from nrevu.figures._cells import split
from nrevu.figures._style import REJECTED, label, method_colours, value_label, value_title
from nrevu.figures.heat import map_title
from nrevu.figures.lines import line_styles, shown_cells

MARKERS = ("circle", "square", "diamond", "triangle", "inverted_triangle", "plus", "x", "hex")
LABEL_WIDTH = 36  # characters of a line of the vertical axis's label: more do not fit its height
TIP = """
<div class="tip" style="max-width: 20rem; white-space: normal; overflow-wrap: anywhere">
<b>@settings</b><br>@estimates{safe}<br>rejection rate @rejection, clustering
@clustering<br>@evaluations<br><code>@command</code></div>
"""


def figures_of(settings: Any, table: pd.DataFrame, about: pd.DataFrame) -> list:
    """Return the Bokeh figures of one of an experiment's figures, a panel each."""
    if settings.kind == "lines":
        return line_figures(settings, shown_cells(settings, table), about)
    if settings.kind == "heat":
        return heat_figures(settings, matching(table, settings.where), about)
    return []


def line_figures(settings, shown: pd.DataFrame, about: pd.DataFrame) -> list:
    """Return a figure for each panel of each row: lines through cells, with error bars."""
    made = []
    for row, part in split(shown, settings.rows) if len(shown) else ():
        styles = line_styles(settings, shown if settings.line else part)
        for column in (name for name in settings.panels if name != "trace"):
            title = value_label(settings.rows, row, part) if settings.rows else ""
            scale = settings.y_scale if is_time(column) else "linear"
            scales = {"x_axis_type": settings.x_scale, "y_axis_type": scale}
            plot = empty(title, x_label(settings), value_title(column, shown), **scales)
            draw_lines(plot, settings, column, part, styles, about)
            made.append(plot)
    return made


def draw_lines(plot, settings, column: str, part: pd.DataFrame, styles, about) -> None:
    """Draw the lines of a panel with error bars, and the points to point at.

    All lines share a glyph: Bokeh takes as long for a glyph as for a thousand points.
    """
    pieces, names = [], {}
    for index, (cells, name, style) in enumerate(styles):
        points = cells[cells.index.isin(part.index)].sort_values(settings.x)
        y, se, colour = points[column], points[error(column)], style["color"]
        bad = flagged(points, column)
        if len(points):  # in the key as its first point that is not hollow
            names[name] = sum(map(len, pieces)) + int(bad.to_numpy().argmin())
        own = {"x": points[settings.x], "y": y, "low": y - se, "high": y + se}
        own |= {"colour": colour, "marker": MARKERS[index % len(MARKERS)]}
        own["fill"] = ["#ffffff" if hollow else colour for hollow in bad]
        pieces.append(about.loc[points.index].assign(**own))
    source = ColumnDataSource(pd.concat(pieces).to_dict("list"))
    paths = {axis: [list(piece[axis]) for piece in pieces] for axis in "xy"}
    colours = [style["color"] for _, _, style in styles]
    plot.multi_line(paths["x"], paths["y"], line_color=colours, line_width=1.5)
    plot.segment("x", "low", "x", "high", source=source, line_color="colour")
    how = {"marker": "marker", "size": 8, "line_color": "colour", "fill_color": "fill"}
    drawn = plot.scatter("x", "y", source=source, **how)
    plot.add_tools(HoverTool(renderers=[drawn], tooltips=TIP))
    if settings.line:
        items = [LegendItem(label=n, renderers=[drawn], index=i) for n, i in names.items()]
        plot.add_layout(Legend(items=items, label_text_font_size="9px"), "right")


def heat_figures(settings, shown: pd.DataFrame, about: pd.DataFrame) -> list:
    """Return a map for each value of the rows, and of the columns, all on one scale."""
    value = settings.value
    positive = shown[value][shown[value] > 0]
    low, high = settings.range or (positive.min(), positive.max())
    made = []
    for row, part in split(shown, settings.rows):
        for column, cells in split(part, settings.columns):
            names = {"x_range": settings.x, "y_range": settings.y}
            axes = {
                axis: [f"{v:g}" for v in sorted(shown[name].dropna().unique())]
                for axis, name in names.items()
            }
            title = map_title(settings, row, column, cells)
            plot = empty(title, x_label(settings), label(settings.y), **axes)
            data = about.loc[cells.index].assign(value=cells[value])
            places = {"x": cells[settings.x], "y": cells[settings.y]}
            data = data.assign(**{k: [f"{v:g}" for v in values] for k, values in places.items()})
            colours = LogColorMapper(palette=Viridis256[::-1], low=low, high=high)
            fill = {"field": "value", "transform": colours}
            drawn = plot.rect(
                "x",
                "y",
                1,
                1,
                source=ColumnDataSource(data.to_dict("list")),
                fill_color=fill,
                line_color="white",
            )
            plot.add_tools(HoverTool(renderers=[drawn], tooltips=TIP))
            plot.add_layout(ColorBar(color_mapper=colours, width=8, padding=4), "right")
            plot.grid.visible = False
            made.append(plot)
    return made


def trace_figures(trace: Mapping[str, Any]) -> list:
    """Return the u of consecutive updates of a traced cell, and its runs of acceptances."""
    decisions = pd.DataFrame(trace["decisions"], columns=["u", "accepted"])
    flat = trace["parameters"]
    u = value_label("u.delta", flat.get("u.delta"))
    about = f"{u}, {trace['pair']}: {trace['rejection_rate']:.1%} rejected"
    plot = empty(f"u of {len(decisions)} updates; {about}", "update", "u")
    for accepted, colour, name in ((1, "#333333", "accepted"), (0, REJECTED, "rejected")):
        part = decisions[decisions.accepted == accepted]
        source = ColumnDataSource({"x": part.index, "u": part.u})
        marker = "circle" if accepted else "x"
        dots = plot.scatter(
            "x", "u", source=source, color=colour, marker=marker, size=5, legend_label=name
        )
        plot.add_tools(HoverTool(renderers=[dots], tooltips=[("update", "@x"), ("u", "@u")]))
    plot.add_layout(plot.legend[0], "right")
    runs = pd.Series(trace["runs"], dtype=float)
    share = runs[::-1].cumsum()[::-1] / max(runs.sum(), 1)
    between = "acceptances between two rejections"
    tail = empty(about, between, "share as long or longer", y_axis_type="log")
    source = ColumnDataSource({"x": share.index[:200], "share": share[:200]})
    (colour,) = method_colours([(flat["method"], flat["u"])])
    steps = tail.scatter("x", "share", source=source, size=4, color=colour)
    tail.add_tools(HoverTool(renderers=[steps], tooltips=[("run", "@x"), ("share", "@share")]))
    return [plot, tail]


def x_label(settings: Any) -> str:
    """Return what to call the horizontal axis."""
    return settings.x_label or label(settings.x)


def empty(title: str, x_label: str, y_label: str, **how):
    """Return a figure without contents; its name is for the page to show, which breaks lines."""
    plot = figure(
        name=title, height=320, sizing_mode="stretch_width", tools="pan,box_zoom,reset,save",
        x_axis_label=x_label,
        y_axis_label=textwrap.fill(y_label.replace("autocorrelation time", "τ"), LABEL_WIDTH),
        toolbar_location="above", **how,
    )  # fmt: skip
    plot.toolbar.logo = None
    plot.yaxis.axis_label_text_font_size = plot.xaxis.axis_label_text_font_size = "11px"
    return plot


def tips(table: pd.DataFrame, commands: Mapping[str, str], varying: list[str]) -> pd.DataFrame:
    """Return what is shown of each cell when it is pointed at."""
    rows, taus = [], times(table, "tau")
    for cell in table.to_dict("records"):
        names = [name for name in varying if not pd.isna(cell.get(name))]
        estimates = [f"{label(n)}: τ = {cell[n]:.3g} ± {cell[error(n)]:.2g}" for n in taus]
        gradients, densities = cell["evaluations.gradient"], cell["evaluations.density"]
        rows.append(
            {
                "settings": ", ".join(format_setting(name, cell[name]) for name in names),
                "estimates": "<br>".join(estimates),
                "rejection": f"{cell['rejection_rate']:.4f} ± {cell[error('rejection_rate')]:.1g}",
                "clustering": f"{cell['clustering']:.3g}",
                "evaluations": f"{gradients:,} gradients, {densities:,} densities evaluated",
                "command": commands[cell["digest"]],
            }
        )
    return pd.DataFrame(rows, index=table.index)
