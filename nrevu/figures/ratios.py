"""Ratios: each claim of an experiment with its 95% interval, and what was published."""

import textwrap

import pandas as pd
from matplotlib.figure import Figure

from nrevu.claims import claim_rows, expected_rows, matching
from nrevu.experiment import Experiment, expand
from nrevu.figures.style import label, method_and_u, method_colours, set_title


def ratios(experiment: Experiment, settings, table, confirmed: pd.DataFrame | None) -> Figure:
    """Return the figure that the settings describe."""
    beside = [expand(name, experiment.size) for name in experiment.beside]
    expected = expected_rows((experiment, *beside))
    found = claim_rows(experiment.claims, table, confirmed, expected)
    figure = Figure(figsize=(9, 1.6 + 0.55 * max(1, len(found))), layout="constrained")
    set_title(figure, settings.get("title", experiment.title))
    ax = figure.subplots()
    ax.axvline(1.0, color="#666666", lw=1, ls=(0, (4, 2)))
    handles = {}
    for index, (claim, row) in enumerate(zip(experiment.claims, found, strict=True)):
        if row["reason"]:
            text = textwrap.fill(f"not judged: {row['reason']}", 80)
            place = {"transform": ax.get_yaxis_transform(), "va": "center"}
            ax.text(0.02, -index, text, fontsize=7.5, color="#444444", **place)
            continue
        ends = [[row["ours"] - row["low"]], [row["high"] - row["ours"]]]
        method = method_and_u(matching(table, claim.get("over", claim["of"])))
        (colour,) = method_colours([method])
        handles[f"ours, with 95% interval{method_words(*method)}"] = ax.errorbar(
            row["ours"], -index, xerr=ends, fmt="o", color=colour, capsize=4
        )
        ax.annotate(
            f"{row['ours']:.2f}", (row["ours"], -index), xytext=(0, 6), ha="center",
            textcoords="offset points", fontweight="bold", fontsize=9,
        )  # fmt: skip
        if pd.notna(row["published"]):
            (star,) = ax.plot(row["published"], -index, "*", color="white", mec="black", ms=11)
            handles["published"] = star
    names = [textwrap.fill(row["what"], 46, break_on_hyphens=False) for row in found]
    ax.set_yticks([-index for index in range(len(found))], names, fontsize=8.5)
    ax.set_ylim(-len(found) + 0.4, 0.7)
    ax.set_xlabel("times as fast as the other; 1: no difference")
    ax.grid(axis="y", visible=False)
    if handles:
        where = {"loc": "outside lower center", "ncols": 2, "fontsize": 8.5}
        figure.legend(handles.values(), handles.keys(), **where)
    return figure


def method_words(method: str | None, u: str | None) -> str:
    """Return ': HMC, standard u', or nothing of what is not the same in all cells of a claim."""
    words = [label(method)] if method else []
    words += [f"{label(u)} u"] if u else []
    return ": " + ", ".join(words) if words else ""
