"""Checks of the gradient at points: against differences of the energy, and the U it returns.

No tolerance is a guess. A derivative by differences has an estimated error: how much it changes
with the step, plus the noise of rounding in U over the step. The noise is measured: between points
that are very close a smooth function changes linearly, and the rest is noise.
"""

from dataclasses import dataclass

import numpy as np

from nrevu.conformance.subject import Subject
from nrevu.conformance.verdict import OVERHEAD, Verdict, affordable, fails, ok, skipped
from nrevu.core.contracts import has

RUNGS = 10  # steps tried, each a quarter of the one before, from half the spread on
SLACK = 10  # how many times its error a derivative may be off
BUDGET = 2.0  # seconds
EPS = float(np.finfo(float).eps)
NOISES = 100  # times the noise by which two ways to compute a number may differ
CLOSE = 16 * EPS  # relative to x: its last bits
SINGLE = 2.0**-20  # the same for float32, in case something is computed in it


@dataclass(frozen=True)
class Slope:
    """One derivative, by the gradient and by differences of the energy."""

    coordinate: int
    point: int
    given: float  # by `gradient`
    found: float  # by differences
    error: float  # of both, from rounding and the step
    blunt: bool  # the error is too large for a useful comparison

    @property
    def excess(self) -> float:
        """Return the difference of the two over what is allowed."""
        return abs(self.given - self.found) / (SLACK * self.error)


def difference(s: Subject, x: np.ndarray, w: np.ndarray, i: int, noise: float):
    """Return dU/dx[i] by central differences of fourth order, and its error, at the best step."""
    steps = 0.5 * s.spread[i] * 0.25 ** np.arange(RUNGS)
    found, flat = np.empty(RUNGS), np.empty(RUNGS, bool)
    with np.errstate(invalid="ignore"):
        for rung, step in enumerate(steps):
            moved = np.tile(x, (4, 1))
            moved[:, i] += step * np.array([-2, -1, 1, 2])
            U = [s.energy(each, w) for each in moved]
            found[rung] = (U[0] - U[3] + 8 * (U[2] - U[1])) / (12 * step)
            flat[rung] = min(U) == max(U)
        blur = 1.5 * (noise + EPS * abs(x[i] * found)) / steps  # 1.5: 18 / 12, all signs adverse
        change = abs(np.diff(found))
        error = blur + np.maximum(np.append(np.inf, change), np.append(change, 0.0))
    lost = flat & np.any(~flat & np.isfinite(found))  # steps too small for any change to be seen
    error = np.where(np.isfinite(error) & ~lost, error, np.inf)
    best = int(np.argmin(error))
    return found[best], error[best]


def slopes(s: Subject) -> list[Slope]:
    """Return derivatives at the points and 3 times as far, for as many coordinates as fit."""
    points = list(s.inside(1, 3))
    dim = s.distribution.dim
    cost = 4 * RUNGS * len(points) * (s.cost["energy"] + OVERHEAD)
    count = affordable(BUDGET, cost, min(8, dim), dim)
    coordinates = np.sort(s.rng("slopes").permutation(dim)[:count])
    found = []
    for point, (x, w) in enumerate(points):
        g, (of_energy, *noises) = s.gradient(x, w)[1], noise(s, x, w)
        for i in map(int, coordinates):
            by, error = difference(s, x, w, i, of_energy)
            blunt = not SLACK * error < 1e-3 * (abs(g[i]) + 1 / s.spread[i])
            found.append(Slope(i, point, float(g[i]), float(by), float(error + noises[i]), blunt))
    return found


def gradient(s: Subject) -> Verdict:
    """Compare the gradient with differences of the energy, coordinate by coordinate."""
    if "gradient" not in s.functions:
        return skipped("has no `gradient`: metropolis can sample it, the other methods not")
    found = slopes(s)
    if not found:
        return fails("no point has a finite energy", "see `finite`")
    sharp = [slope for slope in found if not slope.blunt]
    if 2 * len(sharp) < len(found):
        says = f"{len(found) - len(sharp)} of {len(found)} derivatives of the energy do not settle"
        advice = "compute in float64 throughout; an energy may not be random, nor made of steps"
        return fails(f"{says}, whatever the step", advice)
    worst = max(sharp, key=lambda slope: slope.excess)
    numbers = {**vars(worst), "points": found[-1].point + 1, "derivatives": len(sharp)}
    says = f"x[{worst.coordinate}]: {worst.given:.8g}, by differences {worst.found:.8g}"
    says += f" +- {worst.error:.1e}"
    if worst.excess <= 1:
        number = len({slope.coordinate for slope in sharp})
        checked = f"{number} of {s.distribution.dim} coordinates at {numbers['points']} points"
        return ok(f"{checked}; worst {says}", **numbers)
    bad = [slope for slope in sharp if slope.excess > 1]
    says = f"{len(bad)} of {len(sharp)} derivatives are wrong; worst {says}"
    return fails(says, diagnosis(bad, len(sharp)), **numbers)


def diagnosis(bad: list[Slope], number: int) -> str:
    """Return advice from what the wrong derivatives have in common."""
    ratios = np.array([slope.given / slope.found for slope in bad if slope.found])
    ratio = float(np.median(ratios)) if ratios.size else np.nan
    wrong = sorted({slope.coordinate for slope in bad})
    if len(bad) > 0.9 * number and np.all(abs(ratios - ratio) < 1e-3 * abs(ratio)):
        return f"all are {ratio:.4g} times what they should be: a factor or the sign is wrong"
    listed = ", ".join(f"g[{i}]" for i in wrong[:5]) + (", ..." if len(wrong) > 5 else "")
    return f"look at {listed}: write it as the derivative of what `energy` returns, term by term"


def same_energy(s: Subject) -> Verdict:
    """Compare the U that `gradient` returns with `energy`."""
    if not has(s.distribution, "energy"):
        return skipped("has no `energy`: U is what `gradient` returns")
    worst = (-1.0, 0.0, 0.0, 0.0)
    for x, w in s.inside(1, 3, 10):
        U, by, rounds = s.energy(x, w), s.gradient(x, w)[0], float(noise(s, x, w)[0])
        excess = abs(U - by) / rounds
        worst = max(worst, (excess if excess < np.inf else np.inf, U, by, rounds))  # nan: the worst
    excess, U, by, rounds = worst
    if excess < 0:
        return fails("no point has a finite energy", "see `finite`")
    numbers = {"energy": U, "gradient": by, "noise": rounds}
    says = f"`gradient` returns {by:.17g}, `energy` {U:.17g}"
    if not excess <= NOISES:
        says += f": {by - U:.3g} apart, rounding explains {rounds:.1e}"
        return fails(says, "return the same U from both, with the same constants", **numbers)
    return ok(f"within rounding; worst: {abs(by - U):.1e} apart at U = {U:.6g}", **numbers)


def rounding(values: np.ndarray) -> np.ndarray:
    """Return the noise in values (9, ...) of a function at equally spaced points.

    Third differences, in which smooth change cancels, have 20 times the variance of the noise
    (after Moré and Wild, 2011). It is at least that of rounding the value itself.
    """
    third = np.diff(values, 3, axis=0)
    least = EPS * abs(values[0]) + np.finfo(float).tiny
    return np.maximum(np.sqrt(np.mean(third**2, axis=0) / 20), least)


def noise(s: Subject, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return the noise near x of U, then of each component of the gradient.

    The larger of those at two distances, and of those of `energy` and of the U of `gradient`.
    """
    signs = s.rng("noise").choice([-1.0, 1.0], size=x.size)
    size = np.maximum(abs(x), s.spread)
    found = []
    for step in (CLOSE * size, np.minimum(SINGLE * size, 1e-4 * s.spread)):
        points = x + np.outer(np.arange(9), signs * step)
        found.append(rounding(np.array([s.evaluate(each, w) for each in points])))
    largest = np.fmax(*found)
    return np.append(np.fmax.reduce(largest[:2]), largest[2:])
