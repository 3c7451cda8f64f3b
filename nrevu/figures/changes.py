"""Changes of the log density: in an update given its u, and over several updates.

A row of panels for each traced cell and its twins, which differ from it in u alone. The variance of
the change over k updates is divided by k: of a random walk the quotient is the same for all k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nrevu.experiments.sections import Column
from nrevu.figures import _style as style
from nrevu.figures._traces import Curve, by_pair, curves

NOTHING = "no traced cell has rows after every update\n(schedule.group: 1) and a log density"


@dataclass(frozen=True)
class Settings:
    """A figure of kind changes."""

    kind: str
    line: Column  # the column whose values get a curve each
    title: str = ""  # default: the experiment's
    line_label: str = ""  # what to call it
    uses: ClassVar[tuple[str, ...]] = ("trace",)


def draw(experiment, settings: Settings, table, traces, confirmed) -> style.Figure:
    """Return the mean change given u, the variance over several updates, and its ratios."""
    groups = by_pair([trace for trace in traces if "by_u" in trace])
    figure = style.new_figure(experiment, settings, 14, 0.6 + 3.7 * max(1, len(groups)))
    if not groups:
        ax = figure.subplots()
        ax.text(0.5, 0.5, NOTHING, ha="center", transform=ax.transAxes)
        return figure
    axes = figure.subplots(len(groups), 3, squeeze=False)
    for row, (name, members) in zip(axes, groups.items(), strict=True):
        shown = curves(members, settings)
        draw_by_u(row[0], shown)
        draw_by_lag(row[1], shown)
        draw_ratios(row[2], shown)
        row[0].set_title(style.plain(name), fontsize=9, loc="left")
    return figure


def marks(index: int, curve: Curve) -> dict[str, Any]:
    """Return how a curve and its points look; the first has large open points, under the rest."""
    points = {"ms": 7, "mfc": "white"} if index == 0 else {"ms": 3.5}
    return {
        "marker": style.MARKERS[index % len(style.MARKERS)],
        "capsize": 2,
        "lw": 1.2,
        **points,
        **curve.look,
    }


def draw_by_u(ax: style.Axes, shown: Sequence[Curve]) -> None:
    """Draw the mean change of the log density in an update, for each bin of its u."""
    ax.axhline(0.0, color="#888888", lw=1)
    for index, curve in enumerate(shown):
        found = curve.trace["by_u"]
        look = marks(index, curve)
        ax.errorbar(found["u"], found["mean"], found["se"], label=curve.name, **look)
    ax.set_xlim(0, 1)
    ax.set_xlabel("u")
    ax.set_ylabel("mean change of the log density\nin an update with this u")
    ax.legend(loc="upper left", fontsize=8.5)


def draw_by_lag(ax: style.Axes, shown: Sequence[Curve]) -> None:
    """Draw the variance of the change over k updates, divided by k."""
    for index, curve in enumerate(shown):
        lag, mean, se = by_lag(curve)
        ax.errorbar(lag, mean / lag, se / lag, **marks(index, curve))
    first = np.mean([by_lag(curve)[1][0] for curve in shown])
    ax.axhline(first, color="#888888", ls=":", label="random walk")
    ax.set_ylim(0)
    ax.set_ylabel("variance of the change of the log density\nover k updates, divided by k")
    ax.legend(loc="upper right", fontsize=8.5)
    show_lags(ax)


def draw_ratios(ax: style.Axes, shown: Sequence[Curve]) -> None:
    """Draw the variance over k updates, over that of the first curve; quote the largest."""
    lag, base, base_se = by_lag(shown[0])
    ax.axhline(1.0, color="#888888", lw=1)
    for index, curve in enumerate(shown[1:], 1):
        _, mean, se = by_lag(curve)
        ratio = mean / base
        error = ratio * np.hypot(se / mean, base_se / base)
        best = np.argmax(ratio)
        most = f"at most {style.with_error(ratio[best], error[best])}, at k = {lag[best]:g}"
        ax.errorbar(lag, ratio, error, label=f"{curve.name}: {most}", **marks(index, curve))
    ax.set_ylabel(f"variance of the change over k updates,\nover that of {shown[0].name} u")
    if len(shown) > 1:
        place = {"loc": "lower right", "bbox_to_anchor": (1, 1), "borderaxespad": 0.2}
        ax.legend(fontsize=8.5, **place)
    show_lags(ax)


def by_lag(curve: Curve) -> list[np.ndarray]:
    """Return the lags of a trace, the variances of the change and their standard errors."""
    return [np.array(curve.trace["by_lag"][key], float) for key in ("lag", "mean", "se")]


def show_lags(ax: style.Axes) -> None:
    """Make the horizontal axis one of lags, on a logarithmic scale."""
    ax.set_xscale("log")
    style.label_log_axis(ax.xaxis)
    ax.set_xlabel("updates, k")
