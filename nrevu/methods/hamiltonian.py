"""Hamiltonian updates: Section 4 of the paper, steps 1 to 4 of Horowitz's method.

L leapfrog steps, where the paper has one, and partial refreshment of the momentum p. Langevin is
alpha 0 and L 1, Langevin with persistent momentum alpha near 1 and L 1, HMC alpha 0 and large L.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from nrevu.methods import integer, next_gamma, one_of, power, real


def vary(m, bits):
    """Return a trajectory's stepsize: eta / sqrt(Gamma variate of mean 1, shape jitter / 2)."""
    return m.eta / math.sqrt(next_gamma(bits, 0.5 * m.jitter)) if m.jitter > 0 else m.eta


def propose(m, h, normal, now, new):
    """Step 1, and the first half step of step 2; return |p|^2 / 2 after step 1."""
    kinetic, fresh = 0.0, math.sqrt(1.0 - m.alpha * m.alpha)
    for i in range(normal.size):
        eta = h[i]
        now.p[i] = m.alpha * now.p[i] + fresh * normal[i]
        kinetic += now.p[i] * now.p[i]
        new.p[i] = now.p[i] - 0.5 * eta * now.g[i]
        new.x[i] = now.x[i] + eta * new.p[i]
    return 0.5 * kinetic


def step(m, h, new):
    """Step 2 between two leapfrog steps: their half steps of p together, then the step of x."""
    for i in range(new.p.size):
        eta = h[i]
        new.p[i] -= eta * new.g[i]
        new.x[i] += eta * new.p[i]


def finish(m, h, now, new):
    """The last half step of step 2; return |p|^2 / 2. The proposal is (new.x, -new.p)."""
    kinetic = 0.0
    for i in range(new.p.size):
        new.p[i] -= 0.5 * h[i] * new.g[i]
        kinetic += new.p[i] * new.p[i]
    return 0.5 * kinetic


def settle(m, taken, now, new):
    """Step 4, after the decision of step 3, negates p: taken, it goes on; rejected, it turns."""
    for i in range(new.p.size):
        old, proposed = now.p[i], new.p[i]
        now.p[i] = proposed if taken else -old


STAGES = [staticmethod(stage) for stage in (vary, propose, step, finish, settle)]


@dataclass(frozen=True)
class Langevin:
    """One leapfrog step with fresh momentum."""

    uses_gradient: ClassVar[bool] = True
    vary, propose, step, finish, settle = STAGES
    alpha: ClassVar[float] = 0.0
    L: ClassVar[int] = 1
    jitter: ClassVar[float] = 0.0
    varies: ClassVar[bool] = False
    stepsize: float = real(above=0)  # of the leapfrog step before scaling
    scaling: float = real(at_least=-3, at_most=3, default=0.0)  # eta = stepsize / dim^scaling


@dataclass(frozen=True)
class PersistentLangevin:
    """One leapfrog step with momentum that persists: Horowitz's method."""

    uses_gradient: ClassVar[bool] = True
    vary, propose, step, finish, settle = STAGES
    L: ClassVar[int] = 1
    jitter: ClassVar[float] = 0.0
    varies: ClassVar[bool] = False
    stepsize: float = real(above=0)  # of the leapfrog step before scaling
    alpha: float = real(at_least=0, at_most=1)  # the fraction of the momentum that persists
    alpha_per: str = one_of("update", "time")  # alpha as given, or alpha^eta
    scaling: float = real(at_least=-3, at_most=3, default=0.0)  # eta = stepsize / dim^scaling

    def derived(self, dim: int) -> dict[str, float]:
        """Return eta and the alpha of one update."""
        eta = self.stepsize / power(dim, self.scaling)
        alpha = power(self.alpha, eta) if self.alpha_per == "time" else self.alpha
        return {"eta": eta, "alpha": alpha}


@dataclass(frozen=True)
class HMC:
    """Hamiltonian Monte Carlo with trajectories of L leapfrog steps and fresh momentum."""

    uses_gradient: ClassVar[bool] = True
    vary, propose, step, finish, settle = STAGES
    alpha: ClassVar[float] = 0.0
    stepsize: float = real(above=0)  # of a leapfrog step before scaling
    L: int = integer(at_least=1)  # leapfrog steps of a trajectory
    scaling: float = real(at_least=-3, at_most=3, default=0.0)  # eta = stepsize / dim^scaling
    # Each trajectory's stepsize is eta / sqrt(Gamma variate, mean 1, shape jitter / 2); 0: eta.
    jitter: float = real(at_least=0, default=0.0)

    @property
    def varies(self) -> bool:
        """Tell whether stepsizes of trajectories differ."""
        return self.jitter > 0
