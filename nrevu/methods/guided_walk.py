"""A guided walk: Metropolis with a momentum that persists until a proposal is rejected.

Gustafson's method (1998), for all coordinates at once and with partial refreshment as in Horowitz's
method. It needs no gradients: p gives the direction, and U alone decides.
"""

import math
from dataclasses import dataclass

from nrevu.methods import real


@dataclass(frozen=True)
class GuidedWalk:
    """Propose x + eta p, after p <- alpha p + sqrt(1 - alpha^2) n with n ~ N(0, I)."""

    stepsize: float = real(above=0)  # standard deviation of a proposal before scaling
    alpha: float = real(at_least=0, at_most=1)  # the fraction of the momentum that persists
    scaling: float = real(at_least=-3, at_most=3, default=0.0)  # eta = stepsize / dim^scaling

    @staticmethod
    def propose(m, h, normal, now, new):
        """Refresh p and write the proposal (x + eta p, -p): |p| stays, so U alone matters."""
        fresh = math.sqrt(1.0 - m.alpha * m.alpha)
        for i in range(normal.size):
            now.p[i] = m.alpha * now.p[i] + fresh * normal[i]
            new.x[i] = now.x[i] + h[i] * now.p[i]
        return 0.0

    @staticmethod
    def settle(m, taken, now, new):
        """Taken, p goes on; rejected, it is reversed."""
        for i in range(now.p.size):
            p = now.p[i]
            now.p[i] = p if taken else -p
