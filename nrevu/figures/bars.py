"""Bars side by side: the best cell of each of some groups, with error bars and its settings.

Where best cells were confirmed, the confirmed numbers are drawn, and the grid's beside them. A
group without a cell that may be quoted keeps its place, with the reason.
"""

import re
import textwrap
from numbers import Number
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nrevu.analysis.claims import CONFIRMED, Side, matching, quoted
from nrevu.analysis.table import UNCONVERGED, flagged, lengthened
from nrevu.analysis.traces import is_setting, words_for
from nrevu.experiments.experiment import Experiment
from nrevu.figures.style import (
    label,
    method_and_u,
    method_colours,
    set_title,
    value_title,
    with_error,
    y_label,
)


class Best(NamedTuple):
    """The best cell of a group."""

    label: str
    cell: pd.Series | None  # whose numbers are drawn; None if no cell may be quoted
    grid: pd.Series | None  # the same cell as it was in the grid
    confirmed: bool
    colour: str
    text: str  # the settings of the cell, a line each; or why there is none


def bests(settings, column: str, table: pd.DataFrame, confirmed: pd.DataFrame | None) -> list[Best]:
    """Return the best cell for each of a figure's bars, or why it has none."""
    wheres, table = [bar["where"] for bar in settings["bars"]], lengthened(table)
    sides = [quoted(table, confirmed, where, column) for where in wheres]
    methods = [
        method_and_u(matching(table, where) if side.cell is None else side.cell.to_frame().T)
        for where, side in zip(wheres, sides, strict=True)
    ]
    found = []
    for bar, side, colour in zip(settings["bars"], sides, method_colours(methods), strict=True):
        again, grid = side.basis == CONFIRMED, side.grid
        if again:
            grid = table[table["digest"] == side.cell["selected.digest"]].iloc[0]
        text = words_of(table, side.cell) if side.cell is not None else not_shown(side)
        found.append(Best(bar["label"], side.cell, grid, again, colour, text))
    return found


def not_shown(side: Side) -> str:
    """Return in a few words why a method has no cell to show."""
    return f"not shown: {re.split(r' [(]| for the lags', side.reason)[0]}"


def bars(experiment: Experiment, settings, table, confirmed: pd.DataFrame | None) -> Figure:
    """Return the figure that the settings describe: a bar each, or for each of several columns."""
    columns = settings.get("values") or [settings["value"]]
    chosen = bests(settings, settings["value"], table, confirmed)
    width = 1.2 + 2.2 * len(chosen) + (1.4 * len(columns) if len(columns) > 1 else 0)
    figure = Figure(figsize=(width, 4.8), layout="constrained")
    set_title(figure, settings.get("title", experiment.title))
    ax = figure.subplots()
    cells = pd.DataFrame([best.cell for best in chosen if best.cell is not None])
    if len(columns) == 1:
        for index, best in enumerate(chosen):
            draw_bar(ax, index, 0.6, best, columns[0])
        names = [
            best.label if best.cell is None else f"{best.label}\n{best.text}" for best in chosen
        ]
        ax.set_xticks(range(len(chosen)), names, fontsize=8.5)
        ax.set_ylabel(value_title(columns[0], cells))
    else:
        each = 0.8 / len(chosen)
        for number, best in enumerate(chosen):
            for index, column in enumerate(columns):
                draw_bar(ax, index + each * (number - (len(chosen) - 1) / 2), each, best, column)
        ax.set_xticks(range(len(columns)), settings.get("labels") or [label(c) for c in columns])
        ax.set_ylabel(y_label(columns[0], cells))
    ax.set_xlim(-0.5, (len(chosen) if len(columns) == 1 else len(columns)) - 0.5)
    show_legend(ax, chosen, columns)
    ax.grid(axis="x", visible=False)
    ax.set_axisbelow(True)
    ax.margins(y=0.14)
    if all(best.cell is None for best in chosen):
        ax.set_yticks([])
    return figure


def draw_bar(ax: Axes, x: float, width: float, best: Best, column: str) -> None:
    """Draw one bar with its error and its value, or write in its place why there is none."""
    value = None if best.cell is None else best.cell[column]
    if pd.isna(value):
        text = best.text if best.cell is None else "not shown: no estimate"
        return write_absence(ax, x, width, best.label, text)
    se = best.cell[f"{column}.se"]
    ax.bar(x, value, yerr=se, width=0.92 * width, color=best.colour, capsize=4)
    text = with_error(value, se) if width > 0.3 else with_error(value, se).partition(" ")[0]
    text += " ?" if is_flagged(best, column) else ""
    ax.annotate(
        text, (x, value + se), xytext=(0, 4), ha="center", textcoords="offset points",
        fontweight="bold", fontsize=9 if width > 0.3 else 7.5,
    )  # fmt: skip
    if best.confirmed:  # the grid's own value
        ax.plot(x + 0.3 * width, best.grid[column], "D", mfc="white", mec="black", ms=5)


def write_absence(ax: Axes, x: float, width: float, name: str, text: str) -> None:
    """Write in the place of a bar why there is none, upwards and with its name if it is narrow."""
    narrow = width < 0.5
    parts = (name.replace("\n", " "), text) if narrow else (text,)
    text = "\n".join(textwrap.fill(part, 36 if narrow else 22) for part in parts)
    place = {"transform": ax.get_xaxis_transform(), "ha": "center", "va": "bottom"}
    ax.text(x, 0.02, text, rotation=90 * narrow, fontsize=8, color="#444444", **place)


def is_flagged(best: Best, column: str) -> bool:
    """Tell whether a value that is drawn is unreliable."""
    return best.cell is not None and flagged(best.cell.to_frame().T, column, (UNCONVERGED,)).any()


def show_legend(ax: Axes, chosen: list[Best], columns: list[str]) -> None:
    """Say which colour is which, where the ticks do not, and what the marks mean."""
    handles: list[Any] = []
    shown = [best for best in chosen if best.cell is not None]
    if len(columns) > 1:
        for best in shown:
            text = f"{best.label}: {best.text}".replace("\n", ", ").replace(",,", ",")
            handles.append(ax.bar([0], [0], width=0, color=best.colour, label=text))
    if any(best.confirmed for best in shown):
        (diamond,) = ax.plot([], [], "D", mfc="white", mec="black", ms=5, label="as in the grid")
        handles.append(diamond)
    if any(is_flagged(best, column) for best in shown for column in columns):
        text = "? unreliable: chains disagree"
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
