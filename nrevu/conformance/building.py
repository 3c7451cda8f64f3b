"""The first checks, indices within bounds, compilation, the digest of cells; and the last: speed.

In: a distribution. Out: verdicts, and the Subject of all other checks. No function is compiled for
speed before its indices are checked: code that writes outside an array corrupts memory.
"""

import inspect
import time
from functools import partial
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from nrevu.cells.cell import Cell, Run, Schedule
from nrevu.conformance import compiled
from nrevu.conformance.chains import method_of, run
from nrevu.conformance.subject import Subject, prepare
from nrevu.conformance.verdict import Verdict, fails, ok, seconds
from nrevu.core import binding, driver, trials
from nrevu.core.contracts import class_of
from nrevu.methods.hamiltonian import HMC, Langevin
from nrevu.methods.metropolis import Metropolis
from nrevu.u.standard import Standard

BUDGET = 0.05  # seconds for each time that an update is timed
ENERGIES = ("energy", "gradient", "renew")  # functions that return U


def indices(d: Any, seed: int) -> Verdict:
    """Call each function once, compiled so that an index outside an array is an error."""
    tries = trials.example_arguments(d, trials.first_point(d, seed))
    guarded = binding.compile_parts(class_of(d), boundscheck=True)
    lengths = f"x {d.dim}, g {d.dim}, w {tries['energy'][1].size}, row {tries['record'][-1].size}"
    for function in (each for each in tries if each in guarded):
        try:
            returned = guarded[function](*tries[function])
        except NumbaError as error:
            raise trials.compilation_mistake(d, tries, error) from None
        except IndexError:
            says = f"`{function}` reads or writes outside an array"
            return fails(says, f"lengths are: {lengths}; `row` is as long as `means()`")
        except TypeError as error:
            signature = inspect.signature(getattr(driver, function))
            return fails(f"`{function}`: {error}", f"write: def {function}{signature}")
        if function in ENERGIES and not isinstance(returned, float):
            return fails(f"`{function}` returns {returned!r}", "return U, a float")
    return ok(f"none outside an array (lengths: {lengths}); functions they call: not checked")


def compiles(d: Any, seed: int) -> tuple[Verdict, Subject]:
    """Compile the functions and the kernels of a distribution, or raise a Mistake."""
    started = time.perf_counter()
    try:
        s = prepare(d, seed)
        kinds = [Metropolis, *([HMC] if "gradient" in s.functions else [])]
        for kind in kinds:
            run(s, method_of(kind, 0.1 * s.spread.min()), s.x[:1], 1, "compiles")
    except NumbaError as error:
        examples = trials.example_arguments(d, trials.first_point(d, seed))
        raise trials.compilation_mistake(d, examples, error) from None
    spent = time.perf_counter() - started
    names = [kind.__name__ for kind in kinds]
    says = f"{', '.join(s.functions)}; kernels: {', '.join(names)} ({spent:.1f} s)"
    return ok(says, functions=list(s.functions), kernels=names, seconds=spent), s


def digest(s: Subject) -> Verdict:
    """Check that a cell has a digest, and the same one again."""
    parts = (s.distribution, Metropolis(stepsize=1.0), Standard(), Schedule(1), Run(1, 0, 1), 1)
    return compiled.digest(lambda: Cell(*parts))


def bits(s: Subject) -> Verdict:
    """Check that a kernel gives the same bits on all machines, and compiled or from the cache."""
    texts = [text for f in s.functions.values() for text in f.inspect_llvm().values()]
    return compiled.bits(s.distribution, texts)


def speed(s: Subject) -> Verdict:
    """Return the nanoseconds of an evaluation of U and of its gradient, and of an update."""
    found = {name: 1e9 * spent for name, spent in s.cost.items()}
    found["metropolis"] = update_time(s, Metropolis(0.1 * s.stepsize))
    if "gradient" in s.functions:
        found["langevin"] = update_time(s, Langevin(0.1 * s.stepsize))
    texts = {name: f"`{name}`" if name in s.cost else f"an update by {name}" for name in found}
    listed = ", ".join(f"{texts[name]} {ns:.0f} ns" for name, ns in found.items())
    return ok(listed, **{f"{name}_ns": ns for name, ns in found.items()})


def update_time(s: Subject, method: Any) -> float:
    """Return the nanoseconds of one update of one chain."""
    chains, group = binding.chains_at_once(s.distribution), 10
    x = np.resize(s.x, (chains, s.distribution.dim))
    spent = 0.0
    while spent < BUDGET:
        group *= 4
        spent = seconds(partial(run, s, method, x, group, "speed"))
    return 1e9 * spent / (group * chains)
