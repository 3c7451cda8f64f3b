"""Checks what a user's distribution says about itself, before anything runs.

In: a distribution. Out: nothing, or a Mistake that names the file, the class and what is wrong.
Whether the density is right is another question: see `conformance`.
"""

import functools
import inspect
import json
import numbers
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from nrevu.core.contracts import has, part
from nrevu.core.user_files import describe_error
from nrevu.errors import Mistake


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


def problems(d: Any) -> dict[str, Callable[[], str | None]]:
    """Return functions, by part, that return what is wrong with it or None."""
    rng = np.random.default_rng(1)
    found = {
        "dim": lambda: count_problem(d.dim),
        "means": lambda: means_problem(part(d, "means")()),
        "data": lambda: None if isinstance(part(d, "data")(), tuple) else "must return a tuple",
        "gibbs_variables": lambda: count_problem(d.gibbs_variables),
        "content": lambda: content_problem(part(d, "content")()),
        "draw": lambda: point_problem(d.draw(rng), d.dim),
        "start": lambda: point_problem(part(d, "start")(rng), d.dim),
    }
    needed = {"gibbs_variables": has(d, "gibbs"), "draw": has(d, "draw")}
    return {name: problem for name, problem in found.items() if needed.get(name, True)}


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
