"""How figures look, and what columns are called on them."""

import textwrap

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart with any colour vision; ordered so that neighbours differ in
# lightness too. Each line also has a marker and a dash pattern of its own, for print in grey.
COLOURS = ("#000000", "#E69F00", "#0072B2", "#CC79A7", "#009E73")
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
}


def set_title(figure: Figure, text: str) -> None:
    """Give a figure a title, broken into lines that fit its width."""
    width = int(figure.get_figwidth() * 11)
    figure.suptitle(plain(textwrap.fill(text, width)), fontsize=11)


def plain(text: str) -> str:
    """Return a user's text so that it is shown as it is, not as mathematics."""
    return text.replace("$", r"\$")


def label(column: str) -> str:
    """Return what to call a column on a figure."""
    name = column.removeprefix("tau.").removeprefix("cost.").removeprefix("mean.")
    return LABELS.get(name, name.replace("_", " "))


def value_label(column: str, value, named: str | None = None) -> str:
    """Return 'δ = 0.3', or the value alone if it is a word; where u has no delta: 'standard'."""
    if pd.isna(value):
        return "standard"
    if isinstance(value, str):
        return value.replace("_", " ")
    name = named or label(column)
    return f"{name} {value:g}" if " " in name else f"{name} = {value:g}"


def palette(count: int, given: list[str] | None = None) -> list[str]:
    """Return colours for so many lines: safe ones for a few, a scale of lightness for more."""
    if given:
        return [given[index % len(given)] for index in range(count)]
    if count <= len(COLOURS):
        return list(COLOURS[:count])
    scale = matplotlib.colormaps["viridis"]
    return [matplotlib.colors.to_hex(scale(0.92 * index / (count - 1))) for index in range(count)]


def value_title(column: str) -> str:
    """Return what a scale of values is called."""
    if column.startswith("cost."):
        return f"gradient evaluations per independent draw\nof the {label(column)}"
    if column.startswith("tau."):
        return textwrap.fill(f"autocorrelation time of the {label(column)} (groups)", 50)
    return label(column)
