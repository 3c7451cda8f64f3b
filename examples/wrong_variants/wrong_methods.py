"""Langevin updates with persistent momentum, each with one mistake; and proposals without their q.

Mistakes like these exist in public code. `nrevu check wrong_methods.py --name NAME` finds each.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from nrevu.methods import exp, real
from nrevu.methods.hamiltonian import finish, propose, settle


@dataclass(frozen=True)
class Right:
    """No mistake, to compare with."""

    uses_gradient: ClassVar[bool] = True
    stepsize: float = real(above=0, default=0.8)
    alpha: float = real(at_least=0, at_most=1, default=0.9)
    propose, finish, settle = map(staticmethod, (propose, finish, settle))


@dataclass(frozen=True)
class AlphaSquared:
    """p is multiplied by alpha^2 in place of alpha."""

    uses_gradient: ClassVar[bool] = True
    stepsize: float = real(above=0, default=0.8)
    alpha: float = real(at_least=0, at_most=1, default=0.9)
    finish, settle = map(staticmethod, (finish, settle))

    @staticmethod
    def propose(m, h, normal, now, new):
        kinetic, fresh = 0.0, math.sqrt(1.0 - m.alpha * m.alpha)
        for i in range(normal.size):
            now.p[i] = m.alpha * m.alpha * now.p[i] + fresh * normal[i]
            kinetic += now.p[i] * now.p[i]
            new.p[i] = now.p[i] - 0.5 * h[i] * now.g[i]
            new.x[i] = now.x[i] + h[i] * new.p[i]
        return 0.5 * kinetic


@dataclass(frozen=True)
class NoSquareRoot:
    """Too little fresh momentum: 1 - alpha^2 in place of its square root."""

    uses_gradient: ClassVar[bool] = True
    stepsize: float = real(above=0, default=0.8)
    alpha: float = real(at_least=0, at_most=1, default=0.9)
    finish, settle = map(staticmethod, (finish, settle))

    @staticmethod
    def propose(m, h, normal, now, new):
        kinetic, fresh = 0.0, 1.0 - m.alpha * m.alpha
        for i in range(normal.size):
            now.p[i] = m.alpha * now.p[i] + fresh * normal[i]
            kinetic += now.p[i] * now.p[i]
            new.p[i] = now.p[i] - 0.5 * h[i] * now.g[i]
            new.x[i] = now.x[i] + h[i] * new.p[i]
        return 0.5 * kinetic


@dataclass(frozen=True)
class NegatedOnBoth:
    """p is negated whether or not the proposal is taken."""

    uses_gradient: ClassVar[bool] = True
    stepsize: float = real(above=0, default=0.8)
    alpha: float = real(at_least=0, at_most=1, default=0.9)
    propose, finish = map(staticmethod, (propose, finish))

    @staticmethod
    def settle(m, taken, now, new):
        for i in range(new.p.size):
            old, proposed = now.p[i], new.p[i]
            now.p[i] = -proposed if taken else -old


@dataclass(frozen=True)
class NegatedOnNone:
    """p goes on whether or not the proposal is taken."""

    uses_gradient: ClassVar[bool] = True
    stepsize: float = real(above=0, default=0.8)
    alpha: float = real(at_least=0, at_most=1, default=0.9)
    propose, finish = map(staticmethod, (propose, finish))

    @staticmethod
    def settle(m, taken, now, new):
        for i in range(new.p.size):
            old, proposed = now.p[i], new.p[i]
            now.p[i] = proposed if taken else old


@dataclass(frozen=True)
class NoFirstHalfStep:
    """The leapfrog step begins with the whole step of x."""

    uses_gradient: ClassVar[bool] = True
    stepsize: float = real(above=0, default=0.8)
    alpha: float = real(at_least=0, at_most=1, default=0.9)
    finish, settle = map(staticmethod, (finish, settle))

    @staticmethod
    def propose(m, h, normal, now, new):
        kinetic, fresh = 0.0, math.sqrt(1.0 - m.alpha * m.alpha)
        for i in range(normal.size):
            now.p[i] = m.alpha * now.p[i] + fresh * normal[i]
            kinetic += now.p[i] * now.p[i]
            new.p[i] = now.p[i]
            new.x[i] = now.x[i] + h[i] * new.p[i]
        return 0.5 * kinetic


@dataclass(frozen=True)
class NoLastHalfStep:
    """The leapfrog step ends with the whole step of x."""

    uses_gradient: ClassVar[bool] = True
    stepsize: float = real(above=0, default=0.8)
    alpha: float = real(at_least=0, at_most=1, default=0.9)
    propose, settle = map(staticmethod, (propose, settle))

    @staticmethod
    def finish(m, h, now, new):
        kinetic = 0.0
        for i in range(new.p.size):
            kinetic += new.p[i] * new.p[i]
        return 0.5 * kinetic


@dataclass(frozen=True)
class NoKineticEnergy:
    """The decision compares U alone."""

    uses_gradient: ClassVar[bool] = True
    stepsize: float = real(above=0, default=0.8)
    alpha: float = real(at_least=0, at_most=1, default=0.9)
    settle = staticmethod(settle)

    @staticmethod
    def propose(m, h, normal, now, new):
        fresh = math.sqrt(1.0 - m.alpha * m.alpha)
        for i in range(normal.size):
            now.p[i] = m.alpha * now.p[i] + fresh * normal[i]
            new.p[i] = now.p[i] - 0.5 * h[i] * now.g[i]
            new.x[i] = now.x[i] + h[i] * new.p[i]
        return 0.0

    @staticmethod
    def finish(m, h, now, new):
        for i in range(new.p.size):
            new.p[i] -= 0.5 * h[i] * new.g[i]
        return 0.0


@dataclass(frozen=True)
class DriftWithoutDensity:
    """A step down the gradient plus noise, accepted as if that were symmetric."""

    uses_gradient: ClassVar[bool] = True
    stepsize: float = real(above=0, default=0.8)

    @staticmethod
    def propose(m, h, normal, now, new):
        for i in range(normal.size):
            new.x[i] = now.x[i] - 0.5 * h[i] * h[i] * now.g[i] + h[i] * normal[i]
        return 0.0


@dataclass(frozen=True)
class FactorWithoutDensity:
    """Each coordinate multiplied by a lognormal factor, accepted as if that were symmetric."""

    stepsize: float = real(above=0, default=0.8)

    @staticmethod
    def propose(m, h, normal, now, new):
        for i in range(normal.size):
            new.x[i] = now.x[i] * exp(h[i] * normal[i])
        return 0.0
