"""Checks of what comes first: indices within bounds, compilation, the digest of cells.

In: a distribution. Out: verdicts, and the Subject of all other checks. Nothing of the distribution
is compiled for speed before its indices are known to be good: code that writes outside an array may
end in anything.
"""

import inspect
import re
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError

from nrevu.cells.cell import STANDARD, Cell, Run, Schedule
from nrevu.conformance.chains import numbers, run
from nrevu.conformance.subject import Subject, compiled, prepare
from nrevu.conformance.verdict import Verdict, fails, ok
from nrevu.core import updates
from nrevu.core.binding import reason, uncompilable
from nrevu.core.contracts import recorded
from nrevu.core.rng import WORDS
from nrevu.core.sources import source_files
from nrevu.errors import Mistake
from nrevu.methods import Metropolis

ENERGIES = ("energy", "gradient", "renew")  # what returns U
# Functions of the C library whose last bit depends on its version, as LLVM calls them.
LIBRARY = re.compile(
    r"(?:call|invoke)[^@\n]*@\"?(?:llvm\.)?"
    r"(exp|exp2|expm1|log|log2|log10|log1p|pow|sin|cos|tan|sinh|cosh|tanh|erf|erfc|lgamma)\b"
)


def arguments(d: Any, seed: int) -> dict[str, tuple]:
    """Return what each function is tried with: a draw or a start, and arrays to write to."""
    rng = np.random.default_rng(seed)
    x = d.draw(rng) if hasattr(d, "draw") else d.start(rng)
    w, g, data = np.zeros(getattr(d, "gibbs_variables", 0)), np.zeros(d.dim), d.data()
    return {
        "gibbs": (x, w, data, rng.integers(2**64, size=WORDS, dtype=np.uint64)),
        "gradient": (x, w, data, g),
        "energy": (x, w, data),
        "renew": (x, w, w, data, 0.0, g),
        "scales": (w, data, g),
        "record": (x, w, 0.0, data, np.zeros(len(recorded(d)), np.float32)),
    }  # in this order: what follows needs w


def indices(d: Any, seed: int) -> Verdict:
    """Call each function once, compiled so that an index outside an array is an error."""
    name, guarded = "indices", compiled(type(d), boundscheck=True)
    size = getattr(d, "gibbs_variables", 0)
    told = f"x {d.dim}, g {d.dim}, w {size}, row {len(recorded(d))}"
    tries = arguments(d, seed)
    for function in (each for each in tries if each in guarded):
        try:
            returned = guarded[function](*tries[function])
        except NumbaError as error:
            kind = type(d)
            key = f"{kind.__name__}.{function} cannot be compiled"
            raise Mistake(reason(error), key, inspect.getfile(kind)) from None
        except IndexError:
            says = f"`{function}` reads or writes outside an array"
            return fails(name, says, f"lengths are: {told}; `row` is as long as `means()`")
        except TypeError as error:
            signature = inspect.signature(getattr(updates, function))
            return fails(name, f"`{function}`: {error}", f"write: def {function}{signature}")
        if function in ENERGIES and not isinstance(returned, float):
            return fails(name, f"`{function}` returns {returned!r}", "return U, a float")
    return ok(name, f"none outside an array (lengths: {told}); functions that these call not seen")


def compiles(d: Any, seed: int) -> tuple[Subject, Verdict]:
    """Compile the functions and the kernels of a distribution, or raise a Mistake."""
    started = time.perf_counter()
    try:
        s = prepare(d, seed)
        kinds = ["metropolis", *(["hamiltonian"] if "gradient" in s.functions else [])]
        for update in kinds:
            run(s, update, s.x[:1], numbers(update, 0.1 * s.spread.min()), 1, "compiles")
    except NumbaError as error:
        raise uncompilable(d, error) from None
    spent = time.perf_counter() - started
    says = f"{', '.join(s.functions)}; kernels: {', '.join(kinds)} ({spent:.1f} s)"
    return s, ok("compiles", says, functions=list(s.functions), kernels=kinds, seconds=spent)


def digest(s: Subject) -> Verdict:
    """See that what determines a cell's numbers can be made into a digest, twice the same."""
    name, method = "digest", Metropolis(stepsize=1.0)
    twice = [Cell(s.distribution, method, STANDARD, Schedule(1), Run(1, 0, 1), 1) for _ in range(2)]
    try:
        first, second = (cell.digest for cell in twice)
    except (TypeError, ValueError) as error:
        advice = "return plain numbers and words, by name, from `content`"
        return fails(name, f"cannot be made: {error}", advice)
    if first != second:
        return fails(name, "differs when made again", "see that `content` returns the same again")
    return ok(name, "covers the settings, this file and the modules beside it that it imports")


def bits(s: Subject) -> Verdict:
    """See that a kernel gives the same bits whenever it is compiled, and where.

    A function with fast-math flags that stays a call is compiled twice, and the two may round
    differently: one is used by the process that compiles, the other by those that load the kernel.
    """
    calls = [name for name, function in helpers(type(s.distribution)).items() if is_call(function)]
    if calls:
        says = f"{', '.join(calls)}: fast-math flags on a function that stays a call"
        advice = "use @njit(**OPTIONS), of nrevu.kernel, or add forceinline=True"
        return fails("bits", says, advice, functions=calls)
    texts = [text for f in s.functions.values() for text in f.inspect_llvm().values()]
    library = sorted({name for text in texts for name in LIBRARY.findall(text)})
    if library:
        says = f"the C library's {', '.join(library)} may differ in the last bit between machines"
        return ok("bits", f"{says}; nrevu.elementary has some that do not", library=library)
    return ok("bits", "the same on all machines with AVX2 and FMA, fresh or from the cache")


def helpers(kind: type) -> dict[str, Dispatcher]:
    """Return the compiled functions in a distribution's file and the modules beside it."""
    files = set(source_files(Path(inspect.getfile(kind))))
    modules = [m for m in list(sys.modules.values()) if getattr(m, "__file__", None)]
    own = [vars(module) for module in modules if Path(module.__file__) in files]
    return {n: v for names in own for n, v in names.items() if isinstance(v, Dispatcher)}


def is_call(function: Dispatcher) -> bool:
    """Tell whether a function has fast-math flags and is not inlined into its caller."""
    options = function.targetoptions
    inlined = options.get("forceinline") or options.get("inline", "never") == "always"
    return bool(options.get("fastmath")) and not inlined
