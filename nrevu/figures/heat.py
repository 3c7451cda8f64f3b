"""Heat maps: a map for each value of a column, or of two, all on one scale, the best framed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from nrevu.analysis.table import extend_lags, flagged, matching
from nrevu.analysis.traces import best
from nrevu.errors import Mistake
from nrevu.experiments.columns import error
from nrevu.experiments.sections import Axis, Estimate, Selection, Split
from nrevu.figures._cells import same, split
from nrevu.figures._style import label, new_figure, plain, value_label, value_title
from nrevu.figures._ticks import label_cells, label_log_axis

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Settings:
    """A figure of kind heat."""

    kind: str
    x: Axis  # the column on the horizontal axis
    y: Axis  # the column on the vertical axis
    value: Estimate  # the column that is shown
    title: str = ""  # default: the experiment's
    where: Selection = field(default_factory=dict)  # show only cells with these values
    x_label: str = ""  # what to call x; default: its name
    rows: Split | None = None  # the column whose values get a row of maps each
    columns: Split | None = None  # the column whose values get a column of maps each
    range: tuple[float, ...] | None = None  # the values at the ends of the colour scale, above 0
    uses: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if self.x == self.y:
            raise Mistake(f"must differ from 'x', which is '{self.x}' too", "y")
        ends = (1, 2) if self.range is None else self.range
        numbers = len(ends) == 2 and all(type(end) in (int, float) for end in ends)
        if not numbers or not 0 < ends[0] < ends[1] < float("inf"):
            raise Mistake("must be two numbers above 0, the lower one first", "range")


def draw(experiment, settings: Settings, table, traces, confirmed) -> Figure:
    """Return the figure that the settings describe."""
    import matplotlib
    from matplotlib.colors import LogNorm

    shown = matching(table, settings.where)
    maps = panels(shown, settings)
    across = len(split(shown, settings.columns)) if settings.columns else min(len(maps), 3)
    down = -(-len(maps) // across)
    wide, high = (3.3, 2.7) if across > 3 else (4.4, 3.5)
    size = (wide * across + 1.0, high * down + 0.7)
    figure = new_figure(size, settings.title or experiment.title)
    axes = figure.subplots(down, across, squeeze=False).ravel()
    values = shown[settings.value]
    values = values[(values > 0) & np.isfinite(values)]
    least, most = (values.min(), values.max()) if len(values) else (1.0, 10.0)
    norm = LogNorm(*(settings.range or (least, max(most, 1.01 * least))))
    for ax, (title, part) in zip(axes, maps, strict=False):
        draw_map(ax, settings, part, norm, (wide - 0.8, high - 1.0))
        ax.set_title(title, fontsize=10 if across <= 3 else 9)
    for ax in axes[len(maps) :]:
        ax.set_axis_off()
    if flagged(shown, settings.value).any():
        note = "? unreliable: too few lags, or chains disagree"
        figure.supxlabel(note, fontsize=8.5)
    scale = matplotlib.cm.ScalarMappable(norm, "viridis_r")
    beyond = ((values < norm.vmin).any(), (values > norm.vmax).any())
    ends = {(True, True): "both", (True, False): "min", (False, True): "max"}
    bar = figure.colorbar(scale, ax=axes.tolist(), shrink=0.8, extend=ends.get(beyond, "neither"))
    label_log_axis(bar.ax.yaxis)
    bar.ax.tick_params(which="both", labelsize=8)
    bar.set_label(value_title(settings.value, shown))
    return figure


def panels(shown: pd.DataFrame, settings: Settings) -> list[tuple[str, pd.DataFrame]]:
    """Return the title and the cells of each map, row by row."""
    found = []
    columns = [value for value, _ in split(shown, settings.columns)]
    for row, part in split(shown, settings.rows):
        inside = split(part, settings.columns)
        for column in columns:  # also one without cells, to keep the columns aligned
            cells = next((cells for value, cells in inside if same(value, column)), part[:0])
            found.append((map_title(settings, row, column, cells), cells))
    return found


def map_title(settings: Settings, row: Any, column: Any, cells: pd.DataFrame) -> str:
    """Return what the cells of a map have in common."""
    values = ((settings.rows, row), (settings.columns, column))
    return ", ".join(value_label(name, value, cells) for name, value in values if name)


def draw_map(
    ax: Axes, settings: Settings, part: pd.DataFrame, norm, inches: tuple[float, float]
) -> None:
    """Draw one map with the value and its error in each cell; frame the best one."""
    from matplotlib.patches import Rectangle

    value = settings.value
    part = part.dropna(subset=[settings.x, settings.y])
    if part.empty:
        return ax.set_axis_off()
    part = part.assign(flagged=flagged(part, value))
    grid = {
        name: part.pivot(index=settings.y, columns=settings.x, values=name)
        for name in (value, error(value), "flagged")
    }
    values = grid[value].to_numpy(float)
    ax.imshow(values, origin="lower", aspect="auto", cmap="viridis_r", norm=norm)
    ax.grid(False)
    roomy = inches[0] / values.shape[1] > 0.28 and inches[1] / values.shape[0] > 0.2
    errors, flags = (grid[name].to_numpy() for name in (error(value), "flagged"))
    for (row, column), number in np.ndenumerate(values):
        if np.isfinite(number):
            text = cell_text(number, errors[row, column], flags[row, column], norm.vmax, roomy)
            colour = "white" if norm(min(number, norm.vmax)) > 0.5 else "black"
            style = {"ha": "center", "va": "center", "fontsize": 6.5, "color": colour}
            ax.text(column, row, text, **style)
    lowest = best(extend_lags(part), value)
    if lowest is not None:
        row = list(grid[value].index).index(part[settings.y][lowest])
        column = list(grid[value].columns).index(part[settings.x][lowest])
        frame = {"fill": False, "ec": "#D62728", "lw": 2.2}
        ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, **frame))
    label_cells(ax.xaxis, grid[value].columns, inches[0])
    label_cells(ax.yaxis, grid[value].index, inches[1])
    ax.set_xlabel(plain(settings.x_label or label(settings.x)))
    ax.set_ylabel(label(settings.y))


def cell_text(value: float, se: float, unreliable: bool, most: float, roomy: bool) -> str:
    """Return the text of a cell: numbers, where there is room for them."""
    if not roomy:
        return "?" if unreliable else ""
    digits = 0 if most > 50 else 1
    mark = " ?" if unreliable else ""
    return f"{value:.{digits}f}{mark}\n±{se:.{digits}f}"
