"""Tries compiled functions one at a time: how long they take, which one cannot be compiled.

In: a distribution, a method, a rule for u. Out: seconds, or the Mistake that names the function.
"""

import functools
import re
import time
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import errors

from nrevu.core.binding import FAST, compile_parts
from nrevu.core.contracts import class_of, has, part
from nrevu.core.driver import State
from nrevu.core.lanes import repeat
from nrevu.core.rng import WORDS
from nrevu.core.sampler import Sampler
from nrevu.core.sources import place_of
from nrevu.core.target import njit
from nrevu.errors import Mistake
from nrevu.files import PACKAGE

# What numba raises: for np.no_such_name an AttributeError, for missing arguments a TypeError.
HINTS = {  # what to do about some of numba's messages
    "Repeated": "; h works only as h[i]",
    "of <class 'function'>": "; put @njit(**OPTIONS) above that function",
    "scipy": ": pip install scipy",
}
RETURN = ("vary", "propose", "finish", "move", "rescale")  # functions that return a number
UNCOMPILABLE = (errors.NumbaError, AttributeError, TypeError, ImportError)


@functools.cache
def evaluation_loop(distribution: type, name: str) -> Callable:
    """Return a compiled function that evaluates `energy` or `gradient` n times."""
    function = compile_parts(distribution)[name]

    def loop(n, x, *others):
        for _ in range(n):
            x[0] += 1e-9 * function(x, *others)  # or the compiler would drop the loop

    return njit(**FAST)(loop)


def evaluation_seconds(distribution: Any, name: str) -> float:
    """Return the CPU seconds of one `energy` or `gradient` in compiled code."""
    loop, times, spent = evaluation_loop(class_of(distribution), name), 1, 0.0
    examples = example_arguments(distribution, first_point(distribution, 1))
    arguments = examples[name]
    arguments[1][:] = 1.0  # w
    try:
        loop(times, *arguments)
    except UNCOMPILABLE as error:
        raise compilation_mistake(distribution, examples, error) from None
    while spent < 0.01:
        times *= 4
        started = time.process_time()
        loop(times, *arguments)
        spent = time.process_time() - started
    return spent / times


def first_point(distribution: Any, seed: int) -> np.ndarray:
    """Return an exact draw, or a start where there are none."""
    begin = part(distribution, "draw") or part(distribution, "start")
    return begin(np.random.default_rng(seed))


def example_arguments(distribution: Any, x: np.ndarray) -> dict[str, tuple]:
    """Return arguments to try each compiled function with, `gibbs` first: it fills w."""
    w, g = np.zeros(part(distribution, "gibbs_variables")), np.zeros(distribution.dim)
    data, row = part(distribution, "data")(), np.zeros(len(part(distribution, "recorded")), "f4")
    return {
        "gibbs": (x, w, data, random_bits()),
        "gradient": (x, w, data, g),
        "energy": (x, w, data),
        "renew": (x, w, w, data, 0.0, g),
        "scales": (w, data, g),
        "record": (x, w, 0.0, data, row),
    }


def random_bits(seed: int = 1) -> np.ndarray:
    """Return the state of a generator."""
    return np.random.default_rng(seed).integers(2**64, size=WORDS, dtype="u8")


def stage_arguments(sampler: Sampler) -> dict[str, tuple]:
    """Return arguments to try each stage of a method with."""
    settings, dim = sampler.settings, sampler.distribution.dim
    m, normal = namedtuple("Numbers", settings)(**settings), np.ones(dim)
    h = ()  # stands for one number that looks like an array, as kernels have it
    now, new = (State(np.ones(dim), np.ones(dim), np.ones(dim), 0) for _ in range(2))
    return {
        "vary": (m, random_bits()),
        "propose": (m, h, normal, now, new),
        "step": (m, h, new),
        "finish": (m, h, now, new),
        "settle": (m, True, now, new),
    }


def move_arguments(sampler: Sampler) -> dict[str, tuple]:
    """Return arguments to try each function of a rule for u with."""
    settings = sampler.rule_settings
    r = namedtuple("RuleNumbers", settings)(**settings)
    return {"move": (r, 0.5, 0.5, random_bits()), "rescale": (r, 0.5, 0.5)}


def sampler_mistake(sampler: Sampler, error: Exception) -> Mistake:
    """Return the mistake that names the function of a sampler that cannot be compiled."""
    found = find_uncompilable(sampler)
    return found or Mistake(numba_reason(error), "the kernel cannot be compiled")


def find_uncompilable(sampler: Sampler) -> Mistake | None:
    """Return the mistake that names the function that cannot be compiled, if there is one."""
    distribution, method, u = sampler
    tries = [(distribution, example_arguments(distribution, np.zeros(distribution.dim)))]
    tries += [(method, stage_arguments(sampler)), (u, move_arguments(sampler))]
    found = (compilation_mistake(thing, examples, None) for thing, examples in tries)
    return next((mistake for mistake in found if mistake), None)


def compilation_mistake(thing: Any, examples: dict[str, tuple], error: Exception | None) -> Any:
    """Return the mistake that names the function of a class that cannot be compiled.

    The functions are compiled one at a time to find it. If all can be, and there is an `error`, it
    is of none of them in particular.
    """
    kind, file = type(thing), place_of(type(thing))
    for name, arguments in examples.items():
        if has(kind, name):
            try:
                found_value = compile_for(getattr(kind, name), arguments)(*arguments)
                if name in RETURN and not isinstance(found_value, (int, float)):
                    key = f"{kind.__name__}.{name}"
                    return Mistake(f"returns {found_value!r}: it must return a number", key, file)
            except UNCOMPILABLE as found:
                shown = getattr(kind, "written_as", {}).get(name, f"{kind.__name__}.{name}")
                return Mistake(numba_reason(found), f"{shown} cannot be compiled", file)
    return (
        Mistake(numba_reason(error), f"{kind.__name__} cannot be compiled", file) if error else None
    )


def compile_for(function: Callable, arguments: tuple) -> Callable:
    """Return a function compiled for arguments, of which () means stepsizes that are all 1."""
    compiled, ones = njit(**FAST)(function), np.ones(1)

    def with_stepsizes(m, h, *others):
        return compiled(m, repeat(ones, 0, 1), *others)

    return njit(**FAST)(with_stepsizes) if isinstance(arguments[1], tuple) else compiled


def numba_reason(error: Exception) -> str:
    """Return the informative lines of one of numba's messages."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()
    skipped = ("Failed in", "During", "No implementation of function Function(<built-in")
    lines = [line.strip() for line in lines if line.strip() and not line.startswith(skipped)]
    places = [i for i, line in enumerate(lines) if line.startswith("File ")]
    inside = [i for i in places if f"{PACKAGE.name}/" in lines[i]]  # ours, with the line below it
    own = [lines[i] for i in places if i not in inside]
    lines = [line for i, line in enumerate(lines) if not {i, i - 1} & set(inside)]
    notes = ("File ", "There are", "- Of which", "<source missing")
    says = [line for line in lines if not line.startswith(notes)]
    text = " ".join([*says[:2], f"({own[-1].rstrip(':')})" if own else ""]).strip()
    return text + next((hint for part, hint in HINTS.items() if part in text), "")
