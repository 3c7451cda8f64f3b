"""Loads classes from users' Python files, and checks what they say of themselves.

A class is a distribution, a method or a rule for u. In: the path of a file and the name of a class
in it. Out: the class, or a Mistake that names the file, the class and what is wrong. The file, and
the modules in its folder that it imports, are the source that its cells' digests cover. Whether it
is right is another question: `conformance`.
"""

import contextlib
import dataclasses
import difflib
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
from typing import Any, NamedTuple

import numpy as np

from nrevu.core.contracts import COMPILED, MOVES, PAIRS, STAGES, Method, has, part
from nrevu.core.sampler import Sampler, derived
from nrevu.core.sources import place_of
from nrevu.errors import Mistake, check_known, unknown


class Kind(NamedTuple):
    """A kind of thing that a user's file may hold."""

    noun: str  # for messages
    room: str  # the folder of the package that has the built-in ones
    marks: tuple[str, ...]  # a class with one of these functions is of this kind
    compiled: tuple[str, ...]  # its compiled functions


KINDS = {  # by their key in a config
    "distribution": Kind("distribution", "distributions", ("gradient", "energy"), COMPILED),
    "method": Kind("method", "methods", ("propose",), STAGES),
    "u": Kind("rule for u", "u", ("move",), MOVES),
}


# Names that `derived` must not return: the driver's, and columns of tables.
TAKEN = ("L", "blocks", "separate_v", "varies", "uniforms", "seed", "schedule", "run", "digest")
FLAGS = ("uses_gradient", "varies", "blocks", "separate_v", "uniforms")
RESERVED = ("name", "file", "source")  # keys that say which class it is
DOORS = [f"nrevu.{kind.room}" for kind in KINDS.values()]


def is_user_file(thing: Any) -> bool:
    """Tell whether the class of a distribution, method or rule is from a user's file."""
    return not type(thing).__module__.startswith("nrevu.")


def load_class(kind: str, file: str, name: str | None) -> type:
    """Return a class of a kind in a file; the name may be None if there is only one."""
    key, path = f"{kind}.file", Path(file).absolute()
    if not path.is_file():
        raise Mistake(f"'{file}': no such file", key)
    classes = find_classes(path, key)
    found = {n: c for n, c in classes.items() if kind_of_class(c) == kind}
    if not found:
        functions = " or ".join(f"'{mark}'" for mark in KINDS[kind].marks)
        others = [
            f"{n} is a {KINDS[k].noun}" for n, c in classes.items() if (k := kind_of_class(c))
        ]
        hint = f" ({', '.join(others)})" if others else ""
        raise Mistake(f"'{file}' has no class with a function {functions}{hint}", key)
    if name is not None:
        check_known(f"class of '{file}'", name, found, key=f"{kind}.name")
    names = [n for n, c in found.items() if dataclasses.is_dataclass(c)] or list(found)
    if name is None and len(names) > 1:
        raise Mistake(f"name one of the classes in '{file}': {', '.join(names)}", key)
    check_class(found[name or names[0]], kind)
    return found[name or names[0]]


def kind_of_class(cls: type) -> str:
    """Return the kind of a class by its functions, or nothing."""
    is_kind = lambda kind: any(callable(getattr(cls, mark, None)) for mark in kind.marks)  # noqa: E731
    return next((key for key in ("method", "u", "distribution") if is_kind(KINDS[key])), "")


@functools.cache
def find_classes(path: Path, key: str = "file") -> dict[str, type]:
    """Return the classes of a file by name."""
    module = import_file(path, key)
    found = [c for c in vars(module).values() if inspect.isclass(c)]
    return {c.__name__: c for c in found if c.__module__ == module.__name__}


def import_file(path: Path, key: str):
    """Return the module of a file, which may import other modules of its folder."""
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise Mistake(f"'{path}' is not a Python file: its name must end with .py", key)
    importlib.import_module("nrevu.core.target")  # before numba is used by the file
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    before = set(sys.modules)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        message = f"cannot be imported: {describe_error(error, path)}"
        if isinstance(error, ImportError) and f"{error.name}.".startswith("nrevu."):
            message += f": import what your file needs from {', '.join(DOORS)}"
        raise Mistake(message, place=str(path)) from None
    finally:
        sys.path.remove(str(path.parent))
        rename_modules(set(sys.modules) - before, path.parent)
    return module


def rename_modules(names: set[str], folder: Path) -> None:
    """Rename modules of a user's folder, or files of another folder would import them too."""
    for name in names:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).is_relative_to(folder) and "site-packages" not in Path(file).parts:
            tag = hashlib.sha256(str(folder).encode()).hexdigest()[:8]
            sys.modules[f"{name}_{tag}"] = sys.modules.pop(name)


@contextlib.contextmanager
def user_errors(*things: Any):
    """Turn an exception of a user's distribution, method or rule into a Mistake with the line."""
    try:
        yield
    except (Mistake, MemoryError):
        raise
    except Exception as error:
        own = [Path(place_of(type(thing))) for thing in things if is_user_file(thing)]
        if not own:
            raise
        frames = {frame.filename for frame in traceback.extract_tb(error.__traceback__)}
        path = next((file for file in own if str(file) in frames), own[0])
        raise Mistake(f"failed: {describe_error(error, path)}", place=str(path)) from None


def describe_error(error: BaseException, path: Path) -> str:
    """Return the kind and text of an exception, and its line in a user's file."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
    where = f" (line {line})" if line else ""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text.splitlines()[0] if text else ''}{where}"


def check_class(cls: type, kind: str) -> None:
    """Raise a Mistake unless the class has the parts that the contract requires."""
    place = f"{place_of(cls)}: {cls.__name__}"
    if not dataclasses.is_dataclass(cls) or not cls.__dataclass_params__.frozen:  # type: ignore
        raise Mistake("put @dataclass(frozen=True) above the class", place=place)
    if kind == "distribution" and not has(cls, "dim"):
        raise Mistake("needs 'dim', the number of coordinates", place=place)
    if kind == "method" and not (has(cls, "stepsize") or has(cls, "derived")):
        raise Mistake("needs a setting 'stepsize', or 'derived' that returns eta", place=place)
    settings = [f.name for f in dataclasses.fields(cls)]
    for name in settings:
        if name in (*RESERVED, *KINDS[kind].compiled):
            raise Mistake(f"call the setting '{name}' otherwise: that name is taken", place=place)
    for name in KINDS[kind].compiled if kind != "distribution" else ():
        function = getattr(cls, name, None)
        if getattr(function, "__closure__", None) or "<locals>" in getattr(
            function, "__qualname__", ""
        ):
            text = "define it in the class or at the top of the file, not within a function"
            raise Mistake(f"'{name}': {text}", place=place)
    for name, value in vars(cls).items() if kind != "distribution" else ():
        if isinstance(value, staticmethod):
            known = KINDS[kind].compiled
            check_known("function", name, known, key=name, place=place)
        elif name not in (*settings, *FLAGS) and difflib.get_close_matches(name, FLAGS, 1, 0.8):
            raise unknown("class variable", name, FLAGS, key=name, place=place)
    if kind == "method" and has(cls, "step") and not has(cls, "L"):
        raise Mistake("'step' needs 'L', how many gradients an update needs", place=place)
    for name in KINDS[kind].compiled:
        if name in vars(cls) and not isinstance(vars(cls)[name], staticmethod):
            raise Mistake(f"put @staticmethod above '{name}', which is compiled", place=place)
    for name, other, why in PAIRS if kind == "distribution" else ():
        if has(cls, name) and not has(cls, other):
            raise Mistake(f"needs '{other}'{why}", place=place)


def probe(thing: Any, found: dict[str, Callable[[], Any]]) -> None:
    """Raise a Mistake if one of the functions, by part, returns what is wrong with the part."""
    kind = type(thing)
    place = f"{place_of(kind)}: {kind.__name__}"
    for name, problem in found.items():
        try:
            says = problem()
        except Exception as error:
            says = f"fails: {describe_error(error, Path(place_of(kind)))}"
        if says:
            raise Mistake(f"'{name}' {says}", place=place)


@functools.cache
def probe_distribution(distribution: Any) -> None:
    """Raise a Mistake unless the parts that are not compiled return what they should."""
    probe(distribution, problems(distribution))


def probe_sampler(sampler: Sampler) -> None:
    """Raise a Mistake unless the numbers of a user's method and rule for u are usable."""
    if is_user_file(sampler.method):
        numbers_of = {"derived": lambda: derived_problem(sampler)}
        numbers_of["settings"] = lambda: numbers_problem(sampler.settings)
        numbers_of["L"] = lambda: evaluations_problem(sampler)
        numbers_of["blocks"] = lambda: blocks_problem(sampler.method)
        probe(sampler.method, numbers_of)
    if is_user_file(sampler.u):
        probe(sampler.u, {"settings": lambda: numbers_problem(sampler.rule_settings)})


def derived_problem(sampler: Sampler) -> str | None:
    """Return what is wrong with the numbers that follow from a method's settings."""
    found = derived(sampler.method, sampler.distribution.dim)
    taken = [name for name in found if name in (*TAKEN, *KINDS) or not name.isidentifier()]
    if taken:
        return f"must not return '{taken[0]}': that name is taken"
    if not 0 < found["eta"] < np.inf:
        return f"must return eta, a finite number above 0, not {found['eta']}"
    return None


def numbers_problem(found: dict[str, Any]) -> str | None:
    """Return what is wrong with the numbers of a method or a rule."""
    wild = [name for name, value in found.items() if not abs(value) < np.inf]
    return f"and class variables must be finite: {wild[0]} is {found[wild[0]]}" if wild else None


def blocks_problem(method: Any) -> str | None:
    """Return what is wrong with the numbers of blocks and of v."""
    blocks, several = (part(method, name, Method) for name in ("blocks", "separate_v"))
    if count_problem(blocks):
        return count_problem(blocks)
    if count_problem(several) or blocks % several:
        return f"is {blocks}: 'separate_v' must divide it, and be 1 or more, not {several}"
    return None


def evaluations_problem(sampler: Sampler) -> str | None:
    """Return what is wrong with the number of gradient evaluations of an update."""
    L = part(sampler.method, "L", Method)
    if count_problem(L):
        return count_problem(L)
    if L > 1 and not (sampler.stages["step"] and sampler.uses_gradient):
        return "above 1 needs 'step', and uses_gradient = True"
    return None


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
