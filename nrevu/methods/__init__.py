"""The methods: named settings of an update. `stepsize` is what a figure's axis shows.

Metropolis is an update of its own; the other three are settings of the Hamiltonian update.
"""

import functools
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any, ClassVar

from nrevu.fields import integer, one_of, real


@dataclass(frozen=True)
class Metropolis:
    """Random-walk Metropolis, Section 3."""

    update: ClassVar[str] = "metropolis"
    stepsize: float = real(above=0)  # standard deviation of a proposal before scaling
    scaling: float = real(at_least=-3, at_most=3, default=0.0)  # eta = stepsize / dim^scaling


@dataclass(frozen=True)
class Langevin:
    """One leapfrog step with fresh momentum, Section 4."""

    update: ClassVar[str] = "hamiltonian"
    stepsize: float = real(above=0)  # of the leapfrog step before scaling
    scaling: float = real(at_least=-3, at_most=3, default=0.0)  # eta = stepsize / dim^scaling


@dataclass(frozen=True)
class PersistentLangevin:
    """One leapfrog step with momentum that persists, Horowitz's method, Section 4."""

    update: ClassVar[str] = "hamiltonian"
    stepsize: float = real(above=0)  # of the leapfrog step before scaling
    alpha: float = real(at_least=0, at_most=1)  # how much of the momentum is kept
    alpha_per: str = one_of("update", "time")  # alpha as given, or alpha^eta
    scaling: float = real(at_least=-3, at_most=3, default=0.0)  # eta = stepsize / dim^scaling


@dataclass(frozen=True)
class HMC:
    """Hamiltonian Monte Carlo with trajectories of L leapfrog steps, Sections 4 and 5."""

    update: ClassVar[str] = "hamiltonian"
    stepsize: float = real(above=0)  # of a leapfrog step before scaling
    L: int = integer(at_least=1)  # leapfrog steps of a trajectory
    scaling: float = real(at_least=-3, at_most=3, default=0.0)  # eta = stepsize / dim^scaling
    # Each trajectory's stepsize is eta / sqrt(Gamma variate, mean 1, shape jitter / 2); 0: eta.
    jitter: float = real(at_least=0, default=0.0)


METHODS = {
    "metropolis": Metropolis,
    "langevin": Langevin,
    "persistent_langevin": PersistentLangevin,
    "hmc": HMC,
}


def derived(method: Any, dim: int) -> dict[str, float]:
    """Return what follows from a method's settings in so many dimensions."""
    eta = method.stepsize / power(dim, method.scaling)
    if isinstance(method, PersistentLangevin):
        by_time = method.alpha_per == "time"
        return {"eta": eta, "alpha": power(method.alpha, eta) if by_time else method.alpha}
    return {"eta": eta}


@functools.cache
def power(base: float, exponent: float) -> float:
    """Return base^exponent, base not negative: the same bits whatever the C library's `pow` is."""
    if base == 0:
        return float(exponent == 0)
    with localcontext(prec=30):
        return float(Decimal(base) ** Decimal(exponent))


def arguments(method: Any, dim: int) -> tuple:
    """Return the numbers that the update's kernel takes: eta, or eta, alpha, L and jitter."""
    numbers = derived(method, dim)
    if isinstance(method, Metropolis):
        return (numbers["eta"],)
    jitter = method.jitter if isinstance(method, HMC) else 0.0
    return (numbers["eta"], numbers.get("alpha", 0.0), leapfrogs(method), jitter)


def leapfrogs(method: Any) -> int:
    """Return the gradient evaluations of one update."""
    return getattr(method, "L", 0 if isinstance(method, Metropolis) else 1)
