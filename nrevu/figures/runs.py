"""The mechanism: the u of single updates, and how many acceptances lie between two rejections."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nrevu.experiments.sections import Column
from nrevu.figures import _style as style
from nrevu.figures._traces import by_pair, curves

RMS = "rms: root mean square of the acceptances between rejections"


@dataclass(frozen=True)
class Settings:
    """A figure of kind runs."""

    kind: str
    line: Column  # the column whose values get a curve each
    title: str = ""  # default: the experiment's
    line_label: str = ""  # what to call it
    uses: ClassVar[tuple[str, ...]] = ("trace",)


def draw_trace(ax: style.Axes, trace: dict[str, Any] | None) -> None:
    """Draw the u of consecutive updates, those that led to rejection as red crosses."""
    if trace is None:
        ax.text(0.5, 0.5, "no cell whose chains agree", ha="center", transform=ax.transAxes)
        return
    u, accepted = np.array(trace["decisions"]).T
    number = np.arange(1, u.size + 1)
    passed = accepted == 1
    ax.plot(number[passed], u[passed], ".", ms=2.5, color="#333333")
    ax.plot(number[~passed], u[~passed], "x", ms=4, mew=1.1, color=style.REJECTED)
    ax.set_xlabel("update")
    ax.set_ylabel("u")
    ax.set_ylim(-0.02, 1.02)
    ax.grid(False)


def draw(experiment, settings: Settings, table, traces, confirmed) -> style.Figure:
    """Return how likely runs of acceptances reach a length, at the same settings except u."""
    groups = by_pair(traces)
    most = max((len(members) for members in groups.values()), default=0)
    width, height = 4.6 * max(1, len(groups)), 4.2 + 0.2 * most
    figure = style.new_figure(experiment, settings, width, height)
    if not groups:
        draw_trace(figure.subplots(), None)
        return figure
    axes = figure.subplots(1, len(groups), squeeze=False, sharey=True)[0]
    for ax, (name, members) in zip(axes, groups.items(), strict=True):
        draw_survivals(ax, members, settings)
        ax.set_title(textwrap.fill(name, 56), fontsize=9)
    axes[0].set_ylabel("probability of at least this many\nacceptances between two rejections")
    return figure


def draw_survivals(ax: style.Axes, members: list[dict[str, Any]], settings: Settings) -> None:
    """Draw the chance that a run of acceptances reaches a length, one curve for each u."""
    rate = np.mean([member["rejection_rate"] for member in members])
    length = np.arange(max(len(member["runs"]) for member in members))
    ax.plot(length, (1 - rate) ** length, ":", color="#888888", label="independent tests")
    for member, name, look in curves(members, settings):
        counts = np.array(member["runs"])
        survival = counts[::-1].cumsum()[::-1] / counts.sum() if counts.any() else []
        ax.plot(survival, label=f"{name}: {format_runs(member)}", **look)
    ax.set_yscale("log")
    ax.set_ylim(1e-4, 1.6)
    ax.set_xlabel("acceptances between two rejections")
    ax.xaxis.get_major_locator().set_params(integer=True)
    key = {"title": RMS, "fontsize": 8, "title_fontsize": 8, "handlelength": 3}
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), **key)


def format_runs(member: dict[str, Any]) -> str:
    """Return how often a cell rejects, and how long its runs of acceptances are."""
    rate, counts = f"rejection rate {member['rejection_rate']:.3g}", np.array(member["runs"])
    if not counts.any():
        return f"{rate}, no two rejections"
    mean_square = np.sum(counts * np.arange(counts.size) ** 2) / counts.sum()
    return f"{rate}, rms {mean_square**0.5:.1f}"
