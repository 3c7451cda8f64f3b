"""A Gaussian with mean zero and identity covariance, of any dimension (Section 3)."""

from dataclasses import dataclass

import numpy as np

from nrevu.distributions import integer


@dataclass(frozen=True)
class Gaussian:
    """N(0, I). Recorded: the first coordinate, and U, whose mean is dim / 2."""

    dim: int = integer(at_least=1)  # number of coordinates

    def means(self) -> dict[str, float | None]:
        """Return the recorded quantities in order, with their true means."""
        return {"coordinate": 0.0, "log_prob": self.dim / 2}

    def data(self) -> tuple:
        """Return what the compiled functions below receive as `data`."""
        return ()

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Return an exact draw."""
        return rng.standard_normal(self.dim)

    @staticmethod
    def energy(x, w, data):
        """Return U(x) without the normalising constant."""
        total = 0.0
        for i in range(x.size):
            total += x[i] * x[i]
        return 0.5 * total

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
        """Write the recorded quantities of one state."""
        row[0] = x[0]
        row[1] = U
