"""Intervals: where a distribution lies, by the best cell of each method.

For each quantity the median, the middle half (thick) and the middle 95% (thin).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nrevu.analysis.result import LEVELS
from nrevu.experiments.columns import quantile
from nrevu.experiments.sections import Bar, Estimate, Quantity
from nrevu.figures import _style as style
from nrevu.figures._cells import best_cells, check_labels


@dataclass(frozen=True)
class Settings:
    """A figure of kind intervals."""

    kind: str
    bars: tuple[Bar, ...]  # the cells to take the best of, for an interval each: {label, where}
    value: Estimate  # the column by which a cell is best
    quantities: tuple[Quantity, ...]  # whose distributions to show
    title: str = ""  # default: the experiment's
    labels: tuple[str, ...] | None = None  # what to call the quantities; default: their names
    x_label: str = "value"  # of the horizontal axis
    uses: ClassVar[tuple[str, ...]] = ("confirmed",)

    def __post_init__(self) -> None:
        check_labels(self.labels, self.quantities)


def draw(experiment, settings: Settings, table, traces, confirmed) -> style.Figure:
    """Return the figure that the settings describe."""
    quantities = settings.quantities
    bests = best_cells(settings, table, confirmed)
    each = 0.7 / len(bests)
    height = 1.6 + 0.24 * len(quantities) * max(2, len(bests))
    figure = style.new_figure(experiment, settings, 8, height)
    ax = figure.subplots()
    handles = []
    for number, best in enumerate(bests):
        name = best.label.replace("\n", " ")
        for index, quantity in enumerate(quantities):
            y = -index - each * (number - (len(bests) - 1) / 2)
            if best.cell is None:
                style.write_note(ax, y, f"{name}: {best.text}", fontsize=8)
                continue
            low, lower, middle, upper, high = (best.cell[quantile(quantity, q)] for q in LEVELS)
            ax.plot([low, high], [y, y], color=best.colour, lw=1.2)
            ax.plot([lower, upper], [y, y], color=best.colour, lw=4, solid_capstyle="butt")
            ax.plot(middle, y, "o", color="white", mec=best.colour, mew=1.5, ms=6)
        if best.cell is not None:
            handles.append(style.legend_mark(color=best.colour, lw=4, label=name))
    names = settings.labels or [style.label(quantity) for quantity in quantities]
    ax.set_yticks([-index for index in range(len(quantities))], names)
    ax.set_xlabel(style.plain(settings.x_label))
    ax.set_ylim(0.5 - len(quantities), 0.5)
    ax.grid(axis="y", visible=False)
    if handles:
        show_legend(figure, handles)
    else:
        ax.set_xticks([])
    return figure


def show_legend(figure: style.Figure, methods: list[style.Line2D]) -> None:
    """Add a legend with a column for the methods' colours and one for the marks."""
    grey = "#666666"
    median = {"ls": "", "marker": "o", "color": "white", "mec": grey, "mew": 1.5, "ms": 6}
    marks = [
        style.legend_mark(**median, label="median"),
        style.legend_mark(color=grey, lw=4, label="middle half"),
        style.legend_mark(color=grey, lw=1.2, label="middle 95%"),
    ]
    blank = [style.legend_mark(ls="", label=" ")] * (len(marks) - len(methods))
    handles = [*methods, *blank, *marks]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=8.5)
