"""Loads the class of a distribution from a user's Python file, and checks what it says of itself.

In: the path of a file and the name of a class in it. Out: the class, or a Mistake that names the
file, the class and what is wrong. The file, and the modules in its folder that it imports, are the
source that its cells' digests cover. Whether a density is right is another question: `conformance`.
"""

import contextlib
import dataclasses
import functools
import hashlib
import importlib.util
import inspect
import json
import numbers
import re
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from nrevu.core.contracts import COMPILED, PAIRS, has, part
from nrevu.errors import Mistake, check_known

KEY = "distribution.file"


def is_user_file(distribution: Any) -> bool:
    """Tell whether a distribution's class is from a user's file, not built in."""
    return not type(distribution).__module__.startswith("nrevu.distributions.")


def load_class(file: str, name: str | None) -> type:
    """Return the class of a distribution in a file; the name may be None if there is only one."""
    path = Path(file).absolute()
    if not path.is_file():
        raise Mistake(f"'{file}': no such file", KEY)
    found = find_classes(path)
    if not found:
        raise Mistake(f"'{file}' has no class with a function 'gradient' or 'energy'", KEY)
    if name is not None:
        check_known(f"class of '{file}'", name, found, key="distribution.name")
    names = [n for n, c in found.items() if dataclasses.is_dataclass(c)] or list(found)
    if name is None and len(names) > 1:
        raise Mistake(f"name one of the classes in '{file}': {', '.join(names)}", KEY)
    check_class(found[name or names[0]])
    return found[name or names[0]]


@functools.cache
def find_classes(path: Path) -> dict[str, type]:
    """Return the classes of a file that have an energy or a gradient, by name."""
    module = import_file(path)
    found = [c for c in vars(module).values() if inspect.isclass(c)]
    found = [c for c in found if c.__module__ == module.__name__]
    return {c.__name__: c for c in found if has(c, "energy") or has(c, "gradient")}


def import_file(path: Path):
    """Return the module of a file, which may import other modules of its folder."""
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise Mistake(f"'{path}' is not a Python file: its name must end with .py", KEY)
    importlib.import_module("nrevu.core.target")  # before numba is used by the file
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        message = f"cannot be imported: {describe_error(error, path)}"
        if isinstance(error, ImportError) and f"{error.name}.".startswith("nrevu."):
            message += ": import what your file needs from nrevu.distributions"
        raise Mistake(message, place=str(path)) from None
    finally:
        sys.path.remove(str(path.parent))
    return module


@contextlib.contextmanager
def user_errors(distribution: Any):
    """Turn an exception of a user's distribution into a Mistake with the line."""
    try:
        yield
    except (Mistake, MemoryError):
        raise
    except Exception as error:
        if not is_user_file(distribution):
            raise
        path = Path(inspect.getfile(type(distribution)))
        raise Mistake(f"failed: {describe_error(error, path)}", place=str(path)) from None


def describe_error(error: BaseException, path: Path) -> str:
    """Return the kind and text of an exception, and its line in a user's file."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
    where = f" (line {line})" if line else ""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text.splitlines()[0] if text else ''}{where}"


def check_class(cls: type) -> None:
    """Raise a Mistake unless the class has the parts that the contract requires."""
    place = f"{inspect.getfile(cls)}: {cls.__name__}"
    if not dataclasses.is_dataclass(cls) or not cls.__dataclass_params__.frozen:  # type: ignore
        raise Mistake("put @dataclass(frozen=True) above the class", place=place)
    if not has(cls, "dim"):
        raise Mistake("needs 'dim', the number of coordinates", place=place)
    for name in COMPILED:
        if name in vars(cls) and not isinstance(vars(cls)[name], staticmethod):
            raise Mistake(f"put @staticmethod above '{name}', which is compiled", place=place)
    for name, other, why in PAIRS:
        if has(cls, name) and not has(cls, other):
            raise Mistake(f"needs '{other}'{why}", place=place)


@functools.cache
def probe(distribution: Any) -> None:
    """Raise a Mistake unless the parts that are not compiled return what they should."""
    kind = type(distribution)
    place = f"{inspect.getfile(kind)}: {kind.__name__}"
    for name, problem in problems(distribution).items():
        try:
            says = problem()
        except Exception as error:
            says = f"fails: {describe_error(error, Path(inspect.getfile(kind)))}"
        if says:
            raise Mistake(f"'{name}' {says}", place=place)


def problems(d: Any) -> dict[str, Callable[[], Any]]:
    """Return functions, by part, that return what is wrong with it, or None or False."""
    rng = np.random.default_rng(1)
    return {
        "dim": lambda: count_problem(d.dim),
        "means": lambda: means_problem(part(d, "means")()),
        "data": lambda: None if isinstance(part(d, "data")(), tuple) else "must return a tuple",
        "gibbs_variables": lambda: has(d, "gibbs") and count_problem(d.gibbs_variables),
        "content": lambda: content_problem(part(d, "content")()),
        "draw": lambda: has(d, "draw") and point_problem(d.draw(rng), d.dim),
        "start": lambda: point_problem(part(d, "start")(rng), d.dim),
    }


def count_problem(value: Any) -> str | None:
    """Return what is wrong with a number of variables."""
    fits = isinstance(value, int | np.integer) and value >= 1
    return None if fits else "must be a whole number, 1 or more"


def means_problem(means: Any) -> str | None:
    """Return what is wrong with the quantities and their means."""
    fits = isinstance(means, dict) and len(means) > 0
    fits = fits and all(re.fullmatch(r"[A-Za-z_]\w*", str(name)) for name in means)
    known = [mean for mean in means.values() if mean is not None] if fits else []
    if fits and all(isinstance(mean, numbers.Real) and abs(float(mean)) < np.inf for mean in known):
        return None
    return "must return names with numbers, or None where a mean is not known"


def point_problem(x: Any, dim: int) -> str | None:
    """Return what is wrong with a point at which a chain starts."""
    if not isinstance(x, np.ndarray) or x.shape != (dim,) or x.dtype != np.float64:
        return f"must return a numpy array of {dim} floats"
    return None if np.all(np.isfinite(x)) else "must return finite numbers"


def content_problem(content: Any) -> str | None:
    """Return what is wrong with the part of a digest that a distribution returns."""
    if not isinstance(content, dict):
        return "must return keys and values"
    try:
        json.dumps(content)
    except (TypeError, ValueError):
        return "must return plain numbers and text"
    return None
