"""Two continuous variables tied to binary ones: the mixed problem of Section 5.

x[0] ~ N(0,1), x[1] | x[0] ~ N(x[0], sd^2), and each binary is 1 with probability
1 / (1 + exp(x[0])). The paper calls x[0] and x[1] u and v, and the binaries w.
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

import numpy as np

from nrevu.distributions import exp, integer, next_uniform, real, softplus

LOW, HIGH = -0.5, 1.5  # the ends of the interval whose indicator is estimated


@dataclass(frozen=True)
class Mixed:
    """The binaries are kept in w; the density of x depends on how many of them are 1."""

    dim: ClassVar[int] = 2
    lanes: ClassVar[int] = 64  # chains interleaved: two coordinates do not fill a vector
    nanoseconds: ClassVar[float] = 4.0  # of an evaluation, approximately
    recorded: ClassVar[tuple[str, ...]] = ("coordinate",)  # the quantities are functions of it
    binaries: int = integer(at_least=0)  # how many there are
    sd: float = real(above=0)  # standard deviation of x[1] given x[0]

    def means(self) -> dict[str, float | None]:
        """Return the quantities in order, with their true means."""
        inside = NormalDist().cdf(HIGH) - NormalDist().cdf(LOW)
        return {"indicator": inside, "coordinate": 0.0, "square": 1.0}

    def derive(self, rows: np.ndarray) -> np.ndarray:
        """Return the quantities (n, 3) of recorded rows (n, 1)."""
        x = rows[:, 0].astype(np.float64)
        return np.stack([(x > LOW) & (x < HIGH), x, x * x], axis=1).astype(np.float64)

    @property
    def gibbs_variables(self) -> int:
        """Return the length of w: how many binaries are 1, and the binaries."""
        return 1 + self.binaries

    def data(self) -> tuple:
        """Return the number of binaries and 1 / sd^2."""
        return (float(self.binaries), 1.0 / (self.sd * self.sd))

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Return an exact draw of x; a Gibbs scan then draws the binaries given it."""
        first = rng.standard_normal()
        return np.array([first, first + self.sd * rng.standard_normal()])

    @staticmethod
    def energy(x, w, data):
        """Return U(x), given the binaries, without constants."""
        number, precision = data
        gap = x[1] - x[0]
        bend, _ = softplus(x[0])
        return 0.5 * (x[0] * x[0] + precision * gap * gap) + number * bend - (number - w[0]) * x[0]

    @staticmethod
    def gradient(x, w, data, g):
        """Write the gradient of U into g and return U."""
        number, precision = data
        gap = x[1] - x[0]
        bend, slope = softplus(x[0])
        g[0] = x[0] - precision * gap + number * slope - (number - w[0])
        g[1] = precision * gap
        return 0.5 * (x[0] * x[0] + precision * gap * gap) + number * bend - (number - w[0]) * x[0]

    @staticmethod
    def gibbs(x, w, data, bits):
        """Draw each binary in turn given x; given x they are independent."""
        chance = 1.0 / (1.0 + exp(x[0]))
        ones = 0.0
        for i in range(1, w.size):
            w[i] = 1.0 if next_uniform(bits) < chance else 0.0
            ones += w[i]
        w[0] = ones

    @staticmethod
    def renew(x, w, before, data, U, g):
        """Return U, and change g, for another number of ones."""
        more = w[0] - before[0]
        g[0] += more
        return U + more * x[0]

    @staticmethod
    def record(x, w, U, data, row):
        """Write the recorded columns of one state."""
        row[0] = x[0]
