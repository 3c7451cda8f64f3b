"""Checks whether a method leaves (x, p, v) invariant, and why not.

In: a method, built in or from a user's file. Out: one verdict for each check. Single updates, in
Python, come first: they name causes. The chains that follow decide.
"""

import inspect
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nrevu.cells.cell import Cell, Run
from nrevu.cells.cell import Schedule as Groups
from nrevu.conformance import compiled, drivers, invariance, stages
from nrevu.conformance.proposals import Probe
from nrevu.conformance.targets import TARGETS
from nrevu.conformance.verdict import Verdict, ok, run_check
from nrevu.core.sampler import Sampler
from nrevu.core.trials import UNCOMPILABLE, sampler_mistake
from nrevu.core.user_files import probe_sampler
from nrevu.u.nonreversible import Nonreversible
from nrevu.u.standard import Standard

RULES = (Standard(), Nonreversible(0.3), Nonreversible(0.05))
STAGES: dict[str, Callable[[stages.Updates], Verdict]] = {
    "leaves x": stages.leaves,
    "moves": stages.moves,
    "refreshment": stages.refreshment,
    "way back": stages.way_back,
    "energy": stages.energy,
    "density": stages.density,
}
CAUSE = (
    "the checks above name the cause, if they found it; else look at what the energy has besides U"
)


def check(method: Any, seed: int = 1) -> Iterator[Verdict]:
    """Yield the verdicts on a method; raise a Mistake if it cannot be compiled."""
    file = Path(inspect.getfile(type(method)))
    on = {name: Sampler(d, method, Standard()) for name, d in TARGETS.items()}
    some = on["skewed"]
    probe_sampler(some)
    first = run_check("indices", file, in_python, some, seed)[0]
    yield first
    if first.outcome == "FAILS":  # compiled code would write outside an array
        return
    blocks = range(int(some.settings.get("blocks", 1)))
    updates = [stages.Updates(Probe(some, turn).gentle(), seed) for turn in blocks]
    for name, function in STAGES.items():
        yield run_check(name, file, first_failing, function, updates)[0]
    yield run_check("evaluations", file, drivers.counts, some, seed)[0]
    yield run_check("compiles", file, compile_all, list(on.values()))[0]
    yield run_check("same chains", file, drivers.same, list(on.values()), seed)[0]
    yield run_check("digest", file, compiled.digest, lambda: cell_of(some))[0]
    yield run_check("bits", file, compiled.sampler_bits, method, some)[0]
    for name, sampler in on.items():
        samplers = [sampler._replace(u=rule) for rule in RULES]
        yield run_check(name, file, invariance.check, samplers, seed, CAUSE, not updates[0].fresh)[
            0
        ]
    yield run_check("speed", file, compiled.speed, on.get("pairs", some), seed)[0]


def in_python(sampler: Sampler, seed: int) -> Verdict:
    """Run one update by its stages, which must return numbers, then the driver in Python."""
    updates = stages.Updates(Probe(sampler), seed)
    updates.probe.propose(*updates.states[0])
    return drivers.plain(sampler, seed)


def first_failing(function: Callable, updates: list[stages.Updates]) -> Verdict:
    """Return the verdict on the first block of coordinates that fails, or on the first."""
    verdicts = [function(each) for each in updates]
    return next((verdict for verdict in verdicts if verdict.outcome == "FAILS"), verdicts[0])


def compile_all(samplers: list[Sampler]) -> Verdict:
    """Compile the driver for all distributions, or raise a Mistake that names the function."""
    started = time.perf_counter()
    for sampler in samplers:
        try:
            drivers.advance(drivers.binding.bind_kernel(sampler), sampler, 1)
        except UNCOMPILABLE as error:
            raise sampler_mistake(sampler, error) from None
    spent = time.perf_counter() - started
    names = ", ".join(type(sampler.distribution).__name__ for sampler in samplers)
    return ok(f"for {names} ({spent:.1f} s)", seconds=spent)


def cell_of(sampler: Sampler) -> Cell:
    """Return a cell of a sampler."""
    return Cell(*sampler, Groups(1), Run(1, 0, 1), 1)
