"""A distribution for tests whose settings break it, each in one way; compiled once for all."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nrevu.core.rng import next_gamma
from nrevu.fields import real

SHAPE = 6.0  # of w, a precision with mean 1


@dataclass(frozen=True)
class Flawed:
    """x given w ~ N(0, I / w), w ~ Gamma: Student's, with 2 SHAPE degrees of freedom."""

    dim: ClassVar[int] = 2
    gibbs_variables: ClassVar[int] = 1
    slope: float = real(default=1.0)  # g[1] is multiplied by it
    shift: float = real(default=0.0)  # added to the U that `gradient` returns
    jump: float = real(default=0.0)  # of U, not seen by the gradient, where x[0] > 0.3
    kink: float = real(default=0.0)  # times |x[0]|, added to U
    hole: float = real(default=1e300)  # beyond which U is nan
    wall: float = real(default=1e300)  # beyond which U is infinite
    memory: float = real(default=0.0)  # how much of what was in g is kept
    grains: float = real(default=0.0)  # U is rounded to multiples of this
    touch: float = real(default=0.0)  # added to x[0] by `energy`
    drift: float = real(default=0.0)  # how much each evaluation adds to the next
    columns: float = real(default=2.0)  # how many are recorded
    rate: float = real(default=1.0)  # of the precisions that `gibbs` draws
    sticky: float = real(default=0.0)  # how much of the last w stays
    late: float = real(default=0.0)  # what `renew` leaves out
    wide: float = real(default=1.0)  # standard deviation of draws
    mean: float = real(default=0.0)  # of x[0], as claimed
    other: float = real(default=0.0)  # 1: draws take random numbers from elsewhere

    def means(self):
        return {"coordinate": self.mean, "log_prob": None}

    def data(self):
        numbers = (self.slope, self.shift, self.jump, self.kink, self.hole, self.wall)
        compiled = (self.memory, self.grains, self.touch, self.drift, self.columns)
        return (*numbers, *compiled, self.rate, self.sticky, self.late, np.zeros(1))

    def draw(self, rng):
        rng = np.random.default_rng() if self.other else rng
        return self.wide * rng.standard_normal(2) / math.sqrt(rng.gamma(SHAPE) / SHAPE)

    @staticmethod
    def energy(x, w, data):
        _, _, jump, kink, hole, wall, _, grains, touch, drift, _, _, _, _, kept = data
        U = 0.5 * w[0] * (x[0] * x[0] + x[1] * x[1]) + kink * abs(x[0]) + kept[0]
        U += jump if x[0] > 0.3 else 0.0
        kept[0] += drift
        x[0] += touch
        size = max(abs(x[0]), abs(x[1]))
        U = math.nan if size > hole else U
        U = math.inf if size > wall else U
        return math.floor(U / grains) * grains if grains > 0 else U

    @staticmethod
    def gradient(x, w, data, g):
        slope, shift, jump, kink, _, _, memory, _, _, _, _, _, _, _, _ = data
        U = 0.5 * w[0] * (x[0] * x[0] + x[1] * x[1]) + kink * abs(x[0])
        U += jump if x[0] > 0.3 else 0.0
        left = memory * g[0] if memory != 0 else 0.0
        g[0] = left + w[0] * x[0] + kink * math.copysign(1.0, x[0])
        g[1] = slope * w[0] * x[1]
        return U + shift

    @staticmethod
    def gibbs(x, w, data, bits):
        shape = SHAPE + 1.0
        anew = next_gamma(bits, shape) * shape / (SHAPE + 0.5 * data[11] * (x[0] ** 2 + x[1] ** 2))
        w[0] = (1.0 - data[12]) * anew + data[12] * w[0]

    @staticmethod
    def renew(x, w, before, data, U, g):
        more = w[0] - before[0] - data[13]
        g[0] += more * x[0]
        g[1] += more * x[1]
        return U + 0.5 * more * (x[0] * x[0] + x[1] * x[1])

    @staticmethod
    def record(x, w, U, data, row):
        row[0] = x[0]
        if data[10] != 1.0:
            row[1] = U
        if data[10] == 3.0:
            row[2] = U


@dataclass(frozen=True)
class Plain:
    """As little as a class may have: no gradient, no draws."""

    dim: int

    @staticmethod
    def energy(x, w, data):
        total = 0.0
        for i in range(x.size):
            total += abs(x[i])
        return total


@dataclass(frozen=True)
class Gradients:
    """A class whose energy is what its gradient returns."""

    dim: ClassVar[int] = 1

    @staticmethod
    def gradient(x, w, data, g):
        g[0] = math.tanh(x[0])
        return math.log(2.0 * math.cosh(x[0]))


@dataclass(frozen=True)
class Box:
    """Flat inside, nothing outside."""

    dim: ClassVar[int] = 2

    def draw(self, rng):
        return rng.uniform(size=2)

    @staticmethod
    def gradient(x, w, data, g):
        g[:] = 0.0
        return 0.0 if 0.0 < x[0] < 1.0 and 0.0 < x[1] < 1.0 else math.inf


@dataclass(frozen=True)
class Silent:
    """A gradient that returns nothing."""

    dim: ClassVar[int] = 1

    @staticmethod
    def gradient(x, w, data, g):
        g[0] = x[0]


@dataclass(frozen=True)
class Raises:
    """An energy that raises."""

    dim: ClassVar[int] = 1

    @staticmethod
    def energy(x, w, data):
        if x[0] < 0:
            raise ValueError("outside")
        return x[0]


@dataclass(frozen=True)
class Untyped:
    """An energy that numba cannot compile."""

    dim: ClassVar[int] = 1

    @staticmethod
    def energy(x, w, data):
        return x[0] + "a"
