"""Loads a distribution from a Python file of the user's, and fills in what it leaves out.

In: the path of a file and the name of a class in it. Out: the class, with stand-ins for what is
optional: means, data, start, record, and an energy made from the gradient. The file, and the
modules beside it that it imports, are the source that its cells' digests cover.
"""

import contextlib
import dataclasses
import functools
import hashlib
import importlib.util
import inspect
import sys
import traceback
from pathlib import Path

import numpy as np

from nrevu.errors import Mistake, unknown
from nrevu.files import PACKAGE

BUILT_IN = PACKAGE / "distributions"
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
    if name is not None and name not in found:
        raise unknown(f"class of '{file}'", name, found, key="distribution.name")
    meant = [n for n, c in found.items() if dataclasses.is_dataclass(c)] or list(found)
    if name is None and len(meant) > 1:
        raise Mistake(f"name one of the classes in '{file}': {', '.join(meant)}", KEY)
    return complete(found[name or meant[0]])


@functools.cache
def classes(path: Path) -> dict[str, type]:
    """Return the classes of a file that have an energy or a gradient, by name."""
    module = imported(path)
    own = [c for c in vars(module).values() if getattr(c, "__module__", "") == module.__name__]
    known = [c for c in own if inspect.isclass(c)]
    return {c.__name__: c for c in known if hasattr(c, "energy") or hasattr(c, "gradient")}


def imported(path: Path):
    """Return the module of a file, whose neighbours it may import."""
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise Mistake(f"'{path}' is not a Python file: its name must end with .py", KEY)
    importlib.import_module("nrevu.core.target")  # before numba is used by the file
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


@contextlib.contextmanager
def failing(distribution):
    """Turn what a user's distribution raises while it runs into a Mistake with the line."""
    try:
        yield
    except (Mistake, MemoryError):
        raise
    except Exception as error:
        if not is_foreign(type(distribution)):
            raise
        path = Path(inspect.getfile(type(distribution)))
        raise Mistake(f"failed: {located(error, path)}", place=str(path)) from None


def located(error: BaseException, path: Path) -> str:
    """Return what went wrong in a user's file, with the line."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
    where = f" (line {line})" if line else ""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text.splitlines()[0] if text else ''}{where}"


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
    if hasattr(cls, "recorded") != hasattr(cls, "derive"):
        missing = "derive" if hasattr(cls, "recorded") else "recorded"
        raise Mistake(f"needs '{missing}': 'derive' makes quantities of 'recorded'", place=place)
    if hasattr(cls, "gibbs") and not hasattr(cls, "gibbs_variables"):
        raise Mistake("needs 'gibbs_variables', how many numbers 'gibbs' draws", place=place)
    if not hasattr(cls, "energy"):  # from the gradient: kernels bind that function of the class too
        cls.energy = staticmethod(energy_by_gradient)
    for name, standin in STANDINS.items():
        if not hasattr(cls, name):
            setattr(cls, name, standin)
    return cls


def energy_by_gradient(x, w, data):
    """Return U(x), for a class that has no such function of its own. Kernels bind `gradient`."""
    return gradient(x, w, data, np.empty(x.size))  # noqa: F821


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
