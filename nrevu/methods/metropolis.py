"""Random-walk Metropolis: Section 3 of the paper. All coordinates are proposed at once."""

from dataclasses import dataclass

from nrevu.methods import real


@dataclass(frozen=True)
class Metropolis:
    """Propose x + eta n, n ~ N(0, I). It has no p, and the proposal is symmetric."""

    stepsize: float = real(above=0)  # standard deviation of a proposal before scaling
    scaling: float = real(at_least=-3, at_most=3, default=0.0)  # eta = stepsize / dim^scaling

    @staticmethod
    def propose(m, h, normal, now, new):
        """Write the proposal; the energy is U alone."""
        for i in range(normal.size):
            new.x[i] = now.x[i] + h[i] * normal[i]
        return 0.0
