"""What an experiment makes of its cells, figures and comparisons, checked before anything runs.

In: an experiment's document, and the cells it was expanded into. Out: a Mistake, with its place,
if something is misspelt, speaks of a column that will not exist, or of cells that are not there.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from nrevu.cell import Cell, parameters
from nrevu.document import Document, check_keys, need
from nrevu.mistake import Mistake, unknown

TRACE_KEYS = {
    "best": str,  # follow the cell in which this column is lowest ...
    "for_each": str,  # ... for each value of this one, and the cell that differs in u alone
}
FIGURE_KEYS = {
    "kind": str,  # lines; heat: a map; bars: side by side; runs: of acceptances, where traced
    "title": str,  # default: the experiment's
    "where": dict,  # show only cells with these values
    "x": str,  # the column on the horizontal axis
    "x_label": str,  # what to call it
    "x_scale": str,  # log, or linear
    "y_scale": str,  # of autocorrelation times: log, or linear
    "panels": list,  # the columns on the vertical axes, a panel each; trace: u of single updates
    "rows": str,  # the column whose values get a row of panels each
    "line": str,  # the column whose values get a line each
    "line_label": str,  # what to call it
    "references": list,  # cells, by their values, that are drawn as horizontal lines
    "best": str,  # which cells to ring: the best of each line, or of each panel
    "y": str,  # heat: the column on the vertical axis
    "value": str,  # heat and bars: the column that is shown
    "bars": list,  # the cells to choose the best of, for a bar each: {label, where}
    "range": list,  # heat: the values at the ends of the colour scale
    "colours": list,  # of the lines, in the order of their values; default: a safe palette
}
CLAIM_KEYS = {
    "text": str,  # what is claimed
    "published": (int, float),  # the ratio
    "quantity": str,  # of which column
    "of": dict,  # numerator: the best cell with these values
    "over": dict,  # denominator: the best cell with these values
    "assuming": str,  # what the comparison rests on
    "factor": (int, float),  # by which the ratio is multiplied under that assumption; default 1
}
FIGURE_NEEDS = {  # by kind
    "lines": ("x", "panels"),
    "heat": ("x", "y", "value"),
    "bars": ("bars", "value"),
    "runs": ("line",),
}
WORDS = {"x_scale": ("linear", "log"), "y_scale": ("linear", "log"), "best": ("line", "panel")}


def check_grammar(doc: Document) -> None:
    """Raise a Mistake for what is wrong whatever the cells are."""
    if "trace" in doc.data:
        check_keys(doc, doc.data["trace"], TRACE_KEYS, ("trace",))
        need(doc, doc.data["trace"], TRACE_KEYS, "trace")
    for figure in doc.data.get("figures", {}):
        check_figure(doc, figure)
    for index, entry in enumerate(doc.data.get("published", ())):
        check_published(doc, entry, "published", index)
    for index, claim in enumerate(doc.data.get("claims", ())):
        if not isinstance(claim, dict):
            raise Mistake("holds keys and values", "claims", doc.place("claims", index))
        check_keys(doc, claim, CLAIM_KEYS, ("claims", index))
        need(doc, claim, ("text", "published", "quantity", "of", "over"), "claims", index)


def check_published(doc: Document, entry: Any, *path) -> None:
    """Raise a Mistake if an entry lacks its settings or length, or holds a number that is none."""
    if not isinstance(entry, dict) or not isinstance(entry.get("at"), dict):
        message = "holds 'at' (settings), 'groups' (run length), 'source' and numbers"
        raise Mistake(message, "published", doc.place(*path))
    need(doc, entry, ("groups",), *path)
    for key, value in entry.items():
        if key not in ("at", "source") and (type(value) not in (int, float) or not value > 0):
            raise Mistake(f"{value!r} is not a number above 0", key, doc.place(*path, key))


def check_figure(doc: Document, name: str) -> None:
    """Raise a Mistake if a figure lacks something its kind needs, or has a word too many."""
    figure, path = doc.data["figures"][name], ("figures", name)
    if not isinstance(name, str) or not re.fullmatch("[A-Za-z_0-9]+", name) or name == "table":
        raise Mistake("a figure's name is a word, and not 'table'", str(name), doc.place(*path))
    if not isinstance(figure, dict):
        raise Mistake("must be keys and values", name, doc.place(*path))
    check_keys(doc, figure, FIGURE_KEYS, path)
    need(doc, figure, ("kind",), *path)
    if figure["kind"] not in FIGURE_NEEDS:
        place = doc.place(*path, "kind")
        raise unknown("kind of figure", figure["kind"], FIGURE_NEEDS, place=place)
    need(doc, figure, FIGURE_NEEDS[figure["kind"]], *path)
    for key in ("panels", "bars"):
        if figure.get(key) == []:
            raise Mistake("has no entries", key, doc.place(*path, key))
    for colour in figure.get("colours", ()):
        if not re.fullmatch(r"#[0-9a-fA-F]{6}", str(colour)):
            message = f"'{colour}' is not a colour: write it as \"#RRGGBB\", with the quotes"
            raise Mistake(message, "colours", doc.place(*path, "colours"))
    for key, allowed in WORDS.items():
        if key in figure and figure[key] not in allowed:
            raise unknown("value", figure[key], allowed, key=key, place=doc.place(*path, key))
    for index, bar in enumerate(figure.get("bars", ())):
        if not isinstance(bar, dict) or bar.keys() != {"label", "where"}:
            place = doc.place(*path, "bars", index)
            raise Mistake("a bar holds 'label' and 'where' (values)", name, place)
    if is_traced(figure) and "trace" not in doc.data:
        raise Mistake("needs 'trace' in the file: which cells to follow", name, doc.place(*path))
    if "trace" in figure.get("panels", ()) and figure.get("rows") != doc.data["trace"]["for_each"]:
        message = "a panel 'trace' needs rows for the column of trace.for_each"
        raise Mistake(message, name, doc.place(*path, "rows"))


def check_cells(doc: Document, cells: list[Cell]) -> None:
    """Raise a Mistake for what does not fit the cells, those of experiments beside included."""
    rows = [parameters(cell) | cell.derived for cell in cells]
    known = columns(cells)
    estimated = [name for name in known if is_estimated(name)]
    for name, path, must_be_estimated in mentioned(doc):
        allowed = estimated if must_be_estimated else known
        if name not in allowed:
            raise unknown("column", name, allowed, place=doc.place(*path))
    for name in doc.data.get("figures", {}):
        check_figure_cells(doc, name, rows)
    for index, entry in enumerate(doc.data.get("published", ())):
        found = sum(fits(row, entry["at"]) for row in rows)
        if found != 1:
            message = f"'at' must say which cell it is: it fits {found} of {len(rows)}"
            raise Mistake(message, "published", doc.place("published", index, "at"))
    for index, claim in enumerate(doc.data.get("claims", ())):
        for side in ("of", "over"):
            if not any(fits(row, claim[side]) for row in rows):
                raise Mistake("fits no cell", side, doc.place("claims", index, side))


def is_estimated(column: str) -> bool:
    """Tell whether a column holds an estimate with a standard error."""
    return column.startswith(("tau.", "cost.")) or column in ("rejection_rate", "clustering")


def is_traced(figure: Mapping[str, Any]) -> bool:
    """Tell whether a figure needs cells that were followed update by update."""
    return figure["kind"] == "runs" or "trace" in figure.get("panels", ())


def columns(cells: list[Cell]) -> list[str]:
    """Return the columns that a figure or a published number may speak of."""
    names = {key for cell in cells for key in (*parameters(cell), *cell.derived)}
    quantities = {q for cell in cells for q in cell.distribution.means()}
    times = {f"{kind}.{quantity}" for kind in ("tau", "cost") for quantity in quantities}
    return sorted(names | times | {"rejection_rate", "clustering"})


def check_figure_cells(doc: Document, name: str, rows: list[dict]) -> None:
    """Raise a Mistake if a figure would show no cell, or several at one point of a line."""
    settings = doc.data["figures"][name]
    selections = [("where", settings.get("where", {}))]
    selections += [("references", where) for where in settings.get("references", ())]
    selections += [("bars", bar["where"]) for bar in settings.get("bars", ())]
    for key, where in selections:
        if not any(fits(row, where) for row in rows):
            raise Mistake("fits no cell", key, doc.place("figures", name, key))
    if settings["kind"] not in ("lines", "heat"):
        return
    shown = [row for row in rows if fits(row, settings.get("where", {}))]
    x = settings["x"]
    if not all(type(row.get(x, 0)) in (int, float) for row in shown):
        raise Mistake(f"'{x}' does not hold numbers", "x", doc.place("figures", name, "x"))
    keys = [settings[k] for k in ("x", "y", "rows", "line") if k in settings]
    points = [tuple(row.get(key) for key in keys) for row in shown if x in row]
    if len(set(points)) < len(points):
        message = f"several cells have the same {', '.join(keys)}: add 'line', 'rows' or 'where'"
        raise Mistake(message, name, doc.place("figures", name))


def fits(row: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Tell whether a cell's flat parameters have these values."""
    return all(row.get(key) == value for key, value in where.items())


def mentioned(doc: Document) -> Iterator[tuple[str, tuple, bool]]:
    """Yield the columns that are spoken of, where, and whether they must be estimates."""
    for key, name in doc.data.get("trace", {}).items():
        yield name, ("trace", key), key == "best"
    for figure, settings in doc.data.get("figures", {}).items():
        yield from mentioned_in_figure(doc, settings, ("figures", figure))
    for index, entry in enumerate(doc.data.get("published", ())):
        path = ("published", index)
        numbers = (key for key in entry if key not in ("at", "source", "groups"))
        yield from ((key, (*path, key), True) for key in numbers)
        yield from ((key, (*path, "at", key), False) for key in entry["at"])
    for index, claim in enumerate(doc.data.get("claims", ())):
        yield claim["quantity"], ("claims", index, "quantity"), True
        for side in ("of", "over"):
            yield from ((key, ("claims", index, side, key), False) for key in claim[side])


def mentioned_in_figure(doc: Document, settings: Mapping, path: tuple) -> Iterator:
    """Yield the same for one figure."""
    single = [key for key in ("x", "y", "value", "rows", "line") if key in settings]
    yield from ((settings[key], (*path, key), key == "value") for key in single)
    for index, name in enumerate(settings.get("panels", ())):
        if name != "trace":
            yield name, (*path, "panels", index), True
    for key in settings.get("where", {}):
        yield key, (*path, "where", key), False
    for index, where in enumerate(settings.get("references", ())):
        if not isinstance(where, dict):
            place = doc.place(*path, "references")
            raise Mistake("a reference is keys and values", path[-1], place)
        yield from ((key, (*path, "references", index, key), False) for key in where)
    for index, bar in enumerate(settings.get("bars", ())):
        yield from ((key, (*path, "bars", index, "where", key), False) for key in bar["where"])
