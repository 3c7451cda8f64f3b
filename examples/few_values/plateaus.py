"""Two plateaus with a floor between them: a density that has only two values where it is not zero.

In: how high the floor is. Recorded: whether x is on a plateau, and on which side of the middle.
"""

import math
from dataclasses import dataclass

import numpy as np

from nrevu.fields import real


@dataclass(frozen=True)
class Plateaus:
    """Density 1 for 1 < |x| < 2, `floor` for |x| < 1, zero elsewhere; not normalised."""

    dim = 1
    floor: float = real(above=0, below=1)  # height of the floor, the plateaus' being 1

    def means(self) -> dict[str, float | None]:
        """Return what is recorded; the true means are withheld, so that chains must agree."""
        return {"plateau": None, "side": None}

    def data(self) -> tuple:
        """Return the energy of the floor."""
        return (-math.log(self.floor),)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Return an exact draw."""
        inside = rng.random() < self.floor / (1 + self.floor)  # both parts are equally long
        x = rng.uniform(0, 1) if inside else rng.uniform(1, 2)
        return np.array([x if rng.random() < 0.5 else -x])

    @staticmethod
    def energy(x, w, data):
        """Return 0 on a plateau, the floor's energy there, infinity outside."""
        far = abs(x[0])
        return data[0] if far < 1.0 else (0.0 if far < 2.0 else math.inf)

    @staticmethod
    def record(x, w, U, data, row):
        """Write 1 on a plateau and 0 on the floor; and 1 or -1 for the side."""
        row[0] = 1.0 if abs(x[0]) > 1.0 else 0.0
        row[1] = 1.0 if x[0] > 0.0 else -1.0
