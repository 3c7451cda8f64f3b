"""What an experiment's file may say of figures, traces and confirmation, whatever its cells are.

In: the document. Out: a Mistake, with its place, for a key or value that is not allowed.
"""

import re
from typing import Any

from nrevu.errors import Mistake, unknown
from nrevu.experiments.published import check_claim, check_published
from nrevu.experiments.yaml_document import Document, check_keys, check_texts, given, need

TRACE_KEYS = {
    "best": str,  # follow the cell in which this column is lowest ...
    "for_each": str,  # ... for each value of this one, and the cell that differs in u alone
}
CONFIRM_KEYS = {
    "best": str,  # run those cells again in which this column is lowest ...
    "for_each": list,  # ... for each combination of values of these
    "cells": int,  # how many of each
    "longer": int,  # with how many times as many groups
}
FIGURE_KEYS = {
    # lines; heat: a map; bars: best cells side by side; intervals: where distributions lie, as best
    # cells found it; ratios: the claims; runs: of acceptances, where traced
    "kind": str,
    "title": str,  # default: the experiment's
    "where": dict,  # show only cells with these values
    "x": str,  # the column on the horizontal axis
    "x_label": str,  # what to call it
    "x_scale": str,  # log, or linear
    "y_scale": str,  # of autocorrelation times and costs: log, or linear
    "panels": list,  # the columns on the vertical axes, a panel each; trace: u of single updates
    "rows": str,  # the column whose values get a row of panels each
    "columns": str,  # heat: the column whose values get a column of panels each
    "line": str,  # the column whose values get a line each
    "line_label": str,  # what to call it
    "references": list,  # cells, by their values, that are drawn as horizontal lines
    "best": str,  # which cells to ring: the best of each line, or of each panel
    "y": str,  # heat: the column on the vertical axis
    "value": str,  # heat and bars: the column that is shown
    "values": list,  # bars: several columns to show side by side; `value` then says which is best
    "quantities": list,  # intervals: whose distributions to show
    "labels": list,  # what to call the `values` or `quantities`
    "bars": list,  # the cells to choose the best of, for a bar each: {label, where}
    "range": list,  # heat: the values at the ends of the colour scale
    "colours": list,  # of the lines, in order; default: those of the methods, or a safe palette
}
KINDS = {  # of figures: what each needs, and what else it may have
    "lines": (
        ("x", "panels"),
        (
            *("where", "x_label", "x_scale", "y_scale", "rows", "line", "line_label"),
            *("references", "best", "colours"),
        ),
    ),
    "heat": (("x", "y", "value"), ("where", "x_label", "rows", "columns", "range")),
    "bars": (("bars", "value"), ("values", "labels")),
    "intervals": (("bars", "value", "quantities"), ("labels", "x_label")),
    "ratios": ((), ()),
    "runs": (("line",), ("line_label",)),
}
WORDS = {"x_scale": ("linear", "log"), "y_scale": ("linear", "log"), "best": ("line", "panel")}


def check_grammar(doc: Document) -> None:
    """Raise a Mistake for what is wrong whatever the cells are."""
    if "trace" in doc.data:
        check_keys(doc, doc.data["trace"], TRACE_KEYS, ("trace",))
        need(doc, doc.data["trace"], TRACE_KEYS, "trace")
    if "confirm" in doc.data:
        check_confirm(doc)
    for index, name in enumerate(doc.data.get("beside", ())):
        if not isinstance(name, str):
            message = "holds names of experiments, or their files"
            raise Mistake(message, "beside", doc.place("beside", index))
    for figure in doc.data.get("figures", {}):
        check_figure(doc, figure)
    for index, entry in enumerate(doc.data.get("published", ())):
        check_published(doc, entry, "published", index)
    for index, claim in enumerate(doc.data.get("claims", ())):
        check_claim(doc, claim, "claims", index)
    check_texts(doc, doc.data.get("notes", ()), "notes")


def check_confirm(doc: Document) -> None:
    """Raise a Mistake if `confirm` lacks something, or its numbers are none to count with."""
    confirm = doc.data["confirm"]
    check_keys(doc, confirm, CONFIRM_KEYS, ("confirm",))
    need(doc, confirm, CONFIRM_KEYS, "confirm")
    for key in ("cells", "longer"):
        if not 1 <= confirm[key] <= 10**6:
            message = f"must be a whole number from 1 to a million, not {confirm[key]}"
            raise Mistake(message, key, doc.place("confirm", key))
    if not confirm["for_each"]:
        message = "has no entries: name the columns within which to take the best"
        raise Mistake(message, "for_each", doc.place("confirm", "for_each"))


def check_figure(doc: Document, name: str) -> None:
    """Raise a Mistake if a figure lacks something its kind needs, or has a word too many."""
    figure, path = doc.data["figures"][name], ("figures", name)
    if not isinstance(name, str) or not re.fullmatch("[A-Za-z_0-9]+", name) or name in TAKEN:
        message = f"a figure's name is a word, and not one of {', '.join(TAKEN)}"
        raise Mistake(message, str(name), doc.place(*path))
    if not isinstance(figure, dict):
        raise Mistake("must be keys and values", name, doc.place(*path))
    check_keys(doc, figure, FIGURE_KEYS, path)
    need(doc, figure, ("kind",), *path)
    if figure["kind"] not in KINDS:
        place = doc.place(*path, "kind")
        raise unknown("kind of figure", figure["kind"], KINDS, place=place)
    needs, may = KINDS[figure["kind"]]
    need(doc, figure, needs, *path)
    for key in figure:
        if key not in (*needs, *may, "kind", "title"):
            others = ", ".join(("title", *needs, *may))
            message = f"does not belong to a figure of kind '{figure['kind']}', but {others} do"
            raise Mistake(message, key, doc.place(*path, key))
    check_values(doc, figure, path)
    check_bars(doc, figure, path)
    check_sources(doc, name, figure)


TAKEN = ("table", "confirmed", "comparison")  # what else is kept beside the figures


def check_values(doc: Document, figure: dict, path: tuple) -> None:
    """Raise a Mistake for a value of a figure's key that is not allowed."""
    for key in ("panels", "bars", "values", "quantities"):
        if figure.get(key) == []:
            raise Mistake("has no entries", key, doc.place(*path, key))
    for colour in figure.get("colours", ()):
        if not re.fullmatch(r"#[0-9a-fA-F]{6}", str(colour)):
            message = f'{given(colour)} is not a colour: write it as "#RRGGBB", with the quotes'
            raise Mistake(message, "colours", doc.place(*path, "colours"))
    for key, allowed in WORDS.items():
        if key in figure and figure[key] not in allowed:
            raise unknown("value", figure[key], allowed, key=key, place=doc.place(*path, key))
    if figure["kind"] == "heat" and figure["x"] == figure["y"]:
        message = f"must differ from 'x', which is '{figure['x']}' too"
        raise Mistake(message, "y", doc.place(*path, "y"))
    ends = figure.get("range", [1, 2])
    fine = len(ends) == 2 and all(type(end) in (int, float) for end in ends)
    if not fine or not 0 < ends[0] < ends[1] < float("inf"):
        message = "must be two numbers above 0, the lower one first"
        raise Mistake(message, "range", doc.place(*path, "range"))


def check_bars(doc: Document, figure: dict, path: tuple) -> None:
    """Raise a Mistake if a figure's bars or labels are not of the right form."""
    shown = figure.get("values") or figure.get("quantities") or [figure.get("value")]
    check_texts(doc, figure.get("labels", ()), *path, "labels")
    if "labels" in figure and len(figure["labels"]) != len(shown):
        place = doc.place(*path, "labels")
        raise Mistake(f"needs {len(shown)}, one for each of what is shown", "labels", place)
    for index, bar in enumerate(figure.get("bars", ())):
        fine = isinstance(bar, dict) and bar.keys() == {"label", "where"}
        if not fine or not isinstance(bar["where"], dict) or not isinstance(bar["label"], str):
            place = doc.place(*path, "bars", index)
            raise Mistake("a bar holds 'label' (text) and 'where' (values)", "bars", place)


def check_sources(doc: Document, name: str, figure: dict) -> None:
    """Raise a Mistake if a figure shows traces or claims and the file has none."""
    path = ("figures", name)
    if figure["kind"] == "ratios" and not doc.data.get("claims"):
        raise Mistake("needs 'claims' in the file: what to draw", name, doc.place(*path))
    if is_traced(figure) and "trace" not in doc.data:
        raise Mistake("needs 'trace' in the file: which cells to follow", name, doc.place(*path))
    if "trace" in figure.get("panels", ()) and figure.get("rows") != doc.data["trace"]["for_each"]:
        message = "a panel 'trace' needs rows for the column of trace.for_each"
        raise Mistake(message, name, doc.place(*path, "rows"))


def is_traced(figure: dict[str, Any]) -> bool:
    """Tell whether a figure needs cells that were followed update by update."""
    return figure["kind"] == "runs" or "trace" in figure.get("panels", ())
