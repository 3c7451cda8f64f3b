"""Hashes of sources: of the package, and of users' distributions, methods and rules for u.

Of what a file defines, the source is that file with what it imports from its folder. What a
notebook or a prompt defines has no file: its source is its compiled code, and the values of all
that it refers to.
"""

import ast
import functools
import hashlib
import inspect
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nrevu.files import code_hash, content_hash

PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)


def sources_hash(*things: Any) -> str:
    """Return 16 hex digits of the sources that a kernel of these functions is compiled from."""
    return f"{code_hash('core')[:8]}{source_hash(*things)[:8]}"


def source_hash(*things: Any) -> str:
    """Return 16 hex digits of the sources of classes or functions, and what they import."""
    if all(file_of(thing) for thing in things):
        return files_hash(*things)
    text = repr([files_hash(t) if file_of(t) else [*fingerprint(t, set())] for t in things])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@functools.cache
def files_hash(*things: Any) -> str:
    """Return 16 hex digits of the files of classes or functions, and what they import.

    That is the modules of the folder of such a file.
    """
    files = (file for thing in things for file in source_files(Path(inspect.getfile(thing))))
    return content_hash(list(dict.fromkeys(files)))


@functools.cache
def file_of(thing: Any) -> Path | None:
    """Return the file that defines a class or function, if its text is all that decides.

    None for what a notebook, a prompt or the script that runs defines, whose globals may change,
    and for what a function defines, which may refer to its arguments.
    """
    if "<locals>" in thing.__qualname__ or thing.__module__ == "__main__":
        return None
    try:
        found = inspect.getfile(thing)
    except (TypeError, OSError):
        return None
    # At a prompt, a class's file may be the script that ran before; its functions' is none.
    names = {found, *(code.co_filename for code in codes(thing))}
    return Path(found) if all(Path(name).is_file() for name in names) else None


def place_of(thing: Any) -> str:
    """Return where a class or function is defined, for messages."""
    return str(file_of(thing) or "the definition")


def codes(thing: Any) -> list[types.CodeType]:
    """Return the code of a class's functions, without those that `dataclass` writes."""
    values = vars(thing).values() if isinstance(thing, type) else ()
    functions = (getattr(value, "__func__", value) for value in values)
    found = [f.__code__ for f in functions if isinstance(f, types.FunctionType)]
    return [code for code in found if code.co_filename != "<string>"]


def source_files(path: Path) -> list[Path]:
    """Return a file and the modules of its folder that it imports, directly or not."""
    found = [path]
    for file in found:  # which grows
        for node in ast.walk(ast.parse(file.read_bytes())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for base in (path.parent / name.partition(".")[0] for name in names if name):
                files = [base.with_suffix(".py")] if base.with_suffix(".py").is_file() else []
                files += base.rglob("*.py") if (base / "__init__.py").is_file() else []
                found += [each for each in files if each not in found]
    return [path, *sorted(found[1:])]


def fingerprint(value: Any, seen: set[int]) -> Iterator[str]:
    """Yield texts that identify a value: of functions and classes, all that they are made of."""
    value = getattr(value, "py_func", value)  # of what numba has compiled
    value = getattr(value, "__func__", value)  # of a static method
    own_name = getattr(value, "__qualname__", getattr(value, "__name__", type(value)))
    name = f"{getattr(value, '__module__', '')}.{own_name}"
    if isinstance(value, PLAIN):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, np.ndarray):
        data = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        yield f"array {value.dtype} {value.shape} {data}"
    elif isinstance(value, tuple | list):
        for each in value:
            yield from fingerprint(each, seen)
    elif not isinstance(value, types.FunctionType | type) or installed(value) or id(value) in seen:
        yield name
    else:
        seen.add(id(value))
        parts = (
            function_parts(value) if isinstance(value, types.FunctionType) else class_parts(value)
        )
        for key, part in parts.items():
            yield f"{key}:"
            yield from fingerprint(part, seen)


def installed(thing: Any) -> bool:
    """Tell whether a class or function is of an installed package, whose name identifies it."""
    package = thing.__module__.partition(".")[0]
    known = package in ("nrevu", *sys.stdlib_module_names) and package != "__main__"
    return "<locals>" not in thing.__qualname__ and (
        known or "site-packages" in str(file_of(thing))
    )


def class_parts(cls: type) -> dict[str, Any]:
    """Return what a class defines, by name; its annotations name the settings."""
    found = {name: value for name, value in vars(cls).items() if not name.startswith("__")}
    return found | {"settings": tuple(getattr(cls, "__annotations__", {}))}


def function_parts(function: types.FunctionType) -> dict[str, Any]:
    """Return what decides what a function does: its code, defaults, and what it refers to."""
    code, parts = function.__code__, {}
    parts["code"] = tuple(code_parts(code))
    parts["defaults"] = function.__defaults__ or ()
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    parts |= {name: cell.cell_contents for name, cell in cells}
    names = {name for each in nested(code) for name in each.co_names}
    return parts | {n: function.__globals__[n] for n in sorted(names & function.__globals__.keys())}


def nested(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield a function's code, and that of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from nested(constant)


def code_parts(code: types.CodeType) -> Iterator[Any]:
    """Yield the instructions, names and constants of a function's code."""
    for each in nested(code):
        yield each.co_code
        yield each.co_names
        yield tuple(map(format_constant, each.co_consts))


def format_constant(constant: Any) -> str:
    """Return a constant as text, a set's members in the order of the alphabet."""
    if isinstance(constant, types.CodeType):
        return constant.co_name
    return str(sorted(map(repr, constant)) if isinstance(constant, frozenset) else repr(constant))
