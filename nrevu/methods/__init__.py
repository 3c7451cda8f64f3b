"""The methods: settings of the kernels in core/updates.py, `metropolis` and `hamiltonian`.

A method is a class with the parts of `contracts.Method`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from nrevu.core.contracts import Method, part, power
from nrevu.fields import integer, one_of, real


@dataclass(frozen=True)
class Metropolis:
    """Random-walk Metropolis, Section 3."""

    update: ClassVar[str] = "metropolis"
    arguments: ClassVar[tuple[str, ...]] = ("eta",)
    L: ClassVar[int] = 0  # gradient evaluations of an update
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
    """Hamiltonian Monte Carlo with trajectories of L leapfrog steps, Sections 4 and 5."""

    update: ClassVar[str] = "hamiltonian"
    stepsize: float = real(above=0)  # of a leapfrog step before scaling
    L: int = integer(at_least=1)  # leapfrog steps of a trajectory
    scaling: float = real(at_least=-3, at_most=3, default=0.0)  # eta = stepsize / dim^scaling
    # Each trajectory's stepsize is eta / sqrt(Gamma variate, mean 1, shape jitter / 2); 0: eta.
    jitter: float = real(at_least=0, default=0.0)


METHODS: dict[str, type] = {
    "metropolis": Metropolis,
    "langevin": Langevin,
    "persistent_langevin": PersistentLangevin,
    "hmc": HMC,
}


def derived(method: Any, dim: int) -> dict[str, float]:
    """Return the numbers that follow from a method's settings in `dim` dimensions."""
    return part(method, "derived", Method)(dim)


def arguments(method: Any, dim: int) -> tuple:
    """Return the numbers that the update's kernel takes: eta, or eta, alpha, L and jitter."""
    numbers = derived(method, dim)
    names = part(method, "arguments", Method)
    return tuple(numbers[name] if name in numbers else part(method, name, Method) for name in names)


def leapfrogs(method: Any) -> int:
    """Return the gradient evaluations of one update."""
    return part(method, "L", Method)
