"""A rule for u with Gaussian noise: v moves by delta plus a normal variate."""

from dataclasses import dataclass

from nrevu.u import next_normal, real, wrap


@dataclass(frozen=True)
class GaussianNoise:
    """As the paper's rule, but large moves of v are possible now and then; delta 0: reversible."""

    delta: float = real(at_least=-1, at_most=1)  # mean of a move of v; v has period 2
    sd: float = real(above=0)  # standard deviation of a move

    @staticmethod
    def move(r, v, uniform, bits):
        """Return v moved, and wrapped into [-1,1]."""
        return wrap(v + (r.delta + r.sd * next_normal(bits)))
