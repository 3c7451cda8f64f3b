"""A distribution of your own: what nrevu needs of it, and what it may have besides.

It runs as it is; try it, then change it:

  nrevu check my_density.py curvature=3
  nrevu run distribution.file=my_density.py distribution.curvature=0.5 method.stepsize=2.5

The density has the shape of a banana, the more so the larger its curvature:
x[0] ~ N(0, 1), and x[1] given x[0] ~ N(curvature * (x[0]^2 - 1), 1).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nrevu.fields import real


# REQUIRED: a class with this line above it. Its name is yours; a file may hold several classes.
@dataclass(frozen=True)
class Banana:
    """A banana in two dimensions."""

    # REQUIRED: dim, the number of coordinates. Fixed as here, or a setting:
    #   dim: int = whole(at_least=1)   # with: from nrevu.fields import whole
    # or a property that follows from settings.
    dim: ClassVar[int] = 2

    # Settings, as many as you like: distribution.curvature=3 on the command line and in sweeps.
    # real(at_least=, above=, at_most=, below=, default=), whole(at_least=, at_most=, default=),
    # one_of("this", "that") and word() say what is allowed; without a default it must be given.
    curvature: float = real(at_least=0, default=1.0)

    # OPTIONAL, with record below: the recorded quantities in order, each with its true mean, or
    # None where that is not known (the mean over all chains stands in). Without both: coordinate,
    # which is x[0], and log_prob, which is U, their means unknown.
    def means(self) -> dict[str, float | None]:
        """Return the recorded quantities in order, with their true means."""
        return {"coordinate": 0.0, "height": 0.0, "log_prob": 1.0}

    # OPTIONAL: numbers and arrays that the compiled functions receive as `data`. They see nothing
    # of `self`: what they need of the settings goes through here.
    def data(self) -> tuple:
        """Return what the compiled functions below receive as `data`."""
        return (self.curvature,)

    # OPTIONAL: an exact draw, from the random numbers of rng alone. Chains then start in the
    # distribution. Without it they start where `start(self, rng)` says, or at standard normals,
    # and run.burn_in groups are left out at the start of each.
    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Return an exact draw."""
        first, other = rng.standard_normal(2)
        return np.array([first, self.curvature * (first * first - 1.0) + other])

    # The functions from here on are compiled by numba: plain numbers, arrays and loops, no `self`,
    # each with @staticmethod above it. w is empty unless there is a gibbs, see below.

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

    # OPTIONAL, for variables that only Gibbs sampling moves (set schedule.gibbs_every): how many,
    # and a scan that draws w given x by random numbers of nrevu.rng: next_uniform(bits), on (0,1),
    # next_gamma(bits, shape), with mean 1. U is then -log of the joint density of x and w, as far
    # as x has a part in it.
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

    # OPTIONAL: what each coordinate's stepsize is multiplied by. It may depend on w and data.
    #
    #   @staticmethod
    #   def scales(w, data, s):
    #       s[0], s[1] = 1.0, 0.5
    #
    # OPTIONAL: so many chains whose coordinates alternate, which is faster in few dimensions.
    #
    #   lanes: ClassVar[int] = 64
    #
    # OPTIONAL: a file of data that a setting names: what is in it belongs to a cell's identity.
    #
    #   table: str = word()
    #   def content(self) -> dict:
    #       return {"table": hashlib.sha256(Path(self.table).read_bytes()).hexdigest()}
    #
    # More, with all the rules: docs/distributions.md.
