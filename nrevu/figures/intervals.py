"""Intervals: where a distribution lies, by the best cell of each method.

For each quantity the median, the middle half (thick) and the middle 95% (thin).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from nrevu.analysis.result import LEVELS
from nrevu.experiments.columns import quantile
from nrevu.experiments.sections import Bar, Estimate, Quantity
from nrevu.figures._cells import best_cells, check_labels
from nrevu.figures._style import label, legend_mark, new_figure, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


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


def draw(experiment, settings: Settings, table, traces, confirmed) -> Figure:
    """Return the figure that the settings describe."""
    quantities = settings.quantities
    bests = best_cells(settings, table, confirmed)
    each = 0.7 / len(bests)
    size = (8, 1.6 + 0.24 * len(quantities) * max(2, len(bests)))
    figure = new_figure(size, settings.title or experiment.title)
    ax = figure.subplots()
    handles: list[Line2D] = []
    for number, best in enumerate(bests):
        for index, quantity in enumerate(quantities):
            y = -index - each * (number - (len(bests) - 1) / 2)
            if best.cell is None:
                text = f"{best.label}: {best.text}".replace("\n", " ")
                style = {"transform": ax.get_yaxis_transform(), "va": "center"}
                ax.text(0.02, y, text, fontsize=8, color="#444444", **style)
                continue
            levels = (best.cell[quantile(quantity, level)] for level in LEVELS)
            low, lower, middle, upper, high = levels
            ax.plot([low, high], [y, y], color=best.colour, lw=1.2)
            ax.plot([lower, upper], [y, y], color=best.colour, lw=4, solid_capstyle="butt")
            ax.plot(middle, y, "o", color="white", mec=best.colour, mew=1.5, ms=6)
        if best.cell is not None:
            handles.append(legend_mark(color=best.colour, lw=4, label=best.label))
    names = settings.labels or [label(quantity) for quantity in quantities]
    ax.set_yticks([-index for index in range(len(quantities))], names)
    ax.set_xlabel(plain(settings.x_label))
    ax.set_ylim(0.5 - len(quantities), 0.5)
    ax.grid(axis="y", visible=False)
    if handles:
        show_legend(figure, handles)
    else:
        ax.set_xticks([])
    return figure


def show_legend(figure: Figure, methods: list[Line2D]) -> None:
    """Add a legend with a column for the methods' colours and one for the marks."""
    grey = "#666666"
    marks = [
        legend_mark(ls="", marker="o", color="white", mec=grey, mew=1.5, ms=6, label="median"),
        legend_mark(color=grey, lw=4, label="middle half"),
        legend_mark(color=grey, lw=1.2, label="middle 95%"),
    ]
    for method in methods:
        method.set_label(method.get_label().replace("\n", " "))
    blank = [legend_mark(ls="", label=" ")] * (len(marks) - len(methods))
    handles = [*methods, *blank, *marks]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=8.5)
