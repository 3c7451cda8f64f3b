"""What the checks get: a distribution, its compiled functions, and points to call them at.

In: a distribution and a seed. Out: a Subject, whose points are exact draws or, without `draw`,
starts; each with a w drawn by Gibbs sampling. All random numbers come from the seed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nrevu.cells.chains import settle
from nrevu.core.binding import compile_parts
from nrevu.core.contracts import class_of, has, part
from nrevu.core.rng import WORDS
from nrevu.core.trials import evaluation_seconds

POINTS = 6  # draws or starts at which functions are called
SAMPLE = 200  # draws or starts that tell where the distribution is, and how wide


@dataclass(frozen=True)
class Subject:
    """A distribution that is ready to be checked."""

    distribution: Any
    functions: dict[str, Any]  # compiled as in kernels, by name
    data: tuple  # what they receive
    seed: int
    x: np.ndarray  # (POINTS, dim): draws or starts
    w: np.ndarray  # (POINTS, gibbs_variables): drawn given them
    cost: dict[str, float]  # seconds of an `energy` and a `gradient`, inside compiled code
    centre: np.ndarray  # (dim): mean of draws or starts
    spread: np.ndarray  # (dim): their standard deviation, or a guess if they are all the same

    @property
    def exact(self) -> bool:
        """Tell whether there are exact draws."""
        return has(self.distribution, "draw")

    def energy(self, x, w) -> float:
        """Return U."""
        return self.functions["energy"](x, w, self.data)

    def gradient(self, x, w, left: float = np.nan) -> tuple[float, np.ndarray]:
        """Return U and its gradient g, which holds `left` before the call."""
        g = np.full(x.size, left)
        return self.functions["gradient"](x, w, self.data, g), g

    def rng(self, name: str) -> np.random.Generator:
        """Return the random numbers of a check, which no other check uses."""
        return np.random.default_rng([self.seed, *name.encode()])

    def bits(self, name: str, count: int) -> np.ndarray:
        """Return the states (count, WORDS) of generators for kernels and Gibbs scans."""
        return self.rng(name).integers(2**64, size=(count, WORDS), dtype=np.uint64)

    def evaluate(self, x: np.ndarray, w: np.ndarray, left: float = 0.0) -> np.ndarray:
        """Return U by `energy` and, if there is a `gradient`, U and the g by it."""
        if "gradient" not in self.functions:
            return np.array([self.energy(x, w)])
        U, g = self.gradient(x, w, left)
        return np.array([self.energy(x, w), U, *g])

    def scan(self, x: np.ndarray, bits: np.ndarray, w: Any = 0.0) -> np.ndarray:
        """Return w (points, gibbs_variables) after a Gibbs scan at each point; changes nothing."""
        drawn = np.zeros((len(x), self.w.shape[1])) + w
        if "gibbs" in self.functions:
            for *state, stream in zip(x, drawn, bits.copy(), strict=True):
                self.functions["gibbs"](*state, self.data, stream)
        return drawn

    def record(self, x: np.ndarray, w: np.ndarray, before: float = 0.0) -> np.ndarray:
        """Return the recorded rows (points, columns) of states; they hold `before` at first."""
        rows = np.full((len(x), len(part(self.distribution, "recorded"))), before, np.float32)
        for *state, row in zip(x, w, rows, strict=True):
            self.functions["record"](*state, self.energy(*state), self.data, row)
        return rows

    @property
    def stepsize(self) -> float:
        """Return about how large a step may be."""
        return 1.0 if "scales" in self.functions else float(self.spread.min())

    def away(self, factor: float) -> np.ndarray:
        """Return the points with their distance from the centre multiplied by a factor."""
        return self.centre + factor * (self.x - self.centre)

    def inside(self, *factors: float) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield x and w of the points of `away`, for each factor, that have a finite energy."""
        for factor in factors:
            for x, w in zip(self.away(factor), self.w, strict=True):
                if abs(self.energy(x, w)) < np.inf:
                    yield x, w


def prepare(distribution: Any, seed: int) -> Subject:
    """Return the Subject of a distribution."""
    functions, data = compile_parts(class_of(distribution)), part(distribution, "data")()
    rng, draw = np.random.default_rng(seed), part(distribution, "draw")
    begin = draw or part(distribution, "start")
    sample = np.array([begin(rng) for _ in range(SAMPLE)])
    centre, spread = sample.mean(axis=0), sample.std(axis=0)
    constant = spread <= 1e-12 * abs(centre)
    spread = np.where(constant, np.maximum(0.5 * abs(centre), 0.5), spread)
    x = sample[:POINTS]
    if draw is None:
        x = np.array([next(settle(distribution, seed, walk)) for walk in range(POINTS)])
        x = x + np.where(constant, 0.1 * spread, 0.0) * rng.standard_normal(x.shape)
    bits = rng.integers(2**64, size=(POINTS, WORDS), dtype=np.uint64)
    w = np.zeros((POINTS, part(distribution, "gibbs_variables")))
    evaluated = {"energy", "gradient"} & functions.keys()
    cost = {name: evaluation_seconds(distribution, name) for name in sorted(evaluated)}
    subject = Subject(distribution, functions, data, seed, x, w, cost, centre, spread)
    return replace(subject, w=subject.scan(x, bits))
