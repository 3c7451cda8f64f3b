"""What is checked: a distribution with its functions compiled, and points to try them at.

In: a distribution and a seed. Out: a Subject, whose points are exact draws or, where there are
none, starts; each with a w drawn by Gibbs sampling. All random numbers come from the seed.
"""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nrevu.cells.chains import settled
from nrevu.conformance.timing import costs
from nrevu.core.binding import FAST, NEEDS, bind
from nrevu.core.rng import WORDS
from nrevu.core.target import njit
from nrevu.core.user_files import energy_by_gradient

POINTS = 6  # draws or starts at which functions are tried
SAMPLE = 200  # draws or starts that tell where the distribution is, and how wide


@dataclass(frozen=True)
class Subject:
    """A distribution, ready to be checked."""

    distribution: Any
    functions: dict[str, Callable]  # compiled as kernels are; those that it has
    data: tuple  # what they receive
    seed: int
    x: np.ndarray  # (POINTS, dim): draws or starts
    w: np.ndarray  # (POINTS, gibbs_variables): drawn given them
    cost: dict[str, float]  # seconds of an `energy` and a `gradient`, inside compiled code
    centre: np.ndarray  # (dim): mean of draws or starts
    spread: np.ndarray  # (dim): their standard deviation, or a guess where they are all the same

    @property
    def exact(self) -> bool:
        """Tell whether there are exact draws."""
        return hasattr(self.distribution, "draw")

    def energy(self, x, w) -> float:
        """Return U."""
        return self.functions["energy"](x, w, self.data)

    def gradient(self, x, w) -> tuple[float, np.ndarray]:
        """Return U and its gradient."""
        g = np.full(x.size, np.nan)
        return self.functions["gradient"](x, w, self.data, g), g

    def rng(self, name: str) -> np.random.Generator:
        """Return the random numbers of a check, which no other check uses."""
        return np.random.default_rng([self.seed, *name.encode()])

    def bits(self, name: str, count: int) -> np.ndarray:
        """Return the states (count, WORDS) of generators for kernels and Gibbs scans."""
        return self.rng(name).integers(2**64, size=(count, WORDS), dtype=np.uint64)

    def away(self, factor: float) -> np.ndarray:
        """Return the points carried away from the centre."""
        return self.centre + factor * (self.x - self.centre)

    def inside(self, *factors: float) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the points, carried away by each of the factors, that have a finite energy."""
        for factor in factors:
            for x, w in zip(self.away(factor), self.w, strict=True):
                if abs(self.energy(x, w)) < np.inf:
                    yield x, w


@functools.cache
def compiled(kind: type, **options) -> dict[str, Callable]:
    """Return the functions that a class has, compiled as kernels are but for these options."""
    own = {name: getattr(kind, name) for name in NEEDS if hasattr(kind, name)}
    made = {name: njit(**FAST, **options)(function) for name, function in own.items()}
    if own["energy"] is energy_by_gradient:
        named = bind(energy_by_gradient, "energy", {"gradient": made["gradient"]})
        made["energy"] = njit(**FAST, **options)(named)
    return made


def prepare(distribution: Any, seed: int) -> Subject:
    """Return the Subject of a distribution."""
    functions, data = compiled(type(distribution)), distribution.data()
    rng = np.random.default_rng(seed)
    exact = hasattr(distribution, "draw")
    begin = distribution.draw if exact else distribution.start
    sample = np.array([begin(rng) for _ in range(SAMPLE)])
    centre, spread = sample.mean(axis=0), sample.std(axis=0)
    constant = spread <= 1e-12 * abs(centre)
    spread = np.where(constant, np.maximum(0.5 * abs(centre), 0.5), spread)
    x = sample[:POINTS]
    if not exact:
        x = np.array([settled(distribution, seed, chain) for chain in range(POINTS)])
        x = x + np.where(constant, 0.1 * spread, 0.0) * rng.standard_normal(x.shape)
    w = np.zeros((POINTS, getattr(distribution, "gibbs_variables", 0)))
    for point in range(POINTS if "gibbs" in functions else 0):
        bits = rng.integers(2**64, size=WORDS, dtype=np.uint64)
        functions["gibbs"](x[point], w[point], data, bits)
    cost = costs(functions, (x, w[0], data, np.empty(distribution.dim)))
    return Subject(distribution, functions, data, seed, x, w, cost, centre, spread)
