"""Ratios: each claim that compares, with its 95% interval, and the published ratio.

Claims without `over` are values, or compare a published best cell with ours, and are omitted. A
square is the mean over matched pairs, a point the ratio of best cells.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import ClassVar

from nrevu.analysis.claims import claim_rows
from nrevu.analysis.table import matching
from nrevu.experiments.columns import is_time
from nrevu.figures import _style as style


@dataclass(frozen=True)
class Settings:
    """A figure of kind ratios."""

    kind: str
    title: str = ""  # default: the experiment's
    uses: ClassVar[tuple[str, ...]] = ("claims", "confirmed")


def draw(experiment, settings: Settings, table, traces, confirmed) -> style.Figure:
    """Return the figure that the settings describe."""
    claims = [claim for claim in experiment.claims if claim.over is not None]
    found = claim_rows(claims, table, confirmed)
    figure = style.new_figure(experiment, settings, 9, 1.6 + 0.55 * max(1, len(found)))
    ax = figure.subplots()
    ax.axvline(1.0, color="#666666", lw=1, ls=(0, (4, 2)))
    handles = {}
    for index, (claim, row) in enumerate(zip(claims, found, strict=True)):
        if row["reason"]:
            write_note(ax, -index, f"not judged: {row['reason']}")
            continue
        ends = [[row["ours"] - row["low"]], [row["high"] - row["ours"]]]
        method = style.method_and_u(matching(table, claim.over))
        (colour,) = style.method_colours([method])
        kind, marker = (", mean of pairs", "s") if claim.matched else ("", "o")
        handles[f"ours{kind}, with 95% interval{format_method(*method)}"] = ax.errorbar(
            row["ours"], -index, xerr=ends, fmt=marker, color=colour, capsize=4
        )
        style.write_value(ax, row["ours"], -index, f"{row['ours']:.2f}", 6)
        if not style.is_missing(row["published"]):
            (star,) = ax.plot(row["published"], -index, "*", color="white", mec="black", ms=11)
            handles["published"] = star
    names = [textwrap.fill(row["what"], 46, break_on_hyphens=False) for row in found]
    ax.set_yticks([-index for index in range(len(found))], names, fontsize=8.5)
    ax.set_ylim(min(-len(found), -1) + 0.4, 0.7)
    if not found:
        write_note(ax, 0, "no claim compares two methods (`of` with `over`)")
    fast = all(is_time(claim.quantity) for claim in claims)
    ax.set_xlabel(f"{'times as fast as the other' if fast else 'ratio'}; 1: no difference")
    ax.grid(axis="y", visible=False)
    if handles:
        lines, names = list(handles.values()), list(handles)
        figure.legend(lines, names, loc="outside lower center", ncols=2, fontsize=8.5)
    return figure


def write_note(ax: style.Axes, y: float, text: str) -> None:
    """Write why there is no point, on white, as the line at 1 may be behind it."""
    white = {"fc": "white", "ec": "none", "pad": 1.5}
    style.write_note(ax, y, textwrap.fill(text, 80), fontsize=7.5, bbox=white)


def format_method(method: str | None, u: str | None) -> str:
    """Return ': HMC, standard u', without what differs between the cells of a claim."""
    names = [style.label(method)] if method else []
    names += [f"{style.label(u)} u"] if u else []
    return ": " + ", ".join(names) if names else ""
