"""Checks that compare the compiled driver with the same driver in Python, which checks indices.

In: a sampler. Out: whether both give the same chains, and make as many evaluations as they count.
"""

from collections.abc import Callable

import numpy as np

from nrevu.cells.chains import NO_TRACE, interleave
from nrevu.conformance.invariance import start
from nrevu.conformance.verdict import Verdict, fails, ok
from nrevu.core import binding
from nrevu.core.contracts import Method, has, part
from nrevu.core.driver import Chains, Output, Schedule
from nrevu.core.sampler import Sampler

UPDATES = 12  # compared; rounding grows from update to update
CLOSE = 1e-7


def advance(bound: binding.Bound, sampler: Sampler, seed: int) -> tuple[tuple, dict]:
    """Return the counts of a driver, and the last x, p and v of two chains, as flat arrays."""
    first, d = start(sampler, 2, seed), sampler.distribution
    lanes, wide = part(d, "lanes"), part(d, "gibbs_variables")
    x, p, w = (interleave(a, lanes) for a in (first["x"], first["p"], np.zeros((2, wide))))
    rows = np.empty((2, len(part(d, "recorded"))), np.float32)
    output = Output(np.arange(3), rows, np.zeros(2, np.uint8), NO_TRACE)
    schedule = Schedule(UPDATES, 3 * has(d, "gibbs"), 0)
    chains = Chains(x, p, first["v"], w, first["bits"])
    settings = (bound.settings, bound.rule_settings)
    data = part(d, "data")()
    with np.errstate(all="ignore"):  # Python warns where compiled code does not
        counts = bound.drive(tuple(chains), data, *settings, tuple(schedule), tuple(output))
    return counts, {"x": x, "p": p, "v": first["v"]}


def plain(sampler: Sampler, seed: int) -> Verdict:
    """Run the driver in Python, where a wrong index or argument is an error."""
    advance(binding.bind_plain(sampler), sampler, seed)
    says = f"runs in Python, {UPDATES} updates of 2 chains, no index outside an array"
    return ok(f"{says} (functions they call: not checked)")


def same(samplers: list[Sampler], seed: int) -> Verdict:
    """Compare the compiled driver with the one in Python."""
    for sampler in samplers:
        _, compiled = advance(binding.bind_kernel(sampler), sampler, seed)
        _, python = advance(binding.bind_plain(sampler), sampler, seed)
        for name, values in compiled.items():
            gap = np.max(np.abs(values - python[name]), initial=0.0)
            if not gap < CLOSE:
                where = f"after {UPDATES} updates of {sampler.distribution}"
                advice = "other random numbers than `normal` and those of `bits`? an index too "
                advice += "large? a variable that is not always set?"
                return fails(f"{name} differs by {gap:.2g} {where}", advice, gap=float(gap))
    return ok(f"as in Python, after {UPDATES} updates on {len(samplers)} distributions")


def counts(sampler: Sampler, seed: int) -> Verdict:
    """Check that the driver evaluates as often as it says: L times in each update."""
    bound, calls = binding.bind_plain(sampler), [0]
    bound = bound._replace(drive=counting(bound.drive, calls))
    found, _ = advance(bound, sampler, seed)
    L = part(sampler.method, "L", Method)
    made = calls[0] - 2  # of the two starts
    counted = found[1] if sampler.uses_gradient else found[0]
    kind = "gradient" if sampler.uses_gradient else "density"
    if made != counted or made != 2 * UPDATES * L:
        says = f"{made} {kind} evaluations in {2 * UPDATES} updates, {counted} counted"
        return fails(says, "is `L` what the method needs? `step` is called L - 1 times")
    return ok(f"{L} {kind} evaluation{'s' if L > 1 else ''} an update")


def counting(drive: Callable, calls: list[int]) -> Callable:
    """Return a driver in Python that counts its evaluations."""
    evaluate = drive.__globals__["evaluate"]  # type: ignore[attr-defined]

    def counted(x, w, data, g):
        calls[0] += 1
        return evaluate(x, w, data, g)

    return binding.bind(drive, "drive", {"evaluate": counted})
