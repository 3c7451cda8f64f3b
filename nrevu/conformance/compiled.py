"""Checks that hold for methods and rules for u alike: identity, bits, speed."""

import inspect
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from nrevu.cells.cell import Cell
from nrevu.conformance import invariance
from nrevu.conformance.invariance import start
from nrevu.conformance.verdict import Verdict, fails, ok
from nrevu.core.binding import FAST, chains_at_once
from nrevu.core.contracts import class_of
from nrevu.core.sampler import Sampler
from nrevu.core.sources import source_files
from nrevu.core.target import njit
from nrevu.core.trials import move_arguments, stage_arguments
from nrevu.core.user_files import KINDS, kind_of_class

BUDGET = 0.05  # seconds
# Functions of the C library whose last bit depends on its version, by their names in LLVM.
LIBRARY = re.compile(
    r"(?:call|invoke)[^@\n]*@\"?(?:llvm\.)?"
    r"(exp|exp2|expm1|log|log2|log10|log1p|pow|sin|cos|tan|sinh|cosh|tanh|erf|erfc|lgamma)\b"
)


def digest(new_cell: Callable[[], Cell]) -> Verdict:
    """Check that a cell has a digest, and the same one again."""
    try:
        first, second = new_cell().digest, new_cell().digest
    except (TypeError, ValueError) as error:
        advice = "return plain numbers and words, by name, from `content`"
        return fails(f"cannot be computed: {error}", advice)
    if first != second:
        return fails("differs when computed again", "`content` must not change between calls")
    return ok("covers the settings, this file and the modules of its folder that it imports")


def sampler_bits(thing: Any, sampler: Sampler) -> Verdict:
    """Check the same as `bits` of a method or a rule."""
    return bits(thing, stage_texts(sampler))


def stage_texts(sampler: Sampler) -> list[str]:
    """Return the LLVM code of the functions of a method and of a rule for u."""
    examples, texts = stage_arguments(sampler) | move_arguments(sampler), []
    for name, function in (sampler.stages | sampler.moves).items():
        if function is not None:
            compiled = njit(**FAST)(function)
            h = np.ones(sampler.distribution.dim)  # which the examples leave open
            compiled(*(h if isinstance(a, tuple) and not a else a for a in examples[name]))
            texts += compiled.inspect_llvm().values()
    return texts


def bits(thing: Any, texts: list[str]) -> Verdict:
    """Check that the functions give the same bits on all machines, compiled or from the cache.

    A function with fast-math flags that is not inlined is compiled twice, and the two may round
    differently: the process that compiles uses one, those that load the kernel the other.
    """
    calls = [name for name, function in helpers(type(thing)).items() if is_call(function)]
    if calls:
        says = f"{', '.join(calls)}: fast-math flags on a function that is not inlined"
        advice = f"use @njit(**OPTIONS), both from nrevu.{room_of(thing)}, or add forceinline=True"
        return fails(says, advice, functions=calls)
    library = sorted({name for text in texts for name in LIBRARY.findall(text)})
    if library:
        says = f"the C library's {', '.join(library)} may differ in the last bit between machines"
        return ok(f"{says}; those of nrevu.{room_of(thing)} do not", library=library)
    return ok("the same on all machines with AVX2 and FMA, fresh or from the cache")


def room_of(thing: Any) -> str:
    """Return the module of nrevu that the file of a thing imports from."""
    return KINDS[kind_of_class(class_of(thing))].room


def helpers(kind: type) -> dict[str, Dispatcher]:
    """Return the compiled functions in a distribution's file and the modules it imports."""
    files = set(source_files(Path(inspect.getfile(kind))))
    modules = list(sys.modules.values())
    scopes = [vars(m) for m in modules if Path(getattr(m, "__file__", None) or "") in files]
    return {n: v for scope in scopes for n, v in scope.items() if isinstance(v, Dispatcher)}


def is_call(function: Dispatcher) -> bool:
    """Tell whether a function has fast-math flags and is not inlined into its caller."""
    options = function.targetoptions
    inlined = options.get("forceinline") or options.get("inline", "never") == "always"
    return bool(options.get("fastmath")) and not inlined


def speed(sampler: Sampler, seed: int) -> Verdict:
    """Return the nanoseconds of an update."""
    sampler, _ = invariance.with_stepsize(sampler, seed)
    chains, updates, spent = chains_at_once(sampler.distribution), 1000, 0.0
    first = start(sampler, chains, seed)
    while spent < BUDGET:
        updates *= 4
        began = time.process_time()
        invariance.run(sampler, first, updates)
        spent = time.process_time() - began
    ns = 1e9 * spent / (updates * chains)
    return ok(f"an update of {sampler.distribution} takes {ns:.0f} ns", update_ns=ns)
