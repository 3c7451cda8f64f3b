"""Two continuous variables tied to binary ones: the mixed problem of Section 5.

x[0] ~ N(0,1), x[1] | x[0] ~ N(x[0], sd^2), and each binary is 1 with probability
1 / (1 + exp(x[0])). The paper calls x[0] and x[1] u and v, and the binaries w.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

import numpy as np

from nrevu.fields import real, whole
from nrevu.rng import next_uniform

LOW, HIGH = -0.5, 1.5  # the ends of the interval whose indicator is estimated


@dataclass(frozen=True)
class Mixed:
    """The binaries are kept in `data`; the density of x depends on how many of them are 1."""

    dim: ClassVar[int] = 2
    recorded: ClassVar[tuple[str, ...]] = ("coordinate",)  # of which the quantities are functions
    binaries: int = whole(at_least=0)  # how many there are
    sd: float = real(above=0)  # standard deviation of x[1] given x[0]

    def means(self) -> dict[str, float | None]:
        """Return the quantities in order, with their true means."""
        inside = NormalDist().cdf(HIGH) - NormalDist().cdf(LOW)
        return {"indicator": inside, "coordinate": 0.0, "square": 1.0}

    def derive(self, rows: np.ndarray) -> np.ndarray:
        """Return the quantities (n, 3) of recorded rows (n, 1)."""
        x = rows[:, 0].astype(np.float64)
        return np.stack([(x > LOW) & (x < HIGH), x, x * x], axis=1).astype(np.float64)

    def data(self) -> tuple:
        """Return the binaries, how many are 1, how many there are, and 1 / sd^2."""
        return (np.zeros(self.binaries, np.int8), np.zeros(1), float(self.binaries), self.sd**-2)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Return an exact draw of x; a Gibbs scan then draws the binaries given it."""
        first = rng.standard_normal()
        return np.array([first, first + self.sd * rng.standard_normal()])

    @staticmethod
    def energy(x, data):
        """Return U(x), given the binaries, without constants."""
        _, ones, number, precision = data
        gap = x[1] - x[0]
        bend = number * math.log(1.0 + math.exp(-abs(x[0]))) + number * max(x[0], 0.0)
        return 0.5 * x[0] * x[0] + 0.5 * precision * gap * gap + bend - (number - ones[0]) * x[0]

    @staticmethod
    def gradient(x, data, g):
        """Write the gradient of U into g and return U."""
        _, ones, number, precision = data
        gap = x[1] - x[0]
        small = math.exp(-abs(x[0]))  # cannot overflow
        chance = (1.0 if x[0] >= 0 else small) / (1.0 + small)  # 1 / (1 + exp(-x[0]))
        g[0] = x[0] - precision * gap + number * chance - (number - ones[0])
        g[1] = precision * gap
        bend = number * math.log(1.0 + small) + number * max(x[0], 0.0)
        return 0.5 * x[0] * x[0] + 0.5 * precision * gap * gap + bend - (number - ones[0]) * x[0]

    @staticmethod
    def gibbs(x, data, bits):
        """Draw each binary in turn given x; given x they are independent."""
        binaries, ones, _, _ = data
        chance = 1.0 / (1.0 + math.exp(x[0]))
        count = 0
        for i in range(binaries.size):
            binaries[i] = next_uniform(bits) < chance
            count += binaries[i]
        ones[0] = count

    @staticmethod
    def record(x, U, data, row):
        """Write the recorded columns of one state."""
        row[0] = x[0]
