"""Interactive figures for the report: a tooltip shows a cell's settings, results and command.

In: an experiment's figure settings and table. Out: Bokeh figures, which need nothing from the
network once Bokeh's own script is in the page.
"""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from bokeh.models import ColorBar, ColumnDataSource, HoverTool, Legend, LegendItem, LogColorMapper
from bokeh.palettes import Viridis256
from bokeh.plotting import figure

from nrevu.analysis.table import flagged, matching
from nrevu.analysis.traces import format_setting
from nrevu.experiments.columns import error, is_time, times
from nrevu.figures import _style as style
from nrevu.figures._cells import split
from nrevu.figures.heat import colour_scale, panels
from nrevu.figures.lines import Line, panel_lines, shown_cells

# Bokeh's names for style.MARKERS; it has no sideways triangles, so the last two differ.
MARKERS = (
    "circle",
    "square",
    "diamond",
    "triangle",
    "inverted_triangle",
    "plus",
    "x",
    "hex",
    "star",
)
LABEL_WIDTH = 36  # characters of a line of the vertical axis's label: more do not fit its height
TIP = """
<div class="tip" style="max-width: 20rem; white-space: normal; overflow-wrap: anywhere">
<b>@settings</b><br>@estimates{safe}<br>rejection rate @rejection, clustering
@clustering<br>@evaluations<br><code>@command</code></div>
"""


def figures_of(settings: Any, table: pd.DataFrame, tip: pd.DataFrame) -> list:
    """Return the Bokeh figures of one of an experiment's figures, a panel each."""
    if settings.kind == "lines":
        return line_figures(settings, shown_cells(settings, table), tip)
    if settings.kind == "heat":
        return heat_figures(settings, matching(table, settings.where), tip)
    return []


def line_figures(settings, shown: pd.DataFrame, tip: pd.DataFrame) -> list:
    """Return a figure for each panel of each row: lines through cells, with error bars."""
    made = []
    for row, part in split(shown, settings.rows) if len(shown) else ():
        title = style.value_label(settings.rows, row, part) if settings.rows else ""
        for column in (name for name in settings.panels if name != "trace"):
            scale = settings.y_scale if is_time(column) else "linear"
            scales = {"x_axis_type": settings.x_scale, "y_axis_type": scale}
            plot = empty(title, x_label(settings), style.value_title(column, shown), **scales)
            draw_lines(plot, panel_lines(settings, column, part, shown), settings.x, column, tip)
            made.append(plot)
    return made


def draw_lines(plot, lines: Sequence[Line], x: str, column: str, tip: pd.DataFrame) -> None:
    """Draw the lines of a panel with error bars, and the points to point at.

    All lines share a glyph: Bokeh takes as long for a glyph as for a thousand points.
    """
    pieces: list[pd.DataFrame] = []
    items = []
    for line in lines:
        points, colour = line.points, line.style["color"]
        y, se, bad = points[column], points[error(column)], flagged(points, column)
        # The legend shows the line's first point that is not hollow.
        items.append((line.name, sum(map(len, pieces)) + int(bad.to_numpy().argmin())))
        data = {"x": points[x], "y": y, "low": y - se, "high": y + se, "colour": colour}
        data["marker"] = MARKERS[style.MARKERS.index(line.style["marker"]) % len(MARKERS)]
        data["fill"] = ["#ffffff" if hollow else colour for hollow in bad]
        pieces.append(tip.loc[points.index].assign(**data))
    source = ColumnDataSource(pd.concat(pieces).to_dict("list"))
    paths = [[list(piece[axis]) for piece in pieces] for axis in "xy"]
    colours = [line.style["color"] for line in lines]
    plot.multi_line(*paths, line_color=colours, line_width=1.5)
    plot.segment("x", "low", "x", "high", source=source, line_color="colour")
    how = {"marker": "marker", "size": 8, "line_color": "colour", "fill_color": "fill"}
    drawn = plot.scatter("x", "y", source=source, **how)
    plot.add_tools(HoverTool(renderers=[drawn], tooltips=TIP))
    if lines[0].name:
        key = [LegendItem(label=name, renderers=[drawn], index=index) for name, index in items]
        plot.add_layout(Legend(items=key, label_text_font_size="9px"), "right")


def heat_figures(settings, shown: pd.DataFrame, tip: pd.DataFrame) -> list:
    """Return a map for each value of the rows, and of the columns, all on one scale."""
    low, high, _ = colour_scale(shown, settings)
    names = {"x": settings.x, "y": settings.y}
    ranges = {
        f"{axis}_range": [f"{v:g}" for v in sorted(shown[name].dropna().unique())]
        for axis, name in names.items()
    }
    made = []
    for title, cells in panels(shown, settings):
        if cells.empty:
            continue
        plot = empty(title, x_label(settings), style.label(settings.y), **ranges)
        places = {axis: [f"{v:g}" for v in cells[name]] for axis, name in names.items()}
        data = tip.loc[cells.index].assign(value=cells[settings.value], **places)
        source = ColumnDataSource(data.to_dict("list"))
        colours = LogColorMapper(palette=Viridis256[::-1], low=low, high=high)
        fill = {"fill_color": {"field": "value", "transform": colours}, "line_color": "white"}
        drawn = plot.rect("x", "y", 1, 1, source=source, **fill)
        plot.add_tools(HoverTool(renderers=[drawn], tooltips=TIP))
        plot.add_layout(ColorBar(color_mapper=colours, width=8, padding=4), "right")
        plot.grid.visible = False
        made.append(plot)
    return made


def trace_figures(trace: Mapping[str, Any]) -> list:
    """Return the u of consecutive updates of a traced cell, and its runs of acceptances."""
    decisions = pd.DataFrame(trace["decisions"], columns=["u", "accepted"])
    flat = trace["parameters"]
    delta = flat.get("u.delta")
    u = style.label(flat["u"]) if delta is None else style.value_label("u.delta", delta)
    title = f"{u}, {trace['pair']}: {trace['rejection_rate']:.1%} rejected"
    plot = empty(f"u of {len(decisions)} updates; {title}", "update", "u")
    for accepted, colour, name in ((1, "#333333", "accepted"), (0, style.REJECTED, "rejected")):
        part = decisions[decisions.accepted == accepted]
        how = {"color": colour, "marker": "circle" if accepted else "x", "legend_label": name}
        draw_dots(plot, part.u, ("update", "u"), size=5, **how)
    plot.add_layout(plot.legend[0], "right")
    runs = pd.Series(trace["runs"], dtype=float)
    share = runs[::-1].cumsum()[::-1] / max(runs.sum(), 1)
    between = "acceptances between two rejections"
    tail = empty(title, between, "share as long or longer", y_axis_type="log")
    (colour,) = style.method_colours([(flat["method"], flat["u"])])
    draw_dots(tail, share[:200], ("run", "share"), size=4, color=colour)
    return [plot, tail]


def draw_dots(plot, values: pd.Series, names: tuple[str, str], **how) -> None:
    """Draw values above their index, with names to show where a dot is pointed at."""
    source = ColumnDataSource({"x": values.index, "y": values})
    dots = plot.scatter("x", "y", source=source, **how)
    tooltips = list(zip(names, ("@x", "@y"), strict=True))
    plot.add_tools(HoverTool(renderers=[dots], tooltips=tooltips))


def x_label(settings: Any) -> str:
    """Return what to call the horizontal axis."""
    return settings.x_label or style.label(settings.x)


def empty(title: str, x_label: str, y_label: str, **how):
    """Return an empty figure; the page prints its name, because Bokeh's titles do not wrap."""
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
        estimates = [f"{style.label(n)}: τ = {cell[n]:.3g} ± {cell[error(n)]:.2g}" for n in taus]
        gradients, densities = cell["evaluations.gradient"], cell["evaluations.density"]
        rows.append(
            {
                "settings": format_settings(cell, varying),
                "estimates": "<br>".join(estimates),
                "rejection": f"{cell['rejection_rate']:.4f} ± {cell[error('rejection_rate')]:.1g}",
                "clustering": f"{cell['clustering']:.3g}",
                "evaluations": f"{gradients:,} gradients, {densities:,} densities evaluated",
                "command": commands[cell["digest"]],
            }
        )
    return pd.DataFrame(rows, index=table.index)


def format_settings(row: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return some settings of a cell as text, without those that it does not have."""
    kept = [name for name in names if not pd.isna(row.get(name))]
    return ", ".join(format_setting(name, row[name]) for name in kept)
