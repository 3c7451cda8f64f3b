"""Reads a YAML file and keeps the line of every key, so that a Mistake can name it.

In: a path. Out: a Document: the plain data, and the place ("file:line") of any path of keys.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from nrevu.errors import Mistake, check_known, shorten
from nrevu.files import relative_path

# What PyYAML raises, without a line, for an impossible value: 2020-13-45, or `!!bool maybe`.
IMPOSSIBLE = (ArithmeticError, AttributeError, LookupError, ValueError)
NAMES = {str: "text", list: "a list", dict: "keys and values", float: "a number"}
NAMES |= {int: "a whole number", bool: "true or false"}


class Loader(yaml.SafeLoader):
    """PyYAML's safe loader, which also reads 1e-3 as a number, and keeps its current line."""

    line = 1

    def construct_scalar(self, node):
        """Return the text of a single value."""
        self.line = node.start_mark.line + 1
        return super().construct_scalar(node)


Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9][0-9_]*(\.[0-9_]*)?[eE][-+]?[0-9]+$"), None
)


@dataclass(frozen=True)
class Document:
    """The contents of a YAML file, and the line of each of its keys."""

    file: str  # its path, relative to the working directory if it is below it
    folder: Path  # the file's folder, to which paths in the file are relative
    data: Any
    lines: dict[tuple, int]  # line of each key, by its path from the top

    def place(self, *path) -> str:
        """Return 'file:line' of the nearest key at or above a path."""
        while path and path not in self.lines:
            path = path[:-1]
        return f"{self.file}:{self.lines[path]}" if path else self.file

    def mistake(self, message: str, *path, key: str | None = None) -> Mistake:
        """Return a mistake at a path; `key` is its last name, unless another is given."""
        names = [part for part in path if isinstance(part, str)]
        return Mistake(message, key or names[-1], self.place(*path))


def read(path: Path) -> Document:
    """Return the document of a file whose top level is a mapping."""
    name = relative_path(str(path))
    loader = Loader(text_of(path, name))
    try:
        node = loader.get_single_node()
        lines: dict[tuple, int] = {}
        walk(node, (), lines, name)
        data = loader.construct_document(node) if node is not None else None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise Mistake(f"not valid YAML: {problem_of(error)}", place=f"{name}:{line}") from None
    except IMPOSSIBLE as error:
        raise Mistake(f"not valid YAML: {error}", place=f"{name}:{loader.line}") from None
    except RecursionError:
        message = "a part of the file contains itself, or is nested too deeply"
        raise Mistake(message, place=name) from None
    finally:
        loader.dispose()
    if not isinstance(data, dict):
        raise Mistake("must hold keys and values", place=name)
    return Document(name, path.parent, data, lines)


def text_of(path: Path, name: str) -> str:
    """Return the text of a file, or raise a Mistake with the line that cannot be read."""
    try:
        data = path.read_bytes()
        text = data.decode()
        yaml.reader.Reader(text)
    except OSError as error:
        raise Mistake(f"cannot be read: {error.strerror}", place=name) from None
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        message = f"cannot be read: byte {data[error.start]:#04x} is not UTF-8 text"
        raise Mistake(message, place=f"{name}:{line}") from None
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        message = f"cannot be read: character #x{error.character:04x} is not allowed in YAML"
        raise Mistake(message, place=f"{name}:{line}") from None
    return text


def problem_of(error: yaml.MarkedYAMLError) -> str:
    """Return PyYAML's message, with the line where the part at fault begins."""
    problem = (error.problem or "").replace("second occurrence", "an anchor (&) given twice")
    problem += ": use spaces, not tabs" if "'\\t'" in problem else ""
    if error.context and error.context_mark and error.context.startswith("while"):
        problem += f" ({error.context} that begins in line {error.context_mark.line + 1})"
    return problem


def walk(node: yaml.Node | None, path: tuple, lines: dict[tuple, int], file: str) -> None:
    """Add the line of each key below a node to `lines`; raise a Mistake for a repeated key."""
    if isinstance(node, yaml.ScalarNode) and re.search("[\ud800-\udfff]", node.value):
        message = "half of a character (\\ud800 to \\udfff) cannot be printed"
        raise Mistake(message, place=f"{file}:{node.start_mark.line + 1}")
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            lines[(*path, index)] = item.start_mark.line + 1
            walk(item, (*path, index), lines, file)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            check_key(key, file)
            inner, line = (*path, key.value), key.start_mark.line + 1
            if inner in lines:
                message = f"given twice, first in line {lines[inner]}"
                raise Mistake(message, key=str(key.value), place=f"{file}:{line}")
            lines[inner] = line
            walk(value, inner, lines, file)


def check_key(key: yaml.Node, file: str) -> None:
    """Raise a Mistake for a key that is not text, such as 3, or `on`, which YAML takes for true."""
    single = isinstance(key, yaml.ScalarNode)
    if not single or key.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
        value = f", not {key.value}" if single else ""
        message = f"a key must be a word{value}: put it into quotes"
        raise Mistake(message, place=f"{file}:{key.start_mark.line + 1}")


def check_keys(doc: Document, data: Mapping, allowed: Mapping, path: tuple) -> None:
    """Raise a Mistake for a key that is not allowed, or that holds the wrong kind of thing."""
    for key, value in data.items():
        check_known("key", key, allowed, place=doc.place(*path, key))
        kinds = allowed[key] if isinstance(allowed[key], tuple) else (allowed[key],)
        kind = float if type(value) is int and float in kinds else type(value)
        if kind not in kinds:
            known = " or ".join(NAMES[each] for each in kinds)
            raise doc.mistake(f"must be {known}, not {format_value(value)}", *path, key)


def format_value(value: Any) -> str:
    """Return a value as YAML writes it."""
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    return shorten(repr(value))


def is_number(value: Any) -> bool:
    """Tell whether a value is a number of a usable size."""
    return type(value) in (int, float) and abs(value) < 1e300


def check_texts(doc: Document, texts: list, *path) -> None:
    """Raise a Mistake for an entry that is not text, such as `- Note: this`."""
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise doc.mistake(f"holds text; put {format_value(text)} into quotes", *path, index)


def need(doc: Document, data: Mapping, keys, *path) -> None:
    """Raise a Mistake for a key that is missing."""
    for key in keys:
        if key not in data:
            raise doc.mistake(f"needs '{key}'", *path, key=".".join(map(str, path)))
