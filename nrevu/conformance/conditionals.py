"""Checks of Gibbs sampling: `gibbs` draws w as `energy` says, and `renew` updates U and g.

If w given x has the density exp(-U(x, w)) h(w) / Z(x), then a w drawn either at x or at y at_y from
y with log odds U(x, w) - U(y, w) + a constant. That is a logistic regression in which only the
constant is fitted: no other function of w may help to predict whether it was x or y.
"""

import numpy as np

from nrevu.conformance.slopes import NOISES, noise
from nrevu.conformance.subject import Subject
from nrevu.conformance.verdict import OVERHEAD, Verdict, affordable, fails, ok, skipped, worst_score

DRAWS = 8000  # of w at each point, at most
PAIRS = 4  # of points
THIN = 10  # scans between the w that are used, if each scan starts from the last
BUDGET = 2.0  # seconds


def gibbs(s: Subject) -> Verdict:
    """Check that w is drawn given x as the energy says."""
    bits = s.bits("gibbs", 2)
    a, b = s.scan(s.x[[0, 0]], bits, s.w[0])
    if not np.isfinite([a, b, *s.w]).all():
        return fails("draws something not finite", "does some x make it divide by 0?")
    if np.array_equal(a, b):
        return fails("different random numbers give the same w", "draw w by means of `bits`")
    fresh = np.array_equal(a, s.scan(s.x[:1], bits[:1])[0])
    each = 4 * (s.cost["energy"] + OVERHEAD)  # two energies for a w from each of two points
    number = affordable(BUDGET / PAIRS, each, 200, DRAWS)
    z: dict[str, float] = {}
    for pair in range(PAIRS):
        z |= prediction_scores(s, pair, number, fresh)
    found, passed, text = worst_score(z, number)
    numbers, says = {"afresh": fresh} | found, f"worst {found['worst']}: {text}"
    if not passed:
        advice = "draw w with density proportional to exp(-U(x, w)), times factors of w alone"
        return fails(f"w does not go with x as `energy` says: {says}", advice, **numbers)
    says += "" if fresh else "; each w starts from the last"
    return ok(f"w goes with x as `energy` says: {says}", **numbers)


def prediction_scores(s: Subject, first: int, number: int, fresh: bool) -> dict[str, float]:
    """Return z scores of functions of w that must not predict at which point w was drawn.

    Half of the w are drawn at point `first`, half at a point y on the line to the next one.
    """
    x, y = s.x[first], s.x[first + 1]
    for _ in range(20):  # until the energies of x and y differ by about 1
        spread = change(s, x, y, draw_w(s, (x, y), s.w[first], 100, fresh)).std()
        if 0.5 < spread < 2 or spread == 0:
            break
        y = x + min(max(1 / spread, 0.25), 4.0) * (y - x)
    w = draw_w(s, (x, y), s.w[first], number, fresh)
    dU = change(s, x, y, w)
    at_y = np.repeat([0.0, 1.0], number)  # 1 where w was drawn at y
    chance = fit_chances(dU, at_y)
    functions = {"U": dU} | {f"w[{i}]": each for i, each in enumerate(w.T)}
    functions |= {f"w[{i}]^2": each**2 for i, each in enumerate(w.T)}
    where = f"at points {first} and {first + 1}"
    return {f"{key} {where}": z_score(at_y, chance, each) for key, each in functions.items()}


def draw_w(s: Subject, points, w: np.ndarray, number: int, fresh: bool) -> np.ndarray:
    """Return `number` draws of w at each of the points, one point after the other."""
    bits = s.bits("drawn", 1)[0]
    found = []
    for x in points:
        now = w.copy()
        for _ in range(number):
            for _ in range(1 if fresh else THIN):
                s.functions["gibbs"](x, now, s.data, bits)
            found.append(now.copy())
    return np.array(found)


def change(s: Subject, x: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return U(y, w) - U(x, w) for each w."""
    return np.array([s.energy(y, each) - s.energy(x, each) for each in w])


def fit_chances(dU: np.ndarray, at_y: np.ndarray) -> np.ndarray:
    """Return for each w the fitted probability that it was drawn at y."""
    low, high = dU.min() - 50, dU.max() + 50
    for _ in range(200):
        middle = 0.5 * (low + high)
        chance = 0.5 + 0.5 * np.tanh(0.5 * (middle - dU))
        low, high = (middle, high) if chance.sum() < at_y.sum() else (low, middle)
    return chance


def z_score(at_y: np.ndarray, chance: np.ndarray, values: np.ndarray) -> float:
    """Return the z score of the slope on a function of w, given the fitted probabilities."""
    weight = chance * (1 - chance)
    if not weight.sum() > 0:
        return 0.0
    values = values - np.average(values, weights=weight)
    spread = np.sqrt(np.sum(weight * values**2))
    constant = not spread > 1e-9 * np.sqrt(np.sum(values**2) + 1e-300)
    return 0.0 if constant else float(np.sum((at_y - chance) * values) / spread)


def renew(s: Subject) -> Verdict:
    """Compare U and g as `renew` updates them with those evaluated again."""
    if not {"renew", "gradient"} <= s.functions.keys():
        return skipped("has no `renew`: U and g are evaluated again after a Gibbs scan")
    if "gibbs" not in s.functions:
        return skipped("has no `gibbs`")
    worst = (-1.0, "", 0.0, 0.0)
    scanned = s.scan(s.x, s.bits("renew", len(s.x)), s.w)
    for x, before, w in zip(s.x, s.w, scanned, strict=True):
        U, g = s.gradient(x, before)
        U = s.functions["renew"](x, w, before, s.data, U, g)
        U_true, g_true = s.gradient(x, w)
        rounds = np.maximum(noise(s, x, before), noise(s, x, w))
        excess = abs(np.array([U, *g]) - [U_true, *g_true]) / (NOISES * rounds)
        at = int(np.argmax(np.nan_to_num(excess, nan=np.inf)))
        which = ("U", U, U_true) if at == 0 else (f"g[{at - 1}]", g[at - 1], g_true[at - 1])
        worst = max(worst, (float(np.nan_to_num(excess[at], nan=np.inf)), *which))
    most, which_worst, by, true = worst
    says = f"{which_worst}: {by:.12g} by `renew`, {true:.12g} evaluated again"
    if most > 1:
        advice = "`w` is the new one, `before` the old; change U and g by what differs"
        return fails(says, advice, renewed=by, evaluated=true)
    return ok(f"within rounding; worst {says}", renewed=by, evaluated=true)
