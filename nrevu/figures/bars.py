"""Bars side by side: the best cell of each of some groups, with error bars and its settings.

Where best cells were confirmed, bars show the confirmed numbers, and a mark those of the grid. A
group without a usable cell has the reason instead of its bar.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any, ClassVar

from nrevu.analysis.table import APART, LIMITED, doubts
from nrevu.experiments.columns import error
from nrevu.experiments.sections import Bar, Estimate
from nrevu.figures import _style as style
from nrevu.figures._cells import Best, best_cells, check_labels


@dataclass(frozen=True)
class Settings:
    """A figure of kind bars."""

    kind: str
    bars: tuple[Bar, ...]  # the cells to take the best of, for a bar each: {label, where}
    value: Estimate  # the column that is shown, and by which a cell is best
    title: str = ""  # default: the experiment's
    values: tuple[Estimate, ...] = ()  # several columns of the same cells to show, not `value`
    labels: tuple[str, ...] | None = None  # what to call the values; default: their names
    uses: ClassVar[tuple[str, ...]] = ("confirmed",)

    def __post_init__(self) -> None:
        check_labels(self.labels, self.values or (self.value,))


def draw(experiment, settings: Settings, table, traces, confirmed) -> style.Figure:
    """Return the figure that the settings describe: a bar each, or for each of several columns."""
    import pandas as pd

    columns = settings.values or (settings.value,)
    bests = best_cells(settings, table, confirmed)
    several = len(columns) > 1
    width = 1.2 + 2.2 * len(bests) + (1.4 * len(columns) if several else 0)
    figure = style.new_figure(experiment, settings, width, 4.8)
    ax = figure.subplots()
    each = 0.8 / len(bests) if several else 0.6
    for number, best in enumerate(bests):
        for index, column in enumerate(columns):
            x = index + each * (number - (len(bests) - 1) / 2) if several else number
            draw_bar(ax, x, each, best, column)
    cells = pd.DataFrame([best.cell for best in bests if best.cell is not None])
    if several:
        names = settings.labels or [style.label(column) for column in columns]
        ax.set_ylabel(style.y_label(columns[0], cells))
    else:
        names = [b.label if b.cell is None else f"{b.label}\n{b.text}" for b in bests]
        ax.set_ylabel(style.value_title(columns[0], cells))
    ax.set_xticks(range(len(names)), names, fontsize="medium" if several else 8.5)
    ax.set_xlim(-0.5, len(names) - 0.5)
    show_legend(ax, bests, columns)
    ax.grid(axis="x", visible=False)
    ax.set_axisbelow(True)
    ax.margins(y=0.14)
    if all(best.cell is None for best in bests):
        ax.set_yticks([])
    return figure


def draw_bar(ax: style.Axes, x: float, width: float, best: Best, column: str) -> None:
    """Draw one bar with its error and its value, or write why there is none."""
    if best.cell is None or style.is_missing(best.cell[column]):
        text = best.text if best.cell is None else "not shown: no estimate"
        return write_absence(ax, x, width, best.label, text)
    value, se = best.cell[column], best.cell[error(column)]
    ax.bar(x, value, yerr=se, width=0.92 * width, color=best.colour, capsize=4)
    text = style.with_error(value, se)
    text = text if width > 0.3 else text.partition(" ")[0]
    text += " ?" if is_flagged(best, column) else ""
    style.write_value(ax, x, value + se, text, 4, 9 if width > 0.3 else 7.5)
    if best.grid is not None:
        ax.plot(x + 0.3 * width, best.grid[column], "D", mfc="white", mec="black", ms=5)


def write_absence(ax: style.Axes, x: float, width: float, name: str, text: str) -> None:
    """Write why there is no bar; if it is narrow, upwards and with its name."""
    narrow = width < 0.5
    parts = (name.replace("\n", " "), text) if narrow else (text,)
    text = "\n".join(textwrap.fill(part, 36 if narrow else 22) for part in parts)
    place = {"transform": ax.get_xaxis_transform(), "ha": "center", "va": "bottom"}
    ax.text(x, 0.02, text, rotation=90 * narrow, fontsize=8, color="#444444", **place)


def is_flagged(best: Best, column: str) -> bool:
    """Tell whether a value that is drawn is unreliable."""
    found = {} if best.cell is None else doubts(best.cell.to_frame().T, column)
    return any(found[reason].any() for reason in (LIMITED, APART) if found)


def show_legend(ax: style.Axes, bests: list[Best], columns: tuple[str, ...]) -> None:
    """Add a legend of colours, where the ticks do not name them, and of marks."""
    handles: list[Any] = []
    drawn = [best for best in bests if best.cell is not None]
    if len(columns) > 1:
        for best in drawn:
            text = f"{best.label}: {best.text}".replace("\n", ", ").replace(",,", ",")
            handles.append(ax.bar([0], [0], width=0, color=best.colour, label=text))
    if any(best.grid is not None for best in drawn):
        handles += ax.plot([], [], "D", mfc="white", mec="black", ms=5, label="as in the grid")
    if any(is_flagged(best, column) for best in drawn for column in columns):
        handles.append(style.legend_mark(ls="", label=f"? unreliable: {APART}, or {LIMITED}"))
    if handles:
        ax.figure.legend(handles=handles, loc="outside lower center", fontsize=8.5, ncols=1)
