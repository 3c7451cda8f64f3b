"""How figures look, and what columns are called on them.

matplotlib and pandas are imported by the functions that use them: the kinds of figures, which
import this module, are also read when an experiment is checked.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nrevu.experiments.columns import parse

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

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


def new_figure(size: tuple[float, float], title: str) -> Figure:
    """Return an empty figure of a size in inches, its title broken into lines that fit."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    width = int(figure.get_figwidth() * 11)
    figure.suptitle(plain(textwrap.fill(title, width)), fontsize=11)
    return figure


def legend_mark(**style) -> Line2D:
    """Return a line or marker for a legend that no points are drawn with."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **style)


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


def value_label(
    column: str, value: Any, cells: pd.DataFrame | None = None, named: str | None = None
) -> str:
    """Return 'δ = 0.3', or the value alone if it is a word, for cells that have this value."""
    if is_missing(value):
        return missing_label(column, cells, named)
    if isinstance(value, str):
        return label(value)
    name = named or label(column)
    return f"{name} {value:g}" if " " in name else f"{name} = {value:g}"


def missing_label(column: str, cells: pd.DataFrame | None, named: str | None) -> str:
    """Return a name for cells without a setting: 'standard', 'Langevin', or else 'without L'."""
    group = column.partition(".")[0]
    if group == "u":
        return "standard"
    if cells is not None and group != column and group in cells and cells[group].nunique() == 1:
        return label(cells[group].iloc[0])
    return f"without {named or label(column)}"


def value_title(column: str, cells: pd.DataFrame) -> str:
    """Return what a scale of values is called."""
    kind, name = parse(column).kind, label(column)
    if kind == "cost":
        return f"{evaluations(cells)} per independent draw\nof the {name}"
    if kind == "tau":
        return textwrap.fill(f"autocorrelation time of the {name} (groups)", 50)
    return f"mean of the {name}" if kind == "mean" else name


def y_label(column: str, cells: pd.DataFrame) -> str:
    """Return what an axis shows of a quantity that is named elsewhere."""
    kind = parse(column).kind
    if kind == "cost":
        return f"{evaluations(cells)}\nper independent draw"
    if kind == "tau":
        groups: Any = cells["schedule.group"].unique() if "schedule.group" in cells else ()
        of = f" (groups of {groups[0]})" if len(groups) == 1 else " (groups)"
        return "autocorrelation time" + of
    return "mean" if kind == "mean" else label(column)


def evaluations(cells: pd.DataFrame) -> str:
    """Return what is counted as cost: density evaluations where a method needs no gradients."""
    gradients = cells["evaluations.gradient"] > 0 if "evaluations.gradient" in cells else None
    if gradients is None or gradients.all():
        return "gradient evaluations"
    return "evaluations" if gradients.any() else "density evaluations"


def with_error(value: float, se: float) -> str:
    """Return a value and its standard error, with as many digits as the error justifies."""
    digits = max(0, -math.floor(math.log10(se))) if se > 0 else 2
    return f"{value:.{digits}f} ± {se:.{digits}f}"


def line_colours(
    line: str | None, colours: Sequence[str], parts: Sequence[tuple[Any, pd.DataFrame]]
) -> list[str]:
    """Return a colour for each line: that of its method, if the lines differ in method or u."""
    column = line or "method"
    if not colours and (column == "method" or column.partition(".")[0] == "u"):
        return method_colours([method_and_u(cells) for _, cells in parts])
    return palette(len(parts), colours)


def method_and_u(cells: pd.DataFrame) -> tuple[str | None, str | None]:
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
    red, green, blue = ((1 - share) * part + share * end for part in to_rgb(colour))
    return to_hex((red, green, blue))


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
