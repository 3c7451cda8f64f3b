"""Copies of classes that a notebook defines, in which compiled functions keep what they refer to.

numba fixes the values of globals and closures when it compiles a function, and a cell's digest
covers them. A copy with the values of that moment has both for good: an array that changes
afterwards makes another cell, not another meaning of the same one.
"""

import types
from typing import Any

import numpy as np

from nrevu.core.binding import OPTIONS
from nrevu.core.sources import installed, nested, source_hash
from nrevu.core.target import njit

SKIPPED = ("cache", "nopython")  # options of numba's that a copy does not take over
KEPT: dict[tuple[type, str], type] = {}  # copies made so far


def frozen_class(cls: type) -> type:
    """Return a copy of a class whose static functions refer to copies of what they refer to now."""
    key = cls, source_hash(cls)
    if key not in KEPT:
        copies: dict[int, Any] = {}
        own = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}
        own["__qualname__"] = cls.__qualname__
        for name, value in own.items():
            if isinstance(value, staticmethod):
                own[name] = staticmethod(frozen(value.__func__, copies))
        KEPT[key] = type(cls.__name__, cls.__bases__, own)
    return KEPT[key]


def frozen(function: Any, copies: dict[int, Any]) -> Any:
    """Return a copy of a function of Python with the values that it refers to now."""
    names = {name for code in nested(function.__code__) for name in code.co_names}
    scope = {name: function.__globals__[name] for name in names & function.__globals__.keys()}
    scope = {name: keep(value, copies) for name, value in scope.items()}
    scope |= {"__builtins__": function.__globals__.get("__builtins__")}
    cells = [types.CellType(keep(c.cell_contents, copies)) for c in function.__closure__ or ()]
    arguments = (function.__name__, function.__defaults__, tuple(cells))
    copy = types.FunctionType(function.__code__, scope, *arguments)
    copy.__module__ = function.__module__
    return copy


def keep(value: Any, copies: dict[int, Any]) -> Any:
    """Return a copy of an array; of a function too, compiled; anything else as it is."""
    plain = getattr(value, "py_func", value)
    if isinstance(value, np.ndarray):
        return value.copy()
    if not isinstance(plain, types.FunctionType) or installed(plain):
        return value
    if id(plain) not in copies:
        own = getattr(value, "targetoptions", None)
        options = {k: v for k, v in own.items() if k not in SKIPPED} if own else OPTIONS
        copies[id(plain)] = value  # for a function that calls itself
        copies[id(plain)] = njit(**options)(frozen(plain, copies))
    return copies[id(plain)]
