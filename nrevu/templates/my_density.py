"""A distribution of your own: the parts that it needs, and those that it may have.

The file runs as it is; try it, then change it:

  nrevu check my_density.py curvature=3
  nrevu run distribution.file=my_density.py distribution.curvature=0.5 method.stepsize=2.5

The density has the shape of a banana, more so with a larger curvature:
x[0] ~ N(0, 1), and x[1] given x[0] ~ N(curvature * (x[0]^2 - 1), 1).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nrevu.distributions import real  # everything that this file needs of nrevu is there


# REQUIRED: a class with this line above it. You choose its name; a file may have several classes.
@dataclass(frozen=True)
class Banana:
    """A banana in two dimensions."""

    # REQUIRED: dim, the number of coordinates. Constant as here, or a setting:
    #   dim: int = integer(at_least=1)
    # or a property that follows from settings.
    dim: ClassVar[int] = 2

    # Settings, as many as you like: distribution.curvature=3 on the command line and in sweeps.
    # real(at_least=, above=, at_most=, below=, default=), integer(at_least=, at_most=, default=),
    # one_of("this", "that") and text() say what is allowed; without a default they are required.
    curvature: float = real(at_least=0, default=1.0)

    # OPTIONAL, together with record below: the recorded quantities in order, each with its true
    # mean, or None if that is not known (the mean over all chains is used). Without both:
    # coordinate, which is x[0], and log_prob, which is U, with unknown means.
    def means(self) -> dict[str, float | None]:
        """Return the recorded quantities in order, with their true means."""
        return {"coordinate": 0.0, "height": 0.0, "log_prob": 1.0}

    # OPTIONAL: numbers and arrays that the compiled functions receive as `data`. They have no
    # `self`: pass them what they need of the settings.
    def data(self) -> tuple:
        """Return what the compiled functions below receive as `data`."""
        return (self.curvature,)

    # OPTIONAL: an exact draw, from the random numbers of rng alone. Chains then start in the
    # distribution. Without it they start at the point that start(self, rng) returns, or at standard
    # normals, and the first run.burn_in groups of each are dropped.
    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Return an exact draw."""
        first, other = rng.standard_normal(2)
        return np.array([first, self.curvature * (first * first - 1.0) + other])

    # The next functions are compiled by numba: plain numbers, arrays and loops, no `self`, each
    # with @staticmethod above it. w is empty unless there is a gibbs, see below.

    # REQUIRED: energy or gradient. Without gradient only method=metropolis can be used; without
    # energy, U is what gradient returns.
    @staticmethod
    def energy(x, w, data):
        """Return U(x) = -log density, up to a constant; math.inf outside the support."""
        (curvature,) = data
        gap = x[1] - curvature * (x[0] * x[0] - 1.0)
        return 0.5 * (x[0] * x[0] + gap * gap)

    @staticmethod
    def gradient(x, w, data, g):
        """Write the gradient of U into g, every g[i], and return U."""
        (curvature,) = data
        gap = x[1] - curvature * (x[0] * x[0] - 1.0)
        g[0] = x[0] - 2.0 * curvature * x[0] * gap
        g[1] = gap
        return 0.5 * (x[0] * x[0] + gap * gap)

    @staticmethod
    def record(x, w, U, data, row):
        """Write the quantities that `means` names into row, in that order."""
        row[0] = x[0]
        row[1] = x[1]
        row[2] = U

    # OPTIONAL, for variables that only Gibbs sampling changes (set schedule.gibbs_every): their
    # number, and a scan that draws w given x with next_uniform(bits), on (0,1), or
    # next_gamma(bits, shape), with mean 1. U is then -log of the joint density of x and w, without
    # the factors that do not depend on x.
    #
    #   gibbs_variables: ClassVar[int] = 1
    #
    #   @staticmethod
    #   def gibbs(x, w, data, bits):
    #       w[0] = 1.0 if next_uniform(bits) < 1.0 / (1.0 + exp(x[0])) else 0.0
    #
    # OPTIONAL with it: U and g for the new w without another evaluation, from those for `before`.
    #
    #   @staticmethod
    #   def renew(x, w, before, data, U, g):
    #       g[0] += w[0] - before[0]  # if U has the term w[0] * x[0]
    #       return U + (w[0] - before[0]) * x[0]

    # OPTIONAL: the factor of each coordinate's stepsize. It may depend on w and data.
    #
    #   @staticmethod
    #   def scales(w, data, s):
    #       s[0], s[1] = 1.0, 0.5
    #
    # OPTIONAL: the number of chains interleaved for SIMD, which is faster in few dimensions.
    #
    #   lanes: ClassVar[int] = 64
    #
    # OPTIONAL: a file of data that a setting names: its content belongs to a cell's identity.
    #
    #   table: str = text()
    #   def content(self) -> dict:
    #       return {"table": hashlib.sha256(Path(self.table).read_bytes()).hexdigest()}
    #
    # OPTIONAL: settling (HMC before the burn-in), recorded with derive (quantities that are
    # functions of the recorded columns), averages (of autocorrelation times) and nanoseconds (of
    # an evaluation). docs/distributions.md explains all parts.
