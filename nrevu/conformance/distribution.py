"""Checks whether a distribution does what the kernels rely on, as far as runs can show.

In: a distribution, built in or from a user's file. Out: one verdict for each check, in the order in
which to read them.
"""

import functools
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nrevu.conformance import building, calls, chains, conditionals, paths, slopes
from nrevu.conformance.verdict import Verdict, run_check
from nrevu.methods.hamiltonian import HMC
from nrevu.methods.metropolis import Metropolis

# The checks by name: a function of the distribution without which one is skipped, and the check.
CHECKS: dict[str, tuple[str, Callable[..., Verdict]]] = {
    "digest": ("energy", building.digest),
    "bits": ("energy", building.bits),
    "record": ("energy", calls.record),
    "finite": ("energy", calls.finite),
    "repeatable": ("energy", calls.repeatable),
    "gradient": ("energy", slopes.gradient),
    "same U": ("gradient", slopes.same_energy),
    "line": ("gradient", paths.line),
    "leapfrog": ("gradient", paths.leapfrog),
    "draws": ("energy", chains.draws),
    "metropolis": ("energy", functools.partial(chains.compare_ends, kind=Metropolis)),
    "hamiltonian": ("gradient", functools.partial(chains.compare_ends, kind=HMC)),
    "gibbs": ("gibbs", conditionals.gibbs),
    "renew": ("energy", conditionals.renew),
    "speed": ("energy", building.speed),
}


def check(distribution: Any, seed: int = 1) -> Iterator[Verdict]:
    """Yield the verdicts on a distribution; raise a Mistake if it cannot be compiled."""
    file = Path(inspect.getfile(type(distribution)))
    first = run_check("indices", file, building.indices, distribution, seed)[0]
    yield first
    if first.outcome == "FAILS":  # from here on compiled code runs without bounds checks
        return
    verdict, *subjects = run_check("compiles", file, building.compiles, distribution, seed)
    yield verdict
    for subject in subjects:  # none if it does not compile
        for name, (needed, function) in CHECKS.items():
            missing = Verdict(name, "skipped", f"has no `{needed}`")
            applies = needed in subject.functions
            yield run_check(name, file, function, subject)[0] if applies else missing
