"""Whether updates leave the joint distribution of (x, p, v) as it was: the statistical check.

Chains start from exact draws, so each statistic's mean is known at once. With a tolerance of 5
standard errors, of at most 20 statistics a case, a false alarm on a new seed has a chance of 1e-5.
Each further v adds 10 statistics.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np
from chains import advance

from nrevu.core.contracts import part
from nrevu.core.target import njit

CHAINS = 60_000
NO_W = np.empty(0)


@dataclass(frozen=True)
class Skewed:
    """Independent exp(x) ~ Gamma(2): U = e^x - 2x, neither symmetric nor Gaussian."""

    dim: int

    def draw_many(self, generator, chains):
        return np.log(generator.gamma(2.0, size=(chains, self.dim)))

    @staticmethod
    def energy(x, w, data):
        total = 0.0
        for i in range(x.size):
            total += math.exp(x[i]) - 2.0 * x[i]
        return total

    @staticmethod
    def gradient(x, w, data, g):
        total = 0.0
        for i in range(x.size):
            g[i] = math.exp(x[i]) - 2.0
            total += math.exp(x[i]) - 2.0 * x[i]
        return total


def draws(distribution, generator):
    """Return exact draws (CHAINS, dim)."""
    if isinstance(distribution, Skewed):
        return distribution.draw_many(generator, CHAINS)
    return np.array([distribution.draw(generator) for _ in range(CHAINS)])


def deviation(bound, distribution, group=4, separate_v=1):
    """Return the largest deviation of the statistics after some updates, in standard errors."""
    start = np.random.default_rng(7)
    x = draws(distribution, start)
    p = start.standard_normal(x.shape)
    every_v = start.uniform(-1, 1, (CHAINS, separate_v))
    x_before = x.copy()
    advance(bound, distribution, x, p, every_v, group)
    moved = np.mean(np.any(x != x_before, axis=1))
    assert moved > 0.5, f"only {moved:.0%} of the chains have moved: the check would say nothing"
    f, exact = functions(distribution, x), functions(distribution, x_before)
    centred = [a - a.mean() for a in f]
    zero = [p[:, 0], p[:, 0] ** 2 - 1, centred[0] * p[:, 0], centred[1] * (p[:, 0] ** 2 - 1)]
    for v in every_v.T:
        zero += [v, np.abs(v) - 0.5, v**2 - 1 / 3]
        zero += [p[:, 0] * v, p[:, 0] * np.abs(v), (p[:, 0] ** 2 - 1) * (np.abs(v) - 0.5)]
        zero += [centred[3] * v, centred[3] * (np.abs(v) - 0.5)]
        zero += [centred[0] * v, centred[3] * (v**2 - 1 / 3)]
    scores = [abs(a.mean()) / (a.std() / math.sqrt(CHAINS)) for a in zero]
    # Against the exact draws themselves, whose mean is as uncertain as the sample's.
    scores += [
        abs((a - b).mean()) / ((a - b).std() / math.sqrt(CHAINS))
        for a, b in zip(f, exact, strict=True)
        if np.any(a != b)
    ]
    return max(scores)


def functions(distribution, x):
    """Return some functions of the states x (CHAINS, dim), the last one the energy."""
    energy, data = compiled_energy(type(distribution)), part(distribution, "data")()
    energies = np.array([energy(state, NO_W, data) for state in x])
    return [x[:, 0], x[:, 0] ** 2, x[:, -1] * x[:, 0], energies]


@functools.cache
def compiled_energy(kind):
    """Return the compiled energy of a class of distributions."""
    return njit(kind.energy)
