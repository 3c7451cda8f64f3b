"""Checks of the gradient along paths: its integral along lines, and leapfrog trajectories.

They cover every coordinate, and the space between the points. A gradient that fits the energy has
line integrals equal to differences of U, and leapfrog errors in H that fall 4 times when the step
is halved (about 2 times where U has kinks); one that does not fit keeps an error at any step.
"""

import itertools

import numpy as np

from nrevu.conformance.slopes import EPS, NOISES, noise
from nrevu.conformance.subject import Subject
from nrevu.conformance.verdict import OVERHEAD, Verdict, affordable, fails, ok, skipped

PARTS = 1024  # of a line, at most
STEPS = 8  # of a trajectory at its coarsest
HALVINGS = 8  # how often the step is then halved, at most
BUDGET = 2.0  # seconds of gradients, for each check
CAUSE = "where `gradient` passes, look for jumps of the energy, or parts of space not tried there"


def line(s: Subject) -> Verdict:
    """Compare the integral of the gradient along lines between points with the change of U."""
    worst, count = (-1.0, 0.0, 0.0, 0.0), 0
    for (a, w), (b, _) in itertools.pairwise(s.inside(1)):
        change = s.energy(b, w) - s.energy(a, w)
        work, error = integral(s, a, b, w)
        allowed = error + NOISES * float(noise(s, a, w)[0] + noise(s, b, w)[0])
        if abs(change) < np.inf and allowed < 1e-2 * (1 + abs(change)):
            count += 1
            worst = max(worst, (abs(work - change) / allowed, work, change, allowed))
    excess, work, change, allowed = worst
    numbers = {"lines": count, "integral": work, "change": change, "allowed": allowed}
    if count == 0:
        return skipped("no line between points on which U and its gradient are smooth enough")
    says = f"integral of the gradient {work:.10g}, change of U {change:.10g} (+- {allowed:.1e})"
    if excess > 1:
        advice = f"`gradient` is not that of `energy` everywhere; {CAUSE}"
        return fails(says, advice, **numbers)
    return ok(f"{count} lines; worst: {says}", **numbers)


def integral(s: Subject, a: np.ndarray, b: np.ndarray, w: np.ndarray):
    """Return the integral of g along the line from a to b by Simpson's rule, and its error.

    Where g jumps, the rule is wrong by up to the jump times the distance of two nodes. Second
    differences show jumps at full size, and of what is smooth next to nothing.
    """
    each = s.cost["gradient"] + 5 * OVERHEAD
    parts = affordable(BUDGET / len(s.x), each, 128, PARTS)
    powers = [s.gradient(a + t * (b - a), w)[1] @ (b - a) for t in np.linspace(0, 1, parts + 1)]
    weights = np.ones(parts + 1)
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    jumps = np.sqrt(np.sum(np.diff(powers, 2) ** 2))
    return float(weights @ powers) / (3 * parts), 4 * float(jumps) / parts


def leapfrog(s: Subject) -> Verdict:
    """Check that leapfrog reverses, and that its error in H falls 4 times with half the step."""
    starts = list(s.inside(1))[:4]
    p = s.rng("leapfrog").standard_normal((len(starts), s.distribution.dim))
    steps = (s.stepsize / 2**halvings for halvings in range(40)) if starts else ()
    eta = next((step for step in steps if error(s, starts, p, step, 0) < 0.5), 0.0)
    if eta == 0:
        advice = f"`gradient` does not fit `energy`, or neither is smooth; {CAUSE}"
        return fails("no step is small enough for an error in H below 0.5", advice)
    rounds = NOISES * max(noise(s, x, w)[0] for x, w in starts)
    each = 2 * STEPS * len(starts) * (s.cost["gradient"] + 10 * OVERHEAD)
    finest = affordable(BUDGET, each, 2**4, 2**HALVINGS).bit_length() - 1
    errors = [error(s, starts, p, eta, halvings) for halvings in range(finest + 1)]
    clear = [each for each in errors if each > rounds][-4:]
    back = max(return_distance(s, *start, p_0, eta) for start, p_0 in zip(starts, p, strict=True))
    numbers = {"eta": eta, "errors": errors, "returned": back}
    if len(clear) < 4:
        return skipped(f"errors in H are no more than rounding: {max(errors):.1e}")
    factor = (clear[0] / clear[-1]) ** (1 / 3)
    says = f"error in H {clear[0]:.2g}, with an eighth of the step {clear[-1]:.2g}"
    if min(clear) > 0.5 * max(clear):
        advice = f"the gradient does not fit the energy (its scale, its sign, a term); {CAUSE}"
        return fails(f"{says}: it should fall 4 times per halving", advice, **numbers)
    if back > 1:
        advice = "the gradient at a point must depend on the point alone: see `repeatable`"
        return fails("a trajectory run backwards does not return", advice, **numbers)
    kinks = "" if factor > 3 else ", not 4: there are kinks, which cost rejections"
    return ok(f"{says}: {factor:.2f} per halving{kinks}; trajectories reverse", **numbers)


def error(s: Subject, starts: list, p: np.ndarray, eta: float, halvings: int) -> float:
    """Return the error in H at STEPS common times, the largest, root mean square over starts."""
    each, worst = 2**halvings, []
    for (x, w), p_0 in zip(starts, p, strict=True):
        H = trajectory(s, x, p_0, w, eta / each, STEPS * each)[2]
        worst.append(min(abs(H[each::each] - H[0]).max(), 1e100))  # whose square is still finite
    return float(np.sqrt(np.mean(np.square(worst))))


def trajectory(s: Subject, x, p, w, eta: float, steps: int):
    """Return x and p at the end of a leapfrog trajectory, and H (steps + 1) along it."""
    size = np.ones(x.size)
    if "scales" in s.functions:
        s.functions["scales"](w, s.data, size)
    size *= eta
    U, g = s.gradient(x, w)
    H = [U + 0.5 * p @ p]
    with np.errstate(all="ignore"):
        for _ in range(steps):
            p = p - 0.5 * size * g
            x = x + size * p
            U, g = s.gradient(x, w)
            p = p - 0.5 * size * g
            H.append(U + 0.5 * p @ p)
    return x, p, np.nan_to_num(np.array(H), nan=np.inf)


def return_distance(s: Subject, x: np.ndarray, w: np.ndarray, p: np.ndarray, eta: float) -> float:
    """Return how far from x a reversed trajectory ends, over what rounding explains.

    Rounding errors grow as a small displacement of the start does, in both directions.
    """
    x_end, p_end, _ = trajectory(s, x, p, w, eta, STEPS)
    small = 1e-7 * s.spread
    grown = (trajectory(s, x + small, p, w, eta, STEPS)[0] - x_end) / small
    back = trajectory(s, x_end, -p_end, w, eta, STEPS)[0]
    growth = max(1.0, float(abs(grown).max())) ** 2
    allowed = NOISES * STEPS * EPS * growth * (abs(x).max() + abs(x_end).max() + s.spread.max())
    return float(abs(back - x).max() / allowed)
