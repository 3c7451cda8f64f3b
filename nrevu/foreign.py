"""Loads a distribution from a Python file of the user's, and fills in what it leaves out.

In: the path of a file and the name of a class in it. Out: the class, with stand-ins for what is
optional: means, data, start, record, and an energy made from the gradient. The file, and the
modules beside it that it imports, are the source that its cells' digests cover.
"""

import ast
import dataclasses
import functools
import hashlib
import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np

from nrevu.mistake import Mistake, unknown

BUILT_IN = Path(__file__).parent / "distributions"
KEY = "distribution.file"


@functools.cache
def is_foreign(distribution: type) -> bool:
    """Tell whether a class is from a file of the user's."""
    return Path(inspect.getfile(distribution)).parent != BUILT_IN


def load(file: str, name: str | None) -> type:
    """Return the class of a distribution in a file; the name may be left out if there is one."""
    path = Path(file).absolute()
    if not path.is_file():
        raise Mistake(f"'{file}': no such file", KEY)
    found = classes(path)
    if not found:
        raise Mistake(f"'{file}' has no class with a function 'gradient' or 'energy'", KEY)
    if name is None and len(found) > 1:
        raise Mistake(f"name one of the classes in '{file}': {', '.join(found)}", KEY)
    if name is not None and name not in found:
        raise unknown(f"class of '{file}'", name, found, key="distribution.name")
    return found[name or next(iter(found))]


@functools.cache
def classes(path: Path) -> dict[str, type]:
    """Return the distributions' classes of a file by name, complete."""
    module = imported(path)
    own = [c for c in vars(module).values() if getattr(c, "__module__", "") == module.__name__]
    densities = [c for c in own if inspect.isclass(c) and {"energy", "gradient"} & vars(c).keys()]
    return {c.__name__: complete(c) for c in densities}


def imported(path: Path):
    """Return the module of a file, whose neighbours it may import."""
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise Mistake(f"'{path}' is not a Python file: its name must end with .py", KEY)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        message = f"cannot be imported: {located(error, path)}"
        raise Mistake(message, place=str(path)) from None
    finally:
        sys.path.remove(str(path.parent))
    return module


def located(error: BaseException, path: Path) -> str:
    """Return what went wrong in a user's file, with the line."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
    where = f" (line {line})" if line else ""
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}{where}"


def source_files(path: Path) -> list[Path]:
    """Return a file and the modules beside it that it imports, and those that they do."""
    found, waiting = [], [path]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.append(file)
        for node in ast.walk(ast.parse(file.read_bytes())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            beside = [path.parent / f"{name.partition('.')[0]}.py" for name in names if name]
            waiting += [other for other in beside if other.is_file()]
    return [path, *sorted(set(found) - {path})]


def complete(cls: type) -> type:
    """Return the class with stand-ins for what it leaves out, or raise a Mistake."""
    place = f"{inspect.getfile(cls)}: {cls.__name__}"
    if not dataclasses.is_dataclass(cls) or not cls.__dataclass_params__.frozen:
        raise Mistake("put @dataclass(frozen=True) above the class", place=place)
    if not hasattr(cls, "dim") and "dim" not in cls.__dataclass_fields__:
        raise Mistake("needs 'dim', the number of coordinates", place=place)
    for name in ("energy", "gradient", "record", "gibbs", "renew", "scales"):
        if name in vars(cls) and not isinstance(vars(cls)[name], staticmethod):
            raise Mistake(f"put @staticmethod above '{name}', which is compiled", place=place)
    if hasattr(cls, "means") != hasattr(cls, "record"):
        missing = "record" if hasattr(cls, "means") else "means"
        raise Mistake(f"needs '{missing}': 'means' names what 'record' writes", place=place)
    if hasattr(cls, "gibbs") and not hasattr(cls, "gibbs_variables"):
        raise Mistake("needs 'gibbs_variables', how many numbers 'gibbs' draws", place=place)
    if "energy" not in vars(cls):  # from the gradient: kernels bind that function of the class too
        cls.energy = staticmethod(energy_by_gradient)
    for name, standin in STANDINS.items():
        if not hasattr(cls, name):
            setattr(cls, name, standin)
    return cls


def energy_by_gradient(x, w, data):
    """Return U(x), for a class that has no such function of its own. Kernels bind `gradient`."""
    return gradient(x, w, data, np.empty(x.size))  # noqa: F821


@functools.cache
def probe(distribution) -> None:
    """Raise a Mistake unless what a distribution says of itself is usable."""
    kind = type(distribution)
    place = f"{inspect.getfile(kind)}: {kind.__name__}"
    for name, problem in problems(distribution).items():
        try:
            said = problem()
        except Exception as error:
            said = f"fails: {located(error, Path(inspect.getfile(kind)))}"
        if said:
            raise Mistake(f"'{name}' {said}", place=place)


def problems(d) -> dict[str, Callable[[], str | None]]:
    """Return, for each thing that a distribution says of itself, what tells what is wrong."""
    rng = np.random.default_rng(1)
    needs = {
        "dim": lambda: None if whole(d.dim, 1) else "must be a whole number, 1 or more",
        "means": lambda: None if is_means(d.means()) else
        "must return names with numbers, or None where a mean is not known",
        "data": lambda: None if isinstance(d.data(), tuple) else "must return a tuple",
    }  # fmt: skip
    if hasattr(d, "gibbs"):
        needs["gibbs_variables"] = lambda: (
            None if whole(d.gibbs_variables, 1) else "must be a whole number, 1 or more"
        )
    for name in ("draw", "start"):
        if hasattr(d, name):
            needs[name] = lambda name=name: wrong_start(getattr(d, name)(rng), d.dim)
    return needs


def whole(value, least: int) -> bool:
    """Tell whether a value is a whole number, and large enough."""
    return type(value) is int and value >= least


def is_means(means) -> bool:
    """Tell whether means are names with numbers or None."""
    return (
        isinstance(means, dict)
        and len(means) > 0
        and all(re.fullmatch(r"[A-Za-z_]\w*", str(name)) for name in means)
        and all(
            m is None or (isinstance(m, int | float) and abs(m) < np.inf) for m in means.values()
        )
    )


def wrong_start(x, dim: int) -> str | None:
    """Return what is wrong with a point at which a chain is to start."""
    if not isinstance(x, np.ndarray) or x.shape != (dim,) or x.dtype != np.float64:
        return f"must return a numpy array of {dim} floats"
    return None if np.all(np.isfinite(x)) else "must return finite numbers"


def no_data(self) -> tuple:
    """Return nothing: the stand-in for constants that compiled functions receive."""
    return ()


def unknown_means(self) -> dict[str, float | None]:
    """Return the quantities that are recorded where a distribution names none."""
    return {"coordinate": None, "log_prob": None}


def record_first(x, w, U, data, row):
    """Record the first coordinate and U."""
    row[0] = x[0]
    row[1] = U


def standard_start(self, rng: np.random.Generator) -> np.ndarray:
    """Return where a chain starts, its burn-in before it: standard normal."""
    return rng.standard_normal(self.dim)


STANDINS = {
    "data": no_data,
    "means": unknown_means,
    "record": staticmethod(record_first),
    "start": standard_start,
}
