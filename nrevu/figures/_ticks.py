"""Ticks of axes, with as many labels as there is room for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis


def label_log_axis(axis: Axis) -> None:
    """Label as many numbers on a logarithmic axis as its range has room for."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    low, high = axis.get_view_interval()
    decades = math.log10(high / low)
    digits = (1, 2, 5) if decades < 2.5 else (1,)
    few = MaxNLocator(nbins=6, steps=(1, 2, 5, 10))
    axis.set_major_locator(few if decades < 0.8 else LogLocator(subs=digits, numticks=12))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def set_ticks(ax: Axes, ticks: list[float]) -> None:
    """Set ticks at the cells, unless there are many; label those that have room."""
    log = ax.get_xscale() == "log"
    if len(ticks) > 12:
        return label_log_axis(ax.xaxis) if log else None
    positions = [math.log(tick) if log else tick for tick in ticks]
    span = max(positions, default=0) - min(positions, default=0) or 1
    names = short_names(ticks)
    gaps = [(b - a) / span for a, b in itertools.pairwise(positions)]
    upright = min(gaps, default=1) > 0.013 + 0.027 * max(map(len, names), default=0)
    last = -math.inf
    for index, position in enumerate(positions):
        if (position - last) / span < 0.06:
            names[index] = ""
        else:
            last = position
    ax.set_xticks(ticks, names)
    ax.set_xticks([], minor=True)
    ax.tick_params(axis="x", labelrotation=0 if upright else 45)


def short_names(ticks: Sequence[float]) -> list[str]:
    """Return numbers with three digits, or with more if they would look alike or are integers."""
    names = [f"{tick:g}" if tick == round(tick) else f"{tick:.3g}" for tick in ticks]
    return names if len(set(names)) == len(names) else [f"{tick:g}" for tick in ticks]


def label_cells(axis: Axis, ticks: Sequence[float], length: float) -> None:
    """Label the cells along an axis of a length in inches: slanted, or only some, if many."""
    names = short_names(ticks)
    each = length / len(names)
    across = axis.axis_name == "x"
    slanted = across and each < 0.08 + 0.085 * max(map(len, names))
    step = math.ceil((0.24 if slanted else 0.17) / each)
    axis.set_ticks(range(0, len(names), step), names[::step])
    axis.set_tick_params(labelrotation=45 if slanted else 0)
