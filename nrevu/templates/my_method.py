"""A method of your own: the stages of an update, those that it needs and those that it may have.

The file runs as it is; try it, then change it:

  nrevu check my_method.py alpha=0.5
  nrevu run method.file=my_method.py method.stepsize=1.5 method.alpha=0.5

The method is a guided walk: Metropolis whose proposals x + eta p keep their direction until one is
rejected. An update has these steps; the stages below are yours, the driver does the rest:

  propose   write the proposal into new.x (and new.p)
  (driver)  U and, if you ask for it, its gradient at new.x
  finish    the energy that the proposal has besides U
  (driver)  u = |v|: take the proposal if u < exp(-dH), dH the change of the energy
  settle    what becomes of p
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from nrevu.methods import power, real  # everything that this file needs of nrevu is there


# REQUIRED: a class with this line above it. You choose its name; a file may have several classes.
@dataclass(frozen=True)
class MyWalk:
    """Propose x + eta p; p persists until a proposal is rejected."""

    # True if the stages use now.g or new.g, the gradients of U at now.x and new.x.
    uses_gradient: ClassVar[bool] = False

    # REQUIRED: stepsize, a setting. Other settings as you like: method.alpha=0.5 on the command
    # line and in sweeps. real(at_least=, above=, at_most=, below=, default=), integer(at_least=,
    # at_most=, default=), one_of("this", "that") and text() say what is allowed; without a default
    # they are required.
    stepsize: float = real(above=0, default=1.8)
    scaling: float = real(at_least=-3, at_most=3, default=0.5)  # eta = stepsize / dim^scaling
    alpha: float = real(at_least=0, at_most=1, default=0.5)  # the fraction of p that persists

    # OPTIONAL: numbers that follow from the settings in `dim` dimensions. Without it: eta.
    def derived(self, dim: int) -> dict[str, float]:
        """Return eta, and the weight of the fresh part of p."""
        eta = self.stepsize / power(dim, self.scaling)  # dim^scaling, the same bits everywhere
        return {"eta": eta, "fresh": math.sqrt(1.0 - self.alpha * self.alpha)}

    # The stages are compiled by numba: plain numbers, arrays and loops, no `self`, each with
    # @staticmethod above it. m has all numbers of the class by name: m.alpha, m.fresh, m.eta.
    # h[i] is the stepsize of coordinate i. `now` is the state, `new` the proposal, of one chain:
    # arrays x, p and g. Of these, write only now.p, new.x and new.p.

    # REQUIRED: propose. `normal` holds fresh N(0,1) variates, one for each coordinate.
    @staticmethod
    def propose(m, h, normal, now, new):
        """Refresh p, write the proposal; return what the energy has besides U before it."""
        for i in range(normal.size):
            now.p[i] = m.alpha * now.p[i] + m.fresh * normal[i]  # p stays N(0, I)
            new.p[i] = now.p[i]
            new.x[i] = now.x[i] + h[i] * now.p[i]
        # Nothing besides U here: |p| stays as it is. With a kinetic energy: |now.p|^2 / 2. With a
        # proposal without p that is not symmetric: -log of its density, q(new.x from now.x).
        return 0.0

    # OPTIONAL: the same of the proposal, once its gradient new.g is known: |new.p|^2 / 2, or
    # -log q(now.x from new.x). Without it: 0.
    @staticmethod
    def finish(m, h, now, new):
        """Return what the energy has besides U after the proposal."""
        return 0.0

    # OPTIONAL: what becomes of p. (The driver copies new.x and new.g where a proposal is taken.)
    # Without it p stays as `propose` left it.
    @staticmethod
    def settle(m, taken, now, new):
        """Taken, p goes on; rejected, it is reversed, or the chain would not be right."""
        for i in range(new.p.size):
            old, proposed = now.p[i], new.p[i]
            now.p[i] = proposed if taken else -old

    # OPTIONAL, for trajectories of several steps: L, a setting or a constant, how many gradients
    # an update needs, and `step`, called L - 1 times between `propose` and `finish`.
    #
    #   L: int = integer(at_least=1)
    #
    #   @staticmethod
    #   def step(m, h, new):
    #       for i in range(new.p.size):
    #           new.p[i] -= h[i] * new.g[i]
    #           new.x[i] += h[i] * new.p[i]
    #
    # OPTIONAL: another stepsize for each update, with next_uniform(bits), next_normal(bits) or
    # next_gamma(bits, shape) from nrevu.methods. Without it, or with varies = False: m.eta.
    #
    #   @staticmethod
    #   def vary(m, bits):
    #       return m.eta * (0.8 + 0.4 * next_uniform(bits))
    #
    # OPTIONAL: updates of blocks of coordinates in turn. now.turn runs from 0 to blocks - 1, and
    # each block has its own v if separate_v = blocks. new.x must have all coordinates.
    #
    #   blocks: int = integer(at_least=1)
    #   separate_v: ClassVar[int] = 1
