"""Compares the sections of an experiment with its cells, before anything runs.

In: an experiment's file and its cells. Out: a Mistake, with its place, if a section names a column
that will not exist, or cells that the sweep does not have.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nrevu.cells.cell import Cell, parameters
from nrevu.core.contracts import part
from nrevu.errors import check_known
from nrevu.experiments.columns import COMMON, REJECTIONS, is_estimated, parse
from nrevu.experiments.experiment_file import File
from nrevu.experiments.sections import Bar, Claim, Published, field_kinds
from nrevu.experiments.yaml_document import Document, format_value

Parts = list[tuple[Any, tuple]]  # sections, each with its path in the document


def check_sections(file: File, own: Sequence[Cell], others: Sequence[Cell]) -> None:
    """Raise a Mistake for what does not fit the cells, those of experiments beside included."""
    doc, cells = file.doc, [*own, *others]
    rows = [parameters(cell) | cell.derived for cell in cells]
    parts: Parts = [(figure, ("figures", name)) for name, figure in file.figures.items()]
    parts += [(entry, ("published", index)) for index, entry in enumerate(file.published)]
    parts += [(claim, ("claims", index)) for index, claim in enumerate(file.claims)]
    check_columns(doc, parts, columns(cells, rows))
    for section, path in parts:
        if isinstance(section, Published):
            check_single(doc, section, path, rows)
            continue
        for where, inner in selections(section):
            if not any(fits(row, where) for row in rows):
                message = f"fits no cell: {misfit(rows, where)}"
                raise doc.mistake(message, *path, *inner, key=inner[0])
        check_points(doc, section, path, rows)
    rows = rows[: len(own)]
    again: Parts = [(file.trace, ("trace",)), (file.confirm, ("confirm",))]
    check_columns(doc, [each for each in again if each[0]], columns(own, rows))
    check_confirm(file, parts, rows)


def check_columns(doc: Document, parts: Parts, known: list[str]) -> None:
    """Raise a Mistake for a column that is unknown, or an estimate where none may be."""
    estimated = [name for name in known if is_estimated(name)]
    allowed = dict.fromkeys(("column", "axis", "split", "selection"), known)
    allowed |= dict.fromkeys(("estimate", "panel", "quantity"), estimated)
    allowed["setting"] = [name for name in known if name not in estimated]
    for section, path in parts:
        for note, value, inner in contents(section):
            if note not in allowed or (note, value) == ("panel", "trace"):
                continue
            column = f"mean.{value}" if note == "quantity" else value
            for name in value if note == "selection" else [column]:
                at = (*inner, name) if note == "selection" else inner
                check_known("column", name, allowed[note], place=doc.place(*path, *at))


def contents(section: Any) -> Iterator[tuple[str, Any, tuple]]:
    """Yield what a section holds: the note of its type, the value, and the path in the section.

    Entries of lists, the columns of numbers, and the selections of bars come one by one.
    """
    for key, kind in field_kinds(section.__class__).items():
        value = getattr(section, key)
        if kind.note == "numbers":
            yield from (("estimate", name, (name,)) for name in value)
        elif kind.entry is Bar:
            yield from (("selection", b.where, (key, i, "where")) for i, b in enumerate(value))
        elif kind.entry:
            yield from ((kind.note, entry, (key, i)) for i, entry in enumerate(value or ()))
        elif value is not None:
            yield kind.note, value, (key,)


def selections(section: Any) -> list[tuple[Mapping[str, Any], tuple]]:
    """Return the selections of cells in a section, each with its path in it."""
    return [(where, inner) for note, where, inner in contents(section) if note == "selection"]


def columns(cells: Sequence[Cell], rows: list[dict]) -> list[str]:
    """Return the columns that sections may name."""
    names = {*REJECTIONS, *(key for row in rows for key in row)}
    for distribution in {cell.distribution for cell in cells}:
        means = part(distribution, "means")()
        quantities = (*means, *part(distribution, "averages")())
        names |= {f"{kind}.{quantity}" for kind in COMMON for quantity in quantities}
        names |= {f"mean.{quantity}" for quantity, mean in means.items() if mean is None}
    return sorted(names)


def check_points(doc: Document, figure: Any, path: tuple, rows: list[dict]) -> None:
    """Raise a Mistake if an axis holds no numbers, or one point of a figure is several cells."""
    axes = [(name, inner[0]) for note, name, inner in contents(figure) if note == "axis"]
    if not axes:
        return
    shown = [row for row in rows if fits(row, figure.where)]
    for name, key in axes:
        if not all(type(row.get(name, 0)) in (int, float) for row in shown):
            raise doc.mistake(f"'{name}' does not hold numbers", *path, key)
    keys = [name for note, name, _ in contents(figure) if note in ("axis", "split")]
    points = [tuple(row.get(key) for key in keys) for row in shown if keys[0] in row]
    if len(set(points)) < len(points):
        message = f"several cells have the same {', '.join(keys)}: add 'line', 'rows' or 'where'"
        raise doc.mistake(message, *path)


def check_single(doc: Document, entry: Published, path: tuple, rows: list[dict]) -> None:
    """Raise a Mistake unless a published entry describes one cell."""
    found = [row for row in rows if fits(row, entry.at)]
    if len(found) != 1:
        message = f"'at' must say which cell it is: it fits {len(found)} of {len(rows)}"
        differ = f"which differ in {', '.join(varying(found))}"
        message += f"; {differ if found else misfit(rows, entry.at)}"
        raise doc.mistake(message, *path, "at", key="published")


def check_confirm(file: File, parts: Parts, rows: list[dict]) -> None:
    """Raise a Mistake if best cells are wanted that `confirm` does not run again."""
    confirm, doc = file.confirm, file.doc
    if not confirm:
        return
    quantity = parse(confirm.best).quantity
    for section, path in parts:
        key = "quantity" if isinstance(section, Claim) else "value"
        name = getattr(section, key, "") if key == "quantity" or hasattr(section, "bars") else ""
        several = any(sum(fits(row, where) for row in rows) > 1 for where, _ in selections(section))
        selects = several and not getattr(section, "matched", False)
        if name and selects and parse(name).quantity != quantity:
            message = f"must be of '{quantity}', for which cells are confirmed, not '{name}'"
            raise doc.mistake(message, *path, key)


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
