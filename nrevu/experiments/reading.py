"""Reads the sections of an experiment's file and checks what is wrong whatever its cells are.

In: a Document. Out: Sections, or a Mistake with file and line.
"""

import functools
import operator
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from nrevu.errors import Mistake, unknown
from nrevu.experiments.columns import ESTIMATED, REJECTIONS, parse
from nrevu.experiments.sections import (
    Bar,
    Claim,
    Confirm,
    Kind,
    Published,
    Sections,
    Trace,
    build,
    field_kinds,
    figure_kinds,
    figure_settings,
)
from nrevu.experiments.yaml_document import Document, check_keys, check_texts, format_value, need

T = TypeVar("T")
RESERVED = ("table", "confirmed", "comparison")  # names of other files in an experiment's folder
USES = {"claims": "what to draw", "trace": "which cells to follow"}


def read_sections(doc: Document) -> Sections:
    """Return the sections of a document."""
    data = doc.data
    return Sections(
        trace=read_section(doc, Trace, "trace") if "trace" in data else None,
        confirm=read_section(doc, Confirm, "confirm") if "confirm" in data else None,
        figures={name: read_figure(doc, name) for name in data.get("figures", {})},
        published=tuple(read_published(doc, i) for i in range(len(data.get("published", ())))),
        claims=tuple(read_claim(doc, i) for i in range(len(data.get("claims", ())))),
    )


def read_section(doc: Document, section: type[T], *path) -> T:
    """Return the part of a document at a path as a section's dataclass."""
    data, kinds = functools.reduce(operator.getitem, path, doc.data), field_kinds(section)
    check_keys(doc, data, {key: kind.types for key, kind in kinds.items()}, path)
    need(doc, data, required(section), *path)
    for key, value in data.items():
        check_value(doc, kinds[key], value, *path, key)
    return build_at(doc, section, data, *path)


def required(section: type) -> list[str]:
    """Return the keys that a section must have."""
    return [f.name for f in fields(section) if f.default is f.default_factory is MISSING]


def build_at(doc: Document, section: type[T], data: Mapping[str, Any], *path) -> T:
    """Return the section; a Mistake of its dataclass gets the place of the key at fault."""
    try:
        return build(section, data)
    except Mistake as mistake:
        raise mistake.at(doc.place(*path, mistake.key)) from None


def check_value(doc: Document, kind: Kind, value: Any, *path) -> None:
    """Raise a Mistake for a choice that does not exist, or a list without entries."""
    key, place = path[-1], doc.place(*path)
    if kind.choices and value not in kind.choices:
        raise unknown("value", value, kind.choices, key=key, place=place)
    if not kind.entry:
        return
    if not value and (kind.entry is Bar or kind.note in ("estimate", "panel", "quantity")):
        raise Mistake("has no entries", key, place)
    if kind.entry is str and not kind.note:
        check_texts(doc, value, *path)
    for index, entry in enumerate(value):
        check_entry(kind, entry, path[-2:], doc.place(*path, index))


def check_entry(kind: Kind, entry: Any, path: tuple, place: str) -> None:
    """Raise a Mistake for an entry of a list that is not of the right form."""
    name, key = path
    if kind.entry is Bar:
        keys = entry if isinstance(entry, dict) else {}
        if [type(keys.get(k)) for k in ("label", "where")] != [str, dict] or len(keys) > 2:
            raise Mistake("a bar holds 'label' (text) and 'where' (values)", key, place)
    if kind.note == "selection" and not isinstance(entry, dict):
        raise Mistake("a reference is keys and values", name, place)
    if kind.note == "colour" and not re.fullmatch(r"#[0-9a-fA-F]{6}", str(entry)):
        what = format_value(entry)
        raise Mistake(f'{what} is not a colour: write it as "#RRGGBB", with the quotes', key, place)


def read_published(doc: Document, index: int) -> Published:
    """Return an entry of `published`, whose other keys are columns."""
    entry, path = doc.data["published"][index], ("published", index)
    if not isinstance(entry, dict) or not isinstance(entry.get("at"), dict):
        message = "holds 'at' (settings), 'groups' (run length), 'source' and numbers"
        raise Mistake(f"{message}, not {format_value(entry)}", "published", doc.place(*path))
    need(doc, entry, ("groups",), *path)
    numbers = {key: entry[key] for key in entry if key not in ("at", "groups", "source")}
    for key in numbers:
        if key not in REJECTIONS and parse(key).kind not in ESTIMATED:
            allowed = ("at", "groups", "source", *REJECTIONS, "tau.QUANTITY", "cost.QUANTITY")
            raise unknown("key", key, allowed, place=doc.place(*path, key))
    data = {"at": entry["at"], "groups": entry["groups"], "numbers": numbers}
    return build_at(doc, Published, {**data, "source": str(entry.get("source", ""))}, *path)


def read_claim(doc: Document, index: int) -> Claim:
    """Return an entry of `claims`."""
    claim = doc.data["claims"][index]
    if not isinstance(claim, dict):
        message = "is a list of claims {text: ..., quantity: ..., of: {...}, over: {...}}"
        place = doc.place("claims", index)
        raise Mistake(f"{message}, not {format_value(claim)}", "claims", place)
    return read_section(doc, Claim, "claims", index)


def read_figure(doc: Document, name: str) -> Any:
    """Return the settings of a figure, of the dataclass of its kind."""
    figure, path = doc.data["figures"][name], ("figures", name)
    if not isinstance(name, str) or not re.fullmatch("[A-Za-z_0-9]+", name) or name in RESERVED:
        message = f"a figure's name is a word, and not one of {', '.join(RESERVED)}"
        raise Mistake(message, str(name), doc.place(*path))
    if not isinstance(figure, dict):
        raise Mistake("must be keys and values", name, doc.place(*path))
    every = [field_kinds(figure_settings(kind)) for kind in figure_kinds()]
    allowed = {key: kind.types for kinds in every for key, kind in kinds.items()}
    check_keys(doc, figure, allowed, path)
    need(doc, figure, ("kind",), *path)
    kind, known = figure["kind"], figure_kinds()
    if kind not in known:
        raise unknown("kind of figure", kind, known, place=doc.place(*path, "kind"))
    settings = figure_settings(kind)
    need(doc, figure, required(settings), *path)
    keys = dict.fromkeys(("title", *field_kinds(settings)))
    for key in figure:
        if key not in keys:
            others = ", ".join(each for each in keys if each != "kind")
            message = f"does not belong to a figure of kind '{kind}', but {others} do"
            raise Mistake(message, key, doc.place(*path, key))
    found = read_section(doc, settings, *path)
    check_uses(doc, name, found)
    return found


def check_uses(doc: Document, name: str, figure: Any) -> None:
    """Raise a Mistake if a figure shows traces or claims and the file has none."""
    for section, meaning in USES.items():
        if section in figure.uses and not doc.data.get(section):
            message = f"needs '{section}' in the file: {meaning}"
            raise Mistake(message, name, doc.place("figures", name))
    if "trace" in getattr(figure, "panels", ()) and figure.rows != doc.data["trace"]["for_each"]:
        message = "a panel 'trace' needs rows for the column of trace.for_each"
        raise Mistake(message, name, doc.place("figures", name, "rows"))
