"""The methods: named settings of an update. `stepsize` is what a figure's axis shows."""

from dataclasses import dataclass
from typing import ClassVar

from nrevu.fields import real


@dataclass(frozen=True)
class Metropolis:
    """Random-walk Metropolis, Section 3."""

    update: ClassVar[str] = "metropolis"
    stepsize: float = real(above=0)  # standard deviation of a proposal before scaling
    scaling: float = real(default=0.0)  # eta = stepsize / dim^scaling

    def derived(self, dim: int) -> dict[str, float]:
        """Return what the update is run with, in the order of its kernel's arguments."""
        return {"eta": self.stepsize / dim**self.scaling}


METHODS = {"metropolis": Metropolis}
