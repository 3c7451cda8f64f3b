"""Checks whether a distribution does what the kernels rely on, as far as runs can show.

In: a distribution, built in or from a user's file. Out: one verdict for each check, in the order in
which to read them: a failure often explains the ones after it.
"""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nrevu.conformance import building, calls, conditionals, draws, paths, slopes, speed
from nrevu.conformance.subject import Subject
from nrevu.conformance.verdict import Verdict, fails
from nrevu.core.user_files import describe_error
from nrevu.errors import Mistake

CHECKS = (
    building.digest,
    building.bits,
    calls.record,
    calls.finite,
    calls.repeatable,
    slopes.gradient,
    slopes.same_energy,
    paths.line,
    paths.leapfrog,
    draws.draws,
    draws.metropolis,
    draws.hamiltonian,
    conditionals.gibbs,
    conditionals.renew,
    speed.speed,
)


def check(distribution: Any, seed: int = 1) -> Iterator[Verdict]:
    """Yield the verdicts on a distribution; raise a Mistake if it cannot be compiled."""
    first = run_check(building.indices, distribution, seed)
    yield first
    if first.outcome == "FAILS":  # from here on compiled code runs without bounds checks
        return
    found = run_check(building.compiles, distribution, seed)
    if isinstance(found, Verdict):
        yield found
        return
    subject, verdict = found
    yield verdict
    for each in CHECKS:
        yield run_check(each, subject)


def run_check(each: Callable, subject: Any, *more):
    """Return what a check returns; an exception in a user's function is a failing verdict."""
    try:
        return each(subject, *more)
    except Mistake:
        raise
    except Exception as error:
        kind = type(subject.distribution if isinstance(subject, Subject) else subject)
        says = f"stopped by {describe_error(error, Path(inspect.getfile(kind)))}"
        advice = "no function may raise; outside the support, return math.inf"
        return fails(each.__name__.replace("_", " "), says, advice)
