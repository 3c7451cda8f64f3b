"""The distributions on which methods and rules for u are checked, all with exact draws.

Each shows what others hide: a density that is neither symmetric nor Gaussian; coordinates that are
correlated, in more than a vector's width; Gibbs-sampled variables, with chains interleaved.
"""

from dataclasses import dataclass

import numpy as np

from nrevu.distributions import exp, integer
from nrevu.distributions.mixed import Mixed
from nrevu.distributions.pairs import Pairs


@dataclass(frozen=True)
class Skewed:
    """Independent coordinates, exp(x[i]) ~ Gamma(2): U = sum of exp(x[i]) - 2 x[i]."""

    dim: int = integer(at_least=1)

    @staticmethod
    def scales(w, data, s):
        """Write the factors of the stepsizes: different ones, which methods must heed."""
        for i in range(s.size):
            s[i] = 1.0 / (1.0 + 0.3 * i)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Return an exact draw."""
        return np.log(rng.gamma(2.0, size=self.dim))

    @staticmethod
    def energy(x, w, data):
        """Return U(x) without the normalising constant."""
        total = 0.0
        for i in range(x.size):
            total += exp(x[i]) - 2.0 * x[i]
        return total

    @staticmethod
    def gradient(x, w, data, g):
        """Write the gradient of U into g and return U."""
        total = 0.0
        for i in range(x.size):
            g[i] = exp(x[i]) - 2.0
            total += exp(x[i]) - 2.0 * x[i]
        return total


TARGETS = {"skewed": Skewed(3), "pairs": Pairs(8, 0.9), "mixed": Mixed(5, 0.3)}
