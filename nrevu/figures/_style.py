"""How figures look, what columns are called on them, and where their axes have ticks.

matplotlib and pandas are imported by the functions that use them: the kinds of figures, which
import this module as `style`, are also read when an experiment is checked. For hints of types they
have style.Figure, style.Axes and style.DataFrame from here.
"""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nrevu.experiments.columns import parse
from nrevu.experiments.experiment import Experiment

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.path import Path
    from pandas import DataFrame

# Okabe and Ito's colours, distinct with any colour vision; ordered so that successive ones differ
# in lightness too. Each line also has its own marker and dash pattern, for print in grey.
COLOURS = ("#000000", "#E69F00", "#0072B2", "#CC79A7", "#009E73")
# The same for each method in every figure: with standard u grey or blue, with non-reversible u not.
METHOD_COLOURS = {
    "metropolis": ("#000000", "#E69F00"),
    "langevin": ("#7F7F7F", "#009E73"),
    "persistent_langevin": ("#56B4E9", "#CC79A7"),
    "hmc": ("#0072B2", "#D55E00"),
}
OTHER_COLOURS = ("#3B4A6B", "#8C6D1F")  # of any other method, or of several together
REJECTED = "#D62728"
MARKERS = "osD^vPX<>"
EDGE = "best cell at the edge of its grid"  # what a dashed ring or frame says
DASHES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (4, 1.5, 1, 1.5)), (0, (7, 2)), (0, (2, 2)))
STYLE = {
    "font.size": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.titlesize": 10,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "figure.autolayout": False,  # layouts are set by `new_figure` only
    "figure.constrained_layout.use": False,
    "svg.hashsalt": "nrevu",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}
LABELS = {
    "log_prob": "log probability density",
    "rejection_rate": "rejection rate",
    "clustering": "clustering of rejections",
    "method.stepsize": "stepsize",
    "u.delta": "δ",
    "u.noise": "noise",
    "method.alpha": "α",
    "method.L": "L",
    "eta": "η",
    "schedule.gibbs_every": "Gibbs every",
    "relevant": "log σ of the plausibly relevant inputs, averaged",
    "indicator": "indicator of (-0.5, 1.5)",
    "metropolis": "Metropolis",
    "langevin": "Langevin",
    "persistent_langevin": "persistent Langevin",
    "hmc": "HMC",
    "nonreversible": "non-reversible",
}


def new_figure(experiment: Experiment, settings: Any, width: float, height: float) -> Figure:
    """Return an empty figure of a size in inches, its title broken into lines that fit."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    title = textwrap.fill(settings.title or experiment.title, int(width * 11))
    figure.suptitle(plain(title), fontsize=11)
    return figure


def legend_mark(**style) -> Line2D:
    """Return a line or marker for a legend that no points are drawn with."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **style)


def dashed_ring() -> Path:
    """Return a circle of dashes, as a marker."""
    from matplotlib.path import Path

    return Path.make_compound_path(*(Path.arc(start, start + 27) for start in range(0, 360, 45)))


def write_note(ax: Axes, y: float, text: str, **options) -> None:
    """Write at a height, from the left, why nothing is drawn there."""
    place = {"transform": ax.get_yaxis_transform(), "va": "center", "color": "#444444"}
    ax.text(0.02, y, text, **place, **options)


def write_value(ax: Axes, x: float, y: float, text: str, above: float, size: float = 9) -> None:
    """Write a value in bold some points above the place that it belongs to, or below."""
    place = {"xytext": (0, above), "textcoords": "offset points", "ha": "center"}
    ax.annotate(text, (x, y), fontweight="bold", fontsize=size, **place)


def plain(text: str) -> str:
    """Return a user's text, escaped so that matplotlib does not read it as mathematics."""
    return text.replace("$", r"\$")


def is_missing(value: Any) -> bool:
    """Tell whether a table has no value: None, or not a number."""
    return value is None or value != value


def label(column: str) -> str:
    """Return what to call a column, a setting's value or a quantity on a figure."""
    name = parse(column).quantity
    return LABELS.get(name, name.replace("_", " "))


def value_label(column: str, value: Any, cells: DataFrame | None = None, called: str = "") -> str:
    """Return 'δ = 0.3', or the value alone if it is text, for cells that have this value.

    Cells without the setting are called by their u or method, or else 'without L'.
    """
    name, group = called or label(column), column.partition(".")[0]
    if isinstance(value, str):
        return label(value)
    if not is_missing(value):
        return f"{name} {value:g}" if " " in name else f"{name} = {value:g}"
    if cells is not None and group != column and group in cells and cells[group].nunique() == 1:
        return label(cells[group].iloc[0])
    return "standard" if group == "u" else f"without {name}"


def value_title(column: str, cells: DataFrame) -> str:
    """Return what a scale of values is called."""
    kind, name = parse(column).kind, label(column)
    if kind == "cost":
        return f"{evaluations(cells)} per independent draw\nof the {name}"
    if kind == "time":
        return f"CPU seconds per independent draw\nof the {name}"
    if kind == "tau":
        return textwrap.fill(f"autocorrelation time of the {name} (groups)", 50)
    return f"{kind} of the {name}" if kind else name


def y_label(column: str, cells: DataFrame) -> str:
    """Return what an axis shows of a quantity that is named elsewhere."""
    kind = parse(column).kind
    if kind == "cost":
        return f"{evaluations(cells)}\nper independent draw"
    if kind == "time":
        return "CPU seconds\nper independent draw"
    if kind == "tau":
        groups: Any = cells["schedule.group"].unique() if "schedule.group" in cells else ()
        of = f" (groups of {groups[0]})" if len(groups) == 1 else " (groups)"
        return "autocorrelation time" + of
    return kind or label(column)


def evaluations(cells: DataFrame) -> str:
    """Return what is counted as cost: density evaluations where a method needs no gradients."""
    gradients = cells["evaluations.gradient"] > 0 if "evaluations.gradient" in cells else None
    if gradients is None or gradients.all():
        return "gradient evaluations"
    return "evaluations" if gradients.any() else "density evaluations"


def with_error(value: float, se: float) -> str:
    """Return a value and its standard error, with as many digits as the error justifies."""
    if 0 < abs(value) < 0.001:
        power = math.floor(math.log10(abs(value)))
        texts = with_error(value / 10.0**power, se / 10.0**power).split(" ± ")
        return " ± ".join(f"{text}e{power}" for text in texts)
    digits = max(0, -math.floor(math.log10(se))) if se > 0 else 2
    return f"{value:.{digits}f} ± {se:.{digits}f}"


def method_and_u(cells: DataFrame) -> tuple[str | None, str | None]:
    """Return the names of the method and of the u of some cells; None where they differ."""
    names = (set(cells[key]) if key in cells else () for key in ("method", "u"))
    method, u = (each.pop() if len(each) == 1 else None for each in names)
    return method, u


def method_colours(methods: Sequence[tuple[str | None, str | None]]) -> list[str]:
    """Return the colour of each (method, u); shades, from light to dark, of one that recurs."""
    pairs = [(METHOD_COLOURS.get(method or "", OTHER_COLOURS), u) for method, u in methods]
    colours = [pair[u != "standard"] for pair, u in pairs]
    return [
        shade(colour, colours[:index].count(colour), colours.count(colour))
        for index, colour in enumerate(colours)
    ]


def shade(colour: str, index: int, count: int) -> str:
    """Return one of several shades of a colour, or the colour itself if there is one only."""
    from matplotlib.colors import to_hex, to_rgb

    if count == 1:
        return colour
    darkness = 2 * index / (count - 1) - 1  # from -1 to 1
    share, end = (0.6 * darkness, 0.0) if darkness > 0 else (-0.4 * darkness, 1.0)
    return to_hex([(1 - share) * part + share * end for part in to_rgb(colour)])


def palette(count: int, colours: Sequence[str] = ()) -> list[str]:
    """Return colours for some lines: those set, safe ones for a few, or a scale of lightness."""
    if colours:
        return [colours[index % len(colours)] for index in range(count)]
    if count <= len(COLOURS):
        return list(COLOURS[:count])
    import matplotlib
    from matplotlib.colors import to_hex

    scale = matplotlib.colormaps["viridis"]
    return [to_hex(scale(0.92 * index / (count - 1))) for index in range(count)]


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
