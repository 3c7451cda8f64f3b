"""A standard Gaussian that records x[0]^2, whose mean is 1, as if that were not known."""

from dataclasses import dataclass

import numpy as np

from nrevu.distributions import integer


@dataclass(frozen=True)
class Squares:
    """N(0, I) in `dim` dimensions."""

    dim: int = integer(at_least=1, default=10)

    def means(self) -> dict[str, float | None]:
        """Return the quantity; its mean is to be estimated."""
        return {"square": None}

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Return an exact draw."""
        return rng.standard_normal(self.dim)

    @staticmethod
    def gradient(x, w, data, g):
        """Write the gradient of U into g and return U."""
        total = 0.0
        for i in range(x.size):
            g[i] = x[i]
            total += x[i] * x[i]
        return 0.5 * total

    @staticmethod
    def record(x, w, U, data, row):
        """Write the recorded quantity."""
        row[0] = x[0] * x[0]
