"""Bars side by side: the best cell of each of some groups, with error bars and its settings."""

import pandas as pd
from matplotlib.figure import Figure

from nrevu.comparison import matching
from nrevu.experiment import Experiment
from nrevu.figures.style import COLOURS, set_title, value_title
from nrevu.tracing import best, is_setting, words_for


def bars(experiment: Experiment, settings, table: pd.DataFrame, traces) -> Figure:
    """Return the figure that the settings describe."""
    column = settings["value"]
    rows = [(bar["label"], best(matching(table, bar["where"]), column)) for bar in settings["bars"]]
    chosen = [(name, table.loc[row]) for name, row in rows if row is not None]
    figure = Figure(figsize=(1.2 + 2.2 * len(settings["bars"]), 4.6), layout="constrained")
    set_title(figure, settings.get("title", experiment.title))
    ax = figure.subplots()
    for index, (_, cell) in enumerate(chosen):
        value, se = cell[column], cell[f"{column}.se"]
        colour = COLOURS[1:][index % (len(COLOURS) - 1)]
        ax.bar(index, value, yerr=se, width=0.6, color=colour, capsize=5)
        ax.annotate(
            f"{value:.0f} ± {se:.0f}", (index, value + se), xytext=(0, 4), ha="center",
            textcoords="offset points", fontweight="bold",
        )  # fmt: skip
    names = [f"{name}\n{words_of(table, cell)}" for name, cell in chosen]
    ax.set_xticks(range(len(chosen)), names, fontsize=8.5)
    ax.set_ylabel(value_title(column))
    ax.grid(axis="x", visible=False)
    ax.set_axisbelow(True)
    ax.margins(y=0.12)
    return figure


def words_of(table: pd.DataFrame, cell: pd.Series) -> str:
    """Return the settings in which the cells of a table differ, one line each."""
    names = [n for n in table.columns if is_setting(n, table) or n in ("u.delta", "u.noise")]
    shown = [n for n in names if not n.startswith("schedule.") and isinstance(cell[n], float | int)]
    shown = [n for n in shown if not pd.isna(cell[n]) and (n != "u.noise" or cell[n] > 0)]
    return "\n".join(words_for(n, cell[n]) for n in shown)
