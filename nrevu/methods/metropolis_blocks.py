"""Metropolis updates of blocks of coordinates in turn, with one v or one for each block.

Section 2 of the paper mentions several independent v, and does not explore them.
"""

from dataclasses import dataclass

from nrevu.methods import integer, one_of, real


@dataclass(frozen=True)
class MetropolisBlocks:
    """Propose x + eta n for one block of coordinates; the others stay as they are.

    Coordinate i belongs to block i modulo `blocks`. Each update evaluates U for all coordinates.
    """

    stepsize: float = real(above=0)  # standard deviation of a proposal before scaling
    blocks: int = integer(at_least=1, at_most=1000)
    v_for: str = one_of("block", "all")  # a v for each block, or one for all of them
    scaling: float = real(at_least=-3, at_most=3, default=0.0)  # eta = stepsize / dim^scaling

    @property
    def separate_v(self) -> int:
        """Return the number of v."""
        return self.blocks if self.v_for == "block" else 1

    @staticmethod
    def propose(m, h, normal, now, new):
        """Write the proposal; the energy is U alone."""
        for i in range(normal.size):
            new.x[i] = now.x[i]
        for i in range(now.turn, normal.size, m.blocks):
            new.x[i] = now.x[i] + h[i] * normal[i]
        return 0.0
