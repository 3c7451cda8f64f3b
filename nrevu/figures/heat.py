"""Heat maps: a map for each value of a column, all on one scale of colours, the best framed."""

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from nrevu.comparison import matching
from nrevu.experiment import Experiment
from nrevu.figures.lines import split
from nrevu.figures.style import label, set_title, value_label, value_title


def heat(experiment: Experiment, settings, table: pd.DataFrame, traces) -> Figure:
    """Return the figure that the settings describe."""
    shown = matching(table, settings.get("where", {}))
    parts = split(shown, settings.get("rows"))
    across = min(len(parts), 3)
    down = -(-len(parts) // across)
    figure = Figure(figsize=(4.4 * across + 1.0, 3.5 * down + 0.7), layout="constrained")
    set_title(figure, settings.get("title", experiment.title))
    axes = figure.subplots(down, across, squeeze=False).ravel()
    values = shown[settings["value"]]
    norm = LogNorm(*settings.get("range", (values.min(), values.max())))
    for ax, (value, part) in zip(axes, parts, strict=False):
        draw_map(ax, settings, part, norm)
        if "rows" in settings:
            ax.set_title(value_label(settings["rows"], value))
    for ax in axes[len(parts) :]:
        ax.set_axis_off()
    scale = matplotlib.cm.ScalarMappable(norm, "viridis_r")
    bar = figure.colorbar(scale, ax=axes.tolist(), shrink=0.8, extend="max")
    bar.ax.yaxis.set_major_formatter("{x:g}")
    bar.ax.yaxis.set_minor_formatter("{x:g}")
    bar.ax.tick_params(which="both", labelsize=8)
    bar.set_label(value_title(settings["value"]))
    return figure


def draw_map(ax: Axes, settings, part: pd.DataFrame, norm) -> None:
    """Draw one map with the value and its error in each cell; frame the best one."""
    grid = {
        end: part.pivot(index=settings["y"], columns=settings["x"], values=settings["value"] + end)
        for end in ("", ".se")
    }
    values, errors = grid[""].to_numpy(), grid[".se"].to_numpy()
    ax.imshow(values, origin="lower", aspect="auto", cmap="viridis_r", norm=norm)
    ax.grid(False)
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            dark = norm(min(value, norm.vmax)) > 0.5
            ax.text(
                column, row, f"{value:.0f}\n±{errors[row, column]:.0f}", ha="center", va="center",
                fontsize=6.5, color="white" if dark else "black",
            )  # fmt: skip
    if np.isfinite(values).any():
        row, column = np.unravel_index(np.nanargmin(values), values.shape)
        frame = {"fill": False, "ec": "#D62728", "lw": 2.2}
        ax.add_patch(matplotlib.patches.Rectangle((column - 0.5, row - 0.5), 1, 1, **frame))
    for axis, ticks in ((ax.xaxis, grid[""].columns), (ax.yaxis, grid[""].index)):
        axis.set_ticks(range(len(ticks)), [f"{tick:g}" for tick in ticks])
    ax.set_xlabel(settings.get("x_label") or label(settings["x"]))
    ax.set_ylabel(label(settings["y"]))
