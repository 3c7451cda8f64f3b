"""Measures the speed of a distribution: of an evaluation, and of an update by the kernels."""

from functools import partial

import numpy as np

from nrevu.conformance.chains import run
from nrevu.conformance.subject import Subject
from nrevu.conformance.timing import seconds
from nrevu.conformance.verdict import Verdict, ok
from nrevu.core.binding import chains_at_once

BUDGET = 0.05  # seconds for each time that something is timed


def speed(s: Subject) -> Verdict:
    """Return the nanoseconds of an evaluation of U and of its gradient, and of an update."""
    found = {name: 1e9 * spent for name, spent in s.cost.items()}
    found["metropolis"] = update(s, "metropolis", (0.1 * s.stepsize,))
    if "gradient" in s.functions:
        found["langevin"] = update(s, "hamiltonian", (0.1 * s.stepsize, 0.0, 1, 0.0))
    texts = {name: f"`{name}`" if name in s.cost else f"an update by {name}" for name in found}
    listed = ", ".join(f"{texts[name]} {ns:.0f} ns" for name, ns in found.items())
    return ok(listed, **{f"{name}_ns": ns for name, ns in found.items()})


def update(s: Subject, kind: str, arguments: tuple) -> float:
    """Return the nanoseconds of one update of one chain."""
    chains, group = chains_at_once(s.distribution), 10
    x = np.resize(s.x, (chains, s.distribution.dim))
    spent = 0.0
    while spent < BUDGET:
        group *= 4
        spent = seconds(partial(run, s, kind, x, arguments, group, "speed"))
    return 1e9 * spent / (group * chains)
