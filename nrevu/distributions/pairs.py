"""Independent pairs of correlated Gaussians with unit variances (Section 5)."""

from dataclasses import dataclass

import numpy as np

from nrevu.distributions import integer, real


@dataclass(frozen=True)
class Pairs:
    """Pair i is x[i], x[i + dim/2]: the halves are contiguous, so that loops vectorise."""

    dim: int = integer(at_least=2)  # number of coordinates, even: two for each pair
    correlation: float = real(above=-1, below=1)  # within a pair

    def __post_init__(self):
        if self.dim % 2:
            raise ValueError(f"dim {self.dim} is not allowed: pairs need an even number")

    def means(self) -> dict[str, float | None]:
        """Return the recorded quantities in order, with their true means."""
        return {"coordinate": 0.0, "log_prob": self.dim / 2}

    def data(self) -> tuple:
        """Return what the compiled functions below receive as `data`."""
        return (self.correlation, 1.0 / (1.0 - self.correlation * self.correlation))

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Return an exact draw."""
        first, other = rng.standard_normal((2, self.dim // 2))
        second = self.correlation * first + np.sqrt(1 - self.correlation * self.correlation) * other
        return np.concatenate([first, second])

    @staticmethod
    def energy(x, w, data):
        """Return U(x) without the normalising constant."""
        correlation, scale = data
        half = x.size // 2
        first, second = x[:half], x[half:]
        total = 0.0
        for i in range(half):
            a, b = first[i], second[i]
            total += a * a + b * b - 2.0 * correlation * a * b
        return 0.5 * scale * total

    @staticmethod
    def gradient(x, w, data, g):
        """Write the gradient of U into g and return U."""
        correlation, scale = data
        half = x.size // 2
        first, second = x[:half], x[half:]
        g_first, g_second = g[:half], g[half:]
        total = 0.0
        for i in range(half):
            a, b = first[i], second[i]
            ga, gb = scale * (a - correlation * b), scale * (b - correlation * a)
            g_first[i] = ga
            g_second[i] = gb
            total += a * ga + b * gb
        return 0.5 * total

    @staticmethod
    def record(x, w, U, data, row):
        """Write the recorded quantities of one state."""
        row[0] = x[0]
        row[1] = U
