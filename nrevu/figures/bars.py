"""Bars side by side: the best cell of each of some groups, with error bars and its settings.

Where best cells were confirmed, the confirmed numbers are drawn, and the grid's beside them.
"""

import math
from numbers import Number
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nrevu.claims import quoted
from nrevu.experiment import Experiment
from nrevu.figures.style import COLOURS, label, set_title, value_title
from nrevu.table import flagged
from nrevu.tracing import is_setting, words_for


class Best(NamedTuple):
    """The best cell of a group."""

    label: str
    cell: pd.Series  # whose numbers are drawn
    grid: pd.Series  # the same cell as it was in the grid
    confirmed: bool
    colour: str
    settings: str  # in words, a line each


def bests(settings, column: str, table: pd.DataFrame, confirmed: pd.DataFrame | None) -> list[Best]:
    """Return the best cell for each of a figure's bars that has one."""
    found = []
    for index, bar in enumerate(settings["bars"]):
        cell, grid, note = quoted(table, confirmed, bar["where"], column)
        if cell is not None:
            colour = COLOURS[1:][index % (len(COLOURS) - 1)]
            again = table[table["digest"] == cell["selected.digest"]] if note == "confirmed" else ()
            grid = again.iloc[0] if len(again) else grid
            words = words_of(table, cell)
            found.append(Best(bar["label"], cell, grid, note == "confirmed", colour, words))
    return found


def bars(experiment: Experiment, settings, table, confirmed: pd.DataFrame | None) -> Figure:
    """Return the figure that the settings describe: a bar each, or for each of several columns."""
    columns = settings.get("values") or [settings["value"]]
    chosen = bests(settings, settings["value"], table, confirmed)
    width = 1.2 + 2.2 * len(settings["bars"]) + (1.4 * len(columns) if len(columns) > 1 else 0)
    figure = Figure(figsize=(width, 4.8), layout="constrained")
    set_title(figure, settings.get("title", experiment.title))
    ax = figure.subplots()
    if len(columns) == 1:
        for index, best in enumerate(chosen):
            draw_bar(ax, index, 0.6, best, columns[0])
        names = [f"{best.label}\n{best.settings}" for best in chosen]
        ax.set_xticks(range(len(chosen)), names, fontsize=8.5)
        ax.set_ylabel(value_title(columns[0], table))
    else:
        each = 0.8 / max(1, len(chosen))
        for number, best in enumerate(chosen):
            for index, column in enumerate(columns):
                draw_bar(ax, index + each * (number - (len(chosen) - 1) / 2), each, best, column)
        ax.set_xticks(range(len(columns)), settings.get("labels") or [label(c) for c in columns])
        ax.set_ylabel(value_title(columns[0], table).partition(" of the ")[0])
    show_legend(ax, chosen, unquoted(settings, chosen), several=len(columns) > 1)
    ax.grid(axis="x", visible=False)
    ax.set_axisbelow(True)
    ax.margins(y=0.14)
    return figure


def draw_bar(ax: Axes, x: float, width: float, best: Best, column: str) -> None:
    """Draw one bar with its error, its value, and the grid's own value if it was confirmed."""
    value, se = best.cell[column], best.cell[f"{column}.se"]
    ax.bar(x, value, yerr=se, width=0.92 * width, color=best.colour, capsize=4)
    digits = max(0, -math.floor(math.log10(se))) if se > 0 else 2  # as many as the error tells
    text = f"{value:.{digits}f} ± {se:.{digits}f}" if width > 0.3 else f"{value:.{digits}f}"
    text += " ?" if flagged(best.cell.to_frame().T, column).any() else ""
    ax.annotate(
        text, (x, value + se), xytext=(0, 4), ha="center", textcoords="offset points",
        fontweight="bold", fontsize=9 if width > 0.3 else 7.5,
    )  # fmt: skip
    if best.confirmed:
        ax.plot(x + 0.3 * width, best.grid[column], "D", mfc="white", mec="black", ms=5)


def unquoted(settings, chosen: list[Best]) -> list[str]:
    """Return the labels of a figure's bars that have no cell to be quoted, in one line each."""
    there = {best.label for best in chosen}
    return [
        bar["label"].replace("\n", " ") for bar in settings["bars"] if bar["label"] not in there
    ]


def show_legend(ax: Axes, chosen: list[Best], left_out: list[str], several: bool) -> None:
    """Say which colour is which, where the ticks do not, what the diamonds are, what is missing."""
    handles: list[Any] = []
    if several:
        for best in chosen:
            text = f"{best.label}: {best.settings}".replace("\n", ", ").replace(",,", ",")
            handles.append(ax.bar([0], [0], width=0, color=best.colour, label=text))
    if any(best.confirmed for best in chosen):
        (diamond,) = ax.plot([], [], "D", mfc="white", mec="black", ms=5, label="as in the grid")
        handles.append(diamond)
    for name in left_out:
        text = f"left out, having no cell to be quoted: {name}"
        handles.append(Line2D([], [], linestyle="", label=text))
    if handles:
        ax.figure.legend(handles=handles, loc="outside lower center", fontsize=8.5, ncols=1)


def words_of(table: pd.DataFrame, cell: pd.Series) -> str:
    """Return the settings in which the cells of a table differ, one line each."""
    several = [n for n in table.columns if is_setting(n, table) and table[n].nunique() > 1]
    names = [n for n in table.columns if n in several or n in ("u.delta", "u.noise")]
    shown = [n for n in names if n != "schedule.group" and isinstance(cell.get(n), Number)]
    shown = [n for n in shown if not pd.isna(cell[n]) and (n != "u.noise" or cell[n] > 0)]
    return "\n".join(words_for(n, cell[n]) for n in shown)
