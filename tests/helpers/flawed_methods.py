"""Methods for tests, each with a mistake that is not one of statistics, or unusual and right."""

import math
from dataclasses import dataclass
from typing import ClassVar

from nrevu.methods import integer, njit, real
from nrevu.methods.hamiltonian import finish, propose


@dataclass(frozen=True)
class WritesNow:
    """Changes the current x, also if the proposal is rejected."""

    stepsize: float = real(above=0, default=0.8)

    @staticmethod
    def propose(m, h, normal, now, new):
        for i in range(normal.size):
            now.x[i] += h[i] * normal[i]
            new.x[i] = now.x[i]
        return 0.0


@dataclass(frozen=True)
class Unwritten:
    """Leaves the last coordinate of the proposal as it was before."""

    stepsize: float = real(above=0, default=0.8)

    @staticmethod
    def propose(m, h, normal, now, new):
        for i in range(normal.size - 1):
            new.x[i] = now.x[i] + h[i] * normal[i]
        return 0.0


@dataclass(frozen=True)
class ReadsGradient:
    """Uses a gradient that it does not ask for."""

    stepsize: float = real(above=0, default=0.8)

    @staticmethod
    def propose(m, h, normal, now, new):
        for i in range(normal.size):
            new.x[i] = now.x[i] + h[i] * normal[i] - h[i] * now.g[i]
        return 0.0


@dataclass(frozen=True)
class Frozen:
    """Never moves the first coordinate."""

    stepsize: float = real(above=0, default=0.8)

    @staticmethod
    def propose(m, h, normal, now, new):
        for i in range(normal.size):
            new.x[i] = now.x[i] + (h[i] * normal[i] if i > 0 else 0.0)
        return 0.0


@dataclass(frozen=True)
class Silent:
    """Returns nothing from `propose`."""

    stepsize: float = real(above=0, default=0.8)

    @staticmethod
    def propose(m, h, normal, now, new):
        for i in range(normal.size):
            new.x[i] = now.x[i] + h[i] * normal[i]


@dataclass(frozen=True)
class Outside:
    """Reads beyond the end of an array."""

    stepsize: float = real(above=0, default=0.8)

    @staticmethod
    def propose(m, h, normal, now, new):
        for i in range(normal.size):
            new.x[i] = now.x[i] + h[i] * normal[i + 1]
        return 0.0


@njit(fastmath=True)
def not_inlined(a):
    """Add with fast-math flags, and as a call."""
    return a + 0.0


@dataclass(frozen=True)
class Helped:
    """Calls a helper function that may round differently from the cache."""

    stepsize: float = real(above=0, default=0.8)

    @staticmethod
    def propose(m, h, normal, now, new):
        for i in range(normal.size):
            new.x[i] = not_inlined(now.x[i] + h[i] * normal[i])
        return 0.0


@dataclass(frozen=True)
class NoStep:
    """Has trajectories, and no `step`."""

    uses_gradient: ClassVar[bool] = True
    stepsize: float = real(above=0, default=0.8)
    L: int = integer(at_least=1, default=5)

    @staticmethod
    def propose(m, h, normal, now, new):
        for i in range(normal.size):
            new.x[i] = now.x[i] + h[i] * normal[i]
        return 0.0


@dataclass(frozen=True)
class Untyped:
    """Cannot be compiled."""

    stepsize: float = real(above=0, default=0.8)

    @staticmethod
    def propose(m, h, normal, now, new):
        for i in range(normal.size):
            new.x[i] = now.x[i] + h[i] * normal[i]
        return {"a": 0.0}["a"] if m.stepsize > 0 else "b"


@dataclass(frozen=True)
class Drift:
    """A drift towards 0 plus noise, with the densities of the proposal and of the way back."""

    stepsize: float = real(above=0, default=0.8)
    sign: float = real(default=1.0)  # -1: the two are exchanged

    @staticmethod
    def propose(m, h, normal, now, new):
        energy = 0.0
        for i in range(normal.size):
            new.x[i] = (1.0 - 0.1 * h[i]) * now.x[i] + h[i] * normal[i]
            energy += 0.5 * normal[i] * normal[i]
        return m.sign * energy

    @staticmethod
    def finish(m, h, now, new):
        energy = 0.0
        for i in range(now.x.size):
            gap = (now.x[i] - (1.0 - 0.1 * h[i]) * new.x[i]) / h[i]
            energy += 0.5 * gap * gap
        return m.sign * energy


@dataclass(frozen=True)
class BlockMomentum:
    """Right: refreshes, uses and reverses the momenta of one block only."""

    stepsize: float = real(above=0, default=0.8)
    alpha: float = real(default=0.7)
    blocks: ClassVar[int] = 3

    @staticmethod
    def propose(m, h, normal, now, new):
        for i in range(normal.size):
            new.x[i], new.p[i] = now.x[i], now.p[i]
        for i in range(now.turn, normal.size, m.blocks):
            now.p[i] = m.alpha * now.p[i] + math.sqrt(1.0 - m.alpha * m.alpha) * normal[i]
            new.p[i] = now.p[i]
            new.x[i] = now.x[i] + h[i] * now.p[i]
        return 0.0

    @staticmethod
    def settle(m, taken, now, new):
        for i in range(now.turn, now.p.size, m.blocks):
            now.p[i] = now.p[i] if taken else -now.p[i]


@dataclass(frozen=True)
class FreshUnsettled:
    """Right: p is drawn afresh, so nobody has to settle it."""

    uses_gradient: ClassVar[bool] = True
    alpha: ClassVar[float] = 0.0
    stepsize: float = real(above=0, default=0.8)
    propose, finish = map(staticmethod, (propose, finish))
