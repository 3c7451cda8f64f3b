"""The methods, one file per update. A method is a class with the parts of `contracts.Method`."""

from typing import Any

from nrevu.core.contracts import Method, part
from nrevu.methods.hamiltonian import HMC, Langevin, PersistentLangevin
from nrevu.methods.metropolis import Metropolis

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
