"""The standard method: a new u for each decision. That is a v that moves by a uniform on (-1,1)."""

from dataclasses import dataclass
from typing import ClassVar

from nrevu.u.nonreversible import Nonreversible


@dataclass(frozen=True)
class Standard:
    """The paper's rule with delta 0 and noise 1. It has no settings."""

    uniforms: ClassVar[bool] = True
    delta: ClassVar[float] = 0.0
    noise: ClassVar[float] = 1.0
    move = staticmethod(Nonreversible.move)
    rescale = staticmethod(Nonreversible.rescale)
