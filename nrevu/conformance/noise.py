"""Measures the rounding error of U and its gradient, so that no tolerance is a guess.

Between points that are very close a smooth function changes linearly; the rest is noise. The
tolerances of the checks are multiples of it.
"""

import numpy as np

from nrevu.conformance.subject import Subject

EPS = float(np.finfo(float).eps)
NOISES = 100  # times the noise by which two ways to compute a number may differ
CLOSE = 16 * EPS  # relative to x: its last bits
SINGLE = 2.0**-20  # the same for float32, in case something is computed in it


def rounding(values: np.ndarray) -> np.ndarray:
    """Return the noise in values (9, ...) of a function at equally spaced points.

    Third differences, in which smooth change cancels, have 20 times the variance of the noise
    (after Moré and Wild, 2011). It is at least that of rounding the value itself.
    """
    third = np.diff(values, 3, axis=0)
    least = EPS * abs(values[0]) + np.finfo(float).tiny
    return np.maximum(np.sqrt(np.mean(third**2, axis=0) / 20), least)


def noise(s: Subject, function, x: np.ndarray) -> np.ndarray:
    """Return the noise of a function near x: the larger of those at two distances."""
    signs = s.rng("noise").choice([-1.0, 1.0], size=x.size)
    size = np.maximum(abs(x), s.spread)
    found = []
    for step in (CLOSE * size, np.minimum(SINGLE * size, 1e-4 * s.spread)):
        points = x + np.outer(np.arange(9), signs * step)
        found.append(rounding(np.array([function(each) for each in points])))
    return np.fmax(*found)


def noise_of_energy(s: Subject, x: np.ndarray, w: np.ndarray) -> float:
    """Return the noise of U near x: the larger of those of `energy` and `gradient`."""
    found = noise(s, lambda each: s.energy(each, w), x)
    if "gradient" in s.functions:
        found = np.fmax(found, noise(s, lambda each: s.gradient(each, w)[0], x))
    return float(found)


def noise_of_gradient(s: Subject, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return the noise of each component of the gradient near x."""
    return noise(s, lambda each: s.gradient(each, w)[1], x)
