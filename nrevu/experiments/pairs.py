"""Pairs of cells that a claim matches: they differ in what it compares, and in nothing else.

In: the flat settings of cells, and a claim's selections. Out: groups of cells that share all other
settings; or a Mistake, if a claim has no pair, or names no single cell as the published best.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nrevu.cells.cell import Cell, parameters
from nrevu.experiments.checks import fits, varying
from nrevu.experiments.experiment_file import File
from nrevu.experiments.sections import Claim
from nrevu.experiments.yaml_document import Document

SETTINGS = ("distribution", "method", "u", "schedule", "run", "seed")  # first words of keys


class Group(NamedTuple):
    """Cells that differ only in what a claim compares, by their numbers in a list."""

    of: list[int]
    over: list[int]


def compared_keys(of: Mapping[str, Any], over: Mapping[str, Any]) -> list[str]:
    """Return the keys in which two selections differ."""
    return [key for key in dict.fromkeys((*of, *over)) if of.get(key) != over.get(key)]


def groups(
    rows: Sequence[Mapping[str, Any]], of: Mapping[str, Any], over: Mapping[str, Any]
) -> list[Group]:
    """Return the groups of cells that agree in all settings but those that are compared.

    Where `u` is compared, its own settings (`u.delta`) may differ too.
    """
    compared = compared_keys(of, over)
    names = dict.fromkeys(name for row in rows for name in row)
    kept = [name for name in names if is_setting(name) and not belongs(name, compared)]
    found: dict[tuple, Group] = {}
    for index, row in enumerate(rows):
        inside = fits(row, of), fits(row, over)
        if any(inside):
            group = found.setdefault(tuple(map(row.get, kept)), Group([], []))
            (group.of if inside[0] else group.over).append(index)
    return [group for group in found.values() if group.of and group.over]


def is_setting(name: str) -> bool:
    """Tell whether a column is a setting of a cell, and not derived or estimated."""
    return name.partition(".")[0] in SETTINGS


def belongs(name: str, keys: Sequence[str]) -> bool:
    """Tell whether a setting is one of some keys, or a part of one: u.delta of u."""
    return any(name == key or name.startswith(f"{key}.") for key in keys)


def check_claims(file: File, cells: Sequence[Cell]) -> None:
    """Raise a Mistake for a claim without pairs, or with several cells as the published best."""
    rows = [parameters(cell) | cell.derived for cell in cells]
    for index, claim in enumerate(file.claims):
        check_best_at(file.doc, claim, rows, "claims", index)
        if claim.matched and not groups(rows, claim.of, claim.over or {}):
            of, over = ([fits(row, side) for row in rows] for side in claim.sides())
            message = "no cell of 'of' has one of 'over' with the same other settings"
            if sum(of) > sum(over) == sum(map(all, zip(of, over, strict=True))) > 0:
                message = "every cell of 'over' is also one of 'of': exchange them"
            raise file.doc.mistake(message, "claims", index, "matched")


def check_best_at(doc: Document, claim: Claim, rows: list[dict], *path) -> None:
    """Raise a Mistake unless the published best cell is one of several cells."""
    if claim.best_at is None:
        return
    if sum(fits(row, claim.of) for row in rows) == 1:
        message = "selects a single cell: there is nothing among which 'best_at' could be best"
        raise doc.mistake(message, *path, "of")
    found = [row for row in rows if fits(row, claim.of) and fits(row, claim.best_at)]
    if len(found) != 1:
        differ = f", which differ in {', '.join(varying(found))}" if found else ""
        message = f"must say which cell of 'of' it is: it fits {len(found)}{differ}"
        raise doc.mistake(message, *path, "best_at")
