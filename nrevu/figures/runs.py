"""The mechanism: the u of single updates, and how long acceptances last between rejections."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nrevu.experiment import Experiment
from nrevu.figures.style import (
    DASHES,
    REJECTED,
    method_and_u,
    method_colours,
    set_title,
    value_label,
)


def draw_trace(ax: Axes, trace: dict[str, Any] | None) -> None:
    """Draw the u of consecutive updates, those that led to rejection as red crosses."""
    if trace is None:
        ax.text(0.5, 0.5, "no cell with a long enough lag", ha="center", transform=ax.transAxes)
        return
    u, accepted = np.array(trace["decisions"]).T
    number = np.arange(1, u.size + 1)
    kept = accepted == 1
    ax.plot(number[kept], u[kept], ".", ms=2.5, color="#333333")
    ax.plot(number[~kept], u[~kept], "x", ms=4, mew=1.1, color=REJECTED)
    ax.set_xlabel("update")
    ax.set_ylabel("u")
    ax.set_ylim(-0.02, 1.02)
    ax.grid(False)


def runs(experiment: Experiment, settings, table: pd.DataFrame, traces) -> Figure:
    """Return how likely runs of acceptances reach a length, at the same settings but for u."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for trace in traces:
        groups.setdefault(trace["pair"], []).append(trace)
    figure = Figure(figsize=(4.6 * max(1, len(groups)), 4.4), layout="constrained")
    set_title(figure, settings.get("title", experiment.title))
    if not groups:
        draw_trace(figure.subplots(), None)
        return figure
    axes = figure.subplots(1, len(groups), squeeze=False, sharey=True)[0]
    for ax, (name, members) in zip(axes, groups.items(), strict=True):
        survivals(ax, members, settings["line"])
        ax.set_title(name, fontsize=9)
    axes[0].set_ylabel("chance of so many acceptances or more\nbetween two rejections")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


def survivals(ax: Axes, members: list[dict[str, Any]], line: str) -> None:
    """Draw the chance that a run of acceptances is at least so long, one curve for each u."""
    rates = [member["rejection_rate"] for member in members]
    longest = max(len(member["runs"]) for member in members)
    length = np.arange(longest)
    ax.plot(length, (1 - np.mean(rates)) ** length, ":", color="#888888", label="independent tests")
    ordered = sorted(members, key=lambda member: member["parameters"]["u"] != "standard")
    cells = [pd.DataFrame([member["parameters"]]) for member in ordered]
    colours = method_colours([method_and_u(cell) for cell in cells])
    for index, member in enumerate(ordered):
        counts = np.array(member["runs"])
        survival = counts[::-1].cumsum()[::-1] / counts.sum()
        name = value_label(line, member["parameters"].get(line), cells[index])
        ax.plot(survival, label=name, color=colours[index], ls=DASHES[index % len(DASHES)])
        mean_square = np.sum(counts * np.arange(counts.size) ** 2) / counts.sum()
        ax.annotate(
            f"{name}: rejection rate {member['rejection_rate']:.3f}, "
            f"root mean square {mean_square**0.5:.1f}",
            (0.98, 0.96 - 0.07 * index), xycoords="axes fraction", ha="right", va="top", fontsize=8,
        )  # fmt: skip
    ax.set_yscale("log")
    ax.set_ylim(1e-4, 1.6)
    ax.set_xlabel("acceptances between two rejections")
