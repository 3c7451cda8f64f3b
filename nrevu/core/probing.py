"""Whether what a user's distribution says of itself can be used: told before anything runs.

In: a distribution. Out: nothing, or a Mistake that names the file, the class and what is wrong.
Whether it is right is another matter: see `conformance`.
"""

import functools
import inspect
import json
import numbers
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from nrevu.core.user_files import located
from nrevu.errors import Mistake


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
    if hasattr(d, "content"):
        needs["content"] = lambda: wrong_content(d.content())
    for name in ("draw", "start"):
        if hasattr(d, name):
            needs[name] = lambda name=name: wrong_start(getattr(d, name)(rng), d.dim)
    return needs


def whole(value, least: int) -> bool:
    """Tell whether a value is a whole number, and large enough."""
    return isinstance(value, int | np.integer) and value >= least


def is_means(means) -> bool:
    """Tell whether means are names with numbers or None."""
    return (
        isinstance(means, dict)
        and len(means) > 0
        and all(re.fullmatch(r"[A-Za-z_]\w*", str(name)) for name in means)
        and all(
            m is None or (isinstance(m, numbers.Real) and abs(m) < np.inf) for m in means.values()
        )
    )


def wrong_start(x, dim: int) -> str | None:
    """Return what is wrong with a point at which a chain is to start."""
    if not isinstance(x, np.ndarray) or x.shape != (dim,) or x.dtype != np.float64:
        return f"must return a numpy array of {dim} floats"
    return None if np.all(np.isfinite(x)) else "must return finite numbers"


def wrong_content(content) -> str | None:
    """Return what is wrong with what a distribution adds to its digest."""
    if not isinstance(content, dict):
        return "must return keys and values"
    try:
        json.dumps(content)
    except (TypeError, ValueError):
        return "must return plain numbers and text"
    return None
