"""Traced cells: grouped with those that differ in u alone, and how the curve of each looks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nrevu.figures import _style as style


class Curve(NamedTuple):
    """A traced cell and its curve."""

    trace: dict[str, Any]
    name: str  # the value by which curves differ, as text
    look: dict[str, Any]  # colour and dashes


def by_pair(traces: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the traces that differ in u alone, by what is the same for them."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for trace in traces:
        groups.setdefault(trace["pair"], []).append(trace)
    return groups


def curves(members: Sequence[dict[str, Any]], settings: Any) -> list[Curve]:
    """Return the curve of each trace of a pair, in order, by a figure's `line` and its label."""
    import pandas as pd

    line = settings.line
    ordered = sorted(members, key=lambda member: sort_key(member["parameters"], line))
    cells = [pd.DataFrame([member["parameters"]]) for member in ordered]
    colours = style.method_colours([style.method_and_u(cell) for cell in cells])
    found = []
    for index, member in enumerate(ordered):
        value = member["parameters"].get(line)
        name = style.value_label(line, value, cells[index], settings.line_label)
        look = {"color": colours[index], "ls": style.DASHES[index % len(style.DASHES)]}
        found.append(Curve(member, name, look))
    return found


def sort_key(parameters: dict[str, Any], line: str) -> tuple:
    """Return the order of curves: standard u first, then numbers in order, then text."""
    value = parameters.get(line)
    text = isinstance(value, str)
    number = -np.inf if text or style.is_missing(value) else value
    return parameters["u"] != "standard", text, number, value if text else ""
