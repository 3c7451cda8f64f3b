"""Heat maps: a map for each value of a column, or of two, all on one scale, the best framed."""

from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from nrevu.analysis.claims import matching
from nrevu.analysis.table import flagged, lengthened
from nrevu.analysis.traces import best
from nrevu.experiments.experiment import Experiment
from nrevu.figures.lines import same, split
from nrevu.figures.style import label, plain, set_title, value_label, value_title
from nrevu.figures.ticks import label_log_axis, name_cells


def heat(experiment: Experiment, settings, table: pd.DataFrame, traces) -> Figure:
    """Return the figure that the settings describe."""
    shown = matching(table, settings.get("where", {}))
    maps = panels(shown, settings)
    across = len(split(shown, settings["columns"])) if "columns" in settings else min(len(maps), 3)
    down = -(-len(maps) // across)
    wide, high = (3.3, 2.7) if across > 3 else (4.4, 3.5)
    figure = Figure(figsize=(wide * across + 1.0, high * down + 0.7), layout="constrained")
    set_title(figure, settings.get("title", experiment.title))
    axes = figure.subplots(down, across, squeeze=False).ravel()
    values = shown[settings["value"]]
    values = values[(values > 0) & np.isfinite(values)]
    least, most = (values.min(), values.max()) if len(values) else (1.0, 10.0)
    norm = LogNorm(*settings.get("range", (least, max(most, 1.01 * least))))
    for ax, (title, part) in zip(axes, maps, strict=False):
        draw_map(ax, settings, part, norm, (wide - 0.8, high - 1.0))
        ax.set_title(title, fontsize=10 if across <= 3 else 9)
    for ax in axes[len(maps) :]:
        ax.set_axis_off()
    if flagged(shown, settings["value"]).any():
        note = "? unreliable: too few lags, or chains disagree"
        figure.supxlabel(note, fontsize=8.5)
    scale = matplotlib.cm.ScalarMappable(norm, "viridis_r")
    beyond = ((values < norm.vmin).any(), (values > norm.vmax).any())
    ends = {(True, True): "both", (True, False): "min", (False, True): "max"}
    bar = figure.colorbar(scale, ax=axes.tolist(), shrink=0.8, extend=ends.get(beyond, "neither"))
    label_log_axis(bar.ax.yaxis)
    bar.ax.tick_params(which="both", labelsize=8)
    bar.set_label(value_title(settings["value"], shown))
    return figure


def panels(shown: pd.DataFrame, settings) -> list[tuple[str, pd.DataFrame]]:
    """Return the title and the cells of each map, row by row."""
    found = []
    columns = [value for value, _ in split(shown, settings.get("columns"))]
    for row, part in split(shown, settings.get("rows")):
        inside = split(part, settings.get("columns"))
        for column in columns:  # also where there are no such cells, to stay in its column
            cells = next((cells for value, cells in inside if same(value, column)), part[:0])
            found.append((map_title(settings, row, column, cells), cells))
    return found


def map_title(settings, row: Any, column: Any, cells: pd.DataFrame) -> str:
    """Return what the cells of a map have in common."""
    values = {"rows": row, "columns": column}
    return ", ".join(value_label(settings[k], v, cells) for k, v in values.items() if k in settings)


def draw_map(ax: Axes, settings, part: pd.DataFrame, norm, inches: tuple[float, float]) -> None:
    """Draw one map with the value and its error in each cell; frame the best one."""
    value = settings["value"]
    part = part.dropna(subset=[settings["x"], settings["y"]])
    if part.empty:
        return ax.set_axis_off()
    part = part.assign(flagged=flagged(part, value))
    grid = {
        name: part.pivot(index=settings["y"], columns=settings["x"], values=name)
        for name in (value, f"{value}.se", "flagged")
    }
    values = grid[value].to_numpy(float)
    ax.imshow(values, origin="lower", aspect="auto", cmap="viridis_r", norm=norm)
    ax.grid(False)
    roomy = inches[0] / values.shape[1] > 0.28 and inches[1] / values.shape[0] > 0.2
    errors, flags = (grid[name].to_numpy() for name in (f"{value}.se", "flagged"))
    for (row, column), number in np.ndenumerate(values):
        if np.isfinite(number):
            text = cell_text(number, errors[row, column], flags[row, column], norm.vmax, roomy)
            colour = "white" if norm(min(number, norm.vmax)) > 0.5 else "black"
            place = {"ha": "center", "va": "center", "fontsize": 6.5, "color": colour}
            ax.text(column, row, text, **place)
    lowest = best(lengthened(part), value)
    if lowest is not None:
        row = list(grid[value].index).index(part[settings["y"]][lowest])
        column = list(grid[value].columns).index(part[settings["x"]][lowest])
        frame = {"fill": False, "ec": "#D62728", "lw": 2.2}
        ax.add_patch(matplotlib.patches.Rectangle((column - 0.5, row - 0.5), 1, 1, **frame))
    name_cells(ax.xaxis, grid[value].columns, inches[0])
    name_cells(ax.yaxis, grid[value].index, inches[1])
    ax.set_xlabel(plain(settings.get("x_label") or label(settings["x"])))
    ax.set_ylabel(label(settings["y"]))


def cell_text(value: float, se: float, unreliable: bool, most: float, roomy: bool) -> str:
    """Return what is written into a cell: numbers, where there is room for them."""
    if not roomy:
        return "?" if unreliable else ""
    digits = 0 if most > 50 else 1
    mark = " ?" if unreliable else ""
    return f"{value:.{digits}f}{mark}\n±{se:.{digits}f}"
