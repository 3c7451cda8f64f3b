"""A slow u that is reversible: v moves by delta up or down, each with chance 1/2.

Compared with the paper's rule of the same delta, it shows how much of a gain is due to a u that
changes slowly, so that rejections cluster, and how much to the direction in which u moves.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from nrevu.u import real, wrap


@dataclass(frozen=True)
class Reversible:
    """A random walk of v in steps of delta."""

    uniforms: ClassVar[bool] = True
    delta: float = real(above=0, at_most=1)  # size of a move of v; v has period 2

    @staticmethod
    def move(r, v, uniform, bits):
        """Return v moved up or down, and wrapped into [-1,1]."""
        return wrap(v + math.copysign(r.delta, uniform))
