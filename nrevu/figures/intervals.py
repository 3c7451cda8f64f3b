"""Intervals: where a distribution lies, as the best cell of each method found it.

For each quantity the median, the middle half (thick) and the middle 95% (thin).
"""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nrevu.analysis.result import LEVELS
from nrevu.experiments.experiment import Experiment
from nrevu.figures.bars import bests
from nrevu.figures.style import label, plain, set_title


def intervals(experiment: Experiment, settings, table, confirmed: pd.DataFrame | None) -> Figure:
    """Return the figure that the settings describe."""
    quantities = settings["quantities"]
    chosen = bests(settings, settings["value"], table, confirmed)
    each = 0.7 / len(chosen)
    figure = Figure(figsize=(8, 1.6 + 0.24 * len(quantities) * max(2, len(chosen))))
    figure.set_layout_engine("constrained")
    set_title(figure, settings.get("title", experiment.title))
    ax = figure.subplots()
    handles: list[Line2D] = []
    for number, best in enumerate(chosen):
        for index, quantity in enumerate(quantities):
            y = -index - each * (number - (len(chosen) - 1) / 2)
            if best.cell is None:
                text = f"{best.label}: {best.text}".replace("\n", " ")
                place = {"transform": ax.get_yaxis_transform(), "va": "center"}
                ax.text(0.02, y, text, fontsize=8, color="#444444", **place)
                continue
            low, lower, middle, upper, high = (
                best.cell[f"quantile.{quantity}.{level}"] for level in LEVELS
            )
            ax.plot([low, high], [y, y], color=best.colour, lw=1.2)
            ax.plot([lower, upper], [y, y], color=best.colour, lw=4, solid_capstyle="butt")
            ax.plot(middle, y, "o", color="white", mec=best.colour, mew=1.5, ms=6)
        if best.cell is not None:
            handles.append(Line2D([], [], color=best.colour, lw=4, label=best.label))
    names = settings.get("labels") or [label(quantity) for quantity in quantities]
    ax.set_yticks([-index for index in range(len(quantities))], names)
    ax.set_xlabel(plain(settings.get("x_label", "value")))
    ax.set_ylim(0.5 - len(quantities), 0.5)
    ax.grid(axis="y", visible=False)
    if handles:
        show_legend(figure, handles)
    else:
        ax.set_xticks([])
    return figure


def show_legend(figure: Figure, methods: list[Line2D]) -> None:
    """Say which colour is which method, and beside it what the marks are."""
    grey = "#666666"
    marks = [
        Line2D([], [], ls="", marker="o", color="white", mec=grey, mew=1.5, ms=6, label="median"),
        Line2D([], [], color=grey, lw=4, label="middle half"),
        Line2D([], [], color=grey, lw=1.2, label="middle 95%"),
    ]
    for method in methods:
        method.set_label(method.get_label().replace("\n", " "))
    blank = [Line2D([], [], ls="", label=" ")] * (len(marks) - len(methods))
    handles = [*methods, *blank, *marks]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=8.5)
