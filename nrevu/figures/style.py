"""How figures look, and what columns are called on them."""

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import pandas as pd
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart with any colour vision; ordered so that neighbours differ in
# lightness too. Each line also has a marker and a dash pattern of its own, for print in grey.
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
    "figure.autolayout": False,  # nor constrained, but where a figure asks for it
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


def set_title(figure: Figure, text: str) -> None:
    """Give a figure a title, broken into lines that fit its width."""
    width = int(figure.get_figwidth() * 11)
    figure.suptitle(plain(textwrap.fill(text, width)), fontsize=11)


def plain(text: str) -> str:
    """Return a user's text so that it is shown as it is, not as mathematics."""
    return text.replace("$", r"\$")


def is_time(column: str) -> bool:
    """Tell whether a column is an autocorrelation time, or one as a cost."""
    return column.startswith(("tau.", "cost."))


def label(column: str) -> str:
    """Return what to call a column on a figure."""
    name = column.removeprefix("tau.").removeprefix("cost.").removeprefix("mean.")
    return LABELS.get(name, name.replace("_", " "))


def value_label(
    column: str, value: Any, cells: pd.DataFrame | None = None, named: str | None = None
) -> str:
    """Return 'δ = 0.3', or the value alone if it is a word, for cells that have this value."""
    if pd.isna(value):
        return missing_label(column, cells, named)
    if isinstance(value, str):
        return label(value)
    name = named or label(column)
    return f"{name} {value:g}" if " " in name else f"{name} = {value:g}"


def missing_label(column: str, cells: pd.DataFrame | None, named: str | None) -> str:
    """Return what cells without a setting are: 'standard', 'Langevin', or else 'without L'."""
    group = column.partition(".")[0]
    if group == "u":
        return "standard"
    if cells is not None and group != column and group in cells and cells[group].nunique() == 1:
        return label(cells[group].iloc[0])
    return f"without {named or label(column)}"


def value_title(column: str, cells: pd.DataFrame) -> str:
    """Return what a scale of values is called."""
    if column.startswith("cost."):
        return f"{evaluations(cells)} per independent draw\nof the {label(column)}"
    if column.startswith("tau."):
        return textwrap.fill(f"autocorrelation time of the {label(column)} (groups)", 50)
    return f"mean of the {label(column)}" if column.startswith("mean.") else label(column)


def y_label(column: str, cells: pd.DataFrame) -> str:
    """Return what an axis shows of a quantity that is named elsewhere."""
    if column.startswith("cost."):
        return f"{evaluations(cells)}\nper independent draw"
    if column.startswith("tau."):
        groups = pd.unique(cells.get("schedule.group", pd.Series()))
        of = f" (groups of {groups[0]})" if len(groups) == 1 else " (groups)"
        return "autocorrelation time" + of
    return "mean" if column.startswith("mean.") else label(column)


def evaluations(cells: pd.DataFrame) -> str:
    """Return what is counted as cost: density evaluations where a method needs no gradients."""
    gradients = cells.get("evaluations.gradient", pd.Series(1)) > 0
    if gradients.all():
        return "gradient evaluations"
    return "evaluations" if gradients.any() else "density evaluations"


def with_error(value: float, se: float) -> str:
    """Return a value and its standard error, with as many digits as the error justifies."""
    digits = max(0, -math.floor(math.log10(se))) if se > 0 else 2
    return f"{value:.{digits}f} ± {se:.{digits}f}"


def line_colours(settings: Mapping[str, Any], parts: Sequence[tuple[Any, pd.DataFrame]]) -> list:
    """Return a colour for each line: that of its method, if the lines differ in method or u."""
    column = settings.get("line", "method")
    if "colours" not in settings and (column == "method" or column.partition(".")[0] == "u"):
        return method_colours([method_and_u(cells) for _, cells in parts])
    return palette(len(parts), settings.get("colours"))


def method_and_u(cells: pd.DataFrame) -> tuple[str | None, str | None]:
    """Return the names of the method and of the u of some cells; None where they differ."""
    names = (set(cells[key]) if key in cells else () for key in ("method", "u"))
    method, u = (found.pop() if len(found) == 1 else None for found in names)
    return method, u


def method_colours(methods: Sequence[tuple[str | None, str | None]]) -> list[str]:
    """Return the colour of each (method, u); shades, from light to dark, of one that recurs."""
    found = [METHOD_COLOURS.get(method, OTHER_COLOURS)[u != "standard"] for method, u in methods]
    return [
        shade(colour, found[:index].count(colour), found.count(colour))
        for index, colour in enumerate(found)
    ]


def shade(colour: str, index: int, count: int) -> str:
    """Return one of several shades of a colour, or the colour itself if there is one only."""
    if count == 1:
        return colour
    darkness = 2 * index / (count - 1) - 1  # from -1 to 1
    share, end = (0.6 * darkness, 0.0) if darkness > 0 else (-0.4 * darkness, 1.0)
    return to_hex([(1 - share) * part + share * end for part in to_rgb(colour)])


def palette(count: int, given: list[str] | None = None) -> list[str]:
    """Return colours for so many lines: safe ones for a few, a scale of lightness for more."""
    if given:
        return [given[index % len(given)] for index in range(count)]
    if count <= len(COLOURS):
        return list(COLOURS[:count])
    scale = matplotlib.colormaps["viridis"]
    return [to_hex(scale(0.92 * index / (count - 1))) for index in range(count)]
