"""Ticks of axes, with as many labels as there is room for."""

import itertools
import math

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter


def label_log_axis(axis: Axis) -> None:
    """Label as many numbers on a logarithmic axis as its range has room for."""
    low, high = axis.get_view_interval()
    decades = math.log10(high / low)
    digits = (1, 2, 5) if decades < 2.5 else (1,)
    few = MaxNLocator(nbins=6, steps=(1, 2, 5, 10))
    axis.set_major_locator(few if decades < 0.8 else LogLocator(subs=digits, numticks=12))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def set_ticks(ax: Axes, ticks: list[float]) -> None:
    """Put ticks where the cells are, unless there are many; label those that have room for it."""
    log = ax.get_xscale() == "log"
    if len(ticks) > 12:
        return label_log_axis(ax.xaxis) if log else None
    places = [math.log(tick) if log else tick for tick in ticks]
    span = max(places, default=0) - min(places, default=0) or 1
    names = [f"{tick:g}" for tick in ticks]
    gaps = [(b - a) / span for a, b in itertools.pairwise(places)]
    upright = min(gaps, default=1) > 0.013 + 0.027 * max(map(len, names), default=0)
    last = -math.inf
    for index, place in enumerate(places):
        if (place - last) / span < 0.06:
            names[index] = ""
        else:
            last = place
    ax.set_xticks(ticks, names)
    ax.set_xticks([], minor=True)
    ax.tick_params(axis="x", labelrotation=0 if upright else 45)
