"""Checks whether a distribution does what the kernels rely on, as far as runs can tell.

In: a distribution, of the user's or built in. Out: verdicts, one for each check, in the order in
which they are best read: a failure often explains those that follow it.
"""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nrevu.conformance import building, calls, conditionals, draws, paths, slopes, speed
from nrevu.conformance.verdict import Verdict, fails
from nrevu.core.user_files import located
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
    first = attempted(building.indices, distribution, seed)
    yield first
    if first.outcome == "FAILS":  # from here on compiled code runs without looking at indices
        return
    found = attempted(building.compiles, distribution, seed)
    if isinstance(found, Verdict):
        yield found
        return
    subject, verdict = found
    yield verdict
    for each in CHECKS:
        yield attempted(each, subject)


def attempted(each: Callable, subject: Any, *more):
    """Return what a check finds; an error in one of the user's functions is a verdict, too."""
    try:
        return each(subject, *more)
    except Mistake:
        raise
    except Exception as error:
        own = type(getattr(subject, "distribution", subject))
        says = f"stopped by {located(error, Path(inspect.getfile(own)))}"
        advice = "no function may raise; outside the support, return math.inf"
        return fails(each.__name__.replace("_", " "), says, advice)
