"""How far rounding moves U and its gradient: measured, so that no tolerance is guessed.

At points very close to each other a smooth function changes linearly, and what is left over is
noise. Tolerances of the checks are multiples of it.
"""

import numpy as np

from nrevu.conformance.subject import Subject

EPS = float(np.finfo(float).eps)
NOISES = (
    100  # how many times the noise two ways to the same number may differ: sums in other orders
)


CLOSE = 16 * EPS  # relative to x: its last bits
SINGLE = 2.0**-20  # the same for float32, in case something is computed with so few


def rounding(values: np.ndarray) -> np.ndarray:
    """Return the noise in values (9, ...) of a function at equally spaced points.

    Third differences, from which all smooth change is gone, have 20 times the variance of the
    noise (after Moré and Wild, 2011). It is at least that of rounding the value itself.
    """
    third = np.diff(values, 3, axis=0)
    least = EPS * abs(values[0]) + np.finfo(float).tiny
    return np.maximum(np.sqrt(np.mean(third**2, axis=0) / 20), least)


def noise(s: Subject, function, x: np.ndarray) -> np.ndarray:
    """Return the noise of a function about x: the larger, of points at two distances."""
    signs = s.rng("noise").choice([-1.0, 1.0], size=x.size)
    size = np.maximum(abs(x), s.spread)
    found = []
    for step in (CLOSE * size, np.minimum(SINGLE * size, 1e-4 * s.spread)):
        points = x + np.outer(np.arange(9), signs * step)
        found.append(rounding(np.array([function(each) for each in points])))
    return np.fmax(*found)


def noise_of_energy(s: Subject, x: np.ndarray, w: np.ndarray) -> float:
    """Return the noise of U about x: that of `energy`, and of `gradient` if any."""
    found = noise(s, lambda each: s.energy(each, w), x)
    if "gradient" in s.functions:
        found = np.fmax(found, noise(s, lambda each: s.gradient(each, w)[0], x))
    return float(found)


def noise_of_gradient(s: Subject, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return the noise of each part of the gradient about x."""
    return noise(s, lambda each: s.gradient(each, w)[1], x)
