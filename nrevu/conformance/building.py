"""The first checks, indices within bounds, compilation, the digest of cells; and the last: speed.

In: a distribution. Out: verdicts, and the Subject of all other checks. No function is compiled for
speed before its indices are checked: code that writes outside an array corrupts memory.
"""

import inspect
import re
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from nrevu.cells.cell import STANDARD, Cell, Run, Schedule
from nrevu.conformance.chains import numbers, run
from nrevu.conformance.subject import Subject, prepare
from nrevu.conformance.verdict import Verdict, fails, ok, seconds
from nrevu.core import binding, updates
from nrevu.core.contracts import class_of
from nrevu.core.sources import source_files
from nrevu.methods import Metropolis

BUDGET = 0.05  # seconds for each time that an update is timed
ENERGIES = ("energy", "gradient", "renew")  # functions that return U
# Functions of the C library whose last bit depends on its version, by their names in LLVM.
LIBRARY = re.compile(
    r"(?:call|invoke)[^@\n]*@\"?(?:llvm\.)?"
    r"(exp|exp2|expm1|log|log2|log10|log1p|pow|sin|cos|tan|sinh|cosh|tanh|erf|erfc|lgamma)\b"
)


def indices(d: Any, seed: int) -> Verdict:
    """Call each function once, compiled so that an index outside an array is an error."""
    tries = binding.example_arguments(d, binding.first_point(d, seed))
    guarded = binding.compile_parts(class_of(d), boundscheck=True)
    lengths = f"x {d.dim}, g {d.dim}, w {tries['energy'][1].size}, row {tries['record'][-1].size}"
    for function in (each for each in tries if each in guarded):
        try:
            returned = guarded[function](*tries[function])
        except NumbaError as error:
            raise binding.compilation_mistake(d, error) from None
        except IndexError:
            says = f"`{function}` reads or writes outside an array"
            return fails(says, f"lengths are: {lengths}; `row` is as long as `means()`")
        except TypeError as error:
            signature = inspect.signature(getattr(updates, function))
            return fails(f"`{function}`: {error}", f"write: def {function}{signature}")
        if function in ENERGIES and not isinstance(returned, float):
            return fails(f"`{function}` returns {returned!r}", "return U, a float")
    return ok(f"none outside an array (lengths: {lengths}); functions they call: not checked")


def compiles(d: Any, seed: int) -> tuple[Verdict, Subject]:
    """Compile the functions and the kernels of a distribution, or raise a Mistake."""
    started = time.perf_counter()
    try:
        s = prepare(d, seed)
        kinds = ["metropolis", *(["hamiltonian"] if "gradient" in s.functions else [])]
        for update in kinds:
            run(s, update, s.x[:1], numbers(update, 0.1 * s.spread.min()), 1, "compiles")
    except NumbaError as error:
        raise binding.compilation_mistake(d, error) from None
    spent = time.perf_counter() - started
    says = f"{', '.join(s.functions)}; kernels: {', '.join(kinds)} ({spent:.1f} s)"
    return ok(says, functions=list(s.functions), kernels=kinds, seconds=spent), s


def digest(s: Subject) -> Verdict:
    """Check that a cell has a digest, and the same one again."""
    method = Metropolis(stepsize=1.0)
    twice = [Cell(s.distribution, method, STANDARD, Schedule(1), Run(1, 0, 1), 1) for _ in range(2)]
    try:
        first, second = (cell.digest for cell in twice)
    except (TypeError, ValueError) as error:
        advice = "return plain numbers and words, by name, from `content`"
        return fails(f"cannot be computed: {error}", advice)
    if first != second:
        return fails("differs when computed again", "`content` must not change between calls")
    return ok("covers the settings, this file and the modules of its folder that it imports")


def bits(s: Subject) -> Verdict:
    """Check that a kernel gives the same bits on all machines, and compiled or from the cache.

    A function with fast-math flags that is not inlined is compiled twice, and the two may round
    differently: the process that compiles uses one, those that load the kernel the other.
    """
    calls = [name for name, function in helpers(type(s.distribution)).items() if is_call(function)]
    if calls:
        says = f"{', '.join(calls)}: fast-math flags on a function that is not inlined"
        advice = "use @njit(**OPTIONS), both from nrevu.distributions, or add forceinline=True"
        return fails(says, advice, functions=calls)
    texts = [text for f in s.functions.values() for text in f.inspect_llvm().values()]
    library = sorted({name for text in texts for name in LIBRARY.findall(text)})
    if library:
        says = f"the C library's {', '.join(library)} may differ in the last bit between machines"
        return ok(f"{says}; those of nrevu.distributions do not", library=library)
    return ok("the same on all machines with AVX2 and FMA, fresh or from the cache")


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


def speed(s: Subject) -> Verdict:
    """Return the nanoseconds of an evaluation of U and of its gradient, and of an update."""
    found = {name: 1e9 * spent for name, spent in s.cost.items()}
    found["metropolis"] = update_time(s, "metropolis", (0.1 * s.stepsize,))
    if "gradient" in s.functions:
        found["langevin"] = update_time(s, "hamiltonian", (0.1 * s.stepsize, 0.0, 1, 0.0))
    texts = {name: f"`{name}`" if name in s.cost else f"an update by {name}" for name in found}
    listed = ", ".join(f"{texts[name]} {ns:.0f} ns" for name, ns in found.items())
    return ok(listed, **{f"{name}_ns": ns for name, ns in found.items()})


def update_time(s: Subject, kind: str, arguments: tuple) -> float:
    """Return the nanoseconds of one update of one chain."""
    chains, group = binding.chains_at_once(s.distribution), 10
    x = np.resize(s.x, (chains, s.distribution.dim))
    spent = 0.0
    while spent < BUDGET:
        group *= 4
        spent = seconds(partial(run, s, kind, x, arguments, group, "speed"))
    return 1e9 * spent / (group * chains)
