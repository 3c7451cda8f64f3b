"""Reads a YAML file and remembers the line of every key, so that a mistake can name it.

In: a path. Out: a Document: the plain data, and the place ("file:line") of any path of keys.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from nrevu.mistake import Mistake, unknown


class Loader(yaml.SafeLoader):
    """PyYAML's safe loader, which also reads 1e-3 as a number."""


Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9][0-9_]*(\.[0-9_]*)?[eE][-+]?[0-9]+$"), None
)


@dataclass(frozen=True)
class Document:
    """The contents of a YAML file and where they stand."""

    file: str  # as a person would name it
    folder: Path  # where it is, from which paths in it lead
    data: Any
    lines: dict[tuple, int]  # line of each key, by its path from the top

    def place(self, *path) -> str:
        """Return 'file:line' of the nearest key at or above a path."""
        while path and path not in self.lines:
            path = path[:-1]
        return f"{self.file}:{self.lines[path]}" if path else self.file


def read(path: Path) -> Document:
    """Return the document of a file whose top level is a mapping."""
    name = str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
    try:
        loader = Loader(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise Mistake(f"cannot be read: {error}", place=name) from None
    try:
        node = loader.get_single_node()
        lines: dict[tuple, int] = {}
        if node is not None:
            walk(node, (), lines, name)
        data = loader.construct_document(node) if node is not None else None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise Mistake(f"not valid YAML: {error.problem}", place=f"{name}:{line}") from None
    except ValueError as error:  # a date such as 2020-13-45
        raise Mistake(f"not valid YAML: {error}", place=name) from None
    except RecursionError:
        raise Mistake("a part of the file contains itself", place=name) from None
    finally:
        loader.dispose()
    if not isinstance(data, dict):
        raise Mistake("must hold keys and values", place=name)
    return Document(name, path.parent, data, lines)


def walk(node: yaml.Node, path: tuple, lines: dict[tuple, int], file: str) -> None:
    """Note the line of each key below a node; a key given twice is a mistake."""
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            lines[(*path, index)] = item.start_mark.line + 1
            walk(item, (*path, index), lines, file)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
                message = "a key must be a word: put it into quotes"
                raise Mistake(message, place=f"{file}:{key.start_mark.line + 1}")
            here, line = (*path, key.value), key.start_mark.line + 1
            if here in lines:
                message = f"given twice, first in line {lines[here]}"
                raise Mistake(message, key=str(key.value), place=f"{file}:{line}")
            lines[here] = line
            walk(value, here, lines, file)


def check_keys(doc: Document, data: Mapping, allowed: Mapping, path: tuple) -> None:
    """Raise a Mistake for a key that is not allowed, or that holds the wrong kind of thing."""
    words = {str: "text", list: "a list", dict: "keys and values", float: "a number"}
    words[int] = "a whole number"
    words[bool] = "true or false"
    for key, value in data.items():
        place = doc.place(*path, key)
        if key not in allowed:
            raise unknown("key", key, allowed, place=place)
        if not isinstance(value, allowed[key]):
            kinds = allowed[key] if isinstance(allowed[key], tuple) else (allowed[key],)
            kinds = tuple(kind for kind in kinds if kind is not int or float not in kinds)
            known = (words[kind] for kind in kinds if kind in words)
            raise Mistake(f"must be {' or '.join(known)}", key, place)


def need(doc: Document, data: Mapping, keys, *path) -> None:
    """Raise a Mistake for a key that is missing."""
    for key in keys:
        if key not in data:
            raise Mistake(f"needs '{key}'", ".".join(map(str, path)), doc.place(*path))
