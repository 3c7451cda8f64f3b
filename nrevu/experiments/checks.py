"""Compares the sections of an experiment with its cells, before anything runs.

In: an experiment's document, its sections and its cells. Out: a Mistake, with its place, if a
section names a column that will not exist, or cells that the sweep does not have.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nrevu.cells.cell import Cell, parameters
from nrevu.core.contracts import part
from nrevu.errors import Mistake, unknown
from nrevu.experiments.columns import REJECTIONS, is_estimated, parse
from nrevu.experiments.sections import Bar, Published, Sections, field_kinds
from nrevu.experiments.yaml_document import Document, format_value

Parts = list[tuple[Any, tuple]]  # sections, each with its path in the document


def check_sections(doc: Document, sections: Sections, own: Sequence[Cell], others: list[Cell]):
    """Raise a Mistake for what does not fit the cells, those of experiments beside included."""
    cells = [*own, *others]
    rows = [parameters(cell) | cell.derived for cell in cells]
    parts: Parts = [(figure, ("figures", name)) for name, figure in sections.figures.items()]
    parts += [(entry, ("published", index)) for index, entry in enumerate(sections.published)]
    parts += [(claim, ("claims", index)) for index, claim in enumerate(sections.claims)]
    check_columns(doc, parts, columns(cells, rows))
    for section, path in parts:
        if isinstance(section, Published):
            check_single(doc, section, path, rows)
            continue
        for inner, where in selections(section):
            if not any(fits(row, where) for row in rows):
                message = f"fits no cell: {misfit(rows, where)}"
                raise Mistake(message, inner[0], doc.place(*path, *inner))
        check_points(doc, section, path, rows)
    run_again = [(sections.trace, ("trace",)), (sections.confirm, ("confirm",))]
    rows = rows[: len(own)]
    check_columns(doc, [each for each in run_again if each[0]], columns(own, rows))
    check_confirm(doc, sections, own, rows)


def check_columns(doc: Document, parts: Parts, known: list[str]) -> None:
    """Raise a Mistake for a column that is unknown, or an estimate where none may be."""
    estimated = [name for name in known if is_estimated(name)]
    allowed = dict.fromkeys(("estimate", "panel", "quantity", "numbers"), estimated)
    allowed["setting"] = [name for name in known if not is_estimated(name)]
    for section, path in parts:
        for name, note, inner in mentions(section):
            if name not in allowed.get(note, known):
                place = doc.place(*path, *inner)
                raise unknown("column", name, allowed.get(note, known), place=place)


def mentions(section: Any) -> Iterator[tuple[str, str, tuple]]:
    """Yield the columns that a section names, the note of their type, and their path in it."""
    for key, kind in field_kinds(type(section)).items():
        value = getattr(section, key)
        if value is None or kind.note in ("", "selection", "colour"):
            continue
        if kind.note == "numbers":
            yield from ((name, kind.note, (name,)) for name in value)
        elif not kind.entry:
            yield value, kind.note, (key,)
        else:
            for index, name in enumerate(value):
                if (kind.note, name) != ("panel", "trace"):
                    column = f"mean.{name}" if kind.note == "quantity" else name
                    yield column, kind.note, (key, index)
    for inner, where in selections(section):
        yield from ((name, "column", (*inner, name)) for name in where)


def selections(section: Any) -> Iterator[tuple[tuple, Mapping[str, Any]]]:
    """Yield the selections of cells in a section, each with its path in it."""
    for key, kind in field_kinds(type(section)).items():
        value = getattr(section, key)
        if kind.note == "selection" and kind.entry:
            yield from (((key, index), where) for index, where in enumerate(value))
        elif kind.note == "selection" and value is not None:
            yield (key,), value
        elif kind.entry is Bar:
            yield from (((key, index, "where"), bar.where) for index, bar in enumerate(value))


def columns(cells: Sequence[Cell], rows: list[dict]) -> list[str]:
    """Return the columns that sections may name."""
    names = {key for row in rows for key in row}
    kinds = {cell.distribution for cell in cells}
    quantities = {q for kind in kinds for q in (*part(kind, "means")(), *part(kind, "averages")())}
    times = {f"{kind}.{quantity}" for kind in ("tau", "cost") for quantity in quantities}
    known = [pair for kind in kinds for pair in part(kind, "means")().items()]
    means = {f"mean.{q}" for q, mean in known if mean is None}
    return sorted(names | times | means | set(REJECTIONS))


def check_points(doc: Document, figure: Any, path: tuple, rows: list[dict]) -> None:
    """Raise a Mistake if an axis holds no numbers, or one point of a figure is several cells."""
    notes = {key: kind.note for key, kind in field_kinds(type(figure)).items()}
    axes = [key for key in notes if notes[key] == "axis"]
    if not axes:
        return
    shown = [row for row in rows if fits(row, figure.where)]
    for axis in axes:
        name = getattr(figure, axis)
        if not all(type(row.get(name, 0)) in (int, float) for row in shown):
            raise Mistake(f"'{name}' does not hold numbers", axis, doc.place(*path, axis))
    settings = dataclasses.asdict(figure)
    keys = [settings[k] for k in notes if notes[k] in ("axis", "split") and settings[k]]
    points = [tuple(row.get(key) for key in keys) for row in shown if keys[0] in row]
    if len(set(points)) < len(points):
        message = f"several cells have the same {', '.join(keys)}: add 'line', 'rows' or 'where'"
        raise Mistake(message, path[-1], doc.place(*path))


def check_single(doc: Document, entry: Published, path: tuple, rows: list[dict]) -> None:
    """Raise a Mistake unless a published entry describes one cell."""
    found = [row for row in rows if fits(row, entry.at)]
    if len(found) != 1:
        message = f"'at' must say which cell it is: it fits {len(found)} of {len(rows)}"
        differ = f"which differ in {', '.join(varying(found))}"
        message += f"; {differ if found else misfit(rows, entry.at)}"
        raise Mistake(message, "published", doc.place(*path, "at"))


def check_confirm(doc: Document, sections: Sections, cells: Sequence[Cell], rows: list) -> None:
    """Raise a Mistake if best cells are wanted that `confirm` does not run again."""
    confirm = sections.confirm
    if not confirm:
        return
    if confirm.cells > 1 and min(cell.run.chains for cell in cells) < 2:
        message = "to choose among several cells needs run.chains of 2 or more"
        raise Mistake(message, "cells", doc.place("confirm", "cells"))
    wanted = [
        (claim.quantity, where, ("claims", index, "quantity"))
        for index, claim in enumerate(sections.claims)
        for where in claim.sides()
    ] + [
        (figure.value, bar.where, ("figures", name, "value"))
        for name, figure in sections.figures.items()
        for bar in getattr(figure, "bars", ())
    ]
    quantity = parse(confirm.best).quantity
    for name, where, path in wanted:
        if parse(name).quantity != quantity and sum(fits(row, where) for row in rows) > 1:
            message = f"must be of '{quantity}', for which cells are confirmed, not '{name}'"
            raise Mistake(message, path[-1], doc.place(*path))


def fits(row: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Tell whether a cell's flat parameters have these values."""
    return all(row.get(key) == value for key, value in where.items())


def misfit(rows: list[dict], where: Mapping[str, Any]) -> str:
    """Return why no cell fits: a value that none has, or several that none has together."""
    for key, value in where.items():
        existing = list(dict.fromkeys(str(row[key]) for row in rows if key in row))
        if is_estimated(key):
            return f"'{key}' is an estimate, and cells are chosen by their settings"
        if not any(row.get(key) == value for row in rows):
            listed = ", ".join(existing[:12]) + (", ..." if len(existing) > 12 else "")
            return f"none has {key} {format_value(value)}; there are {listed}"
    return "none has all of these values"


def varying(rows: list[dict]) -> list[str]:
    """Return the keys in which some cells differ."""
    keys = dict.fromkeys(key for row in rows for key in row)
    return [key for key in keys if len({row.get(key) for row in rows}) > 1]
