"""What an experiment makes of its cells, figures and comparisons, checked before anything runs.

In: an experiment's document, and the cells it was expanded into. Out: a Mistake, with its place,
if something speaks of a column that will not exist, or of cells that are not there.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nrevu.cells.cell import Cell, parameters
from nrevu.core.contracts import part
from nrevu.errors import Mistake, unknown
from nrevu.experiments.yaml_document import Document, given

FROM_BEST = ("bars", "intervals", "ratios")  # kinds that show best cells, confirmed if they were


def check_cells(doc: Document, cells: list[Cell]) -> None:
    """Raise a Mistake for what does not fit the cells, those of experiments beside included."""
    rows = [parameters(cell) | cell.derived for cell in cells]
    known = columns(cells, rows)
    estimated = [name for name in known if is_estimated(name)]
    for name, path, must_be_estimated in mentioned(doc):
        allowed = estimated if must_be_estimated else known
        if name not in allowed:
            raise unknown("column", name, allowed, place=doc.place(*path))
    for name in doc.data.get("figures", {}):
        check_figure_cells(doc, name, rows)
    for index, entry in enumerate(doc.data.get("published", ())):
        found = [row for row in rows if fits(row, entry["at"])]
        if len(found) != 1:
            message = f"'at' must say which cell it is: it fits {len(found)} of {len(rows)}"
            differ = f"which differ in {', '.join(varying(found))}"
            message += f"; {differ if found else misfit(rows, entry['at'])}"
            raise Mistake(message, "published", doc.place("published", index, "at"))
    for index, claim in enumerate(doc.data.get("claims", ())):
        for side in ("of", "over"):
            if side in claim and not any(fits(row, claim[side]) for row in rows):
                message = f"fits no cell: {misfit(rows, claim[side])}"
                raise Mistake(message, side, doc.place("claims", index, side))


def check_own(doc: Document, cells: Sequence[Cell]) -> None:
    """Raise a Mistake for what `trace` and `confirm` say that does not fit the own cells."""
    if not doc.data.get("trace") and not doc.data.get("confirm"):
        return
    rows = [parameters(cell) | cell.derived for cell in cells]
    known = columns(cells, rows)
    estimated = [name for name in known if is_estimated(name)]
    settings = [name for name in known if not is_estimated(name)]
    for key, name in doc.data.get("trace", {}).items():
        if name not in (estimated if key == "best" else settings):
            allowed = estimated if key == "best" else settings
            raise unknown("column", name, allowed, place=doc.place("trace", key))
    confirm = doc.data.get("confirm")
    if not confirm:
        return
    if confirm["best"] not in estimated:
        raise unknown("column", confirm["best"], estimated, place=doc.place("confirm", "best"))
    for name in confirm["for_each"]:
        if name not in settings:
            raise unknown("column", name, settings, place=doc.place("confirm", "for_each"))
    if confirm["cells"] > 1 and min(cell.run.chains for cell in cells) < 2:
        message = "to choose among several cells needs run.chains of 2 or more"
        raise Mistake(message, "cells", doc.place("confirm", "cells"))
    for name, where, path in chosen_by(doc):
        quantity = confirm["best"].partition(".")[2]
        if name.partition(".")[2] != quantity and sum(fits(row, where) for row in rows) > 1:
            message = f"must be of '{quantity}', for which cells are confirmed, not '{name}'"
            raise Mistake(message, path[-1], doc.place(*path))


def chosen_by(doc: Document) -> Iterator[tuple[str, Mapping[str, Any], tuple]]:
    """Yield the columns by which best cells are chosen, from which cells, and where it says so."""
    for index, claim in enumerate(doc.data.get("claims", ())):
        for side in ("of", "over"):
            if side in claim:
                yield claim["quantity"], claim[side], ("claims", index, "quantity")
    for name, figure in doc.data.get("figures", {}).items():
        for bar in figure.get("bars", ()):
            yield figure["value"], bar["where"], ("figures", name, "value")


def is_estimated(column: str) -> bool:
    """Tell whether a column holds an estimate with a standard error."""
    return column.startswith(("tau.", "cost.", "mean.")) or column in (
        "rejection_rate",
        "clustering",
    )


def columns(cells: Sequence[Cell], rows: list[dict]) -> list[str]:
    """Return the columns that a figure or a published number may speak of."""
    names = {key for row in rows for key in row}
    kinds = {cell.distribution for cell in cells}
    quantities = {q for kind in kinds for q in (*part(kind, "means")(), *part(kind, "averages")())}
    times = {f"{kind}.{quantity}" for kind in ("tau", "cost") for quantity in quantities}
    known = [pair for kind in kinds for pair in part(kind, "means")().items()]
    means = {f"mean.{q}" for q, mean in known if mean is None}
    return sorted(names | times | means | {"rejection_rate", "clustering"})


def check_figure_cells(doc: Document, name: str, rows: list[dict]) -> None:
    """Raise a Mistake if a figure would show no cell, or several at one point of a line."""
    settings = doc.data["figures"][name]
    selections = [("where", settings.get("where", {}))]
    selections += [("references", where) for where in settings.get("references", ())]
    selections += [("bars", bar["where"]) for bar in settings.get("bars", ())]
    for key, where in selections:
        if not any(fits(row, where) for row in rows):
            message = f"fits no cell: {misfit(rows, where)}"
            raise Mistake(message, key, doc.place("figures", name, key))
    if settings["kind"] not in ("lines", "heat"):
        return
    shown = [row for row in rows if fits(row, settings.get("where", {}))]
    x = settings["x"]
    for axis in ("x", "y") if settings["kind"] == "heat" else ("x",):
        if not all(type(row.get(settings[axis], 0)) in (int, float) for row in shown):
            message = f"'{settings[axis]}' does not hold numbers"
            raise Mistake(message, axis, doc.place("figures", name, axis))
    keys = [settings[k] for k in ("x", "y", "rows", "columns", "line") if k in settings]
    points = [tuple(row.get(key) for key in keys) for row in shown if x in row]
    if len(set(points)) < len(points):
        message = f"several cells have the same {', '.join(keys)}: add 'line', 'rows' or 'where'"
        raise Mistake(message, name, doc.place("figures", name))


def fits(row: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Tell whether a cell's flat parameters have these values."""
    return all(row.get(key) == value for key, value in where.items())


def misfit(rows: list[dict], where: Mapping[str, Any]) -> str:
    """Return why no cell fits: a value that none has, or several that none has together."""
    for key, value in where.items():
        there = list(dict.fromkeys(str(row[key]) for row in rows if key in row))
        if is_estimated(key):
            return f"'{key}' is an estimate, and cells are chosen by their settings"
        if not any(row.get(key) == value for row in rows):
            listed = ", ".join(there[:12]) + (", ..." if len(there) > 12 else "")
            return f"none has {key} {given(value)}; there are {listed}"
    return "none has all of these values"


def varying(rows: list[dict]) -> list[str]:
    """Return the keys in which some cells differ."""
    keys = dict.fromkeys(key for row in rows for key in row)
    return [key for key in keys if len({row.get(key) for row in rows}) > 1]


def mentioned(doc: Document) -> Iterator[tuple[str, tuple, bool]]:
    """Yield the columns that are spoken of, where, and whether they must be estimates."""
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
            yield from ((key, ("claims", index, side, key), False) for key in claim.get(side, ()))


def mentioned_in_figure(doc: Document, settings: Mapping, path: tuple) -> Iterator:
    """Yield the same for one figure."""
    single = [key for key in ("x", "y", "value", "rows", "columns", "line") if key in settings]
    yield from ((settings[key], (*path, key), key == "value") for key in single)
    for index, name in enumerate(settings.get("values", ())):
        yield name, (*path, "values", index), True
    for index, name in enumerate(settings.get("quantities", ())):
        yield f"mean.{name}", (*path, "quantities", index), True
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
