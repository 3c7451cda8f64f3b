"""The mechanism: the u of single updates, and how many acceptances lie between two rejections."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from nrevu.experiments.sections import Column
from nrevu.figures._style import (
    DASHES,
    REJECTED,
    is_missing,
    method_colours,
    new_figure,
    value_label,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RMS = "rms: root mean square of the acceptances between rejections"


@dataclass(frozen=True)
class Settings:
    """A figure of kind runs."""

    kind: str
    line: Column  # the column whose values get a curve each
    title: str = ""  # default: the experiment's
    line_label: str = ""  # what to call it
    uses: ClassVar[tuple[str, ...]] = ("trace",)


def draw_trace(ax: Axes, trace: dict[str, Any] | None) -> None:
    """Draw the u of consecutive updates, those that led to rejection as red crosses."""
    if trace is None:
        ax.text(0.5, 0.5, "no cell with a long enough lag", ha="center", transform=ax.transAxes)
        return
    u, accepted = np.array(trace["decisions"]).T
    number = np.arange(1, u.size + 1)
    passed = accepted == 1
    ax.plot(number[passed], u[passed], ".", ms=2.5, color="#333333")
    ax.plot(number[~passed], u[~passed], "x", ms=4, mew=1.1, color=REJECTED)
    ax.set_xlabel("update")
    ax.set_ylabel("u")
    ax.set_ylim(-0.02, 1.02)
    ax.grid(False)


def draw(experiment, settings: Settings, table, traces, confirmed) -> Figure:
    """Return how likely runs of acceptances reach a length, at the same settings except u."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for trace in traces:
        groups.setdefault(trace["pair"], []).append(trace)
    most = max((len(members) for members in groups.values()), default=0)
    size = (4.6 * max(1, len(groups)), 4.2 + 0.2 * most)
    figure = new_figure(size, settings.title or experiment.title)
    if not groups:
        draw_trace(figure.subplots(), None)
        return figure
    axes = figure.subplots(1, len(groups), squeeze=False, sharey=True)[0]
    for ax, (name, members) in zip(axes, groups.items(), strict=True):
        draw_survivals(ax, members, settings.line)
        ax.set_title(textwrap.fill(name, 56), fontsize=9)
    axes[0].set_ylabel("chance of so many acceptances or more\nbetween two rejections")
    return figure


def draw_survivals(ax: Axes, members: list[dict[str, Any]], line: str) -> None:
    """Draw the chance that a run of acceptances reaches a length, one curve for each u."""
    import pandas as pd

    rates = [member["rejection_rate"] for member in members]
    longest = max(len(member["runs"]) for member in members)
    length = np.arange(longest)
    ax.plot(length, (1 - np.mean(rates)) ** length, ":", color="#888888", label="independent tests")
    ordered = sorted(members, key=lambda member: sort_key(member["parameters"], line))
    cells = [pd.DataFrame([member["parameters"]]) for member in ordered]
    parameters = [member["parameters"] for member in ordered]
    colours = method_colours([(each.get("method"), each.get("u")) for each in parameters])
    for index, member in enumerate(ordered):
        counts = np.array(member["runs"])
        survival = counts[::-1].cumsum()[::-1] / counts.sum() if counts.any() else []
        name = value_label(line, member["parameters"].get(line), cells[index])
        style = {"color": colours[index], "ls": DASHES[index % len(DASHES)]}
        ax.plot(survival, label=f"{name}: {format_runs(member)}", **style)
    ax.set_yscale("log")
    ax.set_ylim(1e-4, 1.6)
    ax.set_xlabel("acceptances between two rejections")
    ax.xaxis.get_major_locator().set_params(integer=True)
    key = {"title": RMS, "fontsize": 8, "title_fontsize": 8, "handlelength": 3}
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), **key)


def sort_key(parameters: dict[str, Any], line: str) -> tuple:
    """Return the order of curves: standard u first, then numbers in order, then text."""
    value = parameters.get(line)
    text = isinstance(value, str)
    number = -np.inf if text or is_missing(value) else value
    return parameters["u"] != "standard", text, number, value if text else ""


def format_runs(member: dict[str, Any]) -> str:
    """Return how often a cell rejects, and how long its runs of acceptances are."""
    rate, counts = f"rejection rate {member['rejection_rate']:.3g}", np.array(member["runs"])
    if not counts.any():
        return f"{rate}, no two rejections"
    mean_square = np.sum(counts * np.arange(counts.size) ** 2) / counts.sum()
    return f"{rate}, rms {mean_square**0.5:.1f}"
