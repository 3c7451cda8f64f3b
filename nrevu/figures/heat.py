"""Heat maps: a map for each value of a column, or of two, all on one scale, the best framed."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from nrevu.analysis.edges import edges
from nrevu.analysis.table import extend_lags, flagged, matching
from nrevu.analysis.traces import best
from nrevu.errors import Mistake
from nrevu.experiments.columns import error
from nrevu.experiments.sections import Axis, Estimate, Selection, Split
from nrevu.figures import _style as style
from nrevu.figures._cells import same, split


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


def draw(experiment, settings: Settings, table, traces, confirmed) -> style.Figure:
    """Return the figure that the settings describe."""
    import matplotlib

    shown = matching(table, settings.where)
    maps = panels(shown, settings)
    across = len(split(shown, settings.columns)) if settings.columns else min(len(maps), 3)
    down = -(-len(maps) // across)
    wide, high = (3.3, 2.7) if across > 3 else (4.4, 3.5)
    figure = style.new_figure(experiment, settings, wide * across + 1.0, high * down + 0.7)
    axes = figure.subplots(down, across, squeeze=False).ravel()
    least, most, beyond = colour_scale(shown, settings)
    norm = matplotlib.colors.LogNorm(least, most)
    for ax, (title, part) in zip(axes, maps, strict=False):
        draw_map(ax, settings, part, norm, (wide - 0.8, high - 1.0))
        ax.set_title(title, fontsize=10 if across <= 3 else 9)
    for ax in axes[len(maps) :]:
        ax.set_axis_off()
    text = "; ".join(notes(shown, settings, axes, norm))
    figure.supxlabel(textwrap.fill(text, int(13 * figure.get_figwidth())), fontsize=8.5)
    scale = matplotlib.cm.ScalarMappable(norm, "viridis_r")
    bar = figure.colorbar(scale, ax=axes.tolist(), shrink=0.8, extend=beyond)
    style.label_log_axis(bar.ax.yaxis)
    bar.ax.tick_params(which="both", labelsize=8)
    bar.set_label(style.value_title(settings.value, shown))
    return figure


def notes(shown: style.DataFrame, settings: Settings, axes: Sequence[style.Axes], norm) -> list:
    """Return what to say below the maps of their numbers and frames."""
    unreliable = flagged(shown, settings.value).any()
    dashed = any(patch.get_linestyle() == "--" for ax in axes for patch in ax.patches)
    unit = unit_of(norm)
    return (
        ["? unreliable: too few lags, or chains disagree"] * bool(unreliable)
        + [f"dashed: {style.EDGE}"] * dashed
        + [f"numbers in units of {unit:g}"] * (unit != 1)
    )


def unit_of(norm) -> float:
    """Return the unit in which numbers are written: 1, or a power of ten if all are small."""
    return 1.0 if norm.vmax >= 0.1 else 10.0 ** math.floor(math.log10(norm.vmin))


def panels(shown: style.DataFrame, settings: Settings) -> list[tuple[str, style.DataFrame]]:
    """Return the title and the cells of each map, row by row."""
    found = []
    columns = [value for value, _ in split(shown, settings.columns)]
    for row, part in split(shown, settings.rows):
        inside = split(part, settings.columns)
        for column in columns:  # also one without cells, to keep the columns aligned
            cells = next((cells for value, cells in inside if same(value, column)), part[:0])
            values = ((settings.rows, row), (settings.columns, column))
            names = [style.value_label(name, value, cells) for name, value in values if name]
            found.append((", ".join(names), cells))
    return found


def colour_scale(shown: style.DataFrame, settings: Settings) -> tuple[float, float, str]:
    """Return the ends of the colour scale, and beyond which of them there are values."""
    values = shown[settings.value]
    values = values[(values > 0) & np.isfinite(values)]
    least, most = (values.min(), values.max()) if len(values) else (1.0, 10.0)
    least, most = settings.range or (least, max(most, 1.01 * least))
    ends = {(True, True): "both", (True, False): "min", (False, True): "max"}
    beyond = ((values < least).any(), (values > most).any())
    return least, most, ends.get(beyond, "neither")


def draw_map(
    ax: style.Axes, settings: Settings, part: style.DataFrame, norm, inches: tuple[float, float]
) -> None:
    """Draw one map with the value and its error in each cell; frame the best one."""
    from matplotlib.patches import Rectangle

    value, x, y = settings.value, settings.x, settings.y
    part = part.dropna(subset=[x, y])
    if part.empty:
        return ax.set_axis_off()
    part = part.assign(flagged=flagged(part, value))
    names = (value, error(value), "flagged")
    grid, errors, flags = (part.pivot(index=y, columns=x, values=name) for name in names)
    rows, columns, values = grid.index, grid.columns, grid.to_numpy(float)
    ax.imshow(values, origin="lower", aspect="auto", cmap="viridis_r", norm=norm)
    ax.grid(False)
    roomy = inches[0] / len(columns) > 0.28 and inches[1] / len(rows) > 0.2
    for (row, column), number in np.ndenumerate(values):
        if np.isfinite(number):
            se, unreliable = errors.iat[row, column], flags.iat[row, column]
            unit = unit_of(norm)
            text = cell_text(number / unit, se / unit, unreliable, norm.vmax / unit, roomy)
            colour = "white" if norm(min(number, norm.vmax)) > 0.5 else "black"
            ax.text(column, row, text, ha="center", va="center", fontsize=6.5, color=colour)
    lowest = best(extend_lags(part), value)
    if lowest is not None:
        corner = columns.get_loc(part[x][lowest]) - 0.5, rows.get_loc(part[y][lowest]) - 0.5
        line = "--" if edges(part, part.loc[lowest]) else "-"
        ax.add_patch(Rectangle(corner, 1, 1, fill=False, ec=style.REJECTED, lw=2.2, ls=line))
    style.label_cells(ax.xaxis, columns, inches[0])
    style.label_cells(ax.yaxis, rows, inches[1])
    ax.set_xlabel(style.plain(settings.x_label or style.label(x)))
    ax.set_ylabel(style.label(y))


def cell_text(value: float, se: float, unreliable: bool, most: float, roomy: bool) -> str:
    """Return the text of a cell: numbers, where there is room for them."""
    if not roomy:
        return "?" if unreliable else ""
    digits = 0 if most > 50 else 1
    return f"{value:.{digits}f}{' ?' if unreliable else ''}\n±{se:.{digits}f}"
