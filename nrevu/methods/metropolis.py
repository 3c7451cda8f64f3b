"""Random-walk Metropolis: settings of the `metropolis` kernel (core/updates.py)."""

from dataclasses import dataclass
from typing import ClassVar

from nrevu.fields import real


@dataclass(frozen=True)
class Metropolis:
    """Random-walk Metropolis, Section 3."""

    update: ClassVar[str] = "metropolis"
    arguments: ClassVar[tuple[str, ...]] = ("eta",)
    L: ClassVar[int] = 0  # gradient evaluations of an update
    stepsize: float = real(above=0)  # standard deviation of a proposal before scaling
    scaling: float = real(at_least=-3, at_most=3, default=0.0)  # eta = stepsize / dim^scaling
